"""Exceptions that compiled code catches: those of Python, of tasks, of signals; what they say; what callbacks see of
them."""

from __future__ import annotations

import gc
import os
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest

import tscript
from tscript.runtime.session.process import current


class Mine(KeyError):
    """A class that compiled code may know."""


class Worse(Mine):
    pass


class Other(Exception):
    pass


def boom(n: int) -> int:
    if n == 1:
        raise Mine("mine")
    if n == 2:
        raise FileNotFoundError(2, "no such file")
    if n == 3:
        raise ValueError("é" * 3)
    return n


@pytest.fixture(scope="module", autouse=True)
def operator() -> None:
    tscript.library.custom_op("caught::boom", boom, schema="(int n) -> int")


@pytest.fixture
def scripted(integration: Any) -> Iterator[Callable[[str], Any]]:
    """Compiles a source text; whatever its calls leave behind is a leak."""

    def compile(source: str) -> Any:
        return tscript.script(integration.function_of(source))

    yield compile
    gc.collect()


def without_leaks(call: Callable[[], object]) -> object:
    """The last of three calls, of which the later ones may leave no block behind."""
    found = call()
    for _ in range(2):
        before = current().live_blocks()
        found = call()
        deadline = time.monotonic() + 5
        while current().live_blocks() > before and time.monotonic() < deadline:
            time.sleep(0.005)
        # Less is fine: a thread of the pool may have let go of a task of the call before only after it was counted.
        assert current().live_blocks() <= before
    return found


def test_python_exceptions_are_caught_by_their_builtin_bases(scripted: Any) -> None:
    f = scripted("""
def f(n: int) -> str:
    try:
        return str(torch.ops.caught.boom(n))
    except LookupError as e:
        return "lookup " + str(e)
    except OSError as e:
        return "os " + str(e)
    except Exception as e:
        return repr(e)
""")
    found = [without_leaks(partial(f, n)) for n in range(4)]
    assert found == ["0", "lookup 'mine'", "os [Errno 2] no such file", "ValueError('ééé')"]


def test_a_python_exception_that_is_raised_again_is_itself(scripted: Any) -> None:
    f = scripted("""
def f(n: int) -> int:
    try:
        return torch.ops.caught.boom(n)
    except LookupError:
        raise
    finally:
        n = 0
""")
    with pytest.raises(Mine) as caught:
        f(1)
    assert [frame.name for frame in traceback.extract_tb(caught.value.__traceback__)][-2:] == ["f", "boom"]
    with pytest.raises(FileNotFoundError) as other:
        f(2)
    assert other.value.errno == 2
    assert f(5) == 5


def test_what_exceptions_say(agree: Any, integration: Any) -> None:
    function = integration.function_of("""
def f(n: int) -> str:
    try:
        if n == 0:
            raise ValueError(f"n is {n} and {n + 0.5} {{x}} ü")
        if n == 1:
            raise KeyError(f"key {n}")
        if n == 2:
            raise KeyError("a", 2.5)
        if n == 3:
            raise TypeError
        if n == 4:
            raise OSError("é" * n + str(n))
        if n == 5:
            raise ValueError(n)
        if n == 6:
            raise ValueError(None)
        if n == 7:
            raise IndexError([1, 2], n)
        n = n // (n - 8)
    except Exception as e:
        return str(e) + "|" + repr(e) + "|" + f"{e}" + str(len(e.args))
    return "none"
""")
    for n in range(10):
        agree(function, n)


def test_messages_computed_at_run_time(agree: Any, integration: Any) -> None:
    function = integration.function_of("""
def f(name: str, n: int) -> int:
    if n == 0:
        raise ValueError("no " + name)
    if n == 1:
        raise KeyError(name)
    assert n != 2, f"{name!r} has {n:04d}"
    try:
        raise RuntimeError(f"{name} and {n:>5}")
    except RuntimeError as e:
        raise TypeError(str(e) + "!") from e
""")
    for n in range(4):
        agree(function, "a'b", n)
        agree(function, "日本", n)


USERS = """
def f(n: int) -> str:
    try:
        if n == 0:
            raise Mine("x")
        if n == 1:
            raise Worse(f"y {n}")
        if n == 2:
            raise Other
        if n == 3:
            raise KeyError("k")
        if n == 4:
            return str(torch.ops.caught.boom(1))
    except Worse as e:
        return "worse " + str(e)
    except (Mine, Other) as e:
        return "mine " + str(e) + repr(e)
    except LookupError:
        raise Worse("again", n) from None
    return "none"
"""


