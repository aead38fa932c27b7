"""Where the meaning of Python, which compiled code has, is not that of TorchScript: what `tscript check --torch` notes.

`DIFFERENCES` is the one table of them; a test compares the page on TorchScript with it.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping

from tscript.definitions.absent import MISSING
from tscript.diagnostics import Span
from tscript.frontend import PythonFunction
from tscript.ir.graph import Graph
from tscript.ir.nodes import Node, Op, Return, Value, walk
from tscript.late import dataclass
from tscript.types import BOOL, DTYPE, FLOAT, INT, STR, DictType, ListType, SetType, SizeType, TupleType, Type

Places = Iterator[Span]


@dataclass(frozen=True, slots=True)
class Typed:
    """A function with the types that its expressions have.

    Attributes:
        function: The function.
        graph: Its graph.
        types: The type of what stands at a place, the outermost where there are several.
    """

    function: PythonFunction
    graph: Graph
    types: Mapping[Span, Type]

    def syntax(self, *kinds: type[ast.AST]) -> Iterator[tuple[ast.AST, Span]]:
        """The parts of the source of some kinds, with their places."""
        for node in ast.walk(self.function.tree):
            if isinstance(node, kinds):
                yield node, self.function.span(node)

    def ops(self, *names: str) -> Iterator[Op]:
        """The applications of operators of these names, ``mul.int``."""
        for node in walk(self.graph.body):
            if isinstance(node, Op) and node.op.name in names:
                yield node


@dataclass(frozen=True, slots=True)
class Difference:
    """A difference between TorchScript and Python.

    Attributes:
        what: What is written, or happens.
        theirs: What TorchScript makes of it.
        ours: What Python and compiled code make of it.
        places: Finds where a function has it.
    """

    what: str
    theirs: str
    ours: str
    places: Callable[[Typed], Places]

    @property
    def message(self) -> str:
        """All of it in one line."""
        return f"{plain(self.what)}: {plain(self.theirs)} in TorchScript, {plain(self.ours)} here"


def plain(text: str) -> str:
    """A cell of the table without its marks of code."""
    return text.replace("`", "")


def typed(function: PythonFunction, graph: Graph) -> Typed:
    """A function that has been lowered, with the types of its expressions."""
    types = {node.span: node.outputs[-1].type for node in walk(graph.body) if node.outputs}
    return Typed(function, graph, types)


def notes(function: Typed) -> Iterator[tuple[Difference, Span]]:
    """The differences that a function has, each place once."""
    for difference in DIFFERENCES:
        found = set(difference.places(function))
        for place in sorted(found, key=lambda span: (span.line, span.col, span.end_line, span.end_col)):
            yield difference, place


def _powers(function: Typed) -> Places:
    yield from (op.span for op in function.ops("pow.int"))
    for node, span in function.syntax(ast.BinOp):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow) and function.types.get(span) == INT:
            yield span


def _large(function: Typed) -> Places:
    """Products and shifts: sums rarely get so large."""
    for op in function.ops("mul.int", "bitwise_left_shift.int"):
        if all(value.constant is MISSING for value in op.inputs):
            yield op.span


def _remainders(function: Typed) -> Places:
    return (op.span for op in function.ops("remainder.int") if op.inputs[1].constant in (MISSING, 0))


def _chosen(function: Typed) -> Places:
    tests = {id(inner) for node in ast.walk(function.function.tree) for inner in _tests(node)}
    for node, span in function.syntax(ast.BoolOp):
        if id(node) not in tests and function.types.get(span, BOOL) != BOOL:
            yield span


def _tests(node: ast.AST) -> Iterator[ast.AST]:
    """What is only tested there, with all that is in it."""
    match node:
        case ast.If(test=test) | ast.While(test=test) | ast.IfExp(test=test) | ast.Assert(test=test):
            yield from ast.walk(test)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield from ast.walk(operand)
        case ast.comprehension(ifs=tests):
            for test in tests:
                yield from ast.walk(test)


def _floats(function: Typed) -> Places:
    yield from (op.span for op in function.ops("str.float", "repr.float"))
    yield from (op.span for op in function.ops("repr.any") if _holds(op.inputs[0].type, FLOAT))


def _holds(type: Type, wanted: Type) -> bool:
    match type:
        case ListType(element=element) | SetType(element=element):
            return _holds(element, wanted)
        case DictType(key=key, value=value):
            return _holds(key, wanted) or _holds(value, wanted)
        case TupleType(elements=elements):
            return any(_holds(element, wanted) for element in elements)
    return type == wanted


def _rounded(function: Typed) -> Places:
    for node, span in function.syntax(ast.Call):
        called = node.func if isinstance(node, ast.Call) else None
        if isinstance(called, ast.Name) and called.id == "round" and function.types.get(span) == INT:
            yield span


def _characters(function: Typed) -> Places:
    yield from (op.span for op in function.ops("getitem.str", "slice.str"))
    calls = {span for _, span in function.syntax(ast.Call)}
    yield from (op.span for op in function.ops("len.str") if op.span in calls)  # others find the truth of a string
    for node, span in function.syntax(ast.Call):
        match node:
            case ast.Call(func=ast.Name(id="len"), args=[ast.Constant(value=str(text))]) if not text.isascii():
                yield span


def _popped(function: Typed) -> Places:
    return (op.span for op in function.ops("popitem.dict"))


_CHANGES = frozenset(
    f"{name}.{kind}"
    for kind, names in {
        "list": "append extend insert remove pop clear sort reverse setitem delitem setslice delslice imul",
        "dict": "setitem delitem pop popitem clear update setdefault",
    }.items()
    for name in names.split()
)
"""Operators that change their first argument."""


def _changed(function: Typed) -> Places:
    given = {value for value in function.graph.body.params if isinstance(value.type, ListType | DictType)}
    return (op.span for op in function.ops(*_CHANGES) if op.inputs[0] in given)


def _raised(function: Typed) -> Places:
    return (span for node, span in function.syntax(ast.Raise) if isinstance(node, ast.Raise) and node.exc is not None)


def _unannotated(function: Typed) -> Places:
    args = function.function.tree.args
    for arg in (*args.posonlyargs, *args.args, *args.kwonlyargs):
        if arg.annotation is None and arg.arg != "self":
            yield function.function.span(arg)


def _shapes(function: Typed) -> Places:
    """Where one leaves the function, or becomes text."""
    for node in walk(function.graph.body):
        if isinstance(node, Return) or _is_text(node):
            yield from (node.span for value in node.inputs if _is_shape(value))


def _is_shape(value: Value) -> bool:
    parts = value.type.elements if isinstance(value.type, TupleType) else (value.type,)
    return any(isinstance(part, SizeType) for part in parts)


def _dtypes(function: Typed) -> Places:
    for node in walk(function.graph.body):
        if _is_text(node) and any(_holds(value.type, DTYPE) for value in node.inputs):
            yield node.span


def _is_text(node: Node) -> bool:
    """Whether it makes a text of a value of any type."""
    return isinstance(node, Op) and node.op.name == "repr.any" and node.outputs[0].type == STR


DIFFERENCES = (
    Difference("`2 ** 10`", "`1024.0`", "`1024`", _powers),
    Difference("an `int` beyond 64 bits", "wraps", "raises `OverflowError`", _large),
    Difference("`a % 0` of ints", "ends the process", "raises `ZeroDivisionError`", _remainders),
    Difference("`0 or 7`", "`True`", "`7`", _chosen),
    Difference("`str(0.1)`", "`0.10000000000000001`", "`0.1`", _floats),
    Difference("`round(2)`", "`2.0`", "`2`", _rounded),
    Difference('`len("naïve")`', "6", "5", _characters),
    Difference("`d.popitem()`", "the first entry", "the last entry", _popped),
    Difference("changes of a list argument", "not seen by the caller", "seen by the caller", _changed),
    Difference('`raise ValueError("no")`', "arrives as `torch.jit.Error`", "arrives as `ValueError`", _raised),
    Difference("a parameter without annotation", "a tensor", "what the call gives", _unannotated),
    Difference("a shape, `x.shape`", "a list", "a tuple, as in Python", _shapes),
    Difference("`str(x.dtype)`", "a number", "its name", _dtypes),
)
"""All of them, in the order of the page."""

__all__ = ["DIFFERENCES", "Difference", "Typed", "notes", "plain", "typed"]
