"""Leaf operators as LLVM text: one emitter per `OpDef` of `tscript.dialect.machine`.

Everything that can be a vector takes `lanes`: the scalar code of a body becomes ``<16 x float>`` code by the same
emitters. No instruction is undefined for any operand: division by zero gives 0 and the least integer divided by -1
wraps, shift counts use their low bits, float-to-int conversion saturates (NaN is 0). Fast-math flags are only set where
a function asks for them (`FAST`), so an expression has the same bits whether its operators are fused or not; only
`FMULADD`, which polynomials use, may contract.

A bool is an ``i1`` in registers and one byte, 0 or 1, in memory; any other byte reads as True.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tscript.abi.layout import STRUCTS
from tscript.abi.sizes import sizeof
from tscript.backend.llvm import halves
from tscript.backend.llvm.constants import quoted, symbol_name
from tscript.backend.llvm.instructions import COUNTER, FITTING, PAUSE, THREAD, VECTOR
from tscript.backend.llvm.text import STRINGS, Text
from tscript.backend.llvm.types import (
    alignment,
    bits_of,
    both_parts,
    element_type,
    intrinsic_suffix,
    known_dtype,
    literal,
    llvm_type,
    made_of_parts,
    memory_type,
    parts_of,
)
from tscript.definitions.opdef import OpDef
from tscript.dialect import machine
from tscript.digests import sha256
from tscript.types import (
    BOOL,
    F32,
    I32,
    I64,
    INT,
    PtrType,
    StructType,
    Type,
    dtype_of,
    dtypes,
    machine_type,
)
from tscript.types.dtypes import part_dtype

FAST = " reassoc nsz arcp contract afn"
"""The flags of arithmetic that may be reordered and contracted. NaN and infinities keep their meaning: without that,
results would be undefined, and so would be what is decided by them."""

Emitter = Callable[[Text, Sequence[str], Sequence[Type], Type, int], str]
"""What writes one leaf operator: (text, operands, their types, result type, lanes) -> name of the result."""


def emit_leaf(text: Text, op: OpDef, args: Sequence[str], types: Sequence[Type], result: Type, lanes: int = 1) -> str:
    """Append the instructions of one leaf operator.

    Args:
        text: The function under construction.
        op: One of `machine.LEAVES`.
        args: Operand names or literals, vectors of `lanes` elements when that is above 1. The field name of `FIELD`,
            the symbol of `SYMBOL` and the count of `STACK` are given as plain text; type operands are ignored.
        types: Types of the operands (of one lane).
        result: Type of the result (of one lane).
        lanes: Elements per operand. Operators on pointers and memory take one.

    Returns:
        Name of the result; empty if there is none.
    """
    if op in _COMPUTED and (first := dtype_of(types[0])) is not None and first.is_half:
        wide = [halves.widened(text, arg, known_dtype(type), lanes) for arg, type in zip(args, types, strict=True)]
        computed = F32 if known_dtype(result).is_half else result
        found = EMITTERS[op](text, wide, [F32] * len(wide), computed, lanes)
        return halves.narrowed(text, found, known_dtype(result), lanes) if computed is F32 else found
    return EMITTERS[op](text, args, types, result, lanes)


def call_intrinsic(text: Text, name: str, args: Sequence[str], type: Type, lanes: int) -> str:
    """A call of an LLVM intrinsic whose operands and result have one type: ``llvm.sqrt``."""
    full, suffix = llvm_type(type, lanes), intrinsic_suffix(type, lanes)
    text.declare_function(f"llvm.{name}.{suffix}", full, [full] * len(args))
    return text.let(f"call {full} @llvm.{name}.{suffix}({', '.join(f'{full} {a}' for a in args)})")


def load(text: Text, type: Type, pointer: str) -> str:
    """Load one value."""
    value = text.let(f"load {memory_type(type)}, ptr {pointer}{_align(type)}")
    return text.let(f"icmp ne i8 {value}, 0") if type == BOOL else value


def store(text: Text, type: Type, value: str, pointer: str) -> None:
    """Store one value."""
    if type == BOOL:
        value = text.let(f"zext i1 {value} to i8")
    text.line(f"store {memory_type(type)} {value}, ptr {pointer}{_align(type)}")


def _align(type: Type) -> str:
    dtype = dtype_of(type)
    return f", align {alignment(type)}" if dtype is not None and dtype.is_complex else ""


def _instruction(integer: str, floating: str, boolean: str) -> Emitter:
    """A two-operand instruction by category of the operands."""

    def emit(text: Text, args: Sequence[str], types: Sequence[Type], result: Type, lanes: int) -> str:
        dtype = known_dtype(types[0])
        if dtype.is_complex and floating == "fmul":
            return _complex_product(text, args, types[0], lanes)
        is_float = dtype.is_floating_point or dtype.is_complex
        name = floating + text.fast if is_float else integer if dtype.is_integer else boolean
        return text.let(f"{name} {llvm_type(types[0], lanes)} {args[0]}, {args[1]}")

    return emit


def _complex_product(text: Text, args: Sequence[str], type: Type, lanes: int) -> str:
    (a, b), (c, d) = parts_of(text, args[0], type, lanes), parts_of(text, args[1], type, lanes)
    part = llvm_type(machine_type(part_dtype(known_dtype(type))), lanes)

    def two(name: str, x: str, y: str) -> str:
        return text.let(f"{name}{text.fast} {part} {x}, {y}")

    re = two("fsub", two("fmul", a, c), two("fmul", b, d))
    return made_of_parts(text, re, two("fadd", two("fmul", a, d), two("fmul", b, c)), type, lanes)


def _safe_divisor(text: Text, divisor: str, type: Type, lanes: int) -> tuple[str, str, str]:
    """(divisor with 1 in place of 0 and -1, whether it was 0, whether it was -1)."""
    full, condition = llvm_type(type, lanes), llvm_type(BOOL, lanes)
    zero = text.let(f"icmp eq {full} {divisor}, {literal(0, type, lanes)}")
    minus = text.let(f"icmp eq {full} {divisor}, {literal(-1, type, lanes)}") if known_dtype(type).signed else ""
    bad = text.let(f"or {condition} {zero}, {minus}") if minus else zero
    return text.let(f"select {condition} {bad}, {full} {literal(1, type, lanes)}, {full} {divisor}"), zero, minus


def _integer_literal(operand: str) -> int | None:
    """The value of a constant `operand`, the same in all lanes."""
    number = operand.removesuffix(")").rpartition(" ")[2]
    return int(number) if number.removeprefix("-").isdecimal() else None


def _is_safe_divisor(operand: str) -> bool:
    return _integer_literal(operand) not in (None, 0, -1)


def _quot(text: Text, args: Sequence[str], types: Sequence[Type], result: Type, lanes: int) -> str:
    a, b = args
    full, condition, dtype = llvm_type(result, lanes), llvm_type(BOOL, lanes), known_dtype(result)
    if dtype is dtypes.bool_:
        return text.let(f"and {full} {a}, {b}")
    name = "sdiv" if dtype.signed else "udiv"
    if _is_safe_divisor(b):
        return text.let(f"{name} {full} {a}, {b}")
    safe, zero, minus = _safe_divisor(text, b, result, lanes)
    out = text.let(f"{name} {full} {a}, {safe}")
    if minus:
        negated = text.let(f"sub {full} {literal(0, result, lanes)}, {a}")
        out = text.let(f"select {condition} {minus}, {full} {negated}, {full} {out}")
    return text.let(f"select {condition} {zero}, {full} {literal(0, result, lanes)}, {full} {out}")


def _rem(text: Text, args: Sequence[str], types: Sequence[Type], result: Type, lanes: int) -> str:
    full, dtype = llvm_type(result, lanes), known_dtype(result)
    if dtype is dtypes.bool_:
        return literal(False, BOOL, lanes)
    safe = args[1] if _is_safe_divisor(args[1]) else _safe_divisor(text, args[1], result, lanes)[0]
    return text.let(f"{'srem' if dtype.signed else 'urem'} {full} {args[0]}, {safe}")


def _neg(text: Text, args: Sequence[str], types: Sequence[Type], result: Type, lanes: int) -> str:
    full, dtype = llvm_type(result, lanes), known_dtype(result)
    if dtype.is_floating_point or dtype.is_complex:
        return text.let(f"fneg {full} {args[0]}")
    return args[0] if dtype is dtypes.bool_ else text.let(f"sub {full} {literal(0, result, lanes)}, {args[0]}")


def _not(text: Text, args: Sequence[str], types: Sequence[Type], result: Type, lanes: int) -> str:
    ones = literal(True if result == BOOL else -1, result, lanes)
    return text.let(f"xor {llvm_type(result, lanes)} {args[0]}, {ones}")


def _shift(signed: str, unsigned: str) -> Emitter:
    def emit(text: Text, args: Sequence[str], types: Sequence[Type], result: Type, lanes: int) -> str:
        full, dtype = llvm_type(result, lanes), known_dtype(result)
        if dtype is dtypes.bool_:
            if signed == "shl":
                return args[0]
            clear = text.let(f"xor {full} {args[1]}, {literal(True, BOOL, lanes)}")
            return text.let(f"and {full} {args[0]}, {clear}")
        count, known = args[1], _integer_literal(args[1])
        if known is None or not 0 <= known < bits_of(result):
            count = text.let(f"and {full} {count}, {literal(bits_of(result) - 1, result, lanes)}")
        return text.let(f"{signed if dtype.signed else unsigned} {full} {args[0]}, {count}")

    return emit


def _compare(floating: str, signed: str, unsigned: str) -> Emitter:
    def emit(text: Text, args: Sequence[str], types: Sequence[Type], result: Type, lanes: int) -> str:
        full, dtype = llvm_type(types[0], lanes), dtype_of(types[0])
        if dtype is not None and dtype.is_complex:
            part = llvm_type(machine_type(part_dtype(dtype)), lanes)
            pairs = zip(*(parts_of(text, a, types[0], lanes) for a in args), strict=True)
            re, im = (text.let(f"fcmp {floating} {part} {a}, {b}") for a, b in pairs)
            return text.let(f"{'and' if floating == 'oeq' else 'or'} {llvm_type(BOOL, lanes)} {re}, {im}")
        if dtype is not None and dtype.is_floating_point:
            return text.let(f"fcmp {floating} {full} {args[0]}, {args[1]}")
        kind = signed if dtype is not None and dtype.is_integer and dtype.signed else unsigned
        return text.let(f"icmp {kind} {full} {args[0]}, {args[1]}")

    return emit


def _select(text: Text, args: Sequence[str], types: Sequence[Type], result: Type, lanes: int) -> str:
    full, dtype = llvm_type(result, lanes), dtype_of(result)
    if dtype is not None and dtype.is_complex and lanes > 1:
        mask = both_parts(text, args[0], lanes)
        return text.let(f"select <{2 * lanes} x i1> {mask}, {full} {args[1]}, {full} {args[2]}")
    return text.let(f"select {llvm_type(BOOL, lanes)} {args[0]}, {full} {args[1]}, {full} {args[2]}")


def _intrinsic(name: str) -> Emitter:
    def emit(text: Text, args: Sequence[str], types: Sequence[Type], result: Type, lanes: int) -> str:
        return call_intrinsic(text, name, args, result, lanes)

    return emit


def _overflows(name: str) -> Emitter:
    """Whether an operation overflows 64 bits, by the processor's flag."""

    def emit(text: Text, args: Sequence[str], types: Sequence[Type], result: Type, lanes: int) -> str:
        full, condition, suffix = llvm_type(types[0], lanes), llvm_type(BOOL, lanes), intrinsic_suffix(types[0], lanes)
        pair = f"{{ {full}, {condition} }}"
        text.declare_function(f"llvm.{name}.with.overflow.{suffix}", pair, [full, full])
        found = text.let(f"call {pair} @llvm.{name}.with.overflow.{suffix}({full} {args[0]}, {full} {args[1]})")
        return text.let(f"extractvalue {pair} {found}, 1")

    return emit


