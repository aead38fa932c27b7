"""In-place variants of composites: the result is written to the first tensor."""

# mypy: disable-error-code="no-any-return,no-untyped-def"

from __future__ import annotations

from tscript.definitions.define import composite
from tscript.definitions.language import Size, Tensor, generic, torch
from tscript.definitions.opdef import OpDef
from tscript.operators.tensor.checks import shown
from tscript.operators.tensor.strided import listed


@generic
def stored(self, found) -> Tensor:
    """Write a result, which has the shape of the tensor and a dtype that can be cast to its dtype."""
    if not torch.can_cast(found.dtype, self.dtype):
        raise RuntimeError(f"result type {found.dtype} can't be cast to the desired output type {self.dtype}")
    if found.shape != self.shape:
        raise RuntimeError(f"output with shape {self.shape} doesn't match the broadcast shape {found.shape}")
    return self.copy_(found)


def tril_(self: Tensor, diagonal: int) -> Tensor:
    return stored(self, torch.tril(self, diagonal))


def triu_(self: Tensor, diagonal: int) -> Tensor:
    return stored(self, torch.triu(self, diagonal))


def deg2rad_(self: Tensor) -> Tensor:
    return stored(self, torch.deg2rad(self))


def rad2deg_(self: Tensor) -> Tensor:
    return stored(self, torch.rad2deg(self))


def logit_(self: Tensor, eps: float | None) -> Tensor:
    return stored(self, torch.logit(self, eps))


def nan_to_num_(self: Tensor, nan: float | None, posinf: float | None, neginf: float | None) -> Tensor:
    return stored(self, torch.nan_to_num(self, nan, posinf, neginf))


def gcd_(self: Tensor, other: Tensor) -> Tensor:
    return stored(self, torch.gcd(self, other))


def lcm_(self: Tensor, other: Tensor) -> Tensor:
    return stored(self, torch.lcm(self, other))


def ldexp_(self: Tensor, other: Tensor) -> Tensor:
    return stored(self, torch.ldexp(self, other))


@generic
def check_sizes(self, sizes: list[int], name: str) -> None:
    """Refuse sizes that a tensor does not have."""
    own = listed(self.shape)
    if own != sizes:
        raise NotImplementedError(
            f"{name}(): a tensor keeps its sizes, which are ({shown(own)}) and not ({shown(sizes)}). Make another one "
            "under the same name: 'x = x.new_empty(sizes)', or 'x = x.reshape(sizes)' for the same elements"
        )


def resize_(self: Tensor, size: Size, memory_format: int | None) -> Tensor:
    """Nothing, for a tensor that has these sizes; others are refused, as a tensor keeps its sizes.

    Args:
        input: Any tensor.
        size: Its sizes.
        memory_format: Makes no difference.

    Raises:
        NotImplementedError: It has other sizes: make another tensor, with `new_empty` or `reshape`.

    Example:
        >>> tscript.ones(2).resize_(2).tolist()
        [1.0, 1.0]
    """
    check_sizes(self, listed(size), "resize_")
    return self


def resize_as_(self: Tensor, the_template: Tensor, memory_format: int | None) -> Tensor:
    """Nothing, for a tensor of the sizes of another one; others are refused; see `resize_`."""
    check_sizes(self, listed(the_template.shape), "resize_as_")
    return self


@generic
def check_double(x) -> None:
    """Powers are float64."""
    if x.dtype != torch.float64:
        raise RuntimeError(
            f"the base given to float_power_ has dtype {x.dtype} but the operation's result requires dtype float64"
        )


def float_power_(self: Tensor, exponent: Tensor) -> Tensor:
    check_double(self)
    return stored(self, torch.float_power(self, exponent))


def float_power_number_(self: Tensor, exponent: int | float) -> Tensor:
    check_double(self)
    return stored(self, torch.float_power(self, exponent))


def mvlgamma_(self: Tensor, p: int) -> Tensor:
    return stored(self, torch.mvlgamma(self, p))


def polygamma_(self: Tensor, n: int) -> Tensor:
    return stored(self, torch.polygamma(n, self))


def renorm_(self: Tensor, p: int | float, dim: int, maxnorm: int | float) -> Tensor:
    return stored(self, torch.renorm(self, p, dim, maxnorm))


def addmm_(self: Tensor, mat1: Tensor, mat2: Tensor, beta: int | float, alpha: int | float) -> Tensor:
    return stored(self, torch.addmm(self, mat1, mat2, beta=beta, alpha=alpha))


