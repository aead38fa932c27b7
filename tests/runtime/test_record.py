"""Operator callbacks as programs use them."""

from __future__ import annotations

import gc
import re
import sys
import threading
import time
import warnings
import weakref
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tscript
from tscript import RecordScope, Tensor
from tscript.abi.layout import MAX_ACTIVE
from tscript.runtime.session.process import current


@tscript.script
def helper(x: Tensor, n: int) -> Tensor:
    if n == 0:
        return x.sum()
    return helper(x * 2.0, n - 1)


@tscript.script
def chain(x: Tensor, n: int) -> Tensor:
    for _ in range(n):
        x = tscript.tanh(x * 2.0) + 1.0
    return x.sum()


@tscript.script
def fails(x: Tensor, i: int) -> Tensor:
    y = x * 2.0
    return y.reshape(-1, 1).select(0, i).exp()


@pytest.fixture(autouse=True)
def nothing_registered() -> Iterator[None]:
    assert current().observation.watching.value == 0
    yield
    assert current().observation.watching.value == 0, "a test left its callback registered"


@pytest.fixture
def x() -> Any:
    """A tensor; the operators that tests watch are compiled already."""
    made = tscript.tensor([1.0, 2.0, 3.0, 4.0])
    made + 1.0
    made * 3.0
    made + 2
    return made


class Log:
    """A callback that writes down what it is told; removed at the end of the block."""

    def __init__(self, add: Callable[..., Any] = tscript.add_global_callback, **options: Any) -> None:
        self.entered: list[Any] = []
        self.left: list[Any] = []
        self.seen: list[str] = []
        options.setdefault("scopes", ["FUNCTION", "OPERATOR", "USER"])
        self.handle = add(self.enter, self.exit, **options)

    def enter(self, record: Any) -> int:
        self.entered.append((record.name, record.inputs))
        self.seen.append(f"{record.scope.name} {record.name}")
        return record.id  # type: ignore[no-any-return]

    def exit(self, record: Any, context: int) -> None:
        assert context == record.id
        self.left.append((record.name, record.outputs, record.failed))

    def __enter__(self) -> Log:
        return self

    def __exit__(self, *_: object) -> None:
        self.handle.remove()


def test_an_eager_operator_is_a_record_with_its_values(x: Any) -> None:
    with Log(needs_inputs=True, needs_outputs=True) as log:
        y = x + 1.0
    assert len(log.entered) == 1
    (name, inputs), (_, outputs, failed) = log.entered[0], log.left[0]
    assert name == "add" and inputs[0] is x and inputs[1] == 1.0
    assert outputs[0] is y and not failed


def test_values_are_there_only_when_asked_for(x: Any) -> None:
    with Log() as log:
        x + 1.0
    assert log.entered == [("add", ())] and log.left == [("add", (), False)]


def test_all_kinds_of_arguments(x: Any) -> None:
    with Log(needs_inputs=True, needs_outputs=True) as log:
        x.view(2, 2).sum(1, keepdim=True)
        tscript.full((2,), 1.5, dtype=tscript.float64)
    assert log.entered[0][1][1:] == (2, 2)
    assert log.entered[1][1][1:] == (1, True)
    assert (1.5 in log.entered[2][1]) and tscript.float64 in log.entered[2][1]


@tscript.script
def of_every_kind(x: Tensor, i: int, f: float, b: bool, t: tuple[int, int], s: str) -> Tensor:
    return x * f + float(i + t[0]) if b else x


@tscript.script
def of_simple_kinds(x: Tensor, i: int, f: float, b: bool, c: bool) -> Tensor:
    return x * f + float(i) if b and not c else x