def _convert(text: Text, args: Sequence[str], types: Sequence[Type], result: Type, lanes: int) -> str:
    a, source, target = args[0], known_dtype(types[0]), known_dtype(result)
    if source is target:
        return a
    if source.is_half:
        wide = halves.widened(text, a, source, lanes)
        return _convert(text, [wide], [F32], result, lanes)
    if target.is_half:
        single = a if source is dtypes.float32 else _convert(text, args, types, F32, lanes)
        return halves.narrowed(text, single, target, lanes)
    before, after = llvm_type(types[0], lanes), llvm_type(result, lanes)
    if source.is_complex and target.is_complex:
        return text.let(f"{'fpext' if target.itemsize > source.itemsize else 'fptrunc'} {before} {a} to {after}")
    if source.is_complex:
        if target is dtypes.bool_:
            return EMITTERS[machine.NE](text, [a, literal(0, types[0], lanes)], [types[0]] * 2, BOOL, lanes)
        part = machine_type(part_dtype(source))
        return _convert(text, [parts_of(text, a, types[0], lanes)[0]], [part], result, lanes)
    if target.is_complex:
        part = machine_type(part_dtype(target))
        re = _convert(text, args, types, part, lanes)
        return made_of_parts(text, re, literal(0.0, part, lanes), result, lanes)
    if target is dtypes.bool_:
        kind = "fcmp une" if source.is_floating_point else "icmp ne"
        return text.let(f"{kind} {before} {a}, {literal(0, types[0], lanes)}")
    if source.is_floating_point and target.is_integer:
        kind = "fptosi" if target.signed else "fptoui"
        name = f"llvm.{kind}.sat.{intrinsic_suffix(result, lanes)}.{intrinsic_suffix(types[0], lanes)}"
        text.declare_function(name, after, [before])
        return text.let(f"call {after} @{name}({before} {a})")
    unsigned = source is dtypes.bool_ or not source.signed
    if source.is_floating_point:
        name = "fpext" if target.itemsize > source.itemsize else "fptrunc"
    elif target.is_floating_point:
        name = "uitofp" if unsigned else "sitofp"
    elif source is dtypes.bool_ or target.itemsize > source.itemsize:
        name = "zext" if unsigned else "sext"
    elif target.itemsize < source.itemsize:
        name = "trunc"
    else:
        return a
    return text.let(f"{name} {before} {a} to {after}")


