"""What grows piece by piece: texts, bytes and lists in names, attributes and entries of dicts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from harness import Row, interleave

import tscript


class Holder:
    """A text that grows as an attribute."""

    def __init__(self) -> None:
        self.text = ""


def text(n: int) -> int:
    """``s += "ab"``."""
    s = ""
    for _ in range(n):
        s += "ab"
    return len(s)


def some_bytes(n: int) -> int:
    """``s += b"ab"``."""
    s = b""
    for _ in range(n):
        s += b"ab"
    return len(s)


def joined(n: int) -> int:
    """``xs = xs + [i]``."""
    xs: list[int] = []
    for i in range(n):
        xs = xs + [i]  # noqa: RUF005 - what is measured
    return len(xs)


def joined_entry(n: int) -> int:
    """``d[k] = d[k] + [i]``."""
    d: dict[str, list[int]] = {"k": []}
    for i in range(n):
        d["k"] = d["k"] + [i]
    return len(d["k"])


def text_entry(n: int) -> int:
    """``d[k] += "xy"``."""
    d = {"k": ""}
    for _ in range(n):
        d["k"] += "xy"
    return len(d["k"])


def text_attribute(n: int) -> int:
    """``c.t += "xy"``."""
    c = Holder()
    for _ in range(n):
        c.text += "xy"
    return len(c.text)


WORKLOADS: dict[str, tuple[Callable[[int], int], int]] = {
    's += "ab"': (text, 80_000),
    's += b"ab"': (some_bytes, 80_000),
    "xs = xs + [i]": (joined, 20_000),
    "d[k] = d[k] + [i]": (joined_entry, 20_000),
    'd[k] += "xy"': (text_entry, 80_000),
    'c.t += "xy"': (text_attribute, 80_000),
}


def run(part: int = 1, rounds: int = 5) -> list[Row]:
    """Time all of it.

    Args:
        part: Takes one of so many steps.
        rounds: How many turns the variants take.
    """
    rows = []
    for name, (function, steps) in WORKLOADS.items():
        n = steps // part
        compiled: Any = tscript.script(function)
        if compiled(n) != function(n):
            raise SystemExit(f"{name} gives {compiled(n)}, CPython {function(n)}")
        variants = {"tscript": (compiled, (n,)), "CPython": (function, (n,))}
        rows.append(interleave(f"`{name}`, {n:,} times", variants, rounds=rounds))
    return rows
