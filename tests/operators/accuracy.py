"""How far functions are from what is right, in units in the last place (ULP), and the bounds that `docs/accuracy.md`
states. ``python -m tests.operators.accuracy`` goes over every float32; it goes on where it was stopped."""

from __future__ import annotations

import argparse
import json
import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import tscript

Array = np.ndarray[Any, Any]
LONG = np.longdouble
PAGE = Path(__file__).resolve().parents[2] / "docs" / "accuracy.md"
RECORD = Path(".fuzz") / "floats.json"
CHUNK = 1 << 22
"""Floats at once."""


@dataclass(frozen=True, slots=True)
class Bound:
    """A row of the table: ULP of float32 and float64, of the result or, if it is less than `least`, of that."""

    single: float
    double: float
    least: float


def bounds(page: Path = PAGE) -> dict[str, Bound]:
    """What the table says, by the name of the function."""
    found = {}
    for line in page.read_text(encoding="utf-8").splitlines():
        cells = [c.strip() for c in line.strip("|").split("|")]
        if line.startswith("| `") and len(cells) == 4:
            least = float(cells[3].split()[-1]) if cells[3] else 0.0
            found[cells[0].strip("`")] = Bound(float(cells[1]), float(cells[2]), least)
    return found


ELEMENTARY: dict[str, tuple[Callable[..., Any], Sequence[tuple[float, float]]]] = {
    "exp": (np.exp, [(-1, 1), (-700, 700)]),
    "exp2": (np.exp2, [(-1, 1), (-1000, 1000)]),
    "expm1": (np.expm1, [(-1e-3, 1e-3), (-2, 2), (-30, 700)]),
    "log": (np.log, [(0.5, 2), (1e-300, 1e300)]),
    "log1p": (np.log1p, [(-1e-3, 1e-3), (-0.999, 3), (1, 1e9)]),
    "log2": (np.log2, [(0.5, 2), (1e-300, 1e300)]),
    "log10": (np.log10, [(0.5, 2), (1e-300, 1e300)]),
    "sin": (np.sin, [(-1e-2, 1e-2), (-10, 10), (-1e9, 1e9)]),
    "cos": (np.cos, [(-10, 10), (-1e9, 1e9)]),
    "tan": (np.tan, [(-1e-2, 1e-2), (-10, 10), (-1e6, 1e6)]),
    "asin": (np.arcsin, [(-1, 1), (-1e-2, 1e-2)]),
    "acos": (np.arccos, [(-1, 1), (0.99, 1)]),
    "atan": (np.arctan, [(-1, 1), (-100, 100)]),
    "sinh": (np.sinh, [(-1e-2, 1e-2), (-5, 5), (-700, 700)]),
    "cosh": (np.cosh, [(-5, 5), (-700, 700)]),
    "tanh": (np.tanh, [(-1e-3, 1e-3), (-1, 1), (-12, 12)]),
    "asinh": (np.arcsinh, [(-1e-2, 1e-2), (-5, 5), (-1e9, 1e9)]),
    "acosh": (np.arccosh, [(1, 1.01), (1, 5), (1, 1e9)]),
    "atanh": (np.arctanh, [(-1, 1), (-1e-2, 1e-2)]),
    "sigmoid": (lambda x: 1 / (1 + np.exp(-x)), [(-5, 5), (-87, 87)]),
    "sqrt": (np.sqrt, [(0, 4), (1e-300, 1e300)]),
    "rsqrt": (lambda x: 1 / np.sqrt(x), [(0, 4), (1e-300, 1e300)]),
    "reciprocal": (lambda x: 1 / x, [(-4, 4)]),
}
"""Functions that NumPy has in long doubles, and where they are sampled in float64."""

SAMPLES = 4000


def special() -> dict[str, tuple[Array, ...]]:
    """Arguments, values, and what those lack, of the functions in `accurate.json`."""
    text = json.loads(Path(__file__).with_name("accurate.json").read_text(encoding="utf-8"))
    found = {}
    for name, rows in text.items():
        numbers = [[struct.unpack(">d", bytes.fromhex(word))[0] for word in row.split()] for row in rows]
        found[name] = tuple(np.array(column) for column in zip(*numbers, strict=True))
    return found


