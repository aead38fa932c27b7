"""Which functions of numbers mean the same of arrays: those that are a chain of arithmetic and ufuncs, and return a new
array."""

from __future__ import annotations

import ast

from tscript.frontend.source.functions import PythonFunction, VectorizedSymbol
from tscript.frontend.source.resolver import Resolver
from tscript.frontend.source.symbols import ConstantSymbol, NumpySymbol, Symbol
from tscript.frontend.values.array_ufuncs import FUSED

_NEW = (ast.BinOp, ast.Compare, ast.Call)
"""Expressions whose value is a new array."""


def is_straight(function: PythonFunction, resolver: Resolver) -> bool:
    """Whether a function of numbers may be called with arrays in their place."""
    *before, last = function.tree.body
    if before and isinstance(before[0], ast.Expr) and isinstance(before[0].value, ast.Constant):
        before = before[1:]
    if not isinstance(last, ast.Return) or not isinstance(last.value, _NEW):
        return False
    names = {a.arg for a in (*function.tree.args.posonlyargs, *function.tree.args.args)}
    reader = _Reader(function, resolver, names)
    for statement in before:
        if not isinstance(statement, ast.Assign) or not reader.accepts(statement.value):
            return False
        for target in statement.targets:
            if not isinstance(target, ast.Name):
                return False
            names.add(target.id)
    return reader.accepts(last.value)


class _Reader:
    """Reads expressions.

    Args:
        function: The function.
        resolver: Says what names mean.
        names: The parameters, and what has been assigned.
    """

    def __init__(self, function: PythonFunction, resolver: Resolver, names: set[str]) -> None:
        self._function = function
        self._resolver = resolver
        self._names = names

    def accepts(self, node: ast.expr) -> bool:
        """Whether an expression of numbers means the same of arrays."""
        match node:
            case ast.Constant(value=bool() | int() | float()):
                return True
            case ast.Name(id=name):
                return name in self._names or self._is_number(name)
            case ast.UnaryOp(op=ast.USub() | ast.UAdd() | ast.Invert(), operand=operand):
                return self.accepts(operand)
            case ast.BinOp(left=left, right=right, op=operator):
                return not isinstance(operator, ast.MatMult) and self.accepts(left) and self.accepts(right)
            case ast.Compare(left=left, comparators=[right], ops=[operator]):
                is_order = isinstance(operator, ast.Lt | ast.LtE | ast.Gt | ast.GtE | ast.Eq | ast.NotEq)
                return is_order and self.accepts(left) and self.accepts(right)
            case ast.Call(func=function, args=args, keywords=[]):
                symbol = self._symbol(function)
                known = isinstance(symbol, NumpySymbol) and symbol.path in FUSED
                is_ufunc = known or (isinstance(symbol, VectorizedSymbol) and not symbol.method)
                return is_ufunc and all(map(self.accepts, args))
            case ast.Attribute():
                return self._is_constant(self._symbol(node))
        return False

    def _is_number(self, name: str) -> bool:
        return self._is_constant(self._symbol(ast.Name(name, ast.Load())))

    @staticmethod
    def _is_constant(symbol: Symbol | None) -> bool:
        return isinstance(symbol, ConstantSymbol) and isinstance(symbol.value, bool | int | float)

    def _symbol(self, node: ast.expr) -> Symbol | None:
        match node:
            case ast.Name(id=name) if name not in self._names:
                try:
                    return self._resolver.symbol(self._function.environment.lookup(name))
                except KeyError:
                    return None
            case ast.Attribute(value=value, attr=attribute):
                owner = self._symbol(value)
                return None if owner is None else self._resolver.member(owner, attribute)
        return None
