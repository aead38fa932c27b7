"""Functions that fork and wait do the same as plain Python, interpreted at every stage, and natively."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest

import tscript
from tscript.diagnostics import CompileError
from tscript.frontend import lower
from tscript.frontend.source.source_modules import module_function
from tscript.ir.parser import parse_program
from tscript.ir.verifier import verify
from tscript.ir.verify_types import VerifyError
from tscript.operators.table import TABLE

HELPERS = """
def grow(x: Tensor, n: int) -> Tensor:
    for i in range(n):
        x = x * 1.5 + 1.0
    return x

def refuse(n: int) -> int:
    if n > 2:
        raise ValueError(f"n is {n}")
    return n

def write(x: Tensor) -> None:
    x.add_(1.0)

def pair(x: Tensor, n: int = 3) -> tuple[Tensor, int]:
    return x.sum(), n
"""

PROGRAMS: dict[str, tuple[str, tuple[object, ...]]] = {
    "futures of shapes in a list": (
        """
def shape(x: Tensor):
    return x.shape

def f(x: Tensor, n: int) -> int:
    first = tscript.fork(shape, x)
    found = [first]
    for i in range(n):
        first = tscript.fork(shape, x.sum(0))
        found.append(first)
    return len(tscript.wait(found[0])) + 10 * len(tscript.wait(first)) + len(found)
""",
        (np.ones((2, 3), np.float32), 2),
    ),
    "two tasks": (
        """
def f(x: Tensor, n: int) -> Tensor:
    a = tscript.fork(grow, x, n)
    b = torch.fork(grow, x + 1.0, n=2)
    return tscript.wait(a) + b.wait()
""",
        (np.ones((2, 3), np.float32), 3),
    ),
    "in a loop": (
        """
def f(x: Tensor, n: int) -> Tensor:
    last = tscript.fork(grow, x, 1)
    for i in range(n):
        last = tscript.fork(grow, last.wait(), 1)
    return tscript.wait(last)
""",
        (np.ones(3), 4),
    ),
    "in a branch": (
        """
def f(x: Tensor, n: int) -> Tensor:
    future = tscript.fork(grow, x, 1)
    if n > 2:
        future = tscript.fork(grow, x, 2)
    return future.wait() + future.wait()
""",
        (np.ones(3), 4),
    ),
    "a tuple, a default, an unused result": (
        """
def f(x: Tensor, n: int) -> tuple[Tensor, int]:
    tscript.fork(grow, x, 1)
    both = (tscript.fork(pair, x), tscript.fork(pair, x, n))
    total, three = both[0].wait()
    return total + both[1].wait()[0], three + both[1].wait()[1]
""",
        (np.ones(3), 4),
    ),
    "writes are seen behind the wait": (
        """
def f(x: Tensor, n: int) -> Tensor:
    before = x.sum()
    future = tscript.fork(write, x)
    tscript.wait(future)
    return x.sum() - before
""",
        (np.ones(3), 4),
    ),
    "an exception": (
        """
def f(n: int) -> int:
    future = tscript.fork(refuse, n)
    return tscript.wait(future) + 1
""",
        (3,),
    ),
    "a default of another dtype and rank": (
        """
def rank(*, x: Tensor = tscript.tensor(0)) -> int:
    return x.dim() + 1

def f(n: int) -> int:
    return tscript.fork(rank, x=tscript.ones(n, 2)).wait() + tscript.fork(rank).wait()
""",
        (3,),
    ),
    "no exception": ("def f(n: int) -> int:\n    return tscript.fork(refuse, n).wait() + 1\n", (2,)),
}


@pytest.mark.parametrize(("source", "args"), PROGRAMS.values(), ids=PROGRAMS)
def test_programs_agree(agree: Any, integration: Any, source: str, args: tuple[object, ...]) -> None:
    agree(integration.function_of(HELPERS + source), *args)


TAKEN = {"str": "'ab' * n", "bytes": "b'ab' * n", "Optional[str]": "'a' * n if n > 3 else None",
         "Optional[Tensor]": "x if n > 3 else None",
         "Side": "Side.LEFT", "tuple[str, ...]": "('a' * n, 'b')",
         "tuple[str, bool, Optional[int], Tensor]": "('a' * n, n > 2, n, x + 1)"}  # fmt: skip
"""Types of what tasks take, and a value of each."""

TASKS = """
from enum import Enum
from typing import Optional
class Side(Enum):
    LEFT = 1
def dropped(v: {type}) -> int:
    return 7
def look(v: {type}, other: {type}) -> tuple[bool, Tensor]:
    return v is None, tscript.ones(2)
def f(x: Tensor, n: int) -> tuple[bool, Tensor, int]:
    tscript.fork(dropped, {value})
    last = tscript.fork(dropped, {value})
    seen, t = tscript.fork(look, {value}, {value}).wait()
    return seen, t, last.wait()
"""


GIVEN = {**TAKEN, "list[str]": "['a' * n, 'b']", "tuple[list[Tensor], str]": "([x, x + 1], 'a' * n)"}

RESULTS = """
from enum import Enum
from typing import Optional
class Side(Enum):
    LEFT = 1
