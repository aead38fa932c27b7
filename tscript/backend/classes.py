"""Instances, enums and named tuples in native code. Fields are read and written in place."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tscript.abi import symbols
from tscript.abi.cells import cells_of
from tscript.abi.layout import OBJECT_STRUCT
from tscript.backend.containers import field
from tscript.backend.text import UNLIKELY
from tscript.backend.values import leaves
from tscript.ir.graph import Op
from tscript.ops.classes import NO_MEMBER
from tscript.types import ANY, BOOL, NONE, ClassType, EnumType, Type, is_heap, members_of

if TYPE_CHECKING:
    from tscript.backend.function import FunctionEmitter, Operands


def new(f: FunctionEmitter, node: Op) -> None:
    """A new instance with zeros in its cells."""
    type = node.output.type
    assert isinstance(type, ClassType)
    args = [f"ptr {f.declare_type(type)}", f"i64 {sum(map(cells_of, type.info.fields.values()))}"]
    (made,) = f.call(symbols.kernel_symbol("object_new"), args, (type,), node.span)
    f.env[node.output] = (made,)


def _place(f: FunctionEmitter, node: Op) -> tuple[str, Type]:
    """Address of the cells of a field, and its type."""
    owner, name = node.inputs[0].type, node.inputs[1].constant
    assert isinstance(owner, ClassType) and isinstance(name, str)
    at = OBJECT_STRUCT.size
    for own, type in owner.info.fields.items():
        if own == name:
            return f.text.let(f"getelementptr i8, ptr {f.operand(node.inputs[0])}, i64 {at}"), type
        at += 8 * cells_of(type)
    raise AssertionError(name)


def get_field(f: FunctionEmitter, node: Op) -> bool:
    """A field; AttributeError when it has not been set, as far as its cells show it."""
    from tscript.backend.native import load_cells

    address, type = _place(f, node)
    operands = load_cells(f, address, type)
    _check(f, node, operands, type)
    f.env[node.output] = operands
    return True


def _check(f: FunctionEmitter, node: Op, operands: Operands, type: Type) -> None:
    """A reference that may not be null tells whether the field has been set."""
    for operand, leaf in zip(operands, leaves(type), strict=True):
        if is_heap(leaf) and leaf != ANY and NONE not in members_of(leaf):
            text = f.text
            bad, good = text.fresh_label("unset"), text.fresh_label("set")
            missing = text.let(f"icmp eq ptr {operand}, null")
            text.terminate(f"br i1 {missing}, label %{bad}, label %{good}{UNLIKELY}")
            text.label(bad)
            owner = str(node.inputs[0].type).rpartition(".")[2]
            f.raise_(node.span, "AttributeError", f"'{owner}' object has no attribute '{node.inputs[1].constant}'")
            text.label(good)
            return


def set_field(f: FunctionEmitter, node: Op) -> bool:
    """Set a field; what was in it is released afterwards."""
    from tscript.backend.native import load_cells, store_cells

    address, type = _place(f, node)
    operands = f.coerce(node.inputs[2], type)
    f.retain_all(operands, type)
    before = load_cells(f, address, type)
    store_cells(f, address, operands, type)
    f.release_all(before, type)
    f.env[node.output] = ()
    return True


def is_instance(f: FunctionEmitter, node: Op, wanted: ClassType) -> None:
    """Whether an instance is one of a class: told at once where it is of this very class, or of its static one."""
    text, value = f.text, node.inputs[0]
    operand, symbol = f.operand(value), f.declare_type(wanted)
    found = field(f, operand, OBJECT_STRUCT, "typeinfo", "ptr")
    static = f.declare_type(value.type)
    other, ask, end = text.fresh_label("other"), text.fresh_label("ask"), text.fresh_label("known")
    start = text.block
    text.terminate(f"br i1 {text.let(f'icmp eq ptr {found}, {symbol}')}, label %{end}, label %{other}")
    text.label(other)
    second = text.block
    text.terminate(f"br i1 {text.let(f'icmp eq ptr {found}, {static}')}, label %{end}, label %{ask}")
    text.label(ask)
    (asked,) = f.call(symbols.kernel_symbol("object_is"), [f"ptr {operand}", f"ptr {symbol}"], (BOOL,), node.span)
    third = text.block
    text.branch(end)
    text.label(end)
    f.env[node.output] = (text.let(f"phi i1 [true, %{start}], [false, %{second}], [{asked}, %{third}]"),)


def is_same(f: FunctionEmitter, node: Op) -> None:
    """Whether two heap objects are the same."""
    a, b = (f.operand(v) for v in node.inputs)
    f.env[node.output] = (f.text.let(f"icmp eq ptr {a}, {b}"),)


def named(f: FunctionEmitter, node: Op) -> None:
    """A named tuple of values."""
    f.env[node.output] = tuple(o for v in node.inputs[1:] for o in f.operands(v))


def enum_index(f: FunctionEmitter, node: Op) -> None:
    """The number of a member."""
    f.env[node.output] = f.operands(node.inputs[0])


def enum_member(f: FunctionEmitter, node: Op) -> None:
    """The member with a number; IndexError when there is none."""
    text, type, number = f.text, node.output.type, node.inputs[1]
    assert isinstance(type, EnumType)
    count = len(type.info.members)
    if not (isinstance(number.constant, int) and 0 <= number.constant < count):
        bad, good = text.fresh_label("outside"), text.fresh_label("member")
        outside = text.let(f"icmp uge i64 {f.operand(number)}, {count}")
        text.terminate(f"br i1 {outside}, label %{bad}, label %{good}{UNLIKELY}")
        text.label(bad)
        f.raise_(node.span, "IndexError", NO_MEMBER)
        text.label(good)
    f.env[node.output] = f.operands(number)