def test_numbers_and_tensors_arrive_as_they_were_given(x: Any) -> None:
    before = sys.getrefcount(x)
    for function, given in (
        (of_simple_kinds, (x, -(2**63), -0.0, True, False)),
        (of_simple_kinds, (x, 2**63 - 1, float("-inf"), False, True)),
        (of_every_kind, (x, 5, 2.5, True, (1, -1), "é")),
    ):
        with Log(needs_inputs=True, scopes=["FUNCTION"]) as log:
            function(*given)
        ((_, inputs),) = log.entered
        assert inputs == given and inputs[0] is x and list(map(type, inputs)) == list(map(type, given))
        assert str(inputs[1:]) == str(given[1:])  # the sign of zero
        del log, inputs, given
    assert sys.getrefcount(x) == before


def test_a_scripted_function_its_operators_and_fused_groups_in_order(x: Any) -> None:
    chain(x, 2)
    members = []
    with Log() as log:
        extra = tscript.add_global_callback(
            lambda r: members.append((r.members, r.line, r.function)), scopes=["OPERATOR"]
        )
        chain(x, 2)
        extra.remove()
    group = "OPERATOR fused_mul_tanh_add"
    assert log.seen == ["FUNCTION chain", group, group, "OPERATOR sum"]
    assert [name for name, *_ in log.left][-2:] == ["sum", "chain"]
    line = next(
        n for n, text in enumerate(Path(__file__).read_text().splitlines(), 1) if "tscript.tanh(x * 2.0)" in text
    )
    assert members[0] == (("mul", "tanh", "add"), line, "chain")
    assert members[2][0] == ()


def test_the_first_call_is_observed_too(x: Any) -> None:
    @tscript.script
    def fresh(a: Tensor) -> Tensor:
        return a.exp().sum()

    with Log() as log:
        fresh(x)
    assert log.seen == ["FUNCTION fresh", "OPERATOR fused_exp_sum"]


def test_operators_one_by_one_give_the_same_values(x: Any) -> None:
    plain = chain(x, 3)
    with Log(granularity="operator") as log:
        single = chain(x, 3)
    assert Counter(log.seen) == {
        "FUNCTION chain": 1,
        "OPERATOR mul": 3,
        "OPERATOR tanh": 3,
        "OPERATOR add": 3,
        "OPERATOR sum": 1,
    }
    with Log():
        grouped = chain(x, 3)
    assert plain.item() == single.item() == grouped.item()


def test_scripted_functions_that_call_each_other(x: Any) -> None:
    helper(x, 2)
    with Log(needs_inputs=True) as log:
        result = helper(x, 2)
    assert result.item() == 40.0
    assert [s for s in log.seen if s.startswith("FUNCTION")] == ["FUNCTION helper"] * 3
    assert [inputs[1] for name, inputs in log.entered if name == "helper"] == [2, 1, 0]


def test_operators_of_unknown_dtype_are_seen_once(x: Any) -> None:
    @tscript.script
    def unknown(a: Tensor, b: Tensor, first: bool) -> Tensor:
        c = a
        if first:
            c = b
        return c * 2.0

    y = x.to(tscript.float64)
    with Log(scopes=["OPERATOR"]) as log:
        unknown(x, y, True)
    assert log.seen == ["OPERATOR mul"]


def test_an_operator_that_raises_ends_its_record_as_failed(x: Any) -> None:
    with pytest.raises(IndexError):
        fails(x, 9)
    with Log(needs_outputs=True) as log, pytest.raises(IndexError) as error:
        fails(x, 9)
    assert log.seen == ["FUNCTION fails", "OPERATOR reshape", "OPERATOR select"]  # what is fused comes after its views
    assert [(name, outputs == (), failed) for name, outputs, failed in log.left] == [
        ("reshape", False, False),
        ("select", True, True),
        ("fails", True, True),
    ]
    assert any(frame.name == "fails" for frame in error.traceback)
    with Log() as log:
        assert fails(x, 1).item() == pytest.approx(np.exp(np.float32(4)))
    assert not any(failed for *_, failed in log.left)


