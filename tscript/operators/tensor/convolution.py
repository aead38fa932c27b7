"""Convolutions over one, two and three dimensions, plain and transposed; windows as columns, and back."""

# mypy: disable-error-code="operator"

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

from tscript.arrays import Array, np
from tscript.definitions.define import composite, kernel
from tscript.definitions.language import Size, Tensor, generic, torch
from tscript.definitions.opdef import Arg, OpDef, OperatorNotImplementedError, OperatorRuntimeError
from tscript.definitions.promotion import torch_name
from tscript.definitions.rules import constant_int, tensor_of
from tscript.operators.tensor.checks import SCALAR_TYPE
from tscript.types import NONE, DType, TensorType, Type, dtypes

LARGEST = 1 << 36


DOC = """Each element of the result is the sum of the products of a window of the input with the weights.

The formula is that of `torch.nn.functional.conv2d`: a cross-correlation.

Args:
    input: Floats, complex numbers or signed ints or uint8, of shape ``(batch, channels, ...)`` or
        ``(channels, ...)``, with as many sizes behind the channels as the name of the operator says. Sums of floats of
        16 bits are those of float32, rounded once; ints wrap.
    weight: Of shape ``(results, channels // groups, ...)``.
    bias: A number for each result, which is added; or None.
    stride: How far the window moves: a number, or one for each dimension.
    padding: How many zeros are put before and behind each dimension; ``valid`` for none, ``same`` for as many as
        make the result as large as the input.
    dilation: How far the elements of a window lie apart.
    groups: Into how many groups channels and results are divided.

Raises:
    RuntimeError: The shapes do not go together, the window is larger than the input, or a number is out of range.
    NotImplementedError: Operands are bools or wide unsigned ints.

Example:
    >>> x, weight = tscript.tensor([[[1.0, 2.0, 4.0]]]), tscript.tensor([[[1.0, -1.0]]])
    >>> tscript.nn.functional.conv1d(x, weight).tolist()
    [[[-1.0, -2.0]]]
"""


@generic
def check_complex(input, weight, bias):  # type: ignore[no-untyped-def]
    """Refuse operands of different dtypes, of which one is complex."""
    if weight.dtype != input.dtype:
        raise RuntimeError(f"expected scalar type {SCALAR_TYPE(input)} but found {SCALAR_TYPE(weight)}")
    if bias is not None and bias.dtype != input.dtype:
        raise RuntimeError(f"expected scalar type {SCALAR_TYPE(input)} but found {SCALAR_TYPE(bias)}")


@generic
def with_bias(real, imaginary, bias, dims):  # type: ignore[no-untyped-def]
    """Complex numbers of their parts, with a number for each channel added."""
    found = torch.complex(real, imaginary)
    return found if bias is None else found + bias.reshape([-1] + [1] * dims)


@generic
def convolved(input, weight, bias, stride, padding, dilation, groups, dims, same, fast):  # type: ignore[no-untyped-def]
    """A convolution; one of complex numbers of three real ones, as Gauss multiplied."""
    if not input.is_complex() and not weight.is_complex():
        return CONVOLVE(input, weight, bias, stride, padding, dilation, groups, dims, same, fast, 0)
    check_complex(input, weight, bias)
    x, y, v, w = input.real, input.imag, weight.real, weight.imag
    a = CONVOLVE(x, v, None, stride, padding, dilation, groups, dims, same, fast, 0)
    b = CONVOLVE(y, w, None, stride, padding, dilation, groups, dims, same, fast, 0)
    c = CONVOLVE(x + y, v + w, None, stride, padding, dilation, groups, dims, same, fast, 0)
    return with_bias(a - b, c - a - b, bias, dims)


@generic
def transposed_of(input, weight, bias, stride, padding, more, dilation, groups, dims):  # type: ignore[no-untyped-def]
    """The same transposed."""
    if not input.is_complex() and not weight.is_complex():
        return CONVOLVE_TRANSPOSED(input, weight, bias, stride, padding, more, dilation, groups, dims)
    check_complex(input, weight, bias)
    x, y, v, w = input.real, input.imag, weight.real, weight.imag
    a = CONVOLVE_TRANSPOSED(x, v, None, stride, padding, more, dilation, groups, dims)
    b = CONVOLVE_TRANSPOSED(y, w, None, stride, padding, more, dilation, groups, dims)
    c = CONVOLVE_TRANSPOSED(x + y, v + w, None, stride, padding, more, dilation, groups, dims)
    return with_bias(a - b, c - a - b, bias, dims)


