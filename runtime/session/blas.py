"""The BLAS for matrix products: the one that NumPy brings, called by address.

NumPy's wheels for Linux and Windows, and for older macOS, carry OpenBLAS; other builds of NumPy link the system's.
Only libraries that NumPy has loaded are used, except the `scipy-openblas64` package if it is installed, and Accelerate
on macOS. Without a BLAS, or with ``TSCRIPT_BLAS=off``, kernels multiply by themselves.

Kernels see a symbol for each of `FUNCTIONS` (`addresses`): ``ts_sgemm_v1`` is ``cblas_sgemm`` with 64-bit sizes, and so
on; and the byte ``ts_has_blas_v1``, which is odd if they may be called. A BLAS with 32-bit sizes has
the same calling convention on all supported platforms as long as no size is beyond 31 bits, which the kernels check.

OpenBLAS is set to one thread, because its threads and others on the same cores slow each other down by orders of
magnitude: `gemm` divides long products itself. This applies to the entire process, so to NumPy's products too.
"""

from __future__ import annotations

import ctypes
import importlib.util
import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any

import numpy as np

from tscript.abi.symbols import kernel_symbol

ROW_MAJOR = 101
NO_TRANSPOSE = 111

FUNCTIONS = ("sgemm", "dgemm", "cgemm", "zgemm", "sgemv", "dgemv")

PRODUCTS: Mapping[str, type[np.inexact[Any]]] = {
    "sgemm": np.float32,
    "dgemm": np.float64,
    "cgemm": np.complex64,
    "zgemm": np.complex128,
}

SPELLINGS: tuple[tuple[str, str], ...] = (
    ("scipy_cblas_{}64_", "scipy_openblas_set_num_threads64_"),
    ("cblas_{}64_", "openblas_set_num_threads64_"),
    ("scipy_cblas_{}", "scipy_openblas_set_num_threads"),
    ("cblas_{}", "openblas_set_num_threads"),
)
"""The names of cblas functions in libraries, and of the function that sets their threads; 64-bit sizes first."""


class Blas:
    """A BLAS in this process.

    Args:
        path: Its library.
        functions: Address of each of `FUNCTIONS`.
        set_threads: Sets the number of threads; None if it has no such function.
    """

    def __init__(self, path: str, functions: Mapping[str, int], set_threads: Callable[[int], object] | None) -> None:
        self.path, self.functions, self.set_threads = path, functions, set_threads


def candidates() -> Iterator[str]:
    """The paths of libraries that may be a BLAS, best first."""
    numpy = os.path.dirname(np.__file__)
    for folder in (os.path.join(os.path.dirname(numpy), "numpy.libs"), f"{numpy}/.libs", f"{numpy}/.dylibs"):
        yield from _in_folder(folder)
    for package in ("scipy_openblas64", "scipy_openblas32"):
        found = importlib.util.find_spec(package)
        for place in (found.submodule_search_locations or ()) if found is not None else ():
            yield from _in_folder(os.path.join(place, "lib"), "lib")
    if sys.platform == "linux":
        with open("/proc/self/maps", encoding="utf-8", errors="replace") as maps:
            yield from _mapped(maps.read())
    if sys.platform == "darwin":
        yield "/System/Library/Frameworks/Accelerate.framework/Accelerate"


def _in_folder(folder: str, prefix: str = "") -> Iterator[str]:
    try:
        names = os.listdir(folder)
    except OSError:
        return
    yield from (os.path.join(folder, n) for n in sorted(names) if n.startswith(prefix) and "openblas" in n)


def _mapped(maps: str) -> Iterator[str]:
    """The libraries with BLAS in their name among the files mapped into a process."""
    yield from sorted(set(re.findall(r"(/\S*/lib\w*(?:blas|mkl_rt)[^/\s]*)$", maps, re.MULTILINE)))


def open_blas(path: str) -> Blas | None:
    """The BLAS in a library; None if the library cannot be loaded, has no BLAS, or computes wrong results."""
    try:
        library = ctypes.CDLL(path)
    except OSError:
        return None
    for spelling, threads in SPELLINGS:
        functions: dict[str, Any] = {name: getattr(library, spelling.format(name), None) for name in FUNCTIONS}
        if None in functions.values():
            continue
        setter = getattr(library, threads, None)
        if setter is not None:
            setter.argtypes, setter.restype = [ctypes.c_int], None
        if all(multiplies(functions[name], dtype) for name, dtype in PRODUCTS.items()):
            found = {name: ctypes.cast(f, ctypes.c_void_p).value or 0 for name, f in functions.items()}
            return Blas(path, found, setter)
    return None


