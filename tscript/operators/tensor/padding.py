"""Padding: numbers, or elements of the tensor itself, around the elements of a tensor."""

# mypy: disable-error-code="operator"

from __future__ import annotations

from collections.abc import Sequence

from tscript.arrays import Array, np
from tscript.definitions.define import composite, kernel
from tscript.definitions.language import Size, Tensor, torch
from tscript.definitions.opdef import Arg, OpDef
from tscript.definitions.rules import tensor_of
from tscript.definitions.values import cast, dtype_of_array
from tscript.types import Type

REFLECT, REPLICATE, CIRCULAR = range(3)
LARGEST_PAD = 1 << 40


def pad(input: Tensor, pad: Size, mode: str, value: float | None) -> Tensor:
    """Elements added at both ends of the last dimensions.

    The formula is that of `torch.nn.functional.pad`.

    Args:
        input: Any dtype.
        pad: How many elements before and behind, in pairs, the last dimension first. Negative ones are taken away.
        mode: ``constant`` adds `value`; ``reflect`` mirrors the elements at the outermost ones, ``replicate`` repeats
            these, ``circular`` goes on at the other end. All but the first take 2 numbers for 2 or 3 dimensions, 4 for
            3 or 4, and 6 for 4 or 5.
        value: The number that ``constant`` adds; None for 0.

    Raises:
        RuntimeError: `pad` has no pairs, or more of them than there are dimensions, or takes away more than there is;
            or there are not enough elements to mirror.
        NotImplementedError: There is no such mode, or not for so many dimensions.

    Example:
        >>> x = tscript.tensor([[1, 2, 3]])
        >>> tscript.nn.functional.pad(x, (2, 1)).tolist()
        [[0, 0, 1, 2, 3, 0]]
        >>> tscript.nn.functional.pad(x, (2, 1), mode="reflect").tolist()
        [[3, 2, 1, 2, 3, 2]]
    """
    if mode == "constant":
        return CONSTANT_PAD(input, pad, 0 if value is None else value)
    if value is not None and value != 0:
        raise RuntimeError(f'Padding mode "{mode}" doesn\'t take in value argument')
    if mode == "reflect":
        return PAD_FROM_ITSELF(input, pad, REFLECT)
    if mode == "replicate":
        return PAD_FROM_ITSELF(input, pad, REPLICATE)
    if mode == "circular":
        return PAD_FROM_ITSELF(input, pad, CIRCULAR)
    raise NotImplementedError(f"Unrecognised padding mode {mode}")


def constant_pad_complex(self: Tensor, pad: Size, value: complex) -> Tensor:
    """`constant_pad_nd` with a complex number, of a tensor of complex numbers."""
    if not self.is_complex():
        raise RuntimeError("value cannot be converted to type float without overflow: the tensor is not complex")
    real = CONSTANT_PAD(self.real, pad, value.real)
    return torch.complex(real, CONSTANT_PAD(self.imag, pad, value.imag))


def constant_pad_tensor(self: Tensor, pad: Size, value: Tensor) -> Tensor:
    """`constant_pad_nd` with the number that a tensor without dimensions has."""
    if value.dim() > 0:
        raise RuntimeError(f"constant_pad_nd(): expected one number to pad with, but got {value.dim()} dimensions")
    if value.is_complex() and not self.is_complex():
        raise RuntimeError("value cannot be converted to type float without overflow: the tensor is not complex")
    inside = CONSTANT_PAD(torch.ones(self.shape, dtype=torch.bool), pad, 0)
    return torch.where(inside, CONSTANT_PAD(self, pad, 0), value.to(self.dtype))


# ---- on arrays


def _same(args: Sequence[Arg]) -> Type:
    return tensor_of(args[0])


