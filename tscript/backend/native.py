"""Operators of the native library (`tscript.operators.core.opdef.Native`): values as cells, and the call."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from tscript.abi import symbols
from tscript.abi.cells import cells_of
from tscript.abi.layout import NONE_INT, OBJECT_STRUCT
from tscript.backend import classes, containers
from tscript.backend.machine import llvm_type
from tscript.backend.text import LIKELY
from tscript.backend.values import leaves
from tscript.diagnostics import InternalError
from tscript.ir.graph import Op, Value
from tscript.operators.core.opdef import Native
from tscript.types import ANY, BOOL, NONE, ClassType, OptionalType, Type, UnionType, is_heap, members_of

if TYPE_CHECKING:
    from tscript.backend.function import FunctionEmitter, Operands

CELL = ", !tbaa !4"
"""What a load or store of a cell says of its memory: no header of a list or dict lies there."""


def store_cells(f: FunctionEmitter, address: str, operands: Sequence[str], type: Type) -> None:
    """Write a value to the cells at an address."""
    text = f.text
    for i, (operand, leaf) in enumerate(zip(operands, leaves(type), strict=True)):
        native = llvm_type(leaf)
        if native in ("i1", "i32"):
            operand, native = text.let(f"zext {native} {operand} to i64"), "i64"
        cell = text.let(f"getelementptr i64, ptr {address}, i64 {i}") if i else address
        text.line(f"store {native} {operand}, ptr {cell}{CELL}")


def load_cells(f: FunctionEmitter, address: str, type: Type) -> Operands:
    """Read a value from the cells at an address."""
    text = f.text
    out: list[str] = []
    for i, leaf in enumerate(leaves(type)):
        native = llvm_type(leaf)
        cell = text.let(f"getelementptr i64, ptr {address}, i64 {i}") if i else address
        wide = "i64" if native in ("i1", "i32") else native
        found = text.let(f"load {wide}, ptr {cell}{CELL}")
        out.append(found if wide == native else text.let(f"trunc i64 {found} to {native}"))
    return tuple(out)


def cells(f: FunctionEmitter, operands: Sequence[str], type: Type) -> str:
    """A value in cells on the stack; their address."""
    count = cells_of(type)
    if not count:
        return "null"
    address = f.text.alloca(f"[{count} x i64]", "cells")
    store_cells(f, address, operands, type)
    return address


def _complex_parts(f: FunctionEmitter, node: Op) -> bool:
    f.env[node.output] = (f.operand(node.inputs[0]), f.operand(node.inputs[1]))
    return True


def _part(number: int) -> Callable[[FunctionEmitter, Op], bool]:
    def emit(f: FunctionEmitter, node: Op) -> bool:
        f.env[node.output] = (f.operands(node.inputs[0])[number],)
        return True

    return emit


INLINE: dict[str, Callable[[FunctionEmitter, Op], bool]] = {
    **containers.INLINE,
    "complex.parts": _complex_parts,
    "real.complex": _part(0),
    "imag.complex": _part(1),
    "get_field.object": classes.get_field,
    "set_field.object": classes.set_field,
}
"""By the operator's name what writes it in place; False: it did not."""


def emit_native(f: FunctionEmitter, node: Op) -> None:
    """An operator of the native library; the commonest ones in place."""
    inline = INLINE.get(node.op.name)
    if inline is None or not inline(f, node):
        call_native(f, node)


def call_native(f: FunctionEmitter, node: Op) -> None:
    """The call of the function behind an operator."""
    native = node.op.implementation
    assert isinstance(native, Native)
    result = node.output.type
    args: list[str] = [f"ptr {f.declare_type(result)}"] if native.typed else []
    for value, parameter in zip(node.inputs, node.op.schema.parameters, strict=True):
        args += maybe_int(f, value) if parameter.kind == "int?" else _MARSHAL[parameter.kind.rstrip("?")](f, value)
    symbol = symbols.kernel_symbol(native.symbol)
    if not returns_cells(node.op.schema.result):
        f.env[node.output] = f.call(symbol, args, leaves(result), node.span)
        return
    count = cells_of(result)
    out = f.text.alloca(f"[{max(count, 1)} x i64]", "result")
    f.call(symbol, [*args, f"ptr {out}"], (), node.span)
    f.define(node.output, load_cells(f, out, result))


