"""A process with a pool, over checked memory: CPython's locks, its GIL and threads, and what the pool calls of us."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from tests.runtime.boundary.conftest import Python, str_at
from tests.runtime.boundary.pool.schedule import Races, Schedule
from tscript.abi.layout import MAX_DEPTH, NO_STACK
from tscript.abi.status import Status
from tscript.dialect import (
    Context,
    Future,
    Loaded,
    Ptr,
    PyObject,
    Record,
    RecordSite,
    Registry,
    Site,
    ThreadState,
    TypeInfo,
    Void,
    atomic_add,
    field,
    i64,
    memset,
    pointer,
    pointer_cast,
    text,
)
from tscript.dialect.memory_model import Pointer, allocate, free, space, to_address
from tscript.runtime.boundary.native import gil
from tscript.runtime.boundary.native import python_api as api
from tscript.runtime.boundary.pool import from_python, futures, task_errors, waiting, workers

NULL = pointer(0, PyObject)
NEW_THREAD = "thread"


def zeros(kind: Any, nbytes: int = 1024, name: str = "zeros") -> Any:
    """Memory of a kind, all 0."""
    made: Any = allocate(nbytes, kind, name)
    memset(made, 0, nbytes)
    return made


class Process:
    """A process with a pool.

    Attributes:
        python: Its interpreter.
        schedule: Its threads.
        log: What was called, in order.
        room: Whether a thread has stack for one more task.
        can_start: Whether threads start.
        locks: How many more locks there is memory for.
        signals: How many looks at signals pass until one raises; -1: none does.
        lost: What the failures were that nobody waited for.
    """

    def __init__(self, python: Python, schedule: Schedule, races: Races | None = None) -> None:
        self.python, self.schedule, self.races = python, schedule, races
        self.log: list[Any] = []
        self.room = self.can_start = True
        self.locks = 1 << 30
        self.signals = -1
        self.lost: list[int] = []
        self.held: dict[int, bool] = {}
        self.states: dict[int, Any] = {}
        self.holder: int | None = 0
        self.counts = Counter({0: 1})
        self.gil_lock = zeros(Void, 8, "GIL")
        self.python_states: dict[int, Any] = {0: zeros(Void, 8, "thread state 0")}
        self.errors: dict[int, tuple[Any, Any, Any]] = {}
        self.debug: Counter[int] = Counter()
        self.copies = python.made(api.PyLong_Type, "copy hook")
        self.reports = python.made(api.PyLong_Type, "lost hook")
        self.owner = zeros(Loaded, 64, "object")
        self._install()
        task_errors.COPY_HOOK[0], futures.LOST_HOOK[0] = self.copies, self.reports
        assert from_python.start() == 1

    def _install(self) -> None:
        found = space().functions
        # Calls of CPython need the GIL, but for those that give it.
        free_of = ("PyThread", "PyGILState", "PyEval", "PyMem_Raw", "Py_IsInitialized")
        for name in dir(self.python):
            if name.startswith("Py") and not name.startswith(free_of):
                found[name] = self._with_gil(getattr(self.python, name))
        for name in dir(self):
            if name.startswith("Py"):
                function = getattr(self, name)
                found[name] = function if name.startswith(free_of) else self._with_gil(function)
            elif name.startswith("ts"):
                found[name] = getattr(self, name)
        found["ts_release_gil_v1"] = gil.release_gil
        found["ts_safepoint_v1"] = gil.safepoint
        found["ts_drop_owner_v1"] = gil.drop_owner

    def _with_gil(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def called(*args: Any) -> Any:
            assert self.holder == self.me, f"thread {self.me} calls {function.__name__} without the GIL"
            return function(*args)

        return called

    @property
    def me(self) -> int:
        """The current thread."""
        return self.schedule.current.number

    def run(self, main: Callable[[], Any]) -> Any:
        """Run the first thread, then the others until all sleep."""

        def whole() -> Any:
            found = main()
            self.settle()
            return found

        return self.schedule.run(whole)

    def settle(self) -> None:
        """Let the others run until all sleep; without the GIL."""
        state = self.PyEval_SaveThread()
        self.schedule.settle()
        self.PyEval_RestoreThread(state)

    # Locks

    def PyThread_allocate_lock(self) -> Any:
        self.locks -= 1
        if self.locks < 0:
            return pointer(0, Void)
        made = allocate(8, Void, "lock")
        self.held[to_address(made)] = False
        return made

    def PyThread_free_lock(self, lock: Any) -> None:
        assert not self.held.pop(to_address(lock)), "a lock is freed that somebody has"
        free(lock)

    def PyThread_acquire_lock(self, lock: Any, waits: int) -> int:
        assert waits == 1
        return self._acquired(lock, is_timed=False)

    def PyThread_acquire_lock_timed(self, lock: Any, microseconds: int, interrupts: int) -> int:
        assert interrupts == 1
        return self._acquired(lock, is_timed=microseconds >= 0)

    def _acquired(self, lock: Any, *, is_timed: bool) -> int:
        at = to_address(lock)
        self.schedule.switch()
        if not self.schedule.wait(lambda: not self.held[at], is_timed=is_timed):
            return 0
        self.held[at] = True
        if self.races:
            self.races.acquire(lock)
        return 1

    def PyThread_release_lock(self, lock: Any) -> None:
        assert self.held[to_address(lock)], "a lock is given back that nobody has"
        if self.races:
            self.races.release(lock)
        self.held[to_address(lock)] = False
        self.schedule.switch()

    def PyThread_start_new_thread(self, function: Any, argument: Any) -> int:
        if not self.can_start:
            return -1
        self.log.append(NEW_THREAD)
        self.schedule.start(lambda: space().function_at(to_address(function))(argument))
        self.schedule.switch()
        return 1

    # The GIL

    def _take(self) -> None:
        self.schedule.wait(lambda: self.holder is None)
        self.holder = self.me
        if self.races:
            self.races.acquire(self.gil_lock)

    def _give(self) -> None:
        assert self.holder == self.me
        if self.races:
            self.races.release(self.gil_lock)
        self.holder = None
        self.schedule.switch()

    def PyGILState_Check(self) -> int:
        return int(self.holder == self.me)

    def PyGILState_Ensure(self) -> int:
        had = self.holder == self.me
        if not had:
            if not self.counts[self.me]:
                self.python_states[self.me] = zeros(Void, 8, f"thread state {self.me}")
            self._take()
        self.counts[self.me] += 1
        return 0 if had else 1

    def PyGILState_Release(self, before: int) -> None:
        assert self.holder == self.me
        self.counts[self.me] -= 1
        assert self.counts[self.me] >= 0
        if not self.counts[self.me]:
            del self.python_states[self.me]
            assert self.me not in self.errors
            self._give()
        elif before == 1:
            self._give()

    def PyEval_SaveThread(self) -> Any:
        self._give()
        return self.python_states[self.me]

    def PyEval_RestoreThread(self, state: Any) -> None:
        assert state == self.python_states[self.me], "the state of another thread"
        assert self.holder != self.me
        self._take()

    def PyInterpreterState_Get(self) -> Any:
        return self.gil_lock

    def PyInterpreterState_ThreadHead(self, interpreter: Any) -> Any:
        return next(iter(self.python_states.values()))

    def PyThreadState_Next(self, state: Any) -> Any:
        states = list(self.python_states.values())
        return states[1] if len(states) > 1 and state == states[0] else NULL

    # Exceptions

    def fail_with(self, name: str) -> Any:
        """Raise a Python exception; null."""
        value = self.python.made(api.PyLong_Type, name)
        kind = self.python.made(api.PyLong_Type, f"class {name}")
        value.type = kind
        kind.refcount = 2
        self.errors[self.me] = (kind, value, self.python.made(api.PyLong_Type, f"traceback of {name}"))
        return NULL

    @property
    def raised(self) -> str:
        """What the current thread has raised; it is cleared."""
        kind, value, traceback = self.errors.pop(self.me)
        name: str = self.python.values[to_address(value)]
        for o in (kind, value, traceback):
            if to_address(o):
                self.drop(o)
        return name

    def drop(self, o: Any) -> None:
        """One reference less; an instance has one to its class."""
        last, kind = o.refcount == 1, o.type
        is_instance = str(self.python.values.get(to_address(kind))).startswith("class ")
        self.python.Py_DecRef(o)
        if last and is_instance:
            self.drop(kind)

    def Py_DecRef(self, o: Any) -> None:
        if to_address(o):
            self.drop(o)

    def PyErr_Fetch(self, kind: Any, value: Any, traceback: Any) -> None:
        kind[0], value[0], traceback[0] = self.errors.pop(self.me, (NULL, NULL, NULL))

    def PyErr_Restore(self, kind: Any, value: Any, traceback: Any) -> None:
        self.errors[self.me] = (kind, value, traceback)

    def PyErr_NormalizeException(self, kind: Any, value: Any, traceback: Any) -> None:
        assert value[0].type == kind[0]

    def PyErr_Clear(self) -> None:
        assert self.raised

    def PyErr_CheckSignals(self) -> int:
        if self.signals == 0:
            self.fail_with("KeyboardInterrupt")
            return -1
        self.signals -= 1
        return 0

    def PyErr_WriteUnraisable(self, hook: Any) -> None:
        self.log.append(("unraisable", self.raised))

    def PyException_SetTraceback(self, error: Any, traceback: Any) -> int:
        self.log.append("traceback is gone")
        return 0

    def Py_IsInitialized(self) -> int:
        return 1

    def PyLong_FromVoidPtr(self, p: Any) -> Any:
        return self.python.integer(to_address(p))

    def PyObject_CallOneArg(self, hook: Any, argument: Any) -> Any:
        if hook == self.reports:
            self.lost.append(self.python.value(argument))
            return self.python.made(api.PyLong_Type, None)
        assert hook == self.copies
        name = self.python.values[to_address(argument)]
        if name == "cannot be copied":
            return self.fail_with("no copy")
        made = self.python.made(argument.type, f"copy of {name}")
        argument.type.refcount += 1
        return made

    def PyObject_Call(self, called: Any, arguments: Any, keywords: Any) -> Any:
        function: Callable[..., Any] = self.python.values[to_address(called)]
        return function()

    # What is ours

    def ts_heap_allocate_v1(self, context: Any, nbytes: int, out: Any) -> int:
        if self.python._fails():
            return int(Status.RAISED)
        made = allocate(nbytes, Future, "future")
        out[0] = made
        return 0

    def ts_heap_free_v1(self, context: Any, p: Any, nbytes: int) -> int:
        assert len(p._region.data) == nbytes
        self.log.append("freed")
        free(p)
        return 0

    def ts_tensor_release_v1(self, context: Any, t: Any) -> int:
        if atomic_add(field(t, "refcount"), -1) == 1 and to_address(t.typeinfo):
            drop = pointer_cast(t.typeinfo, TypeInfo).drop
            space().function_at(to_address(drop))(pointer_cast(t, Future))
        return 0

    def retain(self, future: Any) -> None:
        """One more reference of a future."""
        atomic_add(field(future, "refcount"), 1)

    def ts_object_retain_v1(self, context: Any, o: Any) -> int:
        if to_address(o):
            o.refcount = o.refcount + 1
        return 0

    def ts_object_release_v1(self, context: Any, o: Any) -> int:
        if to_address(o):
            o.refcount = o.refcount - 1
        return 0

    def ts_trace_hold_v1(self, context: Any, trace: Any, n: int) -> int:
        for i in range(n):
            if to_address(trace[i].owner):
                atomic_add(field(trace[i].owner, "references"), 1)
        return 0

    def ts_trace_leave_v1(self, context: Any, trace: Any, n: int) -> int:
        for i in range(n):
            if to_address(trace[i].owner):
                atomic_add(field(trace[i].owner, "references"), -1)
        return 0

    def ts_thread_v1(self) -> Any:
        return self.states.setdefault(self.me, zeros(ThreadState, 4096, f"thread {self.me}"))

    def ts_observer_v1(self) -> Any:
        return self.ts_thread_v1()

    def ts_stack_limit_v1(self, context: Any, end: int) -> int:
        return int(not self.room)

    def ts_task_variant_v1(self, unit: Any, code: Any) -> Any:
        return unit.observed[0] if to_address(unit.observed[0]) else code

    def ts_task_enter_v1(self, site: Any) -> Any:
        self.log.append("enter")
        return zeros(Record, 1024, "record")

    def ts_task_leave_v1(self, record: Any, saved: Any, guard: int, failed: int) -> None:
        t = self.ts_thread_v1()
        t.open, t.guard = saved, guard
        if to_address(record):
            self.log.append(("leave", failed))

    def ts_debug_retain_v1(self, token: int) -> int:
        self.debug[token] += 1
        return token

    def ts_debug_release_v1(self, token: int) -> None:
        self.debug[token] -= 1

    def tsb_fail(self, context: Any, status: int) -> Any:
        assert self.holder == self.me
        if status == Status.RAISED:
            self.fail_with(str_at(context.trace[0].message))
        assert self.me in self.errors
        return NULL

    # Tasks

    def context(self, depth: int = MAX_DEPTH) -> Any:
        """A context of a thread that holds the GIL, or has none."""
        made = zeros(Context, 1024, "context")
        made.depth, made.stack = depth, NO_STACK
        return made

    def native(self, body: Callable[[Any, Any], int], letters: str = "i") -> Any:
        """A future of native code: ``body(context, future)`` leaves the result in the first cell."""
        out: Any = allocate(8, Ptr[Future], "out")
        run = space().address_of(body)
        kinds = text(letters)
        assert futures.new_future(self.context(), len(letters), 0, run, kinds, out) == 0
        return out[0]

    def forked(self, body: Callable[[Any, Any], int], letters: str = "i") -> Any:
        """The same, and it is forked."""
        made = self.native(body, letters)
        assert workers.fork_future(self.context(), made) == 0
        return made

    def forked_python(self, called: Callable[[], Any]) -> Any:
        """The future of a Python function, whose reference is the pool's."""
        function = self.python.made(api.PyLong_Type, called)
        arguments, keywords = self.python.tuple_of(), self.python.made(api.PyLong_Type, {})
        made = from_python.fork_python(function, arguments, keywords)
        for o in (function, arguments, keywords):
            self.drop(o)
        return made

    def site(self, number: int = 5) -> Any:
        """A place in code that raises, in an object that may be unloaded."""
        made = zeros(Site, 64, "site")
        made.number, made.owner, made.message = number, self.owner, text("wrong")
        return made

    def raises(self, context: Any, future: Any) -> int:
        """A task that fails."""
        context.ntrace, context.nargs, context.kinds = 1, 0, 0
        context.trace[0] = self.site()
        return int(Status.RAISED)

    def wait(self, future: Any, context: Any = None) -> int:
        """Wait without Python; the status. The thread has the GIL afterwards if it had it before."""
        used = self.context() if context is None else context
        status = waiting.wait_for(used, future)
        if to_address(used.thread_state):
            self.PyEval_RestoreThread(used.thread_state)
        return status


def result(future: Any) -> int:
    """The first cell of a future."""
    found: int = pointer_cast(future + 1, i64)[0]
    return found


def returns(value: int) -> Callable[[Any, Any], int]:
    """A task that returns a number."""

    def body(context: Any, future: Any) -> int:
        pointer_cast(future + 1, i64)[0] = value
        return 0

    return body


def process(python: Python, seed: int = 0, patch: pytest.MonkeyPatch | None = None, *, fine: bool = False) -> Process:
    """A process whose threads run in an order that a seed decides; with `patch`, accesses that race are found."""
    schedule = Schedule(seed)
    return Process(python, schedule, None if patch is None else Races(schedule, patch, fine=fine))


__all__ = ["NEW_THREAD", "Pointer", "Process", "RecordSite", "Registry", "process", "result", "returns", "zeros"]
