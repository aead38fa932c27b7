"""Numbers, `math` and ranges do in scripted code what they do in Python, errors included."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import pytest

INF, NAN = float("inf"), float("nan")

COMPLEX: list[tuple[str, str, list[tuple[Any, ...]]]] = [
    (
        "x: complex, y: complex",
        "(x + y, x - y, x * y, x == y, x != y, -x, +x, x.real, y.imag, x.conjugate(), abs(x), bool(x), not y, "
        "str(x), repr(y))",
        [(1 + 2j, 3 - 4j), (0j, complex(-0.0, 1e308)), (1j, 1j)],
    ),
    ("x: complex, y: complex", "x / y", [(1 + 2j, 3 - 4j), (1 + 2j, 1 + 9j), (1j, 0j)]),
    ("x: complex, y: complex", "x ** y", [(1 + 2j, 3 - 4j), (2 + 3j, 2 + 0j), (1j, -3 + 0j), (0j, 0j), (0j, -1 + 0j),
                                          (0j, 1j)]),
    (
        "x: complex, n: int, r: float",
        "(x + n, n - x, x * r, r / x, x == n, n != x, [x, x * 2], {x: 1}, sum([x, 1j]), f'{x:.2f}', complex(n, "
        "r), complex(r), pow(x, 2))",
        [(1 + 2j, 3, 0.5), (3 + 0j, 3, 0.25)],
    ),
    ("s: str", "complex(s)", [("1+2j",), (" (1-2J) ",), ("3",), ("1e3j",), ("-j",), ("nan",), ("abc",), ("",),
                              ("1 +2j",)]),
]  # fmt: skip

MATH: list[tuple[str, str, list[tuple[Any, ...]]]] = [
    (
        "x: float, y: float",
        "(math.frexp(x), math.modf(x), math.hypot(x, y), math.hypot(x, y, 2.0), math.dist([x], [y]), "
        "math.fsum([x, y, 0.1, 1e100, -1e100]))",
        [(3.75, -2.0), (-0.0, 5e-324), (1e308, 1.0)],
    ),
    ("x: float", "math.fsum([x, x])", [(1e308,), (INF,), (NAN,)]),
    ("x: float", "math.fsum([x, -x])", [(INF,)]),
    (
        "a: int, b: int, c: int",
        "(math.gcd(a, b, c), math.lcm(a, b, c), math.gcd(), math.lcm(a), math.comb(a, 3), math.perm(a, 2), "
        "math.perm(b), math.prod([a, b, c]), math.prod(range(1, c), start=2), math.prod([0.5, 2.0]))",
        [(12, 18, 8), (0, 5, 1)],
    ),
    ("n: int, k: int", "math.comb(n, k)", [(60, 30), (3, 5), (-1, 2), (3, -1)]),
    ("n: int, k: int", "math.perm(n, k)", [(12, 5), (3, 5), (-1, 2), (3, -1)]),
    ("p: list[float], q: list[float]", "math.dist(p, q)", [([1.0, 2.0, 3.0], [4.0, 6.5, -1.0]), ([1.0], [])]),
]  # fmt: skip

METHODS: list[tuple[str, str, list[tuple[Any, ...]]]] = [
    (
        "n: int, b: bool",
        "(n.bit_length(), n.bit_count(), n.conjugate(), n.real, n.imag, n.numerator, n.denominator, "
        "n.as_integer_ratio(), b.bit_length(), b.real)",
        [(1000, True), (-7, False), (-(1 << 63), True), (0, False)],
    ),
    ("n: int, k: int", "(n.to_bytes(k, 'big'), n.to_bytes(k, byteorder='little'))",
     [(1000, 4), (255, 1), (256, 1), (-1, 2), (0, 0), (1, -1)]),
    ("n: int", "n.to_bytes(2, 'big', signed=True)", [(1000,), (-1000,), (40000,), (-32768,)]),
    (
        "b: bytes",
        "(int.from_bytes(b, 'big'), int.from_bytes(b, 'little', signed=True), int.from_bytes(b, byteorder='little'))",
        [(b"abc",), (b"",), (b"\xff\xfe",)],
    ),
    ("x: float", "(x.is_integer(), x.hex(), x.real, x.imag, x.conjugate())",
     [(3.0,), (-0.1,), (INF,), (NAN,), (5e-324,), (-0.0,)]),
    ("x: float", "x.as_integer_ratio()", [(3.25,), (-0.5,), (INF,), (NAN,)]),
    ("s: str", "float.fromhex(s)", [("0x1.8p+1",), ("-0x.1p3",), ("inf",), ("1.8",), ("zz",), ("0x1p9999",),
                                    ("0x1.fffffffffffffffp0",)]),
    ("a: int, b: int, m: int", "pow(a, b, m)", [(3, -1, 7), (2, -1, 4), (3, 5, 0), (10, -5, 1000003), (3, -2, -7)]),
    ("x: float, n: int", "(round(x, n), round(x, None), round(n), divmod(x, 2.0), divmod(n, 3))",
     [(2.5, 0), (-2.675, 2), (1250.0, -2)]),
    ("s: str, b: int", "int(s, b)", [("ff", 16), ("0x1f", 0), ("12", 2), ("1", 1), ("é", 10), ("", 10), ("1_0", 10)]),
    ("s: str", "float(s)", [("1e3",), ("abc",), ("",), ("1__0",), ("naïve'",)]),
    (
        "n: int",
        "(n in range(5), n not in range(9, 0, -2), len(range(2, n, 3)), list(reversed(range(n))), "
        "list(zip(range(n), 'abc')), list(enumerate(range(n, 0, -2))))",
        [(4,), (-3,), (7,)],
    ),
    ("n: int", "(range(5)[n], range(9, 0, -2)[n])", [(-1,), (2,), (7,)]),
]  # fmt: skip


@pytest.mark.parametrize(("parameters", "body", "calls"), [*COMPLEX, *MATH, *METHODS])
def test_numbers(harness: Any, parameters: str, body: str, calls: list[tuple[Any, ...]]) -> None:
    harness.agree_all(f"def f({parameters}):\n    return {body}\n", calls)


def test_a_sum_of_nothing_is_an_int(agree: Callable[..., Any]) -> None:
    agree(
        "def f(xs: list[int]):\n    return sum([]), any([]), all([]), sum(xs, 0.5), sum(range(4)), sum({1, 2})\n",
        [1, 2],
    )


@pytest.mark.skipif(sys.version_info < (3, 12), reason="a method since Python 3.12")
def test_ints_are_integers(agree: Callable[..., Any]) -> None:
    agree("def f(n: int):\n    return n.is_integer()\n", 3)
