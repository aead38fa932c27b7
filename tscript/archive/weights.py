"""The tensors of modules: one member in the format of safetensors, which is mapped where the archive is loaded.

The member has memory, not tensors: what several tensors share is there once, so that tied weights stay tied and views
stay views. Each piece is named after the first tensor in it. Where that tensor is all of it, the piece has its dtype
and shape, so that other programs find a state dict. The format is that of
https://github.com/huggingface/safetensors: the length of a JSON text in 8 bytes, little-endian, the text, the bytes.
The text is filled with spaces, so that the bytes begin at a multiple of 64 in the file.
"""

from __future__ import annotations

import ctypes
import hashlib
import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

import numpy as np

from tscript.abi.layout import MAX_RANK
from tscript.archive.container import ALIGNMENT
from tscript.archive.text import MAX_JSON_BYTES, parse_json
from tscript.arrays import dense_order
from tscript.definitions.values import dtype_of_array, numpy_dtype
from tscript.diagnostics.archives import ArchiveError
from tscript.late import dataclass
from tscript.room import beside
from tscript.types import DType, dtypes
from tscript.types.parsing import shortened

WEIGHTS = "constants/tensors.safetensors"

Array = np.ndarray[Any, Any]

_NAMES = {
    "bool": "BOOL", "uint8": "U8", "int8": "I8", "int16": "I16", "int32": "I32", "int64": "I64",
    "float16": "F16", "bfloat16": "BF16", "float32": "F32", "float64": "F64", "complex64": "C64",
}  # fmt: skip
_DTYPES = {name: dtypes.BY_NAME[ours] for ours, name in _NAMES.items()}
_METADATA = "__metadata__"
_KEYS = {"dtype", "shape", "data_offsets"}


@dataclass(frozen=True, slots=True)
class Piece:
    """Memory that tensors lie in.

    Attributes:
        dtype: The name of the dtype in the format.
        shape: Of an array of that dtype that is all of it.
        start, stop: Where its bytes lie behind the header.
    """

    dtype: str
    shape: tuple[int, ...]
    start: int
    stop: int


# -- writing -----------------------------------------------------------------------------------------------------------


def packed(tensors: Sequence[tuple[str, Array]]) -> tuple[Array, list[dict[str, Any]]]:
    """The bytes of the member for tensors, and where each of them lies in it.

    Args:
        tensors: Names, all different, and elements.

    Raises:
        ArchiveError: Two tensors overlap by parts of elements.
    """
    groups = _groups([array for _, array in tensors])
    places: list[dict[str, Any]] = [{} for _ in tensors]
    pieces: list[tuple[int, str, str, tuple[int, ...], Array]] = []
    for group in groups:
        array = _memory(group, [tensors[i][1] for i in group.members])
        for i in group.members:
            places[i] = _place(tensors[i], tensors[group.members[0]][0], array, group)
        whole = next((tensors[i][1] for i in group.members if _is_all(tensors[i][1], group)), None)
        kind, shape = _form(whole, array, group, [tensors[i][1] for i in group.members])
        width = _DTYPES[kind].itemsize
        pieces.append((width, tensors[group.members[0]][0], kind, shape, array))
    for i, (_, array) in enumerate(tensors):
        if not array.size:
            places[i] = {"storage": None, "offset": 0, **_form_of(array)}
    # Wide elements first, so that each lies at a multiple of its size though there are no gaps.
    pieces.sort(key=lambda piece: -piece[0])
    header: dict[str, Any] = {}
    at = 0
    for _, name, kind, shape, array in pieces:
        header[name] = {"dtype": kind, "shape": list(shape), "data_offsets": [at, at + array.nbytes]}
        at += array.nbytes
    text = json.dumps(header, separators=(",", ":"), ensure_ascii=False).encode()
    text += b" " * (-(8 + len(text)) % ALIGNMENT)
    begin = 8 + len(text)
    # NumPy asks for large pages, without which memory that is new costs more than the copy.
    out: Array = np.empty(begin + at, np.uint8)
    out[:begin] = np.frombuffer(len(text).to_bytes(8, "little") + text, np.uint8)
    for *_, array in pieces:
        out[begin : begin + array.nbytes] = array
        begin += array.nbytes
    return out, places


