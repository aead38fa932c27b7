"""Elements of arrays: loads and stores at computed addresses, checks of indices, NumPy scalars in registers."""

from __future__ import annotations

from tscript.abi.layout import STORAGE, STORAGE_READONLY, TENSOR_STRUCT
from tscript.backend.llvm.text import LIKELY
from tscript.backend.llvm.types import memory_type
from tscript.backend.nodes.containers import NOT_NEGATIVE
from tscript.backend.nodes.failing import raise_error
from tscript.backend.nodes.function import FunctionEmitter, OpEmitter
from tscript.backend.nodes.values import tensor_field
from tscript.ir.graph import Op
from tscript.operators.python import elements
from tscript.types import BOOL, ScalarType, TensorType, Type, machine_type

ELEMENT = ", !tbaa !9"
"""Alias metadata of loads and stores of elements: no header, list or dict is in this memory."""


def _data(f: FunctionEmitter, node: Op) -> None:
    f.env[node.output] = (tensor_field(f, f.operand(node.inputs[0]), "data", "ptr"),)


def _row(f: FunctionEmitter, node: Op, before: int, also: str = "") -> None:
    """Load a number of the rows behind a header, `before` of which are before it; `also` is metadata."""
    dim = node.inputs[1].constant
    assert isinstance(dim, int)
    text, array = f.text, f.operand(node.inputs[0])
    cell = text.let(f"getelementptr i8, ptr {array}, i64 {TENSOR_STRUCT.size + 8 * (before + dim)}")
    f.env[node.output] = (text.let(f"load i64, ptr {cell}{also}"),)


def _size(f: FunctionEmitter, node: Op) -> None:
    f.module.names_memory = True
    _row(f, node, 0, NOT_NEGATIVE)


def _stride(f: FunctionEmitter, node: Op) -> None:
    found = node.inputs[0].type
    assert isinstance(found, TensorType) and found.rank is not None
    _row(f, node, found.rank)


def _writable(f: FunctionEmitter, node: Op) -> None:
    text = f.text
    storage = tensor_field(f, f.operand(node.inputs[0]), "storage", "ptr")
    address = text.let(f"getelementptr i8, ptr {storage}, i64 {STORAGE.offsets['flags']}")
    readonly = text.let(f"and i64 {text.let(f'load i64, ptr {address}')}, {STORAGE_READONLY}")
    f.env[node.output] = (text.let(f"icmp eq i64 {readonly}, 0"),)


def _index(f: FunctionEmitter, node: Op) -> None:
    """An index as a position; raises outside of the dimension."""
    text = f.text
    index, size, dim = (f.operand(v) for v in node.inputs)
    bad, good, back = text.fresh_label("outside"), text.fresh_label("inside"), text.fresh_label("back")
    front = text.block
    text.terminate(f"br i1 {text.let(f'icmp ult i64 {index}, {size}')}, label %{good}, label %{back}{LIKELY}")
    text.label(back)
    wrapped = text.let(f"add i64 {index}, {size}")  # no less than the size unless the index is negative
    inside = text.let(f"icmp ult i64 {wrapped}, {size}")
    text.terminate(f"br i1 {inside}, label %{good}, label %{bad}{LIKELY}")
    text.label(bad)
    what = "axis" if node.op is elements.INDEX_IN else "dimension"
    message = f"index {{0}} is out of bounds for {what} {{1}} with size {{2}}"
    raise_error(f, node.span, "IndexError", message, [(index, 0), (dim, 0), (size, 0)])
    text.label(good)
    f.env[node.output] = (text.let(f"phi i64 [ {index}, %{front} ], [ {wrapped}, %{back} ]", "at"),)


def _address(f: FunctionEmitter, node: Op, at: int) -> tuple[str, Type]:
    """The address of an element, and its type."""
    array = node.inputs[0].type
    assert isinstance(array, TensorType) and array.dtype is not None
    element = machine_type(array.dtype)
    data, offset = f.operand(node.inputs[at]), f.operand(node.inputs[at + 1])
    f.module.names_memory = True
    return f.text.let(f"getelementptr inbounds {memory_type(element)}, ptr {data}, i64 {offset}"), element


def _element(f: FunctionEmitter, node: Op) -> None:
    address, element = _address(f, node, 1)
    found = f.text.let(f"load {memory_type(element)}, ptr {address}{ELEMENT}")
    if element == BOOL:
        found = f.text.let(f"icmp ne i8 {found}, 0")
    f.env[node.output] = (found,)


def _set_element(f: FunctionEmitter, node: Op) -> None:
    address, element = _address(f, node, 2)
    value = f.operand(node.inputs[1])
    if element == BOOL:
        value = f.text.let(f"zext i1 {value} to i8")
    f.text.line(f"store {memory_type(element)} {value}, ptr {address}{ELEMENT}")
    f.env[node.output] = ()


def _local(f: FunctionEmitter, node: Op) -> None:
    """Memory in the frame, of zeros each time."""
    count, type = (v.constant for v in node.inputs)
    assert isinstance(count, int) and isinstance(type, ScalarType)
    element = memory_type(machine_type(type.dtype))
    f.module.names_memory = True
    found = f.text.alloca(f"[{count} x {element}], align 16", "local")
    f.text.line(f"store [{count} x {element}] zeroinitializer, ptr {found}, align 16{ELEMENT}")
    f.env[node.output] = (found,)


def _local_address(f: FunctionEmitter, type: Type, data: str, offset: str) -> tuple[str, Type]:
    assert isinstance(type, ScalarType)
    element = machine_type(type.dtype)
    f.module.names_memory = True
    return f.text.let(f"getelementptr inbounds {memory_type(element)}, ptr {data}, i64 {offset}"), element


def _local_element(f: FunctionEmitter, node: Op) -> None:
    data, _, offset = node.inputs
    address, element = _local_address(f, node.output.type, f.operand(data), f.operand(offset))
    found = f.text.let(f"load {memory_type(element)}, ptr {address}{ELEMENT}")
    if element == BOOL:
        found = f.text.let(f"icmp ne i8 {found}, 0")
    f.env[node.output] = (found,)


def _set_local_element(f: FunctionEmitter, node: Op) -> None:
    data, value, offset = node.inputs
    address, element = _local_address(f, value.type, f.operand(data), f.operand(offset))
    stored = f.operand(value)
    if element == BOOL:
        stored = f.text.let(f"zext i1 {stored} to i8")
    f.text.line(f"store {memory_type(element)} {stored}, ptr {address}{ELEMENT}")
    f.env[node.output] = ()


def _same(f: FunctionEmitter, node: Op) -> None:
    """The same register under another type."""
    f.env[node.output] = f.operands(node.inputs[0])


MAKERS: dict[str, OpEmitter] = {
    elements.DATA.name: _data,
    elements.SIZE_OF.name: _size,
    elements.STRIDE.name: _stride,
    elements.WRITABLE.name: _writable,
    elements.INDEX_IN.name: _index,
    elements.SELECT_IN.name: _index,
    elements.ELEMENT_AT.name: _element,
    elements.SET_ELEMENT_AT.name: _set_element,
    elements.LOCAL.name: _local,
    elements.LOCAL_ELEMENT.name: _local_element,
    elements.SET_LOCAL_ELEMENT.name: _set_local_element,
    elements.MACHINE_OF.name: _same,
    elements.SCALAR_OF.name: _same,
}
"""What writes the operators; their results own nothing."""