def test_scopes_choose_what_is_told(x: Any) -> None:
    chain(x, 1)
    for scopes, expected in (
        (["USER"], ["USER range"]),
        ([RecordScope.FUNCTION], ["FUNCTION chain"]),
        ("OPERATOR", ["OPERATOR fused_mul_tanh_add", "OPERATOR sum"]),
    ):
        with Log(scopes=scopes) as log, tscript.record_function("range"):
            chain(x, 1)
        assert log.seen == expected


def test_compilation_and_loading_are_records(x: Any, tmp_path: Path) -> None:
    @tscript.script
    def compiled(a: Tensor) -> Tensor:
        return a * 3.0

    tscript.save(compiled, tmp_path / "a.tsa")
    with Log(scopes=["COMPILE", "LOAD"]) as log:
        compiled(x)
        compiled(x)
        tscript.load(tmp_path / "a.tsa")
    assert [s.split()[0] for s in log.seen] == ["COMPILE", "COMPILE", "LOAD"]
    assert log.seen[0] == "COMPILE compiled"


def test_an_archive_with_native_code_is_observed(x: Any, tmp_path: Path) -> None:
    chain(x, 2)
    tscript.save(chain, tmp_path / "a.tsa", native=True)
    loaded = tscript.load(tmp_path / "a.tsa", trust_native=True)
    expected = loaded(x, 2).item()
    with Log() as log:
        assert loaded(x, 2).item() == expected
    assert log.seen[0] == "FUNCTION chain" and "OPERATOR sum" in log.seen


def test_the_plain_variant_has_no_trace_of_callbacks(x: Any) -> None:
    function: Any = chain
    before = function.llvm_for(x, 2)
    with Log():
        chain(x, 2)
        assert function.llvm_for(x, 2) == before
    assert not re.search(r"ts_record|observer|ts_thread", before)


def test_counts_of_a_sampled_callback(x: Any) -> None:
    chain(x, 1)
    with Log(sampling_prob=0.1, scopes=["OPERATOR"]) as log:
        for _ in range(1000):
            chain(x, 1)
        handle = log.handle
        assert handle.seen == 2000
        assert handle.sampled == len(log.entered) == len(log.left)
        assert 120 <= handle.sampled <= 290  # mean 200, deviation 13.4
    assert (handle.seen, handle.sampled) == (2000, len(log.entered))


def test_the_probability_can_be_changed_while_running(x: Any) -> None:
    with Log(sampling_prob=0.0) as log:
        for _ in range(100):
            x + 1.0
        assert not log.entered and log.handle.seen == 100
        log.handle.sampling_prob = 1.0
        for _ in range(100):
            x + 1.0
        assert len(log.entered) == 100 and log.handle.sampling_prob == 1.0
        log.handle.sampling_prob = 0.0
        x + 1.0
        assert len(log.entered) == 100 and log.handle.seen == 201


def test_disable_and_enable(x: Any) -> None:
    with Log() as log:
        log.handle.disable()
        x + 1.0
        assert not log.entered and not log.handle.enabled
        log.handle.enable()
        x + 1.0
        assert len(log.entered) == 1 and log.handle.enabled
        assert log.handle.seen == 1


def test_several_callbacks_exit_in_the_other_order(x: Any) -> None:
    order: list[str] = []
    first = tscript.add_global_callback(lambda r: order.append("enter 1"), lambda r, c: order.append("exit 1"))
    second = tscript.add_global_callback(lambda r: order.append("enter 2"), lambda r, c: order.append("exit 2"))
    x + 1.0
    first.remove()
    second.remove()
    assert order == ["enter 1", "enter 2", "exit 2", "exit 1"]


def test_only_an_exit(x: Any) -> None:
    got: list[Any] = []
    handle = tscript.add_global_callback(on_exit=lambda r, c: got.append((r.name, c, r.outputs)), needs_outputs=True)
    y = x + 1.0
    handle.remove()
    assert got[0][:2] == ("add", None) and got[0][2][0] is y


