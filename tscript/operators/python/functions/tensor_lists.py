"""Lists out of tensors and shapes, and of what tensors are made of."""

# mypy: disable-error-code="no-untyped-def,no-untyped-call,no-any-return"

from __future__ import annotations

from tscript.definitions.language import Size, Tensor, generic, torch


def checked_rank(x: Tensor, rank: int) -> Tensor:
    """A tensor of which a list of lists is made, in one dimension."""
    if x.dim() != rank:
        raise TypeError(f"tolist() of a tensor with {x.dim()} dimensions gives no list with {rank} of them")
    return x.reshape(-1)


def float_items(x: Tensor) -> list[float]:
    """``x.tolist()`` of floats."""
    if not x.is_floating_point():
        raise TypeError(f"tolist() of a tensor of {x.dtype} gives no list of floats")
    return [float(y) for y in x]


def int_items(x: Tensor) -> list[int]:
    """``x.tolist()`` of ints."""
    if x.is_floating_point() or x.is_complex() or x.dtype == torch.bool:
        raise TypeError(f"tolist() of a tensor of {x.dtype} gives no list of ints")
    return [int(y) for y in x]


def bool_items(x: Tensor) -> list[bool]:
    """``x.tolist()`` of bools."""
    if x.dtype != torch.bool:
        raise TypeError(f"tolist() of a tensor of {x.dtype} gives no list of bools")
    return [bool(y) for y in x]


def complex_items(x: Tensor) -> list[complex]:
    """``x.tolist()`` of complex numbers."""
    if not x.is_complex():
        raise TypeError(f"tolist() of a tensor of {x.dtype} gives no list of complex numbers")
    return [complex(y) for y in x]


@generic
def grouped(items, x: Tensor, dim: int):
    """What is in the dimensions up to `dim` of a tensor, as lists of what is in one more."""
    count, length = 1, x.size(dim)
    for i in range(dim):
        count *= x.size(i)
    return [items[i * length : (i + 1) * length] for i in range(count)]


def sizes_of(x: Size) -> list[int]:
    """``list(x)`` of a shape."""
    return [n for n in x]  # noqa: C416


def product_of(x: Size) -> int:
    """``x.numel()`` of a shape."""
    out = 1
    for n in x:
        out *= n
    return out


def whole_number(x: Tensor) -> int:
    """The element of a tensor of ints, where an operator takes an int."""
    if x.is_floating_point() or x.is_complex():
        raise TypeError(f"only tensors of ints with one element can be used as an int, not one of {x.dtype}")
    return int(x)


def int_argument(x: Tensor) -> int:
    """A tensor where a function takes an int."""
    if x.dim() > 0:
        raise TypeError(f"a tensor with {x.dim()} dimensions was given for an int: give one of its elements")
    return whole_number(x)


def float_argument(x: Tensor) -> float:
    """A tensor where a function takes a float."""
    if x.dim() > 0:
        raise TypeError(f"a tensor with {x.dim()} dimensions was given for a float: give one of its elements")
    return float(x)


def has_kind(items: list[int | float | bool], kind: int) -> bool:
    """Whether a float is among some numbers (`kind` 2), or an int (1)."""
    for item in items:
        if isinstance(item, float):
            if kind == 2:
                return True
        elif kind == 1 and not isinstance(item, bool):
            return True
    return False


def floats_of(items: list[int | float | bool]) -> list[float]:
    """``[float(x) for x in items]``"""
    return [float(item) for item in items]


def ints_of(items: list[int | float | bool]) -> list[int]:
    """``[int(x) for x in items]``"""
    return [int(item) for item in items]


def int_or(value: int | None, other: int) -> int:
    """`value`, or `other` where that is None."""
    return other if value is None else value


@generic
def row_length(rows, dim: int) -> int:
    """How long all rows are; `dim` is the dimension they are in a tensor, for the message."""
    length = -1
    for row in rows:
        if length < 0:
            length = len(row)
        elif len(row) != length:
            raise ValueError(f"expected sequence of length {length} at dim {dim} (got {len(row)})")
    return max(length, 0)


@generic
def joined(rows):
    """The elements of all rows."""
    return [x for row in rows for x in row]


def with_sizes(x: Tensor, sizes: list[int]) -> Tensor:
    """A tensor of nested lists from its elements: nothing is known of what is within an empty list."""
    kept: list[int] = []
    for size in sizes:
        kept.append(size)
        if size == 0:
            break
    return x.view(kept)
