"""Forked tasks: values, errors, leaks, signals, processes that fork or end. What could hang runs in a process of its
own."""

from __future__ import annotations

import copy
import enum
import gc
import io
import os
import pickle
import subprocess
import sys
import textwrap
import threading
import time
import traceback
import warnings
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Optional

import pytest

import tscript
from tscript import Future, Tensor
from tscript.diagnostics import CompileError
from tscript.runtime.session.process import current


@tscript.script
def grow(x: Tensor, n: int) -> Tensor:
    for i in range(n):
        x = x * 1.5 + 1.0
    return x


@tscript.script
def refuse(x: Tensor, n: int) -> Tensor:
    if n > 2:
        raise ValueError(f"n is {n}")
    return x


@tscript.script
def refused(x: Tensor, n: int) -> Tensor:
    future = tscript.fork(refuse, x, n)
    return x + tscript.wait(future)


@tscript.script
def fibonacci(n: int) -> int:
    if n < 2:
        return n
    a = tscript.fork(fibonacci, n - 1)
    b = tscript.fork(fibonacci, n - 2)
    return tscript.wait(a) + tscript.wait(b)


@tscript.script
def chain(n: int) -> int:
    if n == 0:
        return 0
    return tscript.wait(tscript.fork(chain, n - 1)) + 1


@tscript.script
def make(x: Tensor) -> Future[Tensor]:
    return tscript.fork(grow, x, 5)


@tscript.script
def take(f: Future[Tensor], k: float) -> Tensor:
    return f.wait() * k


@tscript.script
def many_kinds(x: Tensor, n: int, yes: bool, y: float = 1.5) -> tuple[Tensor, tuple[int, bool], float, None]:
    return x + 1.0, (n, yes), y, None


@tscript.script
def abandon(x: Tensor) -> Tensor:
    tscript.fork(refuse, x, 7)
    return x


@tscript.script
def raise_elements(x: Tensor) -> None:
    x.add_(1.0)


@tscript.script
def write(x: Tensor) -> Tensor:
    before = x.sum()
    future = tscript.fork(raise_elements, x)
    tscript.wait(future)
    return x.sum() - before


def same(a: Tensor, b: Tensor) -> bool:
    return a.dtype is b.dtype and a.tolist() == b.tolist()


def divide(a: int, b: int = 2) -> float:
    return a / b


@pytest.fixture(autouse=True)
def _nothing_is_left() -> Iterator[None]:
    """What a test forked is over when it ends, and all its blocks are freed."""
    pool = current().pool
    _settle(pool)
    gc.collect()
    before = current().live_blocks()
    yield
    _settle(pool)
    gc.collect()
    end = time.monotonic() + 10
    while current().live_blocks() > before and time.monotonic() < end:  # a task's last reference goes behind its end
        time.sleep(0.005)
    assert current().live_blocks() <= before


def _settle(pool: Any) -> None:
    end = time.monotonic() + 30
    while pool.unfinished:
        assert time.monotonic() < end
        time.sleep(0.001)
    time.sleep(0.005)


