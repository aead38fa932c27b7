"""Memory that a worker writes and the parent reads as tensors, without a copy.

A `Segment` is a mapping of an anonymous file (``memfd_create``). The worker sends the file's descriptor over the
connection, the parent maps it, and both close the descriptor. So there is no name to leak: the kernel frees the memory
when the last mapping is gone, however the processes end, and the size of ``/dev/shm`` does not matter.

Making and mapping segments costs page faults, so a worker uses each again: `SharedWriter` numbers its segments (slots),
and a slot comes back when the last array over it has died in the parent (`Lease`). While a segment is on its way or
alive in the parent, the worker does not touch it. Their number is limited; when the parent keeps more batches
than that, further segments serve once, and each is freed with its tensor.
"""

from __future__ import annotations

import ctypes
import math
import mmap
import os
import weakref
from collections import deque
from collections.abc import Callable, Iterable
from functools import cache
from itertools import count
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from tscript.late import dataclass

Array = npt.NDArray[Any]

THRESHOLD = 1 << 14
"""Arrays of fewer bytes travel in the message itself: that is as fast, and a segment takes whole pages."""

_WASTE = 4
"""A segment is used again for what fills at least this fraction (one in so many) of it."""

_FAILED = ctypes.c_void_p(-1).value


@cache
def _libc() -> Any:
    # By ctypes: until Python 3.13 a mapping of the module `mmap` holds a descriptor, of which a process has few.
    libc = ctypes.CDLL(None, use_errno=True)
    size, pointer, number = ctypes.c_size_t, ctypes.c_void_p, ctypes.c_int
    libc.mmap.argtypes = [pointer, size, number, number, number, ctypes.c_long]
    libc.mmap.restype = pointer
    libc.munmap.argtypes = [pointer, size]
    return libc


class Segment:
    """Mapped memory, or that of an array (`owner`); the mapping goes when the object dies.

    Attributes:
        address: Where it begins.
        capacity: Its bytes.
    """

    def __init__(self, address: int, capacity: int, owner: Array | None = None) -> None:
        self.address = address
        self.capacity = capacity
        self._owner = owner
        self._unmap: Callable[[int, int], object] = _libc().munmap

    def __del__(self) -> None:
        if self._owner is None:
            self._unmap(self.address, self.capacity)

    @classmethod
    def map(cls, fd: int, capacity: int) -> Segment:
        """The file `fd`, shared with whoever else maps it.

        Raises:
            OSError: The kernel refuses, for instance because there are too many mappings.
        """
        libc = _libc()
        flags = mmap.MAP_SHARED | getattr(mmap, "MAP_POPULATE", 0)
        address = libc.mmap(None, capacity, mmap.PROT_READ | mmap.PROT_WRITE, flags, fd, 0)
        if address in (None, _FAILED):
            error = ctypes.get_errno()
            raise OSError(error, f"cannot map {capacity} bytes of shared memory: {os.strerror(error)}")
        return cls(address, capacity)

    @classmethod
    def read(cls, fd: int, capacity: int) -> Segment:
        """A copy of the file `fd` in ordinary memory."""
        copy = np.empty(capacity, np.uint8)
        view, done = copy.data, 0
        while done < capacity:
            got = os.preadv(fd, [view[done:]], done)
            if not got:
                raise OSError("shared memory of a DataLoader worker is shorter than announced")
            done += got
        return cls(copy.ctypes.data, capacity, copy)


class Lease:
    """One use of a segment: the arrays over it keep the lease alive, and when it dies the segment may be used again.

    Args:
        segment: The memory.
        slot: Its number.
        returned: Where ``(slot, may be used again)`` is put in the end; by any thread, at any time.
    """

    def __init__(self, segment: Segment, slot: int, returned: deque[tuple[int, bool]] | None = None) -> None:
        self.segment = segment
        self.slot = slot
        self.returned = returned
        self.reusable = True

    @property
    def __array_interface__(self) -> dict[str, Any]:
        return {
            "version": 3,
            "typestr": "|u1",
            "shape": (self.segment.capacity,),
            "data": (self.segment.address, False),
        }

    def array(
        self,
        shape: tuple[int, ...],
        dtype: np.dtype[Any] | str,
        offset: int = 0,
        strides: tuple[int, ...] | None = None,
    ) -> Array:
        """An array over the segment."""
        return np.ndarray(shape, dtype, np.asarray(self), offset, strides)

    def __del__(self) -> None:
        if self.returned is not None:
            self.returned.append((self.slot, self.reusable))


class Place(NamedTuple):
    """Where the elements of an array are: a slot, and the layout in it."""

    slot: int
    offset: int
    dtype: np.dtype[Any] | str
    shape: tuple[int, ...]
    strides: tuple[int, ...] | None


@dataclass(slots=True, eq=False)
class _Slot:
    number: int
    segment: Segment
    fd: int
    lease: weakref.ref[Lease] | None = None
    is_placed: bool = False


