"""Instances, enums and named tuples in native code. Fields are read and written inline."""

from __future__ import annotations

from tscript.abi import symbols
from tscript.abi.cells import LateType, cells_of, held
from tscript.abi.layout import OBJECT_STRUCT
from tscript.abi.leaves import leaves
from tscript.backend.llvm.text import UNLIKELY
from tscript.backend.nodes.cells import Memory, load_cells, store_cells
from tscript.backend.nodes.containers import field
from tscript.backend.nodes.failing import call_symbol, raise_error
from tscript.backend.nodes.function import FunctionEmitter, InPlaceEmitter, OpEmitter
from tscript.backend.nodes.references import release_all, retain_all
from tscript.backend.nodes.values import coerce
from tscript.ir.graph import Op
from tscript.operators.python import classes as class_ops
from tscript.operators.python.classes import NO_MEMBER
from tscript.types import ANY, BOOL, NONE, OPTIONS, ClassType, EnumType, Type, is_heap, members_of


def _new(f: FunctionEmitter, node: Op) -> None:
    """A new instance with zeros in its cells."""
    type = node.output.type
    assert isinstance(type, ClassType)
    args = [f"ptr {f.declare_type(type)}", f"i64 {sum(map(cells_of, held(type.info).values()))}"]
    (made,) = call_symbol(f, symbols.kernel_symbol("object_new"), args, (type,), node.span)
    f.env[node.output] = (made,)


def _place(f: FunctionEmitter, node: Op) -> tuple[str, Type, int, Memory]:
    """Address of the cells of a field, its representation, its number, and the memory it is in."""
    owner, name = node.inputs[0].type, node.inputs[1].constant
    assert isinstance(owner, ClassType) and isinstance(name, str)
    at = OBJECT_STRUCT.size
    for number, (own, type) in enumerate(held(owner.info).items()):
        if own == name:
            address = f.text.let(f"getelementptr i8, ptr {f.operand(node.inputs[0])}, i64 {at}")
            return address, type, number, ("field", owner.info.bases[-1].name, at // 8)
        at += 8 * cells_of(type)
    raise AssertionError(name)


def _get_field(f: FunctionEmitter, node: Op) -> bool:
    """A field; AttributeError if its cells show that it has not been set."""
    address, type, number, memory = _place(f, node)
    if isinstance(type, LateType):
        flag = f.text.let(f"load i64, ptr {address}")
        _check(f, node, f.text.let(f"icmp eq i64 {flag}, 0"), number)
        f.env[node.output] = load_cells(f, _behind_flag(f, address), type.value)
        return True
    operands = load_cells(f, address, type, memory, is_set=False)
    for operand, leaf in zip(operands, leaves(type), strict=True):
        if is_heap(leaf) and leaf != ANY and NONE not in members_of(leaf):
            _check(f, node, f.text.let(f"icmp eq ptr {operand}, null"), number)
            break
    f.env[node.output] = operands
    return True


def _behind_flag(f: FunctionEmitter, address: str) -> str:
    return f.text.let(f"getelementptr i8, ptr {address}, i64 8")


def _check(f: FunctionEmitter, node: Op, missing: str, number: int) -> None:
    """Raise AttributeError, which names the class of the instance, when a field is missing."""
    text, owner = f.text, node.inputs[0]
    bad, good = text.fresh_label("unset"), text.fresh_label("set")
    text.terminate(f"br i1 {missing}, label %{bad}, label %{good}{UNLIKELY}")
    text.label(bad)
    call_symbol(f, symbols.kernel_symbol("field_error"), [f"ptr {f.operand(owner)}", f"i64 {number}"], (), node.span)
    text.branch(good)  # it has raised
    text.label(good)


def _set_field(f: FunctionEmitter, node: Op) -> bool:
    """Set a field; its old value is released afterwards."""
    address, type, _, place = _place(f, node)
    memory: Memory | None = place
    if isinstance(type, LateType):
        f.text.line(f"store i64 1, ptr {address}")
        address, type, memory = _behind_flag(f, address), type.value, None
    operands = coerce(f, node.inputs[2], type)
    retain_all(f, operands, type)
    before = load_cells(f, address, type, memory)
    store_cells(f, address, operands, type, memory)
    release_all(f, before, type)
    f.env[node.output] = ()
    return True


def is_instance(f: FunctionEmitter, node: Op, wanted: ClassType) -> None:
    """Whether an instance is one of a class, with a fast path for exactly this class and for its static class."""
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
    (asked,) = call_symbol(
        f, symbols.kernel_symbol("object_is"), [f"ptr {operand}", f"ptr {symbol}"], (BOOL,), node.span
    )
    third = text.block
    text.branch(end)
    text.label(end)
    f.env[node.output] = (text.let(f"phi i1 [true, %{start}], [false, %{second}], [{asked}, %{third}]"),)


def _is_class(f: FunctionEmitter, node: Op) -> None:
    """Whether an instance is one of exactly one class: there is one record of each class in a process."""
    value, wanted = node.inputs[0], node.inputs[1].constant
    assert isinstance(wanted, ClassType)
    found = field(f, f.operand(value), OBJECT_STRUCT, "typeinfo", "ptr")
    f.env[node.output] = (f.text.let(f"icmp eq ptr {found}, {f.declare_type(wanted)}"),)


def _is_same(f: FunctionEmitter, node: Op) -> None:
    """Whether two heap objects are the same."""
    a, b = (f.operand(v) for v in node.inputs)
    f.env[node.output] = (f.text.let(f"icmp eq ptr {a}, {b}"),)


def _named(f: FunctionEmitter, node: Op) -> None:
    """A named tuple of values."""
    f.env[node.output] = tuple(o for v in node.inputs[1:] for o in f.operands(v))


def _enum_index(f: FunctionEmitter, node: Op) -> None:
    """The number of a member."""
    f.env[node.output] = f.operands(node.inputs[0])


def _enum_member(f: FunctionEmitter, node: Op) -> None:
    """The member with a number; IndexError when there is none."""
    text, type, number = f.text, node.output.type, node.inputs[1]
    count = len(OPTIONS[type].members if not isinstance(type, EnumType) else type.info.members)
    if not (isinstance(number.constant, int) and 0 <= number.constant < count):
        bad, good = text.fresh_label("outside"), text.fresh_label("member")
        outside = text.let(f"icmp uge i64 {f.operand(number)}, {count}")
        text.terminate(f"br i1 {outside}, label %{bad}, label %{good}{UNLIKELY}")
        text.label(bad)
        raise_error(f, node.span, "IndexError", NO_MEMBER)
        text.label(good)
    f.env[node.output] = f.operands(number)


VIEWS: dict[str, OpEmitter] = {
    class_ops.NAMED_MAKE.name: _named,
    class_ops.ENUM_INDEX.name: _enum_index,
    class_ops.ENUM_MEMBER.name: _enum_member,
    class_ops.IS_SAME.name: _is_same,
}
"""What writes operators whose results refer to what their arguments own."""

MAKERS: dict[str, OpEmitter] = {
    class_ops.OBJECT_NEW.name: _new,
    class_ops.IS_CLASS.name: _is_class,
}
"""What writes operators whose results own what they refer to, or refer to nothing."""

IN_PLACE: dict[str, InPlaceEmitter] = {
    "get_field.object": _get_field,
    "set_field.object": _set_field,
}
"""The emitters of inline field access."""