def conv1d(
    input: Tensor, weight: Tensor, bias: Tensor | None, stride: Size, padding: Size, dilation: Size, groups: int
) -> Tensor:
    return convolved(input, weight, bias, stride, padding, dilation, groups, 1, False, False)


def conv2d(
    input: Tensor, weight: Tensor, bias: Tensor | None, stride: Size, padding: Size, dilation: Size, groups: int
) -> Tensor:
    return convolved(input, weight, bias, stride, padding, dilation, groups, 2, False, False)


def conv3d(
    input: Tensor, weight: Tensor, bias: Tensor | None, stride: Size, padding: Size, dilation: Size, groups: int
) -> Tensor:
    return convolved(input, weight, bias, stride, padding, dilation, groups, 3, False, False)


def is_same(padding: str) -> bool:
    """Whether a padding is that of the result that is as large as the input."""
    if padding not in ("same", "valid"):
        raise RuntimeError(f"Invalid padding string: '{padding}'")
    return padding == "same"


def conv1d_named(
    input: Tensor, weight: Tensor, bias: Tensor | None, stride: Size, padding: str, dilation: Size, groups: int
) -> Tensor:
    return convolved(input, weight, bias, stride, 0, dilation, groups, 1, is_same(padding), False)


def conv2d_named(
    input: Tensor, weight: Tensor, bias: Tensor | None, stride: Size, padding: str, dilation: Size, groups: int
) -> Tensor:
    return convolved(input, weight, bias, stride, 0, dilation, groups, 2, is_same(padding), False)


def conv3d_named(
    input: Tensor, weight: Tensor, bias: Tensor | None, stride: Size, padding: str, dilation: Size, groups: int
) -> Tensor:
    return convolved(input, weight, bias, stride, 0, dilation, groups, 3, is_same(padding), False)


def conv2d_fast(
    input: Tensor, weight: Tensor, bias: Tensor | None, stride: Size, padding: Size, dilation: Size, groups: int
) -> Tensor:
    return convolved(input, weight, bias, stride, padding, dilation, groups, 2, False, True)


def conv2d_named_fast(
    input: Tensor, weight: Tensor, bias: Tensor | None, stride: Size, padding: str, dilation: Size, groups: int
) -> Tensor:
    return convolved(input, weight, bias, stride, 0, dilation, groups, 2, is_same(padding), True)


DOC_TRANSPOSED = """Each element of the input times the weights, added up in the window that belongs to it.

The formula is that of `torch.nn.functional.conv_transpose2d`: the gradient of a convolution.

Args:
    input: Floats, complex numbers or signed ints or uint8, of shape ``(batch, channels, ...)`` or
        ``(channels, ...)``, with as many sizes behind the channels as the name of the operator says. Sums of floats of
        16 bits are those of float32, rounded once; ints wrap.
    weight: Of shape ``(channels, results // groups, ...)``.
    bias: A number for each result, which is added; or None.
    stride: How far the windows lie apart: a number, or one for each dimension.
    padding: How many elements are taken away before and behind each dimension of the result.
    output_padding: How many elements the result has more behind each dimension.
    groups: Into how many groups channels and results are divided.
    dilation: How far the elements of a window lie apart.

Raises:
    RuntimeError: The shapes do not go together, nothing is left, or a number is out of range.
    NotImplementedError: Operands are bools or wide unsigned ints.

Example:
    >>> x, weight = tscript.tensor([[[1.0, 2.0]]]), tscript.tensor([[[1.0, 10.0]]])
    >>> tscript.nn.functional.conv_transpose1d(x, weight).tolist()
    [[[1.0, 12.0, 20.0]]]
"""


