"""Copies of views: what the view of the same name gives, in memory of its own."""

# mypy: disable-error-code="no-any-return,no-untyped-def"

from __future__ import annotations

from tscript.definitions.define import composite
from tscript.definitions.language import Size, Tensor, generic, torch
from tscript.definitions.opdef import OpDef


@generic
def each_copied(pieces) -> tuple[Tensor, ...]:
    """A copy of each of several tensors."""
    return tuple([piece.clone() for piece in pieces])


def alias_copy(self: Tensor) -> Tensor:
    return self.clone()


def as_strided_copy(self: Tensor, size: Size, stride: Size, storage_offset: int | None) -> Tensor:
    return self.as_strided(size, stride, storage_offset).clone()


def diagonal_copy(self: Tensor, offset: int, dim1: int, dim2: int) -> Tensor:
    return self.diagonal(offset, dim1, dim2).clone()


def expand_copy(self: Tensor, size: Size, implicit: bool) -> Tensor:
    return self.expand(size).clone()


def permute_copy(self: Tensor, dims: Size) -> Tensor:
    return self.permute(dims).clone()


def select_copy(self: Tensor, dim: int, index: int) -> Tensor:
    return self.select(dim, index).clone()


def slice_copy(self: Tensor, dim: int, start: int | None, end: int | None, step: int) -> Tensor:
    d = dim if dim >= 0 else dim + self.dim()
    return self.movedim(dim, 0)[start:end:step].movedim(0, d).clone()


def split_copy(self: Tensor, split_size: int, dim: int) -> tuple[Tensor, ...]:
    return each_copied(self.split(split_size, dim))


def split_with_sizes_copy(self: Tensor, split_sizes: Size, dim: int) -> tuple[Tensor, ...]:
    return each_copied(self.split_with_sizes(split_sizes, dim))


def squeeze_copy(self: Tensor) -> Tensor:
    return self.squeeze().clone()


def squeeze_dims_copy(self: Tensor, dim: Size) -> Tensor:
    return self.squeeze(dim).clone()


def t_copy(self: Tensor) -> Tensor:
    return self.t().clone()


def transpose_copy(self: Tensor, dim0: int, dim1: int) -> Tensor:
    return self.transpose(dim0, dim1).clone()


def unbind_copy(self: Tensor, dim: int) -> tuple[Tensor, ...]:
    return each_copied(self.unbind(dim))


def unfold_copy(self: Tensor, dimension: int, size: int, step: int) -> Tensor:
    return self.unfold(dimension, size, step).clone()


def unsqueeze_copy(self: Tensor, dim: int) -> Tensor:
    return self.unsqueeze(dim).clone()


def view_copy(self: Tensor, size: Size) -> Tensor:
    return self.view(size).clone()


def view_as_real_copy(self: Tensor) -> Tensor:
    return torch.view_as_real(self).clone()


def view_as_complex_copy(self: Tensor) -> Tensor:
    return torch.view_as_complex(self).clone()


def _copy(schema: str, body, view: str = "") -> OpDef:
    """The operator; `view` is what it copies, where that is not in its name."""
    name = schema.partition("(")[0].partition(".")[0]
    made = view or name.removesuffix("_copy")
    return composite(f"{schema}", body, f"A copy of what `{made}` gives, in memory of its own.", names=f"torch.{name}")


OPERATORS: tuple[OpDef, ...] = (
    _copy("alias_copy(Tensor self) -> Tensor", alias_copy),
    _copy("detach_copy(Tensor self) -> Tensor", alias_copy),
    _copy(
        "as_strided_copy(Tensor self, int[] size, int[] stride, int? storage_offset=None) -> Tensor", as_strided_copy
    ),
    _copy("diagonal_copy(Tensor self, int offset=0, int dim1=0, int dim2=1) -> Tensor", diagonal_copy),
    _copy("expand_copy(Tensor self, int[] size, *, bool implicit=False) -> Tensor", expand_copy),
    _copy("permute_copy(Tensor self, int[] dims) -> Tensor", permute_copy),
    _copy("select_copy(Tensor self, int dim, int index) -> Tensor", select_copy),
    _copy(
        "slice_copy(Tensor self, int dim=0, int? start=None, int? end=None, int step=1) -> Tensor",
        slice_copy,
        "x[start:end:step]",
    ),
    _copy("split_copy(Tensor self, int split_size, int dim=0) -> Tensor[]", split_copy),
    _copy("split_with_sizes_copy(Tensor self, int[] split_sizes, int dim=0) -> Tensor[]", split_with_sizes_copy),
    _copy("squeeze_copy(Tensor self) -> Tensor", squeeze_copy),
    _copy("squeeze_copy.dims(Tensor self, int[1] dim) -> Tensor", squeeze_dims_copy),
    _copy("t_copy(Tensor self) -> Tensor", t_copy),
    _copy("transpose_copy(Tensor self, int dim0, int dim1) -> Tensor", transpose_copy),
    _copy("unbind_copy(Tensor self, int dim=0) -> Tensor[]", unbind_copy),
    _copy("unfold_copy(Tensor self, int dimension, int size, int step) -> Tensor", unfold_copy),
    _copy("unsqueeze_copy(Tensor self, int dim) -> Tensor", unsqueeze_copy),
    _copy("view_copy(Tensor self, int[] size) -> Tensor", view_copy),
    _copy("view_as_real_copy(Tensor self) -> Tensor", view_as_real_copy),
    _copy("view_as_complex_copy(Tensor self) -> Tensor", view_as_complex_copy),
)
"""All operators of this module."""
