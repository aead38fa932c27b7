"""Padding of one, two and three dimensions: constants, zeros, reflected, repeated and circular."""

from __future__ import annotations

import tscript.nn.functional as F
from tscript import Tensor
from tscript.nn.modules.module import Module
from tscript.nn.modules.utils import _ntuple, _pair, _quadruple

_Sizes = int | tuple[int, ...]

_sextuple = _ntuple(6)


class _PadNd(Module):
    """What padding of all kinds has."""

    __constants__: tuple[str, ...] = ("padding",)
    padding: tuple[int, ...]

    def extra_repr(self) -> str:
        return f"{self.padding}"


class _ConstantPadNd(_PadNd):
    """What padding with one number has."""

    __constants__: tuple[str, ...] = ("padding", "value")
    value: float

    def forward(self, input: Tensor) -> Tensor:
        """The input with numbers added."""
        return F.pad(input, self.padding, "constant", self.value)

    def extra_repr(self) -> str:
        return f"padding={self.padding}, value={self.value}"


class ConstantPad1d(_ConstantPadNd):
    """The last dimension with a number added at both ends.

    Args:
        padding: One number for all ends, or one for each: those of the last dimension first.
        value: The number.
    """

    def __init__(self, padding: _Sizes, value: float) -> None:
        super().__init__()
        self.padding = _pair(padding)
        self.value = value


class ZeroPad1d(ConstantPad1d):
    """`ConstantPad1d` with zeros.

    Args:
        padding: One number for all ends, or one for each: those of the last dimension first.
    """

    def __init__(self, padding: _Sizes) -> None:
        super().__init__(padding, 0.0)

    def extra_repr(self) -> str:
        return f"{self.padding}"


class ConstantPad2d(_ConstantPadNd):
    """The last two dimensions with a number added at both ends.

    Args:
        padding: One number for all ends, or one for each: those of the last dimension first.
        value: The number.
    """

    def __init__(self, padding: _Sizes, value: float) -> None:
        super().__init__()
        self.padding = _quadruple(padding)
        self.value = value


class ZeroPad2d(ConstantPad2d):
    """`ConstantPad2d` with zeros.

    Args:
        padding: One number for all ends, or one for each: those of the last dimension first.
    """

    def __init__(self, padding: _Sizes) -> None:
        super().__init__(padding, 0.0)

    def extra_repr(self) -> str:
        return f"{self.padding}"


class ConstantPad3d(_ConstantPadNd):
    """The last three dimensions with a number added at both ends.

    Args:
        padding: One number for all ends, or one for each: those of the last dimension first.
        value: The number.
    """

    def __init__(self, padding: _Sizes, value: float) -> None:
        super().__init__()
        self.padding = _sextuple(padding)
        self.value = value


class ZeroPad3d(ConstantPad3d):
    """`ConstantPad3d` with zeros.

    Args:
        padding: One number for all ends, or one for each: those of the last dimension first.
    """

    def __init__(self, padding: _Sizes) -> None:
        super().__init__(padding, 0.0)

    def extra_repr(self) -> str:
        return f"{self.padding}"


class ReflectionPad1d(_PadNd):
    """The input reflected at both ends of the last dimension.

    Args:
        padding: One number for all ends, or one for each: those of the last dimension first.
    """

    def __init__(self, padding: _Sizes) -> None:
        super().__init__()
        self.padding = _pair(padding)

    def forward(self, input: Tensor) -> Tensor:
        """The input with elements added."""
        return F.pad(input, self.padding, "reflect")


class ReflectionPad2d(_PadNd):
    """The input reflected at both ends of the last two dimensions.

    Args:
        padding: One number for all ends, or one for each: those of the last dimension first.
    """

    def __init__(self, padding: _Sizes) -> None:
        super().__init__()
        self.padding = _quadruple(padding)

    def forward(self, input: Tensor) -> Tensor:
        """The input with elements added."""
        return F.pad(input, self.padding, "reflect")


class ReflectionPad3d(_PadNd):
    """The input reflected at both ends of the last three dimensions.

    Args:
        padding: One number for all ends, or one for each: those of the last dimension first.
    """

    def __init__(self, padding: _Sizes) -> None:
        super().__init__()
        self.padding = _sextuple(padding)

    def forward(self, input: Tensor) -> Tensor:
        """The input with elements added."""
        return F.pad(input, self.padding, "reflect")


class ReplicationPad1d(_PadNd):
    """The input and its outermost elements repeated at both ends of the last dimension.

    Args:
        padding: One number for all ends, or one for each: those of the last dimension first.
    """

    def __init__(self, padding: _Sizes) -> None:
        super().__init__()
        self.padding = _pair(padding)

    def forward(self, input: Tensor) -> Tensor:
        """The input with elements added."""
        return F.pad(input, self.padding, "replicate")


class ReplicationPad2d(_PadNd):
    """The input and its outermost elements repeated at both ends of the last two dimensions.

    Args:
        padding: One number for all ends, or one for each: those of the last dimension first.
    """

    def __init__(self, padding: _Sizes) -> None:
        super().__init__()
        self.padding = _quadruple(padding)

    def forward(self, input: Tensor) -> Tensor:
        """The input with elements added."""
        return F.pad(input, self.padding, "replicate")


class ReplicationPad3d(_PadNd):
    """The input and its outermost elements repeated at both ends of the last three dimensions.

    Args:
        padding: One number for all ends, or one for each: those of the last dimension first.
    """

    def __init__(self, padding: _Sizes) -> None:
        super().__init__()
        self.padding = _sextuple(padding)

    def forward(self, input: Tensor) -> Tensor:
        """The input with elements added."""
        return F.pad(input, self.padding, "replicate")


class CircularPad1d(_PadNd):
    """The input and its other end added at each end of the last dimension.

    Args:
        padding: One number for all ends, or one for each: those of the last dimension first.
    """

    def __init__(self, padding: _Sizes) -> None:
        super().__init__()
        self.padding = _pair(padding)

    def forward(self, input: Tensor) -> Tensor:
        """The input with elements added."""
        return F.pad(input, self.padding, "circular")


class CircularPad2d(_PadNd):
    """The input and its other end added at each end of the last two dimensions.

    Args:
        padding: One number for all ends, or one for each: those of the last dimension first.
    """

    def __init__(self, padding: _Sizes) -> None:
        super().__init__()
        self.padding = _quadruple(padding)

    def forward(self, input: Tensor) -> Tensor:
        """The input with elements added."""
        return F.pad(input, self.padding, "circular")


class CircularPad3d(_PadNd):
    """The input and its other end added at each end of the last three dimensions.

    Args:
        padding: One number for all ends, or one for each: those of the last dimension first.
    """

    def __init__(self, padding: _Sizes) -> None:
        super().__init__()
        self.padding = _sextuple(padding)

    def forward(self, input: Tensor) -> Tensor:
        """The input with elements added."""
        return F.pad(input, self.padding, "circular")
