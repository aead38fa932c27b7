"""`Collector`: from a function or class to the nodes of its payload.

A function or class goes **by reference** if its module and qualified name lead to this very object, and the module is
not ``__main__``: another process imports it. Any other goes **by value**, as a node.
"""

from __future__ import annotations

import dataclasses
import importlib
import io
import pickle
import sys
import types
import typing
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from tscript.definitions.shared import LRU_CACHE
from tscript.frontend.source.functions import PythonFunction
from tscript.room import with_room
from tscript.runtime.session.process import current
from tscript.runtime.session.scripted import Scripted, is_scripted, scripted_of
from tscript.travel import classes, functions
from tscript.travel.archives import archived_as, restored_class
from tscript.travel.errors import FunctionPicklingError, FunctionUnpicklingError
from tscript.travel.nodes import Node, key_of
from tscript.types import OPTIONS, DType

MAIN = frozenset({"__main__", "__mp_main__"})
"""Names of the module that a process began with."""

CLOUDPICKLES = ("cloudpickle.cloudpickle", "joblib.externals.cloudpickle.cloudpickle", "ray.cloudpickle.cloudpickle")
"""Picklers that carry classes by value too, under names of their own."""

_HEAP = 1 << 9
"""Flag of types that were made while the program ran."""

_PLAIN: tuple[Any, ...] = (
    *(int, float, complex, str, bytes, bool, type(None), tuple, frozenset, range, DType, *OPTIONS.values()),
    *(types.ModuleType, types.FunctionType, types.BuiltinFunctionType, type, typing.TypeVar, LRU_CACHE),
)
"""Classes of what does not change."""


def is_by_reference(value: Any) -> bool:
    """Whether another process finds a function, class or type variable by importing its module."""
    module = getattr(value, "__module__", None) or ""
    name = str(getattr(value, "__qualname__", None) or getattr(value, "__name__", ""))
    return module not in MAIN and named(module, name) is value and not _is_by_value(module)


def named(module: str, qualname: str) -> Any:
    """What a module of this process has under a qualified name; None if it has nothing."""
    found: Any = sys.modules.get(module)
    for part in qualname.split("."):
        found = vars(found).get(part) if isinstance(found, type) else getattr(found, part, None)
    return found


def _is_by_value(module: str) -> bool:
    """Whether the program asked cloudpickle to carry a module by value."""
    cloudpickle = sys.modules.get("cloudpickle")
    asked: Callable[[], Sequence[str]] | None = getattr(cloudpickle, "list_registry_pickle_by_value", None)
    known = () if asked is None else asked()
    return any(module == name or module.startswith(f"{name}.") for name in known)


def operator_named(name: str) -> Any:
    """An operator in the process that reads a pickle; one that a program defines has a namespace.

    Raises:
        FunctionUnpicklingError: This process does not define it.
    """
    namespace, colons, plain = name.partition("::")
    if not colons:
        return current().eager.of(name)
    try:
        return getattr(current().operators.find(namespace), plain)
    except AttributeError as error:
        raise FunctionUnpicklingError(f"it needs the operator {name}: {error}") from error


