"""All samples, by the path of their operator."""

from __future__ import annotations

from tests.samples import (
    choosing,
    complex_numbers,
    convolution,
    devices,
    dtype_queries,
    equations,
    fourier,
    grids,
    images,
    losses,
    order,
    padding,
    pieces,
    pooling,
    rearranged,
    recurrent,
    reductions,
    scans,
    special,
    spectra,
    statistics,
)
from tests.samples.base import Samples

FAMILIES = (
    choosing,
    complex_numbers,
    convolution,
    losses,
    devices,
    dtype_queries,
    devices,
    dtype_queries,
    equations,
    fourier,
    grids,
    images,
    order,
    padding,
    pieces,
    pooling,
    rearranged,
    recurrent,
    reductions,
    scans,
    special,
    spectra,
    statistics,
)
"""The modules with samples."""

SAMPLES: dict[str, Samples] = {s.path: s for family in FAMILIES for s in family.SAMPLES}
assert len(SAMPLES) == sum(len(family.SAMPLES) for family in FAMILIES), "a path has two entries"
