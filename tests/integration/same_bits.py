"""Run by `test_same_bits`: what operators compute at a level of processors, written to a file."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import numpy as np

from tscript.abi import cpu
from tscript.abi.levels import level_of

FEW = (
    *("exp", "log", "tanh", "sin", "erf", "sigmoid", "sqrt", "reciprocal", "gelu", "silu", "pow", "div", "fmod"),
    *("atan2", "sum", "mean", "var", "prod", "softmax", "cumsum", "matmul", "layer_norm", "logsumexp"),
)


def samples(dtype: type, seed: int) -> Any:
    """Numbers of all magnitudes, and special ones; as many as leave a remainder for every width of vectors."""
    draw = np.random.default_rng(seed)
    shape = (9, 143)
    if np.issubdtype(dtype, np.integer):
        return draw.integers(-100, 100, shape).astype(dtype)
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


def calls(every: bool) -> Iterator[tuple[str, Any, list[Any]]]:
    """Names, functions and arguments."""
    import tscript
    from tscript.definitions.opdef import Composite, Kernel, Pointwise
    from tscript.operators.table import TABLE
    from tscript.runtime.session.process import current

    eager = current().eager
    for dtype in (np.float32, np.float64, *([np.int32] if every else [])):
        arrays = [tscript.from_numpy(samples(dtype, i)) for i in range(3)]
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
                yield f"{name} {dtype.__name__} {count}", eager.of(name), arrays[:count]
        yield f"a @ b.T {dtype.__name__}", lambda a, b: a @ b.t(), arrays[:2]
        for name in ("sum", "mean", "var", "prod", "softmax", "cumsum", "logsumexp", "amax"):
            yield f"{name} of rows {dtype.__name__}", eager.of(name), [arrays[0], 1]
        yield f"script {dtype.__name__}", tscript.script(chain), arrays[:2]


def chain(x, y):
    """A group of operators that is fused."""
    z = x * 1.5 - y
    return z / (1.0 + (z * z + x * y) * 0.25) + x.tanh() * y.exp()


def main(level: str, path: str, every: str) -> None:
    """Write what is computed at `level`."""
    about = level_of(level)
    found = (about.triple, about.cpu, about.features)
    cpu.host = lambda: found  # type: ignore[assignment]
    results: dict[str, Any] = {}
    for name, function, arguments in calls(every == "all"):
        try:
            result = function(*arguments)
        except (TypeError, ValueError, RuntimeError) as error:
            results[name] = np.frombuffer(f"{type(error).__name__}: {error}".encode(), np.uint8)
        else:
            results[name] = np.array(result.numpy())
    np.savez(path, **results)


if __name__ == "__main__":
    main(*sys.argv[1:])
