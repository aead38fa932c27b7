"""Times a program of loops, compiled by tscript and by Numba if that is installed, and one of whole arrays in NumPy."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

import tscript


def compare(loops: Callable[..., Any], numpy: Callable[..., Any], *args: Any, rounds: int = 5) -> Any:
    """Print the least processor time of each; results must agree. Gives what tscript's gives."""
    variants = {"tscript": tscript.script(loops), "NumPy": numpy}
    try:
        import numba
    except ImportError:
        pass
    else:
        variants["Numba"] = numba.njit(loops)
    results = {name: run(*args) for name, run in variants.items()}
    for name, found in results.items():
        if not np.allclose(found, results["NumPy"]):
            raise SystemExit(f"{name} and NumPy differ")
    best = dict.fromkeys(variants, float("inf"))
    for _ in range(rounds):
        for name, run in variants.items():
            start = time.process_time()
            run(*args)
            best[name] = min(best[name], time.process_time() - start)
    print(", ".join(f"{name} {1000 * taken:.2f} ms" for name, taken in best.items()))
    return results["tscript"]
