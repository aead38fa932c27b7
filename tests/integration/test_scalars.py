"""Scalars and control flow: every form of the language, in every way it can run."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest

Agree = Callable[..., Any]

INTS = [(0, 1), (7, 3), (-7, 3), (7, -3), (-7, -3), (5, 0), (2**62, 3), (-(2**63), 1)]
FLOATS = [(0.0, 1.0), (7.5, 2.0), (-7.5, 2.0), (7.5, -2.0), (-0.0, 3.0), (1.0, 0.0), (math.inf, 2.0), (2.0, math.inf)]


def _function(expression: str, types: tuple[str, ...], result: str) -> str:
    parameters = ", ".join(f"{n}: {t}" for n, t in zip("abc", types, strict=False))
    return f"def f({parameters}) -> {result}:\n    return {expression}\n"


@pytest.mark.parametrize("operator", ["//", "%", "&", "|", "^", "==", "!=", "<", "<=", ">", ">="])
def test_operators_of_ints(agree: Agree, operator: str) -> None:
    result = "bool" if operator[0] in "=!<>" else "int"
    for a, b in INTS:
        agree(_function(f"a {operator} b", ("int", "int"), result), a, b)


@pytest.mark.parametrize("operator", ["+", "-", "*"])
def test_arithmetic_of_ints(agree: Agree, operator: str) -> None:
    for a, b in INTS:
        exact = {"+": a + b, "-": a - b, "*": a * b}[operator]
        found = agree(_function(f"a {operator} b", ("int", "int"), "int"), a, b, python=False)
        if -(2**63) <= exact < 2**63:
            assert found.value == exact
        else:
            assert found.error[0] is OverflowError


@pytest.mark.parametrize("operator", ["+", "-", "*", "/", "//", "%", "==", "!=", "<", "<=", ">", ">="])
def test_operators_of_floats(agree: Agree, operator: str) -> None:
    result = "bool" if operator[0] in "=!<>" else "float"
    for a, b in FLOATS:
        agree(_function(f"a {operator} b", ("float", "float"), result), a, b)


@pytest.mark.parametrize(
    ("expression", "args"),
    [
        ("a / b", [(7, 2), (1, 0), (2**62 + 1, 3)]),
        ("a ** b", [(2, 10), (-3, 3), (5, 0), (0, 0)]),
        ("a << b", [(1, 5), (3, 0), (1, -1)]),
        ("a >> b", [(-9, 1), (9, 70), (1, -1)]),
        ("-a + ~b", [(5, 3), (0, -1)]),
        ("+a", [(5, 0)]),
        ("abs(a) + min(a, b) * max(a, b)", [(-5, 3), (2, 2)]),
        ("pow(a, b, 7)", [(3, 20), (2, 0)]),
        ("int(a > b) + int(bool(a))", [(1, 0), (0, 0)]),
        ("round(a) + round(a, -1) + round(b, 2)", [(15, 25), (-25, 35)]),
        ("float(a) / 3 + b", [(7, 2)]),
        ("divmod(a, b)", [(7, 2), (-7, 2), (7, 0)]),
    ],
)
def test_expressions_of_ints(agree: Agree, expression: str, args: list[tuple[int, int]]) -> None:
    result = "float" if "/" in expression else "tuple[int, int]" if "divmod" in expression else "int"
    for a, b in args:
        agree(_function(expression, ("int", "int"), result), a, b)


@pytest.mark.parametrize(
    ("expression", "args"),
    [
        ("a ** b", [(2.0, 0.5), (-2.0, 3.0), (0.0, 0.0), (0.0, -1.0), (10.0, 400.0)]),
        ("round(a, 2) + round(b, -1)", [(2.675, 15.0), (-0.125, 25.0)]),
        ("float(round(a)) + b", [(2.5, 0.0), (3.5, 0.0), (-2.5, 0.0), (math.nan, 0.0), (math.inf, 0.0)]),
        ("float(int(a)) - b", [(2.9, 0.5), (-2.9, 0.5), (math.nan, 0.0), (-math.inf, 0.0)]),
        ("abs(a) + min(a, b) - max(a, b)", [(-1.5, 2.0), (-0.0, 0.0)]),
        ("-a", [(0.0, 0.0), (math.inf, 1.0)]),
    ],
)
def test_expressions_of_floats(agree: Agree, expression: str, args: list[tuple[float, float]]) -> None:
    for a, b in args:
        agree(_function(expression, ("float", "float"), "float"), a, b)


def test_division_with_remainder_of_floats(agree: Agree) -> None:
    for a, b in FLOATS:
        agree(_function("divmod(a, b)", ("float", "float"), "tuple[float, float]"), a, b)


def test_a_negative_power_of_an_int(agree: Agree) -> None:
    found = agree(_function("a ** b", ("int", "int"), "int"), 2, -1, python=False)
    assert found.error is not None
    assert found.error[0] is ValueError
    assert "float(a) ** b" in found.error[1]


UNARY = sorted(
    "acos acosh asin asinh atan atanh cbrt cos cosh degrees erf erfc exp exp2 expm1 fabs gamma lgamma log "
    "log1p log2 log10 "
    "radians sin sinh sqrt tan tanh ulp ceil floor trunc isfinite isinf isnan".split()
)


@pytest.mark.parametrize("name", UNARY)
def test_math_of_one_float(agree: Agree, name: str) -> None:
    result = {"ceil": "int", "floor": "int", "trunc": "int", "isfinite": "bool", "isinf": "bool", "isnan": "bool"}
    source = _function(f"math.{name}(a)", ("float",), result.get(name, "float"))
    for a in (0.5, -0.5, 0.0, -0.0, 1.0, -1.0, 2.75, -3.0, 1000.0, math.inf, -math.inf, math.nan):
        agree(source, a, message=False)


@pytest.mark.parametrize("name", ["atan2", "copysign", "fmod", "hypot", "log", "nextafter", "pow", "remainder"])
def test_math_of_two_floats(agree: Agree, name: str) -> None:
    for a, b in [*FLOATS, (2.0, 1.0), (-8.0, 1 / 3)]:
        agree(_function(f"math.{name}(a, b)", ("float", "float"), "float"), a, b, message=False)


@pytest.mark.parametrize("name", ["gcd", "lcm", "factorial", "isqrt"])
def test_math_of_ints(agree: Agree, name: str) -> None:
    for a, b in [(12, 18), (0, 5), (-4, 6), (20, 0), (-1, 0)]:
        call = f"math.{name}(a, b)" if name in ("gcd", "lcm") else f"math.{name}(a) + b"
        agree(_function(call, ("int", "int"), "int"), a, b, message=False)


def test_math_constants_and_other_signatures(agree: Agree) -> None:
    agree(_function("math.pi * a + math.e - math.tau", ("float",), "float"), 1.5)
    agree(_function("math.ldexp(a, 3)", ("float",), "float"), 0.75)
    agree(_function("math.isclose(a, 1.0, rel_tol=0.1)", ("float",), "bool"), 1.05)
    agree(_function("math.isclose(a, 1.0, abs_tol=-0.1)", ("float",), "bool"), 1.05, message=False)
    agree(_function("a < math.inf", ("float",), "bool"), math.nan)


CONTROL = {
    "if_elif_else": """
