"""`Sites`: the places that records are made of, as native code reads them."""

from __future__ import annotations

import ctypes
import sys
import threading
from typing import Any

from tscript.abi.layout import RECORD_SITE
from tscript.abi.record import RecordScope

MAX_RANGES = 100_000
"""The maximum number of different names of ranges; they are never freed."""

OTHER_RANGES = "<other ranges>"

TEXTS = ("name", "overload", "file", "function", "module")
"""The texts of a `RecordSite`."""


class Sites:
    """The `RecordSite` structs that stay for the life of the process.

    Args:
        lock: Held while one is made.
    """

    def __init__(self, lock: threading.RLock) -> None:
        self._lock = lock
        self._ranges: dict[tuple[str, int], int] = {}
        self._kept: list[object] = []
        self._sites: dict[tuple[object, ...], int] = {}

    def site(
        self, scope: RecordScope, name: str, overload: str = "", file: str = "", function: str = "", line: int = 0
    ) -> int:
        """Address of a site for calls from Python, the same for the same place; it is never freed."""
        texts = tuple(t.encode("utf-8", "replace") for t in (name, overload, file, function, ""))
        return self._site_of(texts, (), (line, int(scope), -1, 0, 0), (b"", b""))

    def adopt(self, table: int) -> None:
        """Replace the sites of an object by copies that are never freed: records and statistics refer to them."""
        count = ctypes.c_int64.from_address(table).value
        places = (ctypes.c_int64 * count).from_address(table + 8)
        for i, address in enumerate(places):
            view = RECORD_SITE.ctype.from_address(address)
            texts = tuple(ctypes.string_at(getattr(view, n)) for n in TEXTS)
            members = (ctypes.c_void_p * view.num_members).from_address(view.members) if view.num_members else ()
            numbers = (view.line, view.scope, view.num_inputs, view.num_cells, view.num_output_cells)
            kinds = (
                ctypes.string_at(view.kinds, view.num_cells + 1),
                ctypes.string_at(view.output_kinds, view.num_output_cells + 1),
            )
            places[i] = self._site_of(texts, tuple(map(ctypes.string_at, members)), numbers, kinds)

    def _site_of(
        self, texts: tuple[bytes, ...], members: tuple[bytes, ...], numbers: tuple[int, ...], kinds: tuple[bytes, bytes]
    ) -> int:
        """Address of the site with these texts, line, scope and counts of inputs and cells."""
        key = (texts, members, numbers, kinds)
        with self._lock:
            found = self._sites.get(key)
            if found is None:
                view = RECORD_SITE.ctype()
                kept: list[Any] = [view, *map(ctypes.create_string_buffer, texts)]
                for name, buffer in zip(TEXTS, kept[1:], strict=True):
                    setattr(view, name, ctypes.addressof(buffer))
                view.line, view.scope, view.num_inputs, view.num_cells, view.num_output_cells = numbers
                if members:
                    names = [ctypes.create_string_buffer(m) for m in members]
                    table = (ctypes.c_void_p * len(members))(*map(ctypes.addressof, names))
                    view.num_members, view.members = len(members), ctypes.addressof(table)
                    kept += [names, table]
                if all(kinds):
                    cells = [ctypes.create_string_buffer(k, len(k)) for k in kinds]
                    view.kinds, view.output_kinds = map(ctypes.addressof, cells)
                    kept += cells
                self._kept.append(kept)
                found = self._sites[key] = ctypes.addressof(view)
            return found

    def identity_of(self, address: int) -> tuple[int, str, str]:
        """Scope, name and overload of a site."""
        view = RECORD_SITE.ctype.from_address(address)
        return view.scope, _text(view.name), _text(view.overload)

    def of_range(self, name: str, scope: int) -> int:
        """Address of the site of ranges of a name."""
        key = (name, scope)
        found = self._ranges.get(key)
        if found is None:
            with self._lock:
                if len(self._ranges) >= MAX_RANGES:
                    key = (OTHER_RANGES, scope)
                found = self._ranges.get(key)
                if found is None:
                    found = self._ranges[key] = self.site(RecordScope(scope), key[0])
        return found

    def described(self, address: int) -> tuple[object, ...]:
        """The shared data of Python records of a site, in the order of `python_records.OBJECTS`."""
        view = RECORD_SITE.ctype.from_address(address)
        name, overload, file, function, module = (_text(getattr(view, n)) for n in TEXTS)
        members: tuple[str, ...] = ()
        if view.num_members:
            addresses = (ctypes.c_void_p * view.num_members).from_address(view.members)
            members = tuple(_text(a) for a in addresses)
        return name, overload, RecordScope(view.scope), file, function, members, module


def _text(address: int | None) -> str:
    return sys.intern(ctypes.string_at(address).decode("utf-8", "replace")) if address else ""