def conv_transpose1d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None,
    stride: Size,
    padding: Size,
    output_padding: Size,
    groups: int,
    dilation: Size,
) -> Tensor:
    return transposed_of(input, weight, bias, stride, padding, output_padding, dilation, groups, 1)


def conv_transpose2d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None,
    stride: Size,
    padding: Size,
    output_padding: Size,
    groups: int,
    dilation: Size,
) -> Tensor:
    return transposed_of(input, weight, bias, stride, padding, output_padding, dilation, groups, 2)


def conv_transpose3d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None,
    stride: Size,
    padding: Size,
    output_padding: Size,
    groups: int,
    dilation: Size,
) -> Tensor:
    return transposed_of(input, weight, bias, stride, padding, output_padding, dilation, groups, 3)


def convolution(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None,
    stride: Size,
    padding: Size,
    dilation: Size,
    transposed: bool,
    output_padding: Size,
    groups: int,
) -> Tensor:
    """A convolution over as many dimensions as the weight has behind the first two, transposed or not.

    Args:
        input, weight, bias, stride, padding, dilation, groups: See `torch.nn.functional.conv2d`.
        transposed: Whether it is as in `torch.nn.functional.conv_transpose2d`.
        output_padding: See there.

    Raises:
        RuntimeError: The shapes do not go together, or a number is out of range.
        NotImplementedError: Operands are bools or wide unsigned ints.

    Example:
        >>> x, weight = tscript.ones(1, 1, 3), tscript.ones(1, 1, 2)
        >>> tscript.convolution(x, weight, None, (1,), (0,), (1,), False, (0,), 1).tolist()
        [[[2.0, 2.0]]]
    """
    if transposed:
        return transposed_of(input, weight, bias, stride, padding, output_padding, dilation, groups, weight.dim() - 2)
    return convolved(input, weight, bias, stride, padding, dilation, groups, weight.dim() - 2, False, False)


# ---- rules


def _floating(x: TensorType, name: str, others: Sequence[DType] = ()) -> None:
    if x.dtype is not None and not x.dtype.is_floating_point and x.dtype not in others:
        raise OperatorNotImplementedError(f"\"{name}\" not implemented for '{_title(x)}'")


_INTEGERS = (dtypes.int64, dtypes.int32, dtypes.int16, dtypes.int8, dtypes.uint8)


def _title(x: TensorType) -> str:
    return "?" if x.dtype is None else torch_name(x.dtype).title()


def _convolution(args: Sequence[Arg]) -> Type:
    x, weight = tensor_of(args[0]), tensor_of(args[1])
    dims = constant_int(args[8 if len(args) == 9 else 7])
    for given in (x, weight, *(() if args[2].type == NONE else (tensor_of(args[2]),))):
        _floating(given, "convolution", _INTEGERS)
        if None not in (x.dtype, given.dtype) and given.dtype is not x.dtype:
            raise OperatorRuntimeError(f"expected scalar type {_title(x)} but found {_title(given)}")
    if dims is not None and x.rank is not None and x.rank not in (dims + 1, dims + 2):
        raise OperatorRuntimeError(
            f"Expected {dims + 1}D (unbatched) or {dims + 2}D (batched) input to a convolution over {dims} dimensions, "
            f"but got {x.rank}D"
        )
    return x


def _unfold(args: Sequence[Arg]) -> Type:
    x = tensor_of(args[0])
    _floating(x, "im2col_out_cpu", (dtypes.bool_, *dtypes.COMPLEX_DTYPES))
    if x.rank not in (None, 3, 4):
        raise OperatorRuntimeError(f"unfold(): expected 3D or 4D (batched) input, but got {x.rank}D")
    return TensorType(x.dtype, None if x.rank is None else x.rank - 1)


def _fold(args: Sequence[Arg]) -> Type:
    x = tensor_of(args[0])
    _floating(x, "col2im_out_cpu", dtypes.COMPLEX_DTYPES)
    if x.rank not in (None, 2, 3):
        raise OperatorRuntimeError(f"fold(): expected 2D or 3D (batched) input, but got {x.rank}D")
    return TensorType(x.dtype, None if x.rank is None else x.rank + 1)


# ---- on arrays


