"""`Versions`: a scripted function whose parameters take types from the call, once for each combination of types."""

from __future__ import annotations

import linecache
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from tscript.definitions.absent import REQUIRED
from tscript.diagnostics import CompileError, SourceFile, Span
from tscript.late import dataclass
from tscript.runtime.values.argument_types import ArgumentTypes
from tscript.runtime.values.tracebacks import LIBRARY, is_own, raises_user_errors
from tscript.types import NONE, TENSOR, CallableType, OptionalType, Type, completed, leaves_open
from tscript.types.inference import weaken
from tscript.types.opened import has_unknown, with_rank

if TYPE_CHECKING:
    from tscript.ir.graph import Param
    from tscript.runtime.session.linker import Linker

V = TypeVar("V")

_MOST = 4
"""The largest number of dimensions that is tried where nothing says it."""


@dataclass(frozen=True, slots=True)
class Version:
    """Which version of a function this is.

    Attributes:
        types: The types of its open parameters, by name.
        call: The call that it is made for, if Python makes one.
        static: Positions of other parameters whose values calls can be told apart by.
        opened: Positions of the open parameters.
        params: All parameters, as the function has them.
    """

    types: Mapping[str, Type]
    call: Span | None
    static: frozenset[int]
    opened: frozenset[int]
    params: tuple[Param, ...]


class Versions(Generic[V]):
    """The versions of a function that were asked for, by the types of its open parameters.

    Args:
        name: The function.
        params: Its parameters; those that are open leave something to calls.
        usual: Types of the open parameters where no call says more; None where it has to.
        linker: Has what says the types of values.
        make: Makes the version for types of open parameters by name, for a call.
        function_type: Returns the type of a function, or None.

    Attributes:
        opened: The types of the open parameters, by position.
        usual_types: As `usual`, for each of them.
    """

    def __init__(
        self,
        name: str,
        params: Sequence[Param],
        usual: Sequence[Type | None],
        linker: Linker,
        make: Callable[[Mapping[str, Type], Span | None], V],
        function_type: Callable[[Any], CallableType | None],
    ) -> None:
        self.name = name
        self.params = tuple(params)
        self._make = make
        self._made: dict[tuple[Type, ...], V] = {}
        self.usual_types = tuple(usual)
        self.opened = {i: p.type for i, p in enumerate(self.params) if leaves_open(p.type)}
        self._types = ArgumentTypes(
            linker.native.Tensor, linker.conversion.class_type, function_type, linker.compiler.settle_class
        )
        self._defaults = {i for i, p in enumerate(self.params) if p.default is not REQUIRED}

    def __iter__(self) -> Iterator[V]:
        return iter(self._made.values())

    @property
    def usual(self) -> dict[str, Type]:
        """The types of open parameters where no call says more, by name."""
        return self._named([t for t in self.usual_types if t is not None]) if None not in self.usual_types else {}

    def types_of(self, values: Sequence[object]) -> tuple[Type, ...]:
        """The types of open parameters for the values of all parameters.

        Raises:
            TypeError: One is not what its parameter takes.
        """
        return tuple(self._type_of(i, values[i]) for i in self.opened)

    @raises_user_errors
    def _type_of(self, position: int, value: object) -> Type:
        declared = self.opened[position]
        what = f"{self.name}() argument '{self.params[position].name}'"
        try:
            found = self._types.of(value)
        except TypeError as error:
            raise TypeError(f"{what} has no type of the language, a {type(value).__name__}: {error}") from None
        except RecursionError:
            raise TypeError(f"{what} has no type of the language: it is nested too deeply") from None
        taken = completed(declared, found, narrow=True)
        if taken is None:
            raise TypeError(f"{what} must be a {declared}, not {found}")
        return taken

    def of_all(self, types: Sequence[Type]) -> V:
        """The version for types of all parameters; that of an open one stands for where no call says more.

        Raises:
            CompileError: The function does not take these types.
            TypeError: A parameter that is declared as a list, a dict … is given another type.
        """
        found: list[Type] = []
        for (i, declared), usual in zip(self.opened.items(), self.usual_types, strict=True):
            given = usual if leaves_open(types[i]) else types[i]
            if given is None:
                what = f"{self.name}() argument '{self.params[i].name}', a {declared}"
                raise TypeError(f"{what}, takes its type from the call: say one, with signatures= or --signature")
            taken = completed(declared, given, narrow=True)
            if taken is None:
                raise TypeError(f"{self.name}() argument '{self.params[i].name}' must be a {declared}, not {types[i]}")
            found.append(taken)
        return self.version(found)

    def declared(self, overloads: Sequence[Mapping[str, Type]]) -> list[list[Type]]:
        """The types of all parameters in its versions where nothing says which: those of overloads; without any, a
        parameter that is None by default is a tensor or None.

        Args:
            overloads: The types that each declares for open parameters, by name.
        """
        usual = {self.params[i].name: t for i, t in zip(self.opened, self.usual_types, strict=True)}
        if not overloads and NONE in usual.values():
            overloads = [{n: OptionalType(TENSOR) if t == NONE else t for n, t in usual.items() if t is not None}]
        return [[types.get(p.name, p.type) for p in self.params] for types in overloads]

    def depends_on_values(self, types: Sequence[Type]) -> bool:
        """Whether calls with values of these types cannot be told from others by the classes of the values."""
        return any(map(self._types.depends_on_value, types))

    def version(self, types: Sequence[Type], *, called: bool = False) -> V:
        """The version for types of the open parameters, in order.

        Args:
            types: The types.
            called: Whether Python calls the function now.

        Raises:
            CompileError: The function does not take these types.
        """
        key = tuple(map(weaken, types))
        found = self._made.get(key)
        if found is None:
            found = self._made[key] = self._new(key, call_site() if called else None)
        return found

    def _new(self, types: tuple[Type, ...], call: Span | None) -> V:
        """A version. Where empty containers of arrays do not say of how many dimensions, and the function does not
        either, it is the smallest number that the function takes."""
        try:
            return self._make(self._named(types), call)
        except CompileError:
            for rank in range(1, _MOST + 1) if any(map(has_unknown, types)) else ():
                pairs = zip(self.opened.values(), types, strict=True)
                guessed = tuple(with_rank(declared, type, rank) for declared, type in pairs)
                if guessed == types:
                    break
                try:
                    return self._make(self._named(guessed), call)
                except CompileError:
                    continue
            raise

    def _named(self, types: Sequence[Type]) -> dict[str, Type]:
        """Types by name. Those of tensors are left out where they go without saying, so that calls inside of the
        function find it."""
        pairs = zip(self.opened, types, strict=True)
        return {self.params[i].name: type for i, type in pairs if type != TENSOR or i in self._defaults}


def call_site() -> Span | None:
    """The line of the program that calls a scripted function; None if Python does not know it."""
    frame = sys._getframe(1)
    while is_own(frame.f_code.co_filename) or frame.f_code.co_filename.startswith(LIBRARY):
        if frame.f_back is None:
            return None
        frame = frame.f_back
    code = frame.f_code
    file, line = code.co_filename, frame.f_lineno
    lines = linecache.getlines(file, frame.f_globals)
    text = lines[line - 1].rstrip() if 0 < line <= len(lines) else ""
    indent = len(text) - len(text.lstrip())
    return Span(SourceFile(file, "".join(lines)), line, indent, line, len(text), code.co_name)


__all__ = ["Version", "Versions", "call_site"]
