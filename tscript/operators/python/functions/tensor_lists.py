"""Lists out of tensors and shapes, and of what tensors are made of."""

from __future__ import annotations

from tscript.definitions.language import Size, Tensor, generic


def _check_rank(x: Tensor, rank: int) -> None:
    if x.dim() != rank:
        raise TypeError(f"tolist() of a tensor with {x.dim()} dimensions gives no list with {rank} of them")


def float_items(x: Tensor) -> list[float]:
    """``x.tolist()`` of floats."""
    _check_rank(x, 1)
    if not x.is_floating_point():
        raise TypeError("tolist() of a tensor of ints gives no list of floats")
    return [float(y) for y in x]


def int_items(x: Tensor) -> list[int]:
    """``x.tolist()`` of ints."""
    _check_rank(x, 1)
    if x.is_floating_point():
        raise TypeError("tolist() of a tensor of floats gives no list of ints")
    return [int(y) for y in x]


def float_rows(x: Tensor) -> list[list[float]]:
    """``x.tolist()`` of two dimensions of floats."""
    _check_rank(x, 2)
    return [float_items(y) for y in x]


def int_rows(x: Tensor) -> list[list[int]]:
    """``x.tolist()`` of two dimensions of ints."""
    _check_rank(x, 2)
    return [int_items(y) for y in x]


def float_blocks(x: Tensor) -> list[list[list[float]]]:
    """``x.tolist()`` of three dimensions of floats."""
    _check_rank(x, 3)
    return [float_rows(y) for y in x]


def int_blocks(x: Tensor) -> list[list[list[int]]]:
    """``x.tolist()`` of three dimensions of ints."""
    _check_rank(x, 3)
    return [int_rows(y) for y in x]


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
