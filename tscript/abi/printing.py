"""How tensors are shown: what `repr` in Python and the kernel that writes the same agree on."""

PRECISION = 4
"""Digits behind the point."""
THRESHOLD = 1000
"""Elements beyond which only `EDGE_ITEMS` at each end of a dimension are shown."""
EDGE_ITEMS = 3
LINE_WIDTH = 80