@dataclass(slots=True)
class _Group:
    """Tensors whose memory overlaps.

    Attributes:
        start, stop: Addresses of the memory.
        members: Positions of the tensors.
    """

    start: int
    stop: int
    members: list[int]


def _bounds(array: Array) -> tuple[int, int]:
    """Addresses of the memory of an array."""
    steps = [(n - 1) * s for n, s in zip(array.shape, array.strides, strict=True)]
    first: int = array.__array_interface__["data"][0]
    low = first + sum(s for s in steps if s < 0)
    return low, first + sum(s for s in steps if s > 0) + array.itemsize


def _groups(arrays: Sequence[Array]) -> list[_Group]:
    """Those that have elements, by the memory that they share; in the order of their first members."""
    spans = sorted((*_bounds(array), i) for i, array in enumerate(arrays) if array.size)
    found: list[_Group] = []
    for start, stop, i in spans:
        if found and start < found[-1].stop:
            found[-1].stop = max(found[-1].stop, stop)
            found[-1].members.append(i)
        else:
            found.append(_Group(start, stop, [i]))
    for group in found:
        group.members.sort()
    return sorted(found, key=lambda group: group.members[0])


def _memory(group: _Group, arrays: Sequence[Array]) -> Array:
    """The bytes to keep for a group: those of a single tensor without the gaps in it."""
    first = arrays[0]
    is_alone = len(arrays) == 1 and all(s > 0 for s in first.strides)
    if is_alone and dense_order(first) is None and first.nbytes <= group.stop - group.start:
        first = np.ascontiguousarray(first)
        group.start, group.stop = _bounds(first)
        return first.reshape(-1).view(np.uint8)
    kept = (ctypes.c_uint8 * (group.stop - group.start)).from_address(group.start)
    found: Array = np.ctypeslib.as_array(kept)
    return found


