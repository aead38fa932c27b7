"""What native code sees of `TensorFacts`: a word in the header of a tensor, and in the key of a call.

The header keeps the code of the dtype and the rank side by side, so that one load reads both. A key has the same bits
behind the tag of the argument. Device, layout and requires_grad have no bits: all tensors are on the CPU, strided, and
without gradients.
"""

from __future__ import annotations

from tscript.abi.layout import TENSOR_STRUCT
from tscript.types.tensor_facts import TensorFacts

HEADER_WORD = TENSOR_STRUCT.offsets["dtype"]
"""Offset of the word in the header of a tensor."""

TAG_BITS = 8
"""Of the tag before it in a key."""

RANK_BITS = 8 * (TENSOR_STRUCT.offsets["ndim"] - HEADER_WORD)
"""How far the rank is shifted in the word."""


def header_word(facts: TensorFacts) -> int:
    """The word in the header of a tensor of these facts, which are all known.

    Example:
        >>> from tscript.types import dtypes
        >>> header_word(TensorFacts(dtypes.float32, 2)) == dtypes.float32.code | 2 << 32
        True
    """
    assert facts.dtype is not None and facts.rank is not None and facts == TensorFacts(facts.dtype, facts.rank)
    return facts.dtype.code | facts.rank << RANK_BITS


def key_word(tag: int, facts: TensorFacts) -> int:
    """The word in the key of a call with a tensor of these facts, which are all known."""
    return tag | header_word(facts) << TAG_BITS
