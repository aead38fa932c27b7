"""Caches that compiled code keeps, and shares with Python: `tscript.script` above `functools.lru_cache`."""

from __future__ import annotations

import functools
import gc
import os
import random
import re
import signal
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

import tscript
from tests.integration.harness import function_of
from tests.integration.test_cached_functions import module_of
from tscript import Tensor
from tscript.api import archive_of
from tscript.archive import ArchiveError, pack, unpack
from tscript.diagnostics import CompileError
from tscript.frontend.source.source_modules import module_function
from tscript.ir.interpreter import interpret
from tscript.runtime.session.process import current


def both(source: str, **names: object) -> tuple[dict[str, Any], dict[str, Any]]:
    """The names of a module, with its functions compiled and not."""
    return module_of(source, **names), module_of(source.replace("@tscript.script\n", ""), **names)


KEYS: dict[str, Callable[[random.Random], object]] = {
    "int": lambda rng: rng.randrange(-2, 4),
    "bool": lambda rng: rng.random() < 0.5,
    "float": lambda rng: rng.choice((0.5, -0.0, 0.0, 1e300)),
    "str": lambda rng: "".join(rng.choices("aé𝕏", k=rng.randrange(3))),
    "bytes": lambda rng: bytes(rng.choices(b"ab", k=rng.randrange(3))),
    "tuple[int, str]": lambda rng: (rng.randrange(2), rng.choice("ab")),
    "tuple[int, ...]": lambda rng: tuple(range(rng.randrange(4))),
    "int | None": lambda rng: rng.choice((None, 0, 1)),
    "int | str": lambda rng: rng.choice((0, 1, "0", "1")),
    "int | float": lambda rng: rng.choice((0, 1, 1.0, 0.0, 2.5)),
    "bool | int | float": lambda rng: rng.choice((0, 1, 1.0, True, False, 2.5)),
    "tuple[int | None, bool]": lambda rng: (rng.choice((None, 0, 1)), rng.random() < 0.5),
}


@pytest.mark.parametrize("cache", ["cache", "lru_cache(maxsize=3)", "lru_cache(2, True)", "lru_cache(0)", "lru_cache"])
@pytest.mark.parametrize("result", ["str", "int | None"])
def test_counts_and_calls_are_python_s(cache: str, result: str) -> None:
    rng = random.Random(cache + result)
    value = "str(x)" if result == "str" else "None if n == 2 else n"
    types = list(KEYS) if cache != "lru_cache(0)" else list(KEYS)[:3]
    source = "".join(
        f"@tscript.script\n@{cache}\ndef f{i}(x: {type}, n: int = 1) -> {result}:\n    print(x, n)\n"
        f"    return {value}\n\n"
        f"@tscript.script\n@{cache}\ndef g{i}(x: {type}) -> {result}:\n    n = 3\n    return {value}\n\n"
        f"@tscript.script\ndef h{i}(x: {type}) -> tuple[{result}, {result}, int, int, int]:\n    a = f{i}(x, 1)\n"
        f"    info = f{i}.cache_info()\n    return a, g{i}(x), info.hits, info.misses, info.currsize\n\n"
        for i, type in enumerate(types)
    )
    ours, theirs = both(source)
    for i, type in enumerate(types):
        for _ in range(40):
            x = KEYS[type](rng)
            n = rng.randrange(3)
            call = rng.choice(("f", "f", "g", "h"))
            # Without the other argument Python takes the call for another one.
            given = (x, n) if call == "f" else (x,)
            assert repr(ours[f"{call}{i}"](*given)) == repr(theirs[f"{call}{i}"](*given)), (type, call, given)
            for name in (f"f{i}", f"g{i}"):
                assert ours[name].cache_info() == theirs[name].cache_info(), (type, call, given)
            if rng.random() < 0.03:
                ours[f"f{i}"].cache_clear()
                theirs[f"f{i}"].cache_clear()


def test_a_function_with_a_cache_has_what_python_s_has() -> None:
    names = module_of(
        "@tscript.script\n@lru_cache(maxsize=5, typed=True)\ndef f(n: int) -> int:\n    'Twice.'\n    return 2 * n\n"
    )
    f = names["f"]
    assert (
        f.cache_info() == (0, 0, 5, 0) and repr(f.cache_info()) == "CacheInfo(hits=0, misses=0, maxsize=5, currsize=0)"
    )
    assert [f(n=3), f(3), f.__wrapped__(3), f.__wrapped__.__wrapped__(3)] == [6] * 4
    assert f.cache_info() == (1, 1, 5, 1) and f.__doc__ == "Twice." and f.__name__ == "f"
    assert f.cache_parameters() == {"maxsize": 5, "typed": True}
    f.cache_clear()
    assert f.cache_info() == (0, 0, 5, 0)


