"""Scalar operators: their bodies, interpreted as the machine operators they compile to, against Python's own."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tscript.definitions.opdef import Scalar
from tscript.definitions.rules import SCALARS
from tscript.ir.interpreter import interpret, meaning
from tscript.operators.python.overflow import wrap64
from tscript.operators.table import TABLE
from tscript.pipeline.bodies import Bodies

BODIES = Bodies(TABLE)

LIMITS = (-(2**63), 2**63 - 1)
ints = st.one_of(
    st.integers(-12, 12),
    st.integers(*LIMITS),
    st.sampled_from([*LIMITS, 2**53, 2**53 + 1, -(2**53) - 1, 2**62, 10**18]),
)
floats = st.one_of(st.floats(), st.integers(-5, 5).map(float), st.sampled_from([0.5, -0.5, 1.5, 2.5, 1e300, 5e-324]))
bools = st.booleans()
KINDS: dict[str, st.SearchStrategy[Any]] = {"int": ints, "float": floats, "bool": bools}


def outcome(function: Callable[..., Any], *args: Any) -> tuple[object, ...]:
    try:
        found = function(*args)
    except (ArithmeticError, ValueError) as error:
        return type(error).__name__, str(error)
    return type(found).__name__, "nan" if found != found else repr(found)


def body(name: str) -> Callable[..., Any]:
    """The body of an operator as a function, run by the interpreter over machine operators."""
    op = TABLE[name]
    assert isinstance(op.implementation, Scalar)
    program = BODIES.lower_body(op.implementation.body, [SCALARS[p.kind] for p in op.schema.parameters], name)
    return lambda *args: interpret(program, args)


def wrapped(function: Callable[..., int]) -> Callable[..., int]:
    return lambda *args: wrap64(function(*args))


def python_pow(a: float, b: float) -> float:
    try:
        found: object = a**b
    except OverflowError as error:  # the complex power overflows, but it is not a float in the first place
        found = 1j if "complex" in str(error) else None
        if found is None:
            raise
    assert isinstance(found, float | complex)
    if isinstance(found, complex):
        raise ValueError("a negative number to a fractional power is not a float")
    return found


def python_shift(a: int, b: int) -> int:
    return a << min(b, 64)


def fitting(function: Callable[..., int], shown: str, instead: str = "") -> Callable[..., int]:
    """Python's own, or the error that says which operation does not fit."""

    def checked(*args: int) -> int:
        found = function(*args)
        if not LIMITS[0] <= found <= LIMITS[1]:
            use = f"tscript.{instead} for arithmetic modulo 2**64, or float" if instead else "float, or plain Python"
            raise OverflowError(f"int overflow: {shown.format(*args)} does not fit 64 bits; use {use}")
        return found

    return checked


def python_int(a: float) -> int:
    found = int(a)
    if not LIMITS[0] <= found <= LIMITS[1]:
        raise OverflowError("float out of range of a 64-bit int")
    return found


PYTHON: dict[str, Callable[..., Any]] = {
    "add.int": fitting(operator.add, "{0} + {1}", "wrapping_add"),
    "sub.int": fitting(operator.sub, "{0} - {1}", "wrapping_sub"),
    "mul.int": fitting(operator.mul, "{0} * {1}", "wrapping_mul"),
    "wrapping_add.int": wrapped(operator.add),
    "wrapping_sub.int": wrapped(operator.sub),
    "wrapping_mul.int": wrapped(operator.mul),
    "wrapping_shl.int": wrapped(python_shift),
    "wrapping_neg.int": wrapped(operator.neg),
    "wrapping_abs.int": wrapped(abs),
    "wrapping_floor_divide.int": wrapped(operator.floordiv),
    "div.int": operator.truediv,
    "floor_divide.int": fitting(operator.floordiv, "{0} // {1}"),
    "remainder.int": operator.mod,
    "neg.int": fitting(operator.neg, "-({0})", "wrapping_sub"),
    "positive.int": operator.pos,
    "abs.int": fitting(abs, "abs({0})"),
    "bitwise_not.int": operator.invert,
    "bitwise_and.int": operator.and_,
    "bitwise_or.int": operator.or_,
    "bitwise_xor.int": operator.xor,
    "bitwise_left_shift.int": fitting(python_shift, "{0} << {1}", "wrapping_shl"),
    "bitwise_right_shift.int": lambda a, b: a >> b,
    "min.int": min,
    "max.int": max,
    "add.float": operator.add,
    "sub.float": operator.sub,
    "mul.float": operator.mul,
    "div.float": operator.truediv,
    "floor_divide.float": operator.floordiv,
    "remainder.float": operator.mod,
    "pow.float": python_pow,
    "neg.float": operator.neg,
    "abs.float": abs,
    "min.float": min,
    "max.float": max,
    "round.float": lambda a: wrap64(round(a)) if abs(a) < 2**63 else python_int(a),
    "not.bool": operator.not_,
    "bitwise_and.bool": operator.and_,
    "bitwise_or.bool": operator.or_,
    "bitwise_xor.bool": operator.xor,
    "int.float": python_int,
    "int.bool": int,
    "float.int": float,
    "float.bool": float,
    "bool.int": bool,
    "bool.float": bool,
    **{
        f"{name}.{overload}": getattr(operator, name)
        for name in ("eq", "ne", "lt", "le", "gt", "ge")
        for overload in ("int", "float", "int_float", "float_int")
    },
    "eq.bool": operator.eq,
    "ne.bool": operator.ne,
}