def multiplies(gemm: Any, dtype: type[np.inexact[Any]]) -> bool:
    """Whether a function computes the product of two small matrices as ``cblas_?gemm`` would."""
    element: Any = {np.float32: ctypes.c_float, np.float64: ctypes.c_double}.get(dtype, ctypes.c_void_p)
    number, size, matrix = ctypes.c_int, ctypes.c_int64, ctypes.c_void_p
    gemm.restype = None
    gemm.argtypes = [*[number] * 3, *[size] * 3, element, matrix, size, matrix, size, element, matrix, size]
    b: Any = np.arange(12, dtype=dtype).reshape(3, 4)
    c = np.full((2, 4), np.nan, dtype)
    a: Any = np.arange(6, dtype=dtype).reshape(2, 3)
    one: Any = 1.0
    zero: Any = 0.0
    if element is ctypes.c_void_p:
        factors = np.array([1, 0], dtype)
        one, zero = factors.ctypes.data, factors.ctypes.data + factors.itemsize
        a, b = (a * 1j).astype(dtype), (b * -1j).astype(dtype)
    gemm(
        ROW_MAJOR, NO_TRANSPOSE, NO_TRANSPOSE, 2, 4, 3, one, a.ctypes.data, 3, b.ctypes.data, 4, zero, c.ctypes.data, 4
    )
    return bool(np.array_equal(c, [[20, 23, 26, 29], [56, 68, 80, 92]]))


SPLITS_F32 = 2
SPLITS_F64 = 4


def splits(gemm: Any, dtype: type[np.float32 | np.float64]) -> bool:
    """Whether rows and columns of a product do not depend, bit for bit, on how many others are computed in one call."""
    m, n, k, cut = 259, 131, 65, 128  # smaller parts are products of another kind
    size = np.dtype(dtype).itemsize
    a, b = (np.cos(np.arange(r * c, dtype=np.float64)).reshape(r, c).astype(dtype) for r, c in ((m, k), (k, n)))
    element = ctypes.c_float if dtype is np.float32 else ctypes.c_double
    number, extent, matrix = ctypes.c_int, ctypes.c_int64, ctypes.c_void_p
    function = ctypes.CFUNCTYPE(
        None, *[number] * 3, *[extent] * 3, element, matrix, extent, matrix, extent, element, matrix, extent
    )(gemm)

    def product(left: int, rows: int, right: int, columns: int, to: np.ndarray[Any, Any], ldb: int) -> None:
        function(
            ROW_MAJOR, NO_TRANSPOSE, NO_TRANSPOSE, rows, columns, k, 1.0, left, k, right, ldb, 0.0, to.ctypes.data,
            to.strides[0] // size,
        )  # fmt: skip

    for left, right in ((a, b), (b.T.copy(), a.T.copy())):
        rows, columns = len(left), right.shape[1]
        whole, parts = np.empty((rows, columns), dtype), np.empty((rows, columns), dtype)
        x, y = left.ctypes.data, right.ctypes.data
        product(x, rows, y, columns, whole, columns)
        if rows > columns:
            product(x, cut, y, columns, parts, columns)
            product(x + cut * k * size, rows - cut, y, columns, parts[cut:], columns)
        else:
            product(x, rows, y, cut, parts, columns)
            product(x, rows, y + cut * size, columns - cut, parts[:, cut:], columns)
        if not np.array_equal(whole, parts):
            return False
    return True


@cache
def find() -> Blas | None:
    """The BLAS of this process, or None. It is set to one thread."""
    if os.environ.get("TSCRIPT_BLAS", "").lower() == "off":
        return None
    for path in candidates():
        blas = open_blas(path)
        if blas is not None:
            if blas.set_threads is not None:
                blas.set_threads(1)
            return blas
    return None


@cache
def _flag(blas: Blas | None) -> ctypes.c_uint8:
    """The byte that kernels test for a BLAS, and for what it can be used for; it lives as long as the process."""
    if blas is None:
        return ctypes.c_uint8(0)
    kinds = (("sgemm", np.float32, SPLITS_F32), ("dgemm", np.float64, SPLITS_F64))
    return ctypes.c_uint8(1 | sum(flag for name, dtype, flag in kinds if splits(blas.functions[name], dtype)))


def addresses() -> Mapping[str, int]:
    """The addresses of `BLAS_SYMBOLS`.

    Without a BLAS the functions get an address too, so that kernels link; the flag keeps them from being called.

    Example:
        >>> sorted(addresses())
        ['ts_cgemm_v1', 'ts_dgemm_v1', 'ts_dgemv_v1', 'ts_has_blas_v1', 'ts_sgemm_v1', 'ts_sgemv_v1', 'ts_zgemm_v1']
    """
    blas = find()
    flag = ctypes.addressof(_flag(blas))
    found = blas.functions if blas is not None else dict.fromkeys(FUNCTIONS, flag)
    return {kernel_symbol(name): found[name] for name in FUNCTIONS} | {kernel_symbol("has_blas"): flag}


def set_num_threads(count: int) -> None:
    """Let BLAS use up to `count` threads, if it has such a function."""
    blas = find()
    if blas is not None and blas.set_threads is not None:
        blas.set_threads(count)
