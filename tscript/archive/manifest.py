"""Records of a manifest in JSON: members, operators, native objects."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from tscript.archive.container import ALIGNMENT, Container, FileData
from tscript.archive.extra import ExtraFile
from tscript.archive.text import parse_json
from tscript.diagnostics.archives import ArchiveError
from tscript.ir.signatures import language_type, text_of, value_from, value_json
from tscript.types import Type
from tscript.types.dtypes import FIRST_DEFAULT
from tscript.types.parsing import shortened

if TYPE_CHECKING:
    pass
from tscript.archive.entries import EntryPoint, Kernels, NativeKernel, NativeObject, OperatorNeed

MAPPED_BYTES = 1 << 12
"""Bytes of a tensor that is mapped; a smaller one is read."""


def checked(container: Container, name: str, digest: str) -> bytes:
    """The bytes of a member, compared with its digest."""
    content = container.read(name)
    if hashlib.sha256(content).hexdigest() != digest:
        raise ArchiveError(f"member {name!r} was altered: its digest does not match the manifest", container.path)
    return content


class Members:
    """Members that entry points name, each read and decoded once however often it is named.

    Attributes:
        known: The bytes of those read so far.
        mapped: The memory of those that are mapped, which were not compared with their digests.
    """

    def __init__(self, container: Container, records: Mapping[str, Any]) -> None:
        self._container = container
        self._records = records
        self._texts: dict[str, tuple[str, str]] = {}
        self.known: dict[str, bytes] = {}
        self.mapped: dict[str, memoryview] = {}
        self._is_closed = False

    def close(self) -> None:
        """From now on have only what was read: the file may be another one when a function is asked for."""
        self._is_closed = True

    def file(self, name: str) -> ExtraFile:
        """A member that is read when it is asked for."""
        digest = text_of(self._records[name]["sha256"])
        size = self._container.entries[name].size
        return ExtraFile(name, size, digest, partial(checked, self._container, name, digest))

    def content(self, name: str) -> bytes:
        """The bytes of a member.

        Raises:
            ArchiveError: There is no such member, or it is damaged.
        """
        if name not in self.known:
            if self._is_closed or name not in self._records:
                raise ArchiveError(f"the manifest names a member {shortened(name)!r}, which is missing")
            self.known[name] = self.file(name).read()
        return self.known[name]

    def memory(self, name: str) -> bytes | memoryview:
        """The bytes of a member, mapped where it lies in a large file. Those are not compared with their digest: this
        would read them all.

        Raises:
            ArchiveError: As `content` does.
        """
        if name in self.mapped:
            return self.mapped[name]
        entry, data = self._container.entries.get(name), self._container.data
        if not self._is_closed and entry is not None and name in self._records and isinstance(data, FileData):
            if entry.size >= MAPPED_BYTES and not entry.is_deflated and entry.start % ALIGNMENT == 0:
                pages = data.mapped(entry.start, entry.size)
                if pages is not None:
                    self.mapped[name] = pages
                    return self.mapped[name]
        return self.content(name)

    def text(self, name: str) -> tuple[str, str]:
        """The text of a member, and its digest in hex."""
        if name not in self._texts:
            content = self.content(name)
            try:
                self._texts[name] = content.decode(), hashlib.sha256(content).hexdigest()
            except UnicodeDecodeError as error:
                raise ArchiveError(f"member {name!r} is not UTF-8 text (byte {error.start})") from None
            del self.known[name]
        return self._texts[name]


def json_bytes(value: Any) -> bytes:
    """A text that is short, is made quickly, and has a line for each item of an object or list and of those in it."""
    return f"{_lines(value, 2)}\n".encode()


def _lines(value: Any, levels: int) -> str:
    if levels and value and isinstance(value, list | tuple):
        return "[\n" + ",\n".join(_lines(item, levels - 1) for item in value) + "\n]"
    if levels and value and isinstance(value, dict):
        items = (f"{_lines(key, 0)}:{_lines(item, levels - 1)}" for key, item in sorted(value.items()))
        return "{\n" + ",\n".join(items) + "\n}"
    return json.dumps(value, separators=(",", ":"), sort_keys=True, ensure_ascii=False)


def json_of(container: Container, name: str) -> Any:
    return parse_json(container.read(name), name, container.path, len(container.data))


def need_json(need: OperatorNeed) -> dict[str, str]:
    return {f: getattr(need, f) for f in ("name", "schema", "library", "module", "install")}


def need_from(item: Any) -> OperatorNeed:
    return OperatorNeed(*(text_of(item[f]) for f in ("name", "schema", "library", "module", "install")))


def object_name(triple: str, data: bytes) -> str:
    return f"native/{triple}/{hashlib.sha256(data).hexdigest()[:32]}.o"


def kernels_json(kernels: Kernels) -> dict[str, Any]:
    return {
        **{f: getattr(kernels, f) for f in ("triple", "cpu", "features", "llvm", "abi", "library")},
        "kernels": [
            {
                "symbol": kernel.symbol,
                "externals": list(kernel.externals),
                "object": object_name(kernels.triple, kernel.data),
            }
            for kernel in kernels.kernels.values()
        ],
    }


def kernels_from(item: Any, read: Members) -> Kernels:
    found = [
        NativeKernel(
            text_of(kernel["symbol"]),
            tuple(text_of(s) for s in kernel["externals"]),
            read.content(text_of(kernel["object"])),
        )
        for kernel in item["kernels"]
    ]
    if len({kernel.symbol for kernel in found}) < len(found):
        raise ArchiveError("a kernel occurs twice for one machine")
    return Kernels(
        text_of(item["triple"]),
        text_of(item["cpu"]),
        text_of(item["features"]),
        text_of(item["llvm"]),
        int(item["abi"]),
        text_of(item["library"]),
        {kernel.symbol: kernel for kernel in found},
    )


def native_json(entry: EntryPoint, native: NativeObject) -> dict[str, Any]:
    return {
        "entry": entry.name,
        "ir_digest": entry.ir_digest,
        "object": object_name(native.triple, native.data),
        "types": [str(t) for t in native.types],
        "result": str(native.result),
        "symbol": native.symbol,
        "externals": list(native.externals),
        "triple": native.triple,
        "cpu": native.cpu,
        "features": native.features,
        "llvm": native.llvm,
        "abi": native.abi,
        "python": native.python,
        **({"uniform": native.uniform} if native.uniform else {}),
        **({} if native.changes else {"changes": False}),
        **({"observed": native.observed} if native.observed else {}),
        **({"default_dtype": native.default_dtype} if native.default_dtype != FIRST_DEFAULT.name else {}),
        **({"constants": [[i, value_json(value)] for i, value in native.constants]} if native.constants else {}),
        **({"tensors": list(native.tensors)} if native.tensors else {}),
        **({"shared": [[number, str(type)] for number, type in native.shared]} if native.shared else {}),
    }


def native_from(item: Any, read: Members, types: Mapping[str, Type], count: int) -> NativeObject:
    tensors = tuple(item.get("tensors", ()))
    if any(type(i) is not int or not 0 <= i < count for i in tensors):
        raise ArchiveError(f"an object names constant tensors that its function, which has {count}, does not")
    return NativeObject(
        tuple(language_type(t, types) for t in item["types"]),
        language_type(item["result"], types),
        text_of(item["symbol"]),
        tuple(text_of(s) for s in item["externals"]),
        text_of(item["triple"]),
        text_of(item["cpu"]),
        text_of(item["features"]),
        text_of(item["llvm"]),
        int(item["abi"]),
        read.content(item["object"]),
        tensors,
        tuple((int(number), language_type(text_of(type), types)) for number, type in item.get("shared", ())),
        int(item.get("python", 0)),
        text_of(item.get("uniform", "")),
        item.get("changes") is not False,
        tuple((int(i), value_from(value)) for i, value in item.get("constants", ())),
        text_of(item.get("observed", "")),
        text_of(item.get("default_dtype", FIRST_DEFAULT.name)),
    )
