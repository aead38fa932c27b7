"""How many requests a second the service answers, with tscript and with PyTorch in the same app.

    python samples/serve/load.py [--engines tscript,torch,torch-threads,nothing] [--seconds 5] [--clients 32]

It trains nothing: all compute a network 64-128-10 with the same weights. Each server runs in a process of its own, in
turn. `torch` has one thread like the service itself, `torch-threads` as many as it takes by default, and `nothing`
answers with zeros: it shows what the framework alone can do. `httpx` checks one answer of each; the load comes from
connections that send the same request again and again, which costs the client a tenth of what the server does.
On a busy machine compare the processor time of the server.
"""

from __future__ import annotations

import argparse
import asyncio
import json
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

    module = network(torch.nn)
    for parameter, weight in zip(module.parameters(), weights(), strict=True):
        parameter.data.copy_(torch.from_numpy(weight))
    scripted = torch.jit.freeze(torch.jit.script(module))

    def predict(rows: Rows) -> Rows:
        with torch.no_grad():
            return scripted(torch.tensor(rows)).tolist()

    return predict


def with_nothing() -> Callable[[Rows], Rows]:
    """Zeros."""
    return lambda rows: [[0.0] * 10 for _ in rows]


ENGINES = {"tscript": with_tscript, "torch": with_torch, "torch-threads": with_torch, "nothing": with_nothing}
# `torch.set_num_threads` counts for the thread that calls it; the service computes on another.
SETTINGS = {"torch": {"OMP_NUM_THREADS": "1"}}


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


def body() -> bytes:
    """What is asked."""
    return json.dumps({"input": np.random.default_rng(1).normal(size=64).round(3).tolist()}).encode()


async def measure(port: int, seconds: float, clients: int) -> tuple[float, float]:
    """Requests a second, and the median time of one in milliseconds."""
    content = body()
    head = f"POST /predict HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Length: {len(content)}\r\n\r\n"
    request = head.encode() + content
    times: list[float] = []
    end = time.perf_counter() + seconds

    async def ask() -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        while time.perf_counter() < end:
            start = time.perf_counter()
            writer.write(request)
            answer = (await reader.readuntil(b"\r\n\r\n")).lower()
            assert answer.startswith(b"http/1.1 200"), answer
            await reader.readexactly(int(answer.partition(b"content-length:")[2].partition(b"\r\n")[0]))
            times.append(time.perf_counter() - start)
        writer.close()

    await asyncio.gather(*(ask() for _ in range(clients)))
    return len(times) / seconds, sorted(times)[len(times) // 2] * 1e3


def started(engine: str) -> tuple[subprocess.Popen[bytes], int]:
    """A server that answers, and its port."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, __file__, "--serve", engine, "--port", str(port)]
    process = subprocess.Popen(command, env=os.environ | SETTINGS.get(engine, {}))
    for _ in range(600):
        try:
            answer = httpx.post(f"http://127.0.0.1:{port}/predict", content=body(), timeout=60).raise_for_status()
        except httpx.TransportError:
            if process.poll() is not None:
                raise SystemExit(f"the server of {engine} did not start") from None
            time.sleep(0.1)
        else:
            assert len(answer.json()["output"]) == 10
            return process, port
    raise SystemExit(f"the server of {engine} does not answer")


def main() -> None:
    """Measure each engine in turn."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--engines", default="tscript,torch,torch-threads,nothing")
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
            for name, (process, port) in servers.items():
                before = processor_time(process)
                rate, median = asyncio.run(measure(port, options.seconds, options.clients))
                taken = (processor_time(process) - before) / (rate * options.seconds) * 1e6
                line = f"{name:14} {rate:8.0f} requests/s   median {median:6.2f} ms   processor {taken:6.0f} us each"
                print(line, flush=True)
    finally:
        for process, _ in servers.values():
            process.terminate()
            process.wait()


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parent))
    main()
