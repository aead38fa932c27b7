"""Every leaf operator, alone and in vectors, against its meaning on values, over the awkward operands of every type."""

from __future__ import annotations

import ctypes
import itertools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import tscript
from tscript.backend.llvm.machine import EMITTERS, emit_leaf
from tscript.backend.llvm.target import Target
from tscript.backend.llvm.text import Text
from tscript.backend.llvm.types import literal, llvm_type, memory_type
from tscript.backend.loader.optimise import compile_text
from tscript.backend.loader.session import Session
from tscript.definitions.opdef import Leaf, OpDef, OperatorTypeError
from tscript.definitions.values import cast, widen
from tscript.dialect import machine
from tscript.dialect.machine import LEAVES
from tscript.ir.graph import Value
from tscript.types import (
    BOOL,
    F32,
    FLOAT,
    I8,
    I32,
    INT,
    NONE,
    TYPE,
    PtrType,
    TupleType,
    Type,
    dtype_of,
    dtypes,
    machine_type,
)

TYPES = tuple(machine_type(d) for d in dtypes.DTYPES)
INTEGERS: tuple[int, ...] = (0, 1, -1, 2, 3, -3, 7, 8, 31, 33, 63, 64, 100, -128, 127, 128, 255)
INTEGERS += (2**31 - 1, -(2**31), 2**63 - 1, -(2**63))
FLOATS: tuple[float, ...] = (
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    1.5,
    2.5,
    -2.5,
    0.49999997,
    3.7,
    -3.7,
    127.6,
    255.5,
    -128.9,
    2147483647.5,
    9.3e18,
)
FLOATS += (-9.3e18, 1e30, 1e-40, 5e-324, 3e38, 1.7e308, math.inf, -math.inf, math.nan)

BINARY: tuple[OpDef, ...] = (
    machine.ADD,
    machine.SUB,
    machine.MUL,
    machine.DIV,
    machine.QUOT,
    machine.REM,
    machine.AND,
    machine.OR,
)
BINARY += (machine.XOR, machine.SHL, machine.SHR, machine.EQ, machine.NE)
BINARY += (machine.LT, machine.LE, machine.GT, machine.GE)
OVERFLOWS = (machine.ADD_OVERFLOWS, machine.SUB_OVERFLOWS, machine.MUL_OVERFLOWS)
UNARY = (machine.NEG, machine.NOT)
FLOATING = (machine.SQRT, machine.FABS, machine.FLOOR, machine.CEIL, machine.TRUNC, machine.RINT, machine.COPYSIGN)
INTEGRAL = (machine.QUOT, machine.REM, machine.AND, machine.OR, machine.XOR, machine.SHL, machine.SHR, machine.NOT)


class Arg:
    def __init__(self, type: Type, constant: object = None) -> None:
        self.type = type
        self.constant = constant


def is_float(type: Type) -> bool:
    dtype = dtype_of(type)
    return dtype is not None and dtype.is_floating_point


def values_of(type: Type) -> list[Any]:
    source: Sequence[Any] = FLOATS if is_float(type) else (False, True) if type == BOOL else INTEGERS
    found = [machine.wrap(v, type) for v in source]
    return found if is_float(type) else list(dict.fromkeys(found))


def meaning(op: OpDef, args: Sequence[Any], types: Sequence[Type], result: Type) -> Any:
    """What the operator gives for values, in the type of the result."""
    if op in (machine.SHL, machine.SHR):
        dtype = dtype_of(types[0])
        assert dtype is not None
        args = (args[0], int(args[1]) & (dtype.itemsize * 8 - 1))
    if op is machine.CONVERT:
        return op.semantics(args[0], result)
    return machine.wrap(op.semantics(*args), result)


