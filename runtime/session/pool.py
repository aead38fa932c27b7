"""`Pool`: the Python half of the inter-op pool, whose native half is `tscript.runtime.boundary.pool`.

A process has one, made at the first fork (`tscript.runtime.session.runtime.Runtime.pool`). Its threads are started when
there is work, and sleep otherwise.

At exit the pool drains: pending and running tasks get time to finish (`EXIT_SECONDS`). Then tasks are interrupted at
their next safepoint, and the process ends. After `os.fork` the child has a pool without threads. Unfinished tasks stay
with the parent, and waiting for them in the child raises.
"""

from __future__ import annotations

import atexit
import ctypes
import os
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from tscript.abi.layout import CONTEXT, FUTURE
from tscript.abi.signature_types import result_kinds
from tscript.abi.status import Status
from tscript.abi.symbols import POOL_SYMBOLS, TENSOR_RELEASE, TENSOR_RETAIN
from tscript.backend.llvm.target import Target
from tscript.backend.loader.prebuilt import POOL
from tscript.runtime.boundary import atfork
from tscript.runtime.boundary.boundary import Boundary
from tscript.runtime.boundary.dialect_modules import emit_modules, exports_of
from tscript.runtime.boundary.native_module import Loader
from tscript.runtime.boundary.pool.imports import BOUNDARY_SYMBOLS, RUNTIME_SYMBOLS
from tscript.runtime.boundary.pool.module import MODULES
from tscript.runtime.boundary.pool.queue import MOST_THREADS
from tscript.runtime.session.build import KernelLibrary
from tscript.runtime.session.call import Dispatcher, Specialisation, answered, passes_on
from tscript.runtime.values.arguments import Argument
from tscript.runtime.values.errors import Errors
from tscript.runtime.values.futures import Futures, Tasks, copy_error
from tscript.runtime.values.tracebacks import raises_user_errors
from tscript.types import NUMBER, Type, parse_type

EXIT_SECONDS = 10.0
"""Seconds that tasks may continue when the process ends; ``TSCRIPT_INTEROP_EXIT_SECONDS`` changes it."""
LAST_SECONDS = 1.0
"""Seconds that interrupted tasks get to reach their next safepoint."""


def default_threads() -> int:
    """``TSCRIPT_INTEROP_THREADS``, or one for each core that this process may use."""
    wanted = os.environ.get("TSCRIPT_INTEROP_THREADS", "")
    if wanted.isdigit() and int(wanted) > 0:
        return min(int(wanted), MOST_THREADS)
    if hasattr(os, "sched_getaffinity"):
        return max(1, len(os.sched_getaffinity(0)))
    return os.cpu_count() or 1


def exit_seconds() -> float:
    """``TSCRIPT_INTEROP_EXIT_SECONDS``, or `EXIT_SECONDS`."""
    try:
        return max(0.0, float(os.environ.get("TSCRIPT_INTEROP_EXIT_SECONDS", "")))
    except ValueError:
        return EXIT_SECONDS


