"""`profile` over real callbacks."""

from __future__ import annotations

import gc
import subprocess
import sys
import textwrap
import threading
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import tscript
from tests.profiler.trace_format import read, validate
from tscript import Tensor
from tscript.abi.record import RecordScope
from tscript.profiler import (
    ProfilerAction,
    ProfilerActivity,
    ProfilerError,
    profile,
    record_function,
    schedule,
    supported_activities,
    tensorboard_trace_handler,
)


@tscript.script
def smooth(x: Tensor, steps: int) -> Tensor:
    for _ in range(steps):
        x = x * 0.5 + 1.0
        x = x.argmax() + x
    return x


@pytest.fixture
def x() -> Tensor:
    """An argument; `smooth` is compiled for it, and so are its observed variants."""
    x = tscript.tensor([1.0, 2.0, 3.0])
    for granularity in ("group", "operator"):
        with profile(granularity=granularity):
            smooth(x, 1)
    tscript.tanh(x)
    tscript.exp(x)
    tscript.add(x, 1.0)
    tscript.add(x, x)
    return x


def test_functions_and_operators(x: Tensor) -> None:
    with profile() as p:
        result = smooth(x, 3)
    assert result.tolist() == smooth(x, 3).tolist()
    function, *operators = p.events()
    assert (function.name, function.scope) == ("smooth", RecordScope.FUNCTION)
    assert {o.scope for o in operators} == {RecordScope.OPERATOR}
    assert all(o.cpu_parent is function for o in operators)
    assert function.cpu_children == operators
    groups = [o for o in operators if o.members]
    assert len(groups) >= 3
    assert groups[0].members == ("mul", "add")
    assert function.self_cpu_time_total + sum(o.self_cpu_time_total for o in operators) == pytest.approx(
        function.cpu_time_total
    )
    averages = {a.key: a.count for a in p.key_averages()}
    assert averages["smooth"] == 1
    assert averages["argmax"] == 3
    table = p.key_averages().table(sort_by="self_cpu_time_total", row_limit=10)
    assert "smooth" in table and "# of Calls" in table


def test_single_operators(x: Tensor) -> None:
    with profile(granularity="operator") as p:
        result = smooth(x, 2)
    assert result.tolist() == smooth(x, 2).tolist()
    averages = {a.key: a.count for a in p.key_averages()}
    assert averages == {"smooth": 1, "mul": 2, "add": 4, "argmax": 2}
    assert not any(e.members for e in p.events())


def test_ranges_around_eager_operators(x: Tensor) -> None:
    with profile() as p:
        with record_function("outer"):
            with record_function("inner"):
                tscript.tanh(x)
            tscript.exp(x)
    events = {e.name: e for e in p.events()}
    assert list(events) == ["outer", "inner", "tanh", "exp"]
    assert events["inner"].cpu_parent is events["outer"]
    assert events["tanh"].cpu_parent is events["inner"]
    assert events["exp"].cpu_parent is events["outer"]
    assert events["outer"].is_user_annotation and not events["exp"].is_user_annotation


def test_compilation_is_an_event_of_its_own(x: Tensor) -> None:
    @tscript.script
    def fresh(x: Tensor) -> Tensor:
        return tscript.log1p(x)

    with profile() as p:
        fresh(x)
        fresh(x)
    found = {(a.key, a.count, a.scope.name) for a in p.key_averages()}
    assert {("compile::fresh", 1, "COMPILE"), ("fresh", 2, "FUNCTION"), ("log1p", 2, "OPERATOR")} <= found


def test_nothing_is_left_behind(x: Tensor) -> None:
    with profile() as p:
        tscript.tanh(x)
    tscript.exp(x)
    assert [e.name for e in p.events()] == ["tanh"]


def test_shapes_are_kept_and_tensors_are_not(x: Tensor) -> None:
    runtime = tscript.runtime.session.process.current()  # type: ignore[attr-defined]
    wide = tscript.tensor([[1.0, 2.0], [3.0, 4.0]])
    tscript.tanh(wide)
    gc.collect()
    before = runtime.live_blocks()
    with profile(record_shapes=True) as p:
        for _ in range(3):
            tscript.tanh(x)
        tscript.tanh(wide)
        tscript.add(x, 1.0)
    gc.collect()
    assert runtime.live_blocks() == before
    averages = p.key_averages(group_by_input_shape=True)
    assert [(a.key, a.input_shapes, a.count) for a in averages][:2] == [("tanh", [[3]], 3), ("tanh", [[2, 2]], 1)]
    assert averages[2].input_shapes[:2] == [[3], []]
    assert "Input Shapes" in averages.table()