class Collector:
    """Takes functions and classes apart.

    Attributes:
        nodes: What was found; the first is what was asked for.
        objects: The objects of the nodes.
    """

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self.objects: list[object] = []
        self._numbers: dict[int, int] = {}

    def add(self, value: Any) -> int:
        """The number of the node of something.

        Raises:
            FunctionPicklingError: It cannot be taken apart.
        """
        found = self._numbers.get(id(value))
        if found is None:
            found = self._numbers[id(value)] = len(self.nodes)
            self.objects.append(value)
            self.nodes.append(Node("", "", "", b"", b""))
            self.nodes[found] = with_room(self._taken_apart, value)
        return found

    def keys(self) -> list[str]:
        """The keys of all nodes."""
        digests = [node.digest for node in self.nodes]
        return [key_of(self.nodes, digests, i) for i in range(len(self.nodes))]

    def _taken_apart(self, value: Any) -> Node:
        if is_scripted(value):
            return self._scripted(value, scripted_of(value))
        if isinstance(value, types.FunctionType):
            return self._function(value, functions.python_function(value))
        if isinstance(value, LRU_CACHE):
            return self._cache(value)
        if isinstance(value, type):
            return self._class(value)
        if isinstance(value, typing.TypeVar):
            return self._type_variable(value)
        return self._value(value)

    def _scripted(self, value: Any, scripted: Scripted) -> Node:
        source = scripted.source
        if source is None:
            raise FunctionPicklingError(f"'{scripted.name}' of an archive has no source")
        pickler = _Pickler(self, source.qualname)
        cache = None if source.cache is None else (source.cache.maxsize, source.cache.typed)
        if source.elements is not None:
            head = pickler.dumps((self._of(source.elements.written), source.elements.signatures, source.fastmath))
            return pickler.node("vectorized", value.__module__, value.__qualname__, head, pickler.dumps({}))
        head = pickler.dumps((self._of(source), cache, scripted.optimize, source.is_parallel, source.fastmath))
        names = {n: v for n, v in vars(value).items() if n not in _OF_SCRIPTED}
        return pickler.node("scripted", value.__module__, value.__qualname__, head, pickler.dumps(names))

    def _of(self, function: PythonFunction) -> _Number:
        """The node of the Python function of a scripted one, with the names as they were when that was made."""
        value: Any = function.callable
        found = self._numbers.get(id(value))
        if found is None:
            found = self._numbers[id(value)] = len(self.nodes)
            self.objects.append(value)
            self.nodes.append(Node("", "", "", b"", b""))
            self.nodes[found] = self._function(value, function)
        return _Number(found)

    def _function(self, value: Any, function: PythonFunction) -> Node:
        function = function.written
        source = functions.Source.of(function)
        pickler = _Pickler(self, value.__qualname__)
        used, free = functions.looked_up(function)
        late = {f"{n}": v for n, v in used.items() if _is_late(v)}
        late_free = {f"={n}": v for n, v in free.items() if _is_late(v)}
        names = pickler.shared({n: v for n, v in used.items() if n not in late})
        cells = pickler.shared({n: v for n, v in free.items() if f"={n}" not in late_free})
        about = {
            "name": value.__name__,
            "defaults": value.__defaults__,
            "kwdefaults": value.__kwdefaults__,
            "annotations": dict(value.__annotations__),
            "doc": value.__doc__,
            "attributes": dict(functions.attributes_of(value)),
        }
        body = pickler.dumps((names, cells, about))
        pickler.late = [(n, self.add(v)) for n, v in {**late, **late_free}.items()]
        head = pickle.dumps(dataclasses.astuple(source), 5)
        return pickler.node("function", value.__module__ or "", value.__qualname__, head, body)

    def _cache(self, value: Any) -> Node:
        pickler = _Pickler(self, value.__qualname__)
        head = pickler.dumps((value.__wrapped__, value.cache_parameters()))
        return pickler.node("cache", value.__module__, value.__qualname__, head, b"")

    def _class(self, value: type) -> Node:
        pickler = _Pickler(self, value.__qualname__)
        head, body = classes.taken_apart(value)
        body["names"] = pickler.shared(classes.names_of(value))
        late = {n: v for n, v in body["attributes"].items() if _is_late(v)}
        body["attributes"] = pickler.shared({n: v for n, v in body["attributes"].items() if n not in late})
        made, filled = pickler.dumps(head), pickler.dumps(body)
        pickler.late = [(n, self.add(v)) for n, v in late.items()]
        labels = [(name, label(value)) for name, label in _labels()]
        return pickler.node(classes.kind_of(value), value.__module__, value.__qualname__, made, filled, labels)

    def _type_variable(self, value: typing.TypeVar) -> Node:
        pickler = _Pickler(self, value.__name__)
        options = {"bound": value.__bound__, "covariant": value.__covariant__, "contravariant": value.__contravariant__}
        head = pickler.dumps((value.__constraints__, options))
        return pickler.node("type variable", value.__module__, value.__name__, head, b"")

    def _value(self, value: object) -> Node:
        pickler = _Pickler(self, "", value)
        return pickler.node("value", "", "", pickler.dumps(value), b"")


_OF_SCRIPTED = frozenset(
    {
        *("__qualname__", "__name__", "__doc__", "__module__", *functions.OWN),
        *("cache_info", "cache_clear", "cache_parameters"),
    }
)
"""Attributes that every scripted function gets when it is made."""


@dataclasses.dataclass(frozen=True, slots=True)
class _Number:
    """Stands for a node that is there."""

    number: int


def _is_late(value: object) -> bool:
    """Whether something is put in when all else is there: a scripted function, which may call those that call it."""
    return is_scripted(value) and scripted_of(value).source is not None and not is_by_reference(value)


