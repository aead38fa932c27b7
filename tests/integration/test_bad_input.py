"""What goes wrong goes wrong as in Python: deep recursion, huge lists, data that changes while it is gone over, NaN as
a key …"""

from __future__ import annotations

import copy
import gc
import math
import signal
import subprocess
import sys
import textwrap
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

import pytest

import tscript
from tscript.diagnostics import CompileError
from tscript.ir.interpreter import interpret
from tscript.ir.parser import parse_program
from tscript.ir.verifier import verify
from tscript.ir.verify_types import VerifyError
from tscript.operators.table import TABLE
from tscript.runtime.session.process import current
from tscript.runtime.session.scripted import scripted_of

_numbers = count()

HEADER = "from dataclasses import dataclass\nfrom typing import Any, Optional, Union\n"

NODE = """
@dataclass
class Node:
    value: int
    next: Optional["Node"]

def build(n: int) -> Optional[Node]:
    x: Optional[Node] = None
    for i in range(n):
        x = Node(i, x)
    return x
"""

NESTED = """
def build(n: int) -> Any:
    x: Any = []
    for i in range(n):
        y: list[Any] = [x]
        x = y
    return x
"""


@pytest.fixture(scope="module")
def function(integration: Any) -> Callable[..., Any]:
    """`function(source)`: the function `f` of a source text."""

    def make(source: str) -> Any:
        # Classes of one name are told apart by their modules.
        last = integration.function_of(HEADER + source, __name__=f"bad_input_{next(_numbers)}")
        assert last.__name__ == "f"
        return last

    return make


def outcome(call: Callable[..., Any], args: tuple[Any, ...]) -> tuple[str, Any]:
    args = copy.deepcopy(args)
    try:
        return "value", (repr(call(*args)), repr(args))
    except Exception as error:  # noqa: BLE001 - whatever it raises is compared
        return "error", next(c for c in type(error).__mro__ if c.__module__ == "builtins")


def agrees(f: Callable[..., Any], *inputs: tuple[Any, ...], leaks: bool = False) -> Callable[..., Any]:
    """A function does the same as plain Python and compiled: the value, or the builtin class of the exception."""
    scripted = tscript.script(f)
    for args in inputs:
        expected = outcome(f, args)
        assert outcome(scripted, args) == expected, args
        gc.collect()
        before = current().live_blocks()
        assert outcome(scripted, args) == expected, args
        gc.collect()
        assert leaks or current().live_blocks() <= before, f"{args} leaks"
    return scripted


def raises(f: Callable[..., Any], error: type[Exception], *inputs: tuple[Any, ...]) -> None:
    """A compiled function raises an error of a class, twice, without a leak."""
    scripted = tscript.script(f)
    for args in inputs:
        for _ in range(2):
            gc.collect()
            before = current().live_blocks()
            with pytest.raises(error):
                scripted(*copy.deepcopy(args))
        gc.collect()
        assert current().live_blocks() <= before


# ---- recursion


@pytest.mark.parametrize(
    "body",
    [
        "def f(n: int, s: str) -> str:\n    return f(n + 1, s + 'a') + s\n",
        "def f(n: int, s: str) -> int:\n    xs = [s, s]\n    d = {s: n}\n    t = 0\n    for x in xs:\n"
        "        t += d[x]\n"
        "    return t + f(n + 1, s) + len(xs)\n",
        "def g(n: int, s: str) -> int:\n    return f(n + 1, s) + 1\ndef f(n: int, s: str) -> int:\n"
        "    return g(n, s) + 1\n",
        "def f(n: int, s: str) -> int:\n    try:\n        return f(n + 1, s) + 1\n    except ValueError:\n"
        "        return 0\n"
        "    finally:\n        n += 1\n",
        "class A:\n    def __init__(self, n: int) -> None:\n        self.n = n\n        self.m = make(n)\n"
        "def make(n: int) -> int:\n    return A(n + 1).n\ndef f(n: int, s: str) -> int:\n    return A(n).n\n",
        "def f(n: int, s: str) -> int:\n    return sorted([n, n + 1], key=lambda v: f(v + 1, s))[0]\n",
        "class A:\n    def __init__(self, n: int) -> None:\n        self.n = n\n    def __lt__(self, o: 'A') -> bool:\n"
        "        return sorted([self, o])[0].n < 3\n"
        "def f(n: int, s: str) -> int:\n    return sorted([A(n), A(n)])[0].n\n",
        "class A:\n    def __init__(self, n: int) -> None:\n        self.n = n\n"
        "    def __eq__(self, o: object) -> bool:\n"
        "        return self in [A(1)]\n"
        "def f(n: int, s: str) -> bool:\n    return A(n) == A(n)\n",
        "class A:\n    def __init__(self, n: int) -> None:\n        self.n = n\n    def __repr__(self) -> str:\n"
        "        return repr([self])\n"
        "def f(n: int, s: str) -> str:\n    return repr(A(n))\n",
    ],
    ids=["str", "containers", "mutual", "finally", "init", "key", "lt", "eq", "repr"],
)
def test_recursion_that_does_not_end(function: Any, body: str) -> None:
    raises(function(body), RecursionError, (0, "x"))


