"""Errors of arrays: types and messages are NumPy's, in compiled code, in loops, on several threads, in archives."""

# mypy: ignore-errors
from __future__ import annotations

import linecache
from typing import Any

import numpy as np
import pytest

import tscript
from tscript.ir.interpreter import interpret
from tscript.runtime.session.process import current
from tscript.runtime.session.scripted import scripted_of


def of(*shape: int) -> np.ndarray:
    """Ascending numbers."""
    return np.arange(float(np.prod(shape))).reshape(shape)


def ints(*shape: int) -> np.ndarray:
    """The same as ints."""
    return np.arange(int(np.prod(shape))).reshape(shape)


def fixed(array: np.ndarray) -> np.ndarray:
    """An array that may not be written."""
    array.flags.writeable = False
    return array


EXPRESSIONS: list[tuple[str, Any, Any]] = [
    ("a + b", of(3), of(4)),
    ("a * 2 + b", of(3), of(4)),
    ("a * 2 + b - a.sum()", of(2, 3), of(4)),
    ("(a + b).sum()", of(3), of(4)),
    ("np.exp(a) * b", of(2, 3), of(2, 4)),
    ("a == b", of(3), of(4)),
    ("np.maximum(a, b)", of(3), of(4)),
    ("np.arctan2(a, b)", of(3), of(4)),
    ("np.where(a > 1, a, b)", of(3), of(4)),
    ("a + b", of(2, 3, 4), of(2, 4, 3)),
    ("a + b", of(2, 3, 4, 5), of(2, 4, 3, 5)),
    ("a // b", ints(3), ints(4)),
    ("a + b", ints(3), of(4)),
    ("a & b", ints(3) > 1, ints(4) > 1),
    ("np.outer(a, b) + a", of(3), of(4)),
    ("a ** b", of(3), of(4)),
    ("np.linalg.norm(a - b)", of(3), of(4)),
    ("np.allclose(a, b)", of(3), of(4)),
    ("a[5]", of(3), of(4)),
    ("a[-4]", of(3), of(4)),
    ("a[0, 7]", of(2, 3), of(4)),
    ("a[5]", of(3, 2), of(4)),
    ("a[:, 5]", of(3, 2), of(4)),
    ("a[5, :]", of(3, 2), of(4)),
    ("a[5].sum()", of(3, 2), of(4)),
    ("a[-9]", of(3, 2), of(4)),
    ("a[5][0]", of(3, 2), of(4)),
    ("a[0][5]", of(3, 2), of(4)),
    ("a[b]", of(3), ints(4)),
    ("a[b, 0]", of(3, 3), ints(4)),
    ("a[:, b]", of(3, 3), ints(4)),
    ("a[b[:2], b[:3]]", of(3, 4), ints(4)),
    ("a[b > 1]", of(3), ints(4)),
    ("np.broadcast_to(a, (2, 4))", of(3), of(4)),
    ("np.zeros(-1)", of(3), of(3)),
    ("np.ones((2, -1))", of(3), of(3)),
    ("np.empty(len(a) - 9)", of(3), of(3)),
    ("np.linspace(0, 1, -1)", of(3), of(3)),
    ("a.item()", of(3), of(3)),
    ("np.concatenate((a, b))", of(3, 2), of(1, 3)),
    ("a.reshape(2, 2)", of(3), of(3)),
    ("a @ b", of(3), of(4)),
]
STATEMENTS: list[tuple[str, Any, Any]] = [
    ("a += b", of(3), of(4)),
    ("a += b", of(3), of(2, 3)),
    ("a -= b * 2", of(3), of(4)),
    ("a[:] = b", of(3), of(4)),
    ("a[1:] = b", of(3), of(4)),
    ("a[1:] += b", of(3), of(4)),
    ("a[0] = b", of(3, 2), of(4)),
    ("a[:, 0] = b", of(3, 2), of(4)),
    ("a[a > 1] = b", of(3), of(4)),
    ("a[[0, 1]] = b", of(3), of(4)),
    ("a[b] = 1", of(3), ints(4)),
    ("a[5] = 1", of(3, 2), of(4)),
    ("a[5] += 1", of(3, 2), of(4)),
    ("a[:, 5] = b", of(3, 2), of(3)),
    ("a[...] = b", of(3), of(2, 3)),
    ("a[:] = b", of(3), of(1, 3)),
    ("a[:] = b", of(2, 3), of(3, 2)),
    ("a[::2] = b", of(4), of(3)),
    ("a[0] = 1", fixed(of(3)), of(3)),
    ("a[0] += 1", fixed(of(3)), of(3)),
    ("a[:] = 1", fixed(of(3)), of(3)),
    ("a[:] = b", fixed(of(3)), of(3)),
    ("a[:] = b", fixed(of(3)), of(4)),
    ("a += b", fixed(of(3)), of(3)),
    ("a += 1", fixed(of(3)), of(3)),
    ("a[1:] *= b[1:]", fixed(of(3)), of(3)),
    ("a[a > 1] = 0", fixed(of(3)), of(3)),
    ("a[[0, 1]] = 0", fixed(of(3)), of(3)),
    ("a.fill(1)", fixed(of(3)), of(3)),
    ("a[0] = b", fixed(of(2, 3)), of(3)),
    ("a[0][1] = 1", fixed(of(2, 3)), of(3)),
    ("a[0][:] = 1", fixed(of(2, 3)), of(3)),
    ("a.T[0] = 1", fixed(of(2, 3)), of(3)),
    ("for row in a: row[:] = 1", fixed(of(2, 3)), of(3)),
    ("for i in range(9): a[i] = b", of(3, 3), of(3)),
    ("for i in range(9): a[i, i] = 1", of(3, 3), of(3)),
    ("for i in range(9): b[i] = a[i].sum()", of(3, 3), of(9)),
    ("for i in range(9): b[i] += a[0, i]", of(3, 3), of(9)),
    ("for i in range(2): a[i] += b", of(3, 3), of(2)),
]
PROGRAMS = [(f"def f(a, b):\n    return {text}\n", a, b) for text, a, b in EXPRESSIONS] + [
    (f"def f(a, b):\n    {text}\n    return a\n", a, b) for text, a, b in STATEMENTS
]