def function(
    name: str,
    op: OpDef,
    types: Sequence[Type],
    result: Type,
    lanes: int,
    features: frozenset[str] = frozenset(),
) -> tuple[str, dict[str, str]]:
    """``void name(ptr out, ptr a, ptr b …)``, on one vector of operands."""
    text = Text(features=features)
    args = []
    for i, type in enumerate(types):
        memory = memory_type(type, lanes)
        value = text.let(f"load {memory}, ptr %a{i}, align 1")
        zero = "zeroinitializer" if lanes > 1 else "0"
        args.append(text.let(f"icmp ne {memory} {value}, {zero}") if type == BOOL else value)
    found = emit_leaf(text, op, args, types, result, lanes)
    if result == BOOL:
        found = text.let(f"zext {llvm_type(BOOL, lanes)} {found} to {memory_type(BOOL, lanes)}")
    text.line(f"store {memory_type(result, lanes)} {found}, ptr %out, align 1")
    text.terminate("ret void")
    pointers = "".join(f", ptr %a{i}" for i in range(len(types)))
    return text.function(f"define void @{name}(ptr %out{pointers})"), text.declarations


def cases() -> list[tuple[OpDef, tuple[Type, ...], Type]]:
    out: list[tuple[OpDef, tuple[Type, ...], Type]] = []
    for type in TYPES:
        for op in (*BINARY, *UNARY, *FLOATING):
            if op in (INTEGRAL if is_float(type) else FLOATING):
                continue
            operands = (type,) * len(op.schema.parameters)
            try:
                result = op.type_rule([Arg(t) for t in operands])
            except OperatorTypeError:
                continue
            out.append((op, operands, result))
        if type == INT:
            out += [(op, (INT, INT), BOOL) for op in OVERFLOWS]
        out.append((machine.SELECT, (BOOL, type, type), type))
        out += [(machine.CONVERT, (type,), other) for other in TYPES]
    return out


@pytest.fixture(scope="module", params=[0, 2])
def compiled(request: pytest.FixtureRequest) -> Any:
    """All cases in one module, scalar and in vectors of 8; addresses by case and lanes."""
    target = Target.host()
    declarations: dict[str, str] = {}
    functions, names = [], {}
    for number, (op, types, result) in enumerate(cases()):
        for lanes in (1, 8):
            name = names[number, lanes] = f"f{number}_{lanes}"
            body, needed = function(name, op, types, result, lanes)
            functions.append(body)
            declarations.update(needed)
    head = f'target triple = "{target.triple}"\ntarget datalayout = "{target.data_layout}"\n'
    text = head + "\n".join([*declarations.values(), *functions]) + "\n"
    library = Session(target).load(compile_text(text, target, request.param))
    return {key: library.address(name) for key, name in names.items()}


def same(found: Any, expected: Any) -> bool:
    if isinstance(expected, float):
        if math.isnan(expected):
            return math.isnan(found)
        return bool(found == expected and math.copysign(1, found) == math.copysign(1, expected))
    return bool(found == expected)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("lanes", [1, 8])
def test_leaves_compute_what_they_mean(compiled: Any, lanes: int) -> None:
    for number, (op, types, result) in enumerate(cases()):
        rows = list(itertools.product(*map(values_of, types)))
        if len(types) == 3:
            rows = rows[:: max(1, len(rows) // 64)]
        rows += list(itertools.islice(itertools.cycle(rows), -len(rows) % lanes))
        columns = [_array([row[i] for row in rows], type) for i, type in enumerate(types)]
        out = _array([0] * len(rows), result)
        call = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * (1 + len(types)))(compiled[number, lanes])
        for at in range(0, len(rows), lanes):
            call(out[at:].ctypes.data, *(c[at:].ctypes.data for c in columns))
        for row, found in zip(rows, widen(out).tolist(), strict=True):
            expected = meaning(op, row, types, result)
            assert same(found, expected), f"{op.name} of {row}: {', '.join(map(str, types))} -> {result}"


def _array(values: Sequence[Any], type: Type) -> Any:
    dtype = dtype_of(type)
    assert dtype is not None
    return cast(np.array(values), dtype) if dtype.is_half else np.array(values, np.dtype(dtype.name))


def _name(type: Type) -> str:
    dtype = dtype_of(type)
    assert dtype is not None
    return dtype.name


def test_every_leaf_has_an_emitter() -> None:
    assert [op.name for op in LEAVES if isinstance(op.implementation, Leaf) and op not in EMITTERS] == []


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("type", [F32, FLOAT], ids=str)
def test_numbers_are_scaled_in_one_rounding_by_every_processor(type: Type) -> None:
    kind = np.dtype(_name(type)).type
    info = np.finfo(kind)
    lanes = 64 // info.dtype.itemsize
    powers = np.arange(int(info.minexp) - info.nmant - 2, int(info.maxexp) + 2)
    powers = np.repeat(powers, lanes)
    x = np.random.default_rng(5).uniform(0.5, 2.0, len(powers)).astype(kind)
    shifted = (powers + 1.5 * 2.0**info.nmant).astype(kind)
    with np.errstate(all="ignore"):
        expected = np.ldexp(x, powers)
    target = Target.host()
    head = f'target triple = "{target.triple}"\ntarget datalayout = "{target.data_layout}"\n'
    for lanes_used, features in ((lanes, target.enabled), (lanes, frozenset[str]()), (1, target.enabled)):
        body, needed = function("f", machine.SCALED, (type, type), type, lanes_used, features)
        text = head + "\n".join([*needed.values(), body]) + "\n"
        library = Session(target).load(compile_text(text, target, 2))
        call = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 3)(library.address("f"))
        out = np.zeros_like(x)
        for at in range(0, len(x), lanes_used):
            call(out[at:].ctypes.data, x[at:].ctypes.data, shifted[at:].ctypes.data)
        assert out.tobytes() == expected.tobytes()
    assert [kind(machine.SCALED.semantics(float(a), float(b))) for a, b in zip(x, shifted, strict=True)] == [*expected]


