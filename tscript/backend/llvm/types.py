"""LLVM types and constants of machine types, scalar or vector."""

from __future__ import annotations

import math
import struct

from tscript.abi.sizes import sizeof
from tscript.backend.llvm import halves
from tscript.backend.llvm.text import Text
from tscript.dialect import machine
from tscript.types import (
    BOOL,
    DTYPE,
    NONE,
    DType,
    PtrType,
    StructType,
    Type,
    dtype_of,
    dtypes,
    is_heap,
)

_SCALARS: dict[DType, str] = {
    dtypes.uint8: "i8",
    dtypes.int8: "i8",
    dtypes.int16: "i16",
    dtypes.int32: "i32",
    dtypes.int64: "i64",
    dtypes.float32: "float",
    dtypes.float64: "double",
    dtypes.bool_: "i1",
    dtypes.float16: "i16",
    dtypes.bfloat16: "i16",
    dtypes.uint16: "i16",
    dtypes.uint32: "i32",
    dtypes.uint64: "i64",
}

_PARTS: dict[DType, str] = {dtypes.complex64: "float", dtypes.complex128: "double"}
"""A complex number is a vector of its two parts; a vector of them has these side by side."""


def llvm_type(type: Type, lanes: int = 1) -> str:
    """The LLVM type of a value of `type` in a register: ``i64``, ``ptr``, ``<16 x float>``; None is ``void``.

    Raises:
        TypeError: A value of the type is not a single native value (tuples, strings).

    Example:
        >>> from tscript.types import F32
        >>> llvm_type(F32, 16)
        '<16 x float>'
    """
    dtype = dtype_of(type)
    if dtype is not None:
        if dtype in _PARTS:
            return f"<{2 * lanes} x {_PARTS[dtype]}>"
        scalar = _SCALARS[dtype]
    elif isinstance(type, PtrType) or is_heap(type):
        scalar = "ptr"
    elif type == DTYPE:
        scalar = "i32"
    elif type == NONE:
        return "void"
    else:
        raise TypeError(f"values of type {type} have no native type")
    return scalar if lanes == 1 else f"<{lanes} x {scalar}>"


def memory_type(type: Type, lanes: int = 1) -> str:
    """The LLVM type of a value of `type` in memory: as `llvm_type`, but a bool is one byte."""
    if type == BOOL:
        return "i8" if lanes == 1 else f"<{lanes} x i8>"
    return llvm_type(type, lanes)


def element_type(pointee: Type) -> str:
    """The LLVM type pointer arithmetic on a ``Ptr[pointee]`` steps by; a struct is so many bytes."""
    if isinstance(pointee, StructType):
        return f"[{sizeof(pointee)} x i8]"
    return memory_type(pointee)


def literal(value: object, type: Type, lanes: int = 1) -> str:
    """A constant of `type` as LLVM writes it; wrapped or rounded to the type, and the same in all `lanes`.

    Example:
        >>> from tscript.types import F32, FLOAT
        >>> literal(0.5, FLOAT), literal(2, F32, 4)
        ('0x3FE0000000000000', 'splat (float 0x4000000000000000)')
    """
    dtype = dtype_of(type)
    if dtype is not None:
        wrapped = machine.wrap(value, type)
        if isinstance(wrapped, complex):
            parts = ", ".join(f"{_PARTS[dtype]} {_float_literal(part)}" for part in (wrapped.real, wrapped.imag))
            return f"<{', '.join([parts] * lanes)}>"
        if isinstance(wrapped, bool):
            out = "true" if wrapped else "false"
        elif dtype.is_half:
            assert isinstance(wrapped, float)
            out = str(machine.half_bits(wrapped, dtype))
        elif isinstance(wrapped, float):
            out = _float_literal(wrapped)
        else:
            out = str(wrapped)
    elif type == DTYPE:
        assert isinstance(value, DType)
        out = str(value.code)
    elif value is None and (isinstance(type, PtrType) or is_heap(type)):
        out = "null"
    else:
        raise TypeError(f"a {type} has no literal")
    return out if lanes == 1 else f"splat ({llvm_type(type)} {out})"


def _float_literal(value: float) -> str:
    return "0x7FF8000000000000" if math.isnan(value) else f"0x{struct.pack('>d', value).hex().upper()}"


def alignment(type: Type) -> int:
    """What elements of a type are aligned to: a complex number to one of its parts."""
    dtype = known_dtype(type)
    return dtype.itemsize // 2 if dtype.is_complex else dtype.itemsize


