"""Pools: the greatest element, the mean or the norm of windows."""

from __future__ import annotations

from typing import Any

import tscript.nn.functional as F
from tscript import Tensor
from tscript.nn.modules.module import Module
from tscript.nn.modules.utils import _pair, _single, _triple

_Sizes = int | tuple[int, ...]


class _MaxPoolNd(Module):
    """What max pools of all dimensions have.

    Args:
        kernel_size: Of a window: one number for all dimensions, or one for each.
        stride: From window to window; the size of one if left out.
        padding: What is added at both ends, less than everything.
        dilation: Steps inside a window.
        return_indices: Whether a call gives the places of the elements too.
        ceil_mode: Whether windows that reach beyond the end count.
    """

    __constants__: tuple[str, ...] = ("kernel_size", "stride", "padding", "dilation", "return_indices", "ceil_mode")
    return_indices: bool
    ceil_mode: bool

    def __init__(
        self,
        kernel_size: _Sizes,
        stride: _Sizes | None = None,
        padding: _Sizes = 0,
        dilation: _Sizes = 1,
        return_indices: bool = False,
        ceil_mode: bool = False,
    ) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = stride if stride is not None else kernel_size
        self.padding = padding
        self.dilation = dilation
        self.return_indices = return_indices
        self.ceil_mode = ceil_mode

    def extra_repr(self) -> str:
        return (
            f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}, "
            f"dilation={self.dilation}, ceil_mode={self.ceil_mode}"
        )


class MaxPool1d(_MaxPoolNd):
    """The greatest element of each window of ``(N, C, L)``, batched or not; arguments as `_MaxPoolNd`."""

    def forward(self, input: Tensor):  # type: ignore[no-untyped-def]  # a pair with `return_indices`
        """The elements; with `return_indices` their places too."""
        if self.return_indices:
            return F.max_pool1d_with_indices(
                input, self.kernel_size, self.stride, self.padding, self.dilation, self.ceil_mode
            )
        return F.max_pool1d(input, self.kernel_size, self.stride, self.padding, self.dilation, self.ceil_mode)


class MaxPool2d(_MaxPoolNd):
    """The greatest element of each window of ``(N, C, H, W)``, batched or not; arguments as `_MaxPoolNd`."""

    def forward(self, input: Tensor):  # type: ignore[no-untyped-def]  # a pair with `return_indices`
        """The elements; with `return_indices` their places too."""
        if self.return_indices:
            return F.max_pool2d_with_indices(
                input, self.kernel_size, self.stride, self.padding, self.dilation, self.ceil_mode
            )
        return F.max_pool2d(input, self.kernel_size, self.stride, self.padding, self.dilation, self.ceil_mode)


class MaxPool3d(_MaxPoolNd):
    """The greatest element of each window of ``(N, C, D, H, W)``, batched or not; arguments as `_MaxPoolNd`."""

    def forward(self, input: Tensor):  # type: ignore[no-untyped-def]  # a pair with `return_indices`
        """The elements; with `return_indices` their places too."""
        if self.return_indices:
            return F.max_pool3d_with_indices(
                input, self.kernel_size, self.stride, self.padding, self.dilation, self.ceil_mode
            )
        return F.max_pool3d(input, self.kernel_size, self.stride, self.padding, self.dilation, self.ceil_mode)


class _MaxUnpoolNd(Module):
    """What undone max pools of all dimensions have."""

    kernel_size: tuple[int, ...]
    stride: tuple[int, ...]
    padding: tuple[int, ...]

    def extra_repr(self) -> str:
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class MaxUnpool1d(_MaxUnpoolNd):
    """Elements of a max pool at their places, and 0 elsewhere.

    Args:
        kernel_size, stride, padding: Those of the pool.
    """

    def __init__(self, kernel_size: _Sizes, stride: _Sizes | None = None, padding: _Sizes = 0) -> None:
        super().__init__()
        self.kernel_size = _single(kernel_size)
        self.stride = _single(stride if stride is not None else kernel_size)
        self.padding = _single(padding)

    def forward(self, input: Tensor, indices: Tensor, output_size: list[int] | None = None) -> Tensor:
        """The tensor before the pool, with 0 for what it lost; `output_size` where the windows leave a choice."""
        return F.max_unpool1d(input, indices, self.kernel_size, self.stride, self.padding, output_size)


