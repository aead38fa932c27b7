"""`Checked`: the Python half of the checked mode (``TSCRIPT_CHECKED=1``): reports, and checks of refcounts.

Compiled code checks every object that an operation uses, the allocator guards its blocks (`tscript.abi.checked`,
`tscript.runtime.kernels.memory`), and both report here. A report is written to standard error, with the operation, and
kept in `reports`.

`verify` checks refcounts: an object has at least as many as there are references to it from other objects in use. It
runs at safepoints while nothing runs concurrently, and on request.
"""

from __future__ import annotations

import _thread
import ctypes
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

from tscript.abi.checked import HEAD, TEXTS, State, Trouble, Word
from tscript.abi.kinds import TypeKind
from tscript.abi.layout import (
    CALLABLE_STRUCT,
    DELETED,
    DICT_STRUCT,
    IMMORTAL,
    LIST_STRUCT,
    NOT_COUNTED,
    OBJECT_STRUCT,
    SITE,
    TYPEINFO,
)
from tscript.abi.places import local
from tscript.runtime.values.typeinfo import TypeInfos

QUARANTINE = 32 << 20
"""Bytes of freed blocks that are not reused yet."""
PAUSE = 0.2
"""Seconds between two checks of refcounts at safepoints."""
MOST_BLOCKS = 50_000
"""The number of blocks in use beyond which safepoints skip the check."""


class Checked:
    """The state of the checked mode of this process.

    Args:
        heap: View of the heap.
        types: The types of this process.
        concurrent: Address of the byte that says whether anything runs concurrently.
        unfinished: Returns the number of pending and running tasks.

    Attributes:
        reports: All reports, oldest first.
        symbols: The symbols that native code imports.
    """

    def __init__(self, heap: Any, types: TypeInfos, concurrent: int, unfinished: Callable[[], int]) -> None:
        self._heap = heap
        self._types = types
        self._concurrent = ctypes.c_uint8.from_address(concurrent)
        self._unfinished = unfinished
        self.reports: list[str] = []
        self._state = (ctypes.c_int64 * len(State))()
        self._state[State.LIMIT] = QUARANTINE
        self._verified = time.monotonic()
        self._complain = ctypes.CFUNCTYPE(None, ctypes.c_int64, ctypes.c_int64, ctypes.c_int64, ctypes.c_int64)(
            self._complaint
        )
        self._verify = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(self._safepoint)
        callbacks = {"ts_complain_v1": self._complain, "ts_verify_v1": self._verify}
        self.symbols = {
            "ts_checked_v1": ctypes.addressof(self._state),
            **{name: ctypes.cast(call, ctypes.c_void_p).value or 0 for name, call in callbacks.items()},
        }

    def _complaint(self, trouble: int, address: int, nbytes: int, site: int) -> None:
        size = f" of {nbytes} bytes" if nbytes else ""
        self.report(f"{TEXTS[Trouble(trouble)]}: {address & (1 << 64) - 1:#x}{size}", site)

    def report(self, what: str, site: int = 0) -> None:
        """Report an error.

        Args:
            what: The error.
            site: Address of the `Site` of the operation that runs, if that is known.
        """
        where = ""
        if site:
            view = SITE.ctype.from_address(site)
            file, function = (ctypes.string_at(t).decode("utf-8", "replace") for t in (view.file, view.function))
            where = f"\n  {local(file)}:{view.line}:{view.col + 1}, in {function or '<script>'}"
        text = f"tscript checked mode: {what}{where}"
        self.reports.append(text)
        sys.stderr.write(text + "\n")

    # -- refcounts -----------------------------------------------------------------------------------------------------

    @property
    def is_concurrent(self) -> bool:
        """Whether tasks may be running."""
        return self._unfinished() > 0

    def _safepoint(self, context: int | None) -> None:
        try:
            now = time.monotonic()
            alone = not self._concurrent.value
            if alone and now > self._verified + PAUSE and self._heap.live_blocks <= MOST_BLOCKS:
                self._verified = now
                self.verify()
        except KeyboardInterrupt:  # for the safepoint itself
            _thread.interrupt_main()

    def verify(self) -> int:
        """Report objects with lower refcounts than there are references to them, and types with fewer values than there
        are.

        Nothing may run concurrently, because refcounts would change meanwhile.

        Returns:
            The number of checked objects.
        """
        objects = dict(self.objects())
        values = Counter(ctypes.addressof(info) for info in objects.values())
        for address, count in values.items():
            if NOT_COUNTED < TYPEINFO.ctype.from_address(address).values < count:
                self.report(f"the type {self._types.type_at(address)} counts fewer values than its {count}")
        wanted: Counter[int] = Counter()
        for address, info in objects.items():
            wanted.update(self._references(address, info))
        for address, count in wanted.items():
            if address in objects and _word(address) < count:
                self.report(
                    f"an object at {address:#x}, a {ctypes.string_at(objects[address].name).decode()}, has "
                    f"{_word(address)} references, and {count} in other objects"
                )
        return len(objects)

    def objects(self) -> Iterator[tuple[int, Any]]:
        """Address and `TypeInfo` of every object in use; not tensors."""
        types = self._types
        head = self._state[State.LIVE]
        while head:
            address = head + HEAD
            if _word(head + 8 * Word.NBYTES) >= OBJECT_STRUCT.size:
                info = _word(address + OBJECT_STRUCT.offsets["typeinfo"])
                if types.has(info) and 0 < _word(address) < IMMORTAL // 2:
                    yield address, TYPEINFO.ctype.from_address(info)
            head = _word(head + 8 * Word.NEXT)

    def _references(self, address: int, info: Any) -> Iterator[int]:
        match info.kind:
            case TypeKind.STR | TypeKind.BYTES | TypeKind.FUTURE | TypeKind.TENSOR:
                return
            case TypeKind.LIST:
                items = LIST_STRUCT.ctype.from_address(address)
                part = _part(info, 0)
                for k in range(items.length if part.counted else 0):
                    yield from _counted(part, items.data + k * items.itemsize)
            case TypeKind.DICT | TypeKind.SET:
                table = DICT_STRUCT.ctype.from_address(address)
                parts = [_part(info, i) for i in range(2 if info.kind == TypeKind.DICT else 1)]
                for k in range(table.used if any(p.counted for p in parts) else 0):
                    entry = table.entries + 8 * k * table.stride
                    if _word(entry) != DELETED:
                        yield from _counted(parts[0], entry + 8)
                        for part in parts[1:]:
                            yield from _counted(part, entry + 8 + 8 * parts[0].cells)
            case TypeKind.CLASS:
                at = address + OBJECT_STRUCT.size
                for k in range(info.count):
                    part = _part(info, k)
                    yield from _counted(part, at)
                    at += 8 * part.cells
            case TypeKind.CALLABLE:
                environment = _word(address + CALLABLE_STRUCT.offsets["environment"])
                if environment:
                    yield environment
            case _:
                yield from _counted(info, address + OBJECT_STRUCT.size)


def _word(address: int) -> int:
    return ctypes.c_int64.from_address(address).value


def _part(info: Any, index: int) -> Any:
    return TYPEINFO.ctype.from_address(_word(info.parts + 8 * index))


def _counted(info: Any, cells: int) -> Iterator[int]:
    """The objects that a value refers to."""
    for k in range(info.counted):
        found = _word(cells + 8 * _word(info.references + 8 * k))
        if found:
            yield found


__all__ = ["Checked"]