def run(source: str, timeout: float = 60, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a program in a process of its own, with scripted functions to fork."""
    head = """
        import os, signal, sys, threading, time
        import tscript
        from tscript import Tensor

        def script(function):
            return tscript.script(function)
    """
    path = os.path.join(os.environ["TSCRIPT_CACHE_DIR"], f"program-{time.monotonic_ns()}.py")
    functions = """
        @tscript.script
        def endless(n: int) -> int:
            i = 0
            while n > 0:
                i += 1
            return i

        @tscript.script
        def increase(x: Tensor) -> Tensor:
            return x + 1.0

        @tscript.script
        def inside(n: int) -> int:
            return tscript.wait(tscript.fork(endless, n))
    """
    with open(path, "w", encoding="utf-8") as file:
        file.write(textwrap.dedent(head) + textwrap.dedent(functions) + textwrap.dedent(source))
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **environment}
    return subprocess.run(
        [sys.executable, "-W", "ignore", path], capture_output=True, text=True, timeout=timeout, env=env, check=False
    )


# ---- values


def test_a_scripted_function() -> None:
    x = tscript.ones(3)
    future = tscript.fork(grow, x, 3)
    assert isinstance(future, Future)
    assert same(tscript.wait(future), grow(x, 3))
    assert future.done()
    assert future.wait() is future.wait() is future.value()
    assert repr(future) == "<tscript.Future[Tensor[float32, 1]]: done>"


def test_all_kinds_of_values_keywords_and_defaults() -> None:
    x = tscript.ones(2)
    for future in (tscript.fork(many_kinds, x, 4, True), tscript.fork(many_kinds, yes=True, n=4, x=x)):
        tensor, pair, y, nothing = future.wait()
        assert tensor.tolist() == [2.0, 2.0]
        assert (pair, y, nothing) == ((4, True), 1.5, None)
    assert tscript.fork(many_kinds, x, 4, False, y=7).wait()[1:3] == ((4, False), 7.0)


def test_a_tensor_comes_back_as_the_same_object() -> None:
    @tscript.script
    def identity(x: Tensor) -> Tensor:
        return x

    x = tscript.ones(3)
    assert tscript.fork(identity, x).wait() is x


def test_a_plain_function_runs_with_the_gil() -> None:
    assert tscript.fork(divide, 3, b=2).wait() == 1.5
    assert tscript.fork(threading.get_ident).wait()
    assert tscript.fork(max, [1, 2, 3]).type is None
    assert tscript.fork(tscript.add, tscript.ones(2), 1.0).wait().tolist() == [2.0, 2.0]


def test_wait_and_fork_inside_a_task() -> None:
    assert tscript.fork(fibonacci, 12).wait() == 144
    assert tscript.fork(lambda: tscript.fork(fibonacci, 10).wait() + 1).wait() == 56


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_deep_chains_need_no_threads(threads: int) -> None:
    before = tscript.get_num_interop_threads()
    tscript.set_num_interop_threads(threads)
    try:
        assert fibonacci(12) == 144
        assert chain(50) == 50
        assert chain(1500) == 1500
        assert tscript.fork(chain, 1500).wait() == 1500
    finally:
        tscript.set_num_interop_threads(before)


def test_futures_are_results_and_arguments() -> None:
    x = tscript.ones(3)
    future = make(x)
    assert same(future.wait(), grow(x, 5))
    assert same(take(future, 2.0), grow(x, 5) * 2.0)
    assert same(take(tscript.fork(grow, x, 5), 2.0), grow(x, 5) * 2.0)
    inner = tscript.fork(make, x)
    assert same(inner.wait().wait(), grow(x, 5))
    assert same(tscript.fork(take, make(x), 2.0).wait(), grow(x, 5) * 2.0)


def test_a_task_writes_to_what_it_is_given() -> None:
    x = tscript.ones(4)
    assert write(x).item() == 4.0
    assert x.tolist() == [2.0] * 4


def test_dtypes_and_ranks_are_known_where_a_future_is_waited_for() -> None:
    @tscript.script
    def twice(x: Tensor) -> Tensor:
        a = tscript.fork(grow, x, 1)
        b = a
        if x.numel() > 3:
            b = tscript.fork(grow, x, 2)
        return a.wait() + b.wait()

    for x in (tscript.ones(2), tscript.ones(2, 2, dtype=tscript.float64)):
        assert same(twice(x), grow(x, 1) + grow(x, 2 if x.numel() > 3 else 1))
    scripted: Any = twice
    assert "wait(%a)" in str(scripted.graph)
    assert "Future[Tensor[float32, 1]]" in str(scripted.graph_for(tscript.ones(2)))


# ---- errors


def test_the_exception_of_a_task_names_both_lines() -> None:
    with pytest.raises(ValueError, match="n is 3") as caught:
        refused(tscript.ones(2), 3)
    shown = [(frame.name, frame.line) for frame in traceback.extract_tb(caught.value.__traceback__)]
    assert shown[-2:] == [("refused", "return x + tscript.wait(future)"), ("refuse", 'raise ValueError(f"n is {n}")')]
    del caught


def test_an_exception_is_raised_by_every_wait() -> None:
    future = tscript.fork(refuse, tscript.ones(2), 5)
    for _ in range(2):
        with pytest.raises(ValueError, match="n is 5"):
            future.wait()
    assert "failed" in repr(future)
    plain = tscript.fork(divide, 1, 0)
    depths = []
    for _ in range(3):
        with pytest.raises(ZeroDivisionError) as caught:
            plain.wait()
        depths.append(len(traceback.extract_tb(caught.value.__traceback__)))
        assert traceback.extract_tb(caught.value.__traceback__)[-1].name == "divide"
    assert len(set(depths)) == 1
    del caught


@tscript.ignore
def fail(x: Tensor) -> Tensor:
    raise LookupError("nothing there")


@tscript.script
def ask(x: Tensor) -> Tensor:
    return fail(x)


@pytest.mark.parametrize("pause", [0.0, 0.003])
def test_frames_do_not_live_on_with_a_failure(pause: float) -> None:
    """Whether a thread of the pool ran the task, or the one that waits for it."""

    def plain() -> None:
        future = tscript.fork(divide, 1, 0)
        time.sleep(pause)
        with pytest.raises(ZeroDivisionError) as caught:
            future.wait()
        assert [frame.name for frame in traceback.extract_tb(caught.value.__traceback__)] == ["plain", "wait", "divide"]

    def scripted() -> None:
        future = tscript.fork(ask, tscript.ones(1))
        time.sleep(pause)
        with pytest.raises(LookupError, match="nothing there"):
            take(future, 2.0)

    for _ in range(10):
        plain()
        scripted()


def test_an_exception_nobody_waits_for_is_a_warning() -> None:
    with pytest.warns(RuntimeWarning) as caught:  # noqa: PT031 - the task's end is what warns
        abandon(tscript.ones(2))
        _settle(current().pool)
    assert "ValueError: n is 7, and nobody waited for it" in str(caught[0].message)
    future = tscript.fork(divide, 1, 0)
    _settle(current().pool)
    with pytest.warns(RuntimeWarning, match="ZeroDivisionError"):
        del future
    future = tscript.fork(refuse, tscript.ones(1), 9)
    with pytest.raises(ValueError, match="n is 9"):
        future.wait()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        del future


def test_arguments_are_checked_where_a_scripted_function_is_forked() -> None:
    with pytest.raises(TypeError, match=r"grow\(\) missing 1 required positional argument: 'n'"):
        tscript.fork(grow, tscript.ones(2))
    with pytest.raises(TypeError, match="argument 'x' must be Tensor"):
        tscript.fork(grow, "x", 2)
    with pytest.raises(TypeError, match="takes a function first, not int"):
        tscript.fork(3)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"fork\(\) missing"):
        tscript.fork()  # type: ignore[call-arg]


def test_what_is_no_future() -> None:
    with pytest.raises(TypeError, match=r"wait\(\) takes a Future, which fork\(\) gives, not int"):
        tscript.wait(3)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="comes from fork"):
        Future()
    with pytest.raises(TypeError, match="must be Future"):
        take(3, 1.0)  # type: ignore[arg-type]
    future = tscript.fork(divide, 4)
    with pytest.raises(TypeError, match="plain Python function"):
        take(future, 1.0)
    for attempt in (copy.copy, pickle.dumps):
        with pytest.raises(TypeError, match="cannot be copied or pickled"):
            attempt(future)
    with pytest.raises(TypeError, match="its result is int"):
        take(tscript.fork(chain, 1), 1.0)


def test_a_value_before_its_time() -> None:
    gate = threading.Event()
    future = tscript.fork(gate.wait)
    with pytest.raises(RuntimeError, match="not done"):
        future.value()
    gate.set()
    assert future.wait() is True


@dataclass
class Item:
    name: str
    size: int


class Kind(enum.Enum):
    A = 1
    B = 2


def text(n: int) -> str:
    return f"text {n}"


def words(n: int) -> list[str]:
    return [f"w{i}" for i in range(n)]


def parts(n: int) -> tuple[str, list[int], Optional[Tensor], Kind]:
    return "x", [n, n], tscript.ones(2) if n > 0 else None, Kind.B


def maybe(n: int) -> Optional[str]:
    return "some" if n > 0 else None


def table(n: int) -> dict[str, list[int]]:
    return {"a": [n]}


def item(n: int) -> Item:
    return Item("i", n)


def failing(n: int) -> list[str]:
    if n >= 0:
        raise ValueError(f"no {n}")
    return []


@pytest.mark.parametrize("function", [text, words, parts, maybe, table, item])
@pytest.mark.parametrize("n", [0, 2])
def test_tasks_of_python_give_what_functions_return(function: Any, n: int) -> None:
    future = tscript.fork(tscript.script(function), n)
    assert repr(future.wait()) == repr(function(n))
    assert future.wait() is future.wait()


def test_tasks_of_python_take_what_functions_take() -> None:
    @tscript.script
    def joined(sep: str, xs: list[str], at: Item) -> list[str]:
        xs.append(sep)
        return [sep.join(xs), at.name]

    xs = ["a", "b"]
    assert tscript.fork(joined, "-", xs, Item("n", 1)).wait() == ["a-b--", "n"]
    assert xs == ["a", "b", "-"]
    with pytest.raises(TypeError, match="must be list"):
        tscript.fork(joined, "-", 3, Item("n", 1)).wait()


@tscript.script
def started(n: int) -> Future[list[str]]:
    return tscript.fork(words, n)


@tscript.script
def awaited(future: Future[list[str]]) -> int:
    found = future.wait()
    found.append("more")
    return len(found) * 10 + len(tscript.wait(future))


def test_whoever_waits_gets_a_list_of_their_own() -> None:
    future = started(3)
    with ThreadPoolExecutor(4) as pool:
        assert [*pool.map(awaited, [future] * 8)] == [43] * 8
    assert future.wait() == ["w0", "w1", "w2"]
    assert str(future.type) == "list[str]"


@pytest.mark.parametrize("n", [0, 2])
def test_tasks_of_scripts_give_texts_lists_optionals_and_enums(n: int) -> None:
    @tscript.script
    def all_of(n: int):  # type: ignore[no-untyped-def]
        a, b, c, d = tscript.fork(text, n), tscript.fork(words, n), tscript.fork(parts, n), tscript.fork(maybe, n)
        many = [tscript.fork(text, i) for i in range(n)]
        return a.wait(), b.wait(), c.wait(), d.wait(), [future.wait() for future in many]

    wanted = text(n), words(n), parts(n), maybe(n), [text(i) for i in range(n)]
    assert repr(all_of(n)) == repr(wanted)
    file = io.BytesIO()
    tscript.save(all_of, file)
    file.seek(0)
    assert repr(tscript.load(file)(n)).replace("Kind.B: 2", "") == repr(wanted).replace("Kind.B: 2", "")


def test_errors_of_tasks_that_give_lists() -> None:
    @tscript.script
    def waits(n: int) -> list[str]:
        return tscript.wait(tscript.fork(failing, n))

    assert waits(-1) == []
    with pytest.raises(ValueError, match="no 3"):
        waits(3)
    with pytest.raises(ValueError, match="no 3"):
        tscript.fork(tscript.script(failing), 3).wait()


@pytest.mark.parametrize(("function", "help"), [(table, r"list\(d.items\(\)\)"), (item, "return what it can give")])
def test_what_tasks_of_scripts_do_not_give(function: Any, help: str) -> None:
    def waits(n: int) -> int:
        tscript.wait(tscript.fork(function, n))
        return n

    with pytest.raises(CompileError, match=f"(?s)cannot give a Future of .*{help}"):
        tscript.script(waits)


@pytest.mark.parametrize("count", [0, -1, 1025])
def test_numbers_of_threads(count: int) -> None:
    with pytest.raises(ValueError, match="from 1 to 1024"):
        tscript.set_num_interop_threads(count)
    with pytest.raises(TypeError, match="expects an int"):
        tscript.set_num_interop_threads(1.0)  # type: ignore[arg-type]


# ---- many


def test_eight_threads_fork_and_wait() -> None:
    wrong: list[object] = []

    def work(seed: int) -> None:
        x = tscript.ones(4) * float(seed)
        expected = grow(x, 3).tolist()
        for i in range(60):
            futures = [tscript.fork(grow, x, 3) for _ in range(5)]
            made = [make(x) for _ in range(3)]
            if any(f.wait().tolist() != expected for f in futures) or take(made[0], 1.0).shape != (4,):
                wrong.append(i)
            try:
                refused(x, 4)
                wrong.append("refused")
            except ValueError:
                pass
            if tscript.fork(divide, i).wait() != i / 2 or fibonacci(6) != 8:
                wrong.append("plain")

    threads = [threading.Thread(target=work, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_tasks_nobody_waits_for_run() -> None:
    ran: list[int] = []
    for i in range(100):
        tscript.fork(ran.append, i)
    _settle(current().pool)
    assert sorted(ran) == list(range(100))


def test_threads_leave_when_there_are_too_many() -> None:
    before = tscript.get_num_interop_threads()
    pool = current().pool
    try:
        tscript.set_num_interop_threads(6)
        for future in [tscript.fork(time.sleep, 0.02) for _ in range(12)]:
            future.wait()
        tscript.set_num_interop_threads(1)
        end = time.monotonic() + 30
        while pool.threads > 1 and time.monotonic() < end:
            time.sleep(0.001)
        assert pool.threads <= 1
        assert tscript.fork(divide, 8).wait() == 4.0
    finally:
        tscript.set_num_interop_threads(before)


# ---- signals, the end of a process, forked processes

INTERRUPTED = {
    "running elsewhere": "f = tscript.fork(endless, 1); time.sleep(0.05); f.wait()",
    "run by who waits": """
        tscript.set_num_interop_threads(1)
        first = tscript.fork(endless, 1); time.sleep(0.05)
        tscript.fork(endless, 1).wait()""",
    "a plain function": "tscript.fork(time.sleep, 30).wait()",
    "inside a script": "inside(1)",
}


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
@pytest.mark.parametrize("waiting", INTERRUPTED.values(), ids=INTERRUPTED)
def test_a_signal_ends_the_waiting(waiting: str) -> None:
    body = textwrap.indent(textwrap.dedent(waiting).strip(), "    ")
    done = run(
        f"""
inside(0)
def later():
    time.sleep(0.3)
    os.kill(os.getpid(), signal.SIGINT)
threading.Thread(target=later, daemon=True).start()
try:
{body}
except KeyboardInterrupt:
    print("interrupted")
""",
        TSCRIPT_INTEROP_EXIT_SECONDS="0.1",
    )
    assert (done.returncode, done.stdout.strip(), done.stderr) == (0, "interrupted", "")


def test_the_pool_drains_at_exit() -> None:
    done = run("""
def say(i):
    time.sleep(0.02)
    print(i, flush=True)
tscript.set_num_interop_threads(1)
futures = [tscript.fork(say, i) for i in range(5)]
print("end", flush=True)
""")
    assert (done.returncode, done.stdout.split()) == (0, ["end", "0", "1", "2", "3", "4"])


@pytest.mark.parametrize(
    "task", ["tscript.fork(endless, 1)", "tscript.fork(inside, 1)", "tscript.fork(time.sleep, 1000)"]
)
def test_a_task_without_end_does_not_keep_the_process(task: str) -> None:
    done = run(f"future = {task}\nprint('end')", TSCRIPT_INTEROP_EXIT_SECONDS="0.1")
    assert (done.returncode, done.stdout, done.stderr) == (0, "end\n", "")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_a_forked_process_has_a_pool_of_its_own() -> None:
    done = run(
        """
x = tscript.ones(4)
over = []
def load():
    while not over:
        for f in [tscript.fork(increase, x) for _ in range(10)]:
            f.wait()
threads = [threading.Thread(target=load) for _ in range(4)]
for t in threads:
    t.start()
pending = tscript.fork(endless, 1)
failures = []
for _ in range(10):
    ready = tscript.fork(increase, x)
    ready.wait()
    child = os.fork()
    if not child:
        good = ready.wait().tolist() == [2.0] * 4 and tscript.fork(increase, x).wait().tolist() == [2.0] * 4
        try:
            pending.wait()
            good = False
        except RuntimeError as error:
            good = good and "fork it again here" in str(error)
        os._exit(0 if good else 1)
    end = time.monotonic() + 20
    while True:
        found, status = os.waitpid(child, os.WNOHANG)
        if found:
            break
        if time.monotonic() > end:
            os.kill(child, signal.SIGKILL)
        time.sleep(0.002)
    failures += [status] if status else []
over.append(1)
for t in threads:
    t.join()
print("failures", failures)
""",
        timeout=120,
        TSCRIPT_INTEROP_EXIT_SECONDS="0.1",
    )
    assert (done.returncode, done.stdout) == (0, "failures []\n"), done.stderr


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_that_a_task_is_lost_is_an_error_like_others() -> None:
    done = run(
        """
@tscript.script
def caught(f: tscript.Future[int]) -> str:
    try:
        f.wait()
    except RuntimeError as error:
        return str(error)
    return "nothing"

@tscript.script
def take(f: tscript.Future[int]) -> int:
    return f.wait()

over = tscript.fork(endless, 0)
over.wait()
print(caught(over), take(over), flush=True)
pending = tscript.fork(endless, 1)
child = os.fork()
if not child:
    good = "fork it again here" in caught(pending)
    failed = tscript.fork(take, pending)
    for _ in range(2):
        try:
            failed.wait()
            good = False
        except RuntimeError as error:
            good = good and "fork it again here" in str(error)
    os._exit(0 if good else 1)
print(os.waitpid(child, 0)[1])
""",
        TSCRIPT_INTEROP_EXIT_SECONDS="0.1",
    )
    assert (done.returncode, done.stdout) == (0, "nothing 0\n0\n"), done.stderr


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_a_task_may_fork_the_process() -> None:
    done = run(
        """
from tscript.runtime.session.process import current

tscript.set_num_interop_threads(1)
first = tscript.fork(endless, 1)
time.sleep(0.05)
child = tscript.fork(os.fork).wait()
if not child:
    pool = current().pool
    x = tscript.ones(4)
    good = pool.unfinished == 0 and tscript.fork(increase, x).wait().tolist() == [2.0] * 4
    os._exit(0 if good and pool.unfinished == 0 else 1)
print(os.waitpid(child, 0)[1])
""",
        TSCRIPT_INTEROP_EXIT_SECONDS="0.1",
    )
    assert (done.returncode, done.stdout) == (0, "0\n"), done.stderr


def test_how_many_threads_comes_from_the_environment() -> None:
    done = run("print(tscript.get_num_interop_threads())", TSCRIPT_INTEROP_THREADS="3")
    assert done.stdout == "3\n"
    assert run("print(tscript.get_num_interop_threads())", TSCRIPT_INTEROP_THREADS="none").stdout.strip().isdigit()


# ---- observation


def test_tasks_are_observed() -> None:
    seen: list[tuple[str, int, bool]] = []
    x = tscript.ones(3)
    handle = tscript.add_global_callback(lambda record: seen.append((record.name, int(record.scope), record.failed)))
    try:
        assert refused(x, 1).tolist() == [2.0] * 3
        tscript.fork(grow, x, 2).wait()
    finally:
        handle.remove()
    names = [name for name, _, _ in seen]
    assert names.count("refuse") == 1
    assert names.count("grow") >= 1
    assert names.count("fused_mul_add") == 2
