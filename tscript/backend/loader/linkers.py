"""Linkers: what puts an object into the process and fills in addresses.

`ElfLinker` is ours, for Linux, and needs no compiler. `LlvmLinker` is LLVM's JITLink, for other systems, and what tests
compare the first with.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from functools import partial
from typing import Any, Protocol

from tscript.abi.pages import process_symbol
from tscript.backend.llvm.target import Target
from tscript.backend.loader.elf import parsed
from tscript.backend.loader.image import Image
from tscript.backend.loader.loading import AARCH64, X86_64, LoadError
from tscript.late import dataclass

BATCH = 64
"""Objects that share a JIT of LLVM's."""

_MACHINES = {"x86_64": X86_64, "aarch64": AARCH64}


@dataclass(frozen=True, slots=True)
class Linked:
    """An object in the process.

    Attributes:
        addresses: Addresses of the symbols that were asked for.
        free: Gives its memory back; called once, with the lock held.
    """

    addresses: Mapping[str, int]
    free: Callable[[], None]


class Linker(Protocol):
    """Puts objects into the process."""

    def address_of(self, name: str) -> int:
        """The address of a symbol of the process itself (libc, libm, libpython); 0: it has none."""

    def link(self, data: bytes, symbols: Mapping[str, int], names: Sequence[str], *, lasting: bool) -> Linked:
        """Put an object into the process.

        Args:
            data: The object.
            symbols: Addresses of what it expects from elsewhere.
            names: Symbols of it whose addresses are wanted.
            lasting: It is never freed.

        Raises:
            LoadError: It cannot be loaded.
        """


def linker_for(target: Target, lock: AbstractContextManager[object]) -> Linker:
    """The linker of this system.

    Args:
        target: This machine.
        lock: Held while objects are loaded and freed.
    """
    machine = _MACHINES.get(target.architecture)
    if machine is None or not sys.platform.startswith("linux") or target.architecture != os.uname().machine:
        return LlvmLinker(target, lock)
    return ElfLinker(machine)


class ElfLinker:
    """Our own linker.

    Args:
        machine: This one, as ELF numbers machines.
    """

    def __init__(self, machine: int) -> None:
        self._machine = machine

    def address_of(self, name: str) -> int:
        """The address of a symbol of the process."""
        return process_symbol(name)

    def link(self, data: bytes, symbols: Mapping[str, int], names: Sequence[str], *, lasting: bool) -> Linked:
        """Put an object into pages of its own."""
        obj = parsed(data)
        if obj.machine != self._machine:
            raise LoadError("an object for another machine cannot be loaded")
        image = Image(obj, symbols)
        return Linked({name: image.addresses[name] for name in names}, _stay if lasting else image.free)


def _stay() -> None:
    """What lasts is never freed."""


class Batch:
    """A JIT for objects that can be unloaded.

    Attributes:
        jit: The JIT.
        loaded: How many objects it has had.
        alive: How many of them are there.
    """

    __slots__ = ("alive", "jit", "loaded")

    def __init__(self, jit: Any) -> None:
        self.jit = jit
        self.loaded = 0
        self.alive = 0


class LlvmLinker:
    """LLVM's linker. Permanent objects are in one JIT that lives as long as the process, because threads may run them
    until the end. A JIT keeps some memory for every object it ever had, so all others are spread over several JITs,
    which are freed with their last object.

    Args:
        target: This machine.
        lock: Held while something is loaded or freed.
    """

    def __init__(self, target: Target, lock: AbstractContextManager[object]) -> None:
        self._target = target
        self._lock = lock
        self._count = 0
        self._jit: Any = None
        self._batch: Batch | None = None

    def address_of(self, name: str) -> int:
        """The address of a symbol of the process."""
        from tscript.backend.llvm.library import binding

        with self._lock:
            self._started()  # LLVM finds the process's own symbols only once a JIT exists
        return binding.address_of_symbol(name) or 0

    def link(self, data: bytes, symbols: Mapping[str, int], names: Sequence[str], *, lasting: bool) -> Linked:
        """Put an object into a JIT."""
        from tscript.backend.llvm.library import binding

        with self._lock:
            batch = None if lasting else self._next_batch()
            self._count += 1
            builder = binding.JITLibraryBuilder().add_object_img(data).add_current_process()
            for symbol, address in symbols.items():
                builder.import_symbol(symbol, address)
            for symbol in names:
                builder.export_symbol(symbol)
            try:
                tracker = builder.link(self._started() if batch is None else batch.jit, f"tscript.{self._count}")
            except RuntimeError as error:
                raise LoadError(f"cannot load an object: {error}") from None
            if batch is None:
                tracker.detach()
            else:
                tracker._owned = True  # so that llvmlite never frees it on its own
                batch.loaded += 1
                batch.alive += 1
        return Linked({name: tracker[name] for name in names}, partial(self._unload, tracker, batch))

    def _next_batch(self) -> Batch:
        """Where the next object goes that can be unloaded."""
        if self._batch is None or self._batch.loaded >= BATCH:
            full = self._batch
            self._batch = Batch(self._made())
            if full is not None:
                self._dispose(full)
        return self._batch

    def _unload(self, tracker: Any, batch: Batch | None) -> None:
        if batch is None:
            return
        tracker._owned = False
        tracker.close()
        batch.alive -= 1
        self._dispose(batch)

    def _dispose(self, batch: Batch) -> None:
        """Free a JIT that is done with."""
        if batch is not self._batch and not batch.alive:
            batch.jit._owned = False
            batch.jit.close()

    def _started(self) -> Any:
        if self._jit is None:
            self._jit = self._made()
        return self._jit

    def _made(self) -> Any:
        from tscript.backend.llvm.library import binding

        jit = binding.create_lljit_compiler(self._target.machine(2), use_jit_link=True)
        # So that Python never disposes of it as long as it has objects, not even when the session itself goes.
        jit._owned = True
        return jit


__all__ = ["ElfLinker", "Linked", "Linker", "LlvmLinker", "linker_for"]
