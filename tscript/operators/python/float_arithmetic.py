"""Arithmetic of floats. Each body has CPython's meaning and raises its messages, those of 3.11."""

# mypy: disable-error-code="no-any-return"
from __future__ import annotations

from tscript.abi.python import PYTHON
from tscript.definitions.define import composite, scalar
from tscript.definitions.opdef import OpDef
from tscript.dialect import copysign, divide, f64, fabs, floor, leaf, libm, machine
from tscript.operators.python.int_arithmetic import greater, lesser, same


def div_float(a: f64, b: f64) -> f64:
    if b == 0.0:
        raise ZeroDivisionError("float division by zero")
    return divide(a, b)


def float_mod(a: f64, b: f64) -> f64:
    """The remainder with the sign of b; b is not zero."""
    m = libm.fmod(a, b)
    if m == 0.0:
        return copysign(0.0, b)
    if (m < 0.0) != (b < 0.0):
        m = m + b
    return m


def float_floor(a: f64, b: f64) -> f64:
    """The floor of a / b, exact as CPython's; b is not zero."""
    m = libm.fmod(a, b)
    d = divide(a - m, b)
    if m != 0.0:
        if (m < 0.0) != (b < 0.0):
            d = d - 1.0
    if d == 0.0:
        return copysign(0.0, divide(a, b))
    f = floor(d)
    if d - f > 0.5:
        f = f + 1.0
    return f


def floor_divide_float(a: f64, b: f64) -> f64:
    if b == 0.0:
        raise ZeroDivisionError("float floor division by zero")
    return float_floor(a, b)


def remainder_float(a: f64, b: f64) -> f64:
    if b == 0.0:
        if PYTHON >= 313:
            raise ZeroDivisionError("float modulo by zero")
        raise ZeroDivisionError("float modulo")
    return float_mod(a, b)


def divmod_float(a: float, b: float) -> tuple[float, float]:
    if b == 0.0:
        raise ZeroDivisionError("float divmod()")
    return (a // b, a % b)


OPERATORS: tuple[OpDef, ...] = (
    scalar("add.float(float a, float b) -> float", leaf(machine.ADD), "Sum of two floats."),
    scalar("sub.float(float a, float b) -> float", leaf(machine.SUB), "Difference of two floats."),
    scalar("mul.float(float a, float b) -> float", leaf(machine.MUL), "Product of two floats."),
    scalar("div.float(float a, float b) -> float", div_float, "Quotient; by zero raises.", raises=True),
    scalar("floor_divide.float(float a, float b) -> float", floor_divide_float, "``a // b``.", raises=True),
    scalar("remainder.float(float a, float b) -> float", remainder_float, "``a % b``.", raises=True),
    scalar("neg.float(float a) -> float", leaf(machine.NEG), "``-a``."),
    scalar("positive.float(float a) -> float", same, "``+a``."),
    scalar("abs.float(float a) -> float", fabs, "Absolute value."),
    scalar("min.float(float a, float b) -> float", lesser, "The lesser; the first of equals."),
    scalar("max.float(float a, float b) -> float", greater, "The greater; the first of equals."),
    composite(
        "divmod.float(float a, float b) -> (float, float)",
        divmod_float,
        "``(a // b, a % b)``.",
        exact=True,
    ),
)
"""All operators of this module."""
