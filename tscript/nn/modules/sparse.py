"""`Embedding`, `EmbeddingBag`."""

from __future__ import annotations

from typing import Any

import tscript
import tscript.nn.functional as F
from tscript import Tensor
from tscript.nn import init
from tscript.nn.modules.making import empty
from tscript.nn.modules.module import Module
from tscript.nn.parameter import Parameter


def _checked_padding(padding_idx: int | None, num_embeddings: int) -> int | None:
    """The number of the padding row, not negative."""
    if padding_idx is None:
        return None
    if not -num_embeddings <= padding_idx < num_embeddings:
        raise AssertionError(f"padding_idx must be within num_embeddings: {padding_idx} is not, with {num_embeddings}")
    return padding_idx % num_embeddings


def _shorten(table: Tensor, numbers: Tensor, max_norm: float, norm_type: float) -> None:
    """Make rows of a table that are longer than `max_norm` as long."""
    found = numbers.reshape(-1).unique()
    rows = table[found]
    norms = rows.norm(norm_type, 1, True)
    table[found] = tscript.where(norms > max_norm, rows * (max_norm / (norms + 1e-7)), rows)


class Embedding(Module):
    """Rows of a table by their numbers.

    Args:
        num_embeddings, embedding_dim: Sizes of the table.
        padding_idx: A row that is 0 at first.
        max_norm: Rows that are looked up and longer than this are made as long, in the table.
        norm_type: The exponent of that norm.
        scale_grad_by_freq, sparse: Of gradients, which are not computed.
        _weight: The table, if there is one.
        _freeze: Whether its `requires_grad` is False.
        device, dtype: Of the table.

    Raises:
        AssertionError: There is no such row, or the table has other sizes.

    Example:
        >>> import tscript
        >>> from tscript import nn
        >>> nn.Embedding(10, 3)(tscript.tensor([[1, 2], [4, 5]])).shape
        (2, 2, 3)
    """

    __constants__: tuple[str, ...] = (
        "num_embeddings", "embedding_dim", "padding_idx", "max_norm", "norm_type", "scale_grad_by_freq", "sparse",
    )  # fmt: skip
    num_embeddings: int
    embedding_dim: int
    padding_idx: int | None
    max_norm: float | None
    norm_type: float
    scale_grad_by_freq: bool
    sparse: bool
    weight: Tensor

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        padding_idx: int | None = None,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        sparse: bool = False,
        _weight: Tensor | None = None,
        _freeze: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.num_embeddings = num_embeddings
        self.embedding_dim = embedding_dim
        self.padding_idx = _checked_padding(padding_idx, num_embeddings)
        self.max_norm = max_norm
        self.norm_type = norm_type
        self.scale_grad_by_freq = scale_grad_by_freq
        self.sparse = sparse
        if _weight is None:
            made = empty((num_embeddings, embedding_dim), device=device, dtype=dtype)
            self.weight = Parameter(made, requires_grad=not _freeze)
            self.reset_parameters()
        else:
            if tuple(_weight.shape) != (num_embeddings, embedding_dim):
                raise AssertionError("Shape of weight does not match num_embeddings and embedding_dim")
            self.weight = Parameter(_weight, requires_grad=not _freeze)

    def reset_parameters(self) -> None:
        """Numbers of the normal distribution, and 0 in the padding row."""
        init.normal_(self.weight)
        if self.padding_idx is not None:
            self.weight[self.padding_idx].fill_(0)

    def forward(self, input: Tensor) -> Tensor:
        """The rows: ``(*)`` becomes ``(*, embedding_dim)``."""
        max_norm = self.max_norm
        if max_norm is not None:
            _shorten(self.weight, input, max_norm, self.norm_type)
        return F.embedding(input, self.weight, self.padding_idx)

    def extra_repr(self) -> str:
        text = f"{self.num_embeddings}, {self.embedding_dim}"
        if self.padding_idx is not None:
            text += f", padding_idx={self.padding_idx}"
        if self.max_norm is not None:
            text += f", max_norm={self.max_norm}"
        if self.norm_type != 2:
            text += f", norm_type={self.norm_type}"
        if self.scale_grad_by_freq is not False:
            text += f", scale_grad_by_freq={self.scale_grad_by_freq}"
        return text + (", sparse=True" if self.sparse is not False else "")

    @classmethod
    def from_pretrained(
        cls,
        embeddings: Tensor,
        freeze: bool = True,
        padding_idx: int | None = None,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        sparse: bool = False,
    ) -> Embedding:
        """A layer with a table.

        Args:
            embeddings: The table.
            freeze: Whether its `requires_grad` is False.
            padding_idx, max_norm, norm_type, scale_grad_by_freq, sparse: As of `Embedding`.

        Raises:
            AssertionError: The table is no matrix.
        """
        if embeddings.dim() != 2:
            raise AssertionError("Embeddings parameter is expected to be 2-dimensional")
        rows, columns = embeddings.shape
        return cls(rows, columns, padding_idx, max_norm, norm_type, scale_grad_by_freq, sparse, embeddings, freeze)


