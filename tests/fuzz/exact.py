"""Python with ints of 64 bits: a program whose every int is looked at where it is made.

`Exact` rewrites a module, so that each operation that gives an int beyond 64 bits raises `OverflowError`, except in
what is masked (see docs/language-types.md) and constant expressions. `Watch` says whether one did: what compiled code
does then is the same, or what Python does without the limit, since it need not raise for results that nobody uses.
"""

from __future__ import annotations

import ast
import functools
from dataclasses import dataclass
from typing import Any

LOOSE = 1 << 12
"""Bits beyond which Python without the limit stops as well: programs may square what they have in loops."""

_TREE = (ast.Add, ast.Sub, ast.Mult, ast.Pow, ast.LShift, ast.BitAnd, ast.BitOr, ast.BitXor)
_ARITHMETIC = (ast.Add, ast.Sub, ast.Mult, ast.Pow, ast.LShift, ast.FloorDiv)
_CHECK, _SUM = "_exact_check", "_exact_sum"


@dataclass
class Watch:
    """Looks at ints.

    Attributes:
        bits: What the magnitude of an int may have; 63 lets -2**63 pass too.
        seen: Whether an int of more than 64 bits came by.
    """

    bits: int = 63
    seen: bool = False

    def check(self, value: Any) -> Any:
        """`value`, unless it is too large."""
        if type(value) is int:
            if not -(1 << 63) <= value < 1 << 63:
                self.seen = True
                if value.bit_length() > self.bits:
                    raise OverflowError("int too large")
        elif type(value) is tuple:
            for part in value:
                if type(part) is int:
                    self.check(part)
        return value

    def sum(self, items: Any, start: Any = 0) -> Any:
        """``sum``, which adds one after the other."""
        if type(start) is not int:
            return sum(items, start)
        found = list(items)
        total: Any = start
        if all(type(x) in (int, bool) for x in found):
            for x in found:
                total = self.check(total + x)
        return sum(found, start)


class Exact(ast.NodeTransformer):
    """The rewriting of one module."""

    def __init__(self, module: ast.Module) -> None:
        self.constants = {
            target.id: node.value.value
            for node in module.body
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant) and type(node.value.value) is int
            for target in node.targets
            if isinstance(target, ast.Name)
        }

    def constant(self, node: ast.expr) -> int | None:
        """The value of a constant expression of ints."""
        if isinstance(node, ast.Name):
            return self.constants.get(node.id)
        names = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
        if names or not isinstance(node, ast.Constant | ast.BinOp | ast.UnaryOp):
            return None
        if any(isinstance(n, ast.Constant) and type(n.value) is not int for n in ast.walk(node)):
            return None
        if not all(
            isinstance(n, ast.Constant | ast.BinOp | ast.UnaryOp | ast.operator | ast.unaryop) for n in ast.walk(node)
        ):
            return None
        try:
            found = eval(ast.unparse(node))
        except Exception:  # noqa: BLE001 - whatever it raises, it raises when it runs
            return None
        return found if type(found) is int else None

    def _call(self, name: str, node: ast.expr) -> ast.expr:
        made = ast.Call(ast.copy_location(ast.Name(name, ast.Load()), node), [node], [])
        return ast.copy_location(made, node)

    def masked(self, node: ast.expr) -> ast.expr:
        """A tree whose lower bits alone are used."""
        if isinstance(node, ast.BinOp) and isinstance(node.op, _TREE):
            left = self.masked(node.left)
            counted = isinstance(node.op, ast.LShift | ast.Pow)
            right = self.visit(node.right) if counted else self.masked(node.right)
            return ast.copy_location(ast.BinOp(left, node.op, right), node)
        if isinstance(node, ast.UnaryOp) and not isinstance(node.op, ast.Not):
            return ast.copy_location(ast.UnaryOp(node.op, self.masked(node.operand)), node)
        found: ast.expr = self.visit(node)
        return found

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        """An operation, whose operands are looked at before."""
        value = self.constant(node)
        if value is not None:
            return self._call(_CHECK, node)
        right = self.constant(node.right)
        if (
            right is not None
            and right >= 0
            and (isinstance(node.op, ast.BitAnd) or (isinstance(node.op, ast.Mod) and right.bit_count() == 1))
        ):
            made = ast.copy_location(ast.BinOp(self.masked(node.left), node.op, node.right), node)
            return self._call(_CHECK, made)
        left = self.constant(node.left)
        if isinstance(node.op, ast.BitAnd) and left is not None and left >= 0:
            return ast.copy_location(ast.BinOp(node.left, node.op, self.masked(node.right)), node)
        made = ast.copy_location(ast.BinOp(self.visit(node.left), node.op, self.visit(node.right)), node)
        return self._call(_CHECK, made) if isinstance(node.op, _ARITHMETIC) else made

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.expr:
        """Negation."""
        if self.constant(node) is not None:
            return self._call(_CHECK, node)
        made = ast.copy_location(ast.UnaryOp(node.op, self.visit(node.operand)), node)
        return self._call(_CHECK, made) if isinstance(node.op, ast.USub) else made

    def visit_Call(self, node: ast.Call) -> ast.expr:
        """Calls, of builtins too."""
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id == "sum":
            node.func = ast.copy_location(ast.Name(_SUM, ast.Load()), node.func)
        return self._call(_CHECK, node)

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.stmt | list[ast.stmt]:
        """``x += y``: what `x` is then."""
        node.value = self.visit(node.value)
        if any(isinstance(n, ast.Call | ast.NamedExpr) for n in ast.walk(node.target)):
            return node
        read = ast.parse(ast.unparse(node.target), mode="eval").body
        check = ast.copy_location(ast.Expr(self._call(_CHECK, ast.copy_location(read, node))), node)
        return [node, ast.fix_missing_locations(check)]

    def visit_match_case(self, node: ast.match_case) -> ast.match_case:
        """Patterns stay as they are."""
        node.guard = None if node.guard is None else self.visit(node.guard)
        node.body = [s for part in node.body for s in _listed(self.visit(part))]
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AnnAssign:
        """Annotations stay too."""
        node.value = None if node.value is None else self.visit(node.value)
        return node


def _listed(found: Any) -> list[ast.stmt]:
    return found if isinstance(found, list) else [found]


@functools.lru_cache(maxsize=2)
def exact_code(source: str, file: str) -> Any:
    """The code of a module, rewritten; kept for the next calls of the same. It asks the names that `names_of` gives."""
    tree = ast.parse(source)
    return compile(ast.fix_missing_locations(Exact(tree).visit(tree)), file, "exec", dont_inherit=True)


def names_of(watch: Watch) -> dict[str, Any]:
    """What a rewritten module needs."""
    return {_CHECK: watch.check, _SUM: watch.sum}