def _scaled(text: Text, args: Sequence[str], types: Sequence[Type], result: Type, lanes: int) -> str:
    full, size = llvm_type(result, lanes), bits_of(result)
    mantissa, integer = (23, I32) if size == 32 else (52, I64)
    bias = (1 << size - mantissa - 2) - 1
    register = size * lanes
    if lanes > 1 and (register == 512 or register in (128, 256)) and {"avx512f", "avx512vl"} <= text.features:
        kind, mask = "ps" if size == 32 else "pd", max(8, lanes)
        rounding = ["i32"] if register == 512 else []
        name = f"llvm.x86.avx512.mask.scalef.{kind}.{register}"
        text.declare_function(name, full, [full, full, full, f"i{mask}", *rounding])
        shift = literal(1.5 * 2.0**mantissa, result, lanes)
        given = [f"{full} {args[0]}", f"{full} {text.let(f'fsub {full} {args[1]}, {shift}')}"]
        given += [f"{full} zeroinitializer", f"i{mask} -1", *(f"{r} 4" for r in rounding)]
        return text.let(f"call {full} @{name}({', '.join(given)})")
    bits = llvm_type(integer, lanes)

    def constant(value: int) -> str:
        return literal(value, integer, lanes)

    def power(k: str) -> str:
        moved = text.let(f"add {bits} {k}, {constant(bias)}")
        shifted = text.let(f"shl {bits} {moved}, {constant(mantissa)}")
        return text.let(f"bitcast {bits} {shifted} to {full}")

    # Two exact steps reach exponents that one power of two does not have; only the second one may round.
    zero = (bias + mantissa << mantissa) + (1 << mantissa - 1)
    k = text.let(f"sub {bits} {text.let(f'bitcast {full} {args[1]} to {bits}')}, {constant(zero)}")
    half = text.let(f"ashr {bits} {k}, {constant(1)}")
    first = text.let(f"fmul {full} {args[0]}, {power(half)}")
    return text.let(f"fmul {full} {first}, {power(text.let(f'sub {bits} {k}, {half}'))}")


