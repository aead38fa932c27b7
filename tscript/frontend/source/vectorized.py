"""Vectorized functions: a function of numbers as one of arrays, which calls it for each element.

Such a function is a `PythonFunction` whose tree has one call, of `ELEMENTS`; what that does with arrays is in
`tscript.frontend.values.vectorized`.
"""

from __future__ import annotations

import ast
import contextlib
import copy
import re
from collections.abc import Iterable, Mapping, Sequence

from tscript.diagnostics import compile_error
from tscript.diagnostics.suggest import close_matches
from tscript.frontend.diagnostics import errors
from tscript.frontend.source.functions import (
    ELEMENTS,
    Elements,
    FunctionSymbol,
    PythonFunction,
    VectorizedSymbol,
)
from tscript.frontend.source.symbols import ConstantSymbol, Symbol, UnknownSymbol
from tscript.late import replace
from tscript.types import DType, dtypes

BY_NAME = frozenset({"out", "where", "initial"})
"""Parameters of a `driver` that it hands on by name."""

INDEX = "index"
"""Begins parameters of a `driver` that are a tuple of indices."""

METHODS = ("reduce", "accumulate", "outer", "at")
"""The methods of a vectorized function."""


def signatures_of(texts: str | Sequence[str]) -> tuple[tuple[DType, ...], ...]:
    """Signatures as Numba writes them: ``float64(float64, float64)``.

    Raises:
        TypeError: A text is not one.
    """
    return tuple(map(_signature, [texts] if isinstance(texts, str) else texts))


def _signature(text: str) -> tuple[DType, ...]:
    found = re.fullmatch(r"\s*(\w+)\s*\(([\w\s,]*)\)\s*", text) if isinstance(text, str) else None
    names = [] if found is None else [found[1], *(name.strip() for name in found[2].split(","))]
    known = {d.name: d for d in dtypes.DTYPES}
    known |= {short: known[name] for short, name in _CODES.items()}
    if not names or not all(name in known for name in names):
        wanted = "'float64(float64, float64)', the dtypes of the result and of the arguments"
        raise TypeError(f"{text!r} is no signature: write {wanted}, or decorate the function with @tscript.vectorize")
    return tuple(known[name] for name in names)


_CODES = {"f8": "float64", "f4": "float32", "i8": "int64", "i4": "int32", "i2": "int16", "i1": "int8", "u1": "uint8"}
_CODES |= {"boolean": "bool", "b1": "bool", "bool_": "bool"}


def decorated(function: PythonFunction) -> PythonFunction:
    """A function of a file that is not run, vectorized as its decorator ``@tscript.vectorize`` says."""
    texts: object = ()
    for node in function.tree.decorator_list:
        if isinstance(node, ast.Call) and node.args:
            with contextlib.suppress(ValueError):  # it is reported as another signature
                texts = ast.literal_eval(node.args[0])
    try:
        return vectorized(function, signatures_of(texts))  # type: ignore[arg-type]
    except TypeError as error:
        raise compile_error([errors.UnsupportedFunction(function.header, function.name, str(error))]) from None


def vectorized(function: PythonFunction, signatures: Iterable[tuple[DType, ...]] = ()) -> PythonFunction:
    """A function that calls `function` for each element of its arguments.

    Raises:
        CompileError: It has other parameters than those that are given by position, or is inside of a cache.
    """
    problem = _problem(function)
    if problem:
        raise compile_error([errors.UnsupportedFunction(function.header, function.name, problem)])
    elements = Elements(_without_annotations(function), function, tuple(signatures))
    return driver(elements, "", parameters(function))


def driver(
    elements: Elements, method: str, names: Sequence[str], keywords: Mapping[str, object] | None = None
) -> PythonFunction:
    """A function that calls a vectorized one, or one of its methods.

    Args:
        elements: What the vectorized function is.
        method: The name of the method; empty: the function itself.
        names: The parameters. Those in `BY_NAME` are handed on by name.
        keywords: Further arguments, which are constants.
    """
    function = elements.written
    called: ast.expr = ast.Name(ELEMENTS, ast.Load())
    if method:
        called = ast.Attribute(called, method, ast.Load())
    by_name = [ast.keyword(n, ast.Name(n, ast.Load())) for n in names if n in BY_NAME]
    by_name += [ast.keyword(n, ast.parse(repr(value), mode="eval").body) for n, value in (keywords or {}).items()]
    given: list[ast.expr] = [ast.Name(n, ast.Load()) for n in names if n not in BY_NAME and not n.startswith(INDEX)]
    if indices := [ast.Name(n, ast.Load()) for n in names if n.startswith(INDEX)]:
        given.insert(1, ast.Tuple(indices, ast.Load()))  # type: ignore[arg-type]
    tree = copy.copy(function.tree)
    tree.returns = None
    tree.args = ast.arguments([], [ast.arg(n) for n in names], None, [], [], None, [])
    tree.body = [ast.Return(ast.Call(called, given, by_name))]
    for part in (tree.args, *tree.body):
        for node in ast.walk(part):
            ast.copy_location(node, function.tree)
    return replace(function, tree=tree, annotations={}, elements=elements)


def parameters(function: PythonFunction) -> list[str]:
    """The names of the parameters."""
    return [a.arg for a in (*function.tree.args.posonlyargs, *function.tree.args.args)]


def symbol_of_function(function: PythonFunction) -> Symbol:
    """The symbol of a function that is compiled."""
    return FunctionSymbol(function) if function.elements is None else VectorizedSymbol(function.elements)


def member(elements: Elements, name: str) -> Symbol:
    """The symbol of ``f.name``."""
    count = len(parameters(elements.body))
    constants = {"nin": count, "nout": 1, "nargs": count + 1}
    if name in METHODS:
        return VectorizedSymbol(elements, name)
    if name in constants:
        return ConstantSymbol(constants[name])
    close = close_matches(name, [*METHODS, *constants])
    instead = f"did you mean '{close[0]}'?" if close else f"it has {', '.join((*METHODS, *constants))}"
    return UnknownSymbol(f"{elements.body.name}.{name}", instead)


def _problem(function: PythonFunction) -> str:
    arguments = function.tree.args
    if function.cache is not None or function.is_cached():
        return "a function with a cache"
    if arguments.defaults or arguments.kwonlyargs or arguments.vararg or arguments.kwarg:
        return "a function with parameters that are not given by position"
    return "" if parameters(function) else "a function without parameters"


def _without_annotations(function: PythonFunction) -> PythonFunction:
    tree = copy.copy(function.tree)
    tree.args = copy.copy(tree.args)
    tree.args.posonlyargs, tree.args.args = (
        [ast.copy_location(ast.arg(a.arg), a) for a in plain] for plain in (tree.args.posonlyargs, tree.args.args)
    )
    if not any(isinstance(node, ast.Name) and node.id == function.name for node in ast.walk(function.tree)):
        tree.returns = None  # one that calls itself has to declare its result
    tree.decorator_list = []
    return replace(function, tree=tree, annotations={}, callable=None)  # it is another function than the written one


__all__ = [
    "METHODS",
    "decorated",
    "driver",
    "member",
    "parameters",
    "signatures_of",
    "symbol_of_function",
    "vectorized",
]
