"""Sequences of several lengths: padded to one length, or packed step by step."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import tscript
from tscript import Tensor

__all__ = [
    "PackedSequence", "invert_permutation", "pack_padded_sequence", "pack_sequence", "pad_packed_sequence",
    "pad_sequence", "unpack_sequence", "unpad_sequence",
]  # fmt: skip


class PackedSequence(NamedTuple):
    """Sequences, the longest first, as one tensor: the first steps of all, then the second steps, and so on.

    Attributes:
        data: All steps.
        batch_sizes: How many sequences have each step.
        sorted_indices: Which sequences of the batch these are, in order; None if they were in order.
        unsorted_indices: The inverse.
    """

    data: Tensor
    batch_sizes: Tensor
    sorted_indices: Tensor | None = None
    unsorted_indices: Tensor | None = None

    def to(self, *args: Any, **kwargs: Any) -> PackedSequence:
        """The same with converted data."""
        return self._replace(data=self.data.to(*args, **kwargs))

    def cpu(self) -> PackedSequence:
        """The same."""
        return self

    def double(self) -> PackedSequence:
        """The same in float64."""
        return self.to(tscript.float64)

    def float(self) -> PackedSequence:
        """The same in float32."""
        return self.to(tscript.float32)

    def half(self) -> PackedSequence:
        """The same in float16."""
        return self.to(tscript.float16)


def invert_permutation(permutation: Tensor | None) -> Tensor | None:
    """The permutation that undoes another."""
    return None if permutation is None else permutation.argsort()


def pack_padded_sequence(
    input: Tensor, lengths: Tensor | list[int], batch_first: bool = False, enforce_sorted: bool = True
) -> PackedSequence:
    """Padded sequences, packed.

    Args:
        input: ``(T, N, *)``, or ``(N, T, *)`` with `batch_first`.
        lengths: Of each sequence, a list or a tensor.
        batch_first: Whether the batch is the first dimension.
        enforce_sorted: Whether the sequences must be the longest first.

    Raises:
        RuntimeError: Lengths that are not positive, too large or not in order, or not one for each sequence.

    Example:
        >>> import tscript
        >>> from tscript.nn.utils.rnn import pack_padded_sequence
        >>> pack_padded_sequence(tscript.tensor([[1, 3], [2, 0]]), [2, 1])[:2]
        (tensor([1, 3, 2]), tensor([2, 1]))
    """
    counts: list[int] = lengths.tolist() if isinstance(lengths, Tensor) else [int(length) for length in lengths]
    steps = input.transpose(0, 1) if batch_first else input
    order: Tensor | None = None
    if not enforce_sorted:
        first = tscript.argsort(tscript.tensor(counts, dtype=tscript.int64), descending=True, stable=True)
        counts.sort(reverse=True)
        steps = steps.index_select(1, first)
        order = first
    if len(counts) != steps.size(1):
        raise RuntimeError(
            f"expected `len(lengths)` to be equal to batch_size, but got {len(counts)} (batch_size={steps.size(1)})"
        )
    if not counts or min(counts) <= 0:
        raise RuntimeError("length of all samples has to be greater than 0")
    if counts != sorted(counts, reverse=True):
        raise RuntimeError(
            "`lengths` must be sorted in decreasing order when `enforce_sorted` is True: pass enforce_sorted=False"
        )
    if counts[0] > steps.size(0):
        raise RuntimeError(f"expected `len(lengths)` of at most {steps.size(0)} steps, found a length of {counts[0]}")
    sizes = [sum([int(count > step) for count in counts]) for step in range(counts[0])]
    data = tscript.cat([steps[step, :size] for step, size in enumerate(sizes)])
    return PackedSequence(data, tscript.tensor(sizes, dtype=tscript.int64), order, invert_permutation(order))


def pad_packed_sequence(
    sequence: PackedSequence, batch_first: bool = False, padding_value: float = 0.0, total_length: int | None = None
) -> tuple[Tensor, Tensor]:
    """Packed sequences, padded.

    Args:
        sequence: The sequences.
        batch_first: Whether the batch is to be the first dimension.
        padding_value: What stands behind the ends.
        total_length: To how many steps; those of the longest if left out.

    Returns:
        The sequences and their lengths.

    Raises:
        ValueError: `total_length` is less than the longest.
    """
    sizes: list[int] = sequence.batch_sizes.tolist()
    steps = len(sizes)
    if total_length is not None:
        if total_length < steps:
            raise ValueError(
                f"expected total_length to be at least the length of the longest sequence, {steps}: {total_length}"
            )
        steps = total_length
    shape = [steps, sizes[0], *sequence.data.shape[1:]]
    padded = sequence.data.new_full(shape, padding_value)
    at = 0
    for step, size in enumerate(sizes):
        padded[step, :size] = sequence.data[at : at + size]
        at += size
    lengths = tscript.tensor([sum([int(size > n) for size in sizes]) for n in range(sizes[0])], dtype=tscript.int64)
    order = sequence.unsorted_indices
    if order is not None:
        padded = padded.index_select(1, order)
        lengths = lengths[order]
    return padded.transpose(0, 1) if batch_first else padded, lengths


def pad_sequence(
    sequences: Sequence[Tensor], batch_first: bool = False, padding_value: float = 0.0, padding_side: str = "right"
) -> Tensor:
    """Sequences ``(T, *)`` of several lengths as one tensor.

    Args:
        sequences: The sequences.
        batch_first: Whether the batch is to be the first dimension.
        padding_value: What is added.
        padding_side: ``right`` or ``left``.

    Raises:
        RuntimeError: There are no sequences, or no such side.
    """
    if padding_side not in ("left", "right"):
        raise RuntimeError(f"padding_side should be 'left' or 'right', found {padding_side!r}")
    given = [*sequences]
    if not given:
        raise RuntimeError("received an empty list of sequences")
    longest = max(sequence.size(0) for sequence in given)
    padded = given[0].new_full([len(given), longest, *given[0].shape[1:]], padding_value)
    for n, sequence in enumerate(given):
        count = sequence.size(0)
        start = longest - count if padding_side == "left" else 0
        padded[n, start : start + count] = sequence
    return padded if batch_first else padded.transpose(0, 1)


def unpad_sequence(padded_sequences: Tensor, lengths: Tensor, batch_first: bool = False) -> list[Tensor]:
    """Padded sequences, each one by itself."""
    batch = padded_sequences if batch_first else padded_sequences.transpose(0, 1)
    return [batch[n, : int(length)] for n, length in enumerate(lengths)]


def pack_sequence(sequences: Sequence[Tensor], enforce_sorted: bool = True) -> PackedSequence:
    """Sequences ``(T, *)`` of several lengths, packed.

    Args:
        sequences: The sequences.
        enforce_sorted: Whether they must be the longest first.

    Raises:
        RuntimeError: They are not.
    """
    lengths = [sequence.size(0) for sequence in sequences]
    return pack_padded_sequence(pad_sequence(sequences), lengths, enforce_sorted=enforce_sorted)


def unpack_sequence(packed_sequences: PackedSequence) -> list[Tensor]:
    """Packed sequences, each one by itself."""
    return unpad_sequence(*pad_packed_sequence(packed_sequences))