class EmbeddingBag(Module):
    """Sums, means or greatest elements of rows of a table, for bags of their numbers.

    Args:
        num_embeddings, embedding_dim: Sizes of the table.
        max_norm, norm_type, scale_grad_by_freq, sparse: As of `Embedding`.
        mode: ``sum``, ``mean`` or ``max``.
        _weight: The table, if there is one.
        include_last_offset: Whether the offsets end with the number of numbers.
        padding_idx: A row that does not count.
        device, dtype: Of the table.

    Raises:
        AssertionError: There is no such row, or the table has other sizes.
    """

    __constants__: tuple[str, ...] = (
        "num_embeddings", "embedding_dim", "max_norm", "norm_type", "scale_grad_by_freq", "mode", "sparse",
        "include_last_offset", "padding_idx",
    )  # fmt: skip
    num_embeddings: int
    embedding_dim: int
    max_norm: float | None
    norm_type: float
    scale_grad_by_freq: bool
    mode: str
    sparse: bool
    include_last_offset: bool
    padding_idx: int | None
    weight: Tensor

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        mode: str = "mean",
        sparse: bool = False,
        _weight: Tensor | None = None,
        include_last_offset: bool = False,
        padding_idx: int | None = None,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.num_embeddings = num_embeddings
        self.embedding_dim = embedding_dim
        self.max_norm = max_norm
        self.norm_type = norm_type
        self.scale_grad_by_freq = scale_grad_by_freq
        self.padding_idx = _checked_padding(padding_idx, num_embeddings)
        if _weight is None:
            self.weight = Parameter(empty((num_embeddings, embedding_dim), device=device, dtype=dtype))
            self.reset_parameters()
        else:
            if tuple(_weight.shape) != (num_embeddings, embedding_dim):
                raise AssertionError("Shape of weight does not match num_embeddings and embedding_dim")
            self.weight = Parameter(_weight)
        self.mode = mode
        self.sparse = sparse
        self.include_last_offset = include_last_offset

    def reset_parameters(self) -> None:
        """Numbers of the normal distribution, and 0 in the padding row."""
        init.normal_(self.weight)
        if self.padding_idx is not None:
            self.weight[self.padding_idx].fill_(0)

    def forward(self, input: Tensor, offsets: Tensor | None = None, per_sample_weights: Tensor | None = None) -> Tensor:
        """What each bag of rows gives.

        Args:
            input: Numbers of rows: a matrix with a bag in each row, or all bags one behind the other.
            offsets: Where they begin, if they are one behind the other.
            per_sample_weights: By what each row is multiplied; for sums.

        Raises:
            ValueError: The offsets are missing, or there should be none; `per_sample_weights` has another shape.
            NotImplementedError: `per_sample_weights` without sums.
        """
        if per_sample_weights is not None:
            if per_sample_weights.shape != input.shape:
                raise ValueError(
                    f"embedding_bag: expected per_sample_weights ({per_sample_weights.shape}) to have the shape of "
                    f"the input ({input.shape})"
                )
            if self.mode != "sum":
                raise NotImplementedError(
                    f"embedding_bag: per_sample_weights is only supported for mode='sum', found mode={self.mode!r}"
                )
        if input.dim() == 2:
            if offsets is not None:
                raise ValueError("if input is 2D, then offsets has to be None, as the rows of the input are the bags")
            count, length = input.size(0), input.size(1)
            bags = tscript.arange(count).repeat_interleave(length)
        elif input.dim() == 1:
            if offsets is None:
                raise ValueError("offsets has to be a 1D Tensor but got None")
            if offsets.dim() != 1:
                raise ValueError(f"offsets has to be a 1D Tensor, found {offsets.dim()} dimensions")
            count = offsets.size(0) - 1 if self.include_last_offset else offsets.size(0)
            places = tscript.arange(input.size(0))
            bags = tscript.searchsorted(offsets[:count].long(), places, right=True) - 1
        else:
            raise ValueError(f"input has to be 1D or 2D Tensor, but got Tensor of dimension {input.dim()}")
        numbers = input.reshape(-1)
        max_norm = self.max_norm
        if max_norm is not None:
            _shorten(self.weight, numbers, max_norm, self.norm_type)
        rows = F.embedding(numbers, self.weight)
        if per_sample_weights is not None:
            rows = rows * per_sample_weights.reshape(-1, 1)
        padding = self.padding_idx
        if padding is not None:
            counted = numbers != padding
            rows = rows[counted]
            bags = bags[counted]
        into = rows.new_zeros([count, self.embedding_dim])
        if self.mode == "sum":
            return into.index_add(0, bags, rows)
        if self.mode == "mean":
            sizes = rows.new_zeros([count]).index_add(0, bags, rows.new_ones([bags.size(0)]))
            return into.index_add(0, bags, rows) / sizes.clamp_min(1).unsqueeze(1)
        if self.mode == "max":
            return into.index_reduce(0, bags, rows, "amax", include_self=False)
        raise ValueError(f"mode has to be one of sum, mean or max, found {self.mode!r}")

    def extra_repr(self) -> str:
        text = f"{self.num_embeddings}, {self.embedding_dim}"
        if self.max_norm is not None:
            text += f", max_norm={self.max_norm}"
        if self.norm_type != 2:
            text += f", norm_type={self.norm_type}"
        if self.scale_grad_by_freq is not False:
            text += f", scale_grad_by_freq={self.scale_grad_by_freq}"
        text += f", mode={self.mode!r}"
        return text + (f", padding_idx={self.padding_idx}" if self.padding_idx is not None else "")

    @classmethod
    def from_pretrained(
        cls,
        embeddings: Tensor,
        freeze: bool = True,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        mode: str = "mean",
        sparse: bool = False,
        include_last_offset: bool = False,
        padding_idx: int | None = None,
    ) -> EmbeddingBag:
        """A layer with a table; arguments as of `Embedding.from_pretrained` and `EmbeddingBag`.

        Raises:
            AssertionError: The table is no matrix.
        """
        if embeddings.dim() != 2:
            raise AssertionError("Embeddings parameter is expected to be 2-dimensional")
        rows, columns = embeddings.shape
        made = cls(
            rows, columns, max_norm, norm_type, scale_grad_by_freq, mode, sparse, embeddings, include_last_offset,
            padding_idx,
        )  # fmt: skip
        made.weight.requires_grad = not freeze
        return made
