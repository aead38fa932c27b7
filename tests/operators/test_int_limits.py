"""Every scalar operator that gives ints, at the limits of 64 bits: CPython's number, or the OverflowError.

An operator that is new has no meaning in `PYTHON` yet, and fails here until it gets one.
"""

from __future__ import annotations

import itertools
import math
import operator
from collections.abc import Callable
from typing import Any

import pytest

from tests.operators.test_scalars import BODIES
from tscript.definitions.opdef import Leaf, OpDef, Scalar, Structural
from tscript.definitions.rules import SCALARS
from tscript.ir.interpreter import interpret, meaning
from tscript.operators.python.overflow import wrap64
from tscript.operators.table import TABLE

KINDS = {"int", "float", "bool"}
OPERATORS = [
    op
    for op in TABLE
    if "int" in op.schema.result
    and op.schema.parameters
    and {p.kind for p in op.schema.parameters} <= KINDS
    and not isinstance(op.implementation, Leaf | Structural)  # these are positions in arrays
    and not op.name.startswith("random.")  # numbers are drawn
]

INTS = sorted(
    {s * (2**e + d) for e in (0, 1, 3, 31, 32, 62, 63) for d in (-1, 0, 1) for s in (1, -1)} | {10**18, 5 * 10**18}
)
VALUES: dict[str, list[Any]] = {
    "int": [n for n in INTS if -(2**63) <= n < 2**63],
    "bool": [False, True],
    "float": [
        0.0,
        -0.5,
        1.5,
        2.0**53,
        9.3e18,
        -(2.0**63),
        2.0**63 - 1024,
        -9.3e18,
        1e300,
        math.inf,
        -math.inf,
        math.nan,
    ],
}

TOO_LARGE = 2**200


def _power(a: int, b: int) -> int:
    if b < 0:
        raise ValueError
    return int(a ** min(b, 200 + b % 2))


def _power_of_64_bits(a: int, b: int) -> int:
    if b < 0:
        raise ValueError
    return pow(a, b, 2**64)


def _shift(a: int, b: int) -> int:
    return a << min(b, 200)


def _round(a: int, digits: int) -> int:
    return round(a, max(digits, -40))


def _factorial(n: int) -> int:
    return math.factorial(n) if n < 100 else TOO_LARGE


def _power_modulo(a: int, b: int, modulus: int) -> int:
    if modulus == -(2**63):  # its size is no int
        raise OverflowError
    return pow(a, b, modulus)


def _unsigned(a: int) -> int:
    return a % 2**64


PYTHON: dict[str, Callable[..., Any]] = {
    "add.int": operator.add,
    "sub.int": operator.sub,
    "mul.int": operator.mul,
    "floor_divide.int": operator.floordiv,
    "remainder.int": operator.mod,
    "pow.int": _power,
    "pow.mod": _power_modulo,
    "neg.int": operator.neg,
    "positive.int": operator.pos,
    "abs.int": abs,
    "bitwise_not.int": operator.invert,
    "bitwise_and.int": operator.and_,
    "bitwise_or.int": operator.or_,
    "bitwise_xor.int": operator.xor,
    "bitwise_left_shift.int": _shift,
    "bitwise_right_shift.int": operator.rshift,
    "min.int": min,
    "max.int": max,
    "divmod.int": divmod,
    "round.int": round,
    "round.int_digits": _round,
    "round.float": round,
    "int.int": int,
    "int.bool": int,
    "int.float": int,
    "math_ceil.int": math.ceil,
    "math_ceil.float": math.ceil,
    "math_floor.int": math.floor,
    "math_floor.float": math.floor,
    "math_trunc.int": math.trunc,
    "math_trunc.float": math.trunc,
    "math_factorial": _factorial,
    "math_gcd": math.gcd,
    "math_isqrt": math.isqrt,
    "math_lcm": math.lcm,
    "fits.int": _unsigned,
}
WRAPPING: dict[str, Callable[..., Any]] = {
    "wrapping_add.int": operator.add,
    "wrapping_sub.int": operator.sub,
    "wrapping_mul.int": operator.mul,
    "wrapping_shl.int": _shift,
    "wrapping_neg.int": operator.neg,
    "wrapping_abs.int": abs,
    "wrapping_floor_divide.int": operator.floordiv,
    "wrapping_pow.int": _power_of_64_bits,
    "wrapping_divmod.int": divmod,
    "wrapping_round.int_digits": lambda a, n: round(a, n) if n >= -18 else 0,
    "wrapping_math_factorial": lambda n: math.factorial(n) if n < 70 else 0,
    "wrapping_math_gcd": math.gcd,
    "wrapping_math_lcm": lambda a, b: wrap64(wrap64(abs(a)) // math.gcd(a, b) * wrap64(abs(b))) if a and b else 0,
}


def outcome(function: Callable[..., Any], args: tuple[Any, ...], wraps: bool) -> object:
    """The result, `OverflowError` where a part of it does not fit, or the class of what is raised."""
    try:
        found = function(*args)
    except (ArithmeticError, ValueError) as error:
        return type(error)
    parts = found if isinstance(found, tuple) else (found,)
    if wraps:
        parts = tuple(map(wrap64, parts))
    return OverflowError if any(not -(2**63) <= p < 2**63 for p in parts) else parts


def test_every_operator_has_a_meaning() -> None:
    assert {op.name for op in OPERATORS} == {*PYTHON, *WRAPPING}


@pytest.mark.parametrize("op", OPERATORS, ids=lambda op: op.name)
def test_limits(op: OpDef) -> None:
    model, wraps = PYTHON.get(op.name), op.name in WRAPPING
    model = WRAPPING[op.name] if model is None else model
    kinds = [p.kind for p in op.schema.parameters]
    cases = list(itertools.product(*(VALUES[kind] for kind in kinds)))
    native = None
    if isinstance(op.implementation, Scalar):
        program = BODIES.lower_body(op.implementation.body, [SCALARS[kind] for kind in kinds], op.name)
        native = lambda *args: interpret(program, args)  # noqa: E731
    for i, args in enumerate(cases[:: 1 + len(cases) // 4000]):
        expected = outcome(model, args, wraps)
        assert outcome(meaning(op, BODIES.lower_body), args, False) == expected, args
        if native is not None and i % (1 + len(cases) // 300) == 0:
            assert outcome(native, args, False) == expected, args


def test_operators_that_raise_for_ints_name_what_wraps_instead() -> None:
    """Versions: what an operator was before is there under the name that says so."""
    changed = [op for op in TABLE if op.earlier]
    assert {op.name for op in changed} <= {*PYTHON, "sum.list_int"}
    assert {op.earlier[0] for op in changed} == {"wrapping_sum.list_int", *WRAPPING}
    assert all(op.version == 2 and op.effects.raises and not op.effects.world for op in changed)
    assert all(TABLE.as_of({})[op.name].name == op.earlier[0] for op in changed)
    assert all(TABLE.as_of({op.name: 2})[op.name] is op for op in changed)
    with pytest.raises(KeyError, match=r"version 3 of the operator 'add\.int'"):
        TABLE.as_of({"add.int": 3})
