"""Makes addresses of positions: what a header says is loaded once, where the array is made.

Before::

    %v: numpy.float64 = element_in(%x, %p, %q)

After, with the first three nodes behind the one that makes ``%x``::

    %data: Ptr[u8] = tensor.data(%x)
    %s: int = tensor.stride(%x, %zero)
    %t: int = tensor.stride(%x, %one)
    %a: int = machine.mul(%p, %s)
    %b: int = machine.mul(%q, %t)
    %offset: int = machine.add(%a, %b)
    %v: numpy.float64 = element_at(%x, %data, %offset)

A header never changes while its array lives, so a loop over elements does not touch it. The array stays an operand of
the access: it lives until then. ``size.int`` of a dimension that is known is the same load, without a call. The last
stride of arrays that a constructor made is 1, and so it is where a test before a loop says so (`loop_versions`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, final

from tscript.definitions.array_errors import ASSIGNMENT_READ_ONLY
from tscript.dialect import machine
from tscript.ir.builder import Builder
from tscript.ir.graph import Block, Graph, Node, Op, Program, Value, walk
from tscript.ir.rewrite import rewrite
from tscript.late import dataclass
from tscript.operators.python.elements import (
    CHECK_WRITABLE,
    DATA,
    ELEMENT_AT,
    ELEMENT_DENSE,
    ELEMENT_IN,
    INDEX,
    INDEX_IN,
    READONLY,
    SELECT_IN,
    SELECT_INDEX,
    SET_DENSE,
    SET_ELEMENT_AT,
    SET_ELEMENT_IN,
    SET_WRITABLE,
    SIZE_OF,
    STRIDE,
    WRITABLE,
)
from tscript.passes.base import Pass, PassContext
from tscript.passes.index_checks import is_dense
from tscript.types import ArrayType, TensorType


@dataclass(frozen=True, slots=True)
class AddressElements(Pass):
    """Computes addresses of elements."""

    name: ClassVar[str] = "address_elements"

    def run_graph(self, graph: Graph, program: Program, context: PassContext) -> bool:
        """Collect the arrays, load what their headers say, then rewrite the accesses."""
        accesses = (*READS, *WRITES, INDEX, SELECT_INDEX, CHECK_WRITABLE)
        used: dict[Value, None] = {}
        sizes = False
        for node in walk(graph.body):
            if isinstance(node, Op):
                if node.op in accesses:
                    used[node.inputs[0]] = None
                sizes = sizes or _dimension(node) is not None
        if not used and not sizes:
            return False
        written = {
            n.inputs[0] for n in walk(graph.body) if isinstance(n, Op) and n.op in (SET_ELEMENT_IN, CHECK_WRITABLE)
        }
        headers = _Headers(graph, used, written)
        return rewrite(graph.body, headers.visit)


READS = (ELEMENT_IN, ELEMENT_DENSE)
WRITES = (SET_ELEMENT_IN, SET_DENSE, SET_WRITABLE)


def _dimension(node: Op) -> int | None:
    """The dimension whose size is read, if it is known to be there."""
    if node.op.name != "size.int":
        return None
    found, dim = node.inputs[0].type, node.inputs[1].constant
    if not isinstance(found, TensorType) or not found.is_known or not isinstance(dim, int):
        return None
    rank = found.rank or 0
    return dim % rank if -rank <= dim < rank else None


@dataclass(frozen=True, slots=True)
class _Header:
    """What is loaded of a header."""

    data: Value
    sizes: list[Value]
    strides: list[Value]
    writable: Value | None


@final
class _Headers:
    """The headers of the arrays of one graph."""

    def __init__(self, graph: Graph, used: dict[Value, None], written: set[Value]) -> None:
        self.loaded: dict[Value, _Header] = {}
        self.used = used
        self.written = written
        self.block(graph.body)

    def block(self, block: Block) -> None:
        """Insert the loads of a block and those in it."""
        out: list[Node] = []
        for value in block.params:
            if value in self.used:
                self.load(value, out)
        for node in block.nodes:
            out.append(node)
            for inner in node.blocks:
                self.block(inner)
            for value in node.outputs:
                if value in self.used:
                    self.load(value, out)
        block.nodes = out

    def load(self, array: Value, out: list[Node]) -> None:
        assert isinstance(array.type, TensorType) and array.type.rank is not None
        block = Block()
        builder = Builder(block)
        dims = [builder.const(dim) for dim in range(array.type.rank)]
        self.loaded[array] = header = _Header(
            builder.op(DATA, array),
            [builder.op(SIZE_OF, array, dim) for dim in dims],
            [builder.op(STRIDE, array, dim) for dim in dims],
            builder.op(WRITABLE, array) if array in self.written else None,
        )
        if header.strides and is_dense(array):
            header.strides[-1] = builder.const(1)
        out += block.nodes

    def visit(self, node: Node, builder: Builder) -> Sequence[Value] | None:
        """For `rewrite`."""
        if not isinstance(node, Op):
            return None
        dimension = _dimension(node)
        if dimension is not None:
            header = self.loaded.get(node.inputs[0])
            if header is not None:
                return (header.sizes[dimension],)
            at = builder.const(dimension, span=node.span)
            return (builder.op(SIZE_OF, node.inputs[0], at, span=node.span, name=node.output.name),)
        if node.op is INDEX:
            array, dim, index = node.inputs
            assert isinstance(dim.constant, int)
            size = self.loaded[array].sizes[dim.constant]
            return (builder.op(INDEX_IN, index, size, dim, span=node.span, name=node.output.name),)
        if node.op is SELECT_INDEX:
            array, dim, index, shown = node.inputs
            assert isinstance(dim.constant, int)
            size = self.loaded[array].sizes[dim.constant]
            checked = INDEX_IN if isinstance(array.type, ArrayType) else SELECT_IN
            return (builder.op(checked, index, size, shown, span=node.span, name=node.output.name),)
        if node.op is CHECK_WRITABLE:
            array = node.inputs[0]
            said = (
                ("ValueError", ASSIGNMENT_READ_ONLY)
                if isinstance(array.type, ArrayType)
                else ("RuntimeError", READONLY)
            )
            self.check(array, *said, builder)
            return (builder.const(None),)
        if node.op in READS:
            array, *positions = node.inputs
            data, offset = self.place(array, positions, builder, dense=node.op is ELEMENT_DENSE)
            return (builder.op(ELEMENT_AT, array, data, offset, span=node.span, name=node.output.name),)
        if node.op in WRITES:
            array, value, *positions = node.inputs
            if node.op is SET_ELEMENT_IN and isinstance(array.type, ArrayType) and not is_dense(array):
                self.check(array, "ValueError", ASSIGNMENT_READ_ONLY, builder)
            data, offset = self.place(array, positions, builder, dense=node.op is SET_DENSE)
            return (builder.op(SET_ELEMENT_AT, array, value, data, offset, span=node.span),)
        return None

    def check(self, array: Value, exception: str, message: str, builder: Builder) -> None:
        """Refuse to write to memory that is read-only."""
        writable = self.loaded[array].writable
        assert writable is not None
        with builder.if_(writable) as branch:
            with branch.then:
                builder.yield_()
            with branch.orelse:
                builder.raise_(exception, message)

    def place(self, array: Value, positions: Sequence[Value], builder: Builder, *, dense: bool) -> tuple[Value, Value]:
        """The address of an array, and the offset of an element; `dense` if the last stride is 1."""
        header = self.loaded[array]
        offset: Value | None = None
        strides = [*header.strides[:-1], builder.const(1)] if dense else header.strides
        for position, stride in zip(positions, strides, strict=True):
            step = builder.op(machine.MUL, position, stride)
            offset = step if offset is None else builder.op(machine.ADD, offset, step)
        return header.data, builder.const(0) if offset is None else offset
