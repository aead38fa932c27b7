"""Elements that `tscript.prange` loops write at flattened indices, and those that all iterations update."""

# mypy: disable-error-code="attr-defined,no-untyped-def,union-attr"
from __future__ import annotations

import linecache
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import tscript
from tscript import CompileError, prange, script
from tscript.runtime.session.process import current

Vector = np.ndarray[tuple[int], np.dtype[np.float64]]
Ints = np.ndarray[tuple[int], np.dtype[np.int64]]


@pytest.fixture(autouse=True)
def threads() -> Iterator[None]:
    """All loops are divided, where the processor has few cores and is busy too."""
    before = tscript.get_num_threads()
    current().team.set_patience(0)
    tscript.set_num_threads(3)
    yield
    tscript.set_num_threads(before)
    current().team.set_patience(63)


def on_threads(run: Callable[[], Any]) -> list[Any]:
    """The results on one thread, and on several."""
    found: list[Any] = []
    for count in (1, 2, 4):
        tscript.set_num_threads(count)
        found.append(run())
    return found


@script
def flat(out: Vector, h: int, w: int, base: int) -> None:
    for i in prange(h):
        for j in range(w):
            for c in range(3):
                out[base + i * w * 3 + j * 3 + c] += i + j / 8 + c / 64


@script
def flat_nested(out: Vector, h: int, w: int) -> None:
    for i in prange(h):
        first = i * w
        for j in range(1, w - 1):
            out[first + j] = float(j)
            if out[first + j - 1] > 0:
                out[i * w + j + 1] = -1.0
        out[first] = 5.0
        out[(i + 1) * w - 1] -= 1.0


@script
def flat_rows(out: Vector, h: int, w: int) -> None:
    for i in prange(h):
        out[i * w : (i + 1) * w] = float(i)


@script
def flat_pairs(out: Vector, xs: list[int], h: int) -> None:
    for i in prange(h):
        out[3 * i + 1] = 2.0
        for c in range(3):
            out[3 * i + c] += c
        for j in range(4, 0, -1):
            xs[i * 5 + j] = j
        for j in range(4):
            for k in range(j):
                xs[i * 5 + k] += j


def test_flattened_indices() -> None:
    for h, w, base in ((40, 30, 0), (7, 3, 11), (3, 1, 2), (5, 0, 0), (0, 4, 0), (3, 4, -36), (2, -3, 20), (-1, 2, 3)):
        for program, rest in ((flat, (h, w, base)), (flat_nested, (h, w)), (flat_rows, (h, w))):
            expected = np.arange(4000.0)
            wanted = _outcome(program.__wrapped__, expected, *rest)

            def run(program: Any = program, rest: Any = rest) -> Any:
                out = np.arange(4000.0)
                return _outcome(program, out, *rest), out.tolist()

            assert on_threads(run) == [(wanted, expected.tolist())] * 3, (program, h, w, base)
    out, other, xs, ys = np.zeros(300), np.zeros(300), [0] * 500, [0] * 500
    flat_pairs(out, xs, 100)
    flat_pairs.__wrapped__(other, ys, 100)
    assert (out == other).all() and xs == ys


def _outcome(f: Any, *args: Any) -> str:
    try:
        return repr(f(*args))
    except (IndexError, OverflowError, ValueError) as error:
        return str(error)


@pytest.mark.parametrize(
    "body",
    [
        "for j in range(w + 1):\n            out[i * w + j] = 1.0",
        "for j in range(w):\n            out[i * h + j] = 1.0",
        "for j in range(w):\n            out[i * w - j] = 1.0",
        "for j in range(w):\n            out[i * w + j * 2] = 1.0",
        "for j in range(-1, w - 1):\n            out[i * w + j] = 1.0",
        "for j in range(w):\n            out[i * w + j] = out[(i + 1) * w - j]",
        "for j in range(i):\n            out[i * w + j] = 1.0",
        "out[i * w : (i + 1) * w + 1] = 1.0",
        "out[i * w] = 1.0\n        out[i * h] = 2.0",
        "for j in range(3):\n            out[3 * i + j] = out[3 * i + 3]",
    ],
)
def test_flattened_indices_that_are_shared_are_refused(body: str) -> None:
    text = f"def f(out: Vector, h: int, w: int) -> None:\n    for i in prange(h):\n        {body}\n"
    names: dict[str, Any] = {"Vector": Vector, "prange": prange}
    linecache.cache["<flat>"] = (len(text), None, text.splitlines(keepends=True), "<flat>")
    exec(compile(text, "<flat>", "exec", dont_inherit=True), names)
    with pytest.raises(CompileError, match="of a prange loop"):
        script(names["f"])(np.zeros(100), 3, 4)


def _updates(body: str, declared: str = "h, k, x") -> Callable[..., Any]:
    text = f"def f({declared}):\n    total = 0\n    for i in prange(len(k)):\n        {body}\n    return total\n"
    name = f"<updates {body}>"
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    names: dict[str, Any] = {"prange": prange}
    exec(compile(text, name, "exec", dont_inherit=True), names)
    found: Callable[..., Any] = names["f"]
    return found