class _Pickler(pickle.Pickler):
    """Pickles the parts of one node.

    Args:
        collector: Takes the functions and classes in them.
        name: Of the node, for errors.
        whole: The object itself, if the node is one.
    """

    def __init__(self, collector: Collector, name: str, whole: object = None) -> None:
        self._buffer = io.BytesIO()
        super().__init__(self._buffer, 5)
        self.fast = whole is None  # equal parts give equal bytes, whichever objects they share
        self._collector = collector
        self._name = name
        self._whole = whole
        self._refs: dict[int, int] = {}
        self.late: list[tuple[str, int]] = []

    def dumps(self, value: object) -> bytes:
        """The pickled form of a part."""
        self._buffer.seek(0)
        self._buffer.truncate()
        self.clear_memo()
        self.dump(value)
        return self._buffer.getvalue()

    def shared(self, values: Mapping[str, object]) -> dict[str, object]:
        """Values by name, those that can change as nodes of their own."""
        return {n: v if isinstance(v, _PLAIN) or is_scripted(v) else _Shared(f"'{n}'", v) for n, v in values.items()}

    def node(
        self,
        kind: str,
        module: str | None,
        qualname: str,
        head: bytes,
        body: bytes,
        labels: Sequence[tuple[str, str]] = (),
    ) -> Node:
        """The node of the parts that were pickled."""
        known = "__main__" if module in MAIN else module or ""
        return Node(kind, known, qualname, head, body, tuple(self._refs), tuple(self.late), tuple(labels))

    def persistent_id(self, obj: Any) -> int | None:
        """See `pickle.Pickler.persistent_id`."""
        if isinstance(obj, _Number):
            return self._ref(obj.number)
        if isinstance(obj, _Shared):
            try:
                return self._ref(self._collector.add(obj.value))
            except FunctionPicklingError:
                raise
            except Exception as error:  # whatever the object raises, its user learns which it is
                what = f"'{self._name}' cannot be pickled, for {obj.name} is {_described(obj.value)}"
                raise FunctionPicklingError(f"{what}: {error}") from error
        if obj is not self._whole and self._is_node(obj):
            return self._ref(self._collector.add(obj))
        return None

    def _is_node(self, obj: Any) -> bool:
        if isinstance(obj, types.FunctionType | LRU_CACHE | typing.TypeVar):
            return not is_by_reference(obj)
        if isinstance(obj, type):
            return bool(obj.__flags__ & _HEAP) and not is_by_reference(obj) and archived_as(obj) is None
        return isinstance(obj, np.ndarray) or _is_late(obj)

    def _ref(self, number: int) -> int:
        return self._refs.setdefault(number, len(self._refs))

    def reducer_override(self, obj: Any) -> Any:
        """See `pickle.Pickler.reducer_override`."""
        match obj:
            case types.ModuleType():
                if obj.__name__ in MAIN:
                    raise pickle.PicklingError("the module '__main__' is another one in another process")
                return importlib.import_module, (obj.__name__,)
            case property() if type(obj) is property:
                return property, (obj.fget, obj.fset, obj.fdel, obj.__doc__)
            case staticmethod() | classmethod():
                return type(obj), (obj.__func__,)
            case types.MappingProxyType():
                return types.MappingProxyType, (dict(obj),)
            case typing.ForwardRef():
                return typing.ForwardRef, (obj.__forward_arg__,)
        if obj is dataclasses.MISSING:
            return "MISSING"
        if isinstance(obj, type) and (archived := archived_as(obj)) is not None:
            return restored_class, archived
        operator = getattr(obj, "__tscript_operator__", None)
        if isinstance(operator, str):
            return operator_named, (operator,)
        return NotImplemented


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class _Shared:
    """A value that may change: a node, so that all functions that name it have the same one.

    Attributes:
        name: For errors.
        value: The value.
    """

    name: str
    value: object


def _described(value: object) -> str:
    kind = type(value).__name__
    return f"an {kind}" if kind[0] in "aeiouAEIOU" else f"a {kind}"


def _labels() -> list[tuple[str, Callable[[type], str]]]:
    """What gives the names of classes in other picklers."""
    found = [(name, getattr(sys.modules.get(name), "_get_or_create_tracker_id", None)) for name in CLOUDPICKLES]
    return [(name, label) for name, label in found if label is not None]


__all__ = ["CLOUDPICKLES", "MAIN", "Collector", "is_by_reference", "named", "operator_named"]
