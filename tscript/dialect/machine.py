"""The leaf operators: what the low-level dialect is made of and all the backend has to know.

Every scalar operator of the language, every element of a tensor operator and every kernel is, after lowering, made of
these. Their `semantics` take Python ints (wrapped to the type by the interpreter), floats, bools and NumPy scalars;
those of arithmetic also take NumPy arrays of one dtype, so that a body of one element runs over all elements at once.
No machine operator is undefined for any argument: integer division by zero gives 0, shifts use the low bits of the
count, float-to-int conversion saturates and maps NaN to 0.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from typing import Any

from tscript.arrays import Array, np, numpy_function
from tscript.definitions.opdef import PURE, Arg, CCall, Effects, Extern, Leaf, OpDef, OperatorTypeError
from tscript.definitions.schema import parse_schema
from tscript.definitions.values import cast, widen
from tscript.types import (
    BOOL,
    DTYPE,
    FLOAT,
    I64,
    INT,
    NONE,
    U8,
    DType,
    PtrType,
    StructType,
    TupleType,
    Type,
    dtype_of,
    machine_type,
)
from tscript.types.dtypes import complex_dtype, part_dtype

WORLD = Effects(world=True)


def _numbers(args: Sequence[Arg]) -> Type:
    first = args[0].type
    if dtype_of(first) is None or any(a.type != first for a in args):
        raise OperatorTypeError(
            f"operands must be numbers of one machine type, found {', '.join(str(a.type) for a in args)}"
        )
    return first


def _floats(args: Sequence[Arg]) -> Type:
    found = _numbers(args)
    dtype = dtype_of(found)
    if dtype is None or not dtype.is_floating_point:
        raise OperatorTypeError(f"operands must be floating-point numbers, found {found}")
    return found


def _part(args: Sequence[Arg]) -> Type:
    dtype = dtype_of(args[0].type)
    if dtype is None or not dtype.is_complex:
        raise OperatorTypeError(f"the operand must be a complex number, found {args[0].type}")
    return machine_type(part_dtype(dtype))


def _of_parts(args: Sequence[Arg]) -> Type:
    dtype = dtype_of(_floats(args))
    assert dtype is not None
    return machine_type(complex_dtype(dtype))


def _comparison(args: Sequence[Arg]) -> Type:
    if not isinstance(args[0].type, PtrType) and any(a.type != DTYPE for a in args):
        _numbers(args)
    return BOOL


def _select(args: Sequence[Arg]) -> Type:
    if args[0].type != BOOL or args[1].type != args[2].type:
        raise OperatorTypeError(
            f"select takes a bool and two values of one type, found {', '.join(str(a.type) for a in args)}"
        )
    return args[1].type


def _condition(args: Sequence[Arg]) -> Type:
    if args[0].type != BOOL:
        raise OperatorTypeError(f"likely takes a bool, found {args[0].type}")
    return BOOL


def _fitting(args: Sequence[Arg]) -> Type:
    if args[0].type != FLOAT:
        raise OperatorTypeError(f"fitting takes a float, found {args[0].type}")
    return INT


def _type_argument(args: Sequence[Arg]) -> Type:
    found = args[-1].constant
    if not isinstance(found, Type):
        raise OperatorTypeError("the last operand must be a type")
    return found


def _pointer_to_type(args: Sequence[Arg]) -> Type:
    return PtrType(_type_argument(args))


def _pointer(args: Sequence[Arg]) -> PtrType:
    found = args[0].type
    if not isinstance(found, PtrType):
        raise OperatorTypeError(f"the first operand must be a pointer, found {found}")
    return found


def _pointee(args: Sequence[Arg]) -> Type:
    pointee = _pointer(args).pointee
    if isinstance(pointee, StructType):
        raise OperatorTypeError(f"a struct {pointee} is not loaded whole; name one of its fields")
    return pointee


def _field(args: Sequence[Arg]) -> Type:
    from tscript.abi.layout import STRUCTS

    pointee = _pointer(args).pointee
    if not isinstance(pointee, StructType):
        raise OperatorTypeError(f"a {pointee} has no fields")
    name = args[1].constant
    try:
        return PtrType(STRUCTS[pointee.name].field(str(name)).type)
    except KeyError as error:
        raise OperatorTypeError(str(error.args[0])) from None


def _integers(args: Sequence[Arg]) -> Type:
    if any(a.type != INT for a in args):
        raise OperatorTypeError(f"operands must be 64-bit ints, found {', '.join(str(a.type) for a in args)}")
    return INT


def _overflow(args: Sequence[Arg]) -> Type:
    if any(a.type != INT for a in args):
        raise OperatorTypeError(f"operands must be 64-bit ints, found {', '.join(str(a.type) for a in args)}")
    return BOOL


def _constant(result: Type) -> Callable[[Sequence[Arg]], Type]:
    def rule(args: Sequence[Arg]) -> Type:
        return result

    return rule


def _memory(*args: object) -> object:
    raise TypeError("memory operators have no meaning on values; run the kernel under CPython instead")


def _leaf(
    schema: str,
    rule: Callable[[Sequence[Arg]], Type],
    semantics: Callable[..., object] = _memory,
    effects: Effects = PURE,
    doc: str = "",
    portable: bool = False,
) -> OpDef:
    return OpDef(parse_schema(f"machine.{schema}"), rule, semantics, Leaf(), effects, doc, portable=portable)


def wrap(value: object, type: Type) -> object:
    """`value` as a value of the machine type `type`: integers wrapped, floats rounded, bools as bool.

    Example:
        >>> from tscript.types import U8
        >>> wrap(257, U8)
        1
    """
    dtype = dtype_of(type)
    assert dtype is not None
    if dtype.name == "bool":
        return bool(value)
    if dtype.is_complex:
        with np.errstate(all="ignore"):
            return complex(np.dtype(dtype.name).type(value))
    if dtype.is_floating_point:
        if dtype.itemsize == 8:
            return float(value)  # type: ignore[arg-type]
        whole = np.uint64 if isinstance(value, int) and value > 0 else np.int64
        with np.errstate(all="ignore"):
            # An int64 becomes a float32 in one rounding, not by way of a float64.
            single = np.float32(whole(value) if isinstance(value, int) else value)  # type: ignore[arg-type]
        return float(widen(cast(single, dtype)) if dtype.is_half else single)
    bits = dtype.itemsize * 8
    out = int(value) & ((1 << bits) - 1)  # type: ignore[call-overload]
    return out - (1 << bits) if dtype.signed and out >> (bits - 1) else out


def half_bits(value: float, dtype: DType) -> int:
    """The 16 bits of a number of float16 or bfloat16.

    Example:
        >>> from tscript.types import dtypes
        >>> hex(half_bits(1.0, dtypes.float16)), hex(half_bits(1.0, dtypes.bfloat16))
        ('0x3c00', '0x3f80')
    """
    return int(cast(value, dtype).view(np.uint16))


def _array_quotient(a: Array, b: Array) -> Array:
    down = np.asarray(np.floor_divide(a, b))
    return np.where((np.fmod(a, b) != 0) & ((a < 0) != (b < 0)), down + down.dtype.type(1), down)


def _quotient(a: int, b: int) -> Any:
    if isinstance(a, np.ndarray):
        return _array_quotient(a, b)
    return 0 if b == 0 else abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def _remainder(a: int, b: int) -> Any:
    if isinstance(a, np.ndarray):
        return np.fmod(a, b)
    return 0 if b == 0 else a - b * _quotient(a, b)


def _divide(a: float, b: float) -> Any:
    if isinstance(a, np.ndarray):
        return np.divide(a, b)
    with np.errstate(all="ignore"):
        return float(np.float64(a) / np.float64(b))


def _convert(value: float, to: Type) -> object:
    dtype = dtype_of(to)
    assert dtype is not None
    if isinstance(value, np.ndarray):
        return cast(value, dtype)
    if isinstance(value, complex | np.complexfloating) and not dtype.is_complex:
        return bool(value) if dtype.name == "bool" else _convert(value.real, to)
    if dtype.is_integer and isinstance(value, float | np.floating):
        if math.isnan(value):
            return 0
        bits = dtype.itemsize * 8
        low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if dtype.signed else (0, (1 << bits) - 1)
        return low if value <= low else high if value >= high else int(value)
    return wrap(value, to)


def _fitted(value: float) -> int:
    return int(value) if -(2.0**63) <= value < 2.0**63 else -(1 << 63)


def _leaves(function: Callable[[int, int], int]) -> Callable[[int, int], bool]:
    return lambda a, b: not -(1 << 63) <= function(a, b) < 1 << 63


def _rounded(function: Callable[[float], Any]) -> Callable[[float], Any]:
    def semantics(x: float) -> Any:
        found = function(x)
        return found if isinstance(found, np.ndarray) else float(found)

    return semantics


def _choose(condition: bool, a: object, b: object) -> object:
    if isinstance(condition, np.ndarray):
        return np.where(condition, a, b)
    return a if condition else b


def _root(x: float) -> Any:
    if isinstance(x, np.ndarray):
        return np.sqrt(x)
    return float(np.sqrt(x)) if x >= 0 else math.nan if x < 0 else x


def _copysign(x: float, y: float) -> Any:
    return np.copysign(x, y) if isinstance(y, np.ndarray) else math.copysign(x, y)


def _fmuladd(a: float, b: float, c: float) -> float:
    return a * b + c


def _scaled(x: float, shifted: float) -> Any:
    zero = 12582912.0 if abs(shifted) < 1e12 else 6755399441055744.0
    with np.errstate(all="ignore"):
        return np.ldexp(x, int(shifted - zero))


def _complex(re: float, im: float) -> Any:
    if isinstance(re, np.ndarray) or isinstance(im, np.ndarray):
        kind = np.complex64 if np.result_type(re, im) == np.float32 else np.complex128
        out = np.empty(np.broadcast_shapes(np.shape(re), np.shape(im)), kind)
        out.real, out.imag = re, im
        return out
    return complex(re, im)


_WORD = (1 << 64) - 1


def _signed(word: int) -> int:
    return word - (word >> 63 << 64)


ADD = _leaf("add(Any a, Any b) -> Any", _numbers, lambda a, b: a + b)
SUB = _leaf("sub(Any a, Any b) -> Any", _numbers, lambda a, b: a - b)
MUL = _leaf("mul(Any a, Any b) -> Any", _numbers, lambda a, b: a * b)
ADD_OVERFLOWS = _leaf(
    "add_overflows(int a, int b) -> bool", _overflow, _leaves(operator.add), doc="Whether a + b does not fit 64 bits."
)
SUB_OVERFLOWS = _leaf(
    "sub_overflows(int a, int b) -> bool", _overflow, _leaves(operator.sub), doc="Whether a - b does not fit 64 bits."
)
MUL_OVERFLOWS = _leaf(
    "mul_overflows(int a, int b) -> bool", _overflow, _leaves(operator.mul), doc="Whether a * b does not fit 64 bits."
)
DIV = _leaf("div(Any a, Any b) -> Any", _floats, _divide)
QUOT = _leaf("quot(Any a, Any b) -> Any", _numbers, _quotient, doc="Integer division towards zero; by zero it is 0.")
REM = _leaf("rem(Any a, Any b) -> Any", _numbers, _remainder, doc="Remainder with the sign of the dividend; by zero 0.")
NEG = _leaf("neg(Any a) -> Any", _numbers, lambda a: -a)
AND = _leaf("and(Any a, Any b) -> Any", _numbers, lambda a, b: a & b)
OR = _leaf("or(Any a, Any b) -> Any", _numbers, lambda a, b: a | b)
XOR = _leaf("xor(Any a, Any b) -> Any", _numbers, lambda a, b: a ^ b)
NOT = _leaf("not(Any a) -> Any", _numbers, lambda a: (not a) if isinstance(a, bool) else ~a)
SHL = _leaf("shl(Any a, Any b) -> Any", _numbers, lambda a, b: a << b, doc="The count is taken modulo the width.")
SHR = _leaf(
    "shr(Any a, Any b) -> Any", _numbers, lambda a, b: a >> b, doc="Arithmetic for signed, logical for unsigned."
)
UNSIGNED_LESS = _leaf(
    "unsigned_less(int a, int b) -> bool",
    _overflow,
    lambda a, b: a & _WORD < b & _WORD,
    doc="Whether a is below b, both taken as unsigned: as addresses are compared.",
)
UNSIGNED_SHR = _leaf(
    "unsigned_shr(int a, int b) -> int", _integers, lambda a, b: (a & _WORD) >> (b & 63), doc="Fills up with zeros."
)
UNSIGNED_HIGH = _leaf(
    "unsigned_high(int a, int b) -> int",
    _integers,
    lambda a, b: _signed((a & _WORD) * (b & _WORD) >> 64),
    doc="The upper half of a product of unsigned numbers.",
)
EQ = _leaf("eq(Any a, Any b) -> bool", _comparison, lambda a, b: a == b, portable=True)
NE = _leaf("ne(Any a, Any b) -> bool", _comparison, lambda a, b: a != b)
LT = _leaf("lt(Any a, Any b) -> bool", _comparison, lambda a, b: a < b)
LE = _leaf("le(Any a, Any b) -> bool", _comparison, lambda a, b: a <= b)
GT = _leaf("gt(Any a, Any b) -> bool", _comparison, lambda a, b: a > b)
GE = _leaf("ge(Any a, Any b) -> bool", _comparison, lambda a, b: a >= b)
SELECT = _leaf("select(bool c, Any a, Any b) -> Any", _select, _choose)
LIKELY = _leaf(
    "likely(bool c) -> bool", _condition, bool, doc="The same; the compiler takes it to be nearly always true."
)
SQRT = _leaf("sqrt(Any x) -> Any", _floats, _root)
FABS = _leaf("fabs(Any x) -> Any", _floats, abs)
COPYSIGN = _leaf("copysign(Any x, Any y) -> Any", _floats, _copysign)
FLOOR = _leaf("floor(Any x) -> Any", _floats, _rounded(numpy_function(lambda: np.floor)))
CEIL = _leaf("ceil(Any x) -> Any", _floats, _rounded(numpy_function(lambda: np.ceil)))
TRUNC = _leaf("trunc(Any x) -> Any", _floats, _rounded(numpy_function(lambda: np.trunc)))
RINT = _leaf(
    "rint(Any x) -> Any",
    _floats,
    _rounded(numpy_function(lambda: np.rint)),
    doc="To the nearest integer, halves to even.",
)
FMULADD = _leaf(
    "fmuladd(Any a, Any b, Any c) -> Any",
    _floats,
    _fmuladd,
    doc="a*b + c, fused where the target has FMA; only in polynomials.",
)
SCALED = _leaf(
    "scaled(Any x, Any shifted) -> Any",
    _floats,
    _scaled,
    doc="x * 2**k, rounded once, where shifted is k + 1.5 * 2**(bits of the mantissa) and x is from 0.5 to 2.",
)
REAL = _leaf("real(Any x) -> Any", _part, lambda x: x.real, doc="The real part of a complex number.")
IMAG = _leaf("imag(Any x) -> Any", _part, lambda x: x.imag, doc="The imaginary part of a complex number.")
COMPLEX = _leaf("complex(Any re, Any im) -> Any", _of_parts, _complex, doc="The complex number of two floats.")
CONVERT = _leaf(
    "convert(Any x, Any to) -> Any", _type_argument, _convert, doc="To another number type; saturates float to int."
)
FITTING = _leaf(
    "fitting(Any x) -> int",
    _fitting,
    _fitted,
    doc="A float towards zero as an int; the least int unless it fits 64 bits.",
)
BITCAST = _leaf("bitcast(Any x, Any to) -> Any", _type_argument, doc="The same bits as another type of the same size.")

LOAD = _leaf("load(Any p) -> Any", _pointee, effects=WORLD)
STORE = _leaf("store(Any p, Any v) -> None", _constant(NONE), effects=WORLD)
OFFSET = _leaf("offset(Any p, int n) -> Any", _pointer, doc="The pointer n elements further.")
FIELD = _leaf("field(Any p, str name) -> Any", _field, doc="Address of a field of the struct behind p.")
POINTER_CAST = _leaf(
    "pointer_cast(Any p, Any to) -> Any", _pointer_to_type, doc="The same address as a pointer to `to`."
)
ADDRESS = _leaf("address(Any p) -> int", _constant(I64), doc="The address as a number; 0 for null.")
POINTER = _leaf("pointer(int address, Any to) -> Any", _pointer_to_type, doc="A pointer to `to` at an address.")
STACK = _leaf(
    "stack(int n, Any to) -> Any",
    _pointer_to_type,
    effects=WORLD,
    doc="n (a constant) elements on the stack, not initialised.",
)
SYMBOL = _leaf("symbol(str name, Any to) -> Any", _pointer_to_type, doc="Address of a runtime symbol.")
FUNCTION = _leaf(
    "function(str name) -> Any", _constant(PtrType(U8)), doc="Address of a function of the same module, by its symbol."
)
TEXT = _leaf("text(str value) -> Any", _constant(PtrType(U8)), doc="Address of a constant, NUL-terminated string.")
FRAME_ADDRESS = _leaf(
    "frame_address() -> int", _constant(I64), effects=WORLD, doc="Where the frame of the running function lies."
)
COUNTER = _leaf(
    "counter() -> int",
    _constant(I64),
    effects=WORLD,
    doc="The processor's count of cycles, or of time at a fixed frequency; 0 on processors without one.",
)
THREAD_NUMBER = _leaf(
    "thread_number() -> int",
    _constant(I64),
    effects=WORLD,
    doc="A number that no other running thread has; 0 on systems where finding it takes a call.",
)
VECTOR_BYTES = _leaf(
    "vector_bytes() -> int",
    _constant(I64),
    effects=WORLD,
    doc="How wide the vector registers are that code for the target uses: a constant. No result may depend on it.",
)
PAUSE = _leaf("pause() -> None", _constant(NONE), effects=WORLD, doc="Tells the processor that a loop waits.")
CONTEXT = _leaf("context() -> Any", _constant(PtrType(StructType("Context"))), doc="The hidden context argument.")
MEMCPY = _leaf("memcpy(Any to, Any source, int nbytes) -> None", _constant(NONE), effects=WORLD)
MEMSET = _leaf("memset(Any to, int byte, int nbytes) -> None", _constant(NONE), effects=WORLD)
ATOMIC_ADD = _leaf("atomic_add(Any p, Any v) -> Any", _pointee, effects=WORLD, doc="Adds; gives the value before.")
ATOMIC_ADD_RELAXED = _leaf("atomic_add_relaxed(Any p, Any v) -> Any", _pointee, effects=WORLD)
ATOMIC_ADD_RELEASE = _leaf("atomic_add_release(Any p, Any v) -> Any", _pointee, effects=WORLD)
ATOMIC_CAS = _leaf("atomic_cas(Any p, Any expected, Any new) -> bool", _constant(BOOL), effects=WORLD)
ATOMIC_LOAD = _leaf("atomic_load(Any p) -> Any", _pointee, effects=WORLD)
ATOMIC_STORE = _leaf("atomic_store(Any p, Any v) -> None", _constant(NONE), effects=WORLD)
ATOMIC_STORE_RELAXED = _leaf("atomic_store_relaxed(Any p, Any v) -> None", _constant(NONE), effects=WORLD)
ATOMIC_RELEASE = _leaf("atomic_release(Any p, Any v) -> None", _constant(NONE), effects=WORLD)
ATOMIC_ACQUIRE = _leaf("atomic_acquire(Any p) -> Any", _pointee, effects=WORLD)
ATOMIC_RELAXED = _leaf("atomic_relaxed(Any p) -> Any", _pointee, effects=WORLD)

LEAVES: tuple[OpDef, ...] = (
    ADD, SUB, MUL, ADD_OVERFLOWS, SUB_OVERFLOWS, MUL_OVERFLOWS, DIV, QUOT, REM, NEG, AND, OR, XOR, NOT, SHL, SHR,
    UNSIGNED_LESS, UNSIGNED_SHR, UNSIGNED_HIGH, EQ, NE, LT, LE, GT, GE, SELECT, LIKELY, SQRT, FABS, COPYSIGN, FLOOR,
    CEIL, TRUNC, RINT, FMULADD, SCALED, REAL, IMAG,
    COMPLEX, CONVERT, FITTING, BITCAST, LOAD, STORE, OFFSET, FIELD, POINTER_CAST, ADDRESS,
    POINTER, STACK, SYMBOL, FUNCTION, TEXT, FRAME_ADDRESS, COUNTER, THREAD_NUMBER, VECTOR_BYTES, PAUSE, CONTEXT, MEMCPY,
    MEMSET, ATOMIC_ADD, ATOMIC_ADD_RELAXED, ATOMIC_ADD_RELEASE, ATOMIC_CAS, ATOMIC_LOAD, ATOMIC_STORE,
    ATOMIC_STORE_RELAXED, ATOMIC_RELEASE, ATOMIC_ACQUIRE, ATOMIC_RELAXED,
)  # fmt: skip
"""All above: each is one instruction, or a few."""


def extern(symbol: str, parameters: Sequence[Type], result: Type, semantics: Callable[..., object] = _memory) -> OpDef:
    """An operator that calls the C function `symbol` with machine arguments; it may not unwind.

    Args:
        symbol: What the linker resolves, from the process (libc, libm, libpython) or the runtime's symbol table.
        parameters: Machine types or pointers.
        result: A machine type, a pointer, or `NONE`.
        semantics: Meaning on values; math functions have one, and are pure.
    """

    def rule(args: Sequence[Arg]) -> Type:
        if [a.type for a in args] != list(parameters):
            raise OperatorTypeError(
                f"{symbol} takes ({', '.join(map(str, parameters))}), found ({', '.join(str(a.type) for a in args)})"
            )
        return result

    names = ", ".join(f"Any a{i}" for i in range(len(parameters)))
    effects = WORLD if semantics is _memory else PURE
    return OpDef(parse_schema(f"extern.{symbol}({names}) -> Any"), rule, semantics, Extern(symbol), effects)


def c_call(symbol: str, parameters: Sequence[Type], result: Type, variadic: bool = False) -> OpDef:
    """An operator that calls in C's calling convention; see `tscript.definitions.opdef.CCall`."""
    call = CCall(symbol, tuple(parameters), result, variadic)

    def rule(args: Sequence[Arg]) -> Type:
        given = list(args)
        if not symbol and (not given or not isinstance(given.pop(0).type, PtrType)):
            raise OperatorTypeError("the first operand must be the address of a function")
        types = [a.type for a in given]
        if types[: len(call.parameters)] != list(parameters) or (len(types) > len(call.parameters) and not variadic):
            wanted, found = (", ".join(map(str, row)) for row in (parameters, types))
            raise OperatorTypeError(f"{symbol or 'the function'} takes ({wanted}), found ({found})")
        return result

    schema = parse_schema(f"c.{symbol or 'indirect'}(Any arguments) -> Any")
    return OpDef(schema, rule, _memory, call, WORLD, variadic=True)


