"""The table through which native code calls LAPACK: addresses of functions of LAPACKE, the C interface, by routine and
dtype."""

from __future__ import annotations

from tscript.abi.symbols import kernel_symbol

LAPACK = kernel_symbol("lapack")
"""``i64[]``: the bytes of an integer of the library, 0 where there is none; then, for each of `ROUTINES`, an address
for float32, float64, complex64 and complex128, or 0."""

ROUTINES: tuple[tuple[str, str], ...] = (
    ("getrf", "getrf"),
    ("getrs", "getrs"),
    ("potrf", "potrf"),
    ("geqrf", "geqrf"),
    ("orgqr", "ungqr"),
    ("syevd", "heevd"),
    ("gesdd", "gesdd"),
    ("", "geev"),
    ("trtrs", "trtrs"),
    ("ormqr", "unmqr"),
    ("sytrf", "sytrf"),
    ("sytrs", "sytrs"),
    ("", "hetrf"),
    ("", "hetrs"),
)
"""Names for real and for complex matrices."""

GETRF, GETRS, POTRF, GEQRF, ORGQR, SYEVD, GESDD, GEEV, TRTRS, ORMQR, SYTRF, SYTRS, HETRF, HETRS = range(14)
