"""`Resolver`: the meaning of names, for the frontend."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping
from types import MappingProxyType
from typing import Any, Protocol

from tscript.definitions.python_functions import PythonFunctions
from tscript.definitions.table import OperatorTable
from tscript.diagnostics import Diagnostic
from tscript.frontend.source.class_table import ClassTable
from tscript.frontend.source.classes import ClassDefinition, ClassSymbol, Method, class_definition
from tscript.frontend.source.functions import PythonFunction
from tscript.frontend.source.symbols import ExceptionSymbol, Symbol
from tscript.ir.graph import Value
from tscript.late import dataclass
from tscript.types import ClassType, Type


@dataclass(frozen=True, slots=True)
class Assigned:
    """The values that a method assigns to attributes of an instance.

    Attributes:
        values: By attribute.
        problems: The errors of the method.
    """

    values: Mapping[str, Value]
    problems: list[Diagnostic]


class Resolver(Protocol):
    """How the frontend learns what names mean."""

    @property
    def table(self) -> OperatorTable:
        """The operators."""

    def symbol(self, value: object) -> Symbol:
        """The symbol of a Python object (or of a `Symbol` that text mode made)."""

    @property
    def python(self) -> PythonFunctions:
        """The functions that stay in Python."""

    def member(self, owner: Symbol, name: str) -> Symbol | None:
        """The symbol of ``owner.name`` for a module or namespace; None when `owner` is neither."""

    def names(self, owner: Symbol) -> Iterable[str]:
        """The names of a module or namespace, for suggestions."""

    def class_constant(self, definition: ClassDefinition, value: object) -> Symbol:
        """The symbol of a class attribute that is not a function."""

    @property
    def classes(self) -> ClassTable:
        """The classes."""

    def class_symbol(self, cls: type) -> Symbol:
        """The symbol of a Python class of a program, an exception class too."""

    def assigned(
        self,
        definition: ClassDefinition,
        method: Method,
        declared: Mapping[str, Type],
        given: Mapping[str, Type | None] = MappingProxyType({}),
    ) -> Assigned:
        """The values that a method assigns to attributes of an instance.

        Args:
            definition: The class, whose attributes are being found.
            method: Its ``__init__`` or ``__post_init__``.
            declared: The types declared in the body of the class.
            given: Types of open parameters, by name; None: unknown, and what depends on it is left out.
        """

    def function(self, fn: Callable[..., Any]) -> PythonFunction:
        """The function behind a function object; the same one each time."""

    @property
    def keeps_caches(self) -> bool:
        """Whether functions inside Python's caches are compiled with caches of their own: for archives."""

    def own_cache(self, function: PythonFunction, *, in_front: bool = False) -> PythonFunction:
        """A function inside one of Python's caches as a function with a cache of compiled code; the same one each time.

        Args:
            function: Its `callable` is the `functools.lru_cache`.
            in_front: Whether a miss of the new cache calls Python's cache.
        """


class ArchivedClasses:
    """The classes of this process as those of an archive join them; see `tscript.archive.classes.Classes`."""

    def __init__(self, resolver: Resolver) -> None:
        self._table = resolver.classes
        self._resolver = resolver

    def made(self, key: str) -> Type | None:
        """The existing type for a class description of an archive."""
        found = self._table.made.get(key)
        return None if found is None else found.type

    def remember(self, key: str, type: Type) -> None:
        """A type was made, and added, for a class description of an archive."""
        definition = class_definition(type)
        assert definition is not None
        self._table.made[key] = definition

    def known(self, cls: type) -> Type | None:
        """The type of a class that compiled code can use."""
        symbol = self._resolver.class_symbol(cls)
        definition = symbol.definition if isinstance(symbol, ClassSymbol) else None
        if isinstance(symbol, ExceptionSymbol) and symbol.type is not None:
            definition = class_definition(symbol.type)
        return None if definition is None or definition.problems else definition.type

    def unique_name(self, module: str, name: str, taken: Container[str] = ()) -> str:
        """A name that no other class has, and that is not `taken`."""
        return self._table.unique_name(module, name, taken)

    def add(self, type: Type, python: type | None) -> None:
        """A class was made; that of its base was added before."""
        base = type.info.base if isinstance(type, ClassType) else None
        above = None if base is None else class_definition(ClassType(base))
        name = str(type).rpartition(".")[2] if python is None else python.__name__
        self._table.add(ClassDefinition(name, type, above, python=python))
