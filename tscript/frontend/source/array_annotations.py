"""Annotations of NumPy arrays: what they say of dtype and dimensions.

``np.ndarray`` says neither, ``NDArray[np.float64]`` the dtype, ``np.ndarray[tuple[int, int], np.dtype[np.float64]]``
both. What is not said comes from the call.
"""

from __future__ import annotations

import ast
import typing
from typing import TYPE_CHECKING

from tscript.frontend.source.functions import in_annotations
from tscript.frontend.source.symbols import NumpySymbol, NumpyTypeSymbol, PythonSymbol, Symbol
from tscript.late import dataclass
from tscript.parsing import parse
from tscript.types import DType

if TYPE_CHECKING:
    from tscript.frontend.source.functions import PythonFunction
    from tscript.frontend.source.resolver import Resolver

_ARRAY = NumpySymbol("ndarray")
_OF_DTYPE = NumpySymbol("typing.NDArray")
_DTYPE = NumpySymbol("dtype")


@dataclass(frozen=True, slots=True)
class ArrayAnnotation:
    """What an annotation says of an array.

    Attributes:
        dtype: Its dtype; None: any.
        rank: Its number of dimensions; None: any.
    """

    dtype: DType | None = None
    rank: int | None = None


def array_annotation(function: PythonFunction, resolver: Resolver, node: ast.expr) -> ArrayAnnotation | None:
    """What an annotation of `function` says of an array; None if it is none of an array, or not understood."""
    return _Reader(function, resolver).array(node)


def array_of(resolver: Resolver, value: object) -> ArrayAnnotation | None:
    """What an evaluated annotation says of an array; None if it is none of an array.

    ``NDArray[np.float64]`` is evaluated to one of ``np.ndarray``, or of an alias for one.
    """
    origin, arguments = typing.get_origin(value), typing.get_args(value)
    if len(arguments) == 1 and (aliased := getattr(origin, "__value__", None)) is not None:
        named = array_of(resolver, aliased)
        return named and ArrayAnnotation(_scalar(resolver.symbol(arguments[0])), named.rank)
    if (aliased := getattr(value, "__value__", None)) is not None:  # `type V = ...`, and NumPy's own NDArray
        return array_of(resolver, aliased)
    if origin is None:
        return ArrayAnnotation() if isinstance(value, type) and resolver.symbol(value) == _ARRAY else None
    if resolver.symbol(origin) != _ARRAY or len(arguments) != 2:
        return None
    sizes, scalars = typing.get_args(arguments[0]), typing.get_args(arguments[1])
    fixed = bool(sizes) and all(size is int for size in sizes)
    dtype = _scalar(resolver.symbol(scalars[0])) if len(scalars) == 1 else None
    return ArrayAnnotation(dtype, len(sizes) if fixed else None)


def _scalar(symbol: Symbol | None) -> DType | None:
    return symbol.dtype if isinstance(symbol, NumpyTypeSymbol) else None


def symbol_of(function: PythonFunction, resolver: Resolver, node: ast.expr) -> Symbol | None:
    """The symbol of a name or dotted name; None for what is none, or is not defined."""
    match node:
        case ast.Name():
            try:
                return resolver.symbol(in_annotations(function.environment, node.id))
            except KeyError:
                return None
        case ast.Attribute():
            owner = symbol_of(function, resolver, node.value)
            return None if owner is None else resolver.member(owner, node.attr)
    return None


def in_text(node: ast.expr) -> ast.expr | None:
    """An annotation, also one that is written as a string; None if that is no expression."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        try:
            inner: ast.expr = parse(node.value.strip(), mode="eval").body
            return inner
        except SyntaxError:
            return None
    return node


class _Reader:
    """Reads annotations of one function."""

    def __init__(self, function: PythonFunction, resolver: Resolver) -> None:
        self.function = function
        self.resolver = resolver

    def array(self, node: ast.expr) -> ArrayAnnotation | None:
        """See `array_annotation`."""
        written = in_text(node)
        if written is None:
            return None
        if not isinstance(written, ast.Subscript):
            return self.named(self.symbol(written))
        owner = self.symbol(written.value)
        named = self.named(owner)
        if named is None:
            return None
        parts = written.slice.elts if isinstance(written.slice, ast.Tuple) else [written.slice]
        if owner == _ARRAY:
            dtype = self.dtype(parts[1]) if len(parts) == 2 else None
            return ArrayAnnotation(dtype, self.rank(parts[0]))
        return ArrayAnnotation(_scalar(self.symbol(parts[0])), named.rank) if len(parts) == 1 else None

    def symbol(self, node: ast.expr) -> Symbol | None:
        return symbol_of(self.function, self.resolver, node)

    def named(self, symbol: Symbol | None) -> ArrayAnnotation | None:
        """What a name stands for: ``np.ndarray``, ``NDArray``, or an alias of an array type."""
        if symbol in (_ARRAY, _OF_DTYPE):
            return ArrayAnnotation()
        return array_of(self.resolver, symbol.value) if isinstance(symbol, PythonSymbol) else None

    def rank(self, node: ast.expr) -> int | None:
        """The dimensions that ``tuple[int, int]`` says."""
        if not isinstance(node, ast.Subscript) or not isinstance(symbol := self.symbol(node.value), PythonSymbol):
            return None
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        ints = all(isinstance(p, ast.Name) and p.id == "int" for p in parts)
        return len(parts) if ints and symbol.value in (tuple, typing.Tuple) else None  # noqa: UP006

    def dtype(self, node: ast.expr) -> DType | None:
        """The dtype that ``np.dtype[np.float64]`` says."""
        if isinstance(node, ast.Subscript) and self.symbol(node.value) == _DTYPE:
            return _scalar(self.symbol(node.slice))
        return None
