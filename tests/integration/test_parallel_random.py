"""Random numbers in parallel loops: each iteration has a stream of its own, on any number of threads."""

# mypy: disable-error-code="attr-defined,no-untyped-def,no-untyped-call,union-attr"
from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import tscript
from tests.fuzz.parallel import ParallelExecutor
from tscript import CompileError, prange, script
from tscript.runtime.session.process import current

Matrix = np.ndarray[tuple[int, int], np.dtype[np.float64]]


@pytest.fixture(autouse=True)
def threads() -> Iterator[None]:
    """All loops are divided; the global generator stays as it is."""
    before, state = tscript.get_num_threads(), np.random.get_state()
    current().team.set_patience(0)
    yield
    tscript.set_num_threads(before)
    current().team.set_patience(63)
    np.random.set_state(state)


def on_threads(run: Callable[[], Any]) -> Any:
    """The result, which is the same on one thread and on several."""
    found = []
    for count in (1, 2, 3):
        tscript.set_num_threads(count)
        found.append(run())
    assert repr(found[0]) == repr(found[1]) == repr(found[2])
    return found[0]


def stream(rng: Any, i: int) -> np.random.Generator:
    """The generator of an iteration, as the documentation says it."""
    key = rng.integers(2**64, size=2, dtype=np.uint64)
    return np.random.Generator(np.random.Philox(key=key, counter=(i % 2**64) << 64))


def row_of(rng: Any) -> list[float]:
    """What `numbers` and `others` draw."""
    return [rng.random(), rng.normal(), rng.integers(7), rng.integers(2**40), rng.integers(9), rng.uniform(2, 3)]


@script
def numbers(out, rng, first):
    for i in prange(first, first + len(out)):
        row = out[i - first]
        row[0] = rng.random()
        row[1] = rng.normal()
        row[2] = rng.integers(7)
        row[3] = rng.integers(2**40)
        row[4] = rng.integers(9)
        row[5] = rng.uniform(2, 3)


@pytest.mark.parametrize("first", [0, 5, -3])
@pytest.mark.parametrize("bits", [np.random.PCG64, np.random.MT19937, np.random.SFC64, np.random.Philox])
def test_each_iteration_draws_what_the_documentation_says(bits: Any, first: int) -> None:
    def run() -> Any:
        out = np.zeros((5000, 6))
        numbers(out, np.random.Generator(bits(3)), first)
        return out

    out = on_threads(run)
    for k in (0, 1, 2, 4998, 4999):
        assert out[k].tolist() == row_of(stream(np.random.Generator(bits(3)), first + k))


@script
def pi(n: int, rng) -> tuple[float, float]:
    inside, total = 0, 0.0
    for _ in prange(n):
        x, y = rng.random(), rng.random()
        if x * x + y * y < 1.0:
            inside += 1
        total += x
    return 4.0 * inside / n, total / n


def test_the_next_loop_draws_other_numbers() -> None:
    def run() -> Any:
        rng = np.random.default_rng(1)
        return pi(100_000, rng), pi(100_000, rng), rng.random()

    first, second, following = on_threads(run)
    assert first != second
    assert first[0] == pytest.approx(np.pi, abs=0.02) and first[1] == pytest.approx(0.5, abs=0.005)
    rng = np.random.default_rng(1)
    rng.bit_generator.random_raw(4)  # two numbers for each loop
    assert rng.random() == following


@script
def normals(out, rng):
    for i in prange(out.shape[0]):
        for j in range(out.shape[1]):
            out[i, j] = rng.standard_normal()


def test_iterations_are_independent_of_each_other() -> None:
    out = np.zeros((2000, 50))
    normals(out, np.random.default_rng(2))
    assert abs(out.mean()) < 4 / np.sqrt(out.size)
    assert out.var() == pytest.approx(1.0, abs=0.02)
    assert (out**4).mean() == pytest.approx(3.0, abs=0.1)
    for other in (out[1:], out[50:]):
        between = (out[: len(other)] * other).mean()
        assert abs(between) < 5 / np.sqrt(other.size)
    assert abs((out[:, 1:] * out[:, :-1]).mean()) < 5 / np.sqrt(out.size)
    assert np.abs(np.corrcoef(out.T) - np.eye(50)).max() < 0.12
    assert len(np.unique(out)) == out.size