@pytest.mark.parametrize("name", PYTHON)
def test_body_and_semantics_are_those_of_python(name: str) -> None:
    op, native = TABLE[name], body(name)

    @settings(max_examples=60, deadline=None)
    @given(st.tuples(*(KINDS[p.kind] for p in op.schema.parameters)))
    def agree(args: tuple[Any, ...]) -> None:
        expected = outcome(PYTHON[name], *args)
        assert outcome(native, *args) == expected
        assert outcome(op.semantics, *args) == expected

    agree()


@pytest.mark.parametrize("base", [0.0, -0.0, 1.0, -1.0, 0.5, -2.0, math.inf, -math.inf, math.nan])
@pytest.mark.parametrize("exponent", [0.0, -1.0, 0.5, 3.0, -math.inf, math.inf, math.nan])
def test_powers_of_numbers_without_an_end(base: float, exponent: float) -> None:
    expected = outcome(PYTHON["pow.float"], base, exponent)
    assert outcome(body("pow.float"), base, exponent) == expected
    assert outcome(TABLE["pow.float"].semantics, base, exponent) == expected


def test_every_overload_is_checked() -> None:
    checked = {
        *PYTHON,
        "fits.int",
        "pow.int",
        "pow.int_as_float",
        "wrapping_pow.int",
        "wrapping_round.int_digits",
        "pow.mod",
        "round.int",
        "round.int_digits",
        "round.float_digits",
    }
    trivial = {"int.int", "float.float", "bool.bool", "positive.float", "eq.dtype", "ne.dtype"}
    from tscript.operators.python.scalars import HIDDEN, OPERATORS

    assert {op.name for op in (*OPERATORS, *HIDDEN) if isinstance(op.implementation, Scalar)} == checked | trivial


@settings(max_examples=200, deadline=None)
@given(ints, st.one_of(st.integers(-3, 70), st.integers(0, LIMITS[1])))
def test_power_of_ints(a: int, b: int) -> None:
    wrapping = outcome(body("wrapping_pow.int"), a, b)
    found, meant = outcome(body("pow.int"), a, b), outcome(TABLE["pow.int"].semantics, a, b)
    assert found == meant and wrapping == outcome(TABLE["wrapping_pow.int"].semantics, a, b)
    if b < 0:
        assert found == wrapping == ("ValueError", "a negative power of an int is not an int; write float(a) ** b")
    else:
        assert wrapping[1] == repr(wrap64(pow(a, b, 2**64)))
        expected = fitting(lambda a, b: a ** min(b, 64 + b % 2), "{0} ** {1}", "wrapping_mul")
        assert found == outcome(expected, a, b)


@settings(max_examples=60, deadline=None)
@given(ints, st.integers(-70, 10))
def test_power_of_ints_as_a_float(a: int, b: int) -> None:
    expected = fitting(operator.pow, "{0} ** {1}", "wrapping_mul")
    wanted = outcome(lambda: float(a**b if b < 0 else expected(a, b)))
    if a == 0 and b < 0:
        wanted = ("ZeroDivisionError", "0.0 cannot be raised to a negative power")
    assert outcome(body("pow.int_as_float"), a, b) == wanted
    assert outcome(TABLE["pow.int_as_float"].semantics, a, b) == wanted


