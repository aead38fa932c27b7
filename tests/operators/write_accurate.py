"""Writes `accurate.json`, values of special functions that are right to 30 digits. Needs mpmath:
``python tests/operators/write_accurate.py``.

Each function has rows of 64-bit patterns in hexadecimal: of its arguments, of the value, and of what the value lacks.
"""

from __future__ import annotations

import json
import random
import struct
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import mpmath as mp  # type: ignore[import-not-found,unused-ignore]

POINTS = 64
Range = tuple[float, float]

mp.mp.dps = 60


def _inverse(function: Callable[[Any], Any], slope: Callable[[Any], Any], start: Callable[[Any], Any]) -> Any:
    """The inverse of a rising function, by Newton's steps."""

    def found(y: Any) -> Any:
        x = start(y)
        for _ in range(60):
            step = (function(x) - y) / slope(x)
            x -= step
            if abs(step) <= abs(x) * mp.mpf(10) ** -50:
                break
        return x

    return found


def _normal_start(y: Any) -> Any:
    tail = min(y, 1 - y)
    found = -mp.sqrt(2) * mp.erfinv(1 - 2 * tail)
    return found if y < 0.5 else -found


FUNCTIONS: dict[str, tuple[Callable[..., Any], Sequence[Sequence[Range]]]] = {
    "erf": (mp.erf, [[(-1e-3, 1e-3)], [(-6, 6)]]),
    "erfc": (mp.erfc, [[(-5, 1)], [(1, 26)]]),
    "special.erfcx": (lambda x: mp.exp(x * x) * mp.erfc(x), [[(-5, 1)], [(1, 26)], [(26, 90)]]),
    "erfinv": (mp.erfinv, [[(-1, 1)], [(0.999, 1)], [(-1e-3, 1e-3)]]),
    "special.ndtr": (mp.ncdf, [[(-3, 8)], [(-37, -3)]]),
    "special.ndtri": (_inverse(mp.ncdf, mp.npdf, _normal_start), [[(0.01, 0.99)], [(1e-9, 0.01)]]),
    "special.log_ndtr": (lambda x: mp.log(mp.ncdf(x)), [[(-3, 3)], [(-40, -3)]]),
    "lgamma": (mp.loggamma, [[(0.01, 4)], [(4, 200)], [(200, 1e6)]]),
    "digamma": (mp.digamma, [[(0.01, 4)], [(4, 200)], [(-9.9, -9.1)]]),
    "i0": (lambda x: mp.besseli(0, x), [[(-8, 8)], [(8, 600)]]),
    "special.i0e": (lambda x: mp.exp(-abs(x)) * mp.besseli(0, x), [[(-8, 8)], [(8, 600)]]),
    "special.i1": (lambda x: mp.besseli(1, x), [[(-8, 8)], [(8, 600)]]),
    "special.i1e": (lambda x: mp.exp(-abs(x)) * mp.besseli(1, x), [[(-8, 8)], [(8, 600)]]),
    "special.bessel_j0": (lambda x: mp.besselj(0, x), [[(-5, 5)], [(5, 100)]]),
    "special.bessel_j1": (lambda x: mp.besselj(1, x), [[(-5, 5)], [(5, 100)]]),
    "special.bessel_y0": (lambda x: mp.bessely(0, x), [[(1e-3, 5)], [(5, 100)]]),
    "special.bessel_y1": (lambda x: mp.bessely(1, x), [[(1e-3, 5)], [(5, 100)]]),
    "special.modified_bessel_k0": (lambda x: mp.besselk(0, x), [[(1e-3, 2)], [(2, 600)]]),
    "special.modified_bessel_k1": (lambda x: mp.besselk(1, x), [[(1e-3, 2)], [(2, 600)]]),
    "special.scaled_modified_bessel_k0": (lambda x: mp.exp(x) * mp.besselk(0, x), [[(1e-3, 2)], [(2, 600)]]),
    "special.scaled_modified_bessel_k1": (lambda x: mp.exp(x) * mp.besselk(1, x), [[(1e-3, 2)], [(2, 600)]]),
    "special.spherical_bessel_j0": (lambda x: mp.sin(x) / x, [[(-1, 1)], [(1, 50)]]),
    "special.airy_ai": (mp.airyai, [[(-2, 2)], [(2, 30)], [(-30, -2)]]),
    "sinc": (lambda x: mp.sinpi(x) / (mp.pi * x), [[(-1, 1)], [(1, 50)]]),
    "special.gammainc": (lambda a, x: mp.gammainc(a, 0, x, regularized=True), [[(0.1, 20), (0.1, 30)]]),
    "special.gammaincc": (lambda a, x: mp.gammainc(a, x, mp.inf, regularized=True), [[(0.1, 20), (0.1, 30)]]),
    "special.zeta": (mp.zeta, [[(1.1, 20), (0.1, 20)]]),
}


def _bits(value: float) -> str:
    return struct.pack(">d", value).hex()


def main() -> None:
    """Write the file."""
    found: dict[str, list[str]] = {}
    for name, (function, boxes) in FUNCTIONS.items():
        rng = random.Random(name)
        rows = found[name] = []
        for box in boxes:
            for _ in range(POINTS):
                args = [rng.uniform(low, high) for low, high in box]
                exact = function(*map(mp.mpf, args))
                exact = mp.re(exact)
                value = float(exact)
                rows.append(" ".join(map(_bits, (*args, value, float(exact - mp.mpf(value))))))
    path = Path(__file__).with_name("accurate.json")
    path.write_text(json.dumps(found, indent=0) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