@pytest.mark.parametrize("dtype", ["uint8", "int8", "int16", "int32", "int64", "uint16", "uint32", "uint64"])
@pytest.mark.parametrize(
    "body",
    [
        "h[k[i]] += 1",
        "h[k[i]] -= x[i]",
        "h[k[i]] |= x[i]",
        "h[k[i]] ^= x[i]",
        "h[k[i]] &= x[i]",
        "h[k[i]] = max(h[k[i]], x[i])",
        "h[k[i]] = min(x[i], h[k[i]])",
        "h[k[i]] = x[i] + h[k[i]]",
        "if x[i] > 3:\n            h[k[i]] += 2\n        h[k[i] // 2] -= 1\n        total += k[i]",
        "for j in range(3):\n            h[k[i] - j] += x[i]",
    ],
)
def test_shared_updates(body: str, dtype: str) -> None:
    plain, compiled = _updates(body), script(_updates(body))
    source = np.random.default_rng(3)
    k, x = source.integers(2, 20, 3000), source.integers(0, 100, 3000).astype(dtype)

    def counts() -> Any:
        return np.random.default_rng(5).integers(0, 100, 40).astype(dtype)[::2]

    expected = counts()
    with np.errstate(over="ignore"):
        total = plain(expected, k, x)

    def run() -> Any:
        h = counts()
        return compiled(h, k, x), h.tolist()

    assert on_threads(run) == [(total, expected.tolist())] * 3


@script
def two_dimensions(h, cells, k):
    for i in prange(len(k)):
        h[k[i], 1] += k[i]
        row = h[2]
        row[k[i]] += 1
        cells[k[i] % 3] |= k[i]


def test_shared_updates_of_views_and_several_arrays() -> None:
    k = np.random.default_rng(3).integers(0, 9, 5000)

    def run(f: Any = two_dimensions) -> Any:
        h, cells = np.zeros((18, 9), dtype=np.int64).T[:, ::2], np.zeros(3, dtype=np.int32)
        f(h, cells, k)
        return h.tolist(), cells.tolist()

    assert on_threads(run) == [run(two_dimensions.__wrapped__)] * 3


@script
def counted_in(h: Ints, k: Ints) -> None:
    for i in prange(len(k)):
        h[k[i]] += 1


def test_shared_updates_that_end_early_and_copies_that_do_not_pay() -> None:
    k = np.random.default_rng(3).integers(0, 50, 100_000)
    bad = k.copy()
    bad[[60_000, 90_000]] = 50, -51
    for threads in (1, 3):
        tscript.set_num_threads(threads)
        h = np.zeros(50, dtype=np.int64)
        with pytest.raises(IndexError, match="index 50 is out of bounds for axis 0 with size 50"):
            counted_in(h, bad)
        assert (h >= np.bincount(bad[:60_000])).all()
        h.flags.writeable = False
        with pytest.raises(ValueError, match="read-only"):
            counted_in(h, k)
        large = np.zeros(3_000_000, dtype=np.int64)
        counted_in(large, k)
        assert (large[:50] == np.bincount(k)).all()
        same = np.zeros(1000, dtype=np.int64)
        counted_in(same, same)
        assert same[0] == counted_alone(1000)
        every = np.lib.stride_tricks.as_strided(np.zeros(1, dtype=np.int64), (50,), (0,), writeable=True)
        counted_in(every, k)
        assert every[0] == len(k)
        with pytest.raises(IndexError):
            counted_in(np.zeros(0, dtype=np.int64), k)


def counted_alone(n: int) -> int:
    same = np.zeros(n, dtype=np.int64)
    counted_in.__wrapped__(same, same)
    return int(same[0])


@pytest.mark.parametrize(
    ("body", "dtype", "found"),
    [
        ("h[k[i]] += x[i]", "float64", "add floats, which are rounded in another way in another order"),
        ("h[k[i]] *= x[i]", "int64", "may write the same elements"),
        ("h[k[i]] += h[0]", "int64", "may write the same elements"),
        ("h[k[i]] += 1\n        total += h[0]", "int64", "may write the same elements"),
        ("h[k[i]] += 1\n        h[k[i]] |= x[i]", "int64", "may write the same elements"),
        ("h[k[i]] = x[i] - h[k[i]]", "int64", "may write the same elements"),
        ("h[k[i]] = h[k[i] - 1] + 1", "int64", "may write the same elements"),
        ("y = h[k[i]]\n        h[k[i]] = y + y", "int64", "may write the same elements"),
        ("h[k[i]] += 1\n        k[i] = h[0]", "int64", "may write the same elements"),
    ],
)
def test_updates_that_are_refused(body: str, dtype: str, found: str) -> None:
    with pytest.raises(CompileError, match=found):
        script(_updates(body))(np.zeros(9, dtype=dtype), np.arange(9), np.ones(9, dtype=dtype))