@script
def of_global(out):
    for i in prange(len(out)):
        out[i, 0] = np.random.rand()
        out[i, 1] = np.random.randn()
        out[i, 2] = np.random.randint(3, 9)
        out[i, 3] = np.random.exponential(2.0)
        out[i, 4] = np.random.random_sample()
        out[i, 5] = np.random.uniform(1.0, 2.0)


def test_the_global_generator() -> None:
    def run() -> Any:
        np.random.seed(7)
        out = np.zeros((3000, 6))
        of_global(out)
        return out

    out = on_threads(run)
    np.random.seed(7)
    key = np.random.randint(2**64, size=2, dtype=np.uint64)
    for i in (0, 17, 2999):
        rng = np.random.Generator(np.random.Philox(key=key, counter=i << 64))
        expected = [
            rng.random(),
            rng.normal(),
            rng.integers(3, 9),
            rng.exponential(2.0),
            rng.random(),
            rng.uniform(1, 2),
        ]
        assert out[i].tolist() == expected


@script
def arrays(out, rng, items):
    for i in prange(len(out)):
        row = out[i]
        row[0] = rng.random()
        row[1:4] = rng.gamma(2.0, size=3)
        row[4:6] = np.random.rand(2)
        row[6] = np.random.randint(5, size=3)[1]
        row[7] = np.random.poisson(3.0)
        row[8] = rng.choice(items)
        rng.shuffle(row)


def test_arrays_and_rare_distributions_are_drawn_by_numpy() -> None:
    items = np.arange(5.0)

    def run() -> Any:
        np.random.seed(1)
        out = np.zeros((400, 9))
        arrays(out, np.random.default_rng(3), items)
        return out

    out = on_threads(run)
    np.random.seed(1)
    key = np.random.randint(2**64, size=2, dtype=np.uint64)
    for i in (0, 5, 399):
        rng = stream(np.random.default_rng(3), i)
        other = np.random.Generator(np.random.Philox(key=key, counter=i << 64))
        row = [
            rng.random(),
            *rng.gamma(2.0, size=3),
            *other.random(2),
            other.integers(5, size=3)[1],
            other.poisson(3.0),
        ]
        shuffled = np.array([*row, rng.choice(items)])
        rng.shuffle(shuffled)
        assert out[i].tolist() == shuffled.tolist()


@script
def made_inside(out, seed):
    for i in prange(len(out)):
        rng = np.random.default_rng(seed + i)
        out[i, 0] = rng.random()
        out[i, 1] = rng.normal()
        out[i, 2] = rng.gamma(2.0)


def test_generators_that_iterations_make() -> None:
    def run() -> Any:
        out = np.zeros((300, 3))
        made_inside(out, 11)
        return out

    for i, row in enumerate(on_threads(run)[:5]):
        rng = np.random.default_rng(11 + i)
        assert row.tolist() == [rng.random(), rng.normal(), rng.gamma(2.0)]


@dataclass
class Walker:
    rng: np.random.Generator
    steps: int

    def walk(self) -> float:
        rng, place = self.rng, 0.0
        for _ in range(self.steps):
            place += rng.normal()
        return place


@script
def walks(walker: Walker, out):
    for i in prange(len(out)):
        out[i] = walker.walk()


@script
def depth(rng: np.random.Generator, most: int) -> int:
    return 0 if most == 0 or rng.random() < 0.25 else 1 + depth(rng, most - 1)


@script
def depths(rng, out):
    for i in prange(len(out)):
        out[i] = depth(rng, 100)


@script
def nested(rng, out):
    for k in range(3):
        for i in prange(len(out)):
            for j in prange(out.shape[1]):
                out[i, j] += rng.random() * 10**k


def plain_depth(rng: np.random.Generator, most: int) -> int:
    return 0 if most == 0 or rng.random() < 0.25 else 1 + plain_depth(rng, most - 1)


