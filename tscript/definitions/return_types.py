"""The classes of results that have names: ``x.max(1).values``."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Iterable, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tscript.definitions.opdef import OpDef

SPACE = "return_types"
"""The module of the classes."""


def return_type_text(op: OpDef) -> str:
    """The name of the class of an operator's results and those of its fields, with spaces between; empty if its results
    have no names.

    Example:
        >>> from tscript.operators.table import TABLE
        >>> return_type_text(TABLE["max.dim"]), return_type_text(TABLE["sum.dim"])
        ('max values indices', '')
    """
    fields = op.schema.result_names
    if not fields:
        return ""
    path = op.names.paths[0].partition(".")[2] if op.names.paths else op.schema.name
    return " ".join((path.rpartition("functional.")[2].replace(".", "_"), *fields))


@cache
def return_type(text: str) -> type[tuple[Any, ...]]:
    """The class that `return_type_text` names: of tuples whose items have names, as PyTorch's.

    Example:
        >>> found = return_type("max values indices")((1, 2))
        >>> found
        torch.return_types.max(
        values=1,
        indices=2)
        >>> found.indices, found == (1, 2)
        (2, True)
    """
    name, *fields = text.split()
    base = namedtuple(name, fields)  # type: ignore[misc]

    def new(cls: type, values: Iterable[object], _: Mapping[str, object] | None = None) -> object:
        if not isinstance(values, Iterable):
            raise TypeError("constructor requires a sequence")
        items = tuple(values)
        if len(items) != len(fields):
            expected = f"takes a {len(fields)}-sequence ({len(items)}-sequence given)"
            raise TypeError(f"torch.{SPACE}.{name}() {expected}")
        return tuple.__new__(cls, items)

    def shown(self: tuple[object, ...]) -> str:
        parts = ",\n".join(f"{field}={item!r}" for field, item in zip(fields, self, strict=True))
        return f"torch.{SPACE}.{name}(\n{parts})"

    def reduced(self: tuple[object, ...]) -> tuple[object, ...]:
        return type(self), (tuple(self),)

    own = {
        "__slots__": (),
        "__new__": new,
        "__repr__": shown,
        "__reduce__": reduced,
        "__module__": f"tscript.{SPACE}",
        "__doc__": f"What `torch.{name}` returns: {', '.join(fields)}.",
        "n_fields": len(fields),
        "n_sequence_fields": len(fields),
        "n_unnamed_fields": 0,
    }
    return type(name, (base,), own)
