"""`functools.lru_cache` and `cache` around functions: one cache for each function, whoever calls it."""

from __future__ import annotations

import functools
import random
import sys
import threading
import types
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import tscript
from tests.integration.harness import function_of
from tscript.diagnostics import CompileError

NAMES: dict[str, Any] = {"functools": functools, "lru_cache": functools.lru_cache, "cache": functools.cache}


def module_of(source: str, **names: object) -> dict[str, Any]:
    """The names of a module that is run from a text."""
    found = function_of(source, **NAMES, **names)
    while hasattr(found, "__wrapped__"):
        found = found.__wrapped__
    return found.__globals__


FIB = """
{first}
{second}
def fib(n: int) -> int:
    return n if n < 2 else fib(n - 1) + fib(n - 2)
"""


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("@tscript.script", "@lru_cache(maxsize=None)"),
        ("@tscript.script", "@functools.cache"),
        ("@tscript.script", "@lru_cache"),
        ("@functools.lru_cache(maxsize=200)", "@tscript.script"),
        ("@cache", "@tscript.script"),
    ],
)
def test_recursion_goes_through_the_cache(first: str, second: str) -> None:
    fib = module_of(FIB.format(first=first, second=second))["fib"]
    assert fib(60) == 1548008755920
    assert fib.cache_info()[:2] == (58, 61)
    assert fib(61) == 2504730781961
    fib.cache_clear()
    assert fib.cache_info().currsize == 0
    assert fib(10) == 55


def test_a_cached_callee_is_shared_by_compiled_code_and_python() -> None:
    calls: list[int] = []

    @functools.lru_cache(maxsize=2)
    def slow(n: int) -> int:
        calls.append(n)
        return n * n

    source = "def main(ns: list[int]) -> list[int]:\n    return [slow(n) for n in ns]\n"
    main = tscript.script(function_of(source, slow=slow))
    assert main([1, 2, 1]) == [1, 4, 1]
    assert slow(2) == 4 and calls == [1, 2]
    assert main([3, 1, 2]) == [9, 1, 4]  # in order of use: 3 puts 1 out, 1 puts 2 out
    assert calls == [1, 2, 3, 1, 2]
    assert slow.cache_info() == functools._CacheInfo(2, 5, 2, 2)
    slow.cache_clear()
    assert main([2]) == [4] and calls[-1] == 2


CHECKSUM = """
{decorators}
def checksum(text: str, base: int = 31, *, salt: int = 7) -> int:
    total = salt
    for character in text:
        total = (total * base + ord(character)) & 0xFFFFFFFF
    return total

def main(text: str) -> list[int]:
    return [checksum(text), checksum(text, 33), checksum(text, base=33), checksum(base=3, text=text),
            checksum(text, salt=1)]
"""


@pytest.mark.parametrize("decorators", ["@lru_cache(maxsize=64)", "@tscript.script\n@cache", "@cache\n@tscript.script"])
def test_cached_functions_have_defaults(decorators: str) -> None:
    names = module_of(CHECKSUM.format(decorators=decorators))
    plain = names["checksum"].__wrapped__
    expected = [plain("ab"), plain("ab", 33), plain("ab", 33), plain("ab", 3), plain("ab", salt=1)]
    assert tscript.script(names["main"])("ab") == expected


def test_exceptions_are_not_kept_and_unhashable_arguments_raise() -> None:
    source = (
        "@tscript.script\n@lru_cache\ndef third(n: int) -> int:\n    if n % 3:\n"
        "        raise ValueError(f'not {n}')\n    return n // 3\n\n"
        "@tscript.script\n@lru_cache\ndef total(xs: list[int]) -> int:\n    return sum(xs)\n\n"
        "@tscript.script\ndef main(n: int) -> int:\n    try:\n        return third(n)\n    except ValueError:\n"
        "        return -1\n"
    )
    names = module_of(source)
    assert [names["main"](n) for n in (6, 7, 7, 6)] == [2, -1, -1, 2]
    assert names["third"].cache_info()[:2] == (1, 3)
    with pytest.raises(ValueError, match="not 8"):
        names["third"](8)
    with pytest.raises(TypeError, match="unhashable type: 'list'"):
        names["total"]([1, 2])
    with pytest.raises(TypeError, match="unhashable type: 'list'"):
        tscript.script(function_of("def main(n: int) -> int:\n    return total([n])\n", total=names["total"]))(1)


