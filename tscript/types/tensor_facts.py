"""`TensorFacts`: what is known of a tensor before its values are.

The one place that says so. The type of a tensor holds them, a call's key is made of them, specialisation finds them.
"""

from __future__ import annotations

from tscript.late import dataclass
from tscript.types.dtypes import DType

CPU = "cpu"
"""The device of all tensors."""

STRIDED = "strided"
"""The layout of all tensors."""


@dataclass(frozen=True, slots=True)
class TensorFacts:
    """What is known of a tensor.

    Attributes:
        dtype: Element type; None while unknown.
        rank: Number of dimensions; None while unknown.
        device: Where its elements lie.
        layout: How they lie there.
        requires_grad: Whether gradients are wanted of it.

    Example:
        >>> from tscript.types import dtypes
        >>> print(TensorFacts(dtypes.float32, 2), TensorFacts(rank=1), TensorFacts())
        Tensor[float32, 2] Tensor[?, 1] Tensor
    """

    dtype: DType | None = None
    rank: int | None = None
    device: str = CPU
    layout: str = STRIDED
    requires_grad: bool = False

    @property
    def is_known(self) -> bool:
        """Whether dtype and rank are both known."""
        return self.dtype is not None and self.rank is not None

    def holds(self, other: TensorFacts) -> bool:
        """Whether these facts are true of every tensor that `other` is true of."""
        return (
            self.dtype in (None, other.dtype)
            and self.rank in (None, other.rank)
            and self._elsewhere() == other._elsewhere()
        )

    def join(self, other: TensorFacts) -> TensorFacts | None:
        """What is true of the tensors of both; None when there is no such type."""
        if self._elsewhere() != other._elsewhere():
            return None
        return TensorFacts(
            self.dtype if self.dtype is other.dtype else None,
            self.rank if self.rank == other.rank else None,
            *self._elsewhere(),
        )

    def general(self) -> TensorFacts:
        """The same without dtype and rank."""
        return TensorFacts(None, None, *self._elsewhere())

    def _elsewhere(self) -> tuple[str, str, bool]:
        """What is always known."""
        return self.device, self.layout, self.requires_grad

    def __str__(self) -> str:
        """As the type of the tensor is printed; device, layout and requires_grad are left out where they are usual."""
        usual = TensorFacts()
        further = [
            f"{name}={getattr(self, name)}"
            for name in ("device", "layout", "requires_grad")
            if getattr(self, name) != getattr(usual, name)
        ]
        if self.dtype is None and self.rank is None and not further:
            return "Tensor"
        parts = [self.dtype.name if self.dtype else "?", "?" if self.rank is None else str(self.rank), *further]
        return f"Tensor[{', '.join(parts)}]"
