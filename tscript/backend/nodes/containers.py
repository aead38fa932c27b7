"""The most frequent operations of lists, dicts and strings, emitted inline instead of as calls of the native library.

Loads and stores have type-based alias metadata: elements and headers never alias, so LLVM keeps the length and the
address of the elements of a list in registers while a loop writes to it.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence

from tscript.abi import symbols
from tscript.abi.cells import cells_of, itemsize_of
from tscript.abi.fields import Struct
from tscript.abi.layout import DELETED, DICT_STRUCT, LIST_STRUCT, STR_STRUCT
from tscript.backend.llvm.text import LIKELY, UNLIKELY, Text
from tscript.backend.nodes.cells import (
    cells,
    element_address,
    element_memory,
    load_cells,
    load_element,
    store_element,
)
from tscript.backend.nodes.failing import call_symbol, raise_error
from tscript.backend.nodes.function import FunctionEmitter, InPlaceEmitter, OpEmitter
from tscript.backend.nodes.phis import merge_edges
from tscript.backend.nodes.references import release_all, retain_all
from tscript.backend.nodes.values import coerce
from tscript.ir.graph import Op, Value
from tscript.operators.python import container_literals
from tscript.operators.python.unchecked import CODE_IN, ITEM_IN, SET_ITEM_IN
from tscript.types import BOOL, FLOAT, INT, DictType, ListType, SetType, Type

HEADER = ", !tbaa !3"
"""Alias metadata of loads and stores of header fields."""

NOT_NEGATIVE = ", !range !5"

METADATA = (
    '!0 = !{!"tscript"}',
    '!1 = !{!"header", !0, i64 0}',
    '!2 = !{!"cells", !0, i64 0}',
    "!3 = !{!1, !1, i64 0}",
    "!4 = !{!2, !2, i64 0}",
    "!5 = !{i64 0, i64 9223372036854775807}",
    '!8 = !{!"elements", !0, i64 0}',
    "!9 = !{!8, !8, i64 0}",
)
"""The alias metadata of a module."""


def field(f: FunctionEmitter, object: str, struct: Struct, name: str, native: str = "i64") -> str:
    """Load a field of a header."""
    text = f.text
    address = text.let(f"getelementptr i8, ptr {object}, i64 {struct.offsets[name]}")
    known = NOT_NEGATIVE if native == "i64" else ""
    f.module.names_memory = True
    return text.let(f"load {native}, ptr {address}{HEADER}{known}", name)


def set_field(f: FunctionEmitter, object: str, struct: Struct, name: str, value: str) -> None:
    """Store an i64 field of a header."""
    text = f.text
    address = text.let(f"getelementptr i8, ptr {object}, i64 {struct.offsets[name]}")
    text.line(f"store i64 {value}, ptr {address}{HEADER}")
    f.module.names_memory = True


def _length(struct: Struct) -> InPlaceEmitter:
    def emit(f: FunctionEmitter, node: Op) -> bool:
        f.env[node.output] = (field(f, f.operand(node.inputs[0]), struct, "length"),)
        return True

    return emit


def _place(f: FunctionEmitter, node: Op, message: str) -> tuple[str, Type]:
    """Address of an element, and its type; raises outside the bounds unless there is no `message`."""
    container = node.inputs[0].type
    assert isinstance(container, ListType)
    items, at = f.operand(node.inputs[0]), f.operand(node.inputs[1])
    if message:
        at = within(f, node, at, field(f, items, LIST_STRUCT, "length"), message)
    data = field(f, items, LIST_STRUCT, "data", "ptr")
    return element_address(f, data, at, container.element), container.element


def _get_item(f: FunctionEmitter, node: Op) -> bool:
    container = node.inputs[0].type
    what = "tuple" if isinstance(container, ListType) and container.frozen else "list"
    address, element = _place(f, node, "" if node.op is ITEM_IN else f"{what} index out of range")
    f.env[node.output] = load_element(f, address, element, element_memory(container), is_set=True)
    return True


def within(f: FunctionEmitter, node: Op, index: str, length: str, message: str) -> str:
    """An index, which may count from the end, as a position; raises outside the bounds."""
    text = f.text
    negative = text.let(f"icmp slt i64 {index}, 0")
    wrapped = text.let(f"add i64 {index}, {length}")
    at = text.let(f"select i1 {negative}, i64 {wrapped}, i64 {index}", "at")
    outside = text.let(f"icmp uge i64 {at}, {length}")
    bad, good = text.fresh_label("outside"), text.fresh_label("inside")
    text.terminate(f"br i1 {outside}, label %{bad}, label %{good}{UNLIKELY}")
    text.label(bad)
    raise_error(f, node.span, "IndexError", message)
    text.label(good)
    return at


def _set_item(f: FunctionEmitter, node: Op) -> bool:
    address, element = _place(f, node, "" if node.op is SET_ITEM_IN else "list assignment index out of range")
    operands, memory = f.operands(node.inputs[2]), element_memory(node.inputs[0].type)
    retain_all(f, operands, element)
    before = load_element(f, address, element, memory)
    store_element(f, address, operands, element, memory)
    release_all(f, before, element)
    f.env[node.output] = ()
    return True


def _append(f: FunctionEmitter, node: Op) -> bool:
    text, container = f.text, node.inputs[0].type
    assert isinstance(container, ListType)
    items = f.operand(node.inputs[0])
    length = field(f, items, LIST_STRUCT, "length")
    full = text.let(f"icmp eq i64 {length}, {field(f, items, LIST_STRUCT, 'capacity')}")
    grow, store = text.fresh_label("grow"), text.fresh_label("append")
    text.terminate(f"br i1 {full}, label %{grow}, label %{store}{UNLIKELY}")
    text.label(grow)
    call_symbol(f, symbols.kernel_symbol("list_grow"), [f"ptr {items}"], (), node.span)
    text.branch(store)
    text.label(store)
    data = field(f, items, LIST_STRUCT, "data", "ptr")
    address = element_address(f, data, length, container.element)
    operands = f.operands(node.inputs[1])
    retain_all(f, operands, container.element)
    store_element(f, address, operands, container.element, element_memory(container))
    set_field(f, items, LIST_STRUCT, "length", text.let(f"add nsw i64 {length}, 1"))
    f.env[node.output] = ()
    return True


def _has_item(f: FunctionEmitter, node: Op) -> bool:
    length = field(f, f.operand(node.inputs[0]), LIST_STRUCT, "length")
    f.env[node.output] = (f.text.let(f"icmp ult i64 {f.operand(node.inputs[1])}, {length}"),)
    return True


def _entry(value: bool) -> InPlaceEmitter:
    def emit(f: FunctionEmitter, node: Op) -> bool:
        text, container = f.text, node.inputs[0].type
        items, number = f.operand(node.inputs[0]), f.operand(node.inputs[1])
        width = cells_of(container.key if isinstance(container, DictType) else node.output.type)
        used = field(f, items, DICT_STRUCT, "used")
        inside, there, gone = text.fresh_label("inside"), text.fresh_label("there"), text.fresh_label("gone")
        known = text.let(f"icmp ult i64 {number}, {used}")
        text.terminate(f"br i1 {known}, label %{inside}, label %{gone}{LIKELY}")
        text.label(inside)
        stride = 1 + width + (cells_of(container.value) if isinstance(container, DictType) else 0)
        entries = field(f, items, DICT_STRUCT, "entries", "ptr")
        offset = text.let(f"mul nsw i64 {number}, {stride}")
        entry = text.let(f"getelementptr i64, ptr {entries}, i64 {offset}")
        deleted = text.let(f"icmp eq i64 {text.let(f'load i64, ptr {entry}')}, {DELETED}")
        text.terminate(f"br i1 {deleted}, label %{gone}, label %{there}{UNLIKELY}")
        text.label(gone)
        raise_error(f, node.span, "RuntimeError", "the entry is gone")
        text.label(there)
        cell = text.let(f"getelementptr i64, ptr {entry}, i64 {1 + (width if value else 0)}")
        f.env[node.output] = load_cells(f, cell, node.output.type)
        return True

    return emit


def _code_at(f: FunctionEmitter, node: Op) -> bool:
    """The code point of a character: a byte of most strings."""
    text = f.text
    self, at = f.operand(node.inputs[0]), f.operand(node.inputs[1])
    if node.op is not CODE_IN:
        at = within(f, node, at, field(f, self, STR_STRUCT, "length"), "string index out of range")
    width = field(f, self, STR_STRUCT, "width", "i32")
    narrow, wide, known = text.fresh_label("narrow"), text.fresh_label("wide"), text.fresh_label("code")
    text.terminate(f"br i1 {text.let(f'icmp eq i32 {width}, 1')}, label %{narrow}, label %{wide}{LIKELY}")
    text.label(narrow)
    first = text.let(f"getelementptr i8, ptr {self}, i64 {STR_STRUCT.size}")
    byte = text.let(f"load i8, ptr {text.let(f'getelementptr i8, ptr {first}, i64 {at}')}")
    found = [(text.let(f"zext i8 {byte} to i64"), narrow)]
    text.branch(known)
    text.label(wide)
    (code,) = call_symbol(f, symbols.kernel_symbol("str_code_at"), [f"ptr {self}", f"i64 {at}"], (INT,), node.span)
    found.append((code, text.block))
    text.branch(known)
    text.label(known)
    f.env[node.output] = (merge_edges(f.text, "i64", found),)
    return True


def _question(symbol: str, ascii: Callable[[Text, str], str]) -> InPlaceEmitter:
    """A test of a code point, inline for ASCII."""

    def emit(f: FunctionEmitter, node: Op) -> bool:
        text, code = f.text, f.operand(node.inputs[0])
        short, other, known = text.fresh_label("ascii"), text.fresh_label("other"), text.fresh_label("known")
        text.terminate(f"br i1 {text.let(f'icmp ult i64 {code}, 128')}, label %{short}, label %{other}{LIKELY}")
        text.label(short)
        found = [(ascii(text, code), short)]
        text.branch(known)
        text.label(other)
        (answer,) = call_symbol(f, symbols.kernel_symbol(symbol), [f"i64 {code}"], (BOOL,), node.span)
        found.append((answer, text.block))
        text.branch(known)
        text.label(known)
        f.env[node.output] = (merge_edges(f.text, "i1", found),)
        return True

    return emit


def _is_digit(text: Text, code: str) -> str:
    return text.let(f"icmp ult i64 {text.let(f'sub i64 {code}, 48')}, 10")


def _is_letter(text: Text, code: str) -> str:
    small = text.let(f"or i64 {code}, 32")
    return text.let(f"icmp ult i64 {text.let(f'sub i64 {small}, 97')}, 26")


def _is_either(text: Text, code: str) -> str:
    return text.let(f"or i1 {_is_digit(text, code)}, {_is_letter(text, code)}")


WHITE = sum(1 << c for c in b"\t\n\v\f\r\x1c\x1d\x1e\x1f ")
"""The white space of ASCII as a set of bits."""


def _is_white(text: Text, code: str) -> str:
    shifted = text.let(f"lshr i64 {WHITE}, {text.let(f'and i64 {code}, 63')}")
    return text.let(f"and i1 {text.let(f'trunc i64 {shifted} to i1')}, {text.let(f'icmp ult i64 {code}, 33')}")


IN_PLACE: dict[str, InPlaceEmitter] = {
    "len.str": _length(STR_STRUCT),
    "len.bytes": _length(STR_STRUCT),
    "len.list": _length(LIST_STRUCT),
    "len.dict": _length(DICT_STRUCT),
    "len.set": _length(DICT_STRUCT),
    "getitem.list": _get_item,
    "setitem.list": _set_item,
    "append.list": _append,
    "code_at.str": _code_at,
    ITEM_IN.name: _get_item,
    SET_ITEM_IN.name: _set_item,
    CODE_IN.name: _code_at,
    "isalnum.code": _question("code_isalnum", _is_either),
    "isalpha.code": _question("code_isalpha", _is_letter),
    "isdigit.code": _question("code_isdigit", _is_digit),
    "isspace.code": _question("code_isspace", _is_white),
    "has_item.list": _has_item,
    "entry_key.dict": _entry(False),
    "entry_key.set": _entry(False),
    "entry_value.dict": _entry(True),
}
"""The emitters of inline operators."""


LONG_LITERAL = 16
"""A list of this many constants is copied from a table, because LLVM takes quadratic time for long sequences of
stores."""


def constant_row(elements: Sequence[Value], type: Type) -> bytes | None:
    """The memory of elements that are all constant numbers of `type`; None when they are not."""
    if type not in (INT, FLOAT, BOOL):
        return None
    numbers = [value.constant for value in elements]
    if any(value.type != type or not isinstance(n, int | float) for value, n in zip(elements, numbers, strict=True)):
        return None
    return struct.pack(f"<{len(numbers)}{'d' if type == FLOAT else '?' if itemsize_of(type) == 1 else 'q'}", *numbers)


def _make_list(f: FunctionEmitter, node: Op) -> None:
    """A list of given elements."""
    text, type = f.text, node.output.type
    assert isinstance(type, ListType)
    elements = node.inputs[1:]
    args = [f"ptr {f.declare_type(type)}", f"i64 {len(elements)}"]
    (items,) = call_symbol(f, symbols.kernel_symbol("list_new"), args, (type,), node.span)
    f.env[node.output] = (items,)
    if not elements:
        return
    data = field(f, items, LIST_STRUCT, "data", "ptr")
    row = constant_row(elements, type.element) if len(elements) >= LONG_LITERAL else None
    if row is not None:
        text.declare_function("llvm.memcpy.p0.p0.i64", "void", ["ptr", "ptr", "i64", "i1"])
        table = f.module.constants.data(row)
        text.line(f"call void @llvm.memcpy.p0.p0.i64(ptr {data}, ptr {table}, i64 {len(row)}, i1 false)")
        set_field(f, items, LIST_STRUCT, "length", str(len(elements)))
        return
    for i, value in enumerate(elements):
        address = element_address(f, data, str(i), type.element)
        operands = coerce(f, value, type.element)
        retain_all(f, operands, type.element)
        store_element(f, address, operands, type.element)
    set_field(f, items, LIST_STRUCT, "length", str(len(elements)))


def _make_dict(f: FunctionEmitter, node: Op) -> None:
    """A dict of given keys and values."""
    type = node.output.type
    assert isinstance(type, DictType)
    (made,) = call_symbol(f, symbols.kernel_symbol("dict_new"), [f"ptr {f.declare_type(type)}"], (type,), node.span)
    f.env[node.output] = (made,)
    for key, value in zip(node.inputs[1::2], node.inputs[2::2], strict=True):
        left = cells(f, coerce(f, key, type.key), type.key)
        right = cells(f, coerce(f, value, type.value), type.value)
        call_symbol(
            f, symbols.kernel_symbol("dict_setitem"), [f"ptr {made}", f"ptr {left}", f"ptr {right}"], (), node.span
        )


def _make_set(f: FunctionEmitter, node: Op) -> None:
    """A set of given elements."""
    type = node.output.type
    assert isinstance(type, SetType)
    (made,) = call_symbol(f, symbols.kernel_symbol("dict_new"), [f"ptr {f.declare_type(type)}"], (type,), node.span)
    f.env[node.output] = (made,)
    for value in node.inputs[1:]:
        item = cells(f, coerce(f, value, type.element), type.element)
        call_symbol(f, symbols.kernel_symbol("set_add"), [f"ptr {made}", f"ptr {item}"], (), node.span)


MAKERS: dict[str, OpEmitter] = {
    container_literals.LIST_MAKE.name: _make_list,
    container_literals.DICT_MAKE.name: _make_dict,
    container_literals.SET_MAKE.name: _make_set,
}
"""What writes operators whose results own what they refer to, or refer to nothing."""
