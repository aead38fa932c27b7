"""How many requests a second the service answers, with tscript and with PyTorch in the same app.

    python samples/serve/load.py [--engines tscript,torch] [--seconds 5] [--clients 32]

It trains nothing: both compute a network 64-128-10 with the same weights. Each server runs in a process of its own, in
turn; the client is `httpx`. On a busy machine compare the processor time of the server.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import httpx
import numpy as np

Rows = list[list[float]]


def weights() -> list[np.ndarray]:
    """Of both layers."""
    random = np.random.default_rng(0)
    shapes = ((128, 64), (128,), (10, 128), (10,))
    return [random.normal(size=shape).astype(np.float32) / 8 for shape in shapes]


def network(nn):  # type: ignore[no-untyped-def]  # of either library
    """A network 64-128-10."""
    return nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 10)).eval()


def with_tscript() -> Callable[[Rows], Rows]:
    """What a scripted module computes."""
    import tscript

    module = network(tscript.nn)
    for parameter, weight in zip(module.parameters(), weights(), strict=True):
        parameter.data.copy_(tscript.from_numpy(weight))
    scripted = tscript.script(module)
    return lambda rows: scripted(tscript.tensor(rows)).tolist()


def with_torch() -> Callable[[Rows], Rows]:
    """What a frozen TorchScript module computes."""
    import torch

    torch.set_grad_enabled(False)
    torch.set_num_threads(1)
    module = network(torch.nn)
    for parameter, weight in zip(module.parameters(), weights(), strict=True):
        parameter.data.copy_(torch.from_numpy(weight))
    scripted = torch.jit.freeze(torch.jit.script(module))

    def predict(rows: Rows) -> Rows:
        with torch.no_grad():
            return scripted(torch.tensor(rows)).tolist()

    return predict


ENGINES = {"tscript": with_tscript, "torch": with_torch}


def serve(engine: str, port: int) -> None:
    """Run the service until the process is ended."""
    import uvicorn
    from app import create_app

    uvicorn.run(create_app(ENGINES[engine]()), port=port, log_level="warning", access_log=False)


def processor_time(process: subprocess.Popen[bytes]) -> float:
    """Seconds that all threads of a process have taken so far; 0 where the system does not say."""
    try:
        fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def measure(url: str, seconds: float, clients: int) -> tuple[float, float]:
    """Requests a second, and the median time of one in milliseconds."""
    row = np.random.default_rng(1).normal(size=64).round(3).tolist()
    times: list[float] = []
    limits = httpx.Limits(max_connections=clients)
    async with httpx.AsyncClient(base_url=url, limits=limits, timeout=30) as client:
        end = time.perf_counter() + seconds

        async def ask() -> None:
            while time.perf_counter() < end:
                start = time.perf_counter()
                answer = await client.post("/predict", json={"input": row})
                answer.raise_for_status()
                assert len(answer.json()["output"]) == 10
                times.append(time.perf_counter() - start)

        await asyncio.gather(*(ask() for _ in range(clients)))
    return len(times) / seconds, sorted(times)[len(times) // 2] * 1e3


def started(engine: str) -> tuple[subprocess.Popen[bytes], str]:
    """A server that answers, and its address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = subprocess.Popen([sys.executable, __file__, "--serve", engine, "--port", str(port)], env={**os.environ})
    url = f"http://127.0.0.1:{port}"
    for _ in range(600):
        try:
            httpx.post(f"{url}/predict", json={"input": [0.0] * 64}, timeout=60).raise_for_status()
        except httpx.TransportError:
            if process.poll() is not None:
                raise SystemExit(f"the server of {engine} did not start") from None
            time.sleep(0.1)
        else:
            return process, url
    raise SystemExit(f"the server of {engine} does not answer")


def main() -> None:
    """Measure each engine in turn."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--engines", default="tscript,torch")
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--clients", type=int, default=32)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--serve", help=argparse.SUPPRESS)
    parser.add_argument("--port", type=int, default=0, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        serve(options.serve, options.port)
        return
    names = options.engines.split(",")
    servers = {name: started(name) for name in names}
    try:
        for _ in range(options.rounds):
            for name, (process, url) in servers.items():
                before = processor_time(process)
                rate, median = asyncio.run(measure(url, options.seconds, options.clients))
                taken = (processor_time(process) - before) / (rate * options.seconds) * 1e6
                line = f"{name:10} {rate:8.0f} requests/s   median {median:6.2f} ms   processor {taken:6.0f} us each"
                print(line, flush=True)
    finally:
        for process, _ in servers.values():
            process.terminate()
            process.wait()


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parent))
    main()