def _part(number: int) -> Emitter:
    def emit(text: Text, args: Sequence[str], types: Sequence[Type], result: Type, lanes: int) -> str:
        return parts_of(text, args[0], types[0], lanes)[number]

    return emit


def _complex(text: Text, args: Sequence[str], types: Sequence[Type], result: Type, lanes: int) -> str:
    return made_of_parts(text, args[0], args[1], result, lanes)


def _likely(text: Text, args: Sequence[str], types: Sequence[Type], result: Type, lanes: int) -> str:
    text.declare_function("llvm.expect.i1", "i1", ["i1", "i1"])
    return text.let(f"call i1 @llvm.expect.i1(i1 {args[0]}, i1 true)")


def _fitting(text: Text, args: Sequence[str], types: Sequence[Type], result: Type, lanes: int) -> str:
    assert lanes == 1
    return text.let(f"call i64 {text.declare_function(FITTING, 'i64', ['double'])}(double {args[0]})")


def _bitcast(text: Text, args: Sequence[str], types: Sequence[Type], result: Type, lanes: int) -> str:
    before, after = llvm_type(types[0], lanes), llvm_type(result, lanes)
    return args[0] if before == after else text.let(f"bitcast {before} {args[0]} to {after}")


def _load(text: Text, args: Sequence[str], types: Sequence[Type], result: Type, lanes: int) -> str:
    return load(text, result, args[0])


