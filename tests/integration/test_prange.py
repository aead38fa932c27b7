"""`tscript.prange`: what Python's loop gives, whatever runs the iterations; and what is refused."""

# mypy: disable-error-code="attr-defined,no-untyped-def,union-attr"
from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import tscript
from tscript import CompileError, Tensor, prange, script
from tscript.runtime.session.process import current

Vector = np.ndarray[tuple[int], np.dtype[np.float64]]
Ints = np.ndarray[tuple[int], np.dtype[np.int64]]
Matrix = np.ndarray[tuple[int, int], np.dtype[np.float64]]


@pytest.fixture(autouse=True)
def threads() -> Iterator[None]:
    """All loops are divided, where the processor has few cores and is busy too."""
    before = tscript.get_num_threads()
    current().team.set_patience(0)
    tscript.set_num_threads(3)
    yield
    tscript.set_num_threads(before)
    current().team.set_patience(63)


def numbers(n: int) -> Any:
    return np.random.default_rng(7).random(n)


def on_threads(run: Callable[[], Any]) -> list[Any]:
    """The results on one thread, and on several."""
    found: list[Any] = []
    for count in (1, 2, 4):
        tscript.set_num_threads(count)
        found.append(run())
    return found


def test_outside_of_compiled_code_it_is_range() -> None:
    assert prange(3) == range(3)
    assert list(prange(9, 2, -3)) == [9, 6, 3]


@script
def scaled(a: Matrix, out: Matrix) -> float:
    total = 0.0
    for i in prange(a.shape[0]):
        row = 0.0
        for j in range(a.shape[1]):
            out[i, j] = 2 * a[i, j] + 1
            row += a[i, j]
        total += row
    return total


def test_elements_are_written_and_floats_are_the_same_bits_on_any_threads() -> None:
    a = numbers(90_000).reshape(300, 300)
    out = np.zeros_like(a)
    one, two, four = on_threads(lambda: scaled(a, out))
    assert one == two == four
    assert one == pytest.approx(a.sum())
    assert (out == 2 * a + 1).all()


@script
def folds(a: Vector, n: int) -> tuple[float, float, float, float, int, int, int, int]:
    total, product, largest, smallest = 1.5, 1.0, -1.0, 5.0
    count, parity, bits, left = 0, 0, 0, 10
    for i in prange(n):
        total += a[i]
        product *= 1.0 + a[i] / 1e6
        largest = max(largest, a[i])
        smallest = min(smallest, a[i])
        if a[i] > 0.5:
            count += 1
            continue
        parity ^= i
        bits |= i
        left -= i
    return float(total), float(product), float(largest), float(smallest), count, parity, bits, left


def test_folds() -> None:
    a = numbers(50_000)
    one, two, four = on_threads(lambda: folds(a, len(a)))
    assert one == two == four
    expected = folds.__wrapped__(a, len(a))
    assert one[:2] == pytest.approx(expected[:2])
    assert one[2:] == expected[2:]
    assert folds(a, 0) == folds.__wrapped__(a, 0)
    assert folds(a, 1) == folds.__wrapped__(a, 1)


@script
def best(a: Vector) -> tuple[float, int, bool, bool, int]:
    value, place, positive, large, last = -1.0, -1, True, False, -7
    for i in prange(len(a)):
        if a[i] > value:
            value = a[i]
            place = i
        positive = positive and a[i] >= 0.0
        large = large or a[i] > 0.99999
        last = i
    return float(value), place, bool(positive), bool(large), last


def test_the_best_and_what_belongs_to_it_and_conjunctions_and_the_last() -> None:
    a = numbers(40_000)
    a[[7, 31_000, 39_000]] = 2.0
    assert on_threads(lambda: best(a)) == [(2.0, 7, True, True, 39_999)] * 3
    assert best(a[8:100] - 1) == best.__wrapped__(a[8:100] - 1)
    assert best(a[:0]) == (-1.0, -1, True, False, -7)


@script
def ints(xs: list[int]) -> int:
    total = 0
    for i in prange(len(xs)):
        total += xs[i]
    return total


