"""Argument types for compiling a scripted function ahead of time, as users name them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import islice, product

from tscript.definitions.absent import MISSING, REQUIRED
from tscript.ir.graph import Param
from tscript.runtime.values.arguments import describe
from tscript.types import BOOL, DTYPE, FLOAT, INT, NONE, TensorType, TupleType, Type, is_subtype, parse_type

Given = Sequence[object]
"""What to compile a function for: for each parameter a type, or a value where code depends on the value."""

Signatures = Sequence[tuple[str | None, Given]]
"""What to compile for, each with the function it is for; None: any that it fits."""

Wanted = tuple[tuple[Type, ...], tuple[tuple[int, object], ...]]
"""What code is made for: the types of all arguments, and the values that it depends on, by position."""

MOST = 16
"""Code that is made for one signature because of parameters that are True or False."""


class SignatureError(TypeError):
    """Argument types for compiling ahead of time do not fit the function."""


def with_types(signatures: Iterable[tuple[str | None, Given]], classes: Mapping[str, Type]) -> Signatures:
    """Signatures whose strings that name types are these.

    Args:
        signatures: As users give them.
        classes: Classes by name.
    """

    def read(item: object) -> object:
        try:
            return parse_type(item, classes) if isinstance(item, str) else item
        except ValueError:
            return item

    return [(who, tuple(map(read, given))) for who, given in signatures]


def complete_signature(name: str, params: Sequence[Param], types: Sequence[Type]) -> tuple[Type, ...]:
    """One type for each of `params`: `types`, and the declared types of further ones that have defaults.

    Raises:
        SignatureError: There are too many or too few, or one does not fit.
    """
    given = _completed(name, params, types)
    return tuple(_fitting(name, p, t if isinstance(t, Type) else p.type) for p, t in zip(params, given, strict=True))


def specialisations(name: str, params: Sequence[Param], static: Collection[int], given: Given) -> list[Wanted]:
    """What a signature means: code for each value of a parameter that is True or False, where code depends on it.

    Args:
        name: The function.
        params: Its parameters.
        static: Positions of those whose values decide about types.
        given: Types and values; at the end they may be left out where parameters have defaults.

    Raises:
        SignatureError: There are too many or too few, one does not fit, or a value is missing.
    """
    choices: list[list[tuple[Type, object]]] = []
    for i, (param, item) in enumerate(zip(params, _completed(name, params, given, static), strict=True)):
        if i in static and item == BOOL:
            choices.append([(BOOL, False), (BOOL, True)])
        elif not isinstance(item, Type):
            value = float(item) if param.type == FLOAT and isinstance(item, int) else item
            type = _type_of(name, param, value)
            choices.append([(type, value if i in static or is_open(type) else MISSING)])
        elif i in static:
            raise SignatureError(f"the value of '{param.name}' of {name} decides about types: give it, not {item}")
        else:
            choices.append([(_fitting(name, param, item), MISSING)])
    found = list(islice(product(*choices), MOST + 1))
    if len(found) > MOST:
        raise SignatureError(f"the signature of {name} leaves more than {MOST} combinations of values open")
    return [
        (tuple(type for type, _ in row), tuple((i, value) for i, (_, value) in enumerate(row) if value is not MISSING))
        for row in found
    ]


def _completed(
    name: str, params: Sequence[Param], given: Sequence[object], static: Collection[int] = ()
) -> list[object]:
    """One item for each parameter: of those that were left out the default, where code depends on its value, or else
    the declared type."""
    if len(given) > len(params):
        raise SignatureError(f"{name} has {len(params)} parameters, the signature names {len(given)} types")
    found = list(given)
    for i, param in enumerate(params[len(given) :], len(given)):
        if param.default is REQUIRED:
            raise SignatureError(f"the signature of {name} lacks the type of parameter '{param.name}'")
        is_value = (i in static and param.type != BOOL) or param.type in (DTYPE, NONE)
        found.append(param.default if is_value else param.type)
    return found


def _type_of(name: str, param: Param, value: object) -> Type:
    """The type of a value for a parameter."""
    try:
        found = describe(value, Unknown).type
    except TypeError:
        raise SignatureError(f"parameter '{param.name}' of {name} cannot be {value!r}") from None
    if not is_subtype(found, param.type):
        raise SignatureError(f"parameter '{param.name}' of {name} is {param.type}, the signature says {value!r}")
    return found


class Unknown:
    """What no value is."""


def _fitting(name: str, param: Param, given: Type) -> Type:
    """The type of arguments that are given as another."""
    if param.type == FLOAT and given in (INT, BOOL):
        given = FLOAT
    if not is_subtype(given, param.type):
        raise SignatureError(f"parameter '{param.name}' of {name} is {param.type}, the signature says {given}")
    if is_open(given):
        raise SignatureError(
            f"parameter '{param.name}' of {name} is given as {given}, which leaves open what to compile for; "
            "for a tensor write Tensor[dtype, rank]"
        )
    return given


def fits(params: Sequence[Param], static: Collection[int], given: Given) -> bool:
    """Whether a signature can be one of these parameters."""
    try:
        specialisations("", params, static, given)
    except SignatureError:
        return False
    return True


def is_open(type: Type) -> bool:
    """Whether code for a parameter of this type depends on more than the type: on dtype and rank, or on a value."""
    match type:
        case TensorType():
            return not type.is_known
        case TupleType():
            return any(map(is_open, type.elements))
    return type in (DTYPE, NONE)