def numbers(given: Sequence[int] | int, dims: int, what: str, least: int) -> tuple[int, ...]:
    """A number for each dimension.

    Raises:
        RuntimeError: There are others, or one is too small.
    """
    found = (given,) if isinstance(given, int) else tuple(given)
    if len(found) not in (1, dims):
        raise RuntimeError(f"expected the {what} to be one number or {dims} numbers, but got {len(found)}")
    for value in found:
        if value < least:
            if what == "padding":
                raise RuntimeError(f"the padding should not be negative, but got {value}")
            if what == "output padding":
                raise RuntimeError(f"negative output_padding is not supported: got {value}")
            raise RuntimeError(f"the {what} should be at least {least}, but got {value}")
    return tuple(min(v, LARGEST) for v in (found * dims if len(found) == 1 else found))


def _check(x: Array, weight: Array, bias: Array | None, groups: int, dims: int, transposed: bool) -> None:
    """Refuse operands that do not go together; names are those of the kernels."""
    if not 1 <= dims <= 3:
        raise RuntimeError(f"a convolution is over 1, 2 or 3 dimensions, not {dims}")
    if weight.ndim != dims + 2:
        raise RuntimeError(f"expected a weight of {dims + 2} dimensions, but got {weight.ndim}")
    if x.ndim not in (dims + 1, dims + 2):
        raise RuntimeError(
            f"Expected {dims + 1}D (unbatched) or {dims + 2}D (batched) input to a convolution over {dims} dimensions, "
            f"but got {x.ndim}D"
        )
    if groups < 1:
        raise RuntimeError(f"non-positive groups is not supported: got {groups}")
    channels, first, second = x.shape[x.ndim - dims - 1], *weight.shape[:2]
    if transposed:
        if first < 1 or first % groups:
            raise RuntimeError(
                f"Given groups={groups}, expected weight to be divisible by {groups} at dimension 0, but got size "
                f"{first}"
            )
        if channels != first:
            raise RuntimeError(
                f"Given groups={groups} and a weight of size {first} at dimension 0, expected input to have {first} "
                f"channels, but got {channels} channels instead"
            )
    else:
        if first < groups or first % groups:
            raise RuntimeError(
                f"Given groups={groups}, expected weight to be at least {groups}, and divisible by it, at dimension 0, "
                f"but got size {first}"
            )
        if channels != groups * second:
            raise RuntimeError(
                f"Given groups={groups} and a weight of size {second} at dimension 1, expected input to have {second} "
                f"channels in each group, but got {channels} channels in all"
            )
    made = second * groups if transposed else first
    if bias is not None and bias.shape != (made,):
        found = f"{bias.ndim} dimensions" if bias.ndim != 1 else str(bias.shape[0])
        raise RuntimeError(f"expected bias to be 1-dimensional with {made} elements, but got {found}")
    for d in range(x.ndim - dims, x.ndim):
        if x.shape[d] == 0:
            raise RuntimeError(f"a convolution needs elements to slide over, but dimension {d} has none")
    for d, size in enumerate(weight.shape[2:]):
        if size == 0:
            raise RuntimeError(f"kernel size should be greater than zero, but it is 0 in dimension {d}")


def _batched(x: Array, dims: int) -> Array:
    return x if x.ndim == dims + 2 else x[None]


def windows(x: Array, window: Sequence[int], stride: Sequence[int], dilation: Sequence[int]) -> Array:
    """All windows over the last dimensions: their places come first, their elements last."""
    dims = len(window)
    axes = tuple(range(x.ndim - dims, x.ndim))
    reach = [(w - 1) * d + 1 for w, d in zip(window, dilation, strict=True)]
    found = np.lib.stride_tricks.sliding_window_view(x, reach, axes)
    places = tuple(slice(None, None, s) for s in stride)
    inside = tuple(slice(None, None, d) for d in dilation)
    cut: Array = found[(slice(None),) * (x.ndim - dims) + places + inside]
    return cut