class MaxUnpool2d(_MaxUnpoolNd):
    """Elements of a max pool at their places, and 0 elsewhere.

    Args:
        kernel_size, stride, padding: Those of the pool.
    """

    def __init__(self, kernel_size: _Sizes, stride: _Sizes | None = None, padding: _Sizes = 0) -> None:
        super().__init__()
        self.kernel_size = _pair(kernel_size)
        self.stride = _pair(stride if stride is not None else kernel_size)
        self.padding = _pair(padding)

    def forward(self, input: Tensor, indices: Tensor, output_size: list[int] | None = None) -> Tensor:
        """The tensor before the pool, with 0 for what it lost; `output_size` where the windows leave a choice."""
        return F.max_unpool2d(input, indices, self.kernel_size, self.stride, self.padding, output_size)


class MaxUnpool3d(_MaxUnpoolNd):
    """Elements of a max pool at their places, and 0 elsewhere.

    Args:
        kernel_size, stride, padding: Those of the pool.
    """

    def __init__(self, kernel_size: _Sizes, stride: _Sizes | None = None, padding: _Sizes = 0) -> None:
        super().__init__()
        self.kernel_size = _triple(kernel_size)
        self.stride = _triple(stride if stride is not None else kernel_size)
        self.padding = _triple(padding)

    def forward(self, input: Tensor, indices: Tensor, output_size: list[int] | None = None) -> Tensor:
        """The tensor before the pool, with 0 for what it lost; `output_size` where the windows leave a choice."""
        return F.max_unpool3d(input, indices, self.kernel_size, self.stride, self.padding, output_size)


