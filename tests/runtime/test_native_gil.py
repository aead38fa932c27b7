"""Tests of what native code calls back: safepoints, the GIL, owners, dispatch."""

from __future__ import annotations

import ctypes
import os
import signal
import threading
from functools import partial
from typing import Any

import pytest

from tscript.runtime.boundary.boundary import Boundary
from tscript.types.dtypes import float64


def test_an_endless_loop_ends_with_a_signal(native: Boundary, fake: Any) -> None:
    """Ctrl-C: the handler runs at a safepoint, its exception unwinds the native call."""
    f = fake.function("spin", ":N")
    fake.stop(True)
    f()
    fake.stop(False)
    timer = threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        f()
    timer.join()
    f.misses.clear()


def test_a_handler_may_return(native: Boundary, fake: Any) -> None:
    fake.stop(False)
    old = signal.signal(signal.SIGUSR1, lambda *_: fake.stop(True))
    try:
        threading.Timer(0.02, os.kill, (os.getpid(), signal.SIGUSR1)).start()
        assert native.stubs.invoke(":N", fake["spin"]) is None
    finally:
        signal.signal(signal.SIGUSR1, old)


def test_other_threads_run_meanwhile(native: Boundary, fake: Any) -> None:
    fake.stop(False)
    ran = threading.Event()

    def other() -> None:
        ran.set()
        fake.stop(True)

    thread = threading.Thread(target=other)
    thread.start()
    assert native.stubs.invoke(":N", fake["spin"]) is None
    assert ran.is_set()
    thread.join()
    assert ctypes.c_uint8.from_address(native.symbols["ts_concurrent_v1"]).value == 1


def test_threads_without_the_gil_share_tensors(native: Boundary, fake: Any) -> None:
    f = fake.function("away", "Ti:i")
    t = fake.full(4, 1.0)
    results: list[Any] = []

    def work() -> None:
        for _ in range(50):
            results.append(f(t, 200))
            native.tensors.wrap_borrowed(native.tensors.impl_of(t))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [200] * 200
    assert ctypes.c_int64.from_address(native.tensors.impl_of(t)).value == 1
    f.misses.clear()


def test_an_argument_outlives_a_call_without_the_gil(native: Boundary, fake: Any) -> None:
    f = fake.function("away", "Ti:i")
    for _ in range(200):
        assert f(fake.full(2, 1.0), 3) == 3
    f.misses.clear()


def test_drop_owner_from_any_thread(native: Boundary, fake: Any) -> None:
    drop = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(native.symbols["ts_drop_owner_v1"])
    dropped: list[int] = []

    class Owner:
        def __del__(self) -> None:
            dropped.append(threading.get_ident())

    def give() -> None:
        owner = Owner()
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(owner))
        address = id(owner)
        del owner
        drop(address)  # ctypes gives the GIL away around this call

    give()
    thread = threading.Thread(target=give)
    thread.start()
    thread.join()
    assert len(dropped) == 2
    drop(None)


def _give(result: Any, name: str, args: tuple[Any, ...]) -> Any:
    return result


@pytest.mark.parametrize("released", [0, 1])
def test_dispatch(native: Boundary, fake: Any, released: int) -> None:
    t = fake.full(2, 1.0)
    asked: list[Any] = []

    def run(name: str, args: tuple[Any, ...]) -> Any:
        asked.append((name, args))
        return args[0] + 1, args[1] * 3, args[3]

    native.operators = run
    assert native.stubs.invoke("Ti:(ifT)", fake["ask"], t, released) == (8, 1.5, t)
    assert asked == [("op.x", (7, 0.5, True, t, float64, (1, 2), "op.x"))]
    asked.clear()

    def fail(name: str, args: tuple[Any, ...]) -> Any:
        raise ZeroDivisionError(name)

    native.operators = fail
    for _ in range(3):
        with pytest.raises(ZeroDivisionError, match=r"op\.x"):
            native.stubs.invoke("Ti:(ifT)", fake["ask"], t, released)
    native.operators = lambda name, args: "nonsense"
    with pytest.raises(TypeError, match="expected a tensor, found str"):
        native.stubs.invoke("Ti:(ifT)", fake["ask"], t, released)
    wrong: Any
    for wrong in ((1, 0.5), (1, 2, t), (1, 0.5, t, t), (0.5, 1, t), None, t):
        native.operators = partial(_give, wrong)
        with pytest.raises(SystemError, match=r"op\.x returned .* native code expected"):
            native.stubs.invoke("Ti:(ifT)", fake["ask"], t, released)
    native.operators = lambda name, args: (2**63, 0.5, args[3])
    with pytest.raises(OverflowError):
        native.stubs.invoke("Ti:(ifT)", fake["ask"], t, released)


def test_dispatch_without_operators(session: Any, native: Boundary, fake: Any) -> None:
    native.operators = None
    with pytest.raises(SystemError, match="no operators"):
        native.stubs.invoke("Ti:(ifT)", fake["ask"], fake.full(1, 1.0), 0)