def test_a_record_that_is_kept_keeps_no_tensor(x: Any) -> None:
    kept: list[Any] = []
    handle = tscript.add_global_callback(kept.append, needs_inputs=True, needs_outputs=True, scopes="OPERATOR")
    y = x * 3.0
    alive = weakref.ref(y)
    blocks = current().live_blocks()
    del y
    handle.remove()
    assert alive() is None and current().live_blocks() < blocks
    assert kept[0].inputs == kept[0].outputs == () and kept[0].name == "mul" and kept[0].num_inputs == 2


def test_inputs_that_the_callback_keeps_stay(x: Any) -> None:
    kept: list[Any] = []
    handle = tscript.add_global_callback(lambda r: kept.append(r.inputs), needs_inputs=True)
    (x * 3.0) + 1.0
    handle.remove()
    assert kept[1][0].tolist() == [3.0, 6.0, 9.0, 12.0]


def test_ids_threads_and_the_type_of_records(x: Any) -> None:
    records: list[Any] = []
    handle = tscript.add_global_callback(records.append)
    x + 1.0
    x + 1.0
    handle.remove()
    assert records[0].id != records[1].id
    assert {r.thread_id for r in records} == {threading.get_ident()}
    assert type(records[0]) is tscript.Record and records[0].sequence_nr == -1
    with pytest.raises(TypeError):
        tscript.Record()
    with pytest.raises(AttributeError):
        records[0].name = "other"


# -- ranges ------------------------------------------------------------------------------------------------------------


def test_ranges_as_blocks_and_decorators(x: Any) -> None:
    @tscript.record_function("decorated")  # type: ignore[untyped-decorator]
    def work() -> Any:
        """Its doc."""
        return x + 1.0

    assert work.__doc__ == "Its doc."
    work()
    with Log() as log:
        with tscript.record_function("outer"), tscript.record_function("inner"):
            work()
    assert log.seen == ["USER outer", "USER inner", "USER decorated", "OPERATOR add"]
    assert [name for name, *_ in log.left] == ["add", "decorated", "inner", "outer"]


def test_a_coroutine_function_is_a_range_while_it_waits() -> None:
    import asyncio

    @tscript.record_function("waits")  # type: ignore[untyped-decorator]
    async def work() -> int:
        await asyncio.sleep(0)
        return 3

    with Log() as log:
        assert asyncio.run(work()) == 3
    assert log.seen == ["USER waits"] and [name for name, *_ in log.left] == ["waits"]


def test_a_range_that_raises_failed() -> None:
    with Log() as log, pytest.raises(KeyError), tscript.record_function("bad"):
        raise KeyError("x")
    assert log.left == [("bad", (), True)]


def test_one_range_used_again_and_inside_itself() -> None:
    again = tscript.record_function("again")
    with Log() as log:
        with again, again:
            pass
        with again:
            pass
    assert log.seen == ["USER again"] * 2 and len(log.left) == 2


def test_ranges_that_end_in_another_order_and_on_another_thread() -> None:
    first, second = tscript.record_function("first"), tscript.record_function("second")
    with Log() as log:
        first.__enter__()
        second.__enter__()
        first.__exit__(None, None, None)
        thread = threading.Thread(target=second.__exit__, args=(None, None, None))
        thread.start()
        thread.join()
    assert [name for name, *_ in log.left] == ["first", "second"]


def test_a_range_that_is_never_left_ends_with_its_object() -> None:
    with Log() as log:
        tscript.record_function("lost").__enter__()
        gc.collect()
    assert log.left == [("lost", (), True)]


@pytest.mark.parametrize("args", [(), (1,), ("a", "b"), (None,)])
def test_a_range_needs_a_name(args: tuple[Any, ...]) -> None:
    with pytest.raises(TypeError, match="one argument, the name"):
        tscript.record_function(*args)
    with pytest.raises(TypeError):
        tscript.record_function(name="x")
    with pytest.raises(TypeError, match="decorates a callable"):
        tscript.record_function("x")(3)


# -- threads -----------------------------------------------------------------------------------------------------------


