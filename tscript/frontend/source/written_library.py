"""Functions of the standard library that are written in the language: a call of one is a call of ours."""

from __future__ import annotations

import bisect
import cmath
import heapq
import itertools
import typing
import warnings
from collections.abc import Callable
from typing import Any

from tscript.operators.python.functions import complex_functions, heaps, sorted_places

HANDLED: frozenset[object] = frozenset({warnings.warn, typing.cast, itertools.repeat})
"""What the compiler handles as it does builtins."""

WRITTEN: dict[object, Callable[..., Any]] = {
    bisect.bisect_left: sorted_places.bisect_left,
    bisect.bisect_right: sorted_places.bisect_right,
    bisect.insort_left: sorted_places.insort_left,
    bisect.insort_right: sorted_places.insort_right,
    cmath.acos: complex_functions.acos,
    cmath.acosh: complex_functions.acosh,
    cmath.asin: complex_functions.asin,
    cmath.asinh: complex_functions.asinh,
    cmath.atan: complex_functions.atan,
    cmath.atanh: complex_functions.atanh,
    cmath.cos: complex_functions.cos,
    cmath.cosh: complex_functions.cosh,
    cmath.exp: complex_functions.exp,
    cmath.isclose: complex_functions.isclose,
    cmath.isfinite: complex_functions.isfinite,
    cmath.isinf: complex_functions.isinf,
    cmath.isnan: complex_functions.isnan,
    cmath.log: complex_functions.log,
    cmath.log10: complex_functions.log10,
    cmath.phase: complex_functions.phase,
    cmath.polar: complex_functions.polar,
    cmath.rect: complex_functions.rect,
    cmath.sin: complex_functions.sin,
    cmath.sinh: complex_functions.sinh,
    cmath.sqrt: complex_functions.sqrt,
    cmath.tan: complex_functions.tan,
    cmath.tanh: complex_functions.tanh,
    heapq.heapify: heaps.heapify,
    heapq.heappop: heaps.heappop,
    heapq.heappush: heaps.heappush,
    heapq.heappushpop: heaps.heappushpop,
    heapq.heapreplace: heaps.heapreplace,
    heapq.nlargest: heaps.nlargest,
    heapq.nsmallest: heaps.nsmallest,
}
"""What is called for each; `bisect.bisect` and `bisect.insort` are other names of two of them."""