def _convolve(
    x: Array,
    weight: Array,
    bias: Array | None,
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    groups: int,
    dims: int,
    same: bool,
    fast: bool,
    epilogue: int,
) -> Array:
    if 1 <= dims <= 3:
        stride = numbers(stride, dims, "stride", 1)
        padding = numbers(padding, dims, "padding", 0)
        dilation = numbers(dilation, dims, "dilation", 1)
    _check(x, weight, bias, groups, dims, False)
    window = weight.shape[2:]
    reach = [(w - 1) * d for w, d in zip(window, dilation, strict=True)]
    if same and set(stride) != {1}:
        raise RuntimeError("padding='same' is not supported for strided convolutions")
    pads = [(r // 2, r - r // 2) for r in reach] if same else [(p, p) for p in padding]
    for d in range(dims):
        room = x.shape[d - dims] + sum(pads[d])
        if reach[d] >= room:
            raise RuntimeError(
                f"Kernel size can't be greater than actual input size: with its dilation the kernel takes "
                f"{reach[d] + 1} "
                f"elements of the {room} that padded dimension {d} has"
            )
    batch = np.pad(_batched(x, dims), [(0, 0), (0, 0), *pads])
    made = weight.shape[0] // groups
    with np.errstate(all="ignore"):
        found = [
            np.einsum(
                _SUMS[dims],
                windows(batch[:, g * weight.shape[1] : (g + 1) * weight.shape[1]], window, stride, dilation),
                weight[g * made : (g + 1) * made],
            )
            for g in range(groups)
        ]
        out = np.concatenate(found, 1).astype(x.dtype)
        if bias is not None:
            out = out + bias.reshape(-1, *[1] * dims)
    return out if x.ndim == dims + 2 else out[0]


_SUMS = {1: "ncxi,oci->nox", 2: "ncxyij,ocij->noxy", 3: "ncxyzijk,ocijk->noxyz"}


def _convolve_transposed(
    x: Array,
    weight: Array,
    bias: Array | None,
    stride: Sequence[int],
    padding: Sequence[int],
    output_padding: Sequence[int],
    dilation: Sequence[int],
    groups: int,
    dims: int,
) -> Array:
    if 1 <= dims <= 3:
        stride = numbers(stride, dims, "stride", 1)
        padding = numbers(padding, dims, "padding", 0)
        dilation = numbers(dilation, dims, "dilation", 1)
        if len(output_padding) not in (1, dims):
            numbers(output_padding, dims, "output padding", 0)
    _check(x, weight, bias, groups, dims, True)
    more = numbers(output_padding, dims, "output padding", 0)
    size = []
    for d in range(dims):
        if more[d] >= stride[d] and more[d] >= dilation[d]:
            raise RuntimeError(
                f"output padding must be smaller than either stride or dilation, but got {more[d]} with a stride of "
                f"{stride[d]} and a dilation of {dilation[d]}"
            )
        n, window = x.shape[d - dims], weight.shape[2 + d]
        size.append((n - 1) * stride[d] - 2 * padding[d] + (window - 1) * dilation[d] + more[d] + 1)
        if size[-1] < 1:
            raise RuntimeError(
                f"Given an input of size {n} in dimension {d}, the calculated output size is {size[-1]}: Output size "
                f"is "
                "too small"
            )
    batch = _batched(x, dims)
    inner, made = weight.shape[0] // groups, weight.shape[1]
    whole = np.zeros((len(batch), made * groups, *(s + 2 * p for s, p in zip(size, padding, strict=True))), x.dtype)
    with np.errstate(all="ignore"):
        for g, (k, at) in product(range(groups), enumerate(product(*map(range, weight.shape[2:])))):
            part = np.einsum(
                "nc...,co->no...",
                batch[:, g * inner : (g + 1) * inner],
                weight.reshape(inner * groups, made, -1)[g * inner : (g + 1) * inner, :, k],
            )
            places = tuple(
                slice(a * d, a * d + (n - 1) * s + 1, s)
                for a, d, n, s in zip(at, dilation, x.shape[x.ndim - dims :], stride, strict=True)
            )
            whole[(slice(None), slice(g * made, (g + 1) * made), *places)] += part
    out = whole[(slice(None), slice(None), *(slice(p, p + s) for p, s in zip(padding, size, strict=True)))]
    if bias is not None:
        out = out + bias.reshape(-1, *[1] * dims)
    return out if x.ndim == dims + 2 else out[0]


def _unfolded(
    x: Array, window: Sequence[int], dilation: Sequence[int], padding: Sequence[int], stride: Sequence[int]
) -> Array:
    if x.ndim not in (3, 4):
        raise RuntimeError(f"unfold(): expected 3D or 4D (batched) input, but got {x.ndim}D")
    window = numbers(window, 2, "kernel size", 1)
    dilation = numbers(dilation, 2, "dilation", 1)
    padding = numbers(padding, 2, "padding", 0)
    stride = numbers(stride, 2, "stride", 1)
    if 0 in x.shape[-3:]:
        raise RuntimeError("unfold(): only the batch may have size 0")
    batch = np.pad(_batched(x, 2), [(0, 0), (0, 0), *((p, p) for p in padding)])
    if any((w - 1) * d >= n for w, d, n in zip(window, dilation, batch.shape[2:], strict=True)):
        raise RuntimeError(
            f"unfold(): a kernel of ({window[0]}, {window[1]}) has no place in an input of ({x.shape[-2]}, "
            f"{x.shape[-1]})"
        )
    found = windows(batch, window, stride, dilation).transpose(0, 1, 4, 5, 2, 3)
    out = found.reshape(len(batch), x.shape[-3] * window[0] * window[1], found.shape[4] * found.shape[5])
    return out if x.ndim == 4 else out[0]


def _folded(
    x: Array,
    output: Sequence[int],
    window: Sequence[int],
    dilation: Sequence[int],
    padding: Sequence[int],
    stride: Sequence[int],
) -> Array:
    if x.ndim not in (2, 3):
        raise RuntimeError(f"fold(): expected 2D or 3D (batched) input, but got {x.ndim}D")
    if len(output) not in (1, 2):
        raise RuntimeError(f"expected the output size to be one number or 2 numbers, but got {len(output)}")
    window = numbers(window, 2, "kernel size", 1)
    dilation = numbers(dilation, 2, "dilation", 1)
    padding = numbers(padding, 2, "padding", 0)
    stride = numbers(stride, 2, "stride", 1)
    height, width = output[0], output[-1]
    if min(height, width) < 1:
        raise RuntimeError(f"fold(): the output size should be positive, but got ({height}, {width})")
    cells = window[0] * window[1]
    if x.shape[-2] == 0 or x.shape[-2] % cells:
        raise RuntimeError(
            "Expected size of input's dimension 1 to be divisible by the product of kernel_size, but got size "
            f"{x.shape[-2]} and a product of {cells}"
        )
    rooms = [n + 2 * p - (w - 1) * d - 1 for n, p, w, d in zip((height, width), padding, window, dilation, strict=True)]
    places = [max(room // s + 1, 0) if room >= 0 else 0 for room, s in zip(rooms, stride, strict=True)]
    if 0 in places or x.shape[-1] != places[0] * places[1]:
        raise RuntimeError(
            f"fold(): there are {places[0]} x {places[1]} positions of the kernel in the output, but the input has "
            f"{x.shape[-1]}"
        )
    batch = (x if x.ndim == 3 else x[None]).reshape(-1, x.shape[-2] // cells, *window, *places)
    whole = np.zeros((len(batch), batch.shape[1], height + 2 * padding[0], width + 2 * padding[1]), x.dtype)
    with np.errstate(all="ignore"):
        for i, j in product(range(window[0]), range(window[1])):
            rows = slice(i * dilation[0], i * dilation[0] + (places[0] - 1) * stride[0] + 1, stride[0])
            columns = slice(j * dilation[1], j * dilation[1] + (places[1] - 1) * stride[1] + 1, stride[1])
            whole[:, :, rows, columns] += batch[:, :, i, j]
    out = whole[:, :, padding[0] : padding[0] + height, padding[1] : padding[1] + width]
    return out if x.ndim == 3 else out[0]


# ---- operators

CONVOLVE: OpDef = kernel(
    "convolve(Tensor input, Tensor weight, Tensor? bias, int[1] stride, int[1] padding, int[1] dilation, int groups, "
    "int dims, bool same, bool fast, int epilogue) -> Tensor",
    _convolution,
    _convolve,
    "convolution.convolve",
    "A convolution over so many dimensions.",
    generic=(0,),
    exact=False,
    names="",
)
CONVOLVE_TRANSPOSED: OpDef = kernel(
    "convolve_transposed(Tensor input, Tensor weight, Tensor? bias, int[1] stride, int[1] padding, "
    "int[1] output_padding, int[1] dilation, int groups, int dims) -> Tensor",
    _convolution,
    _convolve_transposed,
    "convolution_transposed.convolve_transposed",
    "A transposed convolution over so many dimensions.",
    generic=(0,),
    exact=False,
    names="",
)

_PLAIN = (
    "Tensor input, Tensor weight, Tensor? bias=None, int[1] stride=(1,), int[1] padding=(0,), int[1] dilation=(1,), "
    "int groups=1"
)
_NAMED = (
    "Tensor input, Tensor weight, Tensor? bias=None, int[1] stride=(1,), str padding='valid', int[1] dilation=(1,), "
    "int groups=1"
)
_TRANSPOSED = (
    "Tensor input, Tensor weight, Tensor? bias=None, int[1] stride=(1,), int[1] padding=(0,), "
    "int[1] output_padding=(0,), int groups=1, int[1] dilation=(1,)"
)
_BODIES = (
    (conv1d, conv1d_named, conv_transpose1d),
    (conv2d, conv2d_named, conv_transpose2d),
    (conv3d, conv3d_named, conv_transpose3d),
)


def _over(dims: int) -> tuple[OpDef, ...]:
    plain, named, transposed = _BODIES[dims - 1]
    name = f"conv{dims}d"
    back = f"conv_transpose{dims}d"
    return (
        composite(f"{name}({_PLAIN}) -> Tensor", plain, DOC, names=f"torch.{name} F.{name} out=no"),
        composite(f"{name}.padding({_NAMED}) -> Tensor", named, DOC, names=f"torch.{name} F.{name} out=no"),
        composite(
            f"{back}({_TRANSPOSED}) -> Tensor", transposed, DOC_TRANSPOSED, names=f"torch.{back} F.{back} out=no"
        ),
    )


OPERATORS: tuple[OpDef, ...] = (
    *_over(1),
    *_over(2),
    *_over(3),
    composite(
        "convolution(Tensor input, Tensor weight, Tensor? bias, int[1] stride, int[1] padding, int[1] dilation, "
        "bool transposed, int[1] output_padding, int groups) -> Tensor",
        convolution,
        names="torch.convolution out=no",
    ),
    kernel(
        "im2col(Tensor input, int[1] kernel_size, int[1] dilation=(1,), int[1] padding=(0,), int[1] stride=(1,)) "
        "-> Tensor",
        _unfold,
        _unfolded,
        "columns.unfold_windows",
        "Windows of an image as columns, `torch.nn.functional.unfold`.",
        generic=(0,),
        names="F.unfold",
        complex=True,
    ),
    kernel(
        "col2im(Tensor input, int[1] output_size, int[1] kernel_size, int[1] dilation=(1,), int[1] padding=(0,), "
        "int[1] stride=(1,)) -> Tensor",
        _fold,
        _folded,
        "columns.fold_windows",
        "Columns added up as windows of an image, `torch.nn.functional.fold`.",
        generic=(0,),
        exact=False,
        names="F.fold",
        complex=True,
    ),
)
_FAST = "`conv2d` whose errors may be larger, as `tscript.freeze` makes it where it is asked for speed."
HIDDEN: tuple[OpDef, ...] = (
    CONVOLVE,
    CONVOLVE_TRANSPOSED,
    composite(f"conv2d_fast({_PLAIN}) -> Tensor", conv2d_fast, _FAST, names=""),
    composite(f"conv2d_fast.padding({_NAMED}) -> Tensor", conv2d_named_fast, _FAST, names=""),
)
"""What bodies call, and frozen modules."""

__all__ = ["CONVOLVE", "CONVOLVE_TRANSPOSED", "HIDDEN", "OPERATORS"]
"""All operators of this module."""