def f(n: int) -> int:
    if n < 0:
        r = -1
    elif n == 0:
        r = 0
    elif n > 10:
        return 99
    else:
        r = n * 2
    return r + 1
""",
    "while_else": """
def f(n: int) -> int:
    i = 0
    while i < n:
        i += 3
        if i == 6:
            break
    else:
        return i + 100
    return i
""",
    "nested_loops": """
def f(n: int) -> int:
    total = 0
    for i in range(n):
        for j in range(i, n, 2):
            if j == 7:
                break
            if (i + j) % 3 == 0:
                continue
            total += i * j
            if total > 500:
                return -total
        else:
            total += 1000
            continue
        total -= 1
    return total
""",
    "for_else": """
def f(n: int) -> int:
    for d in range(2, n):
        if n % d == 0:
            r = d
            break
    else:
        r = 0
    return r
""",
    "downward": """
def f(n: int) -> int:
    s = 0
    for i in range(n, -3, -2):
        s = s * 3 + i
    return s
""",
    "zero_step": """
def f(n: int) -> int:
    s = 0
    for i in range(0, 10, n - 1):
        s += i
    return s
""",
    "counter_changed": """
def f(n: int) -> int:
    s = 0
    for i in range(n):
        i = i * 2
        s += i
    return s
""",
    "while_true": """
def f(n: int) -> int:
    i = 0
    while True:
        i += 1
        if i * i > n:
            return i
        if i > 100:
            break
    return -1
""",
    "swap": """
def f(n: int) -> int:
    a, b = 0, 1
    for _ in range(n):
        a, b = b, a + b
    return a
""",
    "ternary": """
def f(n: int) -> int:
    return (1 if n > 3 else 2 if n > 1 else 3) * (10 if n % 2 else 20)
""",
    "chained": """
def f(n: int) -> bool:
    return 0 < n <= 5 != 3 and not n == 4
""",
    "and_or_values": """
def f(n: int) -> int:
    return (n and 7) + (n - 1 or 5) * (n * 2 and n or 11)
""",
    "recursion": """
def f(n: int) -> int:
    if n < 2:
        return n
    return f(n - 1) + f(n - 2)
""",
    "mutual_recursion": """
def odd(n: int) -> bool:
    return False if n == 0 else even(n - 1)

def even(n: int) -> bool:
    return True if n == 0 else odd(n - 1)

def f(n: int) -> bool:
    return even(n + 2)