class AvgPool1d(Module):
    """The mean of each window of ``(N, C, L)``, with or without the batch.

    Args:
        kernel_size: Of a window: one number for all dimensions, or one for each.
        stride: From window to window; the size of one if left out.
        padding: Zeros that are added at both ends.
        ceil_mode: Whether windows that reach beyond the end count.
        count_include_pad: Whether the added zeros count.
    """

    __constants__: tuple[str, ...] = ("kernel_size", "stride", "padding", "ceil_mode", "count_include_pad")
    ceil_mode: bool
    count_include_pad: bool

    def __init__(
        self,
        kernel_size: _Sizes,
        stride: _Sizes | None = None,
        padding: _Sizes = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
    ) -> None:
        super().__init__()
        self.kernel_size = _single(kernel_size)
        self.stride = _single(stride if stride is not None else kernel_size)
        self.padding = _single(padding)
        self.ceil_mode = ceil_mode
        self.count_include_pad = count_include_pad

    def forward(self, input: Tensor) -> Tensor:
        """The means."""
        return F.avg_pool1d(input, self.kernel_size, self.stride, self.padding, self.ceil_mode, self.count_include_pad)

    def extra_repr(self) -> str:
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class AvgPool2d(Module):
    """The mean of each window of ``(N, C, H, W)``, with or without the batch.

    Args:
        kernel_size: Of a window: one number for all dimensions, or one for each.
        stride: From window to window; the size of one if left out.
        padding: Zeros that are added at both ends.
        ceil_mode: Whether windows that reach beyond the end count.
        count_include_pad: Whether the added zeros count.
        divisor_override: By what the sums are divided, in place of the number of elements.
    """

    __constants__: tuple[str, ...] = (
        "kernel_size",
        "stride",
        "padding",
        "ceil_mode",
        "count_include_pad",
        "divisor_override",
    )
    ceil_mode: bool
    count_include_pad: bool

    def __init__(
        self,
        kernel_size: _Sizes,
        stride: _Sizes | None = None,
        padding: _Sizes = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: int | None = None,
    ) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = stride if stride is not None else kernel_size
        self.padding = padding
        self.ceil_mode = ceil_mode
        self.count_include_pad = count_include_pad
        self.divisor_override = divisor_override

    def forward(self, input: Tensor) -> Tensor:
        """The means."""
        return F.avg_pool2d(
            input,
            self.kernel_size,
            self.stride,
            self.padding,
            self.ceil_mode,
            self.count_include_pad,
            self.divisor_override,
        )

    def extra_repr(self) -> str:
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class AvgPool3d(Module):
    """The mean of each window of ``(N, C, D, H, W)``, with or without the batch.

    Args:
        kernel_size: Of a window: one number for all dimensions, or one for each.
        stride: From window to window; the size of one if left out.
        padding: Zeros that are added at both ends.
        ceil_mode: Whether windows that reach beyond the end count.
        count_include_pad: Whether the added zeros count.
        divisor_override: By what the sums are divided, in place of the number of elements.
    """

    __constants__: tuple[str, ...] = (
        "kernel_size",
        "stride",
        "padding",
        "ceil_mode",
        "count_include_pad",
        "divisor_override",
    )
    ceil_mode: bool
    count_include_pad: bool

    def __init__(
        self,
        kernel_size: _Sizes,
        stride: _Sizes | None = None,
        padding: _Sizes = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: int | None = None,
    ) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = stride if stride is not None else kernel_size
        self.padding = padding
        self.ceil_mode = ceil_mode
        self.count_include_pad = count_include_pad
        self.divisor_override = divisor_override

    def forward(self, input: Tensor) -> Tensor:
        """The means."""
        return F.avg_pool3d(
            input,
            self.kernel_size,
            self.stride,
            self.padding,
            self.ceil_mode,
            self.count_include_pad,
            self.divisor_override,
        )

    def extra_repr(self) -> str:
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class _LPPoolNd(Module):
    """What pools of norms have.

    Args:
        norm_type: The exponent.
        kernel_size: Of a window.
        stride: From window to window; the size of one if left out.
        ceil_mode: Whether windows that reach beyond the end count.
    """

    __constants__: tuple[str, ...] = ("norm_type", "kernel_size", "stride", "ceil_mode")
    norm_type: float
    ceil_mode: bool

    def __init__(
        self, norm_type: float, kernel_size: _Sizes, stride: _Sizes | None = None, ceil_mode: bool = False
    ) -> None:
        super().__init__()
        self.norm_type = norm_type
        self.kernel_size = kernel_size
        self.stride = stride
        self.ceil_mode = ceil_mode

    def extra_repr(self) -> str:
        return (
            f"norm_type={self.norm_type}, kernel_size={self.kernel_size}, stride={self.stride}, "
            f"ceil_mode={self.ceil_mode}"
        )


class LPPool1d(_LPPoolNd):
    """The norm of each window, ``sum(x ** p) ** (1 / p)``; arguments as `_LPPoolNd`."""

    def forward(self, input: Tensor) -> Tensor:
        """The norms."""
        return F.lp_pool1d(input, float(self.norm_type), self.kernel_size, self.stride, self.ceil_mode)


class LPPool2d(_LPPoolNd):
    """The norm of each window, ``sum(x ** p) ** (1 / p)``; arguments as `_LPPoolNd`."""

    def forward(self, input: Tensor) -> Tensor:
        """The norms."""
        return F.lp_pool2d(input, float(self.norm_type), self.kernel_size, self.stride, self.ceil_mode)


class LPPool3d(_LPPoolNd):
    """The norm of each window, ``sum(x ** p) ** (1 / p)``; arguments as `_LPPoolNd`."""

    def forward(self, input: Tensor) -> Tensor:
        """The norms."""
        return F.lp_pool3d(input, float(self.norm_type), self.kernel_size, self.stride, self.ceil_mode)