def test_memory(x: Tensor) -> None:
    big = tscript.tensor([[0.0] * 1000] * 100)
    kept = []
    with profile(profile_memory=True) as p:
        with record_function("keeps"):
            kept.append(tscript.tanh(big))
        with record_function("drops"):
            tscript.tanh(big)
    keeps, first, drops, second = p.events()
    assert keeps.cpu_memory_usage >= 400_000
    assert first.cpu_memory_usage >= 400_000
    assert keeps.self_cpu_memory_usage == keeps.cpu_memory_usage - first.cpu_memory_usage
    assert drops.cpu_memory_usage < 400_000 <= second.cpu_memory_usage
    assert "CPU Mem" in p.key_averages().table()


def test_peaks(x: Tensor) -> None:
    @tscript.script
    def waves(x: Tensor, w: Tensor) -> Tensor:
        a = tscript.tanh(x @ w)
        b = a @ w
        return (b * 2 + a) @ w

    size = 300
    nbytes = 4 * size * size
    x = tscript.tensor([[0.5] * size] * size)
    waves(x, x)

    def run() -> None:
        waves(x, x)

    both = threading.Barrier(2)

    def run_beside() -> None:  # each thread has a heap, which a later thread gets with its counters
        both.wait()
        for _ in range(20):
            run()
        both.wait()

    ended = [threading.Thread(target=run_beside) for _ in range(2)]
    for thread in ended:
        thread.start()
    for thread in ended:
        thread.join()
    with profile(profile_memory=True) as outer, profile(profile_memory=True) as inner:
        run()
        thread = threading.Thread(target=run)
        thread.start()
        thread.join()
    for p in (outer, inner):
        calls = [e for e in p.events() if e.name == "waves"]
        assert len(calls) == 2
        for call in calls:
            assert 2 * nbytes <= call.peak_memory_usage < 2.6 * nbytes
            assert 3 * nbytes <= call.allocated_memory < 4.4 * nbytes
        products = [e for e in p.events() if e.name == "matmul"]
        assert all(nbytes <= e.peak_memory_usage < 1.3 * nbytes for e in products)
        assert "Peak memory: " in p.key_averages().table(sort_by="peak_memory_usage")
    stats = tscript.memory_stats()
    assert stats["peak_bytes"] >= max(stats["live_bytes"], 2 * nbytes)
    assert stats["allocated_bytes"] > 6 * nbytes
    assert "KB" in p.key_averages().table()


def here() -> str:
    return f"{__file__}({sys._getframe(1).f_lineno}): {sys._getframe(1).f_code.co_qualname}"


def test_stacks(x: Tensor, tmp_path: Path) -> None:
    with profile(with_stack=True) as p:
        _, line = smooth(x, 1), here()
        _, other = tscript.tanh(x), here()
    events = p.events()
    function = events[0]
    assert function.stack[1] == line
    assert function.stack[0].endswith(": smooth")
    inner = [e for e in events if e.cpu_parent is function]
    assert inner
    for event in inner:
        place, caller, *_ = event.stack
        assert place.startswith(f"{__file__}(") and place.endswith(": smooth")
        assert caller == line
    assert other in events[-1].stack[:2]
    p.export_stacks(tmp_path / "stacks", "cpu_time_total")
    assert "smooth" in (tmp_path / "stacks").read_text()
    assert "Source Location" in p.key_averages(group_by_stack_n=2).table()


def test_stacks_must_be_recorded(x: Tensor, tmp_path: Path) -> None:
    with profile() as p:
        smooth(x, 1)
    with pytest.raises(ProfilerError, match="with_stack=True"):
        p.export_stacks(tmp_path / "stacks")


def test_threads(x: Tensor) -> None:
    barrier = threading.Barrier(3)

    def work() -> None:
        barrier.wait()
        for _ in range(20):
            smooth(x, 2)

    with profile() as p:
        with ThreadPoolExecutor(3, thread_name_prefix="crew") as pool:
            for future in [pool.submit(work) for _ in range(3)]:
                future.result()
    events = p.events()
    functions = [e for e in events if e.name == "smooth"]
    assert len(functions) == 60
    assert len({e.thread for e in functions}) == 3
    assert all(e.cpu_parent is not None and e.cpu_parent.thread == e.thread for e in events if e.name != "smooth")
    assert all(f.self_ns >= 0 for f in functions)
    names = {p._recorder.thread_names[e.thread] for e in functions}
    assert names == {"crew_0", "crew_1", "crew_2"}