def test_two_functions_have_two_caches() -> None:
    def made(by: int) -> Any:
        return module_of(f"@tscript.script\n@cache\ndef f(n: int) -> int:\n    return n * {by}\n")["f"]

    first, second = made(2), made(3)
    assert [first(4), second(4), first(4)] == [8, 12, 8]
    assert first.cache_info()[:2] == (1, 1) and second.cache_info()[:2] == (0, 1)


def test_exceptions_are_not_kept() -> None:
    ours, theirs = both(
        "@tscript.script\n@cache\ndef f(n: int) -> int:\n    if n % 3:\n        raise ValueError(f'not {n}')\n"
        "    return n // 3\n\n"
        "@tscript.script\ndef main(ns: list[int]) -> tuple[list[int], int, int]:\n    out: list[int] = []\n"
        "    for n in ns:\n        try:\n            out.append(f(n))\n        except ValueError:\n"
        "            out.append(-1)\n"
        "    i = f.cache_info()\n    return out, i.hits, i.misses\n"
    )
    for ns in ([6, 7, 7, 6], [9, 1, 9]):
        assert ours["main"](ns) == theirs["main"](ns)


@pytest.mark.parametrize(("type", "value", "name"), [("list[int]", [1], "list"), ("dict[str, int]", {}, "dict")])
def test_unhashable_arguments_raise(type: str, value: object, name: str) -> None:
    ours, theirs = both(
        f"@tscript.script\n@cache\ndef f(a: int, x: {type}) -> int:\n    return a\n\n"
        "@tscript.script\ndef main(n: int) -> int:\n    f.cache_clear()\n    return f.cache_info().misses + n\n"
    )
    assert ours["main"](2) == theirs["main"](2) == 2
    for f in (ours["f"], theirs["f"]):
        with pytest.raises(TypeError, match=re.escape(f"unhashable type: '{name}'")):
            f(1, value)
        assert f.cache_info()[:2] == (0, 0)


def test_caches_of_functions_that_call_each_other() -> None:
    ours, theirs = both(
        "@tscript.script\n@lru_cache(maxsize=4)\ndef even(n: int) -> bool:\n"
        "    return True if n == 0 else odd(n - 1)\n\n"
        "@tscript.script\n@cache\ndef odd(n: int) -> bool:\n    return False if n == 0 else even(n - 1)\n"
    )
    for n in (5, 9, 3, 20, 21):
        assert [ours["even"](n), ours["odd"](n)] == [theirs["even"](n), theirs["odd"](n)]
        assert [ours[f].cache_info() for f in ("even", "odd")] == [theirs[f].cache_info() for f in ("even", "odd")]


def test_a_cached_tensor_is_one_tensor() -> None:
    names = module_of(
        "@tscript.script\n@cache\ndef table(n: int) -> Tensor:\n    return tscript.ones(n)\n\n"
        "@tscript.script\ndef main(n: int) -> Tensor:\n    table(n).add_(1.0)\n    return table(n)\n",
        Tensor=Tensor,
    )
    assert names["main"](2).tolist() == [2.0, 2.0]
    assert names["table"](2).tolist() == [2.0, 2.0] and names["table"].cache_info().misses == 1


def test_what_may_change_stays_with_python_s_cache() -> None:
    f = module_of("@tscript.script\n@cache\ndef f(n: int) -> list[int]:\n    return [n]\n")["f"]
    assert type(f) is type(functools.cache(abs))
    assert f(1) is f(1)


WORK = """
@tscript.script
@{cache}
def work(n: int, s: str) -> str:
    t = 0
    for i in range(n % 50 * 10):
        t += i * n % 7
    return s * (t % 5)

@tscript.script
def main(n: int, seed: int) -> int:
    t = 0
    for i in range(n):
        seed = (seed * 1103515245 + 12345) % 2147483648
        t += len(work(seed // 65536 % 40, str(seed // 65536 % 40)))
    return t

@tscript.script
def tasks(n: int) -> int:
    a = tscript.fork(main, n, 1)
    b = tscript.fork(main, n, 2)
    return tscript.wait(a) + tscript.wait(b) + main(n, 3)
"""