def test_classes_of_users_that_only_name_their_base(integration: Any) -> None:
    f = tscript.script(integration.function_of(USERS, Mine=Mine, Worse=Worse, Other=Other))
    found = [without_leaks(partial(f, n)) for n in (0, 1, 2, 4, 5)]
    assert found == ["mine 'x'Mine('x')", "worse 'y 1'", "mine Other()", "mine 'mine'Mine('mine')", "none"]
    with pytest.raises(Worse) as caught:
        f(3)
    assert caught.value.args == ("again", 3)


def test_exceptions_are_kept_and_asked_for_their_class(agree: Any, integration: Any) -> None:
    function = integration.function_of("""
def f(n: int) -> int:
    last: Exception | None = None
    try:
        if n == 0:
            raise IndexError("x")
        if n == 1:
            raise ValueError(4)
        n = 7 // (n - 2)
    except Exception as e:
        last = e
        if isinstance(e, LookupError):
            return 1
        if isinstance(e, ValueError):
            return 2
    if last is not None:
        return 3
    return n
""")
    for n in range(4):
        agree(function, n)


def test_tasks(scripted: Any) -> None:
    f = scripted("""
def task(n: int) -> int:
    t = 0
    for i in range(n):
        try:
            t += torch.ops.caught.boom(1)
        except LookupError:
            t += 1
    return t

def raiser(n: int) -> int:
    raise ValueError("made", n)

def f(n: int) -> int:
    a = torch.fork(task, n)
    b = torch.fork(task, n)
    c = torch.fork(raiser, n)
    t = torch.wait(a) + torch.wait(b)
    for i in range(3):
        try:
            t += torch.wait(c)
        except ValueError as e:
            t += len(e.args)
    return t
""")
    assert without_leaks(lambda: f(5)) == 16


def test_the_exception_of_a_task_may_be_asked_for_again(scripted: Any) -> None:
    f = scripted('def f(n: int) -> int:\n    raise ValueError("made", n)\n')
    future = tscript.fork(f, 3)
    for _ in range(3):
        with pytest.raises(ValueError, match="made") as caught:
            tscript.wait(future)
        assert caught.value.args == ("made", 3)


ENDLESS = """
def f(n: int) -> int:
    t = 0
    try:
        while n < 0 or t < n:
            t += 1
    except {}:
        return -1
    return t
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_ctrl_c_is_caught_by_its_own_class_only(scripted: Any) -> None:
    caught, passed = (scripted(ENDLESS.format(name)) for name in ("KeyboardInterrupt", "Exception"))

    def interrupted(function: Any) -> Any:
        threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        return function(-1)

    for function in (caught, passed):  # compiled before the signal comes
        assert function(3) == 3
    assert interrupted(caught) == -1
    with pytest.raises(KeyboardInterrupt):
        interrupted(passed)


def test_callbacks_see_the_end_of_what_raised(scripted: Any) -> None:
    f = scripted("""
def f(x: Tensor, n: int) -> Tensor:
    y = x
    for i in range(n):
        try:
            y = y.select(0, 5 + i)
        except IndexError:
            y = y.contiguous()
    return y
""")
    x = tscript.tensor([1.0, 2.0])
    seen: list[str] = []
    handle = tscript.add_global_callback(
        lambda r: seen.append(f"+{r.name}"), lambda r, c: seen.append(f"-{r.name}"), scopes=["OPERATOR"]
    )
    try:
        f(x, 2)
    finally:
        handle.remove()
    assert seen == ["+select", "-select", "+contiguous", "-contiguous"] * 2


def test_a_handler_costs_little(scripted: Any) -> None:
    f = scripted("""
def inner(i: int) -> int:
    if i >= 0:
        raise KeyError(f"bad {i}")
    return inner(i - 1) if i < -5 else i

def f(n: int) -> int:
    t = 0
    for i in range(n):
        try:
            t += inner(i)
        except LookupError:
            t += 1
    return t
""")
    assert f(1000) == 1000
    start = time.perf_counter()
    assert f(1_000_000) == 1_000_000
    assert time.perf_counter() - start < 1.0  # some milliseconds