def in_thread(function: Callable[[], object]) -> None:
    errors: list[BaseException] = []

    def run() -> None:
        try:
            function()
        except BaseException as error:  # noqa: BLE001
            errors.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join(60)
    assert not thread.is_alive()
    if errors:
        raise errors[0]


def test_a_thread_local_callback_sees_its_thread_alone(x: Any) -> None:
    with Log(tscript.add_thread_local_callback) as log:
        in_thread(lambda: x + 1.0)
        assert not log.seen
        x + 2.0
        assert log.seen == ["OPERATOR add"]
    with Log() as log:
        in_thread(lambda: x + 1.0)
        assert log.seen == ["OPERATOR add"]


def test_a_thread_that_ends_with_its_callback_registered(x: Any) -> None:
    handles: list[Any] = []

    def work() -> None:
        handles.append(tscript.add_thread_local_callback(lambda r: None))
        x + 1.0

    in_thread(work)
    for _ in range(5):
        in_thread(lambda: x + 1.0)  # a thread that takes over the state of the ended one
    assert handles[0].sampled == 1
    for _ in range(500):  # a thread may end a little later than `join` says
        tscript.add_global_callback(lambda r: None).remove()  # any change of the registry forgets it
        if "removed" in repr(handles[0]):
            break
        time.sleep(0.01)
    with pytest.raises(tscript.CallbackError, match="removed before"):
        handles[0].remove()


def test_the_switch_of_a_thread(x: Any) -> None:
    with Log() as log:
        tscript.enable_record_function(False)
        assert not tscript.is_record_function_enabled()
        x + 1.0
        with tscript.RecordFunctionGuard(enabled=True):
            x + 1.0
            assert tscript.is_record_function_enabled()
        assert not tscript.is_record_function_enabled()
        in_thread(lambda: x + 1.0)
        tscript.enable_record_function(True)
        with tscript.RecordFunctionGuard():
            x + 1.0
    assert len(log.seen) == 2


def test_registration_from_eight_threads_while_eight_run_operators(x: Any) -> None:
    stop = threading.Event()
    counts = Counter[str]()
    chain(x, 2)

    def run() -> None:
        while not stop.is_set():
            with tscript.record_function("loop"):
                assert chain(x, 2).item() == expected
                x + 1.0

    def register() -> None:
        for n in range(12):
            pairs = [0, 0]

            def enter(record: Any, pairs: list[int] = pairs) -> None:
                pairs[0] += 1

            def leave(record: Any, context: Any, pairs: list[int] = pairs) -> None:
                pairs[1] += 1

            local = tscript.add_thread_local_callback if n % 3 == 0 else tscript.add_global_callback
            try:
                handle = local(enter, leave, sampling_prob=0.3 if n % 2 else 1.0)
            except tscript.CallbackError:
                counts["full"] += 1
                continue
            time.sleep(0.002)
            handle.sampling_prob = 0.5
            handle.disable()
            handle.enable()
            handle.remove()
            after = tuple(pairs)
            time.sleep(0.001)
            assert tuple(pairs) == after, "called after remove() had returned"
            assert pairs[1] <= pairs[0]
            assert handle.sampled == pairs[0] and handle.seen >= handle.sampled
            counts["done"] += 1

    expected = chain(x, 2).item()
    runners = [threading.Thread(target=run) for _ in range(8)]
    for t in runners:
        t.start()
    errors: list[BaseException] = []

    def guarded() -> None:
        try:
            register()
        except BaseException as error:  # noqa: BLE001
            errors.append(error)

    registrars = [threading.Thread(target=guarded) for _ in range(8)]
    for t in registrars:
        t.start()
    for t in registrars:
        t.join(120)
    stop.set()
    for t in runners:
        t.join(60)
    assert not errors, errors
    assert counts["done"] > 0


# -- faults ------------------------------------------------------------------------------------------------------------