def test_traces(x: Tensor, tmp_path: Path) -> None:
    p = profile(record_shapes=True, profile_memory=True, with_stack=True)
    p.preset_metadata_json("early", "[1]")
    with p:
        with record_function("range"):
            smooth(x, 2)
    p.add_metadata("late", {"a": "b"})
    p.export_chrome_trace(tmp_path / "t.json.gz")
    document = read(tmp_path / "t.json.gz")
    complete = validate(document)
    assert [e["name"] for e in complete][:2] == ["range", "smooth"]
    assert (document["early"], document["late"], document["with_stack"]) == ([1], {"a": "b"}, 1)
    assert any(e["name"] == "thread_name" and e["args"]["name"] == "MainThread" for e in document["traceEvents"])
    for name in ("traceEvents", "pid"):
        with pytest.raises(ValueError, match=f"'{name}' of a trace file is not free"):
            p.add_metadata(name, 1)
    with pytest.raises(TypeError):
        p.add_metadata("bad", object())
    with pytest.raises(ValueError, match="Expecting"):
        p.add_metadata_json("bad", "{")


def test_steps(x: Tensor) -> None:
    seen: list[tuple[int, list[str], int]] = []

    def ready(p: profile) -> None:
        names = [e.trace_name for e in p.events() if e.name == "ProfilerStep*"]
        seen.append((p.step_num, names, sum(e.name == "tanh" for e in p.events())))
        tscript.exp(x)

    plan = schedule(wait=1, warmup=1, active=2, repeat=2)
    with profile(schedule=plan, on_trace_ready=ready) as p:
        actions = [p.current_action]
        for _ in range(10):
            tscript.tanh(x)
            p.step()
            actions.append(p.current_action)
    assert actions == [plan(n) for n in range(11)]
    assert seen == [(4, ["ProfilerStep#2", "ProfilerStep#3"], 2), (8, ["ProfilerStep#6", "ProfilerStep#7"], 2)]
    assert {a.key: a.count for a in p.key_averages()} == {"ProfilerStep*": 2, "tanh": 2}
    steps = [e for e in p.events() if e.name == "ProfilerStep*"]
    assert [len(s.cpu_children) for s in steps] == [1, 1]


def test_the_last_cycle_may_be_cut_short(x: Tensor) -> None:
    seen = []
    with pytest.warns(UserWarning, match="without warmup"):
        plan = schedule(wait=0, warmup=0, active=2)
    with profile(schedule=plan, on_trace_ready=lambda p: seen.append(len(p.events()))) as p:
        for _ in range(4):
            tscript.tanh(x)
            p.step()
        tscript.tanh(x)
    assert seen == [4, 4, 2]


def test_warming_up_leaves_nothing(x: Tensor) -> None:
    with profile(schedule=schedule(wait=0, warmup=2, active=1, repeat=1)) as p:
        tscript.tanh(x)
        p.step()
    with pytest.raises(ProfilerError, match="no events yet"):
        p.events()


def test_events_of_all_cycles(x: Tensor, tmp_path: Path) -> None:
    with profile(schedule=schedule(wait=0, warmup=1, active=1), acc_events=True) as p:
        for _ in range(6):
            tscript.tanh(x)
            p.step()
    assert [e.trace_name for e in p.events() if e.name == "ProfilerStep*"] == [
        "ProfilerStep#1",
        "ProfilerStep#3",
        "ProfilerStep#5",
    ]
    p.export_chrome_trace(tmp_path / "t.json")
    validate(read(tmp_path / "t.json"))


@pytest.mark.parametrize(
    ("letters", "said"), [("r-", "NONE after RECORD"), ("rw", "WARMUP after RECORD"), ("w-", "NONE after WARMUP")]
)
def test_wrong_schedules(x: Tensor, letters: str, said: str) -> None:
    actions = {"-": ProfilerAction.NONE, "w": ProfilerAction.WARMUP, "r": ProfilerAction.RECORD}
    seen: list[profile] = []
    p = profile(schedule=lambda step: actions[letters[step]], on_trace_ready=seen.append)
    p.start()
    with pytest.warns(UserWarning, match=f"wrong schedule: step 1 is {said}"):
        p.step()
    p.stop()
    assert seen == []


