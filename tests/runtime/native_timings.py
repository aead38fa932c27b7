"""Prints what a call across the boundary costs: ``python tests/runtime/native_timings.py`` (not a test).

Nanoseconds a call, the least of several runs, loop overhead of `timeit` included; plain Python and NumPy beside it.
"""

from __future__ import annotations

import importlib.util
import math
import timeit
from pathlib import Path
from typing import Any

import numpy as np

from tscript.runtime.boundary.callables import REQUIRED
from tscript.runtime.boundary.native.keys import Flag


def _support() -> Any:
    spec = importlib.util.spec_from_file_location("support", Path(__file__).with_name("conftest.py"))
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def best(statement: str, names: dict[str, Any], number: int = 300_000, repeat: int = 7) -> float:
    """Least nanoseconds of one run of `statement`."""
    return min(timeit.repeat(statement, globals=names, number=number, repeat=repeat)) / number * 1e9


def main() -> None:
    """Measure and print."""
    support = _support()
    session = support.Session(support.Target.host())
    native = support.make_boundary(session)
    fake = support.Fake(native, session)
    native.tensors.set_release(fake["ts_tensor_release_v1"])
    add = fake.function("add_float", "Tf:T")
    native.slots.set("__add__", add)
    native.Tensor.plus = add
    native.Tensor.first = fake.function("first", "T:f")

    def python(a: float, b: float) -> float:
        return a * b + a

    names: dict[str, Any] = {
        "f": fake.function("fma", "ff:f"),
        "named": fake.function("fma", "ff:f", names=("a", "b"), defaults=(REQUIRED, 3.0)),
        "ints": fake.function("add_int", "ii:i"),
        "pair": fake.function("add_int", "(ii):i", flags=[Flag.LIST], nparams=1),
        "static": fake.function("double_it", "f_:f", flags=[0, Flag.STATIC]),
        "same": fake.function("same", "T:T"),
        "nothing": fake.function("nothing", ":N"),
        "python": python,
        "hypot": math.hypot,
        "x": fake.full(4, 1.0),
        "a": np.ones(4, np.float32),
    }
    names["named"](2.0, 3.0)
    statements = (
        *("pass", "python(2.0, 3.0)", "hypot(2.0, 3.0)", "nothing()", "f(2.0, 3.0)", "ints(2, 3)", "named(2.0)"),
        *(
            "named(2.0, b=3.0)",
            "pair((2, 3))",
            "pair([2, 3])",
            "static(1.0, 3)",
            "static(1.0, True)",
            "same(x)",
            "x.first()",
        ),
        *("x.plus(1.0)", "x + 1.0", "x.shape", "x.ndim", "x.dtype", "a + 1.0"),
    )
    for statement in statements:
        exec(statement, names)
        print(f"{statement:24}{best(statement, names):8.1f} ns")


if __name__ == "__main__":
    main()
