"""Lists that arrays are split into."""

# mypy: disable-error-code="no-untyped-def,no-untyped-call,no-any-return"

from __future__ import annotations

from tscript.definitions.language import generic


@generic
def split(x, count):
    """``np.split(x, count)``"""
    if count <= 0:
        raise ValueError("number sections must be larger than 0.")
    if len(x) % count:
        raise ValueError("array split does not result in an equal division")
    size = len(x) // count
    return [x[i * size : (i + 1) * size] for i in range(count)]


@generic
def array_split(x, count):
    """``np.array_split(x, count)``"""
    if count <= 0:
        raise ValueError("number sections must be larger than 0.")
    size, more = len(x) // count, len(x) % count
    return [x[i * size + min(i, more) : (i + 1) * size + min(i + 1, more)] for i in range(count)]