def addmv_(self: Tensor, mat: Tensor, vec: Tensor, beta: int | float, alpha: int | float) -> Tensor:
    return stored(self, torch.addmv(self, mat, vec, beta=beta, alpha=alpha))


def addr_(self: Tensor, vec1: Tensor, vec2: Tensor, beta: int | float, alpha: int | float) -> Tensor:
    return stored(self, torch.addr(self, vec1, vec2, beta=beta, alpha=alpha))


def baddbmm_(self: Tensor, batch1: Tensor, batch2: Tensor, beta: int | float, alpha: int | float) -> Tensor:
    return stored(self, torch.baddbmm(self, batch1, batch2, beta=beta, alpha=alpha))


def addbmm_(self: Tensor, batch1: Tensor, batch2: Tensor, beta: int | float, alpha: int | float) -> Tensor:
    return stored(self, torch.addbmm(self, batch1, batch2, beta=beta, alpha=alpha))


def igamma_(self: Tensor, other: Tensor) -> Tensor:
    return stored(self, torch.igamma(self, other))


def igammac_(self: Tensor, other: Tensor) -> Tensor:
    return stored(self, torch.igammac(self, other))


_SCALED = "*, Scalar beta=1, Scalar alpha=1"

_IN_PLACE: tuple[OpDef, ...] = tuple(
    composite(
        f"{name}(Tensor(a!) self{parameters}) -> Tensor",
        body,
        f"In-place `{name.partition('.')[0].removesuffix('_')}`.",
        names=names,
    )
    for name, parameters, body, names in (
        ("tril_", ", int diagonal=0", tril_, "Tensor.tril_"),
        ("triu_", ", int diagonal=0", triu_, "Tensor.triu_"),
        ("deg2rad_", "", deg2rad_, "torch.deg2rad_ Tensor.deg2rad_"),
        ("rad2deg_", "", rad2deg_, "torch.rad2deg_ Tensor.rad2deg_"),
        ("logit_", ", float? eps=None", logit_, "torch.logit_ Tensor.logit_"),
        (
            "nan_to_num_",
            ", float? nan=None, float? posinf=None, float? neginf=None",
            nan_to_num_,
            "torch.nan_to_num_ Tensor.nan_to_num_",
        ),
        ("gcd_", ", Tensor other", gcd_, "torch.gcd_ Tensor.gcd_"),
        ("lcm_", ", Tensor other", lcm_, "torch.lcm_ Tensor.lcm_"),
        ("ldexp_", ", Tensor other", ldexp_, "torch.ldexp_ Tensor.ldexp_"),
        ("float_power_", ", Tensor exponent", float_power_, "Tensor.float_power_"),
        ("float_power_.Scalar", ", Scalar exponent", float_power_number_, "Tensor.float_power_"),
        ("mvlgamma_", ", int p", mvlgamma_, "Tensor.mvlgamma_"),
        ("polygamma_", ", int n", polygamma_, "Tensor.polygamma_"),
        ("renorm_", ", Scalar p, int dim, Scalar maxnorm", renorm_, "Tensor.renorm_"),
        ("addmm_", f", Tensor mat1, Tensor mat2, {_SCALED}", addmm_, "Tensor.addmm_"),
        ("addmv_", f", Tensor mat, Tensor vec, {_SCALED}", addmv_, "torch.addmv_ Tensor.addmv_"),
        ("addr_", f", Tensor vec1, Tensor vec2, {_SCALED}", addr_, "Tensor.addr_"),
        ("baddbmm_", f", Tensor batch1, Tensor batch2, {_SCALED}", baddbmm_, "Tensor.baddbmm_"),
        ("addbmm_", f", Tensor batch1, Tensor batch2, {_SCALED}", addbmm_, "Tensor.addbmm_"),
        ("igamma_", ", Tensor other", igamma_, "Tensor.igamma_"),
        ("igammac_", ", Tensor other", igammac_, "Tensor.igammac_"),
    )
)
OPERATORS: tuple[OpDef, ...] = (
    *_IN_PLACE,
    composite(
        "resize_(Tensor(a!) self, int[] size, *, memory_format? memory_format=None) -> Tensor",
        resize_,
        names="Tensor.resize_ torch.resize_",
        exact=True,
    ),
    composite(
        "resize_as_(Tensor(a!) self, Tensor the_template, *, memory_format? memory_format=None) -> Tensor",
        resize_as_,
        names="Tensor.resize_as_ torch.resize_as_",
        exact=True,
    ),
)
"""All operators of this module."""