def returns_cells(result: str) -> bool:
    """Whether the result that a schema names goes to cells, not into a register."""
    return result.partition("[")[0] not in _REGISTERS


_REGISTERS = frozenset(
    {"int", "float", "bool", "None", "str", "bytes", "list", "dict", "set", "self", "Tensor", "Size", "object"}
)


def _heap(f: FunctionEmitter, value: Value) -> list[str]:
    return ["ptr null" if value.type == NONE else f"ptr {f.operand(value)}"]


def _int(f: FunctionEmitter, value: Value) -> list[str]:
    if value.type == NONE:
        return [f"i64 {NONE_INT}"]
    if isinstance(value.type, OptionalType):
        given, number = f.operands(value)
        return [f"i64 {f.text.let(f'select i1 {given}, i64 {number}, i64 {NONE_INT}')}"]
    if value.type == BOOL:
        return [f"i64 {f.text.let(f'zext i1 {f.operand(value)} to i64')}"]
    return [f"i64 {f.operand(value)}"]


def maybe_int(f: FunctionEmitter, value: Value) -> list[str]:
    """An int that may be None, as one number. The int that stands for None gives way to the next one: as a place, a
    count or a width it says the same."""
    if value.type == NONE:
        return [f"i64 {NONE_INT}"]
    least = NONE_INT + 1
    if type(value.constant) is int:
        return [f"i64 {max(value.constant, least)}"]
    if value.type == BOOL:
        return _int(f, value)
    f.text.declare("declare i64 @llvm.smax.i64(i64, i64)")
    if isinstance(value.type, OptionalType):
        given, number = f.operands(value)
        number = f.text.let(f"call i64 @llvm.smax.i64(i64 {number}, i64 {least})")
        return [f"i64 {f.text.let(f'select i1 {given}, i64 {number}, i64 {NONE_INT}')}"]
    return [f"i64 {f.text.let(f'call i64 @llvm.smax.i64(i64 {f.operand(value)}, i64 {least})')}"]


def _float(f: FunctionEmitter, value: Value) -> list[str]:
    return [f"double {f.operand(value)}"]


def _bool(f: FunctionEmitter, value: Value) -> list[str]:
    return [f"i8 {f.text.let(f'zext i1 {f.operand(value)} to i8')}"]


def _cells(f: FunctionEmitter, value: Value) -> list[str]:
    return [f"ptr {cells(f, f.operands(value), value.type)}"]


def _any(f: FunctionEmitter, value: Value) -> list[str]:
    return [f"ptr {f.declare_type(value.type)}", *_cells(f, value)]


_MARSHAL: dict[str, Callable[[FunctionEmitter, Value], list[str]]] = {
    "int": _int,
    "float": _float,
    "bool": _bool,
    "str": _heap,
    "bytes": _heap,
    "list": _heap,
    "list[T]": _heap,
    "list[int]": _heap,
    "list[self]": _heap,
    "dict": _heap,
    "set": _heap,
    "table": _heap,
    "object": _heap,
    "self": _heap,
    "Tensor": _heap,
    "T": _cells,
    "K": _cells,
    "V": _cells,
    "complex": _cells,
    "Any": _any,
    "None": lambda f, value: [],
}


# ---- unions, optionals, classes


def upcast(f: FunctionEmitter, node: Op) -> None:
    """A value as one of a wider type that holds it in the same way, or beside a flag."""
    value, target = node.inputs[0], node.output.type
    f.env[node.output] = widened(f, f.operands(value), value.type, target)


def widened(f: FunctionEmitter, operands: Operands, source: Type, target: Type) -> Operands:
    """`operands` of type `source` as those of the supertype `target`."""
    if source == target:
        return operands
    if source == NONE:
        return f.constant(None, target, f.graph.span)
    if isinstance(target, OptionalType) and len(leaves(target)) != len(operands):
        return ("true", *operands)
    return operands


def downcast(f: FunctionEmitter, node: Op) -> None:
    """A value as one of a narrower type; raises when it is none, which a condition around has ruled out."""
    value, target = node.inputs[0], node.output.type
    operands = f.operands(value)
    found = operands[len(operands) - len(leaves(target)) :]
    if target == NONE or value.type == target:
        fine = ""
    elif isinstance(value.type, OptionalType) and not is_heap(value.type):
        fine = operands[0]
    elif isinstance(value.type, OptionalType) and value.type.value == target:
        fine = f.text.let(f"icmp ne ptr {operands[0]}, null")
    else:
        fine = _is_of(f, operands[0], target, node)
    _insist(f, fine, node)
    f.env[node.output] = found


