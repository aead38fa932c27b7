"""Named tuples whose fields leave something open: each combination of types of their elements is a type of its own."""

from __future__ import annotations

from collections.abc import Callable

from tscript.frontend.source.class_table import ClassTable
from tscript.frontend.source.classes import ClassDefinition, symbol_of
from tscript.types import NamedTupleInfo, TupleType, Type, completed, is_complete
from tscript.types.opened import with_rank


def open_tuple(
    table: ClassTable,
    definition: ClassDefinition,
    info: NamedTupleInfo,
    declared: tuple[Type, ...],
    complete: Callable[[ClassDefinition], None],
) -> None:
    """Make the type of a named tuple one that stands for a type for each combination of types of elements.

    Args:
        table: Gets the definitions.
        definition: Of the named tuple.
        info: Of the named tuple.
        declared: The types that its fields declare.
        complete: Adds fields and functions to a definition.
    """
    made: dict[tuple[Type, ...], ClassDefinition] = {}
    module, _, name = info.name.rpartition(".")

    def typed(elements: tuple[Type, ...]) -> Type | None:
        found: list[Type] = []
        for wanted, given in zip(declared, elements, strict=True):
            one = completed(wanted, given)
            if one is None:
                return None
            found.append(one if is_complete(wanted, one) else with_rank(wanted, given, 1))
        key = tuple(found)
        if key not in made:
            own = NamedTupleInfo(table.unique_name(module, name), info.fields, info.defaults, info.python, typed)
            made[key] = ClassDefinition(definition.name, TupleType(key, own), python=definition.python)
            made[key].place, made[key].text = definition.place, definition.text
            complete(made[key])
            table.add(made[key])
            if definition.python is not None:
                table.know(definition.python, symbol_of(definition))
        return made[key].type

    info.typed = typed
    definition.type = TupleType(declared, info)
    complete(definition)
    table.add(definition)


__all__ = ["open_tuple"]
