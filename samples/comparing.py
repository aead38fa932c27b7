"""Times a program of loops, compiled by tscript and by Numba if that is installed, and one of whole arrays in NumPy."""

from __future__ import annotations

import time
import types
from collections.abc import Callable
from typing import Any

import numpy as np

import tscript


def compare(
    loops: Callable[..., Any],
    numpy: Callable[..., Any],
    *args: Any,
    rounds: int = 5,
    clock: Callable[[], float] = time.process_time,
) -> Any:
    """Print the least time of each; results must agree. Gives what tscript's gives.

    Args:
        loops: What tscript and Numba compile.
        numpy: The same on entire arrays.
        args: Of both.
        rounds: How often each runs.
        clock: Tells the time: that of the processor, or for loops on several threads that of the wall.
    """
    variants = {"tscript": tscript.script(loops), "NumPy": numpy}
    try:
        import numba
    except ImportError:
        pass
    else:
        names = {**loops.__globals__, "prange": numba.prange}
        own = types.FunctionType(loops.__code__, names, loops.__name__, loops.__defaults__, loops.__closure__)
        variants["Numba"] = numba.njit(parallel="prange" in loops.__code__.co_names)(own)
    results = {name: run(*args) for name, run in variants.items()}
    for name, found in results.items():
        if not np.allclose(found, results["NumPy"]):
            raise SystemExit(f"{name} and NumPy differ")
    best = dict.fromkeys(variants, float("inf"))
    for _ in range(rounds):
        for name, run in variants.items():
            start = clock()
            run(*args)
            best[name] = min(best[name], clock() - start)
    print(", ".join(f"{name} {1000 * taken:.2f} ms" for name, taken in best.items()))
    return results["tscript"]