def test_specialisations_share_a_cache_and_typed_tells_them_apart() -> None:
    for typed, misses in ((False, 1), (True, 2)):
        source = (
            f"@tscript.script\n@lru_cache(typed={typed})\ndef double(x: float, n: int) -> float:\n    return x * n\n"
        )
        double = module_of(source)["double"]
        assert double(2, 2) == double(2.0, 2) == 4.0
        assert double.cache_info().misses == misses
        assert double.cache_parameters() == {"maxsize": 128, "typed": typed}


def test_threads_share_a_cache() -> None:
    source = (
        "@tscript.script\n@cache\ndef work(n: int) -> int:\n    t = 0\n    for i in range(n % 50):\n"
        "        t += i * n % 7\n    return t\n"
    )
    source += (
        "\n@tscript.script\ndef main(n: int) -> int:\n    t = 0\n    for i in range(n):\n"
        "        t += work(i % 40)\n    return t\n"
    )
    names = module_of(source)
    expected = sum(names["work"].__wrapped__.__wrapped__(i % 40) for i in range(2000))
    found: list[int] = []
    threads = [threading.Thread(target=lambda: found.append(names["main"](2000))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [expected] * 4
    assert names["work"].cache_info().currsize == 40


def test_deep_recursion_is_python_s_error() -> None:
    fib = module_of(FIB.format(first="@tscript.script", second="@cache"))["fib"]
    limit = sys.getrecursionlimit()
    with pytest.raises(RecursionError):
        fib(100_000)
    assert sys.getrecursionlimit() == limit
    assert fib(50) == 12586269025


def test_what_has_no_source_is_refused() -> None:
    cached: Callable[..., Any] = functools.lru_cache(len)
    with pytest.raises(CompileError, match="cached"):
        tscript.script(function_of("def main(s: str) -> int:\n    return cached(s)\n", cached=cached))


@pytest.mark.parametrize(
    ("name", "fits"),
    [("int", int), ("float", (int, float)), ("bool", bool), ("None", types.NoneType), ("tuple[int]", tuple)],
)
def test_results_of_python_functions_are_looked_at(name: str, fits: Any) -> None:
    returned: list[Any] = []
    source = (
        f"@tscript.ignore\ndef given(n: int, x: float, b: bool) -> {name}:\n    assert [n, x, b] == [1, 0.5, True]\n"
        f"    return returned[0]\n\n@tscript.script\ndef main(n: int) -> {name}:\n    return given(n, 0.5, n > 0)\n"
    )
    main = module_of(source, returned=returned)["main"]
    for value in [1, True, 2.5, 3, None, "a", (1,), 2**70, -(2**63), float("nan"), False]:
        returned[:] = [value]
        if value == 2**70 and name == "int":
            with pytest.raises(OverflowError, match="64 bits"):
                main(1)
        elif isinstance(value, fits):
            expected = {"int": int, "float": float}.get(name, lambda v: v)(value)
            assert repr(main(1)) == repr(expected)
        else:
            with pytest.raises(TypeError, match="is declared to return"):
                main(1)


INNER = """
@tscript.script
def used(xs: list[int], calls: list[int]) -> tuple[list[int], int, int, int, int | None]:
    @{cache}
    def f(n: int, k: int = 1) -> int:
        calls.append(n)
        if n % 5 == 4:
            raise ValueError("four")
        return n if n < 2 else f(n - 1) + f(n - 2) + k
    out: list[int] = []
    for x in xs:
        if x == 20:
            f.cache_clear()
            continue
        try:
            out.append(f(x))
        except ValueError as error:
            out.append(-len(str(error)))
    info = f.cache_info()
    return out, info.hits, info.misses, f.cache_info().currsize, info.maxsize

@tscript.script
def others(n: int) -> list[int]:
    out: list[int] = []
    for i in range(n):
        @{cache}
        def odd(k: int) -> bool:
            return False if k == 0 else even(k - 1)
        @{cache}
        def even(k: int) -> bool:
            return True if k == 0 else odd(k - 1)
        @{cache}
        def place() -> int:
            return i
        out += [int(odd(i)), place(), place()] + sorted([2, 1, 3], key=even)
    return out
"""


@pytest.mark.parametrize("cache", ["cache", "functools.lru_cache(maxsize=2)", "lru_cache(0)"])
def test_inner_functions_have_native_caches(cache: str, tmp_path: Path) -> None:
    names = module_of(INNER.replace("{cache}", cache))
    rng = random.Random(cache)
    for _ in range(30):
        xs = [rng.choice([*range(9), 20]) for _ in range(rng.randrange(25))]
        compiled: list[int] = []
        plain: list[int] = []
        found = names["used"](xs, compiled)
        expected = names["used"].__wrapped__(xs, plain)
        assert (found, compiled) == (expected, plain)
    assert names["others"](5) == names["others"].__wrapped__(5)
    tscript.save(names["others"], tmp_path / "others.ts")
    assert tscript.load(tmp_path / "others.ts")(3) == names["others"](3)


def test_caches_of_inner_functions_refuse_what_they_cannot_keep() -> None:
    source = (
        "def main(xs: list[int]) -> int:\n    @cache\n    def total(xs: list[int]) -> int:\n"
        "        return sum(xs)\n    return total(xs)\n"
    )
    with pytest.raises(TypeError, match="unhashable type: 'list'"):
        tscript.script(function_of(source, **NAMES))([1])
    for inner in ("total(xs) -> int", "total(xs: list[int])", "total(*xs: int) -> int"):
        wrong = source.replace("total(xs: list[int]) -> int", inner)
        with pytest.raises(CompileError, match="a cache around a function"):
            tscript.script(function_of(wrong, **NAMES))([1])


METHODS = """
@dataclass(frozen=True)
class Grid:
    width: int

    @cache
    def ways(self, x: int, y: int) -> int:
        return 1 if x == 0 or y == 0 else self.ways(x - 1, y) + self.ways(x, y - 1) % self.width

    @staticmethod
    @lru_cache(maxsize=2)
    def twice(n: int) -> int:
        calls.append(n)
        return 2 * n

@cache
def top(n: int) -> int:
    return n + 1

@tscript.script
def ways(n: int) -> int:
    return Grid(n).ways(n, n) + Grid(n).ways(n, n) + Grid.ways(Grid(n), 1, 1)

@tscript.script
def twice(xs: list[int]) -> int:
    return sum([Grid.twice(x) for x in xs])

@tscript.script
def told(n: int) -> tuple[int, int, int, int | None]:
    before = top(n) + top(n)
    found = top.cache_info()
    top.cache_clear()
    return before, found.hits, top.cache_info().misses, found.maxsize
"""


def test_cached_methods_share_their_cache_with_python() -> None:
    found: list[Any] = []
    for compiled in (True, False):
        calls: list[int] = []
        names = module_of(METHODS, dataclass=dataclass, calls=calls)
        ways, twice, told = (names[n] if compiled else names[n].__wrapped__ for n in ("ways", "twice", "told"))
        grid = names["Grid"]
        found.append([ways(8), grid(8).ways(8, 8), *grid.ways.cache_info()])
        found[-1] += [twice([1, 2, 1, 3, 2]), grid.twice(3), calls, *grid.twice.cache_info(), told(4), told(4)]
    assert found[0] == found[1]


NODES = """
class Node:
    def __init__(self, n: int) -> None:
        self.n = n

    @{cache}
    def more(self, k: int) -> int:
        calls.append(k)
        self.n += 1
        if k > 8:
            raise ValueError(f"{{k}}")
        return self.n + (k if k < 2 else self.more(k - 1) + self.more(k - 2))

class Odd(Node):
    @{cache}
    def more(self, k: int) -> int:
        return -k - self.n if k < 9 else super().more(k - 7)

@dataclass
class Changing:
    n: int

    @{cache}
    def more(self, k: int) -> int:
        return k

@dataclass(frozen=True)
class Frozen:
    n: int

    @{cache}
    def more(self, k: int) -> int:
        return 1 if k < 1 else self.more(k - 1) + self.n

class Other(Frozen):
    def more(self, k: int) -> int:
        return k

class Own:
    def __init__(self, n: int) -> None:
        self.n = n

    def __hash__(self) -> int:
        return self.n % 2

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Own) and other.n == self.n

    @{cache}
    def more(self, k: int) -> int:
        return k + self.n

    @{cache}
    def listed(self, k: int) -> list[int]:
        return [k]

@tscript.script
def main(n: int, ks: list[int]) -> tuple[list[int], list[int]]:
    a, b, c = Node(n), Node(n), Odd(n)
    total: list[int] = []
    for k in ks:
        for x in [a, b, c, a]:
            try:
                total.append(x.more(k))
            except ValueError as error:
                total.append(-int(str(error)))
        for y in [Frozen(n), Other(n), Frozen(k), Frozen(n)]:
            total.append(y.more(k))
        for z in [Own(n), Own(k), Own(n)]:
            total.append(z.more(k) + z.listed(k)[0])
    try:
        total.append(Changing(n).more(n))
    except TypeError as error:
        total += [len(str(error)), Changing.more.cache_info().misses]
    total += [a.n, b.n, c.n]
    for info in (Node.more.cache_info(), Odd.more.cache_info(), Frozen.more.cache_info(), Own.more.cache_info()):
        total += [info.hits, info.misses, info.currsize]
    if n == 2:
        Node.more.cache_clear()
        Frozen.more.cache_clear()
    return total, calls_of()

@tscript.ignore
def calls_of() -> list[int]:
    return list(calls)
"""


@pytest.mark.parametrize("cache", ["cache", "lru_cache(maxsize=3)", "lru_cache(0)", "lru_cache(None, True)"])
def test_cached_methods_of_all_classes(cache: str) -> None:
    source = NODES.replace("{cache}", cache).replace("{{k}}", "{k}").replace("calls.append(k)", "told(k)")
    source += "\n@tscript.ignore\ndef told(k: int) -> None:\n    calls.append(k)\n"
    rng = random.Random(cache)
    ours, theirs = (module_of(source.replace(*old), dataclass=dataclass, calls=[]) for old in (("", ""), MARK))
    for n in (3, 2, 3, 4):
        ks = [rng.randrange(11) for _ in range(rng.randrange(9))]
        assert ours["main"](n, ks) == theirs["main"](n, ks)
        for name in ("Node", "Odd", "Frozen", "Own"):
            assert ours[name].more.cache_info() == theirs[name].more.cache_info()


MARK = ("@tscript.script\n", "")


def test_python_callers_and_compiled_ones_of_a_method_clear_and_count_both_caches() -> None:
    names = module_of(
        NODES.replace("{cache}", "cache").replace("{{k}}", "k").replace("calls.append(k)", "pass"),
        dataclass=dataclass,
        calls=[],
    )
    names["main"](3, [1])
    node = names["Node"]
    assert node.more.cache_info() == functools._CacheInfo(1, 2, None, 2)
    a = node(5)
    assert a.more(1) == a.more(1) == 7
    assert node.more.cache_info() == functools._CacheInfo(2, 3, None, 3)
    node.more.cache_clear()
    assert node.more.cache_info() == functools._CacheInfo(0, 0, None, 0)
    assert names["Frozen"](3).more(1) == 4
    assert names["Frozen"].more.cache_info()[0] == 2


@pytest.mark.parametrize("type", ["int", "str"])
def test_recursion_through_caches_ends_in_small_stacks(type: str) -> None:
    source = (
        f"@cache\n@tscript.script\ndef deep(n: int, x: {type}) -> {type}:\n    return x if n < 1 else deep(n - 1, x)\n"
    )
    names = module_of(source)
    given = 7 if type == "int" else "seven"
    assert names["deep"](3, given) == given
    ended: list[str] = []

    def run() -> None:
        try:
            names["deep"](5000, given)
        except RecursionError as error:
            ended.append(str(error))

    kept = threading.stack_size()
    try:
        for size in (64 << 10, 128 << 10):
            threading.stack_size(size)
            thread = threading.Thread(target=run)
            thread.start()
            thread.join()
    finally:
        threading.stack_size(kept)
    assert len(ended) == 2