def test_a_callback_that_raises_disturbs_nothing_and_is_switched_off(x: Any) -> None:
    def bad(record: Any) -> None:
        raise ValueError("broken callback")

    handle = tscript.add_global_callback(bad, max_faults=3)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for _ in range(10):
            assert (x + 1.0).tolist() == [2.0, 3.0, 4.0, 5.0]
    assert (handle.faulted, handle.sampled, handle.enabled) == (3, 3, False)
    messages = [str(w.message) for w in caught]
    assert len(messages) == 2 and "broken callback" in messages[0] and "switched off after 3 faults" in messages[1]
    handle.remove()


def test_a_fault_with_warnings_as_errors(x: Any, capsys: pytest.CaptureFixture[str]) -> None:
    handle = tscript.add_global_callback(on_exit=lambda r, c: 1 / 0, max_faults=1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert (x + 1.0).tolist() == [2.0, 3.0, 4.0, 5.0]
    handle.remove()
    assert "division by zero" in capsys.readouterr().err


def test_an_exception_of_the_operator_survives_a_faulty_callback(x: Any) -> None:
    handle = tscript.add_global_callback(lambda r: 1 / 0, lambda r, c: 1 / 0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(IndexError, match="index 9"):
            x.select(0, 9)
        with pytest.raises(IndexError, match="index 9"):
            fails(x, 9)
    handle.remove()


def test_operators_inside_a_callback_are_not_observed(x: Any) -> None:
    seen: list[str] = []

    def enter(record: Any) -> None:
        seen.append(record.name)
        chain(x, 1)
        with tscript.record_function("inside"):
            x.exp()

    handle = tscript.add_global_callback(enter, scopes=["FUNCTION", "OPERATOR", "USER"])
    chain(x, 1)
    handle.remove()
    assert seen == ["chain", "fused_mul_tanh_add", "sum"]


def test_a_callback_that_removes_itself(x: Any) -> None:
    left: list[str] = []
    seen: list[str] = []

    def enter(record: Any) -> object:
        seen.append(record.name)
        handle.remove()
        return object()

    handle = tscript.add_global_callback(enter, lambda r, c: left.append(r.name), scopes=["FUNCTION", "OPERATOR"])
    chain(x, 1)
    x + 1.0
    assert seen == ["chain"] and left == []


def test_a_callback_that_adds_another_and_runs_operators(x: Any) -> None:
    seen: list[str] = []
    added: list[Any] = []

    def enter(record: Any) -> None:
        if not added:
            added.append(tscript.add_global_callback(lambda r: seen.append(r.name)))
        chain(x, 1)

    first = tscript.add_global_callback(enter, scopes=["USER"])
    with tscript.record_function("a"):
        pass
    with tscript.record_function("b"):
        pass
    first.remove()
    added[0].remove()
    assert seen == ["b"]


def test_a_callback_that_blocks_holds_up_its_removal_and_nothing_else(x: Any) -> None:
    inside, go, removed = threading.Event(), threading.Event(), threading.Event()

    def enter(record: Any) -> None:
        inside.set()
        go.wait(30)

    handle = tscript.add_thread_local_callback(lambda r: None)
    handle.remove()
    handle = tscript.add_global_callback(enter, scopes=["USER"])

    def work() -> None:
        with tscript.record_function("blocks"):
            pass

    thread = threading.Thread(target=work)
    thread.start()
    assert inside.wait(30)

    def remove() -> None:
        handle.remove()
        removed.set()

    remover = threading.Thread(target=remove)
    remover.start()
    x + 1.0  # this thread goes on
    assert not removed.wait(0.05)
    go.set()
    assert removed.wait(30)
    thread.join(30)
    remover.join(30)


# -- bad input ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("add", [tscript.add_global_callback, tscript.add_thread_local_callback])
@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"sampling_prob": 1.5}, ValueError, "between 0 and 1"),
        ({"sampling_prob": -0.1}, ValueError, "between 0 and 1"),
        ({"sampling_prob": float("nan")}, ValueError, "between 0 and 1"),
        ({"sampling_prob": "1"}, TypeError, "must be a number"),
        ({"scopes": ["FUNKTION"]}, ValueError, "unknown scope 'FUNKTION'; there are FUNCTION, OPERATOR"),
        ({"scopes": [7]}, ValueError, "unknown scope 7"),
        ({"scopes": []}, ValueError, "no scope"),
        ({"scopes": 7}, TypeError, "list of scopes or their names"),
        ({"granularity": "node"}, ValueError, "'group' and 'operator'"),
        ({"max_faults": 0}, ValueError, "at least 1"),
    ],
)
def test_bad_options(add: Any, options: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        add(lambda r: None, **options)


def test_a_probability_of_numpy() -> None:
    handle = tscript.add_global_callback(lambda r: None, sampling_prob=np.float32(0.5))  # type: ignore[arg-type]
    assert handle.sampling_prob == 0.5
    handle.remove()


def test_bad_functions() -> None:
    with pytest.raises(TypeError, match="on_enter must be callable"):
        tscript.add_global_callback(3)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="on_exit must be callable"):
        tscript.add_global_callback(None, "x")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="needs on_enter, on_exit"):
        tscript.add_global_callback()


