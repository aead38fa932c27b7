"""Operator callbacks where they could crash, hang or miscount: each in a process of its own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

START = """
import gc, os, queue, sys, threading, warnings
import tscript
from tscript import Tensor
from tscript.runtime.session.process import current

@tscript.script
def chain(x: Tensor, n: int) -> Tensor:
    for _ in range(n):
        x = tscript.tanh(x * 2.0) + 1.0
    return x.sum()

x = tscript.tensor([1.0, 2.0, 3.0, 4.0])
"""

MUTUAL = """
both, names = threading.Barrier(2), []
handles = {}

def remover(own, other):
    def enter(record):
        if threading.current_thread().name == own and own not in names:
            names.append(own)
            both.wait()
            handles[other].remove()
    return enter

for own, other in ("AB", "BA"):
    handles[own] = tscript.add_global_callback(remover(own, other), scopes=["OPERATOR"])
threads = [threading.Thread(target=lambda: x + 1.0, name=name) for name in "AB"]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(sorted(names), current().observation.watching.value)
"""

STATISTICS = """
warnings.simplefilter("ignore")
inside, go = threading.Event(), threading.Event()

def enter(record):
    inside.set()
    go.wait(0.2)
    raise ValueError("a fault, which is counted under the lock")

handle = tscript.add_global_callback(enter, scopes=["OPERATOR"])
tscript.enable_operator_stats()
thread = threading.Thread(target=lambda: x + 1.0)
thread.start()
inside.wait()
tscript.enable_operator_stats(False)
thread.join()
print(handle.faulted)
"""

WAITING = """
@tscript.script
def forks(x: Tensor, n: int) -> tscript.Future[Tensor]:
    return tscript.fork(chain, x, n)

entered, left, pending = [], [], []
inside = False

def enter(record):
    global inside
    assert not inside, "observed inside a callback"
    inside = True
    while pending:
        pending.pop().wait()
    tscript.wait(tscript.fork(chain, x, 2))
    inside = False
    entered.append(record.id)

def leave(record, context):
    left.append(record.id)

handle = tscript.add_thread_local_callback(enter, leave, granularity="operator")
for _ in range(100):
    pending += [forks(x, 20) for _ in range(4)]
    chain(x, 2)
handle.remove()
print(handle.sampled == len(entered) == len(left), entered != left, handle.faulted)
"""

MIGRATION = """
import resource
handle = tscript.add_global_callback(lambda record: None, scopes=["USER"])
ranges = queue.Queue(100)

def leave():
    while (found := ranges.get()) is not None:
        found.__exit__(None, None, None)

def enter(count):
    for _ in range(count):
        found = tscript.record_function("range")
        found.__enter__()
        ranges.put(found)

thread = threading.Thread(target=leave)
thread.start()
enter(2000)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
enter(30000)
ranges.put(None)
thread.join()
grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
print(handle.sampled, grown < 8000)
"""

RECURSION = """
@tscript.script
def fresh(x: Tensor) -> Tensor:
    return x * 2.0 + 1.0

fresh(x)
entered, left = [], []
handle = tscript.add_global_callback(
    lambda record: entered.append(record.id), lambda record, context: left.append(record.id),
    scopes=["FUNCTION", "OPERATOR"], needs_inputs=True, max_faults=10**6,
)

def deep():
    try:
        deep()
    except RecursionError:
        pass
    fresh(x)

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    for limit in (200, 300):
        sys.setrecursionlimit(limit)
        try:
            deep()
        except RecursionError:
            pass
sys.setrecursionlimit(1000)
assert abs(len(entered) - len(left)) <= 2 * handle.faulted
del entered[:]
fresh(x)
print(len(entered))
"""

REMOVED = """
@tscript.script
def parallel(x: Tensor, n: int) -> Tensor:
    first = tscript.fork(chain, x, n)
    return chain(x, n) + tscript.wait(first)

stop, wrong = False, []

def work():
    while not stop:
        parallel(x, 4)

threads = [threading.Thread(target=work) for _ in range(3)]
for thread in threads:
    thread.start()
for i in range(60):
    entered = []
    handle = tscript.add_global_callback(entered.append, sampling_prob=(1.0, 0.5)[i % 2])
    for _ in range(3):
        parallel(x, 4)
    handle.remove()
    count = len(entered)
    if handle.sampled != count or handle.seen < count:
        wrong.append((handle.seen, handle.sampled, count))
    parallel(x, 4)
    if len(entered) != count:
        wrong.append("called behind remove()")
stop = True
for thread in threads:
    thread.join()
print(wrong)
"""


@pytest.mark.parametrize("flags", [(), ("-X", "dev", "-W", "error")], ids=["plain", "dev"])
@pytest.mark.parametrize(
    ("code", "printed"),
    [
        pytest.param(MUTUAL, "['A', 'B'] 0", id="two callbacks remove each other"),
        pytest.param(STATISTICS, "1", id="a fault while statistics are switched"),
        pytest.param(WAITING, "True True 0", id="a callback waits for observed tasks"),
        pytest.param(MIGRATION, "32000 True", id="ranges that end on another thread"),
        pytest.param(RECURSION, "2", id="a first call without room on the stack"),
        pytest.param(REMOVED, "[]", id="removal under load"),
    ],
)
def test_in_a_process(code: str, printed: str, flags: tuple[str, ...], tmp_path: Path) -> None:
    script = tmp_path / "program.py"
    script.write_text(START + code)
    done = subprocess.run([sys.executable, *flags, str(script)], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout.strip()) == (0, printed), done.stderr