def function_of(source: str) -> Any:
    """The function of a text, with NumPy."""
    name = f"<errors {abs(hash(source))}>"
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    names: dict[str, Any] = {"np": np, "tscript": tscript}
    exec(compile(source, name, "exec"), names)
    return names["f"]


def declared(array: np.ndarray) -> str:
    """The annotation of an array."""
    sizes = ", ".join(["int"] * array.ndim)
    return f"np.ndarray[tuple[{sizes}], np.dtype[np.{array.dtype.name.replace('bool', 'bool_')}]]"


def outcome(function: Any, *args: Any) -> Any:
    """What a call gives, or type and message of its exception."""
    given = [x.copy() if isinstance(x, np.ndarray) and x.flags.writeable else x for x in args]
    try:
        found = function(*given)
    except Exception as error:  # noqa: BLE001 - whatever it raises
        return type(error), str(error)
    return [np.asarray(x).tolist() for x in (found, *given)]


@pytest.mark.parametrize(("source", "a", "b"), PROGRAMS, ids=[p[0].split("\n")[1].strip() for p in PROGRAMS])
def test_as_numpy(source, a, b):
    function = function_of(source)
    scripted = tscript.script(function)
    wanted = outcome(function, a, b)
    assert outcome(scripted, a, b) == wanted
    typed = tscript.script(function_of(source.replace("(a, b)", f"(a: {declared(a)}, b: {declared(b)})", 1)))
    own, compiler = scripted_of(typed), current().compiler
    made = compiler.specialise(own.program, own.types_of((a, b), {})[0], {})
    bodies = compiler.context.lower_body
    assert outcome(lambda *given: interpret(made, given, bodies=bodies), a, b) == wanted


def test_in_loops_on_several_threads():
    """The lowest iteration's error, as one thread would raise it."""
    source = (
        "def f(a, b):\n"
        "    out = np.zeros((len(a), 3))\n"
        "    for i in tscript.prange(len(a)):\n"
        "        out[i] = a[i] + b[i % 3:]\n"
        "    return out\n"
    )
    function = function_of(source)
    scripted = tscript.script(function)
    for a, b in ((of(40, 3), of(3)), (of(40, 3), of(4)), (of(40, 1), of(3))):
        assert outcome(scripted, a, b) == outcome(function, a, b)


def test_in_archives(tmp_path):
    source = f"def f(a: {declared(of(3))}, b: {declared(of(3))}):\n    a[1:] += b\n    return a\n"
    function = function_of(source)
    scripted = tscript.script(function)
    tscript.save(scripted, tmp_path / "f.tsar")
    loaded = tscript.load(tmp_path / "f.tsar")
    for a, b in ((of(3), of(2)), (of(3), of(4)), (fixed(of(3)), of(2))):
        assert outcome(loaded, a, b) == outcome(function, a, b)


def test_tensors_keep_theirs():
    @tscript.script
    def f(x: tscript.Tensor, y: tscript.Tensor):
        return x + y

    with pytest.raises(RuntimeError, match="The size of tensor a"):
        f(tscript.tensor([1.0, 2.0]), tscript.tensor([1.0, 2.0, 3.0]))

    @tscript.script
    def g(x: tscript.Tensor, i: int):
        return x[i]

    with pytest.raises(IndexError, match="for dimension 0"):
        g(tscript.zeros(2, 3), 5)


@pytest.mark.parametrize("numbers", [(5, 1, 1), (5, 1, -1), (1, 5, 2), (1, 5, -2), (0, 0, 1), (3, 3, -1)])
def test_arange_away_from_its_end(numbers):
    start, stop, step = numbers

    @tscript.script
    def f(start, stop, step):
        return np.arange(start, stop, step), np.arange(start, stop), np.arange(stop - 2)

    assert [x.tolist() for x in f(start, stop, step)] == [
        np.arange(start, stop, step).tolist(), np.arange(start, stop).tolist(), np.arange(stop - 2).tolist(),
    ]  # fmt: skip
    found = f(float(start), float(stop), float(step))
    assert found[0].tolist() == np.arange(float(start), float(stop), float(step)).tolist()
