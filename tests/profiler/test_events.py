"""The forest of events, and averages of it."""

from __future__ import annotations

import pytest

from tests.profiler.conftest import Made
from tscript.abi.record import RecordScope
from tscript.profiler.event_list import EventList
from tscript.profiler.events import FunctionEventAvg
from tscript.profiler.recorder import Settings, shapes_of


def figures(events: EventList) -> dict[str, tuple[float, float]]:
    return {e.name: (e.cpu_time_total, e.self_cpu_time_total) for e in events}


def test_self_time_is_without_what_was_called(made: Made) -> None:
    made.add("f", 10, 110, scope=RecordScope.FUNCTION)
    made.add("add", 20, 50)
    made.add("inner", 30, 40)
    made.add("mul", 50, 70)
    made.add("after", 120, 130)
    events = made.events()
    assert figures(events) == {"f": (100, 50), "add": (30, 20), "inner": (10, 10), "mul": (20, 20), "after": (10, 10)}
    by_name = {e.name: e for e in events}
    assert by_name["f"].cpu_children == [by_name["add"], by_name["mul"]]
    assert by_name["inner"].cpu_parent is by_name["add"]
    assert by_name["f"].cpu_parent is by_name["after"].cpu_parent is None
    assert (by_name["add"].time_range.start, by_name["add"].time_range.end) == (19.0, 49.0)
    assert by_name["add"].time_range.elapsed_us() == 30.0


def test_threads_do_not_nest_in_each_other(made: Made) -> None:
    made.add("f", 10, 110, scope=RecordScope.FUNCTION)
    made.add("other", 20, 50, thread_id=2)
    made.add("add", 30, 40)
    events = made.events()
    assert figures(events) == {"f": (100, 90), "other": (30, 30), "add": (10, 10)}
    assert {e.name: e.thread for e in events} == {"f": 101, "other": 102, "add": 101}


def test_ranges_that_overlap_are_not_nested(made: Made) -> None:
    made.add("around", 5, 200, scope=RecordScope.USER)
    made.add("one", 10, 50, scope=RecordScope.USER)
    made.add("two", 40, 90, scope=RecordScope.USER)
    made.add("op", 45, 48)
    events = {e.name: e for e in made.events()}
    assert events["two"].cpu_parent is events["around"]
    assert events["op"].cpu_parent is events["two"]
    assert events["one"].self_cpu_time_total == 40


def test_events_without_duration(made: Made) -> None:
    for name in ("a", "b"):
        made.add(name, 10, 10)
    made.add("c", 10, 20)
    made.add("d", 10, 20)
    assert figures(made.events()) == {"a": (0, 0), "b": (0, 0), "c": (10, 0), "d": (10, 10)}


def test_what_is_still_running_ends_with_the_recording(made: Made) -> None:
    made.add("range", 10, 0, scope=RecordScope.USER)
    made.add("op", 20, 30)
    made.add("not begun", 0, 0)
    events = made.events(stopped=60)
    assert figures(events) == {"range": (50, 40), "op": (10, 10)}
    assert [e.is_unfinished for e in events] == [True, False]


def test_order_is_that_of_the_beginnings(made: Made) -> None:
    made.add("late", 30, 40)
    made.add("early", 10, 20, thread_id=2)
    assert [e.name for e in made.events()] == ["early", "late"]


def test_sampled_operators_stand_for_many(made: Made) -> None:
    made.settings = Settings(sampling_prob=0.1)
    made.add("f", 10, 1010, scope=RecordScope.FUNCTION)
    made.add("op", 20, 60)
    made.add("g", 2000, 2010, scope=RecordScope.FUNCTION)
    made.add("op", 2000, 2005)
    events = made.events()
    assert [(e.name, e.count, e.cpu_time_total, e.self_cpu_time_total) for e in events] == [
        ("f", 1, 1000, 600),
        ("op", 10, 400, 400),
        ("g", 1, 10, 0),  # an estimate is not let go below nothing
        ("op", 10, 50, 50),
    ]
    assert [(a.key, a.count, a.cpu_time) for a in events.key_averages()] == [
        ("f", 1, 1000),
        ("op", 20, 22.5),
        ("g", 1, 10),
    ]