def _store(text: Text, args: Sequence[str], types: Sequence[Type], result: Type, lanes: int) -> str:
    store(text, types[1], args[1], args[0])
    return ""


def _offset(text: Text, args: Sequence[str], types: Sequence[Type], result: Type, lanes: int) -> str:
    assert isinstance(result, PtrType)
    return text.let(f"getelementptr {element_type(result.pointee)}, ptr {args[0]}, {llvm_type(types[1])} {args[1]}")


def _field(text: Text, args: Sequence[str], types: Sequence[Type], result: Type, lanes: int) -> str:
    pointer = types[0]
    assert isinstance(pointer, PtrType) and isinstance(pointer.pointee, StructType)
    offset = STRUCTS[pointer.pointee.name].offsets[args[1]]
    return text.let(f"getelementptr i8, ptr {args[0]}, i64 {offset}") if offset else args[0]


def _same(text: Text, args: Sequence[str], types: Sequence[Type], result: Type, lanes: int) -> str:
    return args[0]


def _address(text: Text, args: Sequence[str], types: Sequence[Type], result: Type, lanes: int) -> str:
    return text.let(f"ptrtoint ptr {args[0]} to i64")


def _pointer(text: Text, args: Sequence[str], types: Sequence[Type], result: Type, lanes: int) -> str:
    return "null" if args[0] == "0" else text.let(f"inttoptr i64 {args[0]} to ptr")


def _stack(text: Text, args: Sequence[str], types: Sequence[Type], result: Type, lanes: int) -> str:
    assert isinstance(result, PtrType)
    return text.alloca(f"[{int(args[0])} x {element_type(result.pointee)}], align 16", "stack")


def _symbol(text: Text, args: Sequence[str], types: Sequence[Type], result: Type, lanes: int) -> str:
    return text.declare_global(args[0])


def _function(text: Text, args: Sequence[str], types: Sequence[Type], result: Type, lanes: int) -> str:
    return symbol_name(args[0])


def _text(text: Text, args: Sequence[str], types: Sequence[Type], result: Type, lanes: int) -> str:
    data = args[0].encode() + b"\0"
    symbol = f"{STRINGS}{sha256(data).hexdigest()[:16]}"
    text.declare(symbol, f'@{symbol} = private unnamed_addr constant [{len(data)} x i8] c"{quoted(data)}", align 1')
    return f"@{symbol}"


def _frame_address(text: Text, args: Sequence[str], types: Sequence[Type], result: Type, lanes: int) -> str:
    text.declare_function("llvm.frameaddress.p0", "ptr", ["i32"])
    frame = text.let("call ptr @llvm.frameaddress.p0(i32 0)")
    return text.let(f"ptrtoint ptr {frame} to i64")


def _counter(text: Text, args: Sequence[str], types: Sequence[Type], result: Type, lanes: int) -> str:
    return text.let(f"call i64 {text.declare_function(COUNTER, 'i64', [])}()")


def _thread_number(text: Text, args: Sequence[str], types: Sequence[Type], result: Type, lanes: int) -> str:
    return text.let(f"call i64 {text.declare_function(THREAD, 'i64', [])}()")


def _context(text: Text, args: Sequence[str], types: Sequence[Type], result: Type, lanes: int) -> str:
    return "%ctx"