def test_a_schedule_that_returns_something_else() -> None:
    with pytest.raises(TypeError, match="must return a ProfilerAction, not int"):
        profile(schedule=lambda step: 1)  # type: ignore[arg-type, return-value]
    answers = {0: ProfilerAction.RECORD}
    with profile(schedule=answers.get) as p:  # type: ignore[arg-type]
        with pytest.raises(TypeError, match="not NoneType"):
            p.step()
        assert p.step_num == 0
    assert len(p.events()) == 1


@pytest.mark.parametrize(
    ("arguments", "error", "said"),
    [
        ({"schedule": 3}, TypeError, "schedule must be a function, not int"),
        ({"on_trace_ready": "x"}, TypeError, "on_trace_ready must be a function, not str"),
        ({"granularity": "kernel"}, ValueError, "granularity must be one of group, operator, found 'kernel'"),
        ({"sampling_prob": 0.0}, ValueError, "more than 0 and at most 1, found 0.0"),
        ({"sampling_prob": 1.5}, ValueError, "found 1.5"),
        ({"sampling_prob": "half"}, TypeError, "must be a number, not str"),
        ({"sampling_prob": float("nan")}, ValueError, "found nan"),
        ({"activities": []}, ValueError, "only ProfilerActivity.CPU"),
        ({"activities": [ProfilerActivity.CUDA]}, ValueError, "only ProfilerActivity.CPU"),
        ({"activities": ["cpu"]}, TypeError, "found 'cpu'"),
    ],
)
def test_bad_arguments(arguments: dict[str, object], error: type[Exception], said: str) -> None:
    with pytest.raises(error, match=said):
        profile(**arguments)  # type: ignore[arg-type]


def test_activities() -> None:
    assert supported_activities() == {ProfilerActivity.CPU}
    profile(activities=[ProfilerActivity.CPU])
    with pytest.warns(UserWarning, match="no CUDA"):
        profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA])


def test_states(x: Tensor) -> None:
    p = profile()
    for call in (p.stop, p.step):
        with pytest.raises(ProfilerError, match="is not active"):
            call()
    with pytest.raises(ProfilerError, match="no events yet"):
        p.key_averages()
    with p:
        with pytest.raises(ProfilerError, match="already active"):
            p.start()
        tscript.tanh(x)
        p.stop()
    assert len(p.events()) == 1
    p.start()
    tscript.tanh(x)
    tscript.tanh(x)
    p.stop()
    assert len(p.events()) == 2


def test_two_profiles_at_a_time(x: Tensor) -> None:
    with profile() as outer:
        tscript.tanh(x)
        with profile(record_shapes=True) as inner:
            tscript.exp(x)
        tscript.tanh(x)
    assert [e.name for e in outer.events()] == ["tanh", "exp", "tanh"]
    assert [(e.name, e.input_shapes) for e in inner.events()] == [("exp", [[3]])]


def test_exceptions_pass(x: Tensor) -> None:
    seen: list[int] = []
    p = profile(on_trace_ready=lambda p: seen.append(len(p.events())))
    with pytest.raises(RuntimeError, match="must match the size"), p:
        tscript.add(x, tscript.tensor([1.0, 2.0]))
    assert seen == [1]
    (event,) = p.events()
    assert event.failed and not event.is_unfinished
    with profile() as p, pytest.raises(ZeroDivisionError):
        with record_function("bad"):
            raise ZeroDivisionError
    assert [e.name for e in p.events()] == ["bad"]


def test_a_handler_that_raises(x: Tensor) -> None:
    def bad(p: profile) -> None:
        raise KeyError("mine")

    p = profile(schedule=schedule(wait=0, warmup=1, active=1), on_trace_ready=bad)
    p.start()
    p.step()
    tscript.tanh(x)
    with pytest.raises(KeyError, match="mine"):
        p.step()
    p.step()
    tscript.exp(x)
    with pytest.raises(KeyError, match="mine"):
        p.stop()
    assert [e.name for e in p.events()] == ["ProfilerStep*", "exp"]
    with pytest.raises(ProfilerError, match="not active"):
        p.stop()


def test_what_runs_when_it_stops(x: Tensor) -> None:
    p = profile()
    p.start()
    with record_function("range"):
        tscript.tanh(x)
        p.stop()
    assert [(e.name, e.is_unfinished) for e in p.events()] == [("range", True), ("tanh", False)]


