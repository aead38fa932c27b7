"""The metadata of functions and archives for a metadata handler. Collected only if there is a handler."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from tscript.archive import Archive, ArchiveError
from tscript.ir.graph import Op, Program, walk

if TYPE_CHECKING:
    from tscript.definitions.table import OperatorTable


def operators_of(program: Program) -> frozenset[str]:
    """Qualified names of the operators in a program, before optimisation."""
    return frozenset(n.op.name for g in program.graphs.values() for n in walk(g.body) if isinstance(n, Op))


def digest_of(operators: Iterable[str]) -> str:
    """A short digest of a set of operators: equal sets have equal digests, in any process and version.

    Example:
        >>> digest_of({"add", "mul"}) == digest_of(["mul", "add"])
        True
    """
    return hashlib.sha256("\n".join(sorted(operators)).encode()).hexdigest()[:16]


def of_program(function: Callable[..., Any], program: Program) -> Mapping[str, str]:
    """Metadata of a compiled function: its name and module, and its operators."""
    return {
        "function": getattr(function, "__qualname__", program.main),
        "module": str(getattr(function, "__module__", "")),
        **_operators(operators_of(program)),
    }


def of_archive(archive: Archive, table: OperatorTable) -> Mapping[str, str]:
    """Metadata of an archive: its functions and their operators, its producer, and its metadata as ``metadata.<name>``.

    Operators are left out if the IR is not valid; compiling it reports the error.
    """
    details = {"functions": ",".join(archive.entries), "producer": archive.producer}
    try:
        found = [operators_of(entry.program(table)) for entry in archive.entries.values()]
    except ArchiveError:
        found = []
    else:
        details |= _operators(frozenset[str]().union(*found))
    return details | {f"metadata.{name}": value for name, value in archive.metadata.items()}


def _operators(names: frozenset[str]) -> dict[str, str]:
    return {"operators": ",".join(sorted(names)), "operators_digest": digest_of(names)}
