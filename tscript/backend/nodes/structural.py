"""Operators without code of their own: making and unpacking tuples, lengths, sizes."""

from __future__ import annotations

from tscript.abi.layout import TENSOR_STRUCT
from tscript.abi.leaves import leaves
from tscript.backend.llvm.types import llvm_type
from tscript.backend.nodes import containers
from tscript.backend.nodes.dispatch import emit_dispatch
from tscript.backend.nodes.function import FunctionEmitter, OpEmitter
from tscript.backend.nodes.references import drop, retain_all
from tscript.backend.nodes.values import tensor_field
from tscript.dialect import machine
from tscript.ir.graph import Op
from tscript.operators.python import references
from tscript.types import SizeType, TupleType


def emit_structural(f: FunctionEmitter, node: Op) -> None:
    """An operator without code of its own; one without an emitter here runs dynamically."""
    f.emitters.structural.get(node.op, emit_dispatch)(f, node)


def _make(f: FunctionEmitter, node: Op) -> None:
    """A tuple of values."""
    f.env[node.outputs[0]] = tuple(o for v in node.inputs for o in f.operands(v))


def _get(f: FunctionEmitter, node: Op) -> None:
    """An element of a tuple by a constant index."""
    source, index = node.inputs[0], node.inputs[1].constant
    assert isinstance(source.type, TupleType) and isinstance(index, int)
    elements = source.type.elements
    index %= len(elements)
    at = sum(len(leaves(t)) for t in elements[:index])
    f.env[node.outputs[0]] = f.operands(source)[at : at + len(leaves(elements[index]))]


def _get_item(f: FunctionEmitter, node: Op) -> None:
    """An element of a tuple by any index; elements differ in type only where it is a constant."""
    source, index = node.inputs
    if isinstance(index.constant, int):
        _get(f, node)
        return
    assert isinstance(source.type, TupleType)
    text, count = f.text, len(source.type.elements)
    operands = f.operands(source)
    at = containers.within(f, node, f.operand(index), str(count), "tuple index out of range")
    native = [llvm_type(leaf) for leaf in leaves(node.outputs[0].type)]
    found = list(operands[: len(native)]) or ["poison"] * len(native)  # of no elements, `within` has raised
    for element in range(1, count):
        here = text.let(f"icmp eq i64 {at}, {element}")
        given = operands[element * len(native) :]
        found = [text.let(f"select i1 {here}, {t} {g}, {t} {o}") for t, g, o in zip(native, given, found, strict=False)]
    f.env[node.outputs[0]] = tuple(found)


def _get_size(f: FunctionEmitter, node: Op) -> None:
    """An element of a Size."""
    text, size = f.text, f.operand(node.inputs[0])
    at = containers.within(f, node, f.operand(node.inputs[1]), _size_length(f, size), "tuple index out of range")
    cell = text.let(f"getelementptr i64, ptr {tensor_field(f, size, 'data', 'ptr')}, i64 {at}")
    f.env[node.outputs[0]] = (text.let(f"load i64, ptr {cell}"),)


def _length(f: FunctionEmitter, node: Op) -> None:
    """The length of a tuple or a Size."""
    source = node.inputs[0]
    if isinstance(source.type, SizeType):
        f.env[node.outputs[0]] = (_size_length(f, f.operand(source)),)
    else:
        assert isinstance(source.type, TupleType)
        f.env[node.outputs[0]] = (str(len(source.type.elements)),)


def _retain(f: FunctionEmitter, node: Op) -> None:
    """One more reference, which the current block owns."""
    value = node.inputs[0]
    if not f.text.terminated:
        operands = f.operands(value)
        retain_all(f, operands, value.type)
        f.own(operands, leaves(value.type))
    f.env[node.output] = ()


def _release(f: FunctionEmitter, node: Op) -> None:
    """Release the references of a value that the current block still owns."""
    if not f.text.terminated:
        drop(f, node.inputs[0])
    f.env[node.output] = ()


def _size_length(f: FunctionEmitter, size: str) -> str:
    cell = f.text.let(f"getelementptr i8, ptr {size}, i64 {TENSOR_STRUCT.offsets['numel']}")
    return f.text.let(f"load i64, ptr {cell}")


VIEWS: dict[str, OpEmitter] = {
    machine.TUPLE_MAKE.name: _make,
    machine.TUPLE_GET.name: _get,
    "getitem.tuple": _get_item,
    "getitem.Size": _get_size,
    "len.tuple": _length,
}
"""What writes operators whose results refer to what their arguments own."""

MAKERS: dict[str, OpEmitter] = {
    references.RETAIN.name: _retain,
    references.RELEASE.name: _release,
}
"""What writes operators whose results own what they refer to, or refer to nothing."""
