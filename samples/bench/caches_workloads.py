"""Functions with caches, and loops over them: compiled where the module is called ``native``, else CPython's."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import tscript

script: Callable[[Any], Any] = tscript.script if __name__ == "native" else lambda function: function


@script
@functools.cache
def square(n: int) -> int:
    """A cache of everything."""
    return n * n


@script
@functools.lru_cache(maxsize=128)
def product(a: int, b: int) -> int:
    """A cache in order of use."""
    return a * b


@script
@functools.cache
def shout(s: str) -> str:
    """A cache of texts."""
    return s + "!"


@script
@functools.cache
def ways(x: int, y: int) -> int:
    """A table that recursion fills."""
    return 1 if x == 0 or y == 0 else (ways(x - 1, y) + ways(x, y - 1)) % 1000003


@script
def squares(count: int) -> int:
    """Look ints up."""
    total = 0
    for i in range(count):
        total += square(i & 63)
    return total


@script
def products(count: int) -> int:
    """Look pairs of ints up."""
    total = 0
    for i in range(count):
        total += product(i & 63, 3)
    return total


@script
def texts(words: list[str], count: int) -> int:
    """Look texts up."""
    total = 0
    for i in range(count):
        total += len(shout(words[i & 63]))
    return total


@script
def table(n: int) -> int:
    """Fill a table of n times n."""
    ways.cache_clear()
    return ways(n, n)