def test_generators_in_fields_calls_and_nested_loops() -> None:
    def run() -> Any:
        out, found, many = np.zeros(500), np.zeros(700, dtype=np.int64), np.zeros((60, 9))
        walks(Walker(np.random.default_rng(1), 20), out)
        depths(np.random.default_rng(2), found)
        nested(np.random.default_rng(3), many)
        return out, found, many

    out, found, many = on_threads(run)
    assert out[77] == pytest.approx(stream(np.random.default_rng(1), 77).normal(size=20).sum())
    assert found[300] == plain_depth(stream(np.random.default_rng(2), 300), 100)
    rng = np.random.default_rng(3)
    expected = sum(stream(rng, 4).random(9) * 10**k for k in range(3))
    assert many[4] == pytest.approx(expected)


def test_auto_parallel_loops_draw_numpys_own_numbers() -> None:
    program = script(parallel=True)(normals.__wrapped__)
    out = np.zeros((400, 30))

    @script(parallel=True)
    def drawn(out, rng):
        for i in range(out.shape[0]):
            for j in range(out.shape[1]):
                out[i, j] = rng.standard_normal()

    tscript.set_num_threads(3)
    drawn(out, np.random.default_rng(4))
    assert np.array_equal(out, np.random.default_rng(4).standard_normal((400, 30)))
    program(out, np.random.default_rng(4))
    assert out[9].tolist() == stream(np.random.default_rng(4), 9).standard_normal(30).tolist()


def test_the_interpreter_draws_the_same() -> None:
    @script
    def drawn(out: Matrix, rng: np.random.Generator) -> None:
        for i in prange(len(out)):
            out[i, 0] = rng.random()
            out[i, 1] = np.random.normal()

    out, other = np.zeros((40, 2)), np.zeros((40, 2))
    np.random.seed(2)
    drawn(out, np.random.default_rng(3))
    np.random.seed(2)
    ParallelExecutor.interpreted(drawn, (other, np.random.default_rng(3)))(other, np.random.default_rng(3))
    assert np.array_equal(out, other)


@script
def several(rng: np.random.Generator, rngs: list[np.random.Generator], out) -> None:
    for i in prange(len(out)):
        out[i] = rngs[i].random()


@script
def reseeds(out) -> None:
    for i in prange(len(out)):
        np.random.seed(i)
        out[i] = np.random.rand()


@script
def global_depth(most: int) -> int:
    return 0 if most == 0 or np.random.rand() < 0.25 else 1 + global_depth(most - 1)


@script
def global_depths(out):
    for i in prange(len(out)):
        out[i] = global_depth(100)


def test_what_is_refused() -> None:
    with pytest.raises(CompileError, match="a generator that other iterations may draw from"):
        several(np.random.default_rng(1), [np.random.default_rng(2)] * 3, np.zeros(3))
    with pytest.raises(CompileError, match=r"'np\.random\.seed' is called"):
        reseeds(np.zeros(3))
    with pytest.raises(CompileError, match="which draws from the global generator"):
        global_depths(np.zeros(3))


@script
def failing(rng, out):
    for i in prange(len(out)):
        out[i] = rng.normal(0.0, 1.0 - i / 500)


def test_errors_of_draws_arrive() -> None:
    out = np.zeros(1000)
    for count in (1, 3):
        tscript.set_num_threads(count)
        with pytest.raises(ValueError, match="scale < 0"):
            failing(np.random.default_rng(1), out)
        assert out[499] == 0.0 + (1.0 - 499 / 500) * stream(np.random.default_rng(1), 499).standard_normal()


@script
def gammas(out, rng):
    for i in prange(len(out)):
        out[i] = rng.gamma(2.0)


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs timers")
def test_ctrl_c_in_python_code_that_iterations_call_ends_all_threads() -> None:
    """The signal may arrive while NumPy draws: chunks before that one do not go on."""

    def stop(signum: int, frame: object) -> None:
        raise KeyboardInterrupt

    gammas(np.zeros(9), np.random.default_rng(1))
    for threads in (1, 3):
        tscript.set_num_threads(threads)
        before = signal.signal(signal.SIGALRM, stop)
        out = np.zeros(3_000_000)
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        try:
            with pytest.raises(KeyboardInterrupt):
                gammas(out, np.random.default_rng(1))
        finally:
            signal.signal(signal.SIGALRM, before)
        assert np.count_nonzero(out) < len(out) / 4