class Pool:
    """The inter-op pool of this process.

    Args:
        native: The boundary.
        library: Gives the kernels it needs.
        load: Compiles and loads its code.
        target: The machine.
        errors: Converts the exceptions of tasks that nothing waited for.
        threads: The maximum number of threads.
    """

    def __init__(
        self, native: Boundary, library: KernelLibrary, load: Loader, target: Target, errors: Errors, threads: int
    ) -> None:
        self._native = native
        self._addresses, keepalive = _code(native, library, load, target)
        report = partial(_report, errors)
        # Threads of the pool may run its code until the end of the process.
        for thing in (keepalive, report, copy_error):
            ctypes.pythonapi.Py_IncRef(ctypes.py_object(thing))
        self.symbols: Mapping[str, int] = {name: self._addresses[name] for name in POOL_SYMBOLS}
        self._stub_imports = {
            **self.symbols, **{name: library.address(name) for name in (TENSOR_RETAIN, TENSOR_RELEASE)}
        }  # fmt: skip
        self._kinds: dict[bytes, Any] = {}
        self._interrupt = ctypes.c_uint8.from_address(native.symbols["ts_interrupt_v1"])
        self._unfinished = ctypes.c_int64.from_address(self._addresses["tsp_unfinished"])
        for symbol, hook in (("tsp_lost_hook", report), ("tsp_copy_hook", copy_error)):
            ctypes.c_void_p.from_address(self._addresses[symbol]).value = id(hook)
        obj, ptr = ctypes.py_object, ctypes.c_void_p
        if not self._bind("tsp_start", ctypes.c_int)():
            raise MemoryError("no memory for the pool's lock")
        self.fork_python = self._bind("tsp_fork_python", ptr, obj, obj, obj)
        """A future (address) of ``function(*arguments, **keywords)``."""
        self.wait = self._bind("tsp_wait_python", obj, ptr)
        """Waits for the task of a future; raises its exception."""
        self.release = self._bind("tsp_release", None, ptr)
        """One reference of a future less."""
        self._set_limit = self._bind("tsp_set_limit", None, ctypes.c_int64)
        self._set_limit(threads)
        atfork.register(
            *(self._addresses[f"tsp_{name}"] for name in ("before_fork", "after_fork_in_parent", "after_fork_in_child"))
        )
        atexit.register(self.drain)

    def _bind(self, symbol: str, result: Any, *parameters: Any) -> Any:
        return ctypes.PYFUNCTYPE(result, *parameters)(self._addresses[symbol])

    def connect(
        self,
        futures: Futures,
        address: Callable[[Type], int],
        classes: Callable[[], Mapping[str, Type]],
        sweep: Callable[[], object],
    ) -> None:
        """Give futures the functions that wait for them, and that free them and their code.

        Args:
            futures: Of this process.
            address: Returns the address of the `TypeInfo` of a type.
            classes: Returns the types of classes by name.
            sweep: Frees code.
        """
        native = self._native

        def type_of(text: str) -> Type:
            return parse_type(text, classes())

        def value(text: str, cells: int) -> object:
            return native.converter.to_python(address(type_of(text)), cells)

        futures.tasks = Tasks(
            self.wait, native.tensors.retain, self.release, native.tensors.wrap_borrowed, native.tensors.size,
            partial(native.converter.to_python, address(NUMBER)), value, type_of, sweep,
        )  # fmt: skip

    def set_threads(self, count: int) -> None:
        """Set the maximum number of threads; surplus ones end when they are idle."""
        self._set_limit(count)

    @property
    def threads(self) -> int:
        """The current number of threads."""
        return ctypes.c_int64.from_address(self._addresses["tsp_threads"]).value

    @property
    def unfinished(self) -> int:
        """Tasks that are pending or running."""
        return int(self._unfinished.value)

    def drain(self) -> None:
        """Wait for tasks, for a limited time; then interrupt them. Called when the process ends."""
        if not self._settle(exit_seconds()):
            self._interrupt.value = 1
            self._settle(LAST_SECONDS)

    def _settle(self, seconds: float) -> bool:
        end, pause = time.monotonic() + seconds, 0.0002
        while self.unfinished > 0:
            if time.monotonic() >= end:
                return False
            time.sleep(pause)
            pause = min(0.02, pause * 2)
        return True

    # -- tasks of scripted functions

    def kinds(self, specialisation: Specialisation) -> int:
        """Address of the result kinds for futures of this code."""
        assert specialisation.result is not None
        text = result_kinds(specialisation.result)
        return ctypes.addressof(self._kinds.setdefault(text, ctypes.create_string_buffer(text)))

    def fork_stub(self, specialisation: Specialisation) -> int:
        """Address of the stub that forks code: that of its signature, or that of uniform entries."""
        if specialisation.stub:
            return self._addresses["tsp_uniform_fork"]
        return self._native.stubs.fork_stub(specialisation.signature, self._stub_imports)


