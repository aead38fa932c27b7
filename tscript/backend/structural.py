"""Operators without code of their own: making tuples and taking them apart, lengths, sizes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import TYPE_CHECKING

from tscript.abi.layout import TENSOR_STRUCT
from tscript.backend import classes, containers, native
from tscript.backend.machine import llvm_type
from tscript.backend.values import leaves
from tscript.dialect import machine
from tscript.ir.graph import Op
from tscript.operators.core.opdef import OpDef
from tscript.operators.python import classes as class_ops
from tscript.operators.python import conversions, displays, exceptions, references
from tscript.types import SizeType, TupleType

if TYPE_CHECKING:
    from tscript.backend.function import FunctionEmitter

StructuralEmitter = Callable[["FunctionEmitter", Op], None]


def make(f: FunctionEmitter, node: Op) -> None:
    """A tuple of values."""
    f.env[node.outputs[0]] = tuple(o for v in node.inputs for o in f.operands(v))


def get(f: FunctionEmitter, node: Op) -> None:
    """An element of a tuple by a constant index."""
    source, index = node.inputs[0], node.inputs[1].constant
    assert isinstance(source.type, TupleType) and isinstance(index, int)
    elements = source.type.elements
    index %= len(elements)
    at = sum(len(leaves(t)) for t in elements[:index])
    f.env[node.outputs[0]] = f.operands(source)[at : at + len(leaves(elements[index]))]


def get_item(f: FunctionEmitter, node: Op) -> None:
    """An element of a tuple by any index; elements differ in type only where it is a constant."""
    source, index = node.inputs
    if isinstance(index.constant, int):
        get(f, node)
        return
    assert isinstance(source.type, TupleType)
    text, count = f.text, len(source.type.elements)
    operands = f.operands(source)
    at = containers.within(f, node, f.operand(index), str(count), "tuple index out of range")
    native = [llvm_type(leaf) for leaf in leaves(node.outputs[0].type)]
    found = list(operands[: len(native)])
    for element in range(1, count):
        here = text.let(f"icmp eq i64 {at}, {element}")
        given = operands[element * len(native) :]
        found = [text.let(f"select i1 {here}, {t} {g}, {t} {o}") for t, g, o in zip(native, given, found, strict=False)]
    f.env[node.outputs[0]] = tuple(found)


def get_size(f: FunctionEmitter, node: Op) -> None:
    """An element of a Size."""
    text, size = f.text, f.operand(node.inputs[0])
    at = containers.within(f, node, f.operand(node.inputs[1]), _length(f, size), "tuple index out of range")
    cell = text.let(f"getelementptr i64, ptr {f.tensor_field(size, 'data', 'ptr')}, i64 {at}")
    f.env[node.outputs[0]] = (text.let(f"load i64, ptr {cell}"),)


def length(f: FunctionEmitter, node: Op) -> None:
    """The length of a tuple or a Size."""
    source = node.inputs[0]
    if isinstance(source.type, SizeType):
        f.env[node.outputs[0]] = (_length(f, f.operand(source)),)
    else:
        assert isinstance(source.type, TupleType)
        f.env[node.outputs[0]] = (str(len(source.type.elements)),)


def retain(f: FunctionEmitter, node: Op) -> None:
    """One more reference, which the current block owns."""
    value = node.inputs[0]
    if not f.text.terminated:
        operands = f.operands(value)
        f.retain_all(operands, value.type)
        f.own(operands, leaves(value.type))
    f.env[node.output] = ()


def release(f: FunctionEmitter, node: Op) -> None:
    """What the current block still owns of a value ends."""
    if not f.text.terminated:
        f.drop(node.inputs[0])
    f.env[node.output] = ()


def _length(f: FunctionEmitter, size: str) -> str:
    cell = f.text.let(f"getelementptr i8, ptr {size}, i64 {TENSOR_STRUCT.offsets['numel']}")
    return f.text.let(f"load i64, ptr {cell}")


@cache
def emitters() -> Mapping[OpDef, StructuralEmitter]:
    """What writes each structural operator; those that are missing run dynamically."""
    from tscript.operators.table import TABLE

    return {
        machine.TUPLE_MAKE: make,
        machine.TUPLE_GET: get,
        TABLE["getitem.tuple"]: get_item,
        TABLE["getitem.Size"]: get_size,
        TABLE["len.tuple"]: length,
        conversions.UPCAST: native.upcast,
        conversions.DOWNCAST: native.downcast,
        conversions.UNBOX: native.unbox,
        conversions.IS_NONE: native.is_none,
        class_ops.NAMED_MAKE: classes.named,
        class_ops.ENUM_INDEX: classes.enum_index,
        class_ops.ENUM_MEMBER: classes.enum_member,
        class_ops.IS_SAME: classes.is_same,
    }


@cache
def makers() -> Mapping[OpDef, StructuralEmitter]:
    """What writes the operators whose results own what they refer to, and those that refer to nothing."""
    return {
        conversions.BOX: native.box,
        conversions.IS_INSTANCE: native.is_instance,
        exceptions.NEW: native.new_exception,
        exceptions.CHAIN: native.chain_exception,
        displays.LIST_MAKE: containers.make_list,
        displays.DICT_MAKE: containers.make_dict,
        displays.SET_MAKE: containers.make_set,
        class_ops.OBJECT_NEW: classes.new,
        references.RETAIN: retain,
        references.RELEASE: release,
    }
