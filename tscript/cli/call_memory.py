"""The memory of one call of a function or module, as measured: what ``tscript inspect --memory --input`` prints."""

from __future__ import annotations

import json
from typing import Any

from tscript.cli.targets import target


def print_memory_of_call(path: str, name: str | None, inputs: list[str], as_json: bool) -> None:
    """Call a function twice, and print what the second call took: at most, for its result, and in each layer.

    Args:
        path: The archive.
        name: The function or method; None: ``forward``, or the only one.
        inputs: Its arguments.
        as_json: Print JSON.
    """
    from tscript.abi.record import RecordScope
    from tscript.profiler import profile
    from tscript.profiler.layers import aligned, highest_of, layer_table, layers_of
    from tscript.profiler.table import memory_text

    found = target(path, "inspect", name)
    args, kwargs = found.arguments(inputs)
    for _ in range(2):  # the first call lays out weights
        with profile(profile_memory=True) as recorded:
            found.call(args, kwargs)
    events = recorded.events()
    (call,) = [e for e in events if e.scope is RecordScope.FUNCTION and e.cpu_parent is None]
    root: Any = found.own[0] if found.own else None
    modules = () if root is None else root.named_modules(remove_duplicate=False)
    titles = {at: each.original_name for at, each in modules}
    layers = layers_of(events, titles)
    steps = sorted((e for e in events if not e.cpu_children and e is not call), key=lambda e: e.start_ns)
    peak = max([call.peak_memory_usage, *map(highest_of, steps)])
    if len(layers) > 1:
        inner = [layer for layer in layers if not any(at.path.startswith(f"{layer.path}.") for at in layers)]
        most = [layer.path for layer in inner if layer.path and layer.highest == peak]
    else:
        most = [event.name for event in steps if highest_of(event) == peak]
    where = f", in {', '.join(dict.fromkeys(most))}" if most else ""
    if as_json:
        found_layers = [{"path": layer.path, "allocated": layer.allocated, "in_use": layer.highest} for layer in layers]
        document = {"peak": peak, "result": call.cpu_memory_usage, "at": most, "layers": found_layers}
        print(json.dumps(document, indent=1))
        return
    print(f"a call takes {memory_text(peak)} at most{where}; {memory_text(call.cpu_memory_usage)} stay")
    if len(layers) > 1:
        print(layer_table(layers, titles, memory=True), end="")
        return
    rows = [["Operator", "Line", "Allocated", "In use"]]
    for event in steps:
        place = f"{event.file}:{event.line}" if event.file else ""
        rows.append([event.name, place, memory_text(event.allocated_memory), memory_text(highest_of(event))])
    print(aligned(rows), end="")