def _memcpy(text: Text, args: Sequence[str], types: Sequence[Type], result: Type, lanes: int) -> str:
    text.declare_function("llvm.memcpy.p0.p0.i64", "void", ["ptr", "ptr", "i64", "i1"])
    text.line(f"call void @llvm.memcpy.p0.p0.i64(ptr {args[0]}, ptr {args[1]}, i64 {args[2]}, i1 false)")
    return ""


def _memset(text: Text, args: Sequence[str], types: Sequence[Type], result: Type, lanes: int) -> str:
    text.declare_function("llvm.memset.p0.i64", "void", ["ptr", "i8", "i64", "i1"])
    byte = text.let(f"trunc i64 {args[1]} to i8") if types[1] == INT else args[1]
    text.line(f"call void @llvm.memset.p0.i64(ptr {args[0]}, i8 {byte}, i64 {args[2]}, i1 false)")
    return ""


def _atomic_add(order: str) -> Emitter:
    def emit(text: Text, args: Sequence[str], types: Sequence[Type], result: Type, lanes: int) -> str:
        name = "fadd" if known_dtype(result).is_floating_point else "add"
        return text.let(f"atomicrmw {name} ptr {args[0]}, {memory_type(result)} {args[1]} {order}")

    return emit


def _atomic_cas(text: Text, args: Sequence[str], types: Sequence[Type], result: Type, lanes: int) -> str:
    full = memory_type(types[1])
    pair = text.let(f"cmpxchg ptr {args[0]}, {full} {args[1]}, {full} {args[2]} seq_cst seq_cst")
    return text.let(f"extractvalue {{ {full}, i1 }} {pair}, 1")


def _atomic_store(order: str) -> Emitter:
    def emit(text: Text, args: Sequence[str], types: Sequence[Type], result: Type, lanes: int) -> str:
        text.line(f"store atomic {memory_type(types[1])} {args[1]}, ptr {args[0]} {order}, align {sizeof(types[1])}")
        return ""

    return emit


def _vector_bytes(text: Text, args: Sequence[str], types: Sequence[Type], result: Type, lanes: int) -> str:
    return text.let(f"call i64 {text.declare_function(VECTOR, 'i64', [])}()")


def _pause(text: Text, args: Sequence[str], types: Sequence[Type], result: Type, lanes: int) -> str:
    text.line(f"call void {text.declare_function(PAUSE, 'void', [])}()")
    return ""


def _atomic_read(order: str) -> Emitter:
    def emit(text: Text, args: Sequence[str], types: Sequence[Type], result: Type, lanes: int) -> str:
        dtype = dtype_of(result)
        if dtype is not None and dtype.is_complex:  # never in one piece
            return text.let(f"load volatile {memory_type(result)}, ptr {args[0]}{_align(result)}")
        found = text.let(f"load atomic {memory_type(result)}, ptr {args[0]} {order}, align {sizeof(result)}")
        return text.let(f"icmp ne i8 {found}, 0") if result == BOOL else found

    return emit


def _unsigned_less(text: Text, args: Sequence[str], types: Sequence[Type], result: Type, lanes: int) -> str:
    return text.let(f"icmp ult {llvm_type(types[0], lanes)} {args[0]}, {args[1]}")


def _unsigned_shr(text: Text, args: Sequence[str], types: Sequence[Type], result: Type, lanes: int) -> str:
    full, count = llvm_type(result, lanes), args[1]
    known = _integer_literal(count)
    if known is None or not 0 <= known < bits_of(result):
        count = text.let(f"and {full} {count}, {literal(bits_of(result) - 1, result, lanes)}")
    return text.let(f"lshr {full} {args[0]}, {count}")


def _unsigned_high(text: Text, args: Sequence[str], types: Sequence[Type], result: Type, lanes: int) -> str:
    wide = [text.let(f"zext i64 {a} to i128") for a in args]
    product = text.let(f"mul nuw i128 {wide[0]}, {wide[1]}")
    return text.let(f"trunc i128 {text.let(f'lshr i128 {product}, 64')} to i64")


