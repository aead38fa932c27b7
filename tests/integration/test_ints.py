"""Ints of scripted code: Python's number, or an OverflowError; exact under a mask; modulo 2**64 where asked for by
name."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, cast

import pytest

import tscript
from tscript import CompileError
from tscript.ir.interpreter import interpret
from tscript.ir.parser import parse_program
from tscript.operators.table import TABLE

LIMITS = (-(2**63), 2**63 - 1)
VALUES = (*LIMITS, -(2**62), 2**62, 2**63 - 2, -(2**32) - 1, 2**32, 3037000500, -1, 0, 1, 2, 7, 63, 64)
GOLDEN = 0x9E3779B97F4A7C15
"""A constant of 64 bits without a sign."""
MASK = 2**64 - 1
MODULUS = 2**32


def fitting(value: Any) -> bool:
    if isinstance(value, list | tuple):
        return all(map(fitting, value))
    return not isinstance(value, int) or LIMITS[0] <= value <= LIMITS[1]


def outcome(function: Callable[..., Any], *args: Any) -> Any:
    try:
        found = function(*args)
    except (ArithmeticError, LookupError, ValueError) as error:
        return type(error)
    return found if fitting(found) else OverflowError


@dataclass
class Counter:
    n: int

    def add(self, by: int) -> int:
        self.n += by
        return self.n


EXACT: list[tuple[str, str]] = [
    ("a: int, b: int", "a + b"),
    ("a: int, b: int", "a * b"),
    ("a: int, b: int", "(a ^ b) - b"),
    ("a: int, b: int", "a // b"),
    ("a: int, b: int", "divmod(a, b)"),
    ("a: int, b: int", "abs(a)"),
    ("a: int, b: int", "-a"),
    ("a: int, b: int", "a << (b & 127)"),
    ("a: int, b: int", "a ** (b & 3)"),
    ("a: int, b: int", "round(a, -19 + (b & 3))"),
    ("a: int, b: int", "sum([a, b])"),
    ("a: int, b: int", "sum((a, b))"),
    ("a: int, b: int", "sum([a], b)"),
    ("a: int, b: int", "sum(x for x in [a, b])"),
    ("a: int, b: int", "[x + b for x in [a]]"),
    ("a: int, b: int", "[i for i, x in enumerate([a, b], b)]"),
    ("a: int, b: int", "len(range(a, b, 5))"),
    ("a: int, b: int", "len(range(b, a, -(2**40)))"),
    ("a: int, b: int", "range(a, 2**63 - 1, 2**62)[b & 1]"),
    ("a: int, b: int", "(a in range(b, 2**63 - 1, 3), a in range(b, -(2**63), -7))"),
    ("a: int, b: int", "(math.gcd(a, b), math.lcm(a, 1))"),
    ("a: int, b: int", "math.lcm(a, b)"),
    ("a: int, b: int", "math.prod([a, b])"),
    ("a: int, b: int", "math.factorial(b & 31)"),
    ("a: int, b: int", "math.comb(b & 127, 30)"),
    ("a: int, b: int", "math.perm(b & 63, 20)"),
    ("a: int, b: int", "math.isqrt(a)"),
    ("a: int, b: int", "int(str(a))"),
    ("a: int, b: int", "int(str(a) + '0')"),
    ("a: int, b: int", "int(float(a))"),
    ("a: int, b: int", "int(float(a) * 2.0)"),
    ("a: int, b: int", "round(float(a) * 1.5)"),
    ("a: int, b: int", "math.floor(float(a) - float(b))"),
    ("a: int, b: int", "(a.bit_length(), a.bit_count(), a < 2**63, a > 2**64, a == -(2**70), 2**63 - 1 >= b)"),
    ("a: int, b: int", "Counter(a).add(b)"),
    ("a: int, b: int", "max(a, b) - min(a, b)"),
    ("a: int, b: int", "a * 2**64 if b == 7 else 0"),
]


def written(integration: Any, parameters: str, expression: str, result: str = "") -> Callable[..., Any]:
    source = f"def f({parameters}){result}:\n    return {expression}\n"
    made: Callable[..., Any] = integration.function_of(
        source, Counter=Counter, MASK=MASK, MODULUS=MODULUS, GOLDEN=GOLDEN
    )
    return made


@pytest.mark.parametrize(("parameters", "expression"), EXACT, ids=[e for _, e in EXACT])
def test_numbers_are_pythons_or_do_not_fit(integration: Any, parameters: str, expression: str) -> None:
    python = written(integration, parameters, expression)
    script = tscript.script(python)
    choices = random.Random(expression)
    pairs = [(a, b) for a in VALUES for b in VALUES]
    for a, b in [*choices.sample(pairs, 60), *((v, w) for v in LIMITS for w in (*LIMITS, -1, 0, 1))]:
        expected = outcome(python, a, b)
        assert outcome(script, a, b) == expected, (a, b)


MASKS = ("& 255", "& 0xFFFFFFFF", "& (2**63 - 1)", "% 2**32", "% MODULUS", "% 1", "% 2**63", "& MASK", "% 2**64")


def tree(choices: random.Random, depth: int) -> str:
    if depth == 0 or choices.random() < 0.15:
        return choices.choice(
            ["a", "b", "c", "a", "b", "31", "0xFFFFFFFF", "GOLDEN", "(2**64 - 59)", "MASK", "(a >> 7)"]
        )
    kind = choices.randrange(12)
    left = tree(choices, depth - 1)
    if kind == 0:
        return f"(-{left})"
    if kind == 1:
        return f"(~{left})"
    if kind == 2:
        return f"({left} << {choices.choice(['5', '63', '64', '(c & 31)'])})"
    if kind == 3:
        return f"({left} {choices.choice(MASKS)})"
    if kind == 4:
        return f"({left} ** {choices.choice('0235')})"
    return f"({left} {choices.choice('+-**+&|^')} {tree(choices, depth - 1)})"


def test_masked_trees_are_exact(integration: Any) -> None:
    """What is masked below 2**63 never raises; a mask of 64 bits may."""
    choices, refused = random.Random(4), 0
    for _ in range(14):
        parts = [f"{tree(choices, 3)} {choices.choice(MASKS)}" for _ in range(6)]
        parts.append(
            f"0xFFFFF & {tree(choices, 2)}".replace("GOLDEN", "a").replace("(2**64 - 59)", "b").replace("MASK", "c")
        )
        for text in parts:
            python = written(integration, "a: int, b: int, c: int", text, " -> int")
            try:
                graph = cast("Any", tscript.script(python)).graph
            except CompileError:  # an unsigned constant beside a mask of more than 64 bits
                refused += 1
                continue
            for _ in range(12):
                args = [choices.choice(VALUES) if choices.random() < 0.5 else choices.randrange(*LIMITS) for _ in "abc"]
                found = outcome(lambda *args, g=graph: interpret(g, args), *args)
                assert found == outcome(python, *args), (text, args)
                assert found is not OverflowError or text.endswith(("& MASK", "% 2**64"))
        together = written(integration, "a: int, b: int, c: int", f"({', '.join(parts[-2:])})")
        native = tscript.script(together)
        for _ in range(6):
            args = [choices.randrange(*LIMITS) for _ in "abc"]
            assert outcome(native, *args) == outcome(together, *args), (parts, args)
    assert refused < 5


def test_what_is_used_elsewhere_is_no_part_of_a_masked_tree() -> None:
    def kept(a: int) -> int:
        b = a * 3
        return b & 255

    def named(a: int) -> int:
        return (b := a * 3) & 255 | b >> 63

    def called(a: int) -> int:
        return abs(a * 3) & 255

    def divided(a: int) -> int:
        return (a * 3 // 2) & 255

    def tested(a: int) -> int:
        return (a * 3 if a * 2 > 0 else 1) & 255

    def modulo(a: int) -> int:
        return (a * 3) % 255

    for function in (kept, named, called, divided, tested, modulo):
        script = tscript.script(function)
        assert script(85) == function(85)
        with pytest.raises(OverflowError, match=r"9223372036854775807 \* [23] does not fit 64 bits"):
            script(2**63 - 1)


def test_ints_that_isinstance_found_are_masked_like_others() -> None:
    """Of a value of any type they may be bools, which count as ints."""

    def found(a: Any, b: Any) -> tuple[int, int, int, object, object]:
        if isinstance(a, int) and isinstance(b, int):
            return a << 63 & 65535, (a * b + b) % 2**32, 255 & -a * 2**60, a & b, a ^ 1
        return 0, 0, 0, 0, 0

    script = tscript.script(found)
    for a, b in ((6, 3), (2**62, True), (True, False), (False, 2**63 - 1), (-1, -(2**63))):
        assert script(a, b) == found(a, b)
        assert [*map(type, script(a, b))] == [*map(type, found(a, b))]


def test_constants_are_computed_as_python_computes_them(agree: Callable[..., Any]) -> None:
    source = (
        "def f(x: float, n: int):\n"
        "    n += 2**63 - 1 - 2**62 * 2\n"
        "    n %= 2**64\n"
        "    return (2**63 - 1, -2**63, 1 << 62 << 1 >> 5, ~(2**64) // 2**10, 2**100 % 1000, x / 2**64, n / 2**70,\n"
        "            x * 2**64, 2 ** -3, -2 ** -1, n < 2**64, 2**64 - 2**64 + n)\n"
    )
    agree(source, 3.0, 5)


def test_constants_that_do_not_fit_raise_where_they_are_computed() -> None:
    def power(n: int) -> int:
        if n > 0:
            return 2**64 + n
        return n

    script = tscript.script(power)
    assert script(0) == 0
    with pytest.raises(OverflowError, match=r"2 \*\* 64 does not fit 64 bits") as caught:
        script(1)
    assert caught.traceback[-1].lineno == power.__code__.co_firstlineno + 1


@pytest.mark.parametrize(
    "expression", ["n + 0x9E3779B97F4A7C15", "x * 0x9E3779B97F4A7C15 & 255", "n // 0x9E3779B97F4A7C15 & 255"]
)
def test_unsigned_constants_stand_only_where_lower_bits_count(integration: Any, expression: str) -> None:
    function = written(integration, "n: int, x: tscript.Tensor", expression)
    with pytest.raises(CompileError, match="the integer 11400714819323198485 does not fit into 64 bits"):
        tscript.script(function)(1, tscript.tensor([1]))


def mixed(a: int, b: int) -> list[int]:
    h = tscript.wrapping_mul(a, GOLDEN)
    h ^= h >> 30
    k = tscript.wrapping_shl(a, b & 127)
    return [
        h,
        k,
        tscript.wrapping_add(h, b=0x94D049BB133111EB),
        tscript.wrapping_sub(2**64 - 1, b),
        tscript.wrapping_add(a, b),
    ]


def test_wrapping_functions_are_those_of_python(agree: Callable[..., Any]) -> None:
    script = tscript.script(mixed)
    for a in VALUES:
        for b in VALUES:
            assert script(a, b) == mixed(a, b)
    with pytest.raises(ValueError, match="negative shift count"):
        tscript.wrapping_shl(1, -1)
    with pytest.raises(OverflowError, match="the integer 18446744073709551616 does not fit into 64 bits"):
        tscript.wrapping_add(2**64, 1)
    agree("def f(a: int):\n    return tscript.wrapping_shl(a, a)\n", -1)


def test_augmented_assignments() -> None:
    def f(xs: list[int], c: Counter, d: dict[str, int], by: int) -> int:
        total = 0
        for i in range(len(xs)):
            xs[i] += by
            total += 1
        c.n += by
        d["a"] = d.get("a", 0) * 2
        return total

    script = tscript.script(f)
    assert script([1, 2], Counter(3), {"a": 4}, 5) == 2
    for args in (([1, 2**63 - 5], Counter(3), {}), ([1], Counter(2**63 - 1), {}), ([1], Counter(1), {"a": 2**62})):
        with pytest.raises(OverflowError, match="does not fit 64 bits"):
            script(*args, 5)


def test_a_negative_power_is_a_float_where_one_is_declared(agree: Callable[..., Any]) -> None:
    source = "def f(a: int, b: int) -> float:\n    x: float = a ** b\n    return x + 2 ** -2 if b < 0 else a ** b\n"
    for args in ((2, -3), (-3, -3), (10, -400), (0, -1)):
        agree(source, *args)
    assert agree(source, 3, 4, python=False).value == 81.0
    found = agree("def f(a: int, b: int) -> int:\n    return a ** b\n", 2, -1, python=False)
    assert found.error == (ValueError, "a negative power of an int is not an int; write float(a) ** b")


def test_sums_of_lists_in_one_operator() -> None:
    text = (
        "program @f\n\ngraph @f(%xs: list[int], %s: int) -> int {\n  %0: int = sum.list_int(%xs, %s)\n  return %0\n}\n"
    )
    program = parse_program(text, TABLE)

    def f(xs: list[int], s: int) -> int:
        return sum(xs, s)

    script = tscript.script(f)
    vars(cast("Any", script)._scripted)["program"] = program
    for args in (([], 5), ([1, -2], 5), ([2**62, 2**62], -1), ([2**62, 2**62, -1], 0), ([-(2**63), -1], 1)):
        expected = outcome(sum, *args)
        assert outcome(script, *args) in (expected, OverflowError)  # it need not fit on the way
        assert outcome(lambda *args: interpret(program, args), *args) in (expected, OverflowError)


def test_an_unused_result_need_not_raise() -> None:
    def f(n: int) -> int:
        n * n
        _ = n + n
        return 1

    assert tscript.script(f)(2**63 - 1) == 1


def test_a_loop_that_waits_for_a_number_to_grow_ends() -> None:
    """What can only be false is no condition any more, and the number is not used then."""

    def beyond(x: int) -> int:
        while x < 2**70:
            x *= 2
        return 1

    def negative(x: int) -> int:
        while True:
            x += x
            if x < 0:
                return -1

    def counted(x: int) -> int:
        n = 0
        while x <= 2**63 - 1:
            x = x * 3 + 1
            n += 1
        return n

    for function in (beyond, negative, counted):
        with pytest.raises(OverflowError):
            tscript.script(function)(1)


def test_tensors_of_ints_wrap() -> None:
    def f(x: tscript.Tensor, n: int) -> tscript.Tensor:
        return (x + n) * 2

    found = tscript.script(f)(tscript.tensor([2**63 - 1]), 1)
    assert found.numpy().tolist() == [0]
