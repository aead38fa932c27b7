"""Standard deviations, and the mean together with what varies about it: composites over `var` and `mean`."""

from __future__ import annotations

from tscript.definitions.define import composite
from tscript.definitions.language import Size, Tensor
from tscript.definitions.opdef import OpDef


def std(self: Tensor, unbiased: bool) -> Tensor:
    return self.var(unbiased).sqrt()


def std_along(self: Tensor, dim: Size | None, unbiased: bool, keepdim: bool) -> Tensor:
    return self.var(dim, unbiased, keepdim).sqrt()


def std_corrected(self: Tensor, dim: Size | None, correction: float | None, keepdim: bool) -> Tensor:
    return self.var(dim, correction=correction, keepdim=keepdim).sqrt()


def check_varies(x: Tensor, name: str) -> None:
    """Refuse all but floats."""
    if not x.is_floating_point():
        raise RuntimeError(name + " only support floating point and complex dtypes")


def var_mean(self: Tensor, unbiased: bool) -> tuple[Tensor, Tensor]:
    """Variance and mean of all elements.

    The formula is that of `torch.var`: the sum of squares of the distances from the mean, divided by ``n - 1``, or by
    ``n`` if not `unbiased`.

    Args:
        input: Floats.
        unbiased: Whether the sum is divided by ``n - 1``.

    Raises:
        RuntimeError: The input has no floats.

    Example:
        >>> variance, mean = tscript.var_mean(tscript.tensor([1.0, 2.0, 3.0]))
        >>> variance.item(), mean.item()
        (1.0, 2.0)
    """
    check_varies(self, "var_mean")
    return self.var(unbiased), self.mean()


def var_mean_along(self: Tensor, dim: Size | None, unbiased: bool, keepdim: bool) -> tuple[Tensor, Tensor]:
    """Variance and mean along dimensions.

    Args:
        input: Floats.
        dim: The dimensions; None for all.
        unbiased: Whether the sum of squares is divided by ``n - 1``.
        keepdim: Whether the dimensions stay, with size 1.

    Raises:
        RuntimeError: The input has no floats.
        IndexError: A dimension is out of range.

    Example:
        >>> variance, mean = tscript.var_mean(tscript.tensor([[1.0, 3.0], [2.0, 6.0]]), 1, False)
        >>> variance.tolist(), mean.tolist()
        ([1.0, 4.0], [2.0, 4.0])
    """
    check_varies(self, "var_mean")
    return self.var(dim, unbiased, keepdim), self.mean(dim, keepdim)


def var_mean_corrected(
    self: Tensor, dim: Size | None, correction: float | None, keepdim: bool
) -> tuple[Tensor, Tensor]:
    """Variance and mean along dimensions; the sum of squares is divided by ``n - correction`` (1 if None)."""
    check_varies(self, "var_mean")
    return self.var(dim, correction=correction, keepdim=keepdim), self.mean(dim, keepdim)


def std_mean(self: Tensor, unbiased: bool) -> tuple[Tensor, Tensor]:
    """Standard deviation and mean of all elements.

    The formula is that of `torch.std`: the root of what `torch.var` gives.

    Args:
        input: Floats.
        unbiased: Whether the sum of squares is divided by ``n - 1``, not by ``n``.

    Raises:
        RuntimeError: The input has no floats.

    Example:
        >>> deviation, mean = tscript.std_mean(tscript.tensor([1.0, 3.0, 5.0]))
        >>> deviation.item(), mean.item()
        (2.0, 3.0)
    """
    check_varies(self, "std_mean")
    return self.std(unbiased), self.mean()


def std_mean_along(self: Tensor, dim: Size | None, unbiased: bool, keepdim: bool) -> tuple[Tensor, Tensor]:
    """Standard deviation and mean along dimensions.

    Args:
        input: Floats.
        dim: The dimensions; None for all.
        unbiased: Whether the sum of squares is divided by ``n - 1``.
        keepdim: Whether the dimensions stay, with size 1.

    Raises:
        RuntimeError: The input has no floats.
        IndexError: A dimension is out of range.

    Example:
        >>> deviation, mean = tscript.std_mean(tscript.tensor([[1.0, 3.0], [2.0, 6.0]]), 1, unbiased=False)
        >>> deviation.tolist(), mean.tolist()
        ([1.0, 2.0], [2.0, 4.0])
    """
    check_varies(self, "std_mean")
    return self.std(dim, unbiased, keepdim), self.mean(dim, keepdim)


def std_mean_corrected(
    self: Tensor, dim: Size | None, correction: float | None, keepdim: bool
) -> tuple[Tensor, Tensor]:
    """Standard deviation and mean along dimensions; the sum of squares is divided by ``n - correction`` (1 if None)."""
    check_varies(self, "std_mean")
    return self.std(dim, correction=correction, keepdim=keepdim), self.mean(dim, keepdim)


_ALL = "bool unbiased=True"
_DIM = "int[1]? dim, bool unbiased=True, bool keepdim=False"
_CORRECTION = "int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False"

OPERATORS: tuple[OpDef, ...] = (
    composite(f"std(Tensor self, {_ALL}) -> Tensor", std, "Standard deviation of all elements.", names="std out=cast"),
    composite(
        f"std.dim(Tensor self, {_DIM}) -> Tensor",
        std_along,
        "Standard deviation along dimensions.",
        names="std out=cast",
    ),
    composite(
        f"std.correction(Tensor self, {_CORRECTION}) -> Tensor",
        std_corrected,
        "Standard deviation along dimensions, divided by n - correction (1 if None).",
        names="std out=cast",
    ),
    composite(f"var_mean(Tensor self, {_ALL}) -> (Tensor, Tensor)", var_mean, names="torch.var_mean out=no"),
    composite(f"var_mean.dim(Tensor self, {_DIM}) -> (Tensor, Tensor)", var_mean_along, names="torch.var_mean out=no"),
    composite(
        f"var_mean.correction(Tensor self, {_CORRECTION}) -> (Tensor, Tensor)",
        var_mean_corrected,
        names="torch.var_mean out=no",
    ),
    composite(f"std_mean(Tensor self, {_ALL}) -> (Tensor, Tensor)", std_mean, names="torch.std_mean out=no"),
    composite(f"std_mean.dim(Tensor self, {_DIM}) -> (Tensor, Tensor)", std_mean_along, names="torch.std_mean out=no"),
    composite(
        f"std_mean.correction(Tensor self, {_CORRECTION}) -> (Tensor, Tensor)",
        std_mean_corrected,
        names="torch.std_mean out=no",
    ),
)
"""All operators of this module."""
