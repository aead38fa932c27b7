"""Elements back at the places they were pooled from, and products of two inputs."""

from __future__ import annotations

from tscript.definitions.define import composite
from tscript.definitions.language import Size, Tensor, generic, torch
from tscript.definitions.opdef import OpDef


@generic
def element(values, i):  # type: ignore[no-untyped-def]
    """An element of a tuple or size, at an index that is known only when the program runs."""
    found = 0
    for at, n in enumerate(values):
        if at == i:
            found = n
    return found


@generic
def number(values, i, dims, name):  # type: ignore[no-untyped-def]
    """The number of a dimension, of one for all or one for each."""
    if len(values) == 1:
        return values[0]
    if len(values) != dims:
        raise RuntimeError(f"{name} should either be an integer or {dims} integers, not {len(values)}")
    return element(values, i)


@generic
def unpooled_size(input, i, dims, kernel_size, stride, padding, output_size):  # type: ignore[no-untyped-def]
    """The size of a dimension before pooling."""
    kernel = number(kernel_size, i, dims, "kernel_size")
    step = kernel if stride is None else number(stride, i, dims, "stride")
    out = (input.size(i - dims) - 1) * step - 2 * number(padding, i, dims, "padding") + kernel
    if output_size is None:
        return out
    if len(output_size) < dims or len(output_size) > dims + 2:
        raise ValueError(f"output_size should be a sequence containing {dims} or {dims + 2} elements")
    given = element(output_size, len(output_size) - dims + i)
    if given <= out - step or given >= out + step:
        raise ValueError(f"invalid output_size {output_size}: dim {i} must be between {out - step} and {out + step}")
    return given


def check_unpool(input: Tensor, indices: Tensor, dims: int) -> None:
    """Refuse shapes that do not go together."""
    if input.dim() != dims + 1 and input.dim() != dims + 2:
        raise RuntimeError(f"max_unpool{dims}d(): expected {dims + 1} or {dims + 2} dimensions, got {input.dim()}")
    if input.size() != indices.size():
        raise RuntimeError(
            f"Expected shape of indices to be same as that of the input tensor ({input.size()}), got {indices.size()}"
        )


def max_unpool1d(
    input: Tensor, indices: Tensor, kernel_size: Size, stride: Size | None, padding: Size, output_size: Size | None
) -> Tensor:
    """The elements at the places that `max_pool1d` took them from, and zeros elsewhere.

    Args:
        input: Of shape ``(N, C, L)`` or ``(C, L)``.
        indices: Their places, int64, of the same shape: the second result of pooling.
        kernel_size, stride, padding: Those of the pooling.
        output_size: The size before pooling, where that is not clear.

    Raises:
        RuntimeError: The shapes do not go together, or a place is outside.
        ValueError: The pooling of this size has another one.

    Example:
        >>> x, at = tscript.tensor([[5.0, 7.0]]), tscript.tensor([[1, 2]])
        >>> tscript.nn.functional.max_unpool1d(x, at, 2).tolist()
        [[0.0, 5.0, 7.0, 0.0]]
    """
    check_unpool(input, indices, 1)
    n = unpooled_size(input, 0, 1, kernel_size, stride, padding, output_size)
    size = (n,)
    return torch.zeros(input.size()[:-1] + size, dtype=input.dtype).scatter(-1, indices, input)


def max_unpool2d(
    input: Tensor, indices: Tensor, kernel_size: Size, stride: Size | None, padding: Size, output_size: Size | None
) -> Tensor:
    """`max_unpool1d` of two dimensions; places are counted along rows.

    Args:
        input: Of shape ``(N, C, H, W)`` or ``(C, H, W)``.
        indices, kernel_size, stride, padding, output_size: See `torch.nn.functional.max_unpool1d`.

    Raises:
        RuntimeError: The shapes do not go together, or a place is outside.
        ValueError: The pooling of this size has another one.

    Example:
        >>> x, at = tscript.tensor([[[5.0]]]), tscript.tensor([[[3]]])
        >>> tscript.nn.functional.max_unpool2d(x, at, 2).tolist()
        [[[0.0, 0.0], [0.0, 5.0]]]
    """
    check_unpool(input, indices, 2)
    h = unpooled_size(input, 0, 2, kernel_size, stride, padding, output_size)
    w = unpooled_size(input, 1, 2, kernel_size, stride, padding, output_size)
    whole, sizes = (h * w,), (h, w)
    flat = torch.zeros(input.size()[:-2] + whole, dtype=input.dtype)
    return flat.scatter(-1, indices.flatten(-2), input.flatten(-2)).reshape(input.size()[:-2] + sizes)


