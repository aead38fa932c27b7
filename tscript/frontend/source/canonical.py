"""Canonical source: a scripted function and all it calls, printed the same way however they were written.

It is what ``fn.code`` shows and an archive's ``code/`` holds, for people to read; nothing is compiled from it.
"""

from __future__ import annotations

import ast
import types
import warnings
from collections.abc import Iterator

from tscript.frontend.source.functions import PythonFunction
from tscript.frontend.source.modules import ROOTS
from tscript.frontend.source.symbols import ModuleSymbol
from tscript.parsing import parse, with_parts


def canonical_source(function: PythonFunction) -> str:
    """The text of `function` and of the functions it calls, those first, without decorators and comments.

    Example:
        >>> from tscript.frontend.source.source_modules import module_function
        >>> print(canonical_source(module_function("def f(x:int)->int: return (x+1)", "f", "f.py")))
        def f(x: int) -> int:
            return x + 1
        <BLANKLINE>
    """
    found: dict[int, str] = {}
    _collect(function, found, set())
    return "\n\n".join(found.values())


def placed_source(function: PythonFunction) -> str:
    """The text of `function` alone, each statement at the line that it has in its file, as far as they fit.

    Example:
        >>> from tscript.frontend.source.source_modules import module_function
        >>> placed_source(module_function("# a comment\\ndef f(x:int)->int:\\n\\n    return (x+1)", "f", "f.py"))
        'def f(x: int) -> int:\\n\\n    return x + 1\\n'
    """
    text = _print(function.tree)
    printed = [n for n in ast.walk(parse(text)) if isinstance(n, ast.stmt)]
    written = [n for n in ast.walk(function.tree) if isinstance(n, ast.stmt)]
    if len(printed) != len(written):
        return text
    places: dict[int, int] = {}
    for node, original in zip(printed, written, strict=True):
        goal = original.lineno if original is function.tree else _first_line(original)
        places.setdefault(_first_line(node), goal - function.tree.lineno)
    lines: list[str] = []
    for number, line in enumerate(text.splitlines(), 1):
        lines += [""] * (places.get(number, 0) - len(lines))
        lines.append(line)
    return "\n".join(lines) + "\n"


def _first_line(statement: ast.stmt) -> int:
    """The line of a statement or of its first decorator."""
    decorators: list[ast.expr] = getattr(statement, "decorator_list", [])
    return min([statement.lineno, *(d.lineno for d in decorators)])


def _collect(function: PythonFunction, found: dict[int, str], seen: set[tuple[str, int]]) -> None:
    function = function.written
    key = (function.source.name, function.tree.lineno + function.line_offset)
    if key in seen:
        return
    seen.add(key)
    for callee in _callees(function):
        _collect(callee, found, seen)
    if function.stored is not None:
        found[id(function)] = function.stored.text
        return
    found[id(function)] = _cache(function) + _print(function.tree)


def _callees(function: PythonFunction) -> Iterator[PythonFunction]:
    for node in (n for part in (function.tree.args, *function.tree.body) for n in ast.walk(part)):
        if isinstance(node, ast.Attribute):
            body = getattr(_member(function, node), "__tscript_body__", None)
            if isinstance(body, PythonFunction):
                yield body
            elif isinstance(imported := _member(function, node), PythonFunction):
                yield imported
        if not isinstance(node, ast.Name):
            continue
        try:
            value = function.environment.lookup(node.id)
        except LookupError:
            continue
        if isinstance(value, PythonFunction):
            yield value
        elif isinstance(body := getattr(value, "__tscript_body__", None), PythonFunction):
            yield body
        elif isinstance(scripted := getattr(value, "__tscript_function__", None), PythonFunction):
            yield scripted
        elif isinstance(value, types.FunctionType) and (value.__module__ or "").partition(".")[0] not in ROOTS:
            try:
                yield PythonFunction.from_callable(value)
            except OSError:
                continue


def _member(function: PythonFunction, node: ast.expr) -> object:
    """The object of a dotted name of modules and namespaces of operators; None for other names."""
    match node:
        case ast.Name(id=name):
            try:
                return function.environment.lookup(name)
            except LookupError:
                return None
        case ast.Attribute(value=value, attr=name):
            owner = _member(function, value)
            if isinstance(owner, ModuleSymbol):
                return owner.members.get(name)
            if isinstance(owner, types.ModuleType) or hasattr(owner, "__tscript_namespace__"):
                return getattr(owner, name, None)
    return None


def _cache(function: PythonFunction) -> str:
    """The decorator of a function with a cache."""
    cache = function.cache
    return "" if cache is None else f"@functools.lru_cache(maxsize={cache.maxsize}, typed={cache.typed})\n"


WIDTH = 100


def _print(tree: ast.FunctionDef) -> str:
    """`ast.unparse` does not wrap long lines, astor does; astor does not know all of the grammar, so its text is
    checked."""
    plain = with_parts(tree, decorator_list=[])
    text = ast.unparse(plain) + "\n"
    if max(map(len, text.splitlines())) <= WIDTH:
        return text
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            import astor

            wrapped: str = astor.to_source(plain)
        if ast.dump(parse(wrapped).body[0]) == ast.dump(plain):
            return wrapped
    except Exception:  # noqa: BLE001 - whatever astor does not know, the standard library prints
        pass
    return text