@settings(max_examples=100, deadline=None)
@given(st.sampled_from([-512, -128, -8, -2, -(2**21), 2**21, 8, 2, 3, -3, 7]), st.integers(0, 70))
def test_power_of_ints_at_the_limits(a: int, b: int) -> None:
    assert outcome(body("pow.int"), a, b) == outcome(fitting(operator.pow, "{0} ** {1}", "wrapping_mul"), a, b)


@settings(max_examples=60, deadline=None)
@given(ints, st.integers(0, 80), st.integers(-(2**63) + 1, 2**63 - 1))
def test_power_modulo(a: int, b: int, modulus: int) -> None:
    assert outcome(body("pow.mod"), a, b, modulus) == outcome(pow, a, b, modulus)


@settings(max_examples=200, deadline=None)
@given(st.one_of(ints, st.integers(-(10**15), 10**15)), st.one_of(st.integers(-21, 4), st.integers(*LIMITS)))
def test_round_of_ints(a: int, digits: int) -> None:
    expected = outcome(fitting(lambda a, n: round(a, max(n, -20)), "round({0}, {1})"), a, digits)
    assert outcome(body("round.int_digits"), a, digits) == expected
    assert outcome(TABLE["round.int_digits"].semantics, a, digits) == expected


@settings(max_examples=400, deadline=None)
@given(
    st.one_of(
        st.floats(-1e9, 1e9),
        st.floats(),
        st.integers(-(10**9), 10**9).map(lambda i: i / 1000),
        st.integers(-999, 999).map(lambda i: i / 8),
    ),
    st.integers(-20, 12),
)
def test_round_of_floats(a: float, digits: int) -> None:
    if math.isfinite(a):
        assert outcome(body("round.float_digits"), a, digits) == outcome(round, a, digits)
    else:
        assert repr(body("round.float_digits")(a, digits)) == repr(a)


@pytest.mark.parametrize(
    ("a", "digits"),
    [
        (2.675, 2),
        (1.005, 2),
        (0.5, 0),
        (1.5, 0),
        (2.5, 0),
        (-0.4, 0),
        (1e22, 2),
        (0.1, 17),
        (5e-324, 10),
        (25.0, -1),
        (-35.0, -1),
        (1.7e308, -308),
        (0.05, 1),
        (-0.05, 1),
        (0.15, 1),
        (0.005, 2),
        (0.00025, 4),
        (0.00095, 4),
    ],
)
def test_round_of_awkward_floats(a: float, digits: int) -> None:
    assert outcome(body("round.float_digits"), a, digits) == outcome(round, a, digits)


@settings(max_examples=300, deadline=None)
@given(st.integers(-(10**5), 10**5), st.integers(0, 8))
def test_round_of_floats_that_are_nearly_halves(a: int, digits: int) -> None:
    near = (10 * a + 5) / 10 ** (digits + 1)
    assert body("round.float_digits")(near, digits) == round(near, digits)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (2**63 - 1, 2**63 - 1),
        (-(2**63), -(2**63)),
        (-(2**63), 2**53 + 1),
        (2**63 - 1, 3),
        (1, 2**63 - 1),
        (7, -(2**63)),
    ],
)
def test_true_division_rounds_once(a: int, b: int) -> None:
    assert body("div.int")(a, b) == a / b


@pytest.mark.parametrize("overload", ["int", "float"])
def test_divmod(overload: str) -> None:
    semantics = meaning(TABLE[f"divmod.{overload}"], BODIES.lower_body)
    number = int if overload == "int" else float
    for a, b in ((7, 2), (-7, 2), (7, -2), (-7, -2)):
        assert semantics(number(a), number(b)) == divmod(number(a), number(b))
    with pytest.raises(ZeroDivisionError):
        semantics(number(1), number(0))


def test_texts_and_dtypes() -> None:
    from tscript.types import dtypes

    assert TABLE["eq.str"].semantics("a", "a") is True
    assert TABLE["len.str"].semantics("naïve") == 5
    assert TABLE["eq.dtype"].semantics(dtypes.float32, dtypes.float32) is True
    assert TABLE["ne.dtype"].semantics(dtypes.float32, dtypes.int8) is True
