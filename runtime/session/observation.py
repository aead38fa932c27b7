"""`Observation`: the callbacks of a process, on the Python side of the boundary.

It owns the registry that native code reads (`tscript.abi.layout.REGISTRY`), fills and empties its slots, and answers
requests of native code: for the observed variant of a specialisation (`units`), the strings of a site (`sites`), the
values of a record, and for a callback that raised. `tscript.runtime.public.record` is its public face.

Kernels and types are made when the first callback is registered; until then a process pays for the memory of the
registry and nothing else.
"""

from __future__ import annotations

import contextlib
import ctypes
import itertools
import os
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, Protocol

from tscript.abi.boundary import PY_RANGE
from tscript.abi.layout import CALLBACK, MAX_ACTIVE, MAX_CALLBACKS, REGISTRY, SCOPES, THREAD
from tscript.abi.record import HOOK_NAMES, KERNELS, RecordScope, Route
from tscript.abi.symbols import kernel_symbol
from tscript.backend.loader.loaded import Store
from tscript.once import once
from tscript.runtime.boundary import atfork
from tscript.runtime.boundary.boundary import Boundary
from tscript.runtime.boundary.type_objects import make_range_type, make_record_type
from tscript.runtime.session.build import KernelLibrary
from tscript.runtime.session.callback_arguments import CallbackError
from tscript.runtime.session.sites import Sites
from tscript.runtime.session.units import Unit, warn

LONGEST_NAP = 0.001

READS = 1000
"""How often counts are read again because a thread was rebuilding its list of callbacks."""

RECORD_DOC = """What an operator callback gets: one run of an operator, a function or a range.

name, overload: Of the operator; of a fused group ``fused_`` and its members.
scope: A `RecordScope`.
inputs, outputs: Tuples, empty unless asked for; outputs at exit only. Both are emptied behind `on_exit`.
num_inputs: How many there are, asked for or not.
members: Names of the operators of a fused group.
module: Where the module whose code it is stands in that of the function, ``layers.0``; empty: it is that one, or none.
file, line, function: The scripted source; empty and 0 for what is called from Python directly.
thread_id: As `threading.get_ident` says it.
id: Unique in the process.
sequence_nr: -1.
failed: At exit: it raised."""

RANGE_DOC = """A range of the program that operator callbacks see, in the scope USER.

A context manager and a decorator. With no callback registered it costs some tens of nanoseconds.

Example:
    >>> import tscript
    >>> with tscript.record_function("preprocess"):
    ...     pass"""


class Lock(Protocol):
    """A lock, as `threading` has them."""

    def acquire(self) -> object:
        """Acquire it."""

    def release(self) -> None:
        """Give it back."""


class Slot:
    """A registered callback: its slot in the registry and its references.

    Args:
        observation: The owner.
        index: Which slot.
    """

    def __init__(self, observation: Observation, index: int) -> None:
        self.observation = observation
        self.index = index
        self.view: Any = observation.callback(index)
        self.generation = 0
        self.keep: tuple[object, ...] = ()
        self.name = ""
        self.max_faults = 0
        self.removed = False
        self.final: tuple[int, int, int] | None = None

    def counts(self) -> tuple[int, int, int]:
        """Events seen, sampled and faulted so far."""
        if self.final is not None:
            return self.final
        for _ in range(READS):
            before = self.observation.refreshes()
            found = self._sum()
            if before == self.observation.refreshes() and not any(n & 1 for n in before):
                break
        return found

    def _sum(self) -> tuple[int, int, int]:
        seen, sampled = self.view.totals[0], self.view.totals[1]
        address = self.observation.callback_address(self.index)
        for _, thread in self.observation.threads():
            for i in range(min(thread.count, MAX_ACTIVE)):
                if thread.callbacks[i] == address and thread.generations[i] == self.generation:
                    seen += thread.seen[i]
                    sampled += thread.sampled[i]
                    for scope in range(SCOPES):
                        if thread.scopes[i] >> scope & 1:
                            seen += thread.refill[scope] - thread.countdown[scope]
        return seen, sampled, self.view.faulted


