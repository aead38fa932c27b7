"""`Session`: the objects loaded into the process.

Permanent objects, such as kernels and stubs, live as long as the process, because threads may run them until the end.
All other objects have an owner (`tscript.backend.loader.loaded`), and are unloaded when it is closed.
"""

from __future__ import annotations

import ctypes
import itertools
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

from tscript.abi.symbols import FRAME, FRAMES, INTERNAL, LOADED, SCRIPTED, SITES, TIER, split_kernel_symbol
from tscript.backend.llvm.target import Target
from tscript.backend.loader.loaded import LoadedCode, Memory, Store
from tscript.backend.loader.loading import LoadError
from tscript.backend.loader.objects import Function, ObjectError, Symbols, frame_of, read_symbols
from tscript.backend.loader.prebuilt import Prebuilt
from tscript.diagnostics import InternalError
from tscript.once import once

if TYPE_CHECKING:
    from tscript.backend.loader.linkers import Linked, Linker

PERF_FOLDER: str | os.PathLike[str] = "/tmp"
"""The folder where `perf` looks for maps."""


MOST_DEAD = 1000
"""The number of unloaded objects that may stay in the map of `perf`."""


class Session:
    """Loads objects. There is one per process, owned by the runtime; every method may be called from any thread.

    Args:
        target: The machine of this process.
        symbols: Runtime symbols that objects may refer to, by name. Symbols of the process itself (libc, libm,
            libpython) are found without being listed.
        linker: Puts objects into the process; left out, the one for this system.
        store: Takes what is loaded; left out, one of its own.
    """

    def __init__(
        self,
        target: Target,
        symbols: Mapping[str, int] | None = None,
        linker: Linker | None = None,
        store: Store | None = None,
    ) -> None:
        self.target = target
        self.store = Store() if store is None else store
        self._lock = self.store.lock
        self._symbols: dict[str, int] = dict(symbols or {})
        self._count = itertools.count(1)
        self._lasting: list[LoadedCode] = []
        self._given_linker = linker
        self._perf_map = PerfMap.from_environment()

    @once
    def _linker(self) -> Linker:
        from tscript.backend.loader.linkers import linker_for

        return linker_for(self.target, self._lock) if self._given_linker is None else self._given_linker

    @property
    def symbols(self) -> Mapping[str, int]:
        """The runtime symbols, by name."""
        return self._symbols

    def define(self, symbols: Mapping[str, int]) -> None:
        """Add runtime symbols for objects loaded from now on.

        Raises:
            ValueError: One of them is already defined at another address.
        """
        with self._lock:
            for name, address in symbols.items():
                if self._symbols.setdefault(name, address) != address:
                    raise ValueError(f"symbol {name} is defined twice")

    def missing(self, data: bytes) -> tuple[str, ...]:
        """The undefined symbols of an object that are neither runtime symbols nor in the process.

        Raises:
            LoadError: It is damaged.
        """
        undefined = _symbols_of(data).undefined
        return tuple(n for n in undefined if n not in self._symbols and not self._linker.address_of(n))

    def load(
        self,
        data: bytes,
        exports: Iterable[str] | None = None,
        imports: Mapping[str, int] | None = None,
        place: str = "",
        *,
        lasting: bool = True,
    ) -> LoadedCode:
        """Link an object into the process.

        Args:
            data: A relocatable object for this machine, from `compile_text` or from a trusted place.
            exports: Names of the functions whose addresses are wanted; left out, all that it defines.
            imports: Addresses of symbols for this object alone; they take precedence over the session's.
            place: ``file:line`` of the source it was made from, for profilers; empty if there is none.
            lasting: It is never unloaded. Otherwise it is unloaded when nothing refers to the result, and no native
                value to it.

        Raises:
            LoadError: It is damaged, it lacks an export, or a symbol it needs is not defined.
        """
        if not self.target.is_host:
            raise InternalError(f"a session cannot run code for {self.target.triple}")
        table = _symbols_of(data)
        wanted = tuple(table.defined if exports is None else exports)
        found: dict[str, int] = {}
        unknown: list[str] = []
        for symbol in table.undefined:
            address = (imports or {}).get(symbol) or self._symbols.get(symbol) or self._linker.address_of(symbol)
            if address:
                found[symbol] = address
            else:
                unknown.append(symbol)
        if unknown:
            raise LoadError(f"undefined symbols: {', '.join(unknown)}")
        if lacking := [name for name in wanted if name not in table.defined]:
            raise LoadError(f"not defined: {', '.join(lacking)}")
        self.store.sweep()
        own = () if lasting else tuple(n for n in (LOADED, SITES, FRAMES) if n in table.defined and n not in wanted)
        linked = self._linker.link(data, found, (*wanted, *own), lasting=lasting)
        name = f"tscript.{next(self._count)}"
        about = {symbol: linked.addresses[symbol] for symbol in own}
        if FRAMES in about:
            _tell_frames(about[FRAMES], table.defined[FRAMES], table.functions)
            if TIER in table.defined:
                _double_frames(about[FRAMES])
        memory = Memory(partial(self._unload, name, linked), len(data), about.get(LOADED, 0))
        addresses = {symbol: linked.addresses[symbol] for symbol in wanted}
        loaded = LoadedCode(name, addresses, memory, self.store, about.get(SITES, 0))
        if lasting:
            self._lasting.append(loaded)
        if self._perf_map is not None:
            self._perf_map.add(loaded, table.functions, place)
        return loaded

    def list_prebuilt(self, prebuilt: Prebuilt) -> None:
        """Tell profilers what is in the prebuilt library: its exported functions."""
        if self._perf_map is not None:
            self._perf_map.add_symbols(prebuilt.name, prebuilt.symbols())

    def _unload(self, name: str, linked: Linked) -> None:
        """Free an object; the lock is held."""
        if self._perf_map is not None:
            self._perf_map.remove(name)
        linked.free()