def test_recursion_errors_are_caught(function: Any) -> None:
    source = "def g(n: int) -> int:\n    return g(n + 1) + 1\n"
    agrees(
        function(
            source
            + "def f() -> str:\n    try:\n        return str(g(0))\n    except RecursionError:\n        return 'r'\n"
        ),
        (),
    )


@pytest.mark.parametrize("prelude", [NODE, NESTED], ids=["instances", "lists"])
def test_deep_data_is_freed(function: Any, prelude: str) -> None:
    agrees(function(prelude + "def f(n: int) -> int:\n    x = build(n)\n    x = build(n)\n    return n\n"), (100_000,))


@pytest.mark.parametrize("prelude", [NODE, NESTED], ids=["instances", "lists"])
@pytest.mark.parametrize(
    "expression", ["build(n) == build(n)", "len(repr(build(n)))", "len(f'{build(n)}')", "build(n)"]
)
def test_deep_data_is_refused(function: Any, prelude: str, expression: str) -> None:
    f = function(prelude + f"def f(n: int) -> Any:\n    return {expression}\n")
    agrees(f, (10,))
    raises(f, RecursionError, (100_000,))


def test_deep_hashes(function: Any) -> None:
    frozen = NODE.replace("@dataclass", "@dataclass(frozen=True)")
    f = function(frozen + "def f(n: int) -> int:\n    x = build(n)\n    assert x is not None\n    return {x: n}[x]\n")
    agrees(f, (1,), (50,))
    raises(f, RecursionError, (100_000,))


def test_deep_arguments(function: Any) -> None:
    f = function(NESTED + "def f(x: list[Any]) -> int:\n    return len(x)\n")
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    scripted = tscript.script(f)
    with pytest.raises(RecursionError):
        scripted(deep)
    while deep:
        deep = deep.pop()


# ---- sizes


HUGE = [(n,) for n in (2**63 - 1, 2**62, 2**61 + 1, 2**60, 2**45, -1, -(2**63))]


@pytest.mark.parametrize(
    "expression",
    [
        "[0] * n",
        "[(1, 2, 3)] * n",
        "['a', 'b'] * n",
        "'a' * n",
        "'\\U0001F600b' * n",
        "b'ab' * n",
        "'a'.ljust(n)",
        "'a'.zfill(n)",
        "'b'.center(n)",
        "list(range(n))",
        "sorted(range(n))",
        "[x for x in [[0] * n][0]]",
    ],
)
def test_huge_sizes(function: Any, expression: str) -> None:
    scripted = tscript.script(function(f"def f(n: int) -> int:\n    return len({expression})\n"))
    for (n,) in HUGE:
        if n > 0:
            with pytest.raises((MemoryError, OverflowError, ValueError)):
                scripted(n)
        else:
            assert scripted(n) >= 0


def test_huge_bounds(function: Any) -> None:
    source = (
        "def f(n: int) -> tuple[int, list[int], str, int, list[int], list[int]]:\n    x = [1, 2, 3]\n"
        "    x.insert(n, 9)\n"
        "    y = [4, 5, 6]\n    y[n:] = [7]\n    z = [1, 2, 3]\n    del z[:n]\n"
        "    return len([1, 2][n:]), x, 'abc'[n:] + '|' + 'abc'[:n], 'abcabc'.find('a', n), y, z\n"
    )
    agrees(function(source), *[(n,) for n in (2**63 - 1, -(2**63) + 1, 2**62, -(2**62), 0, 1)])