def test_sums_of_ints_overflow_as_ints_do() -> None:
    assert ints([2**62] * 1) == 2**62
    assert ints([2**40] * 50_000) == 2**40 * 50_000
    with pytest.raises(OverflowError):
        ints([2**62] * 20_000)


@script
def rows(a: Matrix, out: Matrix) -> None:
    for i in prange(len(a)):
        row = out[i]
        row[:] = a[i] * 2.0
        row[0] = a[i].sum()
        out[i, 1:3] += 1.0


@script
def columns(a: Matrix, out: Matrix) -> None:
    for j in prange(a.shape[1]):
        for i in range(a.shape[0]):
            out[i, j] = a[i, j] + 1
        out[:, j] *= 2.0


@script
def blocks(a: Matrix, out: Matrix) -> None:
    for i in prange(len(a) // 4):
        out[4 * i : 4 * i + 4] = a[4 * i : 4 * i + 4] + 1.0
        out[4 * i + 1] *= 2.0


@script
def transposed(a: Matrix, out: Matrix) -> None:
    turned = out.T
    for i in prange(len(a)):
        for j in range(a.shape[1]):
            turned[j, i] = a[i, j]


@pytest.mark.parametrize("f", [rows, columns, blocks, transposed])
def test_parts_of_arrays(f: Any) -> None:
    a = numbers(40_000).reshape(400, 100)
    out, expected = np.zeros_like(a), np.zeros_like(a)
    f(a, out)
    f.__wrapped__(a, expected)
    assert np.allclose(out, expected)


@script
def odd_and_even(out: Vector, n: int) -> None:
    for i in prange(n):
        out[2 * i + 1] = float(i)
        out[2 * i] = -float(i)


@script
def downwards(out: Vector, n: int, step: int) -> None:
    for i in prange(n - 1, -1, -2):
        out[i] = float(i)
    for i in prange(0, n, step):
        out[i] += 1.0


def test_places_and_steps() -> None:
    for f, args in ((odd_and_even, (20_000,)), (downwards, (39_999, 3))):
        out, expected = np.zeros(40_001), np.zeros(40_001)
        f(out, *args)
        f.__wrapped__(expected, *args)
        assert (out == expected).all()


@script
def shifted(out: Vector, n: int, by: int) -> None:
    for i in prange(n):
        out[i - by] = float(i)


def test_indices_that_count_from_the_end_are_those_of_other_iterations() -> None:
    out, expected = np.zeros(30_000), np.zeros(30_000)
    shifted(out, 30_001, 1)
    shifted.__wrapped__(expected, 30_001, 1)
    assert (out == expected).all()


@script
def halved(a: Vector, out: Vector) -> None:
    for i in prange(len(a)):
        out[i] = 0.5 * a[i]


def test_arrays_that_overlap() -> None:
    for first, second in ((slice(0, -1), slice(1, None)), (slice(1, None), slice(0, -1)), (slice(None), slice(None))):
        memory, expected = numbers(20_000), numbers(20_000)
        halved(memory[first], memory[second])
        halved.__wrapped__(expected[first], expected[second])
        assert (memory == expected).all()
    memory = np.zeros(1)
    same = np.lib.stride_tricks.as_strided(memory, (20_000,), (0,))
    halved(numbers(20_000), same)
    assert memory[0] == 0.5 * numbers(20_000)[-1]


@script
def of_lists(xs: list[float], ys: list[float]) -> float:
    total = 0.0
    for i in prange(len(xs)):
        ys[i] = xs[i] * 2.0
        total += xs[i]
    return total


def test_lists() -> None:
    xs = [float(i) for i in range(20_000)]
    ys = list(xs)
    assert of_lists(xs, ys) == sum(xs)
    assert ys == [2 * x for x in xs]
    assert of_lists(xs, xs) == sum(ys)
    assert xs == ys


@script
def strings(n: int) -> int:
    total = 0
    for i in prange(n):
        parts = [str(i), "a"]
        parts.append(str(i + 1))
        total += len(",".join(parts))
    return total


def test_iterations_make_objects() -> None:
    before = tscript.memory_stats()["bytes"] if "bytes" in tscript.memory_stats() else 0
    assert on_threads(lambda: strings(20_000)) == [strings.__wrapped__(20_000)] * 3
    if before:
        assert tscript.memory_stats()["bytes"] - before < 1 << 20


@script
def of_tensors(a: Tensor, out: Tensor) -> float:
    total = 0.0
    for i in prange(len(a)):
        out[i] = 2.0 * a[i] + 1.0
        total += float(a[i].sum())
    return total


def test_tensors() -> None:
    a = tscript.from_numpy(numbers(30_000).reshape(1000, 30))
    out = tscript.zeros(1000, 30, dtype=tscript.float64)
    assert of_tensors(a, out) == pytest.approx(float(a.sum()))
    assert bool((out == a * 2.0 + 1.0).all())


@script
def inner(a: Vector) -> float:
    total = 0.0
    for i in prange(len(a)):
        total += a[i]
    return float(total)


@script
def nested(a: Matrix) -> float:
    total = 0.0
    for i in prange(len(a)):
        part = 0.0
        for j in prange(a.shape[1]):
            part += a[i, j]
        total += part + inner(a[i])
    return total


def test_loops_inside_of_loops() -> None:
    a = numbers(200_000).reshape(40, 5000)
    assert nested(a) == pytest.approx(2 * a.sum())


def untyped(a, out):
    for i in prange(len(a)):
        out[i] = a[i] + 1
    return out


def test_types_from_the_call() -> None:
    f = script(untyped)
    a = numbers(20_000)
    assert (f(a, np.zeros_like(a)) == a + 1).all()
    assert f(list(range(9000)), [0] * 9000) == list(range(1, 9001))


@script(parallel=True)
def plain(a: Matrix, out: Matrix, found: list[int]) -> float:
    total = 0.0
    for i in range(len(a)):
        for j in range(a.shape[1]):
            out[i, j] = a[i, j] * 2.0
    for i in range(len(a)):
        found.append(i)
    for i in range(len(a)):
        total += a[i, 0]
    return total


def test_parallel_divides_plain_loops_that_are_independent() -> None:
    a = numbers(90_000).reshape(300, 300)
    out, found, expected = np.zeros_like(a), list[int](), 0.0
    for i in range(300):
        expected += a[i, 0]
    assert plain(a, out, found) == expected
    assert (out == 2 * a).all()
    assert found == list(range(300))
    assert str(plain.graph).count("auto_prange") == 4
    assert str(plain.graph_for(a, out, found)).count("= parallel @") == 1
    text = script("from tscript import script\n@script(parallel=True)\ndef f(n: int):\n    for i in range(n): pass")
    assert "auto_prange" in str(text.f.graph)


class Box:
    """An array in a field."""

    def __init__(self, data: Vector, scale: float) -> None:
        self.data = data
        self.scale = scale


@script
def boxed(box: Box) -> None:
    for i in prange(len(box.data)):
        box.data[i] = i * box.scale


@tscript.library.custom_op("prange::raised")
def raised(x: float) -> float:
    return x + 1.0


@script
def in_python(out: Vector) -> None:
    for i in prange(len(out)):
        out[i] = raised(out[i])


def test_arrays_in_fields_and_operators_in_python() -> None:
    data = np.zeros(9000)
    boxed(Box(data, 0.5))
    assert (data == np.arange(9000) / 2).all()
    in_python(data)
    assert (data == np.arange(9000) / 2 + 1).all()


def pairs(n: int) -> list[int]:
    squares = [0] * n
    for i in prange(n):
        squares[i] = i * i
    return squares


def test_pickles() -> None:
    assert pickle.loads(pickle.dumps(script(pairs)))(4) == [0, 1, 4, 9]


# ---- exceptions


@script
def failing(out: Vector, n: int) -> None:
    for i in prange(n):
        if i % 1000 == 777:
            raise ValueError(f"at {i}")
        out[i] = 1.0


@script
def caught(out: Vector, n: int) -> str:
    try:
        failing(out, n)
    except ValueError as error:
        return str(error)
    return ""


def test_the_exception_is_that_of_the_lowest_iteration() -> None:
    for _ in range(20):
        out = np.zeros(30_000)
        with pytest.raises(ValueError, match=r"^at 777$") as error:
            failing(out, 30_000)
        assert (out[:777] == 1).all()
        assert out[777] == 0
        assert [entry.name for entry in error.traceback][-1:] == ["failing"]
        assert caught(np.zeros(30_000), 30_000) == "at 777"
    with pytest.raises(IndexError, match="index 20000 is out of bounds for axis 0 with size 20000"):
        halved(numbers(50_000), np.zeros(20_000))


@script
def endless(n: int) -> int:
    total = 0
    for i in prange(n):
        k = i
        for j in range(n):
            k = (k * 31 + j) % 1_000_003
        total += k
    return total


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs timers")
def test_ctrl_c_ends_all_threads() -> None:
    def stop(signum: int, frame: object) -> None:
        raise KeyboardInterrupt

    endless(2)
    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, 0.3)
    try:
        with pytest.raises(KeyboardInterrupt):
            endless(3_000_000)
    finally:
        signal.signal(signal.SIGALRM, before)
    assert ints([1, 2, 3]) == 6