class Shipment(NamedTuple):
    """The segments of one message.

    Attributes:
        used: Slots that hold arrays of the message.
        fresh: Those that the parent has not mapped yet: slot, bytes, and whether it will be used again.
        retired: Slots for the parent to drop.
    """

    used: tuple[int, ...] = ()
    fresh: tuple[tuple[int, int, bool], ...] = ()
    retired: tuple[int, ...] = ()


class SharedWriter:
    """The segments of a worker.

    A message is made so: `empty` for each array, `place` to say where an array is, `ship` at the end.

    Args:
        batches: How many batches may be in use at a time before segments serve only once.
    """

    def __init__(self, batches: int) -> None:
        self._batches = batches
        self._per_batch = 1
        self._numbers = count()
        self._kept: dict[int, _Slot] = {}
        self._free: list[_Slot] = []
        self._current: list[_Slot] = []
        self._retired: list[int] = []

    def empty(self, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Array:
        """A new array: in a segment if it is large, else (or where there is no shared memory) in ordinary memory."""
        nbytes = math.prod(shape) * dtype.itemsize
        if nbytes < THRESHOLD or dtype.hasobject:
            return np.empty(shape, dtype)
        slot = self._reused(nbytes) or self._made(nbytes)
        if slot is None:
            return np.empty(shape, dtype)
        self._current.append(slot)
        lease = Lease(slot.segment, slot.number)
        slot.lease = weakref.ref(lease)
        return lease.array(shape, dtype)

    def _reused(self, nbytes: int) -> _Slot | None:
        fitting = [
            s
            for s in self._free
            # An array of an earlier batch may still be alive in this process.
            if nbytes <= s.segment.capacity <= _WASTE * nbytes and (s.lease is None or s.lease() is None)
        ]
        if not fitting:
            return None
        best = min(fitting, key=lambda s: s.segment.capacity)
        self._free.remove(best)
        return best

    def _made(self, nbytes: int) -> _Slot | None:
        step = max(mmap.PAGESIZE, 1 << max(0, nbytes.bit_length() - 4))
        capacity = -(-nbytes // step) * step
        try:
            fd = os.memfd_create("tscript-data")
        except (AttributeError, OSError):  # another system than Linux, or no descriptor left
            return None
        try:
            os.posix_fallocate(fd, 0, capacity)
            segment = Segment.map(fd, capacity)
        except OSError:
            os.close(fd)
            return None
        return _Slot(next(self._numbers), segment, fd)

    def place(self, array: Array) -> Place | None:
        """Where an array is; it is copied into a segment if it is not in one. None for small ones: send these as they
        are."""
        found = self._found(array)
        if found is None and array.nbytes >= THRESHOLD and not array.dtype.hasobject:
            copy = self.empty(array.shape, array.dtype)
            np.copyto(copy, array)
            found = self._found(copy)
        return found

    def _found(self, array: Array) -> Place | None:
        if not self._current:
            return None
        address: int = array.__array_interface__["data"][0]
        for slot in self._current:
            offset = address - slot.segment.address
            if 0 <= offset < slot.segment.capacity:
                slot.is_placed = True
                dtype = array.dtype.str if array.dtype.isbuiltin == 1 else array.dtype
                strides = None if array.flags.c_contiguous else array.strides
                return Place(slot.number, offset, dtype, array.shape, strides)
        return None

    def ship(self) -> tuple[Shipment, list[int]]:
        """The segments of the message that is complete now, and the descriptors of the fresh ones.

        Call `sent` when the message is out.
        """
        self._per_batch = max(self._per_batch, len(self._current))
        used = [s for s in self._current if s.is_placed]
        limit = self._batches * self._per_batch
        for slot in used:
            if slot.fd >= 0 and len(self._kept) >= limit and self._free:
                oldest = self._free.pop(0)
                del self._kept[oldest.number]
                self._retired.append(oldest.number)
            if len(self._kept) < limit:
                self._kept[slot.number] = slot
        new = [s for s in used if s.fd >= 0]
        fresh = tuple((s.number, s.segment.capacity, s.number in self._kept) for s in new)
        return Shipment(tuple(s.number for s in used), fresh, tuple(self._retired)), [s.fd for s in new]

    def sent(self) -> None:
        """The message is out, or is given up: segments that are not part of it are free again."""
        for slot in self._current:
            is_new = slot.fd >= 0
            if is_new:
                os.close(slot.fd)
                slot.fd = -1
            if not slot.is_placed and not is_new:
                self._free.append(slot)
            slot.is_placed = False
        self._current.clear()
        self._retired.clear()

    def take_back(self, returned: Iterable[tuple[int, bool]]) -> None:
        """The parent is done with these slots."""
        for number, reusable in returned:
            slot = self._kept.get(number)
            if slot is None:
                continue
            if reusable:
                self._free.append(slot)
            else:
                del self._kept[number]
                self._retired.append(number)
