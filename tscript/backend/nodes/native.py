"""Operators of the native library (`tscript.definitions.opdef.Native`): values as cells, and the call."""

from __future__ import annotations

from collections.abc import Callable

from tscript.abi import symbols
from tscript.abi.cells import cells_of
from tscript.abi.layout import NONE_INT
from tscript.abi.leaves import leaves
from tscript.backend.nodes.cells import cells, load_cells
from tscript.backend.nodes.failing import call_symbol
from tscript.backend.nodes.function import FunctionEmitter, InPlaceEmitter
from tscript.backend.nodes.marshal import ints, tensors
from tscript.definitions.opdef import Native
from tscript.ir.graph import Op, Value
from tscript.types import BOOL, NONE, OptionalType


def _complex_parts(f: FunctionEmitter, node: Op) -> bool:
    f.env[node.output] = (f.operand(node.inputs[0]), f.operand(node.inputs[1]))
    return True


def _complex_part(number: int) -> InPlaceEmitter:
    def emit(f: FunctionEmitter, node: Op) -> bool:
        f.env[node.output] = (f.operands(node.inputs[0])[number],)
        return True

    return emit


def emit_native(f: FunctionEmitter, node: Op) -> None:
    """An operator of the native library; the most frequent ones inline."""
    in_place = f.emitters.in_place.get(node.op)
    if in_place is None or not in_place(f, node):
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
        f.env[node.output] = call_symbol(f, symbol, args, leaves(result), node.span)
        return
    count = cells_of(result)
    out = f.text.alloca(f"[{max(count, 1)} x i64]", "result")
    call_symbol(f, symbol, [*args, f"ptr {out}"], (), node.span)
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
    """An optional int as one number. The int that encodes None is replaced by the next one, which has the same meaning
    as a position, a count or a width."""
    if value.type == NONE:
        return [f"i64 {NONE_INT}"]
    least = NONE_INT + 1
    if type(value.constant) is int:
        return [f"i64 {max(value.constant, least)}"]
    if value.type == BOOL:
        return _int(f, value)
    f.text.declare_function("llvm.smax.i64", "i64", ["i64", "i64"])
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
    "Generator": _heap,
    "T": _cells,
    "K": _cells,
    "V": _cells,
    "complex": _cells,
    "Any": _any,
    "int[]": ints,
    "Tensor[]": tensors,
    "None": lambda f, value: [],
}


IN_PLACE: dict[str, InPlaceEmitter] = {
    "complex.parts": _complex_parts,
    "real.complex": _complex_part(0),
    "imag.complex": _complex_part(1),
}
"""The emitters of inline operators on complex numbers."""