_COMPUTED = frozenset(
    {
        machine.ADD, machine.SUB, machine.MUL, machine.DIV, machine.NEG, machine.EQ, machine.NE, machine.LT, machine.LE,
        machine.GT, machine.GE, machine.SQRT, machine.FABS, machine.COPYSIGN, machine.FLOOR, machine.CEIL,
        machine.TRUNC, machine.RINT, machine.FMULADD, machine.SCALED,
    }
)  # fmt: skip
"""The leaves that floats of 16 bits go through as float32."""

EMITTERS: dict[OpDef, Emitter] = {
    machine.ADD: _instruction("add", "fadd", "or"),
    machine.SUB: _instruction("sub", "fsub", "xor"),
    machine.MUL: _instruction("mul", "fmul", "and"),
    machine.ADD_OVERFLOWS: _overflows("sadd"),
    machine.SUB_OVERFLOWS: _overflows("ssub"),
    machine.MUL_OVERFLOWS: _overflows("smul"),
    machine.DIV: _instruction("fdiv", "fdiv", "fdiv"),
    machine.QUOT: _quot,
    machine.REM: _rem,
    machine.NEG: _neg,
    machine.AND: _instruction("and", "and", "and"),
    machine.OR: _instruction("or", "or", "or"),
    machine.XOR: _instruction("xor", "xor", "xor"),
    machine.NOT: _not,
    machine.SHL: _shift("shl", "shl"),
    machine.SHR: _shift("ashr", "lshr"),
    machine.UNSIGNED_LESS: _unsigned_less,
    machine.UNSIGNED_SHR: _unsigned_shr,
    machine.UNSIGNED_HIGH: _unsigned_high,
    machine.EQ: _compare("oeq", "eq", "eq"),
    machine.NE: _compare("une", "ne", "ne"),
    machine.LT: _compare("olt", "slt", "ult"),
    machine.LE: _compare("ole", "sle", "ule"),
    machine.GT: _compare("ogt", "sgt", "ugt"),
    machine.GE: _compare("oge", "sge", "uge"),
    machine.SELECT: _select,
    machine.LIKELY: _likely,
    machine.FITTING: _fitting,
    machine.SQRT: _intrinsic("sqrt"),
    machine.FABS: _intrinsic("fabs"),
    machine.COPYSIGN: _intrinsic("copysign"),
    machine.FLOOR: _intrinsic("floor"),
    machine.CEIL: _intrinsic("ceil"),
    machine.TRUNC: _intrinsic("trunc"),
    machine.RINT: _intrinsic("rint"),
    machine.FMULADD: _intrinsic("fmuladd"),
    machine.SCALED: _scaled,
    machine.REAL: _part(0),
    machine.IMAG: _part(1),
    machine.COMPLEX: _complex,
    machine.CONVERT: _convert,
    machine.BITCAST: _bitcast,
    machine.LOAD: _load,
    machine.STORE: _store,
    machine.OFFSET: _offset,
    machine.FIELD: _field,
    machine.POINTER_CAST: _same,
    machine.ADDRESS: _address,
    machine.POINTER: _pointer,
    machine.STACK: _stack,
    machine.SYMBOL: _symbol,
    machine.FUNCTION: _function,
    machine.TEXT: _text,
    machine.FRAME_ADDRESS: _frame_address,
    machine.COUNTER: _counter,
    machine.CONTEXT: _context,
    machine.MEMCPY: _memcpy,
    machine.MEMSET: _memset,
    machine.VECTOR_BYTES: _vector_bytes,
    machine.PAUSE: _pause,
    machine.THREAD_NUMBER: _thread_number,
    machine.ATOMIC_ADD: _atomic_add("seq_cst"),
    machine.ATOMIC_ADD_RELAXED: _atomic_add("monotonic"),
    machine.ATOMIC_ADD_RELEASE: _atomic_add("release"),
    machine.ATOMIC_CAS: _atomic_cas,
    machine.ATOMIC_LOAD: _atomic_read("seq_cst"),
    machine.ATOMIC_STORE: _atomic_store("seq_cst"),
    machine.ATOMIC_STORE_RELAXED: _atomic_store("monotonic"),
    machine.ATOMIC_RELEASE: _atomic_store("release"),
    machine.ATOMIC_ACQUIRE: _atomic_read("acquire"),
    machine.ATOMIC_RELAXED: _atomic_read("monotonic"),
}
"""One emitter per leaf; `tests/backend/test_machine.py` checks that none is missing."""
