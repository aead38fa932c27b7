"""Keeps small arrays that nothing else can reach in the frame of the function, or in registers.

Before::

    %c: ndarray[float64, 1] = zeros((3,), dtype.float64)
    %0: None = set_element_in(%c, %v, %two)
    %1: numpy.float64 = element_in(%c, %i)

After::

    %c: Ptr[u8] = local(3, type(numpy.float64))
    %0: None = local.set_element(%c, %v, %two)
    %1: numpy.float64 = local.element(%c, type(numpy.float64), %i)

The shape is constant, and the array is used for nothing but its elements and those of its rows (``a[i]``). LLVM keeps
elements in registers where all indices are constants, as they are once loops are unrolled. An array of a loop has the
same memory in each iteration: nothing has the one before. What is returned is an array again, made there.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import ClassVar, final

from tscript.dialect import machine
from tscript.ir.builder import Builder
from tscript.ir.graph import Graph, Node, Op, Program, Return, Value, walk
from tscript.ir.rewrite import rewrite, uses
from tscript.late import dataclass
from tscript.operators.python.elements import (
    CHECK_WRITABLE,
    CONVERT,
    ELEMENT_DENSE,
    ELEMENT_IN,
    INDEX,
    INDEX_IN,
    LOCAL,
    LOCAL_ELEMENT,
    SELECT_IN,
    SELECT_INDEX,
    SET_DENSE,
    SET_ELEMENT_IN,
    SET_LOCAL_ELEMENT,
    SET_WRITABLE,
)
from tscript.passes.base import Pass, PassContext
from tscript.types import ArrayType, ScalarType, TensorType

CONSTRUCTORS = ("zeros", "empty", "ones", "full")
READS = (ELEMENT_IN, ELEMENT_DENSE)
WRITES = (SET_ELEMENT_IN, SET_DENSE, SET_WRITABLE)


@dataclass(frozen=True, slots=True)
class SmallArrays(Pass):
    """Moves arrays into the frame.

    Attributes:
        max_elements: Arrays with more stay on the heap.
        max_bytes: What all arrays of a function may take.
        max_returned: Arrays with more elements that are returned stay on the heap.
    """

    name: ClassVar[str] = "small_arrays"

    max_elements: int = 64
    max_bytes: int = 4096
    max_returned: int = 16

    def run_graph(self, graph: Graph, program: Program, context: PassContext) -> bool:
        """Find the arrays, then one walk."""
        made = [node for node in walk(graph.body) if isinstance(node, Op) and node.op.name in CONSTRUCTORS]
        if not made:
            return False
        search = _Search(graph, self)
        left = self.max_bytes
        for node in made:
            shape = shape_of(node)
            if shape is None or not search.is_local(node.output, prod(shape)):
                continue
            left -= prod(shape) * _scalar(node.output).dtype.itemsize
            if left < 0:
                break
            search.chosen[node.output] = shape
        if not search.chosen:
            return False
        return rewrite(graph.body, _Replacing(search.chosen, context).visit)


def shape_of(node: Op) -> tuple[int, ...] | None:
    """The shape of a new array, if it is constant, and its dtype known."""
    found, sizes = node.output.type, node.inputs[0].constant
    if not isinstance(found, TensorType) or found.dtype is None or not isinstance(sizes, tuple):
        return None
    shape = tuple(size for size in sizes if isinstance(size, int) and size > 0)
    return shape if len(shape) == len(sizes) == found.rank else None


def _scalar(array: Value) -> ScalarType:
    assert isinstance(array.type, TensorType) and array.type.dtype is not None
    return ScalarType(array.type.dtype)


def _dimension(node: Op) -> int | None:
    """The dimension that a node names, if it is there."""
    found, dim = node.inputs[0].type, node.inputs[1].constant
    if not isinstance(found, TensorType) or found.rank is None or not isinstance(dim, int):
        return None
    return dim % found.rank if -found.rank <= dim < found.rank else None


@final
class _Search:
    """Which arrays are used for their elements alone."""

    def __init__(self, graph: Graph, limits: SmallArrays) -> None:
        self.limits = limits
        self.uses = uses(graph.body)
        self.chosen: dict[Value, tuple[int, ...]] = {}

    def is_local(self, array: Value, count: int) -> bool:
        """Whether all uses of a new array, and of its rows, are of elements; it may be returned."""
        if count > self.limits.max_elements:
            return False
        is_returned = count <= self.limits.max_returned
        return all(
            (is_returned and isinstance(n, Return)) or self._is_plain(n, at) for n, at in self.uses.get(array, ())
        )

    def _is_plain(self, node: Node, at: int) -> bool:
        if not isinstance(node, Op) or at != 0:
            return False
        if node.op in READS or node.op in WRITES or node.op in (INDEX, SELECT_INDEX, CHECK_WRITABLE):
            return True
        if _dimension_is_known(node, "size.int"):
            return True
        if not _dimension_is_known(node, "select.int"):
            return False
        return all(self._is_plain(n, at) for n, at in self.uses.get(node.output, ()))


def _dimension_is_known(node: Op, name: str) -> bool:
    return node.op.name == name and _dimension(node) is not None


@dataclass(frozen=True, slots=True)
class _Place:
    """An array, or a row of one: the memory, where it begins there, its sizes and strides."""

    data: Value
    offset: Value | None
    sizes: tuple[int, ...]
    strides: tuple[int, ...]


@final
class _Replacing:
    """The walk that replaces arrays."""

    def __init__(self, chosen: dict[Value, tuple[int, ...]], context: PassContext) -> None:
        self.chosen = chosen
        self.table = context.table
        self.places: dict[Value, _Place] = {}

    def visit(self, node: Node, builder: Builder) -> Sequence[Value] | None:
        """For `rewrite`; places are found under what they replace."""
        if isinstance(node, Return) and node.inputs[0] in self.places:
            node.inputs[0] = self.array(node.inputs[0], builder)
        if not isinstance(node, Op) or not node.inputs:
            return None
        if node.output in self.chosen:
            return self.make(node, builder)
        place = self.places.get(node.inputs[0])
        if place is None:
            return None
        if node.op in READS:
            type = builder.const(_scalar(node.inputs[0]))
            offset = self.offset(place, node.inputs[1:], builder)
            return (builder.op(LOCAL_ELEMENT, place.data, type, offset, name=node.output.name),)
        if node.op in WRITES:
            offset = self.offset(place, node.inputs[2:], builder)
            return (builder.op(SET_LOCAL_ELEMENT, place.data, node.inputs[1], offset),)
        if node.op is CHECK_WRITABLE:
            return (builder.const(None),)
        dim = _dimension(node)
        assert dim is not None
        size = builder.const(place.sizes[dim])
        if node.op is INDEX:
            return (builder.op(INDEX_IN, node.inputs[2], size, node.inputs[1], name=node.output.name),)
        if node.op is SELECT_INDEX:
            return (builder.op(SELECT_IN, node.inputs[2], size, node.inputs[3], name=node.output.name),)
        if node.op.name == "size.int":
            return (size,)
        self.row(node, place, dim, builder)
        return node.outputs

    def make(self, node: Op, builder: Builder) -> Sequence[Value]:
        """The memory of an array."""
        shape = self.chosen[node.output]
        scalar = _scalar(node.output)
        type = builder.const(scalar)
        strides = tuple(prod(shape[i + 1 :]) for i in range(len(shape)))
        data = builder.op(LOCAL, builder.const(prod(shape)), type, name=node.output.name)
        self.places[node.output] = _Place(data, None, shape, strides)
        if node.op.name in ("ones", "full"):
            number = builder.const(1) if node.op.name == "ones" else node.inputs[1]
            value = builder.op(CONVERT, number, type)
            for i in range(prod(shape)):
                builder.op(SET_LOCAL_ELEMENT, data, value, builder.const(i))
        return node.outputs

    def row(self, node: Op, place: _Place, dim: int, builder: Builder) -> None:
        """A view at one index."""
        index = node.inputs[2]
        size = place.sizes[dim]
        if not isinstance(index.constant, int) or not 0 <= index.constant < size:
            check = INDEX_IN if isinstance(node.output.type, ArrayType) else SELECT_IN
            index = builder.op(check, index, builder.const(size), builder.const(dim))
        offset = self.plus(place.offset, index, place.strides[dim], builder)
        sizes = (*place.sizes[:dim], *place.sizes[dim + 1 :])
        self.places[node.output] = _Place(place.data, offset, sizes, (*place.strides[:dim], *place.strides[dim + 1 :]))

    def plus(self, offset: Value | None, index: Value, stride: int, builder: Builder) -> Value:
        step = index if stride == 1 else builder.op(machine.MUL, index, builder.const(stride))
        return step if offset is None else builder.op(machine.ADD, offset, step)

    def offset(self, place: _Place, positions: Sequence[Value], builder: Builder) -> Value:
        """Where an element is in the memory."""
        found = place.offset
        for position, stride in zip(positions, place.strides, strict=True):
            found = self.plus(found, position, stride, builder)
        return builder.const(0) if found is None else found

    def array(self, value: Value, builder: Builder) -> Value:
        """The array that a place becomes where it is returned."""
        place, scalar = self.places[value], _scalar(value)
        type = builder.const(scalar)
        made = builder.op(self.table["empty"], builder.const(place.sizes), builder.const(scalar.dtype), name=value.name)
        made.type = value.type
        for i in range(prod(place.sizes)):
            element = builder.op(LOCAL_ELEMENT, place.data, type, builder.const(i))
            positions = [
                builder.const(i // stride % size) for size, stride in zip(place.sizes, place.strides, strict=True)
            ]
            builder.op(SET_WRITABLE, made, element, *positions)
        return made


__all__ = ["SmallArrays"]