def _symbols_of(data: bytes) -> Symbols:
    try:
        return read_symbols(data)
    except ObjectError as error:
        raise LoadError(str(error)) from None


def _double_frames(table: int) -> None:
    """On a frame of quick code may come that of a continuation, which is no larger."""
    sizes: Any = (ctypes.c_int64 * ctypes.c_int64.from_address(table).value).from_address(table + 8)
    sizes[:] = [2 * nbytes for nbytes in sizes]


def _tell_frames(table: int, size: int, functions: Iterable[Function]) -> None:
    """Write the sizes of frames to the table that stack checks read; unknown sizes keep their estimates.

    Args:
        table: Its address.
        size: In bytes.
        functions: Those of the object.

    Raises:
        LoadError: The table says that it is larger.
    """
    count = ctypes.c_int64.from_address(table).value if size >= 8 else -1
    if not 0 <= count <= size // 8 - 1:
        raise LoadError(f"damaged object: a table of {count} frames in {size} bytes")
    sizes: Any = (ctypes.c_int64 * count).from_address(table + 8)
    found: dict[int, int] = {}
    for function in functions:
        _, _, number = function.name.rpartition(FRAME)
        nbytes = frame_of(function)
        if number.isdecimal() and int(number) < count and nbytes is not None:  # a graph may have such a name
            found[int(number)] = max(nbytes, found.get(int(number), 0))
    for index, frame in found.items():
        sizes[index] = frame