def test_repeating_nothing_takes_no_time(function: Any) -> None:
    agrees(function("def f(n: int) -> int:\n    x: list[int] = []\n    return len(x * n) + len('' * n)\n"), (2**62,))


def test_ranges_as_sources(function: Any) -> None:
    source = (
        "def f(a: int, b: int, c: int) -> list[int]:\n    out = list(range(a, b, c))\n"
        "    out += list(reversed(range(a, b, c)))\n"
        "    for i, (x, y) in enumerate(zip(range(a, b, c), range(1, 9, 2))):\n        out.append(x * y + i)\n"
        "    return out + sorted(range(a, b, c)) + list(range(b))\n"
    )
    steps = [(0, 5, 1), (0, 5, 2), (5, 0, -1), (5, 0, -3), (1, 7, 3), (3, 3, 1), (5, 0, 1), (0, 5, -1)]
    agrees(function(source), *steps, (5, 0, -(2**63)), (0, 5, 2**63 - 1), (0, 1, 0))


# ---- text


BAD_UTF8 = [
    b"\xff",
    b"a\xc3",
    b"\xed\xa0\x80",
    b"\xf4\x90\x80\x80",
    b"\xc0\x80",
    b"\xe2\x82",
    b"ab\xf0\x9f\x98",
    b"\x80a",
    b"ok\xc3\xa9",
]


def test_invalid_utf8(function: Any) -> None:
    source = "def f(b: bytes) -> list[str]:\n    return [b.decode('utf-8', 'replace'), b.decode('utf-8', 'ignore')]\n"
    agrees(function(source), *[(b,) for b in BAD_UTF8])
    agrees(function("def f(b: bytes) -> str:\n    return b.decode()\n"), *[(b,) for b in BAD_UTF8])


def test_surrogates_both_ways(function: Any) -> None:
    texts = ["\ud800", "a\udfffb\0", "\ud83d\ude00", "\0", "é\U0010ffff"]
    source = (
        "def f(s: str, d: dict[str, str]) -> tuple[list[str], str, str]:\n"
        "    return list(s + '\\udc80'), d[s], repr(s)\n"
    )
    agrees(function(source), *[(s, {s: s + "\udfff"}) for s in texts])
    agrees(function("def f(s: str) -> bytes:\n    return s.encode()\n"), *[(s,) for s in texts])
    agrees(
        function("def f(n: int) -> str:\n    return chr(n)\n"),
        (0xD800,),
        (0,),
        (0x10FFFF,),
        (0x110000,),
        (-1,),
        (2**62,),
    )


def test_constants_and_names(function: Any) -> None:
    name = "x" * 3000
    text = "\0'\"\\é\U0001f600\n%s{}\x7f"
    source = (
        f"def f(ñ: int) -> tuple[str, int]:\n    {name} = ñ\n    变量 = {text * 50!r}\n"
        f"    return 变量 + '\\ud800', {name}\n"
    )
    agrees(function(source), (3,))
    f = tscript.script(function("def f(s: str) -> int:\n    raise ValueError('a\\0b' + s)\n"))
    for s in ("é\0{}%s", "x" * 10_000):
        with pytest.raises(ValueError, match="a\0b") as caught:
            f(s)
        assert str(caught.value) == "a\0b" + s


# ---- arguments


