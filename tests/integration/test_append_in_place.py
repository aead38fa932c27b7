# ruff: noqa: RUF005 - what is tested is concatenation
"""Texts and lists that grow in place: nobody who holds what they were sees it, and it takes time in proportion to what
is added."""

from __future__ import annotations

import random
import re
import time
from collections.abc import Callable
from typing import Any

import pytest

import tscript
from tscript.api import compiler
from tscript.ir.verifier import verify


class Box:
    def __init__(self, text: str) -> None:
        self.text = text
        self.more: list[int] = []


@tscript.script
def mixed(
    ops: list[int], given: list[int]
) -> tuple[list[str], list[list[int]], dict[str, list[int]], dict[str, int], list[bool]]:
    """Interprets `ops` over a few names that may hold the same text or list."""
    a, b = "ab", "é"
    texts = ["", "q"]
    pair = (a, b)
    box = Box("box")
    other = box
    xs = given
    ys = [1]
    shared: dict[str, list[int]] = {"k": [], "l": ys}
    seen: dict[str, int] = {}
    frozen: tuple[int, ...] = (1, 2)
    kept: list[tuple[int, ...]] = []
    lists = [xs, ys]
    found = [True]
    for op in ops:
        if op == 0:
            a += "x"
        elif op == 1:
            b = a
        elif op == 2:
            texts.append(a)
        elif op == 3:
            a = texts[0] + "yz"
        elif op == 4:
            texts[-1] = texts[-1] + "漢"
        elif op == 5:
            texts[0] += b[:2]
        elif op == 6:
            pair = (a, b)
        elif op == 7:
            a = pair[0]
            b = pair[1] + a[-1:]
        elif op == 8:
            box.text += "t"
        elif op == 9:
            other = Box(box.text)
        elif op == 10:
            other.text = other.text + a[:1]
        elif op == 11:
            seen[a] = len(a)
            found.append(a in seen)
            a += "h"
            found.append(a in seen)
        elif op == 12:
            xs = xs + [len(a)]
        elif op == 13:
            ys = xs
        elif op == 14:
            shared["k"] = shared["k"] + [len(b)]
        elif op == 15:
            shared["l"] = shared["k"]
        elif op == 16:
            shared["l"] = shared["l"] + ys[:2]
        elif op == 17:
            lists.append(xs)
        elif op == 18:
            lists[0] = lists[0] + [7]
        elif op == 19:
            frozen = frozen + (op,)
        elif op == 20:
            kept.append(frozen)
        elif op == 21:
            a = a + a if len(a) < 50 else "ß"
        elif op == 22:
            xs = xs + xs if len(xs) < 50 else [1]
        elif op == 23:
            add: Callable[[str, str], str] = lambda s, t: s + t  # noqa: E731
            b = add(b, a) if len(b) < 80 else "😀"
        elif op == 24:
            box.more = box.more + [1]
            other.more = box.more
        elif op == 25:
            try:
                a += "!"
                b = str(10 // (len(a) % 3))
            except ZeroDivisionError:
                b = a + "?"
        elif op == 26:
            prev = a
            a += "é"
            found.append(prev + "é" == a and a.isascii() == prev.isascii() and a != prev)
        elif op == 27:
            texts[1] = a
            a = a + "1"
        elif op == 28:
            a += "😀"
        else:
            lists[-1] = xs
            xs = xs + [2]
    texts += [a, b, pair[0], pair[1], box.text, other.text]
    lists += [xs, ys, box.more, other.more, list(frozen)]
    for row in kept:
        lists.append(list(row))
    return texts, lists, shared, seen, found


def test_nobody_sees_what_grew_in_place() -> None:
    scripted: Any = mixed
    plain: Callable[..., Any] = scripted.__wrapped__
    rng = random.Random(5)
    for _ in range(200):
        ops = [rng.randrange(30) for _ in range(rng.randrange(60))]
        ours, theirs = [3], [3]
        assert mixed(ops, ours) == plain(ops, theirs), ops
        assert ours == theirs == [3]


@tscript.script
def longer(s: str, xs: list[int]) -> tuple[str, list[int]]:
    s += "x"
    xs = xs + [1]
    return s, xs


@tscript.script
def caller(n: int) -> tuple[str, str, list[int], list[int]]:
    s = "s" * n
    xs = [0] * n
    found, more = "", [0]
    for _ in range(3):
        found, more = longer(s, xs)
    return s, found, xs, more


@tscript.script
def weight(s: str) -> int:
    s += "x"
    total = 0
    for i, c in enumerate(s):
        total += (i + 1) * ord(c)
    return total


@tscript.script
def forked(n: int) -> list[int]:
    s = ""
    tasks = [tscript.fork(weight, "z")]
    for i in range(n):
        s += str(i)
        tasks.append(tscript.fork(weight, s))
        s += "."
    return [tscript.wait(t) for t in tasks]


@tscript.script
def looked_at(k: int) -> tuple[int, int, str]:
    texts = ["q" * k, "r"]
    lists = [[k], [k]]
    text = texts[0]
    longer_text = texts[0] + "z"
    size = len(text)
    texts[0] = longer_text
    items = lists[1]
    more = lists[1] + [4]
    count = len(items)
    lists[1] = more
    return size, count, texts[0] + str(lists)


def test_another_name_for_an_element_sees_what_it_was() -> None:
    """Neither name counts a reference, so the element looks as if only its container had it."""
    assert looked_at(40) == (40, 1, "q" * 40 + "z[[40], [40, 4]]")


def test_arguments_are_the_callers() -> None:
    assert caller(5) == ("sssss", "sssssx", [0] * 5, [0] * 5 + [1])
    given, text = [1, 2], "given"
    assert longer(text, given) == ("givenx", [1, 2, 1])
    assert (given, text) == ([1, 2], "given")
    whole, expected = "", [weight("z")]
    for i in range(40):
        whole += str(i)
        expected.append(weight(whole))
        whole += "."
    assert forked(40) == expected


@tscript.script
def text(n: int) -> int:
    s = ""
    for _ in range(n):
        s += "ab"
    return len(s)


@tscript.script
def raw(n: int) -> int:
    s = b""
    for _ in range(n):
        s = s + b"ab"
    return len(s)


@tscript.script
def rows(n: int) -> int:
    xs = [0]
    for i in range(n):
        xs = xs + [i]
    return len(xs)


@tscript.script
def entries(n: int) -> int:
    d: dict[int, list[int]] = {0: [], 1: []}
    for i in range(n):
        d[i % 2] = d[i % 2] + [i]
    return len(d[0])


@tscript.script
def attributes(n: int) -> int:
    box = Box("")
    for _ in range(n):
        box.text += "ab"
    return len(box.text)


@tscript.script
def elements(n: int) -> int:
    xs = ["", ""]
    for _ in range(n):
        xs[-1] += "ab"
    return len(xs[1])


@tscript.script
def number(n: int) -> int:
    return n


@tscript.script
def alone(n: int) -> str:
    d = {1: "a"}
    d[1] = d[1] + "b"
    return d[1]


@tscript.script
def watched(n: int) -> str:
    d = {1: "a"}
    task = tscript.fork(number, n)
    d[1] = d[1] + "b"
    tscript.wait(task)
    return d[1]


def lowered(function: Any) -> str:
    """Its IR as the backend takes it."""
    scripted = function._scripted
    the = compiler()
    return str(the.lower(the.optimise(the.specialise(scripted.program, [p.type for p in scripted.params], {}))))


def owners(function: Any) -> list[str]:
    """How many owners may be there where something grows."""
    text = lowered(function)
    counts = dict(re.findall(r"(%\S+): int = const (\d+)", text))
    return [counts[name] for name in re.findall(r"append_to\.str\(%\S+, %\S+, (%\S+)\)", text)]


def test_what_tasks_may_look_at_stays() -> None:
    """Alone, the dict may be an owner besides the function; then never."""
    assert (owners(alone), owners(watched)) == (["2"], ["1"])
    assert alone(1) == watched(1) == "ab"


@pytest.mark.parametrize("function", [text, raw, rows, entries, attributes, elements], ids=lambda f: f.__name__)
def test_what_is_added_is_what_is_copied(function: Any) -> None:
    assert "append_to." in lowered(function)
    function(100)

    def seconds(n: int) -> float:
        start = time.thread_time()
        function(n)
        return time.thread_time() - start

    # Sixteen times as much takes sixteen times as long, not 256 times; the small one is long enough to be measured.
    assert min(seconds(64_000) for _ in range(3)) < 80 * max(min(seconds(4_000) for _ in range(3)), 1e-5)


def doubled(n: int) -> tuple[int, ...]:
    xs: tuple[int, ...] = (1, n)
    for _ in range(n):
        xs = xs + xs
    return xs


def test_tuples_of_any_length_grow_in_programs_that_hold() -> None:
    function: Any = tscript.script(doubled)
    scripted, the = function._scripted, compiler()
    program = the.lower(the.optimise(the.specialise(scripted.program, [p.type for p in scripted.params], {})))
    assert "append_to.list" in str(program)
    verify(program)
    assert function(4) == doubled(4)