class PerfMap:
    """Writes the addresses of functions for `perf` to ``/tmp/perf-PID.map``, if ``TSCRIPT_PERF_MAP=1``.

    One line for each function, internal ones too: address and size in hexadecimal, then its name (see `readable`). A
    child made by ``fork`` gets a map of its own that begins with its parent's. Unloaded functions stay in it for a
    while, because samples may belong to them. They are removed when there are more than `MOST_DEAD` unloaded objects,
    and more than loaded ones.

    Args:
        folder: Where the map goes; `perf` looks in ``/tmp``.
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self._folder = folder
        self._lines: dict[str, list[str]] = {}
        self._dead: set[str] = set()
        os.register_at_fork(after_in_child=self._follow)

    @staticmethod
    def from_environment() -> PerfMap | None:
        """The map, or None if the environment does not request it."""
        if os.environ.get("TSCRIPT_PERF_MAP") != "1":
            return None
        return PerfMap(PERF_FOLDER)

    @property
    def path(self) -> str:
        """The file for this process."""
        return os.path.join(self._folder, f"perf-{os.getpid()}.map")

    def add(self, loaded: LoadedCode, functions: Iterable[Function], place: str = "") -> None:
        """Append the functions of a loaded object; errors in writing are ignored.

        Args:
            loaded: The object; its exports give the addresses of its sections.
            functions: All its functions. One in a section without an export cannot be found and is left out.
            place: The place of the source, ``file:line``.
        """
        known = tuple(functions)
        begins = {f.section: loaded.addresses[f.name] - f.offset for f in known if f.name in loaded.addresses}
        entries = [f.name for f in known if f.name in loaded.addresses]
        lines = [
            f"{begins[f.section] + f.offset:x} {f.size:x} {readable(f.name, entries, place)}\n"
            for f in known
            if f.section in begins
        ]
        self._lines[loaded.name] = lines
        self._write(lines)
        if len(self._dead) > max(MOST_DEAD, len(self._lines) - len(self._dead)):
            self._take_out()

    def add_symbols(self, name: str, symbols: Iterable[tuple[str, int, int]]) -> None:
        """Append functions, each with its address and size, that are never unloaded."""
        lines = [f"{address:x} {size:x} {readable(symbol, [])}\n" for symbol, address, size in symbols]
        self._lines[name] = lines
        self._write(lines)

    def remove(self, name: str) -> None:
        """An object was unloaded."""
        if name in self._lines:
            self._dead.add(name)

    def _follow(self) -> None:
        self._write(line for lines in self._lines.values() for line in lines)

    def _take_out(self) -> None:
        dead, self._dead = self._dead, set()
        gone = {line for name in dead for line in self._lines.pop(name)}
        gone.difference_update(line for lines in self._lines.values() for line in lines)
        # Lines of others stay, and processes that have the file open continue at its end.
        with suppress(OSError):
            file = os.open(self.path, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
            with os.fdopen(file, "r+", encoding="utf-8", errors="surrogateescape") as stream:
                kept = [line for line in stream if line not in gone]
                stream.seek(0)
                stream.truncate()
                stream.writelines(kept)

    def _write(self, lines: Iterable[str]) -> None:
        # Python's own map (-X perf) may be in the same file. Others may write to the folder, so no link is followed.
        try:
            file = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        except OSError:
            return
        with os.fdopen(file, "w", encoding="utf-8", errors="replace") as stream, suppress(OSError):
            stream.writelines(lines)


def readable(symbol: str, entries: Sequence[str], place: str = "") -> str:
    """The name of a function as profilers show it.

    Args:
        symbol: Its symbol.
        entries: What its object exports: an internal function is named after the only one.
        place: Where the source of its object is.

    Example:
        >>> readable("tsf_smooth", ["tsf_smooth"], "model.py:8")
        'ts::smooth:model.py:8'
        >>> readable("group.2.loop", ["tsf_smooth"], "model.py:8")
        'ts::smooth:group.2.loop:model.py:8'
        >>> readable("ts_sum_all$f32$f32_v1", ["ts_sum_all$f32$f32_v1"])
        'ts::sum_all<f32,f32>'
    """
    symbol = re.sub(rf"{re.escape(FRAME)}\d+$", "", symbol)
    owner = _plain(entries[0]) if len(entries) == 1 and symbol not in entries else ""
    # A space would end the name for many tools, a newline the entry.
    parts = [part for part in ("ts:", owner, _plain(symbol), place) if part]
    return re.sub(r"\s", "_", ":".join(parts))


def _plain(symbol: str) -> str:
    if kernel := split_kernel_symbol(symbol):
        name, machine = kernel
        return f"{name}<{','.join(machine)}>" if machine else name
    return symbol.removeprefix(SCRIPTED).removeprefix(INTERNAL)
