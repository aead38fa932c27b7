"""Every public operator, eagerly, on a few elements, against PyTorch: the calls of ``tests/samples``, and pointwise
operators on 4 and on 64 elements.

``python samples/bench/eager.py [WORD …]`` prints the ratio of each call whose path contains one of the words, our time
by PyTorch's, and a table of families: what share of their calls reaches the goal of the family (`GOALS`). All of them
take minutes.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from statistics import median
from string import ascii_lowercase
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent))

import numpy as np
from harness import Row, interleave
from peers import torch

import tscript
from tests.samples.base import Call, Samples, T
from tests.samples.table import FAMILIES
from tscript.definitions.opdef import Pointwise
from tscript.operators.table import TABLE

GOALS: dict[float, tuple[str, ...]] = {
    1 / 8: (
        "pointwise bessel complex_numbers equality gammas special",
        "extremes moments reductions scans statistics",
        "choosing masked places",
        "combined copies diagonals pieces rearranged shape strided",
        "label_losses layers losses running_norms",
    ),
    1 / 2: ("equations products", "order"),
    1.0: (
        "decompositions ldl_forms reflectors",
        "fourier polynomials spectra windows",
        "attention convolution distances padding recurrent",
        "embeddings grids images pooling segments unpooling",
        "devices dtype_queries fills made random_tensors",
    ),
}
"""What part of PyTorch's time the calls of families may take: pointwise operators, reductions, indexing, views, what is
put together of these; products, sorting; and all others."""

Timed = tuple[str, tuple[Any, ...]]
"""An expression over ``a``, ``b`` … and what these are."""

SIZES = ((4,), (8, 8))
INTS = frozenset({"bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_not", "gcd", "lcm"})
"""Pointwise operators of ints."""


def pointwise() -> Iterator[Samples]:
    """Samples of the pointwise operators."""
    for path in sorted(TABLE.paths):
        root, _, name = path.partition(".")
        if root != "torch" or name.endswith("_"):
            continue
        for op in TABLE.overloads(TABLE.paths[path]):
            kinds = [p.kind for p in op.schema.parameters if not p.keyword_only]
            if isinstance(op.implementation, Pointwise) and path in op.names.paths and {*kinds} == {"Tensor"}:
                calls = [Call(*[T(*size, low=0.25, high=3) for _ in kinds]) for size in SIZES]
                dtype = "int64" if name in INTS or "shift" in name else "float32"
                yield Samples(name, None, *calls, dtypes=(dtype,), random=True)
                break


def families() -> Iterator[tuple[str, list[Samples]]]:
    """All samples by family."""
    yield "pointwise", list(pointwise())
    for family in FAMILIES:
        yield family.__name__.rpartition(".")[2], list(family.SAMPLES)


def pair(samples: Samples, call: Call) -> dict[str, Timed] | None:
    """A call of both libraries; None: one of them lacks it."""
    dtype = samples.dtypes[0]
    arrays = call.arrays(dtype, samples.path)
    found: dict[str, Timed] = {}
    for variant, space in (("tscript", tscript), ("PyTorch", torch)):
        tensors = [space.from_numpy(np.ascontiguousarray(a)).to(getattr(space, d)) for a, d in arrays]
        args, kwargs = call.filled(tensors, lambda name, space=space: getattr(space, name))
        function: Any = space
        try:
            for part in samples.path.split("."):
                function = getattr(function, part)
            function(*args, **kwargs)
        except Exception:  # noqa: BLE001 - whatever one of them says
            return None
        found[variant] = written(len(args), kwargs), (function, *args, *kwargs.values())
    return found


def written(count: int, keywords: Iterable[str]) -> str:
    """A call of ``a`` with `count` arguments and some keywords, as programs write it."""
    letters = iter(ascii_lowercase[1:])
    given = [*islice(letters, count), *(f"{word}={letter}" for word, letter in zip(keywords, letters, strict=False))]
    return f"a({', '.join(given)})"


def rows(words: list[str]) -> Iterator[tuple[str, Row]]:
    """The calls with one of these words in their path, each with its family."""
    warnings.simplefilter("ignore")
    for family, table in families():
        for samples in table:
            if words and not any(word in f"{family}/{samples.path}" for word in words):
                continue
            for call in samples.calls:
                calls = pair(samples, call)
                try:
                    if calls is not None:
                        yield family, interleave(f"{samples.path}{call!r}", calls, rounds=12, target=2e-4)
                except RuntimeError:  # a call that changes the sizes of its tensor
                    pass


def ratio(row: Row) -> float:
    """Our time by PyTorch's."""
    return row.times["tscript"] / row.times["PyTorch"]


def goal(family: str) -> float:
    """What part of PyTorch's time a call of this family may take."""
    return next(part for part, groups in GOALS.items() if family in " ".join(groups).split())


def shares(rows: Iterable[tuple[str, list[float]]]) -> Iterator[str]:
    """Lines of a table: families, how many calls, their median, and which share reaches the goal."""
    yield "| family | goal | calls | reach it | at most 1.0 | median | nine of ten below | most |"
    yield "|---|---|---|---|---|---|---|---|"
    for family, ratios in rows:
        most = sorted(ratios)[len(ratios) * 9 // 10]
        reached, level = (sum(r <= part for r in ratios) / len(ratios) for part in (goal(family), 1.0))
        yield (
            f"| {family} | {goal(family):.3g} | {len(ratios)} | {reached:.0%} | {level:.0%} "
            f"| {median(ratios):.3f} | {most:.2f} | {max(ratios):.2f} |"
        )


def main() -> None:
    """Print the calls, then the ratios of families as a table, and those of all families of a goal."""
    found: dict[str, list[float]] = {}
    for family, row in rows(sys.argv[1:]):
        ours, theirs = row.times["tscript"], row.times["PyTorch"]
        print(f"{family:16} {ratio(row):6.3f} {ours:8.0f} {theirs:8.0f}  {row.name[:100]}", flush=True)
        found.setdefault(family, []).append(ratio(row))
    print("", *shares(sorted(found.items(), key=lambda item: goal(item[0]))), sep="\n")
    for part in GOALS:
        ratios = [r for family, some in found.items() if goal(family) == part for r in some]
        if ratios:
            print(f"{sum(r <= part for r in ratios) / len(ratios):.0%} of {len(ratios)} calls take at most {part:.3g}")


if __name__ == "__main__":
    main()