def test_a_removed_callback_refuses_everything() -> None:
    handle = tscript.add_global_callback(lambda r: None)
    handle.remove()
    for use in (handle.remove, handle.enable, handle.disable, lambda: setattr(handle, "sampling_prob", 0.5)):
        with pytest.raises(tscript.CallbackError, match="removed"):
            use()
    assert "removed" in repr(handle) and not handle.enabled


def test_slots_are_used_again(x: Any) -> None:
    for _ in range(600):
        handle = tscript.add_global_callback(lambda r: None)
        handle.remove()
    with Log() as log:
        x + 1.0
    assert len(log.seen) == 1


def test_callbacks_are_called_as_they_were_registered_whatever_slots_they_have(x: Any) -> None:
    told: list[str] = []

    def add(name: str) -> Any:
        return tscript.add_global_callback(
            lambda record: told.append(name), lambda record, context: told.append(name.upper()), scopes=["OPERATOR"]
        )

    a, b, c = map(add, "abc")
    a.remove()
    d = add("d")
    b.disable()
    b.enable()
    _ = x + 1.0
    chain(x, 1)
    for handle in (b, c, d):
        handle.remove()
    assert "".join(told[:12]) == "bcdDCBbcdDCB"


def test_results_of_several_values_are_shown(x: Any) -> None:
    @tscript.script
    def sizes(x: Tensor, n: int) -> tuple[Tensor, tuple[int, bool], float]:
        if n > 0:
            return sizes(x + 1.0, n - 1)
        values, places = x.max(0)
        return values, (n, n > 1), float(places)

    for granularity in ("group", "operator"):
        with Log(granularity=granularity, needs_inputs=True, needs_outputs=True) as log:
            sizes(x, 1)
        results = {name: outputs for name, outputs, failed in log.left}
        assert [v.item() for v in results["max"][0]] == [5.0, 3]
        (values, numbers, number) = results["sizes"][0]
        assert (values.item(), numbers, number) == (5.0, (0, False), 3.0)


def test_a_thread_has_room_for_so_many_callbacks_whoever_registers_them(x: Any) -> None:
    registered, done = threading.Event(), threading.Event()
    own: list[Any] = []

    def work() -> None:
        own.extend(tscript.add_thread_local_callback(lambda record: None) for _ in range(MAX_ACTIVE))
        registered.set()
        done.wait()
        for handle in own:
            handle.remove()

    thread = threading.Thread(target=work)
    thread.start()
    registered.wait()
    try:
        with pytest.raises(tscript.CallbackError, match=f"at most {MAX_ACTIVE}"):
            tscript.add_global_callback(lambda record: None)
        tscript.add_thread_local_callback(lambda record: None).remove()
    finally:
        done.set()
        thread.join()