def test_averages(made: Made) -> None:
    made.settings = Settings(record_shapes=True, profile_memory=True)
    made.add("f", 10, 110, [], scope=RecordScope.FUNCTION, live=(0, 300), used=(310, 400))
    made.add("add", 20, 30, [[2], []], overload="Tensor", live=(0, 100), used=(110, 110))
    made.add("add", 30, 50, [[3], []], overload="Tensor", live=(100, 300), used=(210, 290))
    made.add("add", 50, 80, [[3], []], overload="Scalar", live=(300, 300))
    events = made.events()
    f, add = events.key_averages()
    assert (f.key, f.count, f.cpu_time_total, f.self_cpu_time_total, f.cpu_time) == ("f", 1, 100, 40, 100)
    assert (f.cpu_memory_usage, f.self_cpu_memory_usage) == (300, 0)
    assert (f.peak_memory_usage, f.allocated_memory) == (310, 400)
    assert (add.peak_memory_usage, add.allocated_memory) == (210, 400)
    assert (add.key, add.count, add.cpu_time_total, add.cpu_time_avg) == ("add", 3, 60, 20)
    assert (add.cpu_time_total_str, add.cpu_time_str) == ("60.000us", "20.000us")
    assert (add.input_shapes, add.overload_name, add.scope) == ([], "", RecordScope.OPERATOR)
    shapes = [(a.key, a.input_shapes, a.count) for a in events.key_averages(group_by_input_shapes=True)]
    assert shapes == [("f", [], 1), ("add", [[2], []], 1), ("add", [[3], []], 2)]
    overloads = [(a.key, a.overload_name, a.count) for a in events.key_averages(group_by_overload_name=True)]
    assert overloads == [("f", "", 1), ("add", "Tensor", 2), ("add", "Scalar", 1)]
    total = events.total_average()
    assert (total.key, total.count, total.self_cpu_time_total) == ("Total", 4, 100)
    assert events.key_averages().total_average().self_cpu_time_total == events.self_cpu_time_total == 100
    assert FunctionEventAvg("none").cpu_time == 0.0


def test_a_range_and_an_operator_of_one_name_are_counted_apart(made: Made) -> None:
    made.add("add", 10, 60, scope=RecordScope.USER)
    made.add("add", 20, 30)
    assert [(a.is_user_annotation, a.count) for a in made.events().key_averages()] == [(True, 1), (False, 1)]


def test_compilation_has_a_name_of_its_own(made: Made) -> None:
    made.add("add", 10, 60, scope=RecordScope.COMPILE)
    made.add("m.tsa", 70, 80, scope=RecordScope.LOAD)
    made.add("add", 90, 95)
    assert [a.key for a in made.events().key_averages()] == ["compile::add", "load::m.tsa", "add"]


def frames(*lines: int) -> list[object]:
    return [(test_stacks.__code__, line) for line in lines]


def test_stacks(made: Made) -> None:
    made.settings = Settings(with_stack=True)
    here = f"{__file__}({{}}): test_stacks"
    made.add("f", 10, 110, scope=RecordScope.FUNCTION, file="m.py", line=3, function="f", frames=frames(7, 9))
    made.add("add", 20, 30, file="m.py", line=4, function="f")
    made.add("mul", 30, 40, file="n.py", line=8, function="g")
    made.add("eager", 50, 60, frames=frames(11))
    made.add("alone", 120, 130, file="m.py", line=1, function="h")
    events = {e.name: e for e in made.events()}
    callers = [here.format(7), here.format(9)]
    assert events["f"].stack == ["m.py(3): f", *callers]
    assert events["add"].stack == ["m.py(4): f", *callers]
    assert events["mul"].stack == ["n.py(8): g", "m.py(3): f", *callers]
    assert events["eager"].stack == [here.format(11)]
    assert events["alone"].stack == ["m.py(1): h"]
    by_place = made.events().key_averages(group_by_stack_n=1)
    assert [(a.key, a.stack) for a in by_place][:2] == [("f", ["m.py(3): f"]), ("add", ["m.py(4): f"])]


def test_stacks_as_flame_graphs_want_them(made: Made, tmp_path) -> None:
    made.settings = Settings(with_stack=True)
    made.add("f", 10, 110, scope=RecordScope.FUNCTION, file="my m.py", line=3, function="f", frames=[])
    made.add("add", 20, 50, file="n.py", line=8, function="g")
    made.add("short", 60, 60, file="n.py", line=9, function="g")
    made.add("nowhere", 120, 130, frames=[])
    events = made.events()
    events.export_stacks(tmp_path / "stacks")
    assert (tmp_path / "stacks").read_text() == "my_m.py(3):_f 70\nmy_m.py(3):_f;n.py(8):_g 30\n"
    events.export_stacks(tmp_path / "stacks", "cpu_time_total")
    assert (tmp_path / "stacks").read_text().startswith("my_m.py(3):_f 100\n")
    with pytest.raises(ValueError, match="metric must be one of self_cpu_time_total, cpu_time_total, found 'self_cuda"):
        events.export_stacks(tmp_path / "stacks", "self_cuda_time_total")


def test_averages_have_no_trace(made: Made, tmp_path) -> None:
    made.add("add", 10, 60)
    with pytest.raises(TypeError, match="averages have no place in a trace"):
        made.events().key_averages().export_chrome_trace(tmp_path / "trace.json")
    assert not list(tmp_path.iterdir())


def test_shapes() -> None:
    class Thing:
        shape = (2, 3)

    assert shapes_of((Thing(), 1.0, None, [Thing(), Thing()], [1, 2], ())) == [[2, 3], [], [], [[2, 3], [2, 3]], [], []]
