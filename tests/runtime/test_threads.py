"""Calls that use several threads: results are the same for any number; forks, exits, several callers at once."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import tscript
from tscript import Tensor
from tscript.runtime.session import team
from tscript.runtime.session.process import current

COUNTS = (1, 2, 3, 8)


@pytest.fixture(autouse=True)
def loops_are_divided() -> Iterator[None]:
    """Each test begins and ends with the same number of threads; all long loops are divided, however busy we are."""
    before = tscript.get_num_threads()
    current().team.set_patience(0)
    yield
    current().team.set_patience(63)
    tscript.set_num_threads(before)


@tscript.script
def chain(x: Tensor, y: Tensor) -> Tensor:
    return tscript.tanh(x * y + x) * y - x


@tscript.script
def chain_in_place(x: Tensor, y: Tensor) -> Tensor:
    x.mul_(y).add_(1.0)
    return x


def same_for_all_counts(function: Callable[..., Any], *arrays: Any) -> None:
    """The bits of a result do not depend on the number of threads."""
    found = []
    for count in COUNTS:
        tscript.set_num_threads(count)
        for _ in range(2):
            found.append(np.asarray(function(*(tscript.tensor(a) for a in arrays))))
    for other in found[1:]:
        assert other.tobytes() == found[0].tobytes()


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("size", [0, 1, 16383, 16384, 16385, 32767, 32768, 40_001, 65_536, 100_003, 262_147])
@pytest.mark.parametrize("function", [chain, chain_in_place])
def test_fused_loops(function: Any, size: int, dtype: str) -> None:
    rng = np.random.default_rng(size)
    same_for_all_counts(function, rng.standard_normal(size).astype(dtype), rng.standard_normal(size).astype(dtype))


@tscript.script
def of_transposed(x: Tensor, y: Tensor) -> Tensor:
    return x + y.t() * 2.0


@tscript.script
def of_rows(x: Tensor, y: Tensor) -> Tensor:
    return tscript.tanh(x * y[0]) + y[:, :1]


@tscript.script
def of_slices(x: Tensor, y: Tensor) -> Tensor:
    return x[::2, 1:] * y[1::2, ::2][:, :1] + 1.0


@tscript.script
def of_parts_in_place(x: Tensor, y: Tensor) -> Tensor:
    x[:, 1:].mul_(0.5).add_(y[:, :-1])
    x[1:].add_(x[:-1])
    return x


@tscript.script
def of_short_rows(x: Tensor, y: Tensor) -> Tensor:
    return x.view(-1, 2) + y.view(-1, 2)[0]


@pytest.mark.parametrize("size", [130, 258, 500])
@pytest.mark.parametrize("function", [of_transposed, of_rows, of_slices, of_parts_in_place, of_short_rows])
def test_fused_loops_over_any_layout(function: Any, size: int) -> None:
    rng = np.random.default_rng(size)
    same_for_all_counts(function, *(rng.standard_normal((size, size)).astype("float32") for _ in range(2)))


def test_fused_loops_over_any_layout_give_what_numpy_gives() -> None:
    x, y = (np.random.default_rng(n).integers(0, 9, (400, 400)).astype("float64") for n in range(2))
    tscript.set_num_threads(3)
    np.testing.assert_array_equal(np.asarray(of_transposed(tscript.tensor(x), tscript.tensor(y))), x + y.T * 2)
    found = np.asarray(of_short_rows(tscript.tensor(x), tscript.tensor(y)))
    np.testing.assert_array_equal(found, x.reshape(-1, 2) + y.reshape(-1, 2)[0])


REDUCTIONS = {
    "sum": lambda x: x.sum(),
    "mean of rows": lambda x: x.mean(-1),
    "sum of columns": lambda x: x.sum(0),
    "variance of columns": lambda x: x.var(0),
    "variance": lambda x: x.var(),
    "product of strided columns": lambda x: (x.t() if x.dim() == 2 else x).prod(0, dtype=tscript.float64),
    "all": lambda x: x.ne(7.0).all(),
    "softmax": lambda x: x.softmax(-1),
    "positions in rows": lambda x: x.argmax(-1),
    "positions in columns": lambda x: x.argmin(0),
    "position": lambda x: x.argmax(),
    "greatest of columns": lambda x: x.max(0)[1],
}


@pytest.mark.parametrize(
    "shape", [(65_536,), (65_537,), (200_003,), (3, 70_000), (70_001, 3), (100, 1024), (1025, 700)]
)
@pytest.mark.parametrize("name", REDUCTIONS)
def test_reductions(name: str, shape: tuple[int, ...]) -> None:
    x = np.random.default_rng(len(shape)).uniform(0.9, 1.1, shape)
    same_for_all_counts(REDUCTIONS[name], x.astype("float32"))


@tscript.script
def squared_error(x: Tensor, y: Tensor) -> Tensor:
    return ((x - y) ** 2).mean()


@tscript.script
def difference(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    d = x - y
    return d, d.max(), (d * d).sum() / d.numel(), (d > 0.5).any()


@pytest.mark.parametrize("size", [32_767, 131_072, 131_073, 200_003, 1_000_001])
@pytest.mark.parametrize("dtype", ["float32", "float64", "int64"])
def test_reductions_of_what_is_computed(size: int, dtype: str) -> None:
    rng = np.random.default_rng(size)
    x, y = ((9 * rng.standard_normal(size)).astype(dtype) for _ in range(2))
    if dtype != "int64":
        same_for_all_counts(squared_error, x, y)
    same_for_all_counts(lambda x, y: tscript.cat([t.double().view(-1) for t in difference(x, y)]), x, y)
    tscript.set_num_threads(3)
    d, most, mean, some = (np.asarray(t) for t in difference(tscript.tensor(x), tscript.tensor(y)))
    np.testing.assert_array_equal(d, x - y)
    assert (most, bool(some)) == ((x - y).max(), bool((x - y > 0.5).any()))
    np.testing.assert_allclose(mean, np.mean((x - y).astype("float64") ** 2), rtol=1e-5)
    if dtype != "float64":
        np.testing.assert_array_equal(mean, np.asarray(tscript.tensor((x - y) ** 2).sum() / size))


def test_sums_of_whole_numbers() -> None:
    x = np.random.default_rng(0).integers(-1000, 1000, (5, 300_000))
    same_for_all_counts(lambda x: x.sum(1), x)
    tscript.set_num_threads(8)
    np.testing.assert_array_equal(np.asarray(tscript.tensor(x).sum(1)), x.sum(1))


@tscript.script
def product(x: Tensor, y: Tensor) -> Tensor:
    return x @ y


@pytest.mark.parametrize("dtype", ["float32", "float64", "int64"])
@pytest.mark.parametrize(
    "sizes", [(64, 64, 64), (300, 257, 129), (517, 333, 1000), (1025, 64, 200), (33, 2000, 128), (1100, 1030, 70)]
)
def test_products(sizes: tuple[int, int, int], dtype: str) -> None:
    if dtype == "int64" and sizes[0] * sizes[1] * sizes[2] > 1e7:
        pytest.skip("takes long")
    m, n, k = sizes
    rng = np.random.default_rng(m)
    x, y = (10 * rng.standard_normal((m, k))).astype(dtype), (10 * rng.standard_normal((k, n))).astype(dtype)
    same_for_all_counts(product, x, y)
    same_for_all_counts(lambda x, y: product(x, y.t()), x, np.ascontiguousarray(y.T))
    same_for_all_counts(lambda x, y: product(x.t(), y), np.ascontiguousarray(x.T), y)
    tscript.set_num_threads(3)
    found = np.asarray(product(tscript.tensor(x), tscript.tensor(y)))
    np.testing.assert_allclose(found, x.astype(float) @ y.astype(float), rtol=1e-3, atol=0.05)


@tscript.script
def standardised(x: Tensor, scale: Tensor) -> Tensor:
    mean = x.mean(-1, True)
    centred = x - mean
    return centred / tscript.sqrt((centred * centred).mean(-1, True) + 1e-5) * scale


@pytest.mark.parametrize("shape", [(2, 20_000), (300, 333), (5_000, 17), (64, 1024)])
def test_loops_over_rows(shape: tuple[int, int]) -> None:
    rng = np.random.default_rng(0)
    same_for_all_counts(standardised, rng.standard_normal(shape), rng.standard_normal(shape[1]))


COPIES = {
    "transposed": lambda x: x.t().contiguous(),
    "clone": lambda x: x.clone(),
    "every second column": lambda x: x[:, ::2].contiguous(),
    "joined": lambda x: tscript.cat([x, x], 1),
    "stacked": lambda x: tscript.stack([x, x], 1),
}


@pytest.mark.parametrize("shape", [(3, 200_000), (200_000, 3), (701, 503)])
@pytest.mark.parametrize("dtype", ["float32", "int8"])
@pytest.mark.parametrize("name", COPIES)
def test_copies(name: str, dtype: str, shape: tuple[int, ...]) -> None:
    array = np.random.default_rng(1).integers(0, 100, shape).astype(dtype)
    same_for_all_counts(COPIES[name], array)
    x = tscript.tensor(array)
    assert np.array_equal(x.t().contiguous().numpy(), array.T)
    assert np.array_equal(tscript.cat([x, x], 1).numpy(), np.concatenate([array, array], 1))


@pytest.mark.parametrize("sizes", [(40, 64, 64, 64), (7, 200, 30, 150), (300, 16, 16, 16), (3, 1, 500, 800)])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_batches_of_products(sizes: tuple[int, int, int, int], dtype: str) -> None:
    count, m, k, n = sizes
    rng = np.random.default_rng(m)
    a, b = rng.standard_normal((count, m, k)).astype(dtype), rng.standard_normal((count, k, n)).astype(dtype)
    same_for_all_counts(lambda x, y: x @ y, a, b)
    same_for_all_counts(lambda x, y: x @ y, a, b[0])
    assert np.allclose((tscript.tensor(a) @ tscript.tensor(b)).numpy(), a @ b, rtol=1e-3, atol=1e-3)


def test_workers_are_started_when_there_is_work() -> None:
    code = (
        "import tscript\n"
        "from tscript.runtime.session.process import current\n"
        "tscript.set_num_threads(3)\n"
        "x = tscript.ones(10)\n"
        "x + x\n"
        "assert current().team.workers == 0\n"
        "x = tscript.ones(1 << 20)\n"
        "x + x\n"
        "assert current().team.workers == 2\n"
    )
    run_process(code)


def run_process(code: str, status: int = 0, **environment: str) -> str:
    """The output of a process."""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=120, env={**os.environ, **environment}
    )
    assert done.returncode == status, done.stderr
    return done.stdout


def test_the_number_of_threads_comes_from_the_environment() -> None:
    code = "import tscript; print(tscript.get_num_threads())"
    assert run_process(code, TSCRIPT_THREADS="5") == "5\n"
    if hasattr(os, "sched_getaffinity"):
        code = f"import os; os.sched_setaffinity(0, {{{min(os.sched_getaffinity(0))}}}); {code}"
        assert run_process(code, TSCRIPT_THREADS="") == "1\n"


@pytest.mark.parametrize(
    ("files", "limit"),
    [
        ({}, team.MOST_THREADS),
        ({"/proc/self/cgroup": "0::/\n", "/sys/fs/cgroup/cpu.max": "max 100000\n"}, team.MOST_THREADS),
        ({"/proc/self/cgroup": "0::/\n", "/sys/fs/cgroup/cpu.max": "250000 100000\n"}, 3),
        ({"/proc/self/cgroup": "0::/a/b\n", "/sys/fs/cgroup/a/cpu.max": "100000 100000\n"}, 1),
        (
            {
                "/proc/self/cgroup": "3:cpuset:/x\n2:cpu,cpuacct:/a\n",
                "/sys/fs/cgroup/cpu/a/cpu.cfs_quota_us": "50000\n",
                "/sys/fs/cgroup/cpu/a/cpu.cfs_period_us": "100000\n",
                "/sys/fs/cgroup/cpu/cpu.cfs_quota_us": "-1\n",
                "/sys/fs/cgroup/cpu/cpu.cfs_period_us": "100000\n",
            },
            1,
        ),
        ({"/proc/self/cgroup": "nonsense\n\n:::"}, team.MOST_THREADS),
    ],
)
def test_the_limit_of_the_container(files: dict[str, str], limit: int) -> None:
    assert team.container_limit(lambda path: files.get(path, "")) == limit


def test_several_callers_at_once() -> None:
    tscript.set_num_threads(3)
    x, y = (tscript.tensor(np.random.default_rng(i).standard_normal(200_000)) for i in (1, 2))
    expected = np.asarray(chain(x, y))
    wrong: list[int] = []

    def work() -> None:
        for _ in range(30):
            if not np.array_equal(np.asarray(chain(x, y)), expected):
                wrong.append(1)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_forks_in_the_middle_of_divided_loops() -> None:
    code = (
        "import os, threading\n"
        "import numpy as np, tscript\n"
        "from tscript.runtime.session.process import current\n"
        "tscript.set_num_threads(3)\n"
        "x = tscript.tensor(np.arange(300000.0))\n"
        "def doubled(): return float((x + x)[-1]) == 599998.0\n"
        "assert doubled()\n"
        "over = []\n"
        "def work():\n"
        "    while not over: assert doubled()\n"
        "threads = [threading.Thread(target=work) for _ in range(2)]\n"
        "for t in threads: t.start()\n"
        "for _ in range(10):\n"
        "    child = os.fork()\n"
        "    if child == 0:\n"
        "        os._exit(0 if doubled() and doubled() and current().team.workers == 2 else 1)\n"
        "    assert os.waitpid(child, 0)[1] == 0\n"
        "over.append(1)\n"
        "for t in threads: t.join()\n"
    )
    run_process(code)


def test_a_process_ends_while_loops_are_divided() -> None:
    code = (
        "import threading, time, tscript\n"
        "tscript.set_num_threads(4)\n"
        "x = tscript.ones(1 << 20)\n"
        "def work():\n"
        "    while True: x + x\n"
        "threading.Thread(target=work, daemon=True).start()\n"
        "time.sleep(0.1)\n"
        "print('over')\n"
    )
    assert run_process(code) == "over\n"


def test_forked_tasks_divide_loops_too() -> None:
    tscript.set_num_threads(2)
    x = tscript.tensor(np.random.default_rng(3).standard_normal(100_000))
    expected = np.asarray(chain(x, x))
    futures = [tscript.fork(chain, x, x) for _ in range(8)]
    for future in futures:
        np.testing.assert_array_equal(np.asarray(tscript.wait(future)), expected)


def test_numbers_of_threads() -> None:
    for count in (1, 2, 1000):
        tscript.set_num_threads(count)
        assert tscript.get_num_threads() == current().threads == count
    with pytest.raises(ValueError, match="positive"):
        tscript.set_num_threads(0)
    with pytest.raises(TypeError, match="not float"):
        tscript.set_num_threads(2.0)  # type: ignore[arg-type]
