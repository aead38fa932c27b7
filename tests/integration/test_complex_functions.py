"""`cmath` in compiled code: CPython's results, signs of zeros, infinities and errors included."""

from __future__ import annotations

import cmath
import math
import random
from collections.abc import Callable
from typing import Any

import pytest

import tscript
from tests.integration.harness import function_of
from tscript.diagnostics import CompileError
from tscript.operators.python.functions import complex_functions

PARTS = (
    -math.inf, -3.0, -1.0, -0.5, -0.0, 0.0, 0.5, 1.0, 2.0, math.inf, math.nan, 1e308, -1.7e308, 5e-324, 1e-310,
    1e200, 710.0, -712.0,
)  # fmt: skip
UNARY = (
    "acos", "acosh", "asin", "asinh", "atan", "atanh", "cos", "cosh", "exp", "isfinite", "isinf", "isnan", "log",
    "log10", "phase", "polar", "sin", "sinh", "sqrt", "tan", "tanh",
)  # fmt: skip
ULPS = 2
"""What the hypotenuse of `math` and that of the C library may make of a result."""


def _outcome(function: Callable[..., Any], *args: Any) -> Any:
    try:
        found = function(*args)
    except (ValueError, OverflowError) as error:
        return type(error), str(error)
    return (found.real, found.imag) if isinstance(found, complex) else found


def _is_close(a: Any, b: Any) -> bool:
    if isinstance(a, tuple) and isinstance(b, tuple):
        return len(a) == len(b) and all(map(_is_close, a, b))
    if isinstance(a, float) and isinstance(b, float):
        if a != a or b != b:
            return a != a and b != b
        same = math.copysign(1.0, a) == math.copysign(1.0, b)
        return same and (a == b or abs(a - b) <= ULPS * math.ulp(b))
    return bool(a == b)


def _underflows(name: str, z: complex) -> bool:
    """Whether CPython takes an angle too small for a normal float for an error of `phase`, as its C library does."""
    return name in ("phase", "polar") and abs(cmath.log(z).imag if z else 0.0) < 1e-300


@pytest.mark.parametrize("name", UNARY)
def test_values(name: str) -> None:
    python, ours = getattr(cmath, name), getattr(complex_functions, name)
    drawn = random.Random(name)
    for z in [complex(a, b) for a in PARTS for b in PARTS] + [
        complex(drawn.gauss(0, 3), drawn.gauss(0, 3)) for _ in range(300)
    ]:
        if not _underflows(name, z):
            assert _is_close(_outcome(ours, z), _outcome(python, z)), z


def test_rect() -> None:
    for r in PARTS:
        for phi in PARTS:
            found = _outcome(complex_functions.rect, r, phi)
            assert _is_close(found, _outcome(cmath.rect, r, phi)), (r, phi)


def test_logarithms_of_a_base() -> None:
    for z in (0j, 1 + 0j, 2 - 1j, complex(-0.0, 0.0), complex(math.inf, 1.0)):
        for base in (0j, 1 + 0j, 10 + 0j, -1 + 0.5j):
            assert _is_close(_outcome(complex_functions.log, z, base), _outcome(cmath.log, z, base)), (z, base)


@pytest.mark.parametrize("name", UNARY)
def test_compiled(harness: Any, name: str) -> None:
    harness.agree_all(
        f"import cmath\n\ndef f(z: complex):\n    return cmath.{name}(z)\n",
        [(0.25 - 1.5j,), (complex(-0.0, 2.0),), (complex(math.inf, math.nan),)],
    )


def test_numbers_constants_and_keywords(harness: Any) -> None:
    harness.agree_all(
        "import cmath\nfrom cmath import pi, rect as turned\n\nBASE = 10\n\n"
        "def f(z: complex, x: float, n: int, b: bool):\n"
        "    return (cmath.exp(x), cmath.sqrt(-n), cmath.cos(b), cmath.log(n, BASE), cmath.log(z, 2), turned(n, pi), "
        "cmath.isclose(z, x, rel_tol=0.5, abs_tol=1), cmath.isclose(z, z + 1e-12), cmath.infj, cmath.tau, cmath.e)\n",
        [(1 + 2j, 0.5, 3, True), (complex(math.inf, 0.0), -1.5, 7, False)],
    )


@pytest.mark.parametrize(
    ("call", "argument"),
    [("log(z)", 0j), ("log10(z)", 0j), ("exp(z)", 1000 + 1j), ("atanh(z)", 1 + 0j), ("cos(z)", complex(math.inf, 0.0)),
     ("polar(z)", complex(1.5e308, 1.5e308)), ("log(2.0, z)", 1 + 0j), ("isclose(z, 1.0, rel_tol=-1.0)", 1j)],
)  # fmt: skip
def test_errors(harness: Any, call: str, argument: complex) -> None:
    harness.agree_all(f"import cmath\n\ndef f(z: complex):\n    return cmath.{call}\n", [(argument,)])


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("cmath.sqrt('a')", "sqrt() expects complex for 'z', found str"),
        ("cmath.sqrt(z, z)", "sqrt"),
        ("cmath.nothing(z)", "'cmath' has no 'nothing' that can be compiled"),
    ],
)
def test_mistakes(body: str, message: str) -> None:
    with pytest.raises(CompileError) as caught:
        tscript.script(function_of(f"import cmath\n\ndef f(z: complex):\n    return {body}\n"))
    assert message in str(caught.value)