def test_what_ran_when_it_started_is_left_out(x: Tensor) -> None:
    p = profile()
    with record_function("range"):
        p.start()
        tscript.tanh(x)
    p.stop()
    assert [e.name for e in p.events()] == ["tanh"]


def test_pauses(x: Tensor) -> None:
    with profile() as p:
        tscript.tanh(x)
        p.toggle_collection_dynamic(False, [ProfilerActivity.CPU])
        tscript.exp(x)
        p.toggle_collection_dynamic(True, [ProfilerActivity.CPU])
        tscript.tanh(x)
    assert [e.name for e in p.events()] == ["tanh", "tanh"]


def test_sampling(x: Tensor) -> None:
    with profile(sampling_prob=0.25) as p:
        for _ in range(400):
            smooth(x, 1)
    averages = {a.key: a.count for a in p.key_averages()}
    assert averages["smooth"] == 400
    assert 200 < averages["argmax"] < 600
    assert averages["argmax"] % 4 == 0


def test_files_for_tensorboard(x: Tensor, tmp_path: Path) -> None:
    folder = tmp_path / "logs" / "run"
    handler = tensorboard_trace_handler(folder, "worker0", use_gzip=True)
    with profile(schedule=schedule(wait=0, warmup=1, active=1), on_trace_ready=handler) as p:
        for _ in range(4):
            tscript.tanh(x)
            p.step()
    files = sorted(folder.iterdir())
    assert len(files) == 2
    for file in files:
        assert file.name.startswith("worker0.") and file.name.endswith(".pt.trace.json.gz")
        validate(read(file))
    with profile(on_trace_ready=tensorboard_trace_handler(str(folder))) as p:
        tscript.tanh(x)
    assert len(list(folder.glob("*.pt.trace.json"))) == 1


def test_threads_that_start_and_stop_profiles(x: Tensor) -> None:
    """Registration while others run operators."""
    stopping = threading.Event()

    def run() -> None:
        while not stopping.is_set():
            smooth(x, 1)

    def record() -> int:
        found = 0
        for _ in range(10):
            with profile() as p:
                smooth(x, 1)
            assert all(e.end_ns >= e.start_ns for e in p.events())
            found += sum(e.name == "smooth" for e in p.events())
        return found

    with ThreadPoolExecutor(4) as pool:
        runners = [pool.submit(run) for _ in range(2)]
        counts = [f.result(60) for f in [pool.submit(record) for _ in range(2)]]
        stopping.set()
        for runner in runners:
            runner.result(60)
    assert all(count >= 10 for count in counts)


def test_no_warnings_by_default(x: Tensor) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with profile(record_shapes=True, profile_memory=True, with_stack=True):
            smooth(x, 1)


FORK = """
import os, sys
import tscript
from tscript.profiler import profile, record_function
x = tscript.tensor([1.0, 2.0])
tscript.tanh(x), tscript.exp(x), tscript.sin(x)
p = profile()
p.start()
tscript.tanh(x)
with record_function("around"):
    child = os.fork()
    if child == 0:
        tscript.exp(x)
if child == 0:
    p.stop()
    with profile() as q:
        tscript.sin(x)
    names = [e.name for e in p.events()], [e.name for e in q.events()]
    assert names == (["around", "exp"], ["sin"]), names
    assert not any(e.is_unfinished for e in p.events())
    p.export_chrome_trace("child.json")
    assert {e.thread for e in p.events()} == {os.getpid()}
    os._exit(7)
_, status = os.waitpid(child, 0)
p.stop()
assert [e.name for e in p.events()] == ["tanh", "around"]
assert os.waitstatus_to_exitcode(status) == 7, status
p.export_chrome_trace("parent.json")
print(child)
"""


def test_fork(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(FORK)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    complete = validate(read(tmp_path / "child.json"))
    assert {e["pid"] for e in complete} == {int(done.stdout)}
    assert {e["pid"] for e in validate(read(tmp_path / "parent.json"))} != {int(done.stdout)}


def test_importing_is_cheap() -> None:
    code = "import sys, tscript.profiler; sys.exit('numpy' in sys.modules or 'llvmlite' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], timeout=60, check=False).returncode == 0
    assert subprocess.run(
        [sys.executable, "-c", "import tscript; tscript.profiler.schedule"], timeout=60, check=False
    ).returncode == 0  # fmt: skip