def test_several_threads_of_python() -> None:
    a = numbers(60_000)
    expected = inner(a)
    found: list[float] = []

    def run() -> None:
        found.extend(inner(a) for _ in range(30))

    others = [threading.Thread(target=run) for _ in range(3)]
    for thread in others:
        thread.start()
    for thread in others:
        thread.join()
    assert found == [expected] * 90


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_children_of_fork() -> None:
    code = (
        "import os, sys, numpy as np, tscript\n"
        "a = np.ones(100_000)\n"
        "@tscript.script\n"
        "def total(a: np.ndarray[tuple[int], np.dtype[np.float64]]) -> float:\n"
        "    s = 0.0\n"
        "    for i in tscript.prange(len(a)):\n"
        "        s += a[i]\n"
        "    return s\n"
        "tscript.set_num_threads(3)\n"
        "assert total(a) == 100_000\n"
        "pid = os.fork()\n"
        "assert total(a) == 100_000\n"
        "if pid == 0:\n"
        "    os._exit(0)\n"
        "assert os.waitpid(pid, 0)[1] == 0\n"
    )
    program = os.path.join(os.environ.get("TMPDIR", "/tmp"), f"forked_{os.getpid()}.py")
    with open(program, "w", encoding="utf-8") as file:
        file.write(code)
    try:
        done = subprocess.run([sys.executable, "-W", "ignore", program], capture_output=True, text=True, check=False)
    finally:
        os.unlink(program)
    assert done.returncode == 0, done.stderr


