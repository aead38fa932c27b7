"""How tensors are shown: what `repr` in Python and the kernel that writes the same agree on."""

from __future__ import annotations

from typing import NamedTuple


class PrintOptions(NamedTuple):
    """The options, in the order of the cells of `SYMBOL`.

    Attributes:
        precision: Digits behind the point.
        threshold: Elements beyond which only `edgeitems` at each end of a dimension are shown.
        edgeitems: See there.
        linewidth: Letters of a line.
        sci_mode: Whether floats have exponents: 1 always, 0 never, -1 where they are far apart, very large or small.
    """

    precision: int = 4
    threshold: int = 1000
    edgeitems: int = 3
    linewidth: int = 80
    sci_mode: int = -1


DEFAULT = PrintOptions()
PRECISION, THRESHOLD, EDGE_ITEMS, LINE_WIDTH, SCI_MODE, DEFAULT_DTYPE = range(6)
"""The cells. The last one is the code of the default dtype, which tensors are shown without."""
SYMBOL = "ts_print_options_v1"
"""The cells of the process, which `tscript.set_printoptions` writes."""