def max_unpool3d(
    input: Tensor, indices: Tensor, kernel_size: Size, stride: Size | None, padding: Size, output_size: Size | None
) -> Tensor:
    """`max_unpool1d` of three dimensions; places are counted along rows, then planes.

    Args:
        input: Of shape ``(N, C, D, H, W)`` or ``(C, D, H, W)``.
        indices, kernel_size, stride, padding, output_size: See `torch.nn.functional.max_unpool1d`.

    Raises:
        RuntimeError: The shapes do not go together, or a place is outside.
        ValueError: The pooling of this size has another one.

    Example:
        >>> x, at = tscript.tensor([[[[5.0]]]]), tscript.tensor([[[[1]]]])
        >>> tscript.nn.functional.max_unpool3d(x, at, (1, 1, 2)).tolist()
        [[[[0.0, 5.0]]]]
    """
    check_unpool(input, indices, 3)
    d = unpooled_size(input, 0, 3, kernel_size, stride, padding, output_size)
    h = unpooled_size(input, 1, 3, kernel_size, stride, padding, output_size)
    w = unpooled_size(input, 2, 3, kernel_size, stride, padding, output_size)
    whole, sizes = (d * h * w,), (d, h, w)
    flat = torch.zeros(input.size()[:-3] + whole, dtype=input.dtype)
    return flat.scatter(-1, indices.flatten(-3), input.flatten(-3)).reshape(input.size()[:-3] + sizes)


def bilinear(input1: Tensor, input2: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
    """``input1 @ weight[k] @ input2 + bias[k]`` for each output k: the formula of `torch.nn.Bilinear`.

    Args:
        input1, input2: Of shapes ``(*, I)`` and ``(*, J)``.
        weight: Of shape ``(K, I, J)``.
        bias: Of shape ``(K,)``.

    Returns:
        Of shape ``(*, K)``.

    Raises:
        RuntimeError: The shapes do not go together.

    Example:
        >>> x, w = tscript.tensor([2.0]), tscript.tensor([[[3.0]]])
        >>> tscript.nn.functional.bilinear(x, x, w).tolist()
        [12.0]
    """
    if (
        weight.dim() != 3
        or input1.dim() < 1
        or input1.dim() != input2.dim()
        or input1.size()[:-1] != input2.size()[:-1]
    ):
        raise RuntimeError(
            f"bilinear(): inputs of shapes (*, I) and (*, J) and a weight of shape (K, I, J), but got {input1.size()}, "
            f"{input2.size()} and {weight.size()}"
        )
    k, i, j = weight.size(0), weight.size(1), weight.size(2)
    if input1.size(-1) != i or input2.size(-1) != j:
        raise RuntimeError(
            f"bilinear(): input sizes do not match the weight: got {input1.size(-1)} and {input2.size(-1)}, "
            f"expected {i} and {j}"
        )
    n = input1.numel() // max(i, 1)
    outputs = (k,)
    left = input1.reshape(n, i).matmul(weight.permute(1, 0, 2).reshape(i, k * j)).reshape(n, k, j)
    out = (left * input2.reshape(n, 1, j)).sum(-1).reshape(input1.size()[:-1] + outputs)
    return out if bias is None else out + bias


_UNPOOL = (
    "Tensor input, Tensor indices, int[1] kernel_size, int[1]? stride=None, int[1] padding=(0,), "
    "int[1]? output_size=None"
)

OPERATORS: tuple[OpDef, ...] = (
    composite(f"max_unpool1d({_UNPOOL}) -> Tensor", max_unpool1d, names="F.max_unpool1d"),
    composite(f"max_unpool2d({_UNPOOL}) -> Tensor", max_unpool2d, names="F.max_unpool2d"),
    composite(f"max_unpool3d({_UNPOOL}) -> Tensor", max_unpool3d, names="F.max_unpool3d"),
    composite(
        "bilinear(Tensor input1, Tensor input2, Tensor weight, Tensor? bias=None) -> Tensor",
        bilinear,
        names="torch.bilinear F.bilinear out=no",
    ),
)
"""All operators of this module."""