def both_parts(text: Text, mask: str, lanes: int) -> str:
    """A mask of complex numbers as one of their parts."""
    if lanes == 1:
        first = text.let(f"insertelement <2 x i1> poison, i1 {mask}, i64 0")
        return text.let(f"shufflevector <2 x i1> {first}, <2 x i1> poison, <2 x i32> zeroinitializer")
    order = ", ".join(f"i32 {i // 2}" for i in range(2 * lanes))
    return text.let(f"shufflevector <{lanes} x i1> {mask}, <{lanes} x i1> poison, <{2 * lanes} x i32> <{order}>")


def parts_of(text: Text, value: str, type: Type, lanes: int) -> tuple[str, str]:
    """The real and the imaginary parts of complex numbers."""
    full = llvm_type(type, lanes)
    if lanes == 1:
        return text.let(f"extractelement {full} {value}, i64 0"), text.let(f"extractelement {full} {value}, i64 1")
    found = []
    for part in range(2):
        order = ", ".join(f"i32 {2 * i + part}" for i in range(lanes))
        found.append(text.let(f"shufflevector {full} {value}, {full} poison, <{lanes} x i32> <{order}>"))
    return found[0], found[1]


def made_of_parts(text: Text, re: str, im: str, type: Type, lanes: int) -> str:
    """Complex numbers of a type made of their parts."""
    full, element = llvm_type(type, lanes), _PARTS[known_dtype(type)]
    if lanes == 1:
        first = text.let(f"insertelement {full} poison, {element} {re}, i64 0")
        return text.let(f"insertelement {full} {first}, {element} {im}, i64 1")
    half = f"<{lanes} x {element}>"
    order = ", ".join(f"i32 {i // 2 + i % 2 * lanes}" for i in range(2 * lanes))
    return text.let(f"shufflevector {half} {re}, {half} {im}, <{2 * lanes} x i32> <{order}>")


def splat(text: Text, value: str, type: Type, lanes: int) -> str:
    """The scalar `value` in all lanes of a vector."""
    if lanes == 1:
        return value
    vector = llvm_type(type, lanes)
    if known_dtype(type).is_complex:
        one, order = llvm_type(type), ", ".join(f"i32 {i % 2}" for i in range(2 * lanes))
        return text.let(f"shufflevector {one} {value}, {one} poison, <{2 * lanes} x i32> <{order}>")
    first = text.let(f"insertelement {vector} poison, {llvm_type(type)} {value}, i64 0")
    return text.let(f"shufflevector {vector} {first}, {vector} poison, <{lanes} x i32> zeroinitializer")


def intrinsic_suffix(type: Type, lanes: int) -> str:
    """What LLVM appends to the name of an intrinsic for this type: ``v16f32``. A bool counts as its byte."""
    dtype = dtype_of(type)
    assert dtype is not None
    if dtype.is_complex:
        return f"v{2 * lanes}f{dtype.itemsize * 4}"
    bits = dtype.itemsize * 8
    scalar = f"f{bits}" if dtype.is_floating_point else f"i{bits}"
    return scalar if lanes == 1 else f"v{lanes}{scalar}"


def widened(text: Text, value: str, dtype: DType) -> tuple[str, str]:
    """A NumPy scalar in a register as the number of Python that a cell holds, and its LLVM type."""
    native, wide = _SCALARS[dtype], "double" if dtype.is_floating_point else "i64"
    if native == wide:
        return value, wide
    if dtype.is_half:
        native, value = "float", halves.widened(text, value, dtype, 1)
    how = "fpext" if dtype.is_floating_point else "sext" if dtype.is_integer and dtype.signed else "zext"
    return text.let(f"{how} {native} {value} to {wide}"), wide


def narrowed(text: Text, value: str, dtype: DType) -> str:
    """The opposite of `widened`."""
    native, wide = _SCALARS[dtype], "double" if dtype.is_floating_point else "i64"
    if native == wide:
        return value
    if dtype.is_half:
        return halves.narrowed(text, text.let(f"fptrunc double {value} to float"), dtype, 1)
    how = "fptrunc" if dtype.is_floating_point else "trunc"
    return text.let(f"{how} {wide} {value} to {native}")


def known_dtype(type: Type) -> DType:
    dtype = dtype_of(type)
    assert dtype is not None, type
    return dtype


def bits_of(type: Type) -> int:
    return known_dtype(type).itemsize * 8