def test_callbacks_see_operators_of_the_body() -> None:
    a = numbers(20_000).reshape(100, 200)
    names: list[str] = []
    expected = np.zeros_like(a)
    rows(a, expected)
    handle = tscript.add_global_callback(lambda record: names.append(record.name))
    try:
        out = np.zeros_like(a)
        rows(a, out)
    finally:
        handle.remove()
    assert (out == expected).all()
    assert names


def test_disabled_code_is_python(monkeypatch: pytest.MonkeyPatch) -> None:
    with tscript.disabled():
        assert ints([1, 2]) == 3


def test_archives(tmp_path: Any) -> None:
    tscript.save(scaled, tmp_path / "scaled.ts")
    loaded = tscript.load(tmp_path / "scaled.ts")
    a = numbers(90_000).reshape(300, 300)
    out = np.zeros_like(a)
    assert loaded(a, out) == scaled(a, out)


# ---- what is refused

REFUSED = {
    "carried": ("TS605", "x: float", "x = x * 0.5 + i", "'x'"),
    "read": ("TS605", "total: float, out: Vector", "total += i\n        out[i] = total", "'total'"),
    "two ways": ("TS605", "total: int", "total += i\n        total *= 2", "'total'"),
    "reversed": ("TS605", "x: int", "x = i - x", "'x'"),
    "one place": ("TS606", "out: Vector", "out[0] = i * 1.0", "'out'"),
    "any place": ("TS606", "out: Vector, at: Ints", "out[at[i]] = 1.0", "'out'"),
    "neighbour": ("TS606", "out: Vector", "out[i] = out[i + 1]", "'out'"),
    "two writes": ("TS606", "out: Vector", "out[i] = 1.0\n        out[i + 2] = 2.0", "'out'"),
    "half": ("TS606", "out: Vector", "out[i // 2] = 1.0", "'out'"),
    "other dimension": ("TS606", "m: Matrix", "m[i, 0] = m[0, i]", "'m'"),
    "whole": ("TS606", "m: Matrix", "m[i] = m.sum()", "'m'"),
    "broad slice": ("TS606", "m: Matrix", "m[i : i + 2] = 1.0", "'m'"),
    "all": ("TS606", "m: Matrix", "m += 1.0", "'m'"),
    "list of lists": ("TS606", "xs: list[list[int]]", "xs[i][0] = 1", "may write the same elements of"),
    "append": ("TS607", "xs: list[int]", "xs.append(i)", "'append' changes 'xs'"),
    "dict": ("TS607", "d: dict[int, int]", "d[i] = i", "'setitem' changes 'd'"),
    "set": ("TS607", "s: set[int]", "s.add(i)", "'add' changes 's'"),
    "print": ("TS607", "", "print(i)", "'print' is called"),
    "seed": ("TS607", "out: Vector", "np.random.seed(i)", "'np.random.seed' is called"),
    "function": ("TS607", "xs: list[int]", "grow(xs, i)", "'append' changes 'xs'"),
    "unknown function": ("TS607", "f: Callable[[int], int]", "f(i)", "a function is called that is not known"),
    "strings": ("TS607", "xs: list[str]", "xs[i] = str(i)", "'setitem' changes 'xs'"),
    "break": ("TS138", "", "if i > 3:\n            break", "'break'"),
    "return": ("TS138", "", "if i > 3:\n            return", "'return'"),
}


