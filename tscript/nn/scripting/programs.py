"""Scripted functions of programs, each of one or of several versions, and the programs of such functions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tscript.ir.cloning import clone_graph
from tscript.ir.graph import Param, Program, Value
from tscript.late import replace
from tscript.runtime.session.process import current
from tscript.runtime.session.scripted import Scripted

if TYPE_CHECKING:
    from tscript.archive import EntryPoint
    from tscript.archive.naming import Names


def programs_of(method: Scripted) -> list[tuple[Program, Sequence[int]]]:
    """Copies of the programs of the versions of a function that has no source, each with its static parameters."""
    table = current().compiler.table
    first, *others = method.entries
    found = [(method.program, first.static), *((entry.program(table), entry.static) for entry in others)]
    return [(copied(program), static) for program, static in found]


def copied(program: Program) -> Program:
    """A copy of a program, to be changed."""
    return Program(program.main, [clone_graph(graph) for graph in program.graphs.values()])


def take_also(program: Program, param: Param) -> None:
    """Let the entry of a program take something else first, which it does not use."""
    graph = program.entry
    graph.params = (replace(param, name="self"), *graph.params)
    graph.body.params.insert(0, Value(param.type, "self"))


def function_of(
    name: str, programs: Sequence[tuple[Program, Sequence[int]]], code: str, doc: str, names: Names | None = None
) -> Any:
    """A scripted function of programs, its versions, each with its static parameters.

    Args:
        name: Its name.
        programs: They.
        code: Its canonical source.
        doc: Its docstring.
        names: What an archive calls classes; None: as this process does.
    """
    from tscript.archive.format import entry_point

    entries = [entry_point(name, each, code, doc, static=tuple(static), names=names) for each, static in programs]
    return function_of_entries(name, [replace(e, known=each) for e, (each, _) in zip(entries, programs, strict=True)])


def function_of_entries(name: str, entries: Sequence[EntryPoint], **options: Any) -> Any:
    """A scripted function of entry points, its versions; see `Scripted` for the options."""
    scripts = current().scripts
    return scripts.function(Scripted(scripts, name, entry=entries[0], others=entries[1:], **options), None)
