"""A program that sends functions of its main module to the processes of a pool, which its argument names."""

import multiprocessing
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from typing import Any

import tscript

SCALE = 3

Run = Callable[[Any, Sequence[Any]], list[Any]]


@dataclass
class Point:
    x: int
    y: int

    def norm(self) -> int:
        return self.x * self.x + self.y * self.y


@tscript.script
def norm(p: Point) -> int:
    return p.norm() * SCALE


@tscript.script
def swap(p: Point) -> Point:
    return Point(p.y, p.x)


@tscript.script
def fails(n: int) -> int:
    return 10 // n


def around(k: int) -> Callable[[int], int]:
    @tscript.script
    def inner(n: int) -> int:
        return n * k

    return inner


def check(run: Run) -> None:
    """Call functions in the pool: the classes of arguments and results are those of this process."""
    for _ in range(2):  # pools that carry classes by value set their attributes again
        assert run(norm, [Point(1, 2), Point(3, 4)]) == [15, 75]
        (found,) = run(swap, [Point(1, 2)])
        assert found == Point(2, 1) and type(found) is Point
        assert run(around(7), [1, 2]) == [7, 14]
        assert norm(found) == 15
    try:
        run(fails, [0])
    except ZeroDivisionError:
        return
    raise AssertionError("no error came back")


def of_processes(method: str) -> None:
    context = multiprocessing.get_context(method)
    with context.Pool(2) as pool:
        check(pool.map)
    with ProcessPoolExecutor(2, mp_context=context) as executor:
        check(lambda function, values: list(executor.map(function, values)))


def of_joblib() -> None:
    from joblib import Parallel, delayed

    check(lambda function, values: Parallel(2)(delayed(function)(value) for value in values))


def of_dask() -> None:
    import dask
    from dask.distributed import Client, LocalCluster

    # Workers come up late where all of them compile at once.
    dask.config.set({"distributed.comm.timeouts.connect": "60s"})
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster) as client:
        check(lambda function, values: client.gather(client.map(function, values, pure=False)))


def of_ray() -> None:
    import ray

    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)

    @ray.remote  # type: ignore[untyped-decorator]
    def call(function: Any, value: Any) -> Any:
        return function(value)

    def run(function: Any, values: Sequence[Any]) -> list[Any]:
        try:
            return list(ray.get([call.remote(function, value) for value in values]))
        except ray.exceptions.RayTaskError as error:
            raise error.cause from None

    check(run)
    check(lambda function, values: run(lambda value: function(value), values))


def of_cloudpickle() -> None:
    import pickle

    import cloudpickle

    def run(function: Any, values: Sequence[Any]) -> list[Any]:
        data = cloudpickle.dumps([lambda v=value: function(v) for value in values])
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            return list(pickle.loads(pool.apply(_called, (data,))))

    check(run)


def _called(data: bytes) -> bytes:
    import pickle

    import cloudpickle

    dumped: bytes = cloudpickle.dumps([f() for f in pickle.loads(data)])
    return dumped


POOLS: dict[str, Callable[[], None]] = {
    "spawn": lambda: of_processes("spawn"),
    "forkserver": lambda: of_processes("forkserver"),
    "fork": lambda: of_processes("fork"),
    "cloudpickle": of_cloudpickle,
    "joblib": of_joblib,
    "dask": of_dask,
    "ray": of_ray,
}

if __name__ == "__main__":
    POOLS[sys.argv[1]]()
    print("done")