def _is_of(f: FunctionEmitter, object: str, wanted: Type, node: Op) -> str:
    """Whether an object, or null, is of a type."""
    if isinstance(wanted, OptionalType | UnionType):
        tests = [_is_of(f, object, member, node) for member in members_of(wanted)]
        found = tests[0]
        for test in tests[1:]:
            found = f.text.let(f"or i1 {found}, {test}")
        return found
    if wanted == NONE:
        return f.text.let(f"icmp eq ptr {object}, null")
    if wanted == ANY:
        return "true"
    symbol = symbols.kernel_symbol("object_is")
    (found,) = f.call(symbol, [f"ptr {object}", f"ptr {f.declare_type(wanted)}"], (BOOL,), node.span)
    return found


def _insist(f: FunctionEmitter, fine: str, node: Op) -> None:
    """Raise unless `fine`, an i1."""
    if fine in ("", "true"):
        return
    text = f.text
    going_on, bad = text.fresh_label("narrow"), text.fresh_label("other")
    text.terminate(f"br i1 {fine}, label %{going_on}, label %{bad}{LIKELY}")
    text.label(bad)
    f.raise_(node.span, "TypeError", f"the value is no {node.output.type}".replace("{", "{{").replace("}", "}}"))
    text.label(going_on)


def box(f: FunctionEmitter, node: Op) -> None:
    """A value that does not live on the heap as an object."""
    value = node.inputs[0]
    source = value.type
    inner = source.value if isinstance(source, OptionalType) else source
    if inner is not source:
        raise InternalError(f"a {source} is boxed by cases", node.span)
    symbol = symbols.kernel_symbol("object_box")
    (made,) = f.call(symbol, [f"ptr {f.declare_type(source)}", *_cells(f, value)], (node.output.type,), node.span)
    f.env[node.output] = (made,)


def unbox(f: FunctionEmitter, node: Op) -> None:
    """What a box holds; the box keeps owning it."""
    target = node.output.type
    _insist(f, _is_of(f, f.operand(node.inputs[0]), target, node), node)
    address = f.text.let(f"getelementptr i8, ptr {f.operand(node.inputs[0])}, i64 {OBJECT_STRUCT.size}")
    f.env[node.output] = load_cells(f, address, target)


def is_none(f: FunctionEmitter, node: Op) -> None:
    """Whether an optional or an object is None."""
    value = node.inputs[0]
    operands = f.operands(value)
    if value.type == NONE:
        f.env[node.output] = ("true",)
    elif isinstance(value.type, OptionalType) and not is_heap(value.type.value):
        f.env[node.output] = (f.text.let(f"xor i1 {operands[0]}, true"),)
    else:
        f.env[node.output] = (f.text.let(f"icmp eq ptr {operands[0]}, null"),)


def is_instance(f: FunctionEmitter, node: Op) -> None:
    """Whether an object is of a type, or an instance of a class derived from it."""
    value, wanted = node.inputs[0], node.inputs[1].constant
    assert isinstance(wanted, Type)
    if wanted == NONE:
        f.env[node.output] = (f.text.let(f"icmp eq ptr {f.operand(value)}, null"),)
        return
    own = value.type
    if isinstance(wanted, ClassType) and isinstance(own, ClassType) and not own.info.derives_from(wanted.info):
        classes.is_instance(f, node, wanted)
        return
    (found,) = f.call(
        symbols.kernel_symbol("object_is"),
        [f"ptr {f.operand(value)}", f"ptr {f.declare_type(wanted)}"],
        (BOOL,),
        node.span,
    )
    f.env[node.output] = (found,)


# ---- exceptions


def new_exception(f: FunctionEmitter, node: Op) -> None:
    """A new exception."""
    args, type = node.inputs[0], node.output.type
    given = f.operands(args)[0] if leaves(args.type) else "null"
    f.env[node.output] = f.call(
        symbols.EXCEPTION_NEW, [f"ptr {f.declare_type(type)}", f"ptr {given}"], (type,), node.span
    )


def chain_exception(f: FunctionEmitter, node: Op) -> None:
    """Set the cause of an exception."""
    f.call(symbols.EXCEPTION_CHAIN, [f"ptr {f.operand(v)}" for v in node.inputs], (), node.span)
    f.env[node.output] = ()