class NotForkableError(Exception):
    """Code takes or returns what has to be converted with the GIL: Python calls it as a task."""


class Forker:
    """The slow path of forking one scripted function: like its `Dispatcher`, with stubs that fork instead of calling.

    Args:
        pool: Runs the tasks.
        dispatcher: Of the function.
    """

    def __init__(self, pool: Pool, dispatcher: Dispatcher) -> None:
        self._pool = pool
        self._dispatcher = dispatcher

    def miss(self, function: Any, args: tuple[object, ...], kwargs: Mapping[str, object]) -> object:
        """See `Dispatcher.miss`."""
        return answered(self._dispatcher.callee, partial(self._run, function, args), args, kwargs)

    @raises_user_errors
    def _run(
        self,
        function: Any,
        args: tuple[object, ...],
        values: list[object],
        described: Sequence[Argument],
        names: tuple[str, ...],
    ) -> object:
        dispatcher = self._dispatcher
        # A task may outlast the call, so it has Tensors.
        values = [dispatcher.arrays.as_tensor(value) for value in values]
        found = dispatcher.find(described, names)
        if found.result is None or found.signature.has_objects:
            raise NotForkableError(f"values of {dispatcher.callee.name}() are converted by their types")
        unit = 0 if found.unit is None else found.unit.address
        owner = 0 if found.code is None else found.code.counts
        uniform = found.constants[-1:] if found.stub else ()
        stub, constants = self._pool.fork_stub(found), (self._pool.kinds(found), unit, owner, *uniform)
        callables = dispatcher.callables
        if passes_on(values, args):
            key = callables.key_of(function, values, names)
            if key is not None:
                callables.add_row(
                    function, key, found.signature, found.address, found, constants, tuple(values), stub=stub
                )
        return dispatcher.stubs.invoke(found.signature, found.address, *values, constants=constants, stub=stub)


def _code(native: Boundary, library: KernelLibrary, load: Loader, target: Target) -> tuple[Mapping[str, int], object]:
    """The addresses of the native half, and what keeps them valid."""
    prebuilt = native.module.prebuilt
    if prebuilt is not None and (shipped := prebuilt.module(POOL)):
        return prebuilt.addresses(shipped), prebuilt
    imports = {name: library.address(name) for name in RUNTIME_SYMBOLS}
    imports |= {name: native.module.address(name) for name in BOUNDARY_SYMBOLS}
    return load(partial(emit_modules, MODULES, target), exports_of(MODULES), imports, name="pool")


def error_of(errors: Errors, address: int) -> BaseException | None:
    """The exception of the task of the future at `address`; None if there is none, or if it is not done."""
    future = FUTURE.ctype.from_address(address)
    if future.status == Status.RAISED:
        context = CONTEXT.ctype()
        start = ctypes.addressof(context) + CONTEXT.offsets["ntrace"]
        ctypes.memmove(start, address + FUTURE.offsets["record"], 8 * FUTURE.field("record").count)
        return errors.exception_of(ctypes.addressof(context), keeps=True)
    if future.status == Status.PYTHON and future.error:
        found = ctypes.cast(future.error, ctypes.py_object).value
        return found if isinstance(found, BaseException) else None
    return None


def _report(errors: Errors, address: int) -> None:
    """Warn that a task failed and nothing waited for it before its future was freed."""
    error = error_of(errors, address)
    places = []
    trace = None if error is None else error.__traceback__
    while trace is not None:
        places.append(f'  File "{trace.tb_frame.f_code.co_filename}", line {trace.tb_lineno}')
        trace = trace.tb_next
    place = f"\n{places[-1]}" if places else ""
    warnings.warn(
        f"a forked task raised {type(error).__name__}: {error}, and nobody waited for it{place}",
        RuntimeWarning,
        stacklevel=2,
    )


__all__ = ["Forker", "Pool", "default_threads", "error_of"]