MALLOC = extern("malloc", (I64,), PtrType(U8))
FREE = extern("free", (PtrType(U8),), NONE)


def _make_tuple(args: Sequence[Arg]) -> Type:
    return TupleType(tuple(a.type for a in args))


def _get_item(args: Sequence[Arg]) -> Type:
    found, index = args[0].type, args[1].constant
    if not (isinstance(found, TupleType) and isinstance(index, int) and 0 <= index < len(found.elements)):
        raise OperatorTypeError(f"{found} has no element {index!r}")
    return found.elements[index]


def _structural(
    schema: str, rule: Callable[[Sequence[Arg]], Type], semantics: Callable[..., object], variadic: bool
) -> OpDef:
    from tscript.definitions.opdef import Structural

    return OpDef(parse_schema(schema), rule, semantics, Structural(), PURE, variadic=variadic, portable=True)


TUPLE_MAKE = _structural("tuple.make(Any elements) -> Any", _make_tuple, lambda *elements: elements, True)
"""Any number of values as one tuple value."""
TUPLE_GET = _structural("tuple.get(Any t, int index) -> Any", _get_item, lambda t, index: t[index], False)
"""Element `index` (a constant, not negative) of a tuple value."""

__all__ = ["LEAVES", "TUPLE_GET", "TUPLE_MAKE", "c_call", "extern", "machine_type", "wrap"]