@pytest.mark.parametrize(
    ("type", "value", "message"),
    [
        ("list[int]", [1, "a"], "element 1 must be int, not str"),
        ("list[int]", [2**63], "element 0 does not fit into 64 bits"),
        ("list[int]", {1, 2}, "must be list[int], not set"),
        ("dict[str, list[int]]", {"a": [1, "x"]}, "element 1 of the value of key 'a' must be int, not str"),
        ("dict[str, list[int]]", {1: [1]}, "a key must be str, not int"),
        (
            "list[dict[str, tuple[int, str]]]",
            [{}, {"b": (1, 2)}],
            "element 1 of the value of key 'b' of element 1 must be str",
        ),
        (
            "list[dict[str, tuple[int, str]]]",
            [{"b": (1,)}],
            "the value of key 'b' of element 0 must have 2 elements, not 1",
        ),
        ("set[str]", {"a", 1}, "a key must be str, not int"),
        ("Optional[list[Optional[int]]]", [1, None, "x"], "element 2 must be Optional[int], not str"),
        ("Union[int, str]", 1.5, "must be int or str, not float"),
        ("Any", {"a": object()}, "the value of key 'a' must be a value of the language, not object"),
    ],
)
def test_wrong_arguments_are_named_by_their_place(function: Any, type: str, value: object, message: str) -> None:
    scripted = tscript.script(function(f"def f(x: {type}) -> int:\n    return 0\n"))
    before = current().live_blocks()
    with pytest.raises((TypeError, OverflowError)) as caught:
        scripted(value)
    assert str(caught.value).startswith("argument 'x' of f()") and message in str(caught.value)
    assert current().live_blocks() <= before


# ---- cycles


def test_lists_that_hold_themselves(function: Any) -> None:
    source = "def f(n: int) -> {}:\n    x: list[Any] = [1]\n    x.append(x)\n    return {}\n"
    agrees(function(source.format("str", "repr(x)")), (1,), leaks=True)
    agrees(function(source.format("list[Any]", "x")), (1,), leaks=True)
    x: list[Any] = [1]
    x.append(x)
    found = tscript.script(function("def f(x: list[Any]) -> list[Any]:\n    return x\n"))(x)
    assert found is x


def test_instances_in_a_ring(function: Any) -> None:
    ring = NODE + "def f(n: int) -> {}:\n    x = Node(1, None)\n    y = Node(1, x)\n    x.next = y\n    return {}\n"
    agrees(function(ring.format("str", "repr(x)")), (1,), leaks=True)
    agrees(function(ring.format("bool", "x == y")), (1,), leaks=True)
    agrees(function(ring.format("Node", "x")), (1,), leaks=True)


# ---- changes while something is gone over


@pytest.mark.parametrize(
    ("body", "args"),
    [
        ("for v in x:\n        t += v\n        if len(x) < 50:\n            x.append(v)", ([1, 2],)),
        ("for v in x:\n        t += v\n        x.remove(v)", ([1, 2, 3, 4],)),
        ("for v in x:\n        t += v\n        x.clear()", ([1, 2],)),
        ("for i, v in enumerate(x):\n        t += v * i\n        x.pop()", ([1, 2, 3, 4],)),
        ("for v in x:\n        x[v + 100] = 1\n        t += 1", ({1: 2, 2: 3},)),
        ("for v in x:\n        del x[v]\n        t += 1", ({1: 2, 2: 3},)),
        ("for k, v in x.items():\n        x.clear()\n        t += v", ({1: 2, 2: 3},)),
        ("for v in x:\n        x.add(v + 10)\n        t += 1", ({1, 2},)),
        ("for v in x:\n        x.discard(v)\n        t += 1", ({1, 2},)),
        ("x[1:1] = x\n    x[::2] = x[1::2]\n    x += x\n    x.extend(x)\n    t = sum(x)", ([1, 2],)),
        ("x.update(x)\n    x |= x\n    x &= x\n    x -= x\n    t = len(x)", ({1, 2},)),
    ],
)
def test_changes_in_a_loop(function: Any, body: str, args: tuple[Any, ...]) -> None:
    type = {list: "list[int]", dict: "dict[int, int]", set: "set[int]"}[args[0].__class__]
    agrees(function(f"def f(x: {type}) -> int:\n    t = 0\n    {body}\n    return t\n"), args)


def test_a_key_function_that_changes_the_list(function: Any) -> None:
    source = (
        "def f(x: list[str]) -> list[str]:\n    def key(v: str) -> str:\n        x.{}\n        return v\n"
        "    x.sort(key=key)\n    return x\n"
    )
    raises(function(source.format("append(v)")), ValueError, (["b", "a", "c"],))
    assert tscript.script(function(source.format("clear()")))(["b", "a", "c"]) == ["a", "b", "c"]  # it is empty already


