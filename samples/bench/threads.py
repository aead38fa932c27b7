"""Long work on two threads, against one thread and against what two processes of one thread do together.

The variants take turns of a fraction of a second, each in a process of its own, which counts its calls. What two
processes reach is what the machine has to give: memory and other programs limit both. ``busy`` is the time of a call on
two threads while another process does the same, ``threads`` that of a call in each of two threads of Python.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from harness import Row

import tscript
from tscript import Tensor

SLICE = 0.15
ROUNDS = 6


def workloads() -> dict[str, tuple[Callable[..., Any], tuple[Any, ...]]]:
    """The functions and their arguments, by name."""

    @tscript.script
    def add(x: Tensor, y: Tensor) -> Tensor:
        return x + y

    @tscript.script
    def gelu(x: Tensor) -> Tensor:
        return 0.5 * x * (1.0 + tscript.tanh(0.7978845608 * (x + 0.044715 * x * x * x)))

    @tscript.script
    def softmax(x: Tensor) -> Tensor:
        e = tscript.exp(x - x.amax(1, True))
        return e / e.sum(1, True)

    @tscript.script
    def total(x: Tensor) -> Tensor:
        return x.sum()

    @tscript.script
    def error(x: Tensor, y: Tensor) -> Tensor:
        return ((x - y) ** 2).mean()

    @tscript.script
    def positions(x: Tensor) -> Tensor:
        return x.argmax(-1)

    @tscript.script
    def add_transposed(x: Tensor, y: Tensor) -> Tensor:
        return x + y.t()

    @tscript.script
    def product(x: Tensor, y: Tensor) -> Tensor:
        return x @ y

    @tscript.script
    def steps(x: Tensor) -> Tensor:
        for _ in range(200):
            x = 1.5 * tscript.tanh(x) + 0.1
        return x

    rng = np.random.default_rng(0)

    def made(*sizes: int) -> Any:
        return tscript.from_numpy(rng.uniform(-3, 3, sizes).astype(np.float32))

    return {
        "x + y 1e7": (add, (made(10_000_000), made(10_000_000))),
        "gelu 1e5": (gelu, (made(100_000),)),
        "gelu 1e7": (gelu, (made(10_000_000),)),
        "softmax 1024 x 1024": (softmax, (made(1024, 1024),)),
        "sum 1e7": (total, (made(10_000_000),)),
        "squared error 1e6": (error, (made(1_000_000), made(1_000_000))),
        "argmax of rows 1024 x 1024": (positions, (made(1024, 1024),)),
        "x + y.t() 1024 x 1024": (add_transposed, (made(1024, 1024), made(1024, 1024))),
        "matmul 256": (product, (made(256, 256), made(256, 256))),
        "matmul 1024": (product, (made(1024, 1024), made(1024, 1024))),
        "200 steps of 60,000 elements": (steps, (made(60_000),)),
    }


def serve() -> None:
    """Count calls for a while, again and again, as the other process says: ``seconds, threads of Python``."""
    function, args = workloads()[sys.argv[2]]
    function(*args)
    print("ready", flush=True)
    for line in sys.stdin:
        seconds, threads = line.split()
        end = time.perf_counter() + float(seconds)
        taken: list[float] = []

        def count(end: float = end, taken: list[float] = taken) -> None:
            start, calls = time.perf_counter(), 0
            while time.perf_counter() < end:
                function(*args)
                calls += 1
            taken.append((time.perf_counter() - start) / calls)

        others = [threading.Thread(target=count) for _ in range(int(threads) - 1)]
        for other in others:
            other.start()
        count()
        for other in others:
            other.join()
        print(sum(taken) / len(taken), flush=True)


class Server:
    """A process that counts its calls.

    Args:
        name: Of the workload.
        threads: How many each call may use.
    """

    def __init__(self, name: str, threads: int) -> None:
        self.process = subprocess.Popen(
            [sys.executable, os.path.abspath(__file__), "serve", name],
            env={**os.environ, "TSCRIPT_THREADS": str(threads)},
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        self.answer()

    def ask(self, threads: int = 1) -> None:
        """Have it count, in so many threads of Python."""
        assert self.process.stdin is not None
        self.process.stdin.write(f"{SLICE} {threads}\n")
        self.process.stdin.flush()

    def answer(self) -> str:
        """What it says."""
        assert self.process.stdout is not None
        return self.process.stdout.readline()


def together(servers: list[Server], threads: int = 1) -> list[float]:
    """The seconds that a call takes in each, while all run."""
    for server in servers:
        server.ask(threads)
    return [float(server.answer()) for server in servers]


def run() -> list[Row]:
    """Time all of it."""
    rows = []
    names = list(workloads())
    for name in names:
        one, two = [Server(name, 1) for _ in range(2)], [Server(name, 2) for _ in range(2)]
        times: dict[str, list[float]] = {}
        for _ in range(ROUNDS):
            for variant, found in (
                ("tscript", together(one[:1])[0]),
                ("2 threads", together(two[:1])[0]),
                ("2 processes", 1 / sum(1 / t for t in together(one))),
                ("busy", max(together(two))),
                ("threads", together(one[:1], 2)[0]),
            ):
                times.setdefault(variant, []).append(found * 1e9)
        for server in (*one, *two):
            assert server.process.stdin is not None
            server.process.stdin.close()
            server.process.wait()
        rows.append(Row(name, {variant: min(found) for variant, found in times.items()}))
    return rows


if __name__ == "__main__":
    serve()
