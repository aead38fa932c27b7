"""The rules of the Trace Event Format for the events that the profiler writes."""

from __future__ import annotations

import gzip
import json
from collections import defaultdict
from pathlib import Path
from typing import Any

REQUIRED: dict[str, dict[str, tuple[type, ...]]] = {
    "X": {
        "name": (str,),
        "cat": (str,),
        "ts": (int, float),
        "dur": (int, float),
        "pid": (int,),
        "tid": (int,),
        "args": (dict,),
    },
    "M": {"name": (str,), "pid": (int,), "tid": (int,), "args": (dict,)},
    "C": {"name": (str,), "ts": (int, float), "pid": (int,), "args": (dict,)},
    "s": {"name": (str,), "cat": (str,), "id": (int, str), "ts": (int, float), "pid": (int,), "tid": (int,)},
    "f": {
        "name": (str,),
        "cat": (str,),
        "id": (int, str),
        "ts": (int, float),
        "pid": (int,),
        "tid": (int,),
        "bp": (str,),
    },
}
"""Fields of each phase, and their types."""

METADATA = {
    "process_name": ("name", str),
    "process_labels": ("labels", str),
    "process_sort_index": ("sort_index", int),
    "thread_name": ("name", str),
    "thread_sort_index": ("sort_index", int),
}
"""The argument of each kind of metadata event."""


def read(path: Path) -> dict[str, Any]:
    """A trace file as viewers read it: compressed or not, by its first bytes."""
    data = path.read_bytes()
    document = json.loads(gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data)
    assert isinstance(document, dict)
    return document


def validate(document: dict[str, Any]) -> list[dict[str, Any]]:
    """Check every rule; the complete events in order of time."""
    events = document["traceEvents"]
    assert document["displayTimeUnit"] in ("ms", "ns")
    threads = {(e["pid"], e["tid"]) for e in events if e["ph"] == "M" and e["name"] == "thread_name"}
    for event in events:
        for name, types in REQUIRED[event["ph"]].items():
            assert isinstance(event[name], types), event
            assert not isinstance(event[name], bool)
        if event["ph"] == "M":
            name, kind = METADATA[event["name"]]
            assert isinstance(event["args"][name], kind)
        elif event["ph"] == "C":
            assert all(isinstance(value, int | float) for value in event["args"].values())
        else:
            assert (event["pid"], event["tid"]) in threads
            assert event["ts"] >= 0 and event.get("dur", 0) >= 0
    complete = sorted((e for e in events if e["ph"] == "X"), key=lambda e: (e["ts"], -e["dur"]))
    _check_nesting(complete)
    _check_arrows(events, complete)
    return complete


def _check_nesting(complete: list[dict[str, Any]]) -> None:
    """Viewers draw the complete events of a thread inside each other: none may end after the one that it began in."""
    ends: dict[tuple[int, int], list[int]] = defaultdict(list)
    for event in complete:
        start, end = round(event["ts"] * 1000), round(event["ts"] * 1000) + round(event["dur"] * 1000)
        around = ends[event["pid"], event["tid"]]
        while around and around[-1] <= start:
            around.pop()
        assert not around or end <= around[-1], event
        around.append(end)


def _check_arrows(events: list[dict[str, Any]], complete: list[dict[str, Any]]) -> None:
    """Each arrow begins and ends once, in this order, within an event of its thread."""
    begun = {(e["cat"], e["id"]): e for e in events if e["ph"] == "s"}
    ended = {(e["cat"], e["id"]): e for e in events if e["ph"] == "f"}
    assert begun.keys() == ended.keys()
    for key, end in ended.items():
        start = begun[key]
        assert start["ts"] <= end["ts"]
        assert start["name"] == end["name"]
        for point in (start, end):
            assert any(e["tid"] == point["tid"] and e["ts"] <= point["ts"] <= e["ts"] + e["dur"] for e in complete), (
                point
            )