@pytest.mark.parametrize("change", ["append(self)", "insert(0, self)"])
def test_comparisons_that_change_the_list(function: Any, change: str) -> None:
    source = f"""
class A:
    def __init__(self, n: int, items: list["A"]) -> None:
        self.n = n
        self.items = items
    def __lt__(self, other: "A") -> bool:
        self.items.{change}
        return self.n > other.n
def f(n: int) -> int:
    items: list[A] = []
    for i in range(20):
        items.append(A(i, items))
    items.sort()
    return len(items)
"""
    with pytest.raises(ValueError, match="list modified during sort"):
        tscript.script(function(source))(1)


# ---- keys


def test_nan_keys(function: Any) -> None:
    source = (
        "def f(x: float) -> tuple[int, bool, int, int, bool]:\n    d = {x: 1}\n    d[x * 1.0] = 3\n"
        "    s = {x + 0.0, x * 1.0}\n"
        "    return len(d), x * 1.0 in d, d.get(x * 1.0, -1), len(s), [x * 1.0] == [x + 0.0]\n"
    )
    agrees(function(source), (math.nan,), (0.0,), (-0.0,), (math.inf,))
    agrees(function("def f(x: list[float]) -> list[float]:\n    return sorted(x)\n"), ([3.0, math.nan, 1.0],))


@pytest.mark.parametrize(
    "key",
    ["i << 20", "i << 40", "-(i << 33)", "i % 4 * 2305843009213693951", "(i << 32, -i << 20)", "2.0 ** (i % 900)"],
)
def test_keys_that_collide(function: Any, key: str) -> None:
    source = (
        f"def f(n: int) -> int:\n    d = {{{key}: i for i in range(n)}}\n    t = 0\n    for i in range(n):\n"
        f"        t += d[{key}]\n    return t\n"
    )
    agrees(function(source), (20_000,))


# ---- exceptions on the way


RAISING = """
class A:
    def __init__(self, n: int) -> None:
        self.s = str(n)
        if n > 8:
            raise ValueError("x" * n)
        self.t = [self.s]
    def __eq__(self, other: object) -> bool:
        raise ValueError(self.s)
    def __lt__(self, other: "A") -> bool:
        raise KeyError(self.s)
    def __repr__(self) -> str:
        raise TypeError(self.s)
    def __add__(self, other: "A") -> "A":
        raise OverflowError(self.s)
    def __enter__(self) -> str:
        return self.s
    def __exit__(self, a: Any, b: Any, c: Any) -> None:
        raise IndexError(self.s + "exit")
"""


@pytest.mark.parametrize(
    "body",
    [
        "return len([A(i) for i in range(n + 9)])",
        "return len({str(i): A(i) for i in range(n + 9)})",
        "return int(A(1) in [A(2)])",
        "return len(sorted([A(1), A(2), A(3)]))",
        "return len(f'{A(1)}{n}')",
        "return len((A(1) + A(2)).s)",
        "with A(3) as s:\n        raise ValueError(s)",
        "return int([A(1)] == [A(2)])",
        "return sum(int(v) for v in ['1', str(n), 'x'])",
        "return len({v: [int(c) for c in v] for v in ['12', str(n), 'x']})",
        "return len(max([str(n), 'b'], key=lambda v: str(int(v))))",
    ],
)
def test_exceptions_leave_nothing_behind(function: Any, body: str) -> None:
    agrees(function(RAISING + f"def f(n: int) -> int:\n    {body}\n"), (1,))


def test_generators_that_are_left_early(function: Any) -> None:
    source = (
        "def f(x: list[str]) -> bool:\n    return any(len(v + 'a') > 2 for v in x) and all(v + 'b' != 'cb' for v "
        "in x)\n"
    )
    agrees(function(source), (["a", "bb", "c"],), ([],), (["a"],))


