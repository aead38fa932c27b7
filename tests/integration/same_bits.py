"""Run by `test_same_bits` and `test_aarch64`: what operators compute at a level of processors, written to a file."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np

from tscript.abi import cpu
from tscript.abi.levels import level_of

FEW = (
    *("exp", "log", "tanh", "sin", "erf", "sigmoid", "sqrt", "reciprocal", "gelu", "silu", "pow", "div", "fmod"),
    *("atan2", "sum", "mean", "var", "prod", "softmax", "layer_norm", "logsumexp"),
)
OF_ROWS = ("sum", "mean", "var", "prod", "softmax", "logsumexp", "amax", "argmax", "sort", "max")
OF_INTEGERS = ("floor_divide", "trunc_divide", "remainder", "fmod")
OF_MATRICES = ("matmul", "mm", "linear")
OF_VECTORS = ("dot", "outer", "inner")
OF_BATCHES = ("bmm", "baddbmm")


def samples(dtype: type, seed: int) -> Any:
    """Numbers of all magnitudes, and special ones; as many as leave a remainder for every width of vectors."""
    draw = np.random.default_rng(seed)
    shape = (9, 143)
    if dtype is np.bool_ or np.issubdtype(dtype, np.integer):
        return draw.integers(0 if dtype is np.bool_ else -100, 2 if dtype is np.bool_ else 100, shape).astype(dtype)
    scale = np.exp2(draw.integers(-30, 8, shape))
    found: Any = (draw.standard_normal(shape) * scale).astype(dtype)
    special: list[Any] = [
        0.0,
        -0.0,
        np.inf,
        -np.inf,
        np.nan,
        1.0,
        -1.0,
        np.finfo(dtype).tiny,
        np.finfo(dtype).smallest_subnormal,
    ]
    found[draw.integers(0, 9, 60), draw.integers(0, 143, 60)] = draw.choice(special, 60)
    return found


def calls(every: bool, dtypes: list[str]) -> Iterator[tuple[str, Any, list[Any]]]:
    """Names, functions and arguments."""
    import tscript
    from tscript.definitions.opdef import Composite, Kernel, Pointwise
    from tscript.operators.table import TABLE
    from tscript.runtime.session.process import current

    eager = current().eager
    for dtype in dtypes:
        arrays = [samples(getattr(np, dtype), i) for i in range(3)]
        x, y, z = (tscript.from_numpy(array) for array in arrays)
        seen: set[tuple[str, int]] = set()
        for op in TABLE:
            required = [p for p in op.schema.parameters if not p.keyword_only and p.default is not None]
            kinds = [p.kind for p in required]
            name, count = op.schema.name, len(kinds)
            is_tensor = isinstance(op.implementation, Composite | Kernel | Pointwise) and op.schema.result == "Tensor"
            if not (is_tensor and kinds and set(kinds) <= {"Tensor"}) or (name, count) in seen or op.effects.writes:
                continue
            if every or name in FEW:
                seen.add((name, count))
                yield f"{name} {dtype} {count}", eager.of(name), [x, y, z][:count]
        yield f"a @ b.T {dtype}", lambda a, b: a @ b.t(), [x, y]
        for name in OF_ROWS:
            yield f"{name} of rows {dtype}", eager.of(name), [x, 1]
        if not every:
            continue
        is_greater, square = tscript.from_numpy(arrays[0] > arrays[1]), tscript.from_numpy(arrays[1].T.copy())
        first, second = (tscript.from_numpy(array[0].copy()) for array in arrays[:2])
        for name in OF_MATRICES:
            yield f"{name} of matrices {dtype}", eager.of(name), [x, y if name == "linear" else square]
        for name in OF_VECTORS:
            yield f"{name} of vectors {dtype}", eager.of(name), [first, second]
        yield f"mv {dtype}", eager.of("mv"), [x, second]
        batches = [tscript.from_numpy(a.reshape(s)) for a, s in zip(arrays, ((3, 3, 143), (3, 143, 3)), strict=False)]
        yield f"bmm {dtype}", eager.of("bmm"), batches
        yield f"transposed {dtype}", lambda a: a.t().contiguous(), [x]
        yield f"where {dtype}", eager.of("where"), [is_greater, y, z]
        yield (
            f"masked_fill {dtype}",
            eager.of("masked_fill"),
            [x, is_greater, tscript.from_numpy(arrays[1][:1, :1].reshape(()))],
        )
        divisor = tscript.from_numpy(np.where(arrays[1] == 0, np.ones(1, arrays[1].dtype), arrays[1]))
        for name in OF_INTEGERS:
            yield f"{name} without zeros {dtype}", eager.of(name), [x, divisor]


def chain(x, y):
    """A group of operators that is fused."""
    z = x * 1.5 - y
    return z / (1.0 + (z * z + x * y) * 0.25) + x.tanh() * y.exp()


def main() -> None:
    """Write what is computed."""
    parser = argparse.ArgumentParser()
    parser.add_argument("level", help="the processor that is taken for this one")
    parser.add_argument("path", help="the file of results")
    parser.add_argument("--every", action="store_true", help="all operators")
    parser.add_argument("--dtypes", default="float32,float64", help="of the tensors")
    parser.add_argument("--archive", help="native code of `chain`: nothing is compiled")
    given = parser.parse_args()
    about = level_of(given.level)
    found = (about.triple, about.cpu, about.features)
    cpu.host = lambda: found  # type: ignore[assignment]
    if given.archive:
        sys.modules["llvmlite"] = None  # type: ignore[assignment]
    import tscript

    fused = tscript.load(given.archive, trust_native=True) if given.archive else tscript.script(chain)
    results: dict[str, Any] = {}
    everything = list(calls(given.every, given.dtypes.split(",")))
    for dtype in (np.float32, np.float64):
        x, y = (tscript.from_numpy(samples(dtype, i)) for i in range(2))
        everything.append((f"fused {dtype.__name__}", fused, [x, y]))
    for name, function, arguments in everything:
        try:
            result = function(*arguments)
        except (TypeError, ValueError, RuntimeError, ImportError) as error:
            results[name] = np.frombuffer(f"{type(error).__name__}: {error}".encode(), np.uint8)
        else:
            for i, one in enumerate(result if isinstance(result, tuple) else [result]):
                results[f"{name} [{i}]"] = np.array(one.numpy())
    np.savez(given.path, **results)


if __name__ == "__main__":
    main()
