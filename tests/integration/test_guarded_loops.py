"""Loops that run without checks as long as a test says so raise `OverflowError` in the iteration in which Python's ints
no longer fit, and what they did before stays."""

# mypy: disable-error-code="attr-defined, union-attr, var-annotated"

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tscript


class Exact(int):
    """An int that raises when arithmetic leaves 64 bits."""


def _exactly(name: str) -> Callable[..., Any]:
    function = getattr(int, name)

    def run(*args: int) -> Any:
        found = function(*args)
        if not isinstance(found, int):
            return found
        if not -(2**63) <= found < 2**63:
            raise OverflowError(name)
        return Exact(found)

    return run


for _name in ("add", "radd", "sub", "rsub", "mul", "rmul", "neg", "abs", "floordiv", "mod", "lshift", "rshift"):
    setattr(Exact, f"__{_name}__", _exactly(f"__{_name}__"))
for _name in ("and", "rand", "or", "ror", "xor", "rxor"):
    setattr(Exact, f"__{_name}__", _exactly(f"__{_name}__"))


def exact(value: Any) -> Any:
    if type(value) is int:
        return Exact(value)
    return [exact(v) for v in value] if isinstance(value, list) else value


def outcome(function: Callable[..., Any], args: list[Any]) -> tuple[Any, ...]:
    """The result, or what was raised, and the arguments afterwards."""
    try:
        found: Any = function(*args)
    except (OverflowError, IndexError) as error:
        found = type(error)
    return (found, [list(map(int, a)) if isinstance(a, list) else a for a in args])


def agree(compiled: Any, function: Callable[..., Any], *args: Any) -> None:
    mine = [list(a) if isinstance(a, list) else a for a in args]
    assert outcome(compiled, mine)[0:2] == outcome(function, [exact(a) for a in args])[0:2]


def climb(seen: list[int], start: int, factor: int, steps: int) -> int:
    at = start
    for _ in range(steps):
        at = at // 2 if at % 3 == 0 else factor * at + 1
        seen.append(at)
    return at


def hailstones(seen: list[int], at: int, limit: int) -> int:
    steps = 0
    while at != 1 and steps < limit:
        at = at // 2 if at % 2 == 0 else 3 * at + 1
        steps += 1
        if steps % 3 == 0:
            seen.append(at)
    return steps


def signs(seen: list[int], a: int, b: int, n: int) -> int:
    for i in range(n, -1, -1):
        if i % 2 == 0:
            a = a + b if b > 0 else a - b
        else:
            b = b * 2 if i % 3 else b - a
        if a > 2**62:
            seen.append(i)
    return a ^ b


def leaving(seen: list[int], at: int, by: int) -> int:
    count = 0
    while count < 200:
        count += 1
        if at % 5 == 4:
            break
        if at % 7 == 3:
            at = at + by
            seen.append(at)
            continue
        at = at * 3 + by if at % 2 else at - by
    return at + count


def total(xs: list[int], ys: list[int], start: int) -> int:
    for x in xs:
        start += x
    return start


def dot(xs: list[int], ys: list[int], start: int) -> int:
    return sum((xs[i] * ys[i] for i in range(len(xs))), start)


def odd(xs: list[int], ys: list[int], start: int) -> int:
    for x in xs:
        if x % 2 == 1:
            start += x
        elif x % 16 == 8:
            start -= 1
    return start


def steps(xs: list[int], ys: list[int], start: int) -> int:
    up, down, most = 0, start, 0
    for i in range(1, len(xs) - 1):
        up += xs[i + 1] - xs[i]
        down -= ys[i - 1] * 3
        most = max(most, ys[i])
    return up ^ down ^ most


def numbered(xs: list[int], ys: list[int], start: int) -> int:
    for i in range(len(ys)):
        start += i * i - ys[i] // 3
    return start


COMPILED = {f: tscript.script(f) for f in (climb, hailstones, signs, leaving, total, dot, odd, steps, numbered)}
INTS = st.one_of(
    st.integers(-100, 100),
    st.builds(
        operator.add,
        st.sampled_from(
            [2**63 - 1, 2**62, 2**61, 2**60, 2**56, 2**31, -(2**31), -(2**60), -(2**61), -(2**62), -(2**63)]
        ),
        st.integers(-40, 40),
    ).map(lambda n: max(-(2**63), min(2**63 - 1, n))),
    st.integers(-(2**63), 2**63 - 1),
)


@settings(max_examples=120, deadline=None)
@given(INTS, INTS, st.integers(0, 90))
def test_the_iteration_is_the_right_one(a, b, n):
    agree(COMPILED[climb], climb, [], a, b, n)
    agree(COMPILED[hailstones], hailstones, [], a, n)
    agree(COMPILED[signs], signs, [], a, b, n)
    agree(COMPILED[leaving], leaving, [], a, b)


@pytest.mark.parametrize("k", range(0, 45))
def test_every_iteration(k):
    agree(COMPILED[climb], climb, [], 3**k % 2**63, 3, 60)
    agree(COMPILED[hailstones], hailstones, [], (2**63 - 1) // 3**k, 300)


SIZES = (0, 1, 255, 256, 257, 511, 600, 770)
BIG = [2**b + d for b in (20, 26, 31, 44, 52, 53, 61, 62) for d in (-1, 0, 1)] + [2**63 - 1]


@settings(max_examples=150, deadline=None)
@given(
    st.sampled_from([total, dot, odd, steps, numbered]),
    st.sampled_from(SIZES),
    st.sampled_from([0, 0, 0, 1, -1, 300]),
    st.lists(st.tuples(st.integers(0, 770), st.sampled_from(BIG), st.booleans(), st.booleans()), max_size=4),
    st.sampled_from([0, 7, 2**62, 2**62 - 1, -(2**62), -(2**62) - 1, 2**63 - 1, -(2**63), 2**63 - 5000]),
)
def test_sums_in_chunks(function, size, shorter, large, start):
    """Large elements anywhere in a chunk, lists of two lengths, large starts."""
    lists = [[(i * 37 + k) % 101 - 40 for i in range(max(0, size - k * shorter))] for k in (0, 1)]
    for at, value, second, negative in large:
        xs = lists[second]
        if xs:
            xs[at % len(xs)] = -value if negative else value
    agree(COMPILED[function], function, *lists, start)


@pytest.mark.parametrize("function", [total, dot, odd, steps, numbered])
def test_these_sums_run_in_chunks(function):
    assert "seen" in str(COMPILED[function].graph_for([1], [1], 0))


def lettered(xs: list[int], text: str, start: Callable[[int], int]) -> int:
    total = start(0)
    for x in xs:
        total += x if text == "a" else 1
    return total


@tscript.script
def unchanged(x: int) -> int:
    return x


def test_no_safepoint_is_in_a_chunk():
    """A list that others hold may become shorter at a safepoint; what calls the library has one before a chunk ends.
    Others may hold it where the program deals with functions as values: those hold what they captured."""
    scripted = tscript.script(lettered)
    assert scripted([1] * 600, "a", unchanged) == scripted([1] * 600, "b", unchanged) == 600
    assert "item_in.list" not in str(scripted.graph_for([1], "a", unchanged))
    for name in ("total", "dot"):
        text = COMPILED[globals()[name]].llvm_for([1], [1], 0)
        quick = text[text.index("seen") :]
        assert "ts_safepoint" not in quick[: quick.index("endfor")]


@pytest.mark.parametrize("function", [climb, hailstones, signs])
def test_these_loops_have_guards(function):
    args = [[1], *[5] * (len(function.__annotations__) - 2)]
    assert "machine.likely" in str(COMPILED[function].graph_for(*args))