@pytest.mark.parametrize("cache", ["cache", "lru_cache(maxsize=7)"])
def test_threads_and_tasks_share_a_cache(cache: str) -> None:
    names, plain = both(WORK.replace("{cache}", cache))
    n, seeds = 20_000, range(4)
    expected = [plain["main"](n, seed) for seed in seeds]
    found: dict[int, int] = {}
    threads = [threading.Thread(target=lambda s=s: found.__setitem__(s, names["main"](n, s))) for s in seeds]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [found[s] for s in seeds] == expected
    assert names["tasks"](n) == sum(expected[1:4])
    hits, misses, maxsize, size = names["work"].cache_info()
    assert hits + misses == 7 * n and size == min(maxsize or 40, 40)
    assert names["work"](3, "a") == plain["work"](3, "a")


def test_python_asks_while_threads_use_a_cache() -> None:
    names, plain = both(WORK.replace("{cache}", "lru_cache(maxsize=7)"))
    n = 60_000
    found: list[int] = []
    threads = [threading.Thread(target=lambda s=s: found.append(names["main"](n, s))) for s in range(2)]
    for thread in threads:
        thread.start()
    asked = 0
    while any(thread.is_alive() for thread in threads):
        assert names["work"].cache_info().currsize <= 7
        names["work"].cache_clear()
        asked += 1
    assert asked and sorted(found) == sorted(plain["main"](n, s) for s in range(2))


def test_memory_goes_with_the_function() -> None:
    def use(n: int) -> None:
        f = module_of("@tscript.script\n@lru_cache(maxsize=90)\ndef f(n: int, s: str) -> str:\n    return s * n\n")["f"]
        for i in range(n):
            f(i, "ab")
        f.cache_clear()
        for i in range(n):
            f(i, "ab")

    use(100)
    gc.collect()
    before = current().live_blocks()
    for _ in range(3):
        use(100)
    gc.collect()
    assert current().live_blocks() <= before


def test_a_loaded_archive_has_a_cache_of_its_own(tmp_path: Path) -> None:
    names = module_of(
        "@tscript.script\n@lru_cache(maxsize=3)\ndef f(s: str) -> str:\n    return s + '!'\n\n"
        "@tscript.script\ndef main(s: str) -> tuple[str, int, int]:\n    a = f(s)\n    i = f.cache_info()\n"
        "    return a, i.hits, i.misses\n"
    )
    assert names["main"]("a") == ("a!", 0, 1)
    for native in (False, True):
        tscript.save(names["main"], tmp_path / "main.ts", native=native)
        first, second = (tscript.load(tmp_path / "main.ts", trust_native=native) for _ in range(2))
        assert [first("a"), first("a"), second("a")] == [("a!", 0, 1), ("a!", 1, 1), ("a!", 0, 1)]
    archive = archive_of({"main": names["main"]})
    assert pack(unpack(pack(archive))) == pack(archive)
    assert "@functools.lru_cache(maxsize=3, typed=False)\ndef f" in archive.entries["main"].source
    assert names["f"].cache_info()[:2] == (0, 1)


def test_shared_containers_are_for_caches_only() -> None:
    f = module_of("@tscript.script\n@cache\ndef f(n: int) -> int:\n    return n\n")["f"]
    entry = archive_of({"f": f}).entries["f"]
    assert interpret(entry.program(current().compiler.table), [4]) == 4
    ir = entry.ir
    for wrong in (
        ir.replace("keep.cache(%0, %1, %n, ", "setitem.dict(%0, %n, ").replace(", %10)", ")"),
        re.sub(r"const shared 1.*\n", "list.make(%_t)\n", ir).replace(
            "  %0:", "  %_t: type = const type(list[int])\n  %0:", 1
        ),
        ir.replace("dict[int, int]", "dict[int, list[int]]"),
        ir.replace("dict[int, int] = const shared 0", "set[int] = const shared 0"),
    ):
        assert wrong != ir
        with pytest.raises(ArchiveError, match="not valid"):
            replace(entry, ir=wrong).program(current().compiler.table)


def test_errors_in_the_body_are_the_body_s() -> None:
    with pytest.raises(CompileError, match="nothere"):
        function_of("@tscript.script\n@cache\ndef f(n: int) -> int:\n    return n.nothere\n", cache=functools.cache)


