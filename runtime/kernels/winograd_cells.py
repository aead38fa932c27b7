"""Tier 3: what transforms of Winograd's way share: cells (`convolution_winograd`), and whether results are finite."""

from __future__ import annotations

from tscript.dialect import Ptr, T, b8, i64, stack
from tscript.runtime.kernels.convolution_task import OWN
from tscript.runtime.kernels.convolution_tiles import MOST_LANES, lanes

MOST_TILES = 192
"""Of a block."""
GAP = 2 * MOST_LANES
"""Elements between matrices, which vectors may run over into."""
SEGMENT = MOST_TILES + GAP

TILES, OF_X, OF_Y, WIDTH, BLOCKS_OF, WEIGHTS, INPUTS, PRODUCTS, IS_BAD, MATRICES, SIDE, COUNT, SPLIT = range(
    OWN, OWN + 13
)
"""Tiles of a group, along dimensions, in a block; blocks of a group; elements of a matrix of weights, inputs and
products with the gap; whether a result is not finite; the address of the transformed weights, if there are any; how
many elements of the result a tile has along a dimension, how many matrices there are, and how many shares of a block's
output channels."""


def see(seen: Ptr[T], made: Ptr[T], count: i64) -> None:
    """Add up zeros for `count` vectors, a segment apart, that are finite, and NaN for others."""
    size = lanes(T(0))
    total = stack(MOST_LANES, T)
    for x in range(size):
        total[x] = made[x]
    for p in range(1, count):
        for x in range(size):
            total[x] = total[x] + made[p * SEGMENT + x]
    for x in range(size):
        seen[x] = seen[x] + (total[x] - total[x])


def is_finite(seen: Ptr[T]) -> b8:
    """Whether all that was seen was finite."""
    total = T(0)
    for x in range(lanes(T(0))):
        total = total + seen[x]
    return total == T(0)


__all__ = [
    "BLOCKS_OF",
    "COUNT",
    "GAP",
    "INPUTS",
    "IS_BAD",
    "MATRICES",
    "MOST_TILES",
    "OF_X",
    "OF_Y",
    "PRODUCTS",
    "SEGMENT",
    "SIDE",
    "SPLIT",
    "TILES",
    "WEIGHTS",
    "WIDTH",
    "is_finite",
    "see",
]
