"""Functions and classes that need each other to any depth are compiled, in time that grows with their number."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import Any

import pytest

import tscript
from tscript.diagnostics import CompileError
from tscript.frontend import lower, lower_dialect, module_functions
from tscript.ir.graph import Call, Program, walk
from tscript.runtime.values.typeinfo import TypeInfos
from tscript.types import F32

SHAPES = {
    "plain": "def f{i}(n: int):\n    return f{j}(n) + 1\n",
    "annotated": "def f{i}(n: int) -> int:\n    return f{j}(n) + 1\n",
    "twice": "def f{i}(n: int):\n    if n > 3:\n        return f{j}(n - 1)\n    return f{j}(n)\n",
    "in a loop": "def f{i}(n: int) -> int:\n    for i in range(n):\n        n = max(n, f{j}(i))\n    return n\n",
}

KINDS: dict[str, tuple[str, str, str, str]] = {
    "methods": (
        "",
        "class C{i}:\n    def __init__(self, k: int):\n        self.k = k\n\n"
        "    def m(self, n: int) -> int:\n        return C{j}(n).m(n) + self.k\n",
        "class C{i}:\n    def __init__(self, k: int):\n        self.k = k\n\n"
        "    def m(self, n: int) -> int:\n        return n\n",
        "def main(n: int) -> int:\n    return C0(n).m(n)\n",
    ),
    "methods with inferred results": (
        "class C:\n    def __init__(self, k: int):\n        self.k = k\n\n",
        "    def m{i}(self, n: int):\n        return self.m{j}(n) + self.k\n",
        "    def m{i}(self, n: int):\n        return n\n",
        "def main(n: int):\n    return C(n).m0(n)\n",
    ),
    "static methods": (
        "class C:\n",
        "    @staticmethod\n    def m{i}(n: int):\n        return C.m{j}(n) + 1\n",
        "    @staticmethod\n    def m{i}(n: int):\n        return n\n",
        "def main(n: int):\n    return C.m0(n)\n",
    ),
    "properties": (
        "class C:\n    def __init__(self, k: int):\n        self.k = k\n\n",
        "    @property\n    def m{i}(self):\n        return self.m{j} + self.k\n",
        "    @property\n    def m{i}(self):\n        return 1\n",
        "def main(n: int):\n    return C(n).m0\n",
    ),
    "special methods": (
        "",
        "class C{i}:\n    def __init__(self, k: int):\n        self.k = k\n\n"
        "    def __add__(self, n: int):\n        return (C{j}(n) + n) + self.k\n",
        "class C{i}:\n    def __init__(self, k: int):\n        self.k = k\n\n"
        "    def __add__(self, n: int):\n        return n\n",
        "def main(n: int):\n    return C0(n) + n\n",
    ),
    "constructors": (
        "",
        "class C{i}:\n    def __init__(self, k: int):\n        self.k = C{j}(k)\n        self.n = self.k.n + 1\n",
        "class C{i}:\n    def __init__(self, k: int):\n        self.n = k\n",
        "def main(n: int):\n    return C0(n).n\n",
    ),
    "types of attributes": (
        "from dataclasses import dataclass\n",
        "@dataclass\nclass C{i}:\n    k: 'C{j}'\n    n: int\n",
        "@dataclass\nclass C{i}:\n    n: int\n",
        "def main(c: 'C0'):\n    return c.n\n",
    ),
    "generic functions": (
        "from typing import TypeVar\nT = TypeVar('T')\n",
        "def f{i}(n: T) -> T:\n    return f{j}(n)\n",
        "def f{i}(n: T) -> T:\n    return n\n",
        "def main(n: int):\n    return f0(n) + 1\n",
    ),
    "generic functions with inferred results": (
        "from typing import TypeVar\nT = TypeVar('T')\n",
        "def f{i}(n: T):\n    return f{j}(n)\n",
        "def f{i}(n: T):\n    return n\n",
        "def main(n: int):\n    return f0(n) + 1\n",
    ),
    "functions as values": (
        "",
        "def f{i}(n: int):\n    g = f{j}\n    return g(n) + 1\n",
        "def f{i}(n: int):\n    return n\n",
        "def main(n: int):\n    return f0(n)\n",
    ),
}
"""Chains: the text before all members, one member, the last one, and the function that uses the first."""

INSIDE = {
    "functions": ("    def g{i}(n):\n        return g{j}(n) + 1\n", "    def g{i}(n):\n        return n\n"),
    "lambdas": ("    g{i} = lambda n: g{j}(n) + 1\n", "    g{i} = lambda n: n\n"),
}
"""The same inside a function, the last first."""


def chain(length: int, shape: str = SHAPES["plain"], last: str = "def f{i}(n: int):\n    return n\n") -> str:
    """Functions that each call the next one."""
    return "\n".join([*(shape.format(i=i, j=i + 1) for i in range(length - 1)), last.format(i=length - 1)])


def chain_of(kind: str, length: int) -> str:
    """A chain of one of `KINDS` or `INSIDE`, and the function ``main`` that uses it."""
    if kind in KINDS:
        before, shape, last, main = KINDS[kind]
        return f"{before}{chain(length, shape, last)}\n{main}"
    shape, last = INSIDE[kind]
    parts = [last.format(i=length - 1), *(shape.format(i=i, j=i + 1) for i in reversed(range(length - 1)))]
    return f"def main(n: int):\n{''.join(parts)}    return g0(n)\n"


def lowered(text: str, name: str = "f0") -> Program:
    return lower(next(f for f in module_functions(text, "chain.py") if f.name == name))


@pytest.mark.parametrize("shape", SHAPES)
def test_a_chain_of_functions_may_have_any_length(shape: str) -> None:
    assert len(lowered(chain(300, SHAPES[shape])).graphs) == 300


def test_a_chain_of_2000_functions_is_compiled_and_runs(tmp_path: Path) -> None:
    (tmp_path / "deep_chain.py").write_text(chain(2000))
    names: dict[str, Any] = {}
    exec(compile((tmp_path / "deep_chain.py").read_text(), str(tmp_path / "deep_chain.py"), "exec"), names)
    assert tscript.script(names["f0"])(5) == 5 + 1999


@pytest.mark.parametrize("kind", [*KINDS, *INSIDE])
def test_a_chain_of_anything_may_have_any_length(kind: str) -> None:
    short, long = (lowered(chain_of(kind, length), "main") for length in (8, 300))
    if len(short.graphs) > 1:
        each, rest = divmod(len(short.graphs), 8)
        assert len(long.graphs) in (300 * each + rest, 300 * (each + 1) + rest - 8)


@pytest.mark.parametrize("kind", ["methods", "generic functions"])
def test_a_chain_of_2000_of_anything_is_lowered(kind: str) -> None:
    lowered(chain_of(kind, 2000), "main")


def test_a_chain_of_functions_of_the_dialect_may_have_any_length(tmp_path: Path) -> None:
    shape = "def f{i}(n: T) -> T:\n    return f{j}(n) + n\n"
    head = "from tscript.dialect import T\n\n"
    (tmp_path / "deep_dialect.py").write_text(head + chain(300, shape, "def f{i}(n: T) -> T:\n    return n\n"))
    names: dict[str, Any] = {}
    exec(compile((tmp_path / "deep_dialect.py").read_text(), str(tmp_path / "deep_dialect.py"), "exec"), names)
    assert len(lower_dialect(names["f0"], {"T": F32}, "f0").graphs) == 300


@pytest.mark.parametrize("kind", [*KINDS, *INSIDE])
def test_a_chain_of_anything_runs(kind: str, tmp_path: Path) -> None:
    if kind == "types of attributes":
        pytest.skip("values inside each other to any depth are not converted")
    path = tmp_path / f"deep_{kind.replace(' ', '_')}.py"
    path.write_text(chain_of(kind, 60))
    names: dict[str, Any] = {"__name__": path.stem}
    exec(compile(path.read_text(), str(path), "exec"), names)
    assert tscript.script(names["main"])(3) == names["main"](3)


def test_types_inside_each_other_to_any_depth_are_described() -> None:
    (parameter,) = lowered(chain_of("types of attributes", 1000), "main").entry.params
    infos = TypeInfos()
    assert infos.type_at(infos.address(parameter.type)) == parameter.type
    assert len(infos.known()) > 1000


@pytest.mark.parametrize("kind", ["plain", "methods", "constructors"])
def test_time_grows_with_the_number_of_functions(kind: str) -> None:
    def seconds(length: int) -> float:
        text = chain(length) if kind == "plain" else chain_of(kind, length)
        begin = time.process_time()
        lowered(text, "f0" if kind == "plain" else "main")
        return time.process_time() - begin

    seconds(50)
    assert min(seconds(480) for _ in range(2)) < 16 * min(seconds(60) for _ in range(3))


def test_where_there_are_no_more_threads_a_deep_chain_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    def none(thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", none)
    assert len(lowered(chain(20)).graphs) == 20
    with pytest.raises(CompileError, match="nested this deeply"):
        lowered(chain(300))


def test_functions_that_call_each_other_in_a_circle_need_one_annotation() -> None:
    """As in short chains: the one that is called first says what it returns."""
    for length in (5, 300):
        first = "def f0(n: int) -> int:\n    return f1(n) if n > 0 else 0\n\n"
        rest = chain(length, last="def f{i}(n: int):\n    return f0(n - 1)\n").split("\n\n", 1)[1]
        assert len(lowered(first + rest).graphs) == length


def test_an_error_deep_in_a_chain_says_how_it_is_reached() -> None:
    text = chain(100, last="def f{i}(n: int):\n    return n + 'a'\n")
    with pytest.raises(CompileError) as caught:
        lowered(text)
    (found,) = caught.value.diagnostics
    assert found.span.function == "f99"
    called = found.called_from  # type: ignore[attr-defined]
    assert [str(span) for span in (called[0], called[-1])] == ["chain.py:296:12", "chain.py:2:12"]
    assert len(called) == 99


def test_errors_of_functions_that_are_only_named_are_none_of_the_program() -> None:
    last = "def f{i}(n: int):\n    wrong = n\n    return wrong\n\ndef wrong(n: int):\n    return n + 'a'\n"
    assert len(lowered(chain(40, last=last)).graphs) == 40
    last = (
        "import torch\ndef f{i}(n: int):\n    if not torch.jit.is_scripting():\n        return wrong(n)\n    return n\n"
    )
    last += "\ndef wrong(n: int):\n    return n + 'a'\n"
    outcomes = []
    for length in (2, 40):
        try:
            outcomes.append([g for g in lowered(chain(length, last=last)).graphs if not g.startswith("f")])
        except CompileError as error:
            outcomes.append([d.code for d in error.diagnostics])
    assert outcomes[0] == outcomes[1]


def test_the_program_is_the_same_however_deep_it_is_called() -> None:
    text = (
        "def g(n: int):\n    return h(n) + k(n)\n\ndef h(n: int):\n    return n * 2\n\ndef k(n: int):\n"
        "    return h(n)\n\n"
    )
    deep = lowered(text + chain(60, last="def f{i}(n: int):\n    return g(n)\n"))
    plain = lower(next(f for f in module_functions(text, "chain.py") if f.name == "g"))
    for name in ("g", "h", "k"):
        assert str(deep.graphs[name]) == str(plain.graphs[name])
        calls = [n.callee for n in walk(deep.graphs[name].body) if isinstance(n, Call)]
        assert calls == [n.callee for n in walk(plain.graphs[name].body) if isinstance(n, Call)]
