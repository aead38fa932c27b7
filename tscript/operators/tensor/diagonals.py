"""Diagonals taken out of tensors and put into them. All are composites."""

# mypy: disable-error-code="no-any-return,no-untyped-def,operator"

from __future__ import annotations

from tscript.definitions.define import composite
from tscript.definitions.language import Tensor, generic, torch
from tscript.definitions.opdef import SEVERAL, OpDef


def diag(self: Tensor, diagonal: int) -> Tensor:
    """A diagonal of a matrix, in a new tensor; or a matrix with a vector as its diagonal.

    Args:
        input: A matrix or a vector, of any dtype.
        diagonal: Which one: further right if positive.

    Raises:
        RuntimeError: There are no or more dimensions.
        IndexError: The matrix has no such diagonal.

    Example:
        >>> tscript.diag(tscript.tensor([1, 2])).tolist(), tscript.diag(tscript.tensor([[1, 2], [3, 4]])).tolist()
        ([[1, 0], [0, 2]], [1, 4])
    """
    if self.dim() == 2:
        return self.diagonal(diagonal).clone()
    if self.dim() != 1:
        raise RuntimeError(f"diag(): Supports 1D or 2D tensors. Got {self.dim()}D")
    n = self.size(0) + abs(diagonal)
    out = self.new_zeros((n, n))
    out.diagonal(diagonal).copy_(self)
    return out


def diagflat(self: Tensor, offset: int) -> Tensor:
    """A matrix with all elements in a row as its diagonal, `offset` further right."""
    return torch.diag(self.reshape(-1), offset)


def diag_embed(self: Tensor, offset: int, dim1: int, dim2: int) -> Tensor:
    """Matrices with the last dimension as their diagonal, and zeros besides.

    Args:
        input: Any tensor with dimensions.
        offset: How far right of the main diagonal.
        dim1, dim2: The dimensions of the matrices in the result.

    Raises:
        IndexError: A dimension is out of range.
        RuntimeError: They are the same.

    Example:
        >>> tscript.diag_embed(tscript.tensor([[1, 2], [3, 4]])).tolist()
        [[[1, 0], [0, 2]], [[3, 0], [0, 4]]]
    """
    rank = self.dim() + 1
    if dim1 < -rank or dim1 >= rank or dim2 < -rank or dim2 >= rank or rank < 2:
        wrong = dim2 if dim1 >= -rank and dim1 < rank else dim1
        raise IndexError(f"Dimension out of range (expected to be in range of [{-rank}, {rank - 1}], but got {wrong})")
    first, second = dim1 % rank, dim2 % rank
    if first == second:
        raise RuntimeError(f"diagonal dimensions cannot be identical {dim1}, {dim2}")
    n = self.size(-1) + abs(offset)
    out = self.new_zeros([n, n, *self.size()[:-1]])
    out.diagonal(offset, 0, 1).copy_(self)
    return out.movedim((0, 1), (first, second))


def block_rows(part: Tensor) -> int:
    """How many rows a part has as a matrix."""
    return part.size(0) if part.dim() == 2 else 1


def block_columns(part: Tensor) -> int:
    """How many columns it has."""
    return part.size(-1) if part.dim() > 0 else 1


@generic
def blocks(parts) -> Tensor:
    """Matrices along the diagonal of one."""
    rows, columns, i = 0, 0, 0
    dtype = parts[0].dtype
    for part in parts:
        if part.dim() > 2:
            raise RuntimeError(
                "torch.block_diag: Input tensors must have 2 or fewer dimensions. "
                f"Input {i} has {part.dim()} dimensions"
            )
        rows += block_rows(part)
        columns += block_columns(part)
        dtype = torch.promote_types(dtype, part.dtype)
        i += 1  # noqa: SIM113 - enumerate() would make a list of tensors of several types
    out = torch.zeros((rows, columns), dtype=dtype)
    row, column = 0, 0
    for part in parts:
        out.narrow(0, row, block_rows(part)).narrow(1, column, block_columns(part)).copy_(part)
        row += block_rows(part)
        column += block_columns(part)
    return out


def block_diag(tensors: tuple[Tensor, ...]) -> Tensor:
    """A matrix with matrices along its diagonal, and zeros besides.

    Args:
        tensors: Matrices, one by one; a vector is a row. Their dtypes are promoted.

    Raises:
        RuntimeError: One has more dimensions.

    Example:
        >>> tscript.block_diag(tscript.tensor([[1, 2]]), tscript.tensor(3)).tolist()
        [[1, 2, 0], [0, 0, 3]]
    """
    if len(tensors) == 0:
        return torch.zeros(1, 0)
    return blocks(tensors)


def block_diag_of_list(tensors: list[Tensor]) -> Tensor:
    if len(tensors) == 0:
        return torch.zeros(1, 0)
    return blocks(tensors)


OPERATORS: tuple[OpDef, ...] = (
    composite("diag(Tensor self, int diagonal=0) -> Tensor", diag),
    composite("diagflat(Tensor self, int offset=0) -> Tensor", diagflat, names="diagflat out=no"),
    composite(
        "diag_embed(Tensor self, int offset=0, int dim1=-2, int dim2=-1) -> Tensor",
        diag_embed,
        names="diag_embed out=no",
    ),
    composite("block_diag(Tensor[] tensors) -> Tensor", block_diag, names="torch.block_diag out=no", tags=(SEVERAL,)),
    composite(
        "block_diag.list(list tensors) -> Tensor",
        block_diag_of_list,
        "A matrix with the matrices of a list along its diagonal.",
        names="torch.block_diag out=no",
    ),
)
"""All operators of this module."""
