"""Strings of arrays, NumPy scalars and generators in compiled code are those of NumPy."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

import tscript
from tests.integration.array_programs import F64, M64, script


@dataclass
class Point:
    """With a generated ``__repr__``."""

    at: F64
    weight: np.float32


def texts(a: F64, m: M64, k: np.int64, b: np.bool_, s: np.float32) -> list[str]:
    """All ways to make strings."""
    return [
        str(a), repr(a), f"{a} {m!r} {m[0]}", str(m), str(a[:0]), repr(m.reshape(1, 2, 3)), str(a > 1), repr(m[0, 0]),
        str(m[0, 0]), f"{m[0, 0]} {m[0, 0]!r} {m[0, 0]:.2f}", str(k), repr(k), f"{k} {k!r} {k:>5}", str(b), repr(b),
        f"{b} {b!r}", str(s), repr(s), f"{s} {s!s} {s!r} {s:.3f}", "%s|%r|%.2f" % (a, k, s), "{} {!r}".format(a, s),
        str([m[0, 0], m[0, 1]]), str((a, 1, s)), str({"a": k}), str([a, a]), str(Point(a, s)), repr(a.sum()),
        f"{a[0] if k > 0 else a}",
    ]  # fmt: skip


def test_strings() -> None:
    """Whole arrays, elements, and both in containers."""
    args = (
        np.array([1.5, 2.25e10, np.nan]),
        np.arange(6.0).reshape(2, 3),
        np.int64(-7),
        np.bool_(False),
        np.float32(0.1),
    )
    assert tscript.script(texts)(*args) == texts(*args)
    long = np.arange(2000.0)
    assert tscript.script(texts)(long, *args[1:]) == texts(long, *args[1:])


def test_print(capsys: pytest.CaptureFixture[str]) -> None:
    """What is printed."""
    program = script("def f(a):\n    print(a, a[0], a.shape, 'x')\n    print([a[0]], a.T)\n")["f"]
    a = np.array([[1, 2], [3, -4]], np.int16)
    program(a)
    ours = capsys.readouterr().out
    print(a, a[0], a.shape, "x")
    print([a[0]], a.T)
    assert ours == capsys.readouterr().out


def test_generators_have_their_string() -> None:
    """That of NumPy, without the address."""
    program = script("def f(rng: np.random.Generator) -> str:\n    return str(rng)\n")["f"]
    rng = np.random.default_rng(1)
    assert program(rng).split(" at ")[0] == str(rng).split(" at ")[0]


def test_format_specs() -> None:
    """An array takes none."""
    program = script("def f(a):\n    return f'{a:.2f}'\n")["f"]
    with pytest.raises(TypeError, match="unsupported format string passed to numpy"):
        program(np.zeros(2))
