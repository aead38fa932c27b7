"""Tensors filled and rounded to decimals; shapes that go together. All are composites."""

# mypy: disable-error-code="no-any-return,no-untyped-def,operator"

from __future__ import annotations

from tscript.definitions.define import composite
from tscript.definitions.language import Size, Tensor, generic, torch, tscript
from tscript.definitions.opdef import OpDef


def fill(self: Tensor, value: int | float | bool) -> Tensor:
    """A tensor of the same shape and dtype with one number everywhere."""
    return torch.full_like(self, value)


def fill_tensor(self: Tensor, value: Tensor) -> Tensor:
    """A tensor of the same shape and dtype with the element of a tensor without dimensions everywhere."""
    check_number(value, "fill")
    return torch.empty_like(self).copy_(value)


@generic
def check_number(value, name: str) -> None:
    if value.dim() != 0:
        raise RuntimeError(
            f"{name} only supports 0-dimension value tensor but got tensor with {value.dim()} dimensions."
        )


def index_fill_tensor(self: Tensor, dim: int, index: Tensor, value: Tensor) -> Tensor:
    """A copy with the slices along `dim` that `index` says filled with the element of a tensor without dimensions."""
    out = self.clone()
    tscript.index_fill_(out, dim, index, value)
    return out


def index_fill_tensor_(self: Tensor, dim: int, index: Tensor, value: Tensor) -> Tensor:
    check_number(value, "index_fill_")
    if index.dim() > 1:
        raise IndexError(f"index_fill_(): Index should have dimension 1 or 0 (got {index.dim()})")
    along = self.transpose(0, dim) if self.dim() > 0 else self.unsqueeze(0)
    tscript.index_put_(along, (index.reshape(-1),), value.to(self.dtype), False)
    return self


@generic
def rounded(x, decimals: int) -> Tensor:
    if not x.is_floating_point():
        raise RuntimeError("round_cpu: decimals are for floats")
    if decimals == 0:
        return x.round()
    factor = 10.0 ** float(abs(decimals))
    return (x * factor).round() / factor if decimals > 0 else (x / factor).round() * factor


def round_decimals(self: Tensor, decimals: int) -> Tensor:
    """Rounded to so many decimals; to tens, hundreds … if negative. Halves go to even.

    Args:
        input: Floats.
        decimals: How many.

    Raises:
        RuntimeError: There are no floats.

    Example:
        >>> tscript.round(tscript.tensor([126.0]), decimals=-1).item()
        130.0
    """
    return rounded(self, decimals)


def round_decimals_(self: Tensor, decimals: int) -> Tensor:
    return self.copy_(rounded(self, decimals))


def nonzero_static(self: Tensor, size: int, fill_value: int) -> Tensor:
    """The first `size` rows of `nonzero`, with rows of `fill_value` behind them where there are fewer.

    Example:
        >>> tscript.nonzero_static(tscript.tensor([0, 3, 0]), size=2).tolist()
        [[1], [-1]]
    """
    if size < 0:
        raise RuntimeError(f"nonzero_static: 'size' must be an non-negative integer, found {size}")
    found = self.nonzero()
    out = torch.full((size, self.dim()), fill_value, dtype=torch.int64)
    count = min(size, found.size(0))
    out.narrow(0, 0, count).copy_(found.narrow(0, 0, count))
    return out


# ---- shapes


def broadcast_shapes_1(a: Size) -> Size:
    return torch.zeros(()).expand(a).shape


def broadcast_shapes_2(a: Size, b: Size) -> Size:
    """The shape that several shapes are broadcast to.

    Args:
        a, b: The shapes, up to four; an int counts as a shape of one dimension.

    Raises:
        RuntimeError: They do not go together.

    Example:
        >>> tuple(tscript.broadcast_shapes((2, 1), (3,)))
        (2, 3)
    """
    zero = torch.zeros(())
    return torch.broadcast_tensors(zero.expand(a), zero.expand(b))[0].shape


def broadcast_shapes_3(a: Size, b: Size, c: Size) -> Size:
    zero = torch.zeros(())
    return torch.broadcast_tensors(zero.expand(a), zero.expand(b), zero.expand(c))[0].shape


def broadcast_shapes_4(a: Size, b: Size, c: Size, d: Size) -> Size:
    zero = torch.zeros(())
    return torch.broadcast_tensors(zero.expand(a), zero.expand(b), zero.expand(c), zero.expand(d))[0].shape


_SHAPES = "The shape that several shapes are broadcast to."

OPERATORS: tuple[OpDef, ...] = (
    composite("fill(Tensor self, Scalar value) -> Tensor", fill, names="torch.fill out=no"),
    composite("fill.Tensor(Tensor self, Tensor value) -> Tensor", fill_tensor, names="torch.fill out=no"),
    composite(
        "index_fill_.Tensor(Tensor(a!) self, int dim, Tensor index, Tensor value) -> Tensor",
        index_fill_tensor_,
        "In-place `index_fill`.",
    ),
    composite(
        "index_fill.Tensor(Tensor self, int dim, Tensor index, Tensor value) -> Tensor",
        index_fill_tensor,
        names="index_fill out=no",
    ),
    composite(
        "round.decimals(Tensor self, *, int decimals) -> Tensor",
        round_decimals,
        names="round torch.special.round",
    ),
    composite("round_.decimals(Tensor(a!) self, *, int decimals) -> Tensor", round_decimals_, "In-place `round`."),
    composite(
        "nonzero_static(Tensor self, *, int size, int fill_value=-1) -> Tensor",
        nonzero_static,
        names="nonzero_static out=no",
    ),
    composite("broadcast_shapes(int[1] a) -> Size", broadcast_shapes_1, _SHAPES, names="torch.broadcast_shapes"),
    composite("broadcast_shapes.two(int[1] a, int[1] b) -> Size", broadcast_shapes_2, names="torch.broadcast_shapes"),
    composite(
        "broadcast_shapes.three(int[1] a, int[1] b, int[1] c) -> Size",
        broadcast_shapes_3,
        _SHAPES,
        names="torch.broadcast_shapes",
    ),
    composite(
        "broadcast_shapes.four(int[1] a, int[1] b, int[1] c, int[1] d) -> Size",
        broadcast_shapes_4,
        _SHAPES,
        names="torch.broadcast_shapes",
    ),
)
"""All operators of this module."""