def _pairs(x: Array, pad: Sequence[int]) -> list[tuple[int, int]]:
    """How many elements come before and behind each dimension, checked."""
    if len(pad) % 2:
        raise RuntimeError(f"Padding length must be divisible by 2: expected pairs, but got {len(pad)} numbers")
    if len(pad) > 2 * x.ndim:
        raise RuntimeError(
            "Padding length should be less than or equal to two times the input dimension but got padding length "
            f"{len(pad)} and input of dimension {x.ndim}"
        )
    pairs = [(0, 0)] * (x.ndim - len(pad) // 2) + list(zip(pad[::2], pad[1::2], strict=True))[::-1]
    for d, (before, after) in enumerate(pairs):
        if max(before, after) > LARGEST_PAD:
            raise MemoryError("a tensor of this size does not fit into memory")
        if x.shape[d] + min(before, 0) + min(after, 0) < 0:
            raise RuntimeError(
                f"the padding ({before}, {after}) takes more than the {x.shape[d]} elements of dimension {d}"
            )
    return pairs


def _constant(x: Array, pad: Sequence[int], value: float) -> Array:
    pairs = _pairs(x, pad)
    number = cast(np.asarray(value), dtype_of_array(x))
    out = np.full([size + sum(pair) for size, pair in zip(x.shape, pairs, strict=True)], number, x.dtype)
    inner = tuple(
        slice(max(before, 0), size - max(after, 0)) for size, (before, after) in zip(out.shape, pairs, strict=True)
    )
    kept = tuple(
        slice(max(-before, 0), size - max(-after, 0)) for size, (before, after) in zip(x.shape, pairs, strict=True)
    )
    out[inner] = x[kept]
    return out


def _from_itself(x: Array, pad: Sequence[int], mode: int) -> Array:
    if len(pad) % 2:
        raise RuntimeError(f"Padding length must be divisible by 2: expected pairs, but got {len(pad)} numbers")
    if len(pad) // 2 not in (1, 2, 3) or x.ndim - len(pad) // 2 not in (1, 2):
        raise NotImplementedError(
            f"a padding of {len(pad)} numbers is not supported for {x.ndim} dimensions: 2 numbers go with 2 or 3 "
            "dimensions, 4 with 3 or 4, and 6 with 4 or 5"
        )
    for d, (pair, size) in enumerate(zip(_pairs(x, pad), x.shape, strict=True)):
        if d < x.ndim - len(pad) // 2:
            continue
        kept = size + min(pair[0], 0) + min(pair[1], 0)
        if size == 0 and (mode != CIRCULAR or max(pair) > 0):
            raise RuntimeError(f"dimension {d} has no elements that padding could repeat")
        if mode == REFLECT and max(pair) >= size:
            raise RuntimeError(
                "Padding size should be less than the corresponding input dimension, but got: padding "
                f"({pair[0]}, {pair[1]}) at dimension {d} of size {size}"
            )
        if mode == CIRCULAR and max(pair) > kept:
            raise RuntimeError(
                "Padding value causes wrapping around more than once: padding "
                f"({pair[0]}, {pair[1]}) at dimension {d} of size {size}"
            )
        at = np.arange(-pair[0], size + pair[1])
        if mode == REFLECT:
            at = np.where(at < 0, -at, np.where(at >= size, 2 * (size - 1) - at, at))
        elif mode == REPLICATE:
            at = np.clip(at, 0, size - 1)
        elif len(at):
            first = max(-pair[0], 0)
            at = (at - first) % max(kept, 1) + first
        x = np.take(x, at, d)
    return np.array(x)


CONSTANT_PAD: OpDef = kernel(
    "constant_pad_nd(Tensor self, int[] pad, Scalar value=0) -> Tensor",
    _same,
    _constant,
    "moves_mapped.constant_pad_nd",
    "Padded with a number: see `torch.nn.functional.pad`.",
    names="torch.constant_pad_nd out=no",
    complex=True,
)
PAD_FROM_ITSELF: OpDef = kernel(
    "pad_from_itself(Tensor self, int[] pad, int mode) -> Tensor",
    _same,
    _from_itself,
    "moves_mapped.pad_from_itself",
    "Padded with elements of the tensor itself.",
    names="",
    complex=True,
)
OPERATORS: tuple[OpDef, ...] = (
    CONSTANT_PAD,
    composite(
        "constant_pad_nd.complex(Tensor self, int[] pad, complex value) -> Tensor",
        constant_pad_complex,
        names="torch.constant_pad_nd out=no",
        exact=True,
    ),
    composite(
        "constant_pad_nd.tensor(Tensor self, int[] pad, Tensor value) -> Tensor",
        constant_pad_tensor,
        names="torch.constant_pad_nd out=no",
        exact=True,
    ),
    composite(
        "pad(Tensor input, int[] pad, str mode='constant', Scalar? value=None) -> Tensor",
        pad,
        names="F.pad",
        exact=True,
    ),
)
HIDDEN: tuple[OpDef, ...] = (PAD_FROM_ITSELF,)
"""What bodies call."""

__all__ = ["CONSTANT_PAD", "HIDDEN", "OPERATORS", "PAD_FROM_ITSELF"]
"""All operators of this module."""
