"""Time by layer: events of a module's method, summed up by the module whose code they are."""

from __future__ import annotations

from collections.abc import Iterable

from tscript.abi.record import RecordScope
from tscript.late import dataclass
from tscript.profiler.events import FunctionEvent
from tscript.profiler.table import memory_text, share_text, time_text


@dataclass(slots=True, eq=False)
class Layer:
    """What one module took.

    Attributes:
        path: Where it stands in the module that was called; empty: that one.
        self_ns: Nanoseconds of its own operators.
        total_ns: The same with the modules inside it.
        count: How often it ran: the smallest count of one of its operators, or of those of the modules inside it.
        allocated: Bytes of the larger blocks that its operators allocated, with ``profile_memory``.
        highest: The most bytes in use while one of its operators ran, beyond those before the call, whichever module
            has them, with ``profile_memory``.
    """

    path: str
    self_ns: int = 0
    total_ns: int = 0
    count: int = 0
    allocated: int = 0
    highest: int = 0

    @property
    def depth(self) -> int:
        """How many modules are around it."""
        return self.path.count(".") + 1 if self.path else 0


def layers_of(events: Iterable[FunctionEvent], paths: Iterable[str] = ()) -> list[Layer]:
    """The layers of a module by their paths, each behind the one around it.

    An operator that was fused with those of other modules counts where the group ends.

    Args:
        events: Of a profile of calls of a module's method.
        paths: Of the modules, in the order in which they shall stand; left out, in that in which they ran.

    Example:
        >>> import tscript
        >>> from tscript import nn
        >>> from tscript.profiler import profile
        >>> net = tscript.script(nn.Sequential(nn.Linear(2, 2), nn.Tanh()))
        >>> x = tscript.ones(3, 2)
        >>> with profile() as p:
        ...     y = net(x)
        >>> [layer.path for layer in layers_of(p.events())]
        ['', '0', '1']
    """
    found: dict[str, Layer] = {}
    order = {path: at for at, path in enumerate(paths)}
    sites: dict[str, dict[object, int]] = {}
    for event in events:
        if event.scope not in (RecordScope.FUNCTION, RecordScope.OPERATOR):
            continue
        path = _path(event)
        key = (event.name, event.file, event.line, event.module)
        around = _around(path)
        for at in around:
            layer = found.setdefault(at, Layer(at))
            layer.total_ns += event.self_ns
            if not event.cpu_children:
                layer.allocated += event.allocated_memory
                layer.highest = max(layer.highest, highest_of(event))
            counts = sites.setdefault(at, {})
            counts[key] = counts.get(key, 0) + event.count
        found[path].self_ns += event.self_ns
    for at, layer in found.items():
        layer.count = min(sites[at].values())
    return _in_order(dict(sorted(found.items(), key=lambda item: order.get(item[0], len(order)))))


def _path(event: FunctionEvent) -> str:
    """Its module, in that of the outermost function."""
    parts: list[str] = []
    at: FunctionEvent | None = event
    while at is not None:
        parts.append(at.module)
        at = at.cpu_parent
    return ".".join(part for part in reversed(parts) if part)


def highest_of(event: FunctionEvent) -> int:
    """The most bytes in use while it ran, beyond those before the call that it is part of."""
    whole = event
    while whole.cpu_parent is not None:
        whole = whole.cpu_parent
    return _before(event) - _before(whole) + event.peak_memory_usage


def _before(event: FunctionEvent) -> int:
    return (event.live_bytes or 0) - event.cpu_memory_usage


def _around(path: str) -> list[str]:
    """A path and those of all modules around it."""
    parts = path.split(".") if path else []
    return [".".join(parts[:n]) for n in range(len(parts) + 1)]


def _in_order(found: dict[str, Layer]) -> list[Layer]:
    """Each layer, then those inside it, in the order in which they are given."""
    inside: dict[str | None, list[Layer]] = {}
    for path, layer in found.items():
        inside.setdefault(path.rpartition(".")[0] if path else None, []).append(layer)
    out: list[Layer] = []
    pending = list(reversed(inside.get(None, ())))
    while pending:
        layer = pending.pop()
        out.append(layer)
        pending += reversed([inner for inner in inside.get(layer.path, ()) if inner is not layer])
    return out


def layer_table(
    layers: list[Layer], titles: dict[str, str] | None = None, *, row_limit: int = -1, memory: bool = False
) -> str:
    """Layers as a table in plain text.

    Args:
        layers: What `layers_of` gives.
        titles: Names of classes, by path.
        row_limit: Rows at most, those that took longest; -1: all.
        memory: Whether there are columns of memory.
    """
    titles = titles or {}
    total = max((layer.total_ns for layer in layers), default=0)
    shown = layers
    if 0 <= row_limit < len(layers):
        longest = set(map(id, sorted(layers, key=lambda layer: -layer.total_ns)[:row_limit]))
        shown = [layer for layer in layers if id(layer) in longest]
    rows = [["Layer", "Class", "Share", "Total", "Self", "Calls", *(["Allocated", "In use"] if memory else [])]]
    for layer in shown:
        name = "  " * layer.depth + (layer.path.rpartition(".")[2] or "(root)")
        times = [share_text(layer.total_ns, total), time_text(layer.total_ns / 1000), time_text(layer.self_ns / 1000)]
        used = [memory_text(layer.allocated), memory_text(layer.highest)] if memory else []
        rows.append([name, titles.get(layer.path, ""), *times, str(layer.count), *used])
    return aligned(rows)


def aligned(rows: list[list[str]]) -> str:
    """Rows as a table in plain text: the first two columns to the left, the others to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [
        "  ".join(
            cell.ljust(width) if at < 2 else cell.rjust(width)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
    return "\n".join(lines) + "\n"
