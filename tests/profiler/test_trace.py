"""Trace files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.profiler.conftest import Made
from tests.profiler.trace_format import read, validate
from tscript.abi.record import RecordScope
from tscript.profiler.event_list import EventList
from tscript.profiler.recorder import Settings, Thread

HEAD: dict[str, Any] = {
    "pid": 7, "process_name": "job.py", "thread_names": {101: "MainThread"}, "host_name": "here",
    "mine": [1, {"a": None}],
}  # fmt: skip


@pytest.fixture
def events(made: Made) -> EventList:
    made.settings = Settings(record_shapes=True, profile_memory=True, with_stack=True)
    made.add("f", 10, 2010, [[2]], [], (0, 64), scope=RecordScope.FUNCTION, file="m.py", line=3, function="f")
    made.add("fused_mul_add", 20, 520, [[2]], None, (0, 64), file="m.py", line=4, function="f", members=("mul", "add"))
    made.add('odd "näme"\n', 600, 0, [], [], scope=RecordScope.USER, thread_id=2, sequence_nr=5, failed=True)
    made.add("sum", 700, 700, [[2]], [], thread_id=2, overload="dim")
    found = made.events(3000)
    found.trace = HEAD
    return found


def test_a_trace_file(events: EventList, tmp_path: Path) -> None:
    path = tmp_path / "trace.json"
    events.export_chrome_trace(path)
    document = read(path)
    complete = validate(document)
    assert document["host_name"] == "here"
    assert document["mine"] == [1, {"a": None}]
    assert document["traceName"] == str(path)
    names = {(e["name"], e["tid"]): e["args"] for e in document["traceEvents"] if e["ph"] == "M"}
    assert names["process_name", 0] == {"name": "job.py"}
    assert names["thread_name", 101] == {"name": "MainThread"}
    assert names["thread_name", 102] == {"name": "thread 102"}
    assert [e["name"] for e in complete] == ["f", "fused_mul_add", 'odd "näme"\n', "sum"]
    f, group, odd, total = complete
    assert (f["ts"], f["dur"], f["pid"], f["tid"], f["cat"]) == (9.0, 2000.0, 7, 101, "script_function")
    assert f["args"] == {
        "External id": 0, "Input Dims": [[2]], "File": "m.py:3", "Function": "f", "Call stack": "m.py(3): f",
        "Bytes": 64, "Peak Bytes": 0,
    }  # fmt: skip
    assert group["args"]["Members"] == ["mul", "add"]
    assert group["cat"] == "cpu_op"
    assert odd["args"] == {"External id": 2, "Sequence number": 5, "Failed": True, "Unfinished": True}
    assert (odd["cat"], odd["dur"]) == ("user_annotation", 2400.0)
    assert (total["dur"], total["args"]["Overload"]) == (0.0, "dim")
    memory = [(e["ts"], e["args"]["live bytes"]) for e in document["traceEvents"] if e["ph"] == "C"]
    assert memory == [(519.0, 64), (699.0, 0), (2009.0, 64)]


def test_compressed(events: EventList, tmp_path: Path) -> None:
    events.export_chrome_trace(str(tmp_path / "a.json"))
    events.export_chrome_trace(str(tmp_path / "b.json.gz"))
    assert (tmp_path / "b.json.gz").read_bytes()[:2] == b"\x1f\x8b"
    plain, packed = read(tmp_path / "a.json"), read(tmp_path / "b.json.gz")
    assert plain["traceEvents"] == packed["traceEvents"]


def test_nanoseconds_are_kept(made: Made, tmp_path: Path) -> None:
    """Rounded times would let events end after those around them."""
    day = 86_400 * 10**9
    made.entries = []
    made.add("f", 0, 0)
    made.entries[0][:2] = [day + 1, day + 4]
    made.add("g", 0, 0)
    made.entries[1][:2] = [day + 2, day + 4]
    made.events(day).export_chrome_trace(tmp_path / "t.json")
    complete = validate(read(tmp_path / "t.json"))
    assert [round(e["dur"] * 1000) for e in complete] == [3, 2]


def test_an_empty_trace(tmp_path: Path) -> None:
    EventList().export_chrome_trace(tmp_path / "t.json")
    assert validate(read(tmp_path / "t.json")) == []


def test_nothing_is_left_of_a_file_that_cannot_be_written(events: EventList, tmp_path: Path) -> None:
    with pytest.raises(OSError, match="gone"):
        events.export_chrome_trace(tmp_path / "gone" / "t.json")
    target = tmp_path / "t.json"
    target.write_text("before")
    events.trace = {"bad": {1: {(): 2}}}
    with pytest.raises(TypeError):
        events.export_chrome_trace(target)
    assert target.read_text() == "before"
    assert [p.name for p in tmp_path.iterdir()] == ["t.json"]


def test_times_are_whole_documents(events: EventList, tmp_path: Path) -> None:
    """No NaN and no infinity, which are not JSON."""
    events.export_chrome_trace(tmp_path / "t.json")

    def refuse(name: str) -> None:
        raise AssertionError(name)

    json.loads((tmp_path / "t.json").read_text(), parse_constant=refuse)


def test_threads_by_number(made: Made, tmp_path: Path) -> None:
    made.threads = {1: Thread(101, "MainThread")}
    made.add("op", 10, 20, thread_id=9)
    (event,) = made.events()
    assert event.thread == 9


def test_arrows_lead_to_forked_tasks(made: Made, tmp_path: Path) -> None:
    function = RecordScope.FUNCTION
    made.add("main", 10, 110, scope=function, function="main", file="m.py", line=2)
    made.add("work", 30, 60, scope=function, function="main", file="m.py", line=4, thread_id=2)
    made.add("own", 70, 80, scope=function, function="own", file="m.py", line=9, thread_id=2)
    made.add("main", 120, 200, scope=function, function="main", file="m.py", line=2)
    made.add("main", 121, 200, scope=function, function="main", file="m.py", line=2, thread_id=3)
    made.add("work", 130, 160, scope=function, function="main", file="m.py", line=4, thread_id=2)  # whose is it?
    made.events().export_chrome_trace(tmp_path / "t.json")
    document = read(tmp_path / "t.json")
    validate(document)
    arrows = [(e["ph"], e["tid"], e["ts"], e["id"]) for e in document["traceEvents"] if e["ph"] in "sf"]
    assert arrows == [("s", 101, 28.0, 1), ("f", 102, 29.0, 1)]
