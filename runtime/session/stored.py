"""Versions of functions that are stored: which one takes types, and all of them as a function of compiled code."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from operator import eq
from typing import TYPE_CHECKING

from tscript.types import TENSOR, Type, is_subtype

if TYPE_CHECKING:
    from tscript.archive import EntryPoint
    from tscript.definitions.table import OperatorTable
    from tscript.frontend import PythonFunction
    from tscript.frontend.source.stored import Stored
    from tscript.ir.graph import Program


def entry_for(
    name: str, entries: Sequence[EntryPoint], opened: Collection[int], types: Mapping[str, Type]
) -> EntryPoint:
    """The version of a function for types of arguments: the one that has these, or else the first that takes them.

    Args:
        name: Its name.
        entries: Its versions.
        opened: Positions of the parameters whose types tell them apart.
        types: Of arguments by name; those that are not named are tensors.

    Raises:
        TypeError: None takes them.
    """
    params = entries[0].params
    given = {i: types.get(params[i].name, TENSOR) for i in opened}
    for takes in (eq, is_subtype):
        for entry in entries:
            if all(takes(type, entry.params[i].type) for i, type in given.items()):
                return entry
    stored = " or ".join(f"({', '.join(str(p.type) for p in e.params)})" for e in entries)
    found, names = ", ".join(map(str, given.values())), ", ".join(params[i].name for i in opened)
    raise TypeError(f"{name}() takes {stored} in this archive, {names} cannot be {found}")


def stored_function(
    name: str, entries: Sequence[EntryPoint], program: Callable[[], Program], table: OperatorTable
) -> PythonFunction:
    """A function without source for compiled code that calls it.

    Args:
        name: Its name.
        entries: Its versions.
        program: Gives the program of the first.
        table: The operators that the others may use.
    """
    from tscript.frontend import PythonFunction
    from tscript.frontend.source.stored import Stored

    def of(entry: EntryPoint, program: Callable[[], Program], versions: tuple[Stored, ...] = ()) -> Stored:
        return Stored(entry.params, entry.result, program, entry.source, versions=versions)

    first, *others = entries
    versions = tuple(of(entry, partial(entry.program, table)) for entry in others)
    return PythonFunction.from_program(name, of(first, program, versions))