def gives(x: Tensor, n: int) -> {type}:
    return {value}
def f(x: Tensor, n: int) -> tuple[{type}, {type}]:
    tscript.fork(gives, x, n)
    last = tscript.fork(gives, x, n)
    same = tscript.fork(gives, x, n)
    same.wait()
    return same.wait(), last.wait()
"""


@pytest.mark.parametrize("type", GIVEN)
def test_what_tasks_give_is_freed(harness: Any, integration: Any, type: str) -> None:
    plain = integration.function_of(RESULTS.format(type=type, value=GIVEN[type]))
    scripted, x = tscript.script(plain), tscript.ones(2)
    scripted(x, 3)
    for n in (3, 4):
        before = harness.runtime.live_blocks()
        for _ in range(20):
            assert repr(scripted(x, n)) == repr(plain(x, n))
        deadline = time.monotonic() + 10
        while harness.runtime.live_blocks() > before and time.monotonic() < deadline:
            time.sleep(0.005)
        assert harness.runtime.live_blocks() <= before


@pytest.mark.parametrize("type", TAKEN)
def test_tasks_are_the_last_to_have_what_they_take(harness: Any, integration: Any, type: str) -> None:
    plain = integration.function_of(TASKS.format(type=type, value=TAKEN[type]))
    scripted, x = tscript.script(plain), tscript.ones(2)
    scripted(x, 3)
    for n in (3, 4):
        before = harness.runtime.live_blocks()
        for _ in range(20):
            assert repr(scripted(x, n)) == repr(plain(x, n))
        deadline = time.monotonic() + 10
        while harness.runtime.live_blocks() > before and time.monotonic() < deadline:  # tasks that nobody waits for
            time.sleep(0.005)
        assert harness.runtime.live_blocks() <= before


REFUSED = {
    "an operator": ("tscript.fork(tscript.add, x, x)", "a module or a method of one first, not the operator"),
    "a value": ("tscript.fork(x)", "takes a function, a module or a method of one first, not a Tensor"),
    "nothing": ("tscript.fork()", "takes a function first"),
    "no future": ("tscript.wait(x)", "takes a Future, not a Tensor"),
    "a wrong argument": ("tscript.fork(refuse, 'a')", "int"),
    "a dict": ("tscript.fork(table)", "cannot give a Future of"),
}


@pytest.mark.parametrize(("expression", "message"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_compiled(integration: Any, expression: str, message: str) -> None:
    source = (
        f"{HELPERS}\ndef table() -> dict[str, int]:\n    return {{'a': 1}}\n\n"
        f"def f(x: Tensor) -> Tensor:\n    {expression}\n    return x\n"
    )
    with pytest.raises(CompileError) as caught:
        tscript.script(integration.function_of(source))
    assert message in str(caught.value)


def test_a_future_without_a_type(integration: Any) -> None:
    with pytest.raises(CompileError, match="without the type of its result"):
        tscript.script(integration.function_of("def f(x: tscript.Future) -> int:\n    return 1\n"))


def test_the_verifier_checks_forks() -> None:
    good = """
        graph @f(%x: int) -> int { %a: Future[int] = fork @g(%x) %b: int = wait(%a) return %b }
        graph @g(%x: int) -> int { return %x }
    """
    verify(parse_program(good, TABLE))
    for wrong, rule in (("Future[float]", "not Future\\[float\\]"), ("int", "gives a Future, not int")):
        text = good.replace("%a: Future[int]", f"%a: {wrong}")
        with pytest.raises(VerifyError, match=rule):
            verify(parse_program(text, TABLE))


def test_the_names_of_torch() -> None:
    source = """
import torch

def g(x: torch.Tensor) -> torch.Tensor:
    return x + 1.0

def f(x: torch.Tensor, given: torch.jit.Future[torch.Tensor]) -> torch.Tensor:
    future: torch.futures.Future[torch.Tensor] = torch.jit.fork(g, x)
    return torch.jit.wait(future) + torch.jit.wait(given)
"""
    program = lower(module_function(source, "f", "f.py"))
    assert [str(p.type) for p in program.entry.params] == ["Tensor", "Future[Tensor]"]
    assert "fork @g" in str(program)


HELD = """
from typing import Any
def eight() -> int:
    return 8
class Holder:
    def __init__(self):
        self.task = tscript.fork(eight)
"""

BODIES = (
    "def f() -> tuple[Holder, list[Holder]]:\n    h = Holder()\n    return h, [h]\n",
    "def f() -> Any:\n    x: Any = tscript.fork(eight)\n    return x\n",
    "def f() -> str:\n    x: Any = tscript.fork(eight)\n"
    '    return f"{isinstance(x, int)} {isinstance(x, str)} {x == x}"\n',
)


def test_futures_lie_in_instances_and_in_any(integration: Any) -> None:
    """What walks over objects asks each for its kind, futures too."""
    shared, anything, asked = (tscript.script(integration.function_of(HELD + body)) for body in BODIES)
    holder, [again] = shared()
    assert holder is again
    assert tscript.wait(holder.task) == 8
    assert tscript.wait(anything()) == 8
    assert asked() == "False False True"
