"""Smaller programs that still go wrong in the same way.

Works on the syntax tree: statements and branches are dropped, blocks replace the statements they stand in, expressions
are replaced by their operands or by literals, arguments and functions that nothing needs disappear. A candidate that
fails in another way, or not at all, is not taken.
"""

from __future__ import annotations

import ast
import time
from collections.abc import Callable, Iterator

Test = Callable[[str], bool]
"""Whether a text still goes wrong."""


def shrink(source: str, fails: Test, seconds: float = 60.0) -> str:
    """The smallest module found that `fails`, within the time given."""
    deadline = time.monotonic() + seconds
    best = source
    progress = True
    while progress and time.monotonic() < deadline:
        progress = False
        for step in (_without_statements, _with_inner_blocks, _with_simpler_expressions):
            position = 0
            while time.monotonic() < deadline:
                candidate = _nth(step, best, position)
                if candidate is None:
                    break
                if len(candidate) < len(best) and fails(candidate):
                    best, progress = candidate, True  # what was at this position is gone: try the next one there
                else:
                    position += 1
    return best


def _nth(step: Callable[[ast.Module], Iterator[None]], source: str, position: int) -> str | None:
    """The text after the change number `position` that `step` knows; None when there are not so many."""
    tree = ast.parse(source)
    for number, _ in enumerate(step(tree)):
        if number == position:
            return ast.unparse(ast.fix_missing_locations(tree)) + "\n"
    return None


def _blocks(tree: ast.AST) -> Iterator[tuple[ast.AST, str, list[ast.stmt]]]:
    for node in ast.walk(tree):
        for name in ("body", "orelse", "finalbody"):
            block = getattr(node, name, None)
            if isinstance(block, list) and block:
                yield node, name, block


def _without_statements(tree: ast.Module) -> Iterator[None]:
    """Drops one statement, handler or case at a time; the change holds while the caller looks at the tree."""
    for node, name, block in list(_blocks(tree)):
        for i in reversed(range(len(block))):
            kept = block[:]
            del block[i]
            if not block and (name == "body" and not isinstance(node, ast.Module)):
                block.append(ast.Pass())
            if not (isinstance(kept[i], ast.Pass) and len(kept) == 1):
                yield
            block[:] = kept
    for node in list(ast.walk(tree)):
        for name in ("handlers", "cases", "keywords", "type_params"):
            parts = getattr(node, name, None)
            if isinstance(parts, list):
                for i in reversed(range(len(parts))):
                    part = parts.pop(i)
                    yield
                    parts.insert(i, part)


def _with_inner_blocks(tree: ast.Module) -> Iterator[None]:
    """Puts the block of a compound statement in its place."""
    for _, _, block in list(_blocks(tree)):
        for i in range(len(block)):
            for name in ("body", "orelse", "finalbody"):
                inner = getattr(block[i], name, None)
                if isinstance(inner, list) and inner and not isinstance(block[i], ast.FunctionDef | ast.ClassDef):
                    kept = block[i]
                    block[i : i + 1] = inner
                    yield
                    block[i : i + len(inner)] = [kept]


def _with_simpler_expressions(tree: ast.Module) -> Iterator[None]:
    """Replaces an expression by one of its parts or by a literal."""
    for node in list(ast.walk(tree)):
        for name, value in ast.iter_fields(node):
            if name in ("annotation", "returns", "ctx", "op", "decorator_list", "pattern", "func"):
                continue
            if isinstance(value, ast.expr):
                for simpler in _simpler(value):
                    setattr(node, name, simpler)
                    yield
                setattr(node, name, value)
            elif isinstance(value, list):
                for i, item in enumerate(value):
                    if isinstance(item, ast.expr) and not isinstance(getattr(item, "ctx", None), ast.Store):
                        for simpler in _simpler(item):
                            value[i] = simpler
                            yield
                        value[i] = item


def _simpler(node: ast.expr) -> Iterator[ast.expr]:
    if isinstance(node, ast.Constant) and len(repr(node.value)) == 1:
        return
    if isinstance(getattr(node, "ctx", None), ast.Store | ast.Del):
        return
    for literal in (0, 1, True, ""):
        if not isinstance(node, ast.Constant) or type(literal) is type(node.value):
            yield ast.Constant(literal)
    if not isinstance(node, ast.Constant | ast.Name):
        yield ast.Constant(1.5)
        yield from (child for child in ast.iter_child_nodes(node) if isinstance(child, ast.expr))
