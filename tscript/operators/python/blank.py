"""What instances hold before anything is set, as native memory does: zeros. A reference that may not be null is
missing."""

from __future__ import annotations

from enum import EnumMeta
from typing import cast

from tscript.abi.exceptions import FIELDS, is_exception
from tscript.types import (
    ANY,
    BOOL,
    COMPLEX,
    DTYPE,
    FLOAT,
    INT,
    NONE,
    OPTIONS,
    ClassType,
    EnumType,
    TupleType,
    Type,
    dtypes,
    members_of,
)

_ZEROS: dict[Type, object] = {INT: 0, FLOAT: 0.0, BOOL: False, COMPLEX: 0j, DTYPE: dtypes.dtype_of_code(0)}
_ZEROS.update({type: kind.members[0] for type, kind in OPTIONS.items()})


def blank(type: Type) -> object:
    """What a field of `type` holds before it is set.

    Raises:
        LookupError: Nothing that can be read.

    Example:
        >>> blank(TupleType((INT, NONE)))
        (0, None)
    """
    if type in _ZEROS:
        return _ZEROS[type]
    if type == ANY or NONE in members_of(type):
        return None
    match type:
        case TupleType():
            items = tuple(map(blank, type.elements))
            return items if type.named is None else tuple.__new__(type.named.python or tuple, items)
        case EnumType(info=info) if info.members and info.python is not None:
            return next(iter(cast("EnumMeta", info.python)))
    raise LookupError(type)


def fill(made: object, type: ClassType) -> None:
    """Give the fields of a new instance what they hold before they are set, those that say whether they are apart;
    exceptions have their own form of the first ones."""
    for name, field in type.info.fields.items():
        if not (name in type.info.late or (is_exception(type) and name in FIELDS)):
            try:
                object.__setattr__(made, name, blank(field))
            except LookupError:
                continue
