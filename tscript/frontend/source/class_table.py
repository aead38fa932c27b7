"""`ClassTable`: the classes of a process, by name.

Types compare classes by identity, so a process has one table. Classes come and go: the table keeps neither a class nor
its definition.
"""

from __future__ import annotations

import heapq
import re
from collections.abc import Container, Iterator
from weakref import ReferenceType, WeakValueDictionary, ref

from tscript.abi.cells import parts_of
from tscript.abi.exceptions import is_exception
from tscript.frontend.source.classes import (
    DEFINITION,
    ClassDefinition,
    ClassSymbol,
    PythonClass,
    class_definition,
    declaration,
    symbol_of,
)
from tscript.frontend.source.symbols import ExceptionSymbol, Symbol
from tscript.types import ClassInfo, ClassType, EnumInfo, NamedTupleInfo, Type


class Known:
    """The symbol of a Python class. It is stored as an attribute of the class and is freed with it, because the
    definition refers to the class.

    Attributes:
        symbol: What the class means.
    """

    __slots__ = ("_cls", "symbol")

    def __init__(self, cls: type | None = None, symbol: Symbol | None = None) -> None:
        self._cls = None if cls is None else ref(cls)
        self.symbol = symbol

    def is_of(self, cls: type) -> bool:
        """Whether it belongs to this class, not to one whose attributes were copied."""
        return self._cls is not None and self._cls() is cls

    def __reduce__(self) -> tuple[object, ...]:
        return (Known, ())  # classes are pickled by value, too, with all their attributes


KNOWN = "_abc_tscript_known"
"""The attribute. `typing` does not treat names with this prefix as members of a protocol."""


class ClassTable:
    """The classes of the process."""

    def __init__(self) -> None:
        self._named: dict[str, ReferenceType[ClassDefinition]] = {}
        self._lasting: dict[type, Known] = {}
        """Symbols of classes that take no attributes. These classes are never freed."""
        self.made: WeakValueDictionary[str, ClassDefinition] = WeakValueDictionary()
        """Types of archive classes that do not exist in this process, by their description."""
        self._numbers: dict[str, int] = {}
        """The last number given to each name, so that finding a free one needs no search."""
        self._free: dict[str, list[int]] = {}
        """Numbers of classes that have been freed."""

    @property
    def by_name(self) -> dict[str, Type]:
        """The types of all classes by unique name, in the order in which they came."""
        known = self._named.copy()  # not gone through itself: each step may be where one of them goes
        return {name: found.type for name, at in known.items() if (found := at()) is not None}

    def known(self, cls: type) -> Known | None:
        """What is known about a Python class."""
        found = vars(cls).get(KNOWN) or self._lasting.get(cls)
        if not isinstance(found, Known):
            return None
        return found if found.is_of(cls) else self._known_again(cls)

    def _known_again(self, cls: type) -> Known | None:
        """What was known about a class before a pickler that carries classes by value set its attributes again."""
        definitions = [d for at in self._named.copy().values() if (d := at()) is not None and d.python is cls]
        if definitions:
            self.know(cls, symbol_of(definitions[0]))
        return vars(cls)[KNOWN] if definitions else None

    def know(self, cls: type, symbol: Symbol) -> None:
        """Record the symbol of a Python class."""
        known = Known(cls, symbol)
        try:
            type.__setattr__(cls, KNOWN, known)
        except TypeError:
            self._lasting[cls] = known

    def add(self, definition: ClassDefinition) -> None:
        """Make a definition known."""
        name = str(definition.type)

        def gone(at: ReferenceType[ClassDefinition]) -> None:
            if self._named.get(name) is at:
                del self._named[name]
                self._release(name)

        declared = declaration(definition.type)
        assert declared is not None
        declared.made[DEFINITION] = definition
        self._named[name] = ref(definition, gone)
        if definition.python is not None:
            self.know(definition.python, symbol_of(definition))
        if definition.base is not None:
            definition.base.add_derived(definition)

    def add_again(self, type: Type) -> None:
        """Register the classes of a type again, whose definitions were assumed to be freed."""
        pending, seen = [type], set[Type]()
        while pending:
            at = pending.pop()
            if at in seen:
                continue
            seen.add(at)
            pending += parts_of(at)
            if isinstance(at, ClassType) and at.info.base is not None:
                pending.append(ClassType(at.info.base))
            definition = class_definition(at)
            if definition is not None and self.by_name.get(name := str(definition.type)) != definition.type:
                if name in self._named:  # in the meantime given to another class
                    declared = declaration(at)
                    assert isinstance(declared, ClassInfo | EnumInfo | NamedTupleInfo)
                    declared.name = self.unique_name(*name.rpartition(".")[::2])
                self.add(definition)

    def stand_in(self, definition: ClassDefinition, made: PythonClass) -> None:
        """Attach a Python class to a definition that had none."""
        definition.python = definition.info.python = made
        self.know(made, symbol_of(definition))

    def exceptions(self, base: ClassInfo) -> Iterator[ClassDefinition]:
        """The exception classes that are not builtin and derive from one, itself included; the most derived ones
        first."""
        for type in reversed(self.by_name.values()):
            if isinstance(type, ClassType) and is_exception(type) and type.info.derives_from(base):
                definition = class_definition(type)
                assert definition is not None
                yield definition

    def of_class(self, cls: type) -> ClassDefinition | None:
        """The definition of a Python class that has one."""
        match self.known(cls):
            case Known(symbol=ClassSymbol(definition=definition)):
                return definition
            case Known(symbol=ExceptionSymbol(type=ClassType() as type)):
                return class_definition(type)
        return None

    def unique_name(self, module: str, name: str, taken: Container[str] = ()) -> str:
        """``module.Class``; the second one of that name, or where that is `taken`, is ``module.2.Class``. A freed name
        is used again, so that compiled code for the next class of that name may be in the cache."""
        module = re.sub(r"[^\w.]", "_", module).strip(".") or "module"
        name = re.sub(r"[^\w.]", "_", name.replace("<locals>.", "")).rpartition(".")[2]
        first = out = f"{module}.{name}"
        free = self._free.get(first, [])
        while out in self._named or out in taken:
            if free:
                n = heapq.heappop(free)
            else:
                n = self._numbers[first] = self._numbers.get(first, 1) + 1
            out = f"{module}.{n}.{name}"
        return out

    def _release(self, name: str) -> None:
        """A name becomes free."""
        module, _, plain = name.rpartition(".")
        module, _, number = module.rpartition(".")
        if not number.isdigit():
            first = name
        else:
            first = f"{module}.{plain}"
            heapq.heappush(self._free.setdefault(first, []), int(number))
        if first not in self._named and len(self._free.get(first, ())) >= self._numbers.get(first, 1) - 1:
            self._free.pop(first, None)  # all of that name are gone
            self._numbers.pop(first, None)