KEPT = """
@cache
def square(n: int, k: int = 2) -> int:
    return n * n + k

@lru_cache(maxsize=2)
@tscript.script
def shout(s: str) -> str:
    return s + "!"

@dataclass(frozen=True)
class Grid:
    width: int

    @cache
    def ways(self, x: int, y: int) -> int:
        return 1 if x == 0 or y == 0 else self.ways(x - 1, y) + self.ways(x, y - 1) % self.width

    @staticmethod
    @lru_cache(maxsize=2, typed=True)
    def twice(n: int) -> int:
        return 2 * n

class Node:
    def __init__(self, n: int) -> None:
        self.n = n

    @cache
    def more(self, k: int) -> int:
        self.n += 1
        return self.n + k

class Odd(Node):
    @lru_cache(maxsize=4)
    def more(self, k: int) -> int:
        return -k

@tscript.script
def main(n: int) -> tuple[int, str, int, int, int, int]:
    Grid.ways.cache_clear()
    found = square(n) + square(n, 3), shout(str(n)) + shout(str(n)), Grid(n).ways(n, n) + Grid(n).ways(n,
            n), Grid.twice(n)
    return *found, square.cache_info().misses, Grid.ways.cache_info().hits

@tscript.script
def nodes(n: int) -> tuple[int, int, int]:
    a, b, c = Node(n), Node(n), Odd(n)
    total = 0
    for x in [a, b, c, a]:
        total += x.more(1) * 10 + x.more(1)
    return total, a.n, c.n
"""


def plain_main(name: str) -> Any:
    """A function of `KEPT` that is not compiled."""
    return module_of(KEPT.replace("@tscript.script\n", ""), dataclass=dataclass)[name]


def test_python_s_caches_are_native_ones_in_archives(tmp_path: Path) -> None:
    names = module_of(KEPT.replace("@tscript.script\ndef nodes", "def nodes"), dataclass=dataclass)
    plain = plain_main("main")
    tscript.save(names["main"], tmp_path / "main.ts")
    loaded = tscript.load(tmp_path / "main.ts")
    for n in (3, 9, 3, 4):
        assert loaded(n) == plain(n)
    assert names["square"].cache_info().misses == 0
    assert names["main"](3)[4] == names["square"].cache_info().misses == 2


@pytest.mark.parametrize("name", ["main", "nodes"])
def test_files_that_are_read_have_native_caches(name: str) -> None:
    text = "from dataclasses import dataclass\nfrom functools import cache, lru_cache\nimport tscript\n" + KEPT
    program = current().compiler.check(module_function(text, name, "kept.py"))
    plain = plain_main(name)
    for n in (3, 9, 3, 4):
        assert interpret(program, [n]) == plain(n)


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("@cache\ndef f(n: int) -> list[int]:\n    return [n]\n", "returns a list"),
        ("@cache\ndef f(n) -> int:\n    return 1\n", "whose parameters have no types"),
        ("@cache\ndef f(n: int):\n    return n\n", "does not say what it returns"),
        ("@cache\ndef f(*n: int) -> int:\n    return 1\n", "with '[*]' parameters"),
        ("@lru_cache(print)\ndef f(n: int) -> int:\n    return 1\n", "lru_cache\\(print\\)"),
    ],
)
def test_what_cannot_be_shared_is_refused_where_it_stands(source: str, reason: str) -> None:
    text = f"from functools import cache, lru_cache\n{source}"
    with pytest.raises(CompileError, match=reason):
        current().compiler.check(module_function(text, "f", "f.py"))


def test_typed_caches_of_inner_functions() -> None:
    source = (
        "@tscript.script\ndef main(xs: list[int | float]) -> tuple[list[float], int, int]:\n"
        "    @lru_cache(None, {typed})\n"
        "    def half(x: int | float, n: int) -> float:\n        return x / n\n"
        "    out = [half(x, 2) for x in xs]\n    return out, half.cache_info().hits, half.cache_info().misses\n"
    )
    for typed in ("True", "False", "typed=True", "typed=False"):
        ours, theirs = both(
            source.replace("{typed}", typed) if "=" not in typed else source.replace("None, {typed}", typed)
        )
        assert ours["main"]([1, 1.0, 2, 1, 2.0]) == theirs["main"]([1, 1.0, 2, 1, 2.0])


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
def test_a_process_that_is_copied_meanwhile_has_no_locked_cache() -> None:
    @tscript.script
    @functools.lru_cache(None)
    def count(n: int) -> int:
        return n % 7

    @tscript.script
    def total(first: int, last: int) -> int:
        return sum(count(i) for i in range(first, last))

    stop = threading.Event()

    def run(k: int) -> None:
        while not stop.is_set():
            total(k, k + 2000)
            count.cache_clear()

    total(0, 10)
    count.cache_clear()
    threads = [threading.Thread(target=run, args=(k * 500,)) for k in range(3)]
    for thread in threads:
        thread.start()
    try:
        for _ in range(30):
            if (child := os.fork()) == 0:
                signal.alarm(20)
                os._exit(0 if total(0, 14) == 42 else 1)
            assert os.waitpid(child, 0)[1] == 0
    finally:
        stop.set()
        for thread in threads:
            thread.join()
