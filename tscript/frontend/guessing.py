"""Attributes of classes whose first instance says no number of dimensions: None, or an empty list of arrays.

They are taken to have one dimension, and to be of float64 if the class does not say it. If a program has errors then,
it is lowered again with the types that it assigns, and with other numbers, as long as there is no code for the class.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, TypeVar

from tscript.diagnostics import CompileError
from tscript.frontend.language import language_program
from tscript.frontend.source.class_fields import family
from tscript.types import NEVER, ClassType, Type
from tscript.types.opened import with_rank

if TYPE_CHECKING:
    from tscript.frontend.lowering.program import LanguageProgram
    from tscript.frontend.source.classes import ClassDefinition
    from tscript.frontend.source.resolver import Resolver

R = TypeVar("R")

_MOST = 4
"""The largest number of dimensions that is tried."""
_TIMES = 16
"""How often a program is lowered again."""


def lowered(resolver: Resolver, lower: Callable[[LanguageProgram], R]) -> R:
    """What `lower` makes of a program, with guessed types of attributes with which it has no errors.

    Raises:
        CompileError: It has some with each; those with the first types.
    """
    builder = language_program(resolver)
    try:
        found = lower(builder)
    except CompileError:
        if not (guessed := _guessed(builder)):
            raise
        before = {key: key[0].info.fields[key[1]] for key in guessed}
        others = _others(guessed)
        for _ in range(_TIMES):
            assigned = {key: type for key, type in builder.assigned.items() if key in guessed}
            if all(key[0].info.fields[key[1]] == type for key, type in assigned.items()):
                assigned = next(others, {})
            if not assigned:
                _take(before)
                raise
            _take(assigned)
            builder = language_program(resolver)
            try:
                found = lower(builder)
            except CompileError:
                continue
            break
        else:
            _take(before)
            raise
    for definition in builder.touched:
        if isinstance(definition.type, ClassType):
            definition.info.is_fixed = True
    return found


_Key = tuple["ClassDefinition", str]


def _guessed(builder: LanguageProgram) -> dict[_Key, Type]:
    """The declared types of attributes that may be others than they were taken for."""
    classes = [d for d in builder.touched if isinstance(d.type, ClassType)]
    return {
        (definition, name): declared
        for definition in sorted(classes, key=lambda d: d.info.name)
        for name, declared in definition.info.guessed.items()
        if not any(each.info.is_fixed for each in family(definition, name))
    }


def _others(guessed: Mapping[_Key, Type]) -> Iterator[dict[_Key, Type]]:
    """Other types of attributes: first with the same number of dimensions in all of them."""
    same = [(rank,) * len(guessed) for rank in range(2, _MOST + 1)]
    mixed = (ranks for ranks in itertools.product((1, 2), repeat=len(guessed)) if len(set(ranks)) > 1)
    for ranks in itertools.chain(same, mixed):
        pairs = zip(guessed.items(), ranks, strict=True)
        yield {key: with_rank(declared, NEVER, rank) for (key, declared), rank in pairs}


def _take(types: Mapping[_Key, Type]) -> None:
    for (definition, name), type in types.items():
        for each in family(definition, name):
            each.info.fields[name] = type


__all__ = ["lowered"]