class Observation:
    """The callbacks of this process. There is one, owned by the `Runtime`.

    Args:
        native: The boundary.
        library: Gives the kernels that run callbacks.
        heap: Address of the heap.
        compiling: Held while something is compiled; no thread may be in the middle of that when the process is forked.
        store: The loaded code; no thread may be changing it at a fork either.
    """

    def __init__(self, native: Boundary, library: KernelLibrary, heap: int, compiling: Lock, store: Store) -> None:
        self.native = native
        self._library = library
        self._compiling = compiling
        self._store = store
        self.lock = threading.RLock()
        self._slots: dict[int, Slot] = {}
        self._free = list(reversed(range(MAX_CALLBACKS)))
        self._orders = itertools.count(1)
        self._removing: list[int] = []
        self._has_said = False
        self.sites = Sites(self.lock)
        self._callbacks = (CALLBACK.ctype * MAX_CALLBACKS)()
        self.registry: Any = REGISTRY.ctype()
        self.registry.callbacks = ctypes.addressof(self._callbacks)
        self.registry.seed[0] = int.from_bytes(os.urandom(8), "little", signed=True)
        self.watching: Any = ctypes.c_int64.from_address(self.native.module.address("ts_watching_v1"))
        self._pointer("tsb_registry").value = ctypes.addressof(self.registry)
        ctypes.c_int64.from_address(self.native.module.address("tsb_thread_key")).value = self._thread_key()
        self._thread = ctypes.PYFUNCTYPE(ctypes.c_void_p)(self.native.module.address("ts_thread_v1"))
        self._pointer("tsb_heap").value = heap
        handlers = ("tsb_hold_heap", "tsb_let_heap_go", "tsb_heap_in_child")
        atfork.register(*(self.native.module.address(name) for name in handlers))
        os.register_at_fork(before=self._before_fork, after_in_parent=self._unlock, after_in_child=self._in_child)

    @property
    def symbols(self) -> dict[str, int]:
        """The symbols that kernels use."""
        return {kernel_symbol("registry"): ctypes.addressof(self.registry)}

    def _pointer(self, symbol: str, index: int = 0) -> Any:
        return ctypes.c_void_p.from_address(self.native.module.address(symbol) + 8 * index)

    def _thread_key(self) -> int:
        """A key for the states of threads, whose destructor marks a state as free."""
        if sys.platform == "win32":  # pragma: no cover - no destructors: states of ended threads stay
            return int(ctypes.windll.kernel32.TlsAlloc())
        key = ctypes.c_uint64()
        ctypes.CDLL(None).pthread_key_create(
            ctypes.byref(key), ctypes.c_void_p(self.native.module.address("tsb_thread_exit"))
        )
        return key.value

    # -- threads ----------------------------------------------------------------------------------------------------

    def thread(self) -> tuple[int, Any]:
        """Address and view of the calling thread's state."""
        address = self._thread()
        return address, THREAD.ctype.from_address(address)

    def threads(self) -> Iterator[tuple[int, Any]]:
        """Address and view of every thread's state, also of threads that have ended."""
        address = self.registry.threads[0]
        while address:
            view = THREAD.ctype.from_address(address)
            yield address, view
            address = view.next

    def refreshes(self) -> list[int]:
        """A number for every thread, which changes when the thread rebuilds its list of callbacks, and is odd
        meanwhile."""
        return [thread.section[1] for _, thread in self.threads()]

    # -- callbacks --------------------------------------------------------------------------------------------------

    def callback_address(self, index: int) -> int:
        """Address of a slot."""
        return ctypes.addressof(self._callbacks) + CALLBACK.size * index

    def callback(self, index: int) -> Any:
        """View of a slot."""
        return self._callbacks[index]

    def install(self) -> None:
        """Give native code the kernels, hooks and record type that it needs to observe. Only the first call has an
        effect."""
        if self._pointer("tsb_record_type").value:
            return
        for i, name in enumerate(KERNELS):
            self._pointer("tsb_record_kernels", i).value = self._library.address(kernel_symbol(name))
        hooks = {
            "build": Unit.build,
            "site": self.sites.described,
            "values": self.native.values.read,
            "fault": self._fault,
            "range_site": self.sites.of_range,
        }
        for i, name in enumerate(HOOK_NAMES):
            self.native.module.set_pointer("tsb_record_hooks", hooks[name], i)
        self.native.module.set_pointer("tsb_empty", ())
        self.native.module.set_pointer("tsb_record_type", self.record_type)

    def say_whole(self, name: str) -> None:
        """Say, once in a process, that of a function only whole calls are seen."""
        if not self._has_said:
            self._has_said = True
            warn(
                f"callbacks see the calls of {name}(), and not its operators: it comes from an archive without "
                "observed code, and there is no compiler; compile the archive with --observed"
            )

    @once
    def record_type(self) -> Any:
        """The type of records."""
        return make_record_type(self.native.module.addresses, "tscript.Record", RECORD_DOC)

    @once
    def range_type(self) -> Any:
        """``record_function``."""
        return make_range_type(self.native.module.addresses, "tscript.record_function", RANGE_DOC)

    def add(
        self,
        route: Route,
        enter: int,
        exit_: int,
        data: int,
        *,
        scopes: Sequence[RecordScope],
        probability: float,
        needs: int,
        granularity: int,
        local: bool,
        max_faults: int,
        name: str,
        keep: tuple[object, ...] = (),
    ) -> Slot:
        """Fill a slot and notify all threads.

        Raises:
            CallbackError: There are too many.
        """
        self.install()
        with self.lock:
            self._reap()
            own, thread = self.thread()
            owners = Counter(s.view.owner for s in self._slots.values())
            shared = owners.pop(None, 0) + (owners[own] if local else max(owners.values(), default=0))
            if shared >= MAX_ACTIVE:
                raise CallbackError(f"a thread runs at most {MAX_ACTIVE} callbacks; remove one first")
            if not self._free:
                raise CallbackError(f"a process has at most {MAX_CALLBACKS} callbacks; remove one first")
            index = self._free.pop()
            slot = Slot(self, index)
            view = slot.view
            slot.keep, slot.name, slot.max_faults = keep, name, max_faults
            # A thread that is late with counts of the old callback may only add them to that generation.
            slot.generation = view.generation[0] + 3
            self._publish(slot, slot.generation - 1)
            view.route, view.enter, view.exit, view.data = int(route), enter or None, exit_ or None, data or None
            view.scopes = sum(1 << s for s in scopes)
            self._set_probability(view, probability)
            view.needs, view.granularity = needs, granularity
            view.owner, view.owner_epoch = (own, thread.epoch) if local else (None, 0)
            view.order = next(self._orders)
            view.enabled, view.faulted = 1, 0
            for i in range(3):
                view.totals[i] = 0
            self.registry.count = max(self.registry.count, index + 1)
            self._slots[index] = slot
            self._publish(slot, slot.generation)
            self._count()
        return slot

    def remove(self, slot: Slot) -> None:
        """Empty a slot; returns when no thread runs the callback any more.

        Raises:
            CallbackError: It was removed before.
        """
        self.withdraw(slot)
        self.retire(slot)

    def withdraw(self, slot: Slot) -> None:
        """Begin to remove a callback: no thread that looks now will find it.

        Raises:
            CallbackError: It was removed before.
        """
        with self.lock:
            if slot.removed:
                raise CallbackError("the callback was removed before")
            self._withdraw(slot)

    def retire(self, slot: Slot) -> None:
        """Empty the slot of a withdrawn callback once no thread runs it. The lock must not be held."""
        from tscript.runtime.session.memory_barrier import memory_barrier

        own, _ = self.thread()
        memory_barrier()
        # Two callbacks that remove each other would wait for each other.
        self._removing.append(own)
        try:
            for address, thread in self.threads():
                self._wait_for_section(address, thread)
        finally:
            self._removing.remove(own)
        with self.lock:
            self._discard(slot)

    def _wait_for_section(self, address: int, thread: Any) -> None:
        """Wait until a thread has left the section that may call a callback."""
        began = thread.section[0]
        nap = 1e-5
        while began & 1 and thread.section[0] == began and thread.alive[0] and address not in self._removing:
            time.sleep(nap)
            nap = min(2 * nap, LONGEST_NAP)

    def _withdraw(self, slot: Slot) -> None:
        self._publish(slot, slot.generation + 1)
        slot.removed = True
        del self._slots[slot.index]
        self._count()

    def _discard(self, slot: Slot) -> None:
        """Free a withdrawn slot that no thread uses."""
        slot.final = slot.counts()
        self._free.append(slot.index)
        slot.keep = ()

    def set_enabled(self, slot: Slot, enabled: bool) -> None:
        """Switch a callback on or off."""
        with self.lock:
            self._require(slot)
            slot.view.enabled = int(enabled)
            self._publish(slot, slot.generation)
            self._count()

    def set_probability(self, slot: Slot, probability: float) -> None:
        """Change how often a callback is sampled."""
        with self.lock:
            self._require(slot)
            self._set_probability(slot.view, probability)
            slot.view.version += 1
            self._publish(slot, slot.generation)

    def _require(self, slot: Slot) -> None:
        if slot.removed:
            raise CallbackError("the callback was removed")

    def _set_probability(self, view: Any, probability: float) -> None:
        from math import log1p

        view.inverse = 1.0 / log1p(-probability) if 0.0 < probability < 1.0 else 0.0
        view.probability = probability

    def _publish(self, slot: Slot, generation: int) -> None:
        self._library.call("callback_publish", self.callback_address(slot.index), generation)

    def _count(self) -> None:
        self.watching.value = sum(1 for s in self._slots.values() if s.view.enabled)

    def _reap(self) -> None:
        """Remove the callbacks of threads that have ended."""
        for slot in list(self._slots.values()):
            owner = slot.view.owner
            if owner and THREAD.ctype.from_address(owner).epoch != slot.view.owner_epoch:
                self._withdraw(slot)
                self._discard(slot)

    # -- ranges -----------------------------------------------------------------------------------------------------

    def range(self, scope: RecordScope, name: str) -> contextlib.AbstractContextManager[object]:
        """A range of `scope`, without cost while there are no callbacks."""
        if not self.watching.value:
            return contextlib.nullcontext()
        made: contextlib.AbstractContextManager[object] = self.range_type(name)
        ctypes.c_int64.from_address(id(made) + PY_RANGE.offsets["scope"]).value = int(scope)
        return made

    # -- faults -----------------------------------------------------------------------------------------------------

    def _fault(self, address: int, error: BaseException | None) -> bool:
        """A callback raised: count it, warn once, and switch the callback off if it continues to raise. True: it was
        Ctrl-C."""
        if isinstance(error, KeyboardInterrupt):
            return True
        slot = self._slots.get((address - ctypes.addressof(self._callbacks)) // CALLBACK.size)
        if slot is None:
            return False
        with self.lock:
            slot.view.faulted += 1
            count = slot.view.faulted
        shown = f"{type(error).__name__}: {error}" if error is not None else "unknown error"
        if count == 1:
            warn(f"the operator callback {slot.name} raised {shown}; the program goes on, further faults are counted")
        if count == slot.max_faults:
            with contextlib.suppress(CallbackError):
                self.set_enabled(slot, False)
            warn(f"the operator callback {slot.name} is switched off after {count} faults, the last was {shown}")
        return False

    # -- fork -------------------------------------------------------------------------------------------------------

    def _before_fork(self) -> None:
        self._compiling.acquire()
        self.lock.acquire()
        self._store.hold()

    def _unlock(self) -> None:
        self._store.resume()
        self.lock.release()
        self._compiling.release()

    def _in_child(self) -> None:
        """Only this thread is left; counts, countdowns and statistics are reset."""
        own, _ = self.thread()
        self.registry.seed[0] = int.from_bytes(os.urandom(8), "little", signed=True)
        for slot in self._slots.values():
            slot.view.faulted = 0
            for i in range(3):
                slot.view.totals[i] = 0
        for address, thread in self.threads():
            if address != own:
                thread.epoch += 1
                thread.alive[0] = 0
                thread.section[0] = thread.section[1] = 0
                thread.guard = 0
                thread.open = None
            thread.random = int.from_bytes(os.urandom(8), "little", signed=True) | 1
            thread.count = 0
            thread.statistics = None
            thread.generation = -1
            for scope in range(SCOPES):
                thread.countdown[scope] = thread.refill[scope] = 0
        self._unlock()
