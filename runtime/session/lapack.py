"""LAPACK for `tscript.linalg`: the one in the library of the BLAS that NumPy brings, called by address."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from functools import cache
from itertools import product

from tscript.abi.lapack import LAPACK, ROUTINES
from tscript.runtime.session import blas

SPELLINGS: tuple[tuple[str, int], ...] = (
    ("scipy_LAPACKE_{}64_", 8),
    ("LAPACKE_{}64_", 8),
    ("LAPACKE_{}_64", 8),
    ("scipy_LAPACKE_{}", 4),
    ("LAPACKE_{}", 4),
)
"""The names of functions of LAPACKE in libraries, and the bytes of their integers."""


@cache
def table() -> ctypes.Array[ctypes.c_int64]:
    """What `tscript.abi.lapack.LAPACK` names; it lives as long as the process."""
    found = blas.find()
    words = (ctypes.c_int64 * (1 + 4 * len(ROUTINES)))()
    if found is None:
        return words
    library = ctypes.CDLL(found.path)
    for spelling, size in SPELLINGS:
        if not hasattr(library, spelling.format("dgetrf")):
            continue
        words[0] = size
        for (i, names), (k, letter) in product(enumerate(ROUTINES), enumerate("sdcz")):
            name = names[k // 2]
            function = getattr(library, spelling.format(letter + name), None) if name else None
            if function is not None:
                words[1 + 4 * i + k] = ctypes.cast(function, ctypes.c_void_p).value or 0
        quiet = getattr(library, spelling.format("set_nancheck"), None)
        if quiet is not None:
            quiet(0)  # what does not stand NaN is given none; the check costs as much as a small matrix
        break
    return words


def addresses() -> Mapping[str, int]:
    """The address of the table, by its symbol."""
    return {LAPACK: ctypes.addressof(table())}
