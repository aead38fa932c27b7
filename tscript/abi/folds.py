"""The order in which reductions combine elements, shared by generated loops and `tscript.runtime.kernels.reduce`.

A result combines the N elements that reduce into it, taken in row-major order of the reduced dimensions: blocks of
`BLOCK` elements; in a block element i goes to lane i modulo `LANES`; each two neighbouring lanes are combined, so that
neighbours that cancel do it before partial results are large, and these results as a binary tree, i with i + n/2 of n;
the blocks are combined as a binary counter counts. A lane has 16 elements of a block, as each sum of NumPy has at most.
"""

from __future__ import annotations

LANES = 32
"""Two to eight vector registers: enough that no addition waits for the one before."""

BLOCK = 512
"""Elements of a block."""

LEVELS = 44
"""Enough partial results for any number of blocks that end."""