@pytest.mark.parametrize(
    "body",
    [
        "    x = [0]\n    while True:\n        x[0] += 1\n        x.append(1)\n        x.pop()",
        "    d = {'a': 0}\n    while True:\n        d['a'] += 1\n        d['b'] = 1\n        del d['b']",
        "    s = ''\n    while True:\n        for c in 'abc':\n            s = s + c\n        s = ''",
    ],
    ids=["list", "dict", "str"],
)
def test_interrupts(tmp_path: Path, body: str) -> None:
    text = "import signal, threading, time, os, tscript\ndef f() -> int:\n" + body + "\n    return 0\n"
    text += textwrap.dedent("""
        scripted = tscript.script(f)
        scripted.compile_for()
        asked = []
        def ask(*_):
            if not asked:
                asked.append(True)
                raise KeyboardInterrupt
        signal.signal(signal.SIGALRM, ask)
        signal.setitimer(signal.ITIMER_REAL, 0.2, 0.2)
        try:
            scripted()
        except KeyboardInterrupt:
            signal.setitimer(signal.ITIMER_REAL, 0)
            print("interrupted")
    """)
    path = tmp_path / "loop.py"
    path.write_text(text)
    done = subprocess.run([sys.executable, path], capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stdout) == (0, "interrupted\n"), done.stderr
    assert signal.SIGALRM


# ---- sources


def test_large_sources(function: Any) -> None:
    numbers = ", ".join(map(str, range(2000)))
    agrees(function(f"def f(n: int) -> int:\n    x = [{numbers}]\n    return x[n]\n"), (77,), (2000,))
    pairs = ", ".join(f"'{i}': {i}" for i in range(300))
    agrees(function(f"def f(n: int) -> int:\n    x = {{{pairs}}}\n    return x[str(n)]\n"), (77,), (300,))
    parameters = ", ".join(f"a{i}: list[int]" for i in range(100))
    sums = " + ".join(f"len(a{i})" for i in range(100))
    agrees(function(f"def f({parameters}) -> int:\n    return {sums}\n"), tuple([i] for i in range(100)))
    lines = "".join(f"    t += n * {i}\n" for i in range(500))
    agrees(function(f"def f(n: int) -> int:\n    t = 0\n{lines}    return t\n"), (3,))


@pytest.mark.parametrize(
    ("source", "result"),
    [
        ("def f(n: int) -> int:\n    return " + "+".join(["n"] * 3000) + "\n", 3000),
        ("def f(n: int) -> int:\n    return " + "-" * 3000 + "n\n", 1),
    ],
    ids=["sum", "signs"],
)
def test_deeply_nested_sources_are_refused_or_right(function: Any, source: str, result: int) -> None:
    try:
        f = function(source)
    except RecursionError:
        pytest.skip("Python itself does not take it")
    try:
        found = tscript.script(f)(1)
    except (CompileError, RecursionError):
        return
    assert found == result


# ---- IR from outside


@pytest.mark.parametrize(
    ("source", "conversion", "target"),
    [
        ("list[int]", "upcast", "str"),
        ("list[int]", "upcast", "list[str]"),
        ("int", "upcast", "Any"),
        ("Any", "upcast", "str"),
        ("Any", "downcast", "int"),
        ("list[int]", "downcast", "str"),
        ("list[int]", "unbox", "int"),
        ("Union[int, str]", "unbox", "float"),
        ("Union[int, str]", "unbox", "str"),
        ("list[int]", "box", "Any"),
        ("int", "box", "Optional[int]"),
    ],
)
def test_conversions_that_would_confuse_types_are_refused(source: str, conversion: str, target: str) -> None:
    text = f"""
program @f
graph @f(%x: {source}) -> {target} {{
  %0: type = const type({target})
  %1: {target} = {conversion}(%x, %0)
  return %1
}}
"""
    with pytest.raises(VerifyError):
        verify(parse_program(text, TABLE))


@pytest.mark.parametrize("order", [[0, 1], [0, 1, 1], [0, 1, 3], [-1, 0, 1], [0, 1, 2, 2]])
def test_orders_that_are_none(order: list[int], harness: Any, integration: Any) -> None:
    """Sorting puts elements into an order that IR from outside may give."""
    text = """
program @f
graph @f(%xs: list[str], %order: list[int]) -> list[str] {
  %0: None = permute.list(%xs, %order)
  return %xs
}
"""
    program = parse_program(text, TABLE)
    verify(program)
    function = integration.function_of("def f(xs: list[str], order: list[int]) -> list[str]:\n    return xs\n")
    made = harness.at_level_zero(tscript.script(function))
    vars(scripted_of(made))["program"] = program
    with pytest.raises(ValueError, match="list modified during sort"):
        made(["a", "b", "c"], order)
    with pytest.raises(ValueError, match="list modified during sort"):
        interpret(program, (["a", "b", "c"], order))