def test_types() -> None:
    assert llvm_type(BOOL) == "i1" and memory_type(BOOL) == "i8" and memory_type(BOOL, 16) == "<16 x i8>"
    assert llvm_type(F32, 16) == "<16 x float>" and llvm_type(PtrType(F32)) == "ptr" and llvm_type(NONE) == "void"
    with pytest.raises(TypeError, match="no native type"):
        llvm_type(TupleType((INT, INT)))


def test_literals() -> None:
    assert literal(300, I8) == "44" and literal(-1, INT) == "-1" and literal(True, BOOL) == "true"
    assert literal(0.1, F32) == "0x3FB99999A0000000"
    assert literal(math.nan, F32) == "0x7FF8000000000000" and literal(-math.inf, F32) == "0xFFF0000000000000"
    assert literal(1, I32, 4) == "splat (i32 1)"
    assert literal(None, PtrType(F32)) == "null"
    with pytest.raises(TypeError, match="no literal"):
        literal(int, TYPE)


@pytest.mark.parametrize("divisor", ["3", "-2", "splat (i32 5)"])
def test_division_by_a_safe_constant_is_one_instruction(divisor: str) -> None:
    text = Text()
    lanes = 4 if divisor.startswith("splat") else 1
    emit_leaf(text, machine.QUOT, ["%a", divisor], [I32, I32], I32, lanes)
    assert text.function("define void @f()").count(" = ") == 1


def test_arithmetic_has_no_fast_math_flags() -> None:
    text = Text()
    for op in (machine.ADD, machine.SUB, machine.MUL, machine.DIV, machine.NEG, machine.LT):
        emit_leaf(text, op, ["%a", "%b"][: len(op.schema.parameters)], [F32, F32], F32, 16)
    written = text.function("define void @f()")
    assert not any(flag in written for flag in ("fast", "contract", "reassoc", "nnan", "nsz"))


def test_floats_that_fit_become_ints() -> None:
    @tscript.script
    def whole(x: float) -> int:
        return int(x)

    values = (0.0, -0.0, 0.9, -0.9, 3.7, -3.7, 2.0**53 + 1, 2.0**63 - 1024, -(2.0**63) + 1024, -(2.0**63), 5e-324)
    for value in values:
        assert machine.FITTING.semantics(value) == whole(value) == int(value)
    for value in (2.0**63, -(2.0**63) - 2048, math.inf, -math.inf, 1e300):
        with pytest.raises(OverflowError):
            whole(value)
    with pytest.raises(ValueError, match="NaN"):
        whole(math.nan)
    with pytest.raises(OperatorTypeError):
        machine.FITTING.type_rule([Value(INT)])
