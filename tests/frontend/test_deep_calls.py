"""Functions that call each other to any depth are compiled, in time that grows with their number."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

import tscript
from tscript.diagnostics import CompileError
from tscript.frontend import lower, module_functions
from tscript.ir.graph import Call, Program, walk

SHAPES = {
    "plain": "def f{i}(n: int):\n    return f{j}(n) + 1\n",
    "annotated": "def f{i}(n: int) -> int:\n    return f{j}(n) + 1\n",
    "twice": "def f{i}(n: int):\n    if n > 3:\n        return f{j}(n - 1)\n    return f{j}(n)\n",
    "in a loop": "def f{i}(n: int) -> int:\n    for i in range(n):\n        n = max(n, f{j}(i))\n    return n\n",
}


def chain(length: int, shape: str = SHAPES["plain"], last: str = "def f{i}(n: int):\n    return n\n") -> str:
    """Functions that each call the next one."""
    return "\n".join([*(shape.format(i=i, j=i + 1) for i in range(length - 1)), last.format(i=length - 1)])


def lowered(text: str) -> Program:
    return lower(next(f for f in module_functions(text, "chain.py") if f.name == "f0"))


@pytest.mark.parametrize("shape", SHAPES)
def test_a_chain_of_functions_may_have_any_length(shape: str) -> None:
    assert len(lowered(chain(300, SHAPES[shape])).graphs) == 300


def test_a_chain_of_2000_functions_is_compiled_and_runs(tmp_path: Path) -> None:
    (tmp_path / "deep_chain.py").write_text(chain(2000))
    names: dict[str, Any] = {}
    exec(compile((tmp_path / "deep_chain.py").read_text(), str(tmp_path / "deep_chain.py"), "exec"), names)
    assert tscript.script(names["f0"])(5) == 5 + 1999


def test_time_grows_with_the_number_of_functions() -> None:
    def seconds(length: int) -> float:
        text = chain(length)
        begin = time.process_time()
        lowered(text)
        return time.process_time() - begin

    seconds(100)
    assert min(seconds(1600) for _ in range(2)) < 16 * min(seconds(200) for _ in range(3))


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