class AdaptiveMaxPool1d(Module):
    """The greatest element of each of so many windows as the result has elements.

    Args:
        output_size: Sizes of the result.
        return_indices: Whether a call gives the places of the elements too.
    """

    __constants__: tuple[str, ...] = ("output_size", "return_indices")
    return_indices: bool

    def __init__(self, output_size: Any, return_indices: bool = False) -> None:
        super().__init__()
        self.output_size = output_size
        self.return_indices = return_indices

    def forward(self, input: Tensor):  # type: ignore[no-untyped-def]  # a pair with `return_indices`
        """The elements; with `return_indices` their places too."""
        if self.return_indices:
            return F.adaptive_max_pool1d_with_indices(input, self.output_size)
        return F.adaptive_max_pool1d(input, self.output_size)

    def extra_repr(self) -> str:
        return f"output_size={self.output_size}"


class AdaptiveMaxPool2d(Module):
    """The greatest element of each of so many windows as the result has elements.

    Args:
        output_size: Sizes of the result; None for that of the input.
        return_indices: Whether a call gives the places of the elements too.
    """

    __constants__: tuple[str, ...] = ("output_size", "return_indices")
    return_indices: bool

    def __init__(self, output_size: Any, return_indices: bool = False) -> None:
        super().__init__()
        self.output_size = output_size
        self.return_indices = return_indices

    def forward(self, input: Tensor):  # type: ignore[no-untyped-def]  # a pair with `return_indices`
        """The elements; with `return_indices` their places too."""
        if self.return_indices:
            return F.adaptive_max_pool2d_with_indices(input, self.output_size)
        return F.adaptive_max_pool2d(input, self.output_size)

    def extra_repr(self) -> str:
        return f"output_size={self.output_size}"


class AdaptiveMaxPool3d(Module):
    """The greatest element of each of so many windows as the result has elements.

    Args:
        output_size: Sizes of the result; None for that of the input.
        return_indices: Whether a call gives the places of the elements too.
    """

    __constants__: tuple[str, ...] = ("output_size", "return_indices")
    return_indices: bool

    def __init__(self, output_size: Any, return_indices: bool = False) -> None:
        super().__init__()
        self.output_size = output_size
        self.return_indices = return_indices

    def forward(self, input: Tensor):  # type: ignore[no-untyped-def]  # a pair with `return_indices`
        """The elements; with `return_indices` their places too."""
        if self.return_indices:
            return F.adaptive_max_pool3d_with_indices(input, self.output_size)
        return F.adaptive_max_pool3d(input, self.output_size)

    def extra_repr(self) -> str:
        return f"output_size={self.output_size}"


class AdaptiveAvgPool1d(Module):
    """The mean of each of so many windows as the result has elements.

    Args:
        output_size: Sizes of the result.
    """

    __constants__: tuple[str, ...] = ("output_size",)

    def __init__(self, output_size: Any) -> None:
        super().__init__()
        self.output_size = output_size

    def forward(self, input: Tensor) -> Tensor:
        """The elements."""
        return F.adaptive_avg_pool1d(input, self.output_size)

    def extra_repr(self) -> str:
        return f"output_size={self.output_size}"


class AdaptiveAvgPool2d(Module):
    """The mean of each of so many windows as the result has elements.

    Args:
        output_size: Sizes of the result; None for that of the input.
    """

    __constants__: tuple[str, ...] = ("output_size",)

    def __init__(self, output_size: Any) -> None:
        super().__init__()
        self.output_size = output_size

    def forward(self, input: Tensor) -> Tensor:
        """The elements."""
        return F.adaptive_avg_pool2d(input, self.output_size)

    def extra_repr(self) -> str:
        return f"output_size={self.output_size}"


class AdaptiveAvgPool3d(Module):
    """The mean of each of so many windows as the result has elements.

    Args:
        output_size: Sizes of the result; None for that of the input.
    """

    __constants__: tuple[str, ...] = ("output_size",)

    def __init__(self, output_size: Any) -> None:
        super().__init__()
        self.output_size = output_size

    def forward(self, input: Tensor) -> Tensor:
        """The elements."""
        return F.adaptive_avg_pool3d(input, self.output_size)

    def extra_repr(self) -> str:
        return f"output_size={self.output_size}"
