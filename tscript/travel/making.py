"""`Maker`: from the nodes of a payload to functions and classes.

What this process has already is not made again: what came in an earlier payload, and what its main module defines in
the same way. Functions come first, with empty names. Classes are made of their bases. Then names and attributes are
filled in, scripted functions last. These are checked at their first call.
"""

from __future__ import annotations

import contextlib
import functools
import io
import pickle
import sys
import types
import typing
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from tscript.frontend.source.functions import PythonFunction
from tscript.frontend.source.vectorized import vectorized
from tscript.late import replace
from tscript.pipeline.tiers import Tier
from tscript.room import with_room
from tscript.runtime.session.methods import OwnerOf, is_method
from tscript.runtime.session.process import current
from tscript.runtime.session.scripted import Scripted, is_scripted
from tscript.runtime.session.travelled import Travelled
from tscript.runtime.session.vectorized import Vectorized
from tscript.travel import classes
from tscript.travel.collecting import MAIN, Collector, named
from tscript.travel.functions import Source
from tscript.travel.nodes import Node, key_of

_FREE = "="
"""Begins the name of a late value that belongs into a cell."""


class Maker:
    """Makes the objects of a payload.

    Args:
        nodes: The payload.
        known: What the process has.

    Attributes:
        classes: Those that were made.
        types: Their types, read before another pickler replaces their attributes by equal ones without source.
    """

    def __init__(self, nodes: Sequence[Node], known: Travelled) -> None:
        self._nodes = nodes
        self._known = known
        self._digests = [node.digest for node in nodes]
        self._made: dict[int, Any] = {}
        self._late: list[tuple[Callable[[Any], None], int]] = []
        self.classes: list[type] = []
        self.types: list[object] = []
        self._foreign = self._tracked()
        self._apart = self._leading_to(self._foreign)

    def root(self) -> Any:
        """What was pickled."""
        found = self._get(0)
        while self._late:
            self._put_late()
        for made in self.classes:
            with contextlib.suppress(Exception):  # whatever is wrong with it is said where it is used
                self.types.append(current().compiler.class_type(made))
        return found

    def _get(self, number: int) -> Any:
        """The object of a node; classes and functions may still lack what they name."""
        if number not in self._made:
            with_room(self._make, number)
        return self._made[number]

    def _make(self, number: int) -> None:
        node = self._nodes[number]
        if not self._is_known(number, node):
            _KINDS[node.kind](self, number, node)
            if node.kind != "value" and number not in self._apart:
                self._known.objects[self._key(number)] = self._made[number]

    def _tracked(self) -> dict[int, type]:
        """The classes that other picklers have made here already: their instances came first."""
        found: dict[int, type] = {}
        for number, node in enumerate(self._nodes):
            for module, label in node.labels:
                known: Mapping[str, type] = getattr(sys.modules.get(module), "_DYNAMIC_CLASS_TRACKER_BY_ID", {})
                made = known.get(label)
                if made is not None and made is not self._known.objects.get(self._key(number)):
                    found[number] = made
        return found

    def _leading_to(self, numbers: Iterable[int]) -> set[int]:
        """Some nodes, and all that lead to them."""
        found = set(numbers)
        size = -1
        while found and size != len(found):
            size = len(found)
            found |= {
                i for i, n in enumerate(self._nodes) if not found.isdisjoint((*n.refs, *(to for _, to in n.late)))
            }
        return found

    def _is_known(self, number: int, node: Node) -> bool:
        """Whether this process has the object of a node, which is taken then."""
        if node.kind == "value" or number in self._apart:
            return False
        key = self._key(number)
        found = self._known.objects.get(key)
        if found is None:
            found = self._there(node, key)
        if found is not None:
            self._made[number] = self._known.objects[key] = found
            self._label(node, found)
        return found is not None

    def _key(self, number: int) -> str:
        return key_of(self._nodes, self._digests, number)

    def _there(self, node: Node, key: str) -> Any:
        """The object of the same name in this process, if it is the same."""
        found = named(node.module, node.qualname)
        if node.kind == "function" and is_scripted(found):
            found = getattr(found, "__wrapped__", None)
        if found is None or node.module not in MAIN or type(found) is types.ModuleType:
            return None
        collector = Collector()
        try:
            collector.add(found)
        except Exception:  # noqa: BLE001 - what cannot be pickled is not what was
            return None
        return found if collector.keys()[0] == key else None

    def _load(self, node: Node, data: bytes) -> Any:
        return _Unpickler(io.BytesIO(data), lambda ref: self._get(node.refs[ref])).load()

    # One function per kind of node

    def _function(self, number: int, node: Node) -> None:
        fields = pickle.loads(node.head)  # noqa: S301 - strings alone; it came in a pickle
        namespace: dict[str, Any] = {"__builtins__": __builtins__, "__name__": node.module}
        made = Source(*fields).function(namespace)
        self._made[number] = made
        made.__qualname__, made.__module__ = node.qualname, node.module
        names, free, about = self._load(node, node.body)
        namespace.update(names)
        cells = dict(zip(made.__code__.co_freevars, made.__closure__ or (), strict=True))
        for name, value in free.items():
            cells[name].cell_contents = value
        made.__name__, made.__doc__ = about["name"], about["doc"]
        made.__defaults__, made.__kwdefaults__ = about["defaults"], about["kwdefaults"]
        made.__annotations__ = about["annotations"]
        vars(made).update(about["attributes"])
        for name, to in node.late:
            if name.startswith(_FREE):
                put = functools.partial(_fill_cell, cells[name.removeprefix(_FREE)])
            else:
                put = functools.partial(namespace.__setitem__, name)
            self._late.append((put, to))

    def _class(self, number: int, node: Node) -> None:
        made = self._foreign.get(number)
        if made is None:
            head = self._load(node, node.head)
            if number in self._made:  # a member of an enum led back to it
                return
            made = classes.put_together(node.kind, node.module, node.qualname, head)
            self._label(node, made)
        self._made[number] = made
        if number not in self._foreign or not current().compiler.class_table.known(made):
            classes.fill(made, self._load(node, node.body))
            self._late += [(functools.partial(classes.put, made, name), to) for name, to in node.late]
        self.classes.append(made)

    def _label(self, node: Node, made: object) -> None:
        """Tell other picklers a class by the name that they gave it where it was pickled."""
        for module, label in node.labels:
            track = getattr(sys.modules.get(module), "_lookup_class_or_track", None)
            if track is not None:
                track(label, made)

    def _type_variable(self, number: int, node: Node) -> None:
        constraints, options = self._load(node, node.head)
        made = self._made[number] = typing.TypeVar(node.qualname, *constraints, **options)
        typing.cast(Any, made).__module__ = node.module

    def _value(self, number: int, node: Node) -> None:
        self._made[number] = self._load(node, node.head)

    def _cache(self, number: int, node: Node) -> None:
        function, sizes = self._load(node, node.head)
        self._made[number] = functools.lru_cache(**sizes)(function)

    def _scripted(self, number: int, node: Node) -> None:
        function, cache, optimize, is_parallel, fastmath = self._load(node, node.head)
        source = current().room.run(PythonFunction.from_callable, function)
        if is_parallel or fastmath:
            source = replace(source, is_parallel=is_parallel, fastmath=fastmath)
        if cache is not None:
            source = source.with_cache(*cache)
        scripts = current().scripts
        owner = OwnerOf(function) if is_method(source) else None
        tier = None if optimize is None else Tier.of(optimize)
        scripted = Scripted(scripts, source.name, source, owner_of=owner, tier=tier)
        scripted.is_deferred = True  # what it calls may not be there yet
        made = self._made[number] = scripts.function(scripted, function)
        made.__module__, made.__qualname__ = node.module, node.qualname
        vars(made).update(self._load(node, node.body))

    def _vectorized(self, number: int, node: Node) -> None:
        function, signatures, fastmath = self._load(node, node.head)
        source = replace(current().room.run(PythonFunction.from_callable, function), fastmath=fastmath)
        source = vectorized(source, signatures)
        runtime = current()
        over = runtime.tensors.over
        made = Vectorized(source, runtime.scripts, runtime.native.Tensor, over, is_deferred=True)
        made.__module__, made.__qualname__ = node.module, node.qualname
        self._made[number] = made

    def _put_late(self) -> None:
        """Put scripted functions where they are named."""
        waiting, self._late = self._late, []
        for put, to in waiting:
            put(self._get(to))


_KINDS: Mapping[str, Callable[[Maker, int, Node], None]] = {
    "function": Maker._function,
    "class": Maker._class,
    "enum": Maker._class,
    "named tuple": Maker._class,
    "type variable": Maker._type_variable,
    "value": Maker._value,
    "cache": Maker._cache,
    "scripted": Maker._scripted,
    "vectorized": Maker._vectorized,
}


def _fill_cell(cell: types.CellType, value: object) -> None:
    cell.cell_contents = value


class _Unpickler(pickle.Unpickler):
    """Reads the parts of a node; `find` gives the nodes that it refers to."""

    def __init__(self, file: io.BytesIO, find: Callable[[int], Any]) -> None:
        super().__init__(file)
        self._find = find

    def persistent_load(self, pid: Any) -> Any:
        """See `pickle.Unpickler.persistent_load`."""
        return self._find(pid)


__all__ = ["Maker"]