def _form_of(array: Array) -> dict[str, Any]:
    steps = [s // array.itemsize for s in array.strides]
    return {"dtype": dtype_of_array(array).name, "sizes": list(array.shape), "strides": steps}


def _place(tensor: tuple[str, Array], storage: str, memory: Array, group: _Group) -> dict[str, Any]:
    name, array = tensor
    form = _form_of(array)
    at = array.__array_interface__["data"][0]
    if not group.start <= at < group.stop:  # it was kept without gaps
        at = group.start
        form["strides"] = [s // array.itemsize for s in np.empty(array.shape, array.dtype).strides]
    offset, rest = divmod(at - group.start, array.itemsize)
    if rest:
        raise ArchiveError(f"the tensor '{name}' shares memory with '{storage}' by parts of elements")
    return {"storage": storage, "offset": offset, **form}


def _is_all(array: Array, group: _Group) -> bool:
    return array.flags.c_contiguous and array.nbytes == group.stop - group.start


def _form(whole: Array | None, memory: Array, group: _Group, arrays: Sequence[Array]) -> tuple[str, tuple[int, ...]]:
    """The dtype and shape that a piece gets."""
    if whole is None and len(arrays) == 1 and arrays[0].nbytes == memory.nbytes:
        whole = np.empty(arrays[0].shape if _dropped_gaps(arrays[0], group) else (arrays[0].size,), arrays[0].dtype)
    if whole is None:
        widest = max(arrays, key=lambda array: array.itemsize)
        whole = np.empty((memory.nbytes // widest.itemsize,), widest.dtype)
        if whole.nbytes != memory.nbytes:
            return "U8", (memory.nbytes,)
    dtype = dtype_of_array(whole)
    if dtype is dtypes.complex128:
        return "F64", (*whole.shape, 2)
    return _NAMES[dtype.name], whole.shape


def _dropped_gaps(array: Array, group: _Group) -> bool:
    return not group.start <= array.__array_interface__["data"][0] < group.stop


# -- reading -----------------------------------------------------------------------------------------------------------


def read_header(
    content: Any, size: int, path: str, file_size: int, is_member: bool = True
) -> tuple[dict[str, Piece], int]:
    """The pieces of a member, or of a file of its own, by name, and where their bytes begin.

    Args:
        content: Gives a part of the member: ``content[start:stop]``.
        size: Bytes of the member.
        path: The file, for messages.
        file_size: Bytes of the file.
        is_member: Whether it is a member of an archive.

    Raises:
        ArchiveError: It is not in the format, or pieces overlap, leave gaps or end behind the member.
    """

    whole, place = ("member", f"member {WEIGHTS!r}: ") if is_member else ("file", "")

    def refuse(what: str, name: str | None = None) -> ArchiveError:
        shown = "" if name is None else f"{shortened(repr(name), 100)} "
        return ArchiveError(f"{place}{shown}{what}", path)

    if size < 8:
        raise refuse(f"it has {size} bytes, and the length of its header alone takes 8")
    length = int.from_bytes(bytes(content[:8]), "little")
    if not 2 <= length <= size - 8:
        raise refuse(f"its header would have {length:,} bytes, and the {whole} has {size:,}")
    if length > MAX_JSON_BYTES:
        raise refuse(f"its header has {length:,} bytes, {MAX_JSON_BYTES:,} are accepted")
    text = bytes(content[8 : 8 + length])
    if text[:1] != b"{":
        raise refuse("its header does not begin with '{'")
    header = parse_json(text, f"the header of {WEIGHTS!r}" if is_member else "the header", path, max(file_size, length))
    header.pop(_METADATA, None)
    start = 8 + length
    pieces: dict[str, Piece] = {}
    for name, item in header.items():
        if not isinstance(item, dict) or item.keys() != _KEYS:
            raise refuse("is not described by dtype, shape and data_offsets", name)
        kind, shape, offsets = item["dtype"], item["shape"], item["data_offsets"]
        dtype = _DTYPES.get(kind) if isinstance(kind, str) else None
        if dtype is None:
            raise refuse(f"has the unknown dtype {shortened(repr(kind), 50)}", name)
        numbers: list[Any] = [*shape, *offsets] if isinstance(shape, list) and isinstance(offsets, list) else [None]
        if {*map(type, numbers)} != {int} or min(numbers) < 0 or len(offsets) != 2:
            raise refuse("has no valid shape or offsets", name)
        if offsets[1] > size - start:
            raise refuse(f"ends at {offsets[1]:,}, and the {whole} has {size - start:,} bytes of tensors", name)
        if math.prod(shape) * dtype.itemsize != offsets[1] - offsets[0]:
            raise refuse(f"has {offsets[1] - offsets[0]:,} bytes, its dtype and shape need others", name)
        pieces[name] = Piece(kind, tuple(shape), *offsets)
    at = 0
    for name, piece in sorted(pieces.items(), key=lambda item: (item[1].start, item[1].stop)):
        if piece.start != at:
            how = "overlaps the one before it" if piece.start < at else "leaves a gap in front of it"
            raise refuse(f"{shortened(repr(name), 100)} {how}")
        at = piece.stop
    if at != size - start:
        raise refuse(f"it has {size - start - at:,} bytes behind its last tensor")
    return pieces, start


@dataclass(frozen=True, slots=True, eq=False)
class Weights:
    """The member of an archive that has the tensors of its modules.

    Attributes:
        pieces: What is in it, by name.
        memory: All its bytes. Writing to them changes no file.
        start: Where those of the tensors begin.
        sha256: Its digest as the manifest has it, in hex.
        is_mapped: Whether they are pages of the file, which are read when they are used.
    """

    pieces: Mapping[str, Piece]
    memory: Array
    start: int
    sha256: str = ""
    is_mapped: bool = False

    @property
    def content(self) -> memoryview:
        """All its bytes, to be written."""
        return self.memory.data

    @property
    def nbytes(self) -> int:
        """The bytes of all tensors."""
        return self.memory.nbytes - self.start

    @contextmanager
    def verified(self, path: str = "") -> Iterator[None]:
        """Compare the bytes with their digest, on another thread while what is inside runs, which writes to none of
        them. The thread is done when the context is left.

        Args:
            path: The file, for messages.

        Raises:
            ArchiveError: They are others, whatever was raised inside.
        """

        def compare() -> None:
            if hashlib.sha256(self.memory.data).hexdigest() != self.sha256:
                raise ArchiveError(f"member {WEIGHTS!r} was altered: its digest does not match the manifest", path)

        try:
            wait = beside(compare)
        except RuntimeError:  # the system gives no more threads
            wait = compare
        try:
            yield
        finally:
            wait()

    def array(self, item: Any, what: Callable[[], str]) -> Array:
        """A tensor that lies in it; nothing is copied.

        Args:
            item: Where it lies, as `packed` said.
            what: Gives what messages call it.

        Raises:
            ArchiveError: It does not lie in a piece, or is of no dtype.
        """

        def refuse(why: str) -> ArchiveError:
            return ArchiveError(f"{what()} {why}")

        kind = item["dtype"]
        dtype = dtypes.BY_NAME.get(kind) if isinstance(kind, str) else None
        if dtype is None:
            raise refuse(f"has the unknown dtype {shortened(repr(kind), 50)}")
        sizes, strides, offset = item["sizes"], item["strides"], item["offset"]
        numbers: list[Any] = (
            [offset, *sizes, *strides] if isinstance(sizes, list) and isinstance(strides, list) else [None]
        )
        if (
            {*map(type, numbers)} != {int}
            or min(offset, *sizes, 0) < 0
            or max(numbers) >= 1 << 62
            or min(numbers) <= -(1 << 62)
        ):
            raise refuse("has no valid sizes, strides and offset")
        if len(sizes) != len(strides) or len(sizes) > MAX_RANK:
            raise refuse(f"has {len(sizes)} sizes and {len(strides)} strides, at most {MAX_RANK} of each are possible")
        if math.prod([n or 1 for n in sizes]) * dtype.itemsize >= 1 << 63:
            raise refuse("is too large")
        if 0 in sizes:
            return np.empty(tuple(sizes), numpy_dtype(dtype))
        start, count = self._elements(item["storage"], dtype, refuse)
        steps = [(n - 1) * s for n, s in zip(sizes, strides, strict=True)]
        low, high = offset + sum([s for s in steps if s < 0]), offset + sum([s for s in steps if s > 0])
        if low < 0 or high >= count:
            raise refuse(f"lies outside of its storage {shortened(repr(item['storage']), 100)}")
        width, native = dtype.itemsize, numpy_dtype(dtype)
        stored = native.newbyteorder("<")
        places = tuple([s * width for s in strides])
        found = np.ndarray(tuple(sizes), stored, self.memory, start + offset * width, places)
        return found if stored == native else found.astype(native)

    def _elements(self, name: Any, dtype: DType, refuse: Any) -> tuple[int, int]:
        """Where in the memory the elements of a storage begin, and how many there are."""
        piece = self.pieces.get(name) if isinstance(name, str) else None
        if piece is None:
            raise refuse(f"lies in the storage {shortened(repr(name), 100)}, which is missing")
        start = self.start + piece.start
        if (self.memory.__array_interface__["data"][0] + start) % dtype.itemsize:
            raise refuse(f"does not lie at a multiple of its {dtype.itemsize} bytes")
        count = (piece.stop - piece.start) // dtype.itemsize
        if dtype is dtypes.bool_ and count and self.memory[start : start + count].max() > 1:
            raise refuse("has elements that are no bools")
        return start, count


def file_arrays(content: bytes, path: str) -> dict[str, Array]:
    """The tensors of a file of safetensors, by name.

    Args:
        content: The file.
        path: Its name, for messages.

    Raises:
        ArchiveError: It is none.
    """
    memory = aligned(content)
    pieces, start = read_header(memory, len(content), path, len(content), is_member=False)
    weights = Weights(pieces, memory, start)
    out: dict[str, Array] = {}
    for name, piece in pieces.items():
        dtype = _DTYPES[piece.dtype]
        size = max(1, math.prod(piece.shape))
        steps = [size := size // max(1, n) for n in piece.shape]
        place = {"dtype": dtype.name, "sizes": list(piece.shape), "strides": steps, "offset": 0, "storage": name}
        out[name] = weights.array(place, partial(_named, name))
    return out


def _named(name: str) -> str:
    return f"the tensor {shortened(repr(name), 100)}"


def aligned(content: Any) -> Array:
    """A copy of bytes in memory of its own that begins at a multiple of 64."""
    room = np.empty(len(content) + ALIGNMENT, np.uint8)
    at = -room.__array_interface__["data"][0] % ALIGNMENT
    out: Array = room[at : at + len(content)]
    out[:] = np.frombuffer(content, np.uint8)
    return out


__all__ = ["WEIGHTS", "Piece", "Weights", "aligned", "file_arrays", "packed", "read_header"]
