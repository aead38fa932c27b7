"""What ufuncs with ``out=``, and vectorized functions, check and compute of shapes."""

# mypy: disable-error-code="no-untyped-def,no-untyped-call,no-any-return"

from __future__ import annotations

from tscript.definitions.language import generic


@generic
def check_size(size: int, of_out: int) -> None:
    """Raise the error of a result that is not broadcast to `out`."""
    if size != of_out and size != 1:
        raise ValueError(
            f"non-broadcastable output operand: a dimension of the result has size {size}, that of 'out' {of_out}"
        )


@generic
def common_size(first: int, second: int) -> int:
    """The size of a dimension of two arrays that are broadcast."""
    if first == 1:
        return second
    if second != 1 and first != second:
        raise ValueError(f"operands could not be broadcast together: a dimension has sizes {first} and {second}")
    return first
