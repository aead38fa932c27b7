"""Tier 3: the cells of a convolution by Winograd's way, which its transforms read (`convolution_winograd`)."""

from tscript.runtime.kernels.convolution_task import OWN
from tscript.runtime.kernels.convolution_tiles import MOST_LANES

MOST_TILES = 192
"""Of a block."""
GAP = 2 * MOST_LANES
"""Elements between matrices, which vectors may run over into."""
SEGMENT = MOST_TILES + GAP

TILES, OF_X, OF_Y, WIDTH, BLOCKS_OF, WEIGHTS, INPUTS, PRODUCTS, IS_BAD, MATRICES, SIDE, COUNT = range(OWN, OWN + 12)
"""Tiles of a group, along dimensions, in a block; blocks of a group; elements of a matrix of weights, inputs and
products with the gap; whether a result is not finite; the address of the transformed weights, if there are any; how
many elements of the result a tile has along a dimension, and how many matrices there are."""

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
    "TILES",
    "WEIGHTS",
    "WIDTH",
]