def by_way_of_a_tuple(n: int, first: bool) -> Any:
    out, other = np.zeros(n), np.ones(n)
    pair = (out, other) if first else (other, out)
    for i in prange(n - 1):
        out[i] = pair[0][i + 1] + 1.0
    return out


def test_arrays_that_are_read_by_way_of_a_tuple() -> None:
    with pytest.raises(CompileError, match="TS606"):
        script(by_way_of_a_tuple)(100, True)


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str) -> None:
    code, parameters, body, said = REFUSED[name]
    text = (
        "import numpy as np\nfrom collections.abc import Callable\nfrom tscript import prange\n"
        "Vector = np.ndarray[tuple[int], np.dtype[np.float64]]\n"
        "Ints = np.ndarray[tuple[int], np.dtype[np.int64]]\n"
        "Matrix = np.ndarray[tuple[int, int], np.dtype[np.float64]]\n"
        f"def f(n: int{', ' if parameters else ''}{parameters}):\n"
        f"    for i in prange(n):\n        {body}\n"
        f"{'    return x' if 'x:' in parameters else '    return total' if 'total' in parameters else ''}\n"
    )
    names: dict[str, Any] = {"grow": grow}
    exec(compile(text, f"<refused {name}>", "exec", dont_inherit=True), names)
    given = {
        "Vector": np.ones(9),
        "Ints": np.arange(9),
        "Matrix": np.ones((9, 9)),
        "float": 1.0,
        "int": 1,
        "list[list[int]]": [[1]] * 9,
        "list[int]": [1] * 9,
        "list[str]": ["a"] * 9,
        "dict[int, int]": {1: 2},
        "set[int]": {1},
        "Callable[[int], int]": script(lambda_of_int),
        "np.random.Generator": np.random.default_rng(1),
    }
    declared = names["f"].__annotations__
    args = [given[parameters.split(f"{p}: ")[1].split(", o")[0].split(", at")[0]] for p in declared if p != "n"]
    with pytest.raises(CompileError) as error:
        script(names["f"], source=text)(4, *args)
    found = error.value.diagnostics
    assert [d.code for d in found] == [code], found
    assert said in found[0].message()
    assert found[0].span.line >= 9


def grow(xs: list[int], i: int) -> None:
    xs.append(i)


def lambda_of_int(i: int) -> int:
    return i
