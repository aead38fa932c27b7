"""Tier 1: kernels on several threads; see `tscript.runtime.boundary.native.parallel`."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

from tscript.dialect import Intrinsic
from tscript.dialect.machine import extern
from tscript.dialect.memory_model import space, to_address
from tscript.types import I32, I64, U8, PtrType, StructType


def _in_parts(_: Any, run: Any, task: Any, n: int, grain: int) -> int:
    """What the extern below means under CPython: the last part comes first."""
    function: Callable[..., object] = space().function_at(to_address(run))
    ends = sorted({0, n, *(n * k // 3 for k in (1, 2) if n > grain)})
    for begin, end in reversed([*pairwise(ends)] or [(0, 0)]):
        function(task, begin, end)
    return 0


parallel = Intrinsic(
    extern("ts_parallel_v1", (PtrType(StructType("Context")), PtrType(U8), PtrType(I64), I64, I64), I32), _in_parts
)
"""``parallel(context(), function(f), task, n, grain)`` calls ``f(task, begin, end)`` for ranges that make up 0 to `n`,
on several threads if there is more to do than `grain`, some ten microseconds of work. `task` is an array of cells; `f`
raises nothing, allocates nothing and counts no references. For less, call it: there is nothing to gain."""