""",
    "calls": """
SCALE = 3
OFFSET = (4, 5)

def helper(x: int, by: int = SCALE, *, shift: int = 1) -> int:
    if x > 5:
        return x * by
    return x * by + shift

def f(n: int) -> int:
    return helper(n) + helper(n, 2) * helper(by=n, x=n + 4, shift=OFFSET[1]) - helper(n, shift=7)
""",
    "tuples": """
def split(n: int) -> tuple[int, float]:
    return n // 2, n / 2

def f(n: int) -> tuple[int, float, tuple[bool, int]]:
    a, (b, c) = n, split(n)
    t = (a, b)
    (x, y), z = t, c
    return x + y, z, (n > 2, t[0] + t[-1] + len(t))
""",
    "augmented": """
def f(n: int) -> int:
    a = n
    a += 3
    a -= 1
    a *= 5
    a //= 2
    a %= 7
    a <<= 4
    a >>= 1
    a |= 9
    a &= 61
    a ^= 5
    a **= 2
    return a
""",
    "asserts": """
def f(n: int) -> int:
    assert n != 3
    assert n < 5, f"n is {n}"
    if n == 4:
        raise ValueError("four")
    if n == -2:
        raise RuntimeError
    return n
""",
    "raise_in_callee": """
def g(n: int) -> int:
    if n % 2:
        raise KeyError("odd")
    return n

def f(n: int) -> int:
    s = 0
    for i in range(0, n + 1, 2):
        s += g(i) + g(n)
    return s
""",
    "raise_in_branch": """
def f(n: int) -> int:
    if n > 2:
        r = n
    else:
        raise IndexError("small")
    return r
""",
    "type_rebound": """
def f(n: int) -> float:
    x = n
    y = x + 1
    x = 1.5
    return x * y
""",
    "shadowing": """
def f(n: int) -> int:
    max = n + 1
    len = 2
    return max * len
""",
    "annotated": """
def f(n: int) -> float:
    x: float = n
    y: int
    y = 3
    return x / y
""",
    "none": """
def f(n: int) -> None:
    if n > 3:
        return
    n += 1
""",
    "nested_functions_of_loops": """
def f(n: int) -> int:
    s = 0
    i = 0
    while i < n:
        j = 0
        while True:
            j += 1
            if j > i:
                break
            if j == 2:
                continue
            s += j
        i += 1
        if s > 40:
            return s
    else:
        s = -s
    return s
""",
    "not_and_or": """
def f(n: int) -> bool:
    return not (n > 1 and (n < 5 or n == 7)) or n == 3
""",
    "bool_arithmetic": """
def f(n: int) -> int:
    b = n > 2
    return int(b) + (3 if b else 4)
""",
    "early_return_in_loops": """
def f(n: int) -> int:
    for i in range(10):
        for j in range(10):
            while j < 100:
                if i * j == n:
                    return i * 100 + j
                break
    return -1
""",
}


@pytest.mark.parametrize("name", CONTROL)
def test_control_flow(agree: Agree, name: str) -> None:
    for n in (-2, 0, 1, 3, 4, 5, 9, 12):
        agree(CONTROL[name], n)


def test_closures_and_globals(agree: Agree, integration: Any) -> None:
    def make(k: int) -> Callable[[int], int]:
        factor = k * 2

        def f(n: int) -> int:
            return n * factor

        return f

    assert agree(make(3), 7).value == 42
    assert agree(make(4), 7).value == 56


def test_the_middle_of_a_chained_comparison_runs_once(agree: Agree) -> None:
    source = """
def g(x):
    x += 1
    return x[0].item() > 0

def f(x):
    r = False < g(x) <= True
    return x, r
"""
    import numpy as np

    agree(source, np.zeros(2, np.float32), python=False)


def test_an_int_given_for_a_float(agree: Agree) -> None:
    source = "def f(a: float, b: float = 2) -> float:\n    return a / b\n"
    assert agree(source, 3).value == 1.5
    assert agree(source, True, 4).value == 0.25


def test_keywords_and_defaults(agree: Agree) -> None:
    source = "def f(a: int, b: int = 5, *, c: int = 7, d: float) -> float:\n    return a * 100 + b * 10 + c + d\n"
    agree(source, 1, kwargs={"d": 0.5})
    agree(source, 1, 2, kwargs={"d": 0.5, "c": 3})
    agree(source, kwargs={"d": 0.5, "b": 3, "a": 9})


def test_deep_recursion_ends_in_recursion_error(harness: Any, integration: Any) -> None:
    import tscript

    f = tscript.script(integration.function_of("def f(n: int) -> int:\n    return 0 if n < 0 else 1 + f(n + 1)\n"))
    assert f(-1) == 0
    found = harness.native(f, (1,), {})
    assert found.error == (RecursionError, "maximum recursion depth exceeded")