def called(name: str, *arrays: Array) -> Array:
    """A function of `tscript` over arrays."""
    function: Any = tscript
    for part in name.split("."):
        function = getattr(function, part)
    found: Array = function(*map(tscript.from_numpy, arrays)).numpy()
    return found


def error(found: Array, exact: Array, least: float, lacking: Array | float = 0.0) -> float:
    """The greatest error in ULP; infinite where one is NaN, infinite or of the other sign and the other is not.

    Args:
        found: What came out.
        exact: The right values, in a wider dtype, or the nearest to them.
        least: The least number whose ULP counts.
        lacking: What the right values are above `exact`.
    """
    kind = np.finfo(found.dtype)
    with np.errstate(all="ignore"):
        rounded = exact.astype(found.dtype)
        size = np.maximum(np.abs(rounded), max(least, float(kind.tiny)))
        regular = np.isfinite(rounded) & np.isfinite(found)
        same = (found == rounded) | (np.isnan(found) & np.isnan(rounded))
        # The greatest number and infinity are neighbours.
        ends = np.isfinite(found) != np.isfinite(rounded)
        near = ends & (np.minimum(np.abs(found), np.abs(rounded)) >= kind.max * (1 - 4 * float(kind.eps)))
        unit = np.spacing(np.where(regular, size, 1)).astype(LONG)
        distance = np.abs((found.astype(LONG) - exact.astype(LONG)) - lacking) / unit
    distance = np.where(regular, distance, np.where(same | near, 0, np.inf))
    return float(distance.max(initial=0))


def double_error(name: str, least: float) -> float:
    """The greatest error of a function of float64 at its samples."""
    if name in ELEMENTARY:
        reference, ranges = ELEMENTARY[name]
        rng = np.random.default_rng(len(name))
        worst = 0.0
        for low, high in ranges:
            x = (
                rng.uniform(low, high, SAMPLES)
                if low < 1e-300 or high < 1e299
                else np.exp(rng.uniform(-690, 690, SAMPLES))
            )
            worst = max(worst, error(called(name, x), reference(x.astype(LONG)), least))
        return worst
    *arguments, value, lacking = special()[name]
    return error(called(name, *arguments), value, least, lacking)


def single_error(name: str, least: float, start: int, stop: int, step: int) -> float:
    """The greatest error over the float32 whose bits are in a range, against the same function in float64."""
    x = np.arange(start, stop, step, np.uint64).astype(np.uint32).view(np.float32)
    return error(called(name, x), called(name, x.astype(np.float64)), least)


def main() -> None:
    """Go over all float32 of all functions, or of those named, and tell the greatest errors."""
    parser = argparse.ArgumentParser(prog="python -m tests.operators.accuracy", description=main.__doc__)
    parser.add_argument("names", nargs="*", help="functions; all in docs/accuracy.md when left out")
    parser.add_argument("--step", type=int, default=1, help="look at one float in so many (default: all)")
    parser.add_argument("--record", type=Path, default=RECORD, help="where the way so far is kept")
    options = parser.parse_args()
    for name in options.names or [n for n in bounds() if n not in TWO_ARGUMENTS]:
        print(name, exhaustive(name, options.step, options.record), flush=True)


TWO_ARGUMENTS = ("special.gammainc", "special.gammaincc", "special.zeta")


def exhaustive(name: str, step: int, record: Path) -> float:
    """The greatest error over every `step`-th float32, with what was done kept in a file."""
    known: dict[str, Any] = json.loads(record.read_text(encoding="utf-8")) if record.exists() else {}
    key = f"{name} {step}"
    at, worst = known.get(key, [0, 0.0])
    least = bounds()[name].least
    while at < 1 << 32:
        end = min(at + CHUNK * step, 1 << 32)
        worst = max(worst, single_error(name, least, at, end, step))
        at = end + (-end) % step
        known[key] = [at, worst]
        record.parent.mkdir(parents=True, exist_ok=True)
        record.write_text(json.dumps(known), encoding="utf-8")
    return float(worst)


if __name__ == "__main__":
    main()
