"""Events as a trace file: the JSON of the Trace Event Format, which Perfetto and ``chrome://tracing`` open.

The format: `"Trace Event Format" <https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU>`_.
An event becomes a complete event (``X``) of its thread, with what is known of it in ``args``; processes and threads get
their names by metadata events (``M``), memory in use is a counter (``C``), and an arrow (``s``, ``f``) leads from where
a task was forked to where it ran. Times are microseconds from the beginning of the trace, which is at
``baseTimeNanoseconds`` of the Unix epoch.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from tscript.abi.record import RecordScope
from tscript.profiler.events import FunctionEvent

CATEGORIES: dict[RecordScope, str] = {
    RecordScope.FUNCTION: "script_function",
    RecordScope.OPERATOR: "cpu_op",
    RecordScope.USER: "user_annotation",
    RecordScope.COMPILE: "compile",
    RecordScope.LOAD: "load",
    RecordScope.BACKWARD: "backward",
}
"""``cat`` of the events of each scope; the names that PyTorch's traces use where there are any."""

FORK = "fork"
"""Category and name of the arrows to forked tasks."""


def write_trace(path: Path, events: Sequence[FunctionEvent], head: Mapping[str, Any]) -> None:
    """Write a trace file, compressed if its name ends in ``.gz``; whole or not at all.

    Args:
        path: The file.
        events: In the order in which they began.
        head: Entries at top level, next to ``traceEvents``; ``pid``, ``process_name`` and ``thread_names`` among them
            describe the process instead.

    Raises:
        OSError: The file cannot be written; what was there stays.
    """
    from tscript.archive.container import write_atomically

    data = json.dumps(trace_of(events, head, str(path)), separators=(",", ":")).encode()
    write_atomically(path, gzip.compress(data, 6, mtime=0) if path.name.endswith(".gz") else data)


def trace_of(events: Sequence[FunctionEvent], head: Mapping[str, Any], name: str = "") -> dict[str, Any]:
    """The document."""
    rest = dict(head)
    pid = rest.pop("pid", 0)
    process_name = rest.pop("process_name", "")
    thread_names: Mapping[int, str] = rest.pop("thread_names", {})
    threads = list(dict.fromkeys(event.thread for event in events))
    return {
        "schemaVersion": 1,
        **rest,
        "displayTimeUnit": "ms",
        "traceName": name,
        "traceEvents": [
            *_names(pid, process_name, {thread: thread_names.get(thread, f"thread {thread}") for thread in threads}),
            *(_complete(event, pid) for event in events),
            *_memory(events, pid),
            *_arrows(events, pid),
        ],
    }


def _names(pid: int, process: str, threads: Mapping[int, str]) -> Iterator[dict[str, Any]]:
    yield {"ph": "M", "name": "process_name", "ts": 0, "pid": pid, "tid": 0, "args": {"name": process}}
    yield {"ph": "M", "name": "process_labels", "ts": 0, "pid": pid, "tid": 0, "args": {"labels": "CPU"}}
    for order, (tid, name) in enumerate(threads.items()):
        yield {"ph": "M", "name": "thread_name", "ts": 0, "pid": pid, "tid": tid, "args": {"name": name}}
        yield {"ph": "M", "name": "thread_sort_index", "ts": 0, "pid": pid, "tid": tid, "args": {"sort_index": order}}


def _complete(event: FunctionEvent, pid: int) -> dict[str, Any]:
    args: dict[str, Any] = {"External id": event.id}
    facts = {
        "Overload": event.overload,
        "Sequence number": event.sequence_nr if event.sequence_nr >= 0 else None,
        "Members": list(event.members),
        "Module": event.module,
        "Input Dims": event.input_shapes,
        "File": f"{event.file}:{event.line}" if event.file else "",
        "Function": event.function,
        "Call stack": ";\n".join(event.stack),
        "Bytes": event.cpu_memory_usage if event.live_bytes is not None else None,
        "Peak Bytes": event.peak_memory_usage if event.live_bytes is not None else None,
        "Failed": event.failed or None,
        "Unfinished": event.is_unfinished or None,
        "Stands for": event.count if event.count != 1 else None,
    }
    args.update({key: value for key, value in facts.items() if value not in (None, "", [])})
    return {
        "ph": "X",
        "cat": CATEGORIES[event.scope],
        "name": event.trace_name,
        "pid": pid,
        "tid": event.thread,
        "ts": (event.start_ns - event.origin_ns) / 1000,
        "dur": event.duration_ns / 1000,
        "args": args,
    }


def _memory(events: Iterable[FunctionEvent], pid: int) -> Iterator[dict[str, Any]]:
    """Bytes in use over time, as known at the ends of events."""
    known = [(event.end_ns - event.origin_ns, event.live_bytes) for event in events if event.live_bytes is not None]
    for at, count in sorted(known):
        yield {"ph": "C", "name": "memory", "pid": pid, "tid": 0, "ts": at / 1000, "args": {"live bytes": count}}


def _arrows(events: Sequence[FunctionEvent], pid: int) -> Iterator[dict[str, Any]]:
    """From the function that forked a task to the task, where there is only one that can have done so.

    The place of a task is that of its ``fork``, so its function is that of who forked it, which was running on another
    thread when the task began.
    """
    functions: dict[str, list[FunctionEvent]] = {}
    for event in events:
        if event.scope == RecordScope.FUNCTION:
            functions.setdefault(event.name, []).append(event)
    tasks = (e for e in events if e.scope == RecordScope.FUNCTION and e.cpu_parent is None and e.function != e.name)
    for task in tasks:
        origins = [
            e
            for e in functions.get(task.function, ())
            if e.thread != task.thread and e.start_ns <= task.start_ns <= e.end_ns
        ]
        if len(origins) != 1:
            continue
        (origin,) = origins
        began = task.start_ns - task.origin_ns
        left = max(origin.start_ns - task.origin_ns, began - 1000)
        arrow = {"cat": FORK, "name": FORK, "id": task.id, "pid": pid}
        yield {"ph": "s", **arrow, "tid": origin.thread, "ts": left / 1000}
        yield {"ph": "f", "bp": "e", **arrow, "tid": task.thread, "ts": began / 1000}
