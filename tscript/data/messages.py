"""What parent and workers say to each other, and how batches travel.

Messages go over a duplex connection per worker. A batch is pickled, but arrays and tensors in it, wherever they are,
are replaced by their place in a segment (`tscript.data.shared`); so a batch of any structure crosses without a copy of
its elements.
"""

from __future__ import annotations

import io
import os
import pickle
import weakref
from collections import deque
from collections.abc import Mapping
from enum import IntEnum
from functools import cache
from multiprocessing.connection import Connection
from multiprocessing.reduction import ForkingPickler, recv_handle, send_handle
from typing import Any, NamedTuple

import numpy as np

from tscript.data.collate import TensorLeaf, tensor_type
from tscript.data.shared import Lease, Place, Segment, SharedWriter, Shipment
from tscript.late import dataclass


class Begin(NamedTuple):
    """To a worker: a new pass over the data begins; what is asked of earlier ones is of no interest any more."""

    epoch: int


class Fetch(NamedTuple):
    """To a worker: make batch `number` of pass `epoch`.

    Attributes:
        indices: Of the samples; for an iterable data set, how many. None: one sample, not a batch.
        returned: Slots the parent is done with, and whether each may be used again.
    """

    epoch: int
    number: int
    indices: Any
    returned: tuple[tuple[int, bool], ...]


class Kind(IntEnum):
    """What a worker answers."""

    BATCH = 0
    FAILURE = 1
    END = 2


class Header(NamedTuple):
    """Goes before each batch."""

    epoch: int
    number: int
    kind: Kind
    shipment: Shipment


class DisconnectedError(Exception):
    """The other process has closed the connection or is gone."""


class _Ends(weakref.WeakSet[Any]):
    """The ends of connections in this process. A forked child closes its copies, else nobody would see an end close."""

    def leave(self) -> None:
        for end in list(self):
            end.leave()

    def pin(self) -> None:
        for end in list(self):
            end.pin()


@cache
def ends() -> _Ends:
    """Those of this process."""
    found = _Ends()
    os.register_at_fork(after_in_child=found.leave, after_in_parent=found.pin)
    return found


class WorkerEnd:
    """The worker's end of a connection.

    Args:
        connection: Of this worker alone.
        batches: See `SharedWriter`.
    """

    def __init__(self, connection: Connection, batches: int) -> None:
        self.connection = connection
        self.writer = SharedWriter(batches)
        ends().add(self)

    def receive(self) -> Begin | Fetch:
        """The next message.

        Raises:
            DisconnectedError: The parent has closed the connection or is gone.
        """
        try:
            data = self.connection.recv_bytes()
        except (EOFError, OSError) as error:
            raise DisconnectedError from error
        message: Begin | Fetch = ForkingPickler.loads(data)
        return message

    def send(self, epoch: int, number: int, kind: Kind, content: Any = None) -> None:
        """Answer a `Fetch`.

        Raises:
            DisconnectedError: As above.
            Exception: The content cannot be pickled; nothing was sent.
        """
        try:
            buffer = io.BytesIO()
            _Pickler(buffer, self.writer).dump(content)
            shipment, descriptors = self.writer.ship()
            try:
                self.connection.send(Header(epoch, number, kind, shipment))
                for fd in descriptors:
                    send_handle(self.connection, fd, None)
                self.connection.send_bytes(buffer.getbuffer())
            except (BrokenPipeError, ConnectionResetError) as error:
                raise DisconnectedError from error
        finally:
            self.writer.sent()

    def leave(self) -> None:
        """In a child that the worker has forked: it takes no part."""
        self.connection.close()

    def pin(self) -> None:
        """After a fork: nothing to do."""


class ParentEnd:
    """The parent's end of a connection.

    Args:
        connection: To one worker.
    """

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self._returned: deque[tuple[int, bool]] = deque()
        self._segments: dict[int, Segment] = {}
        self._leases: dict[int, weakref.ref[Lease]] = {}
        ends().add(self)

    def send(self, message: Begin | Fetch) -> None:
        """Send a message; the worker always reads, so this does not block for long.

        Raises:
            DisconnectedError: The worker is gone.
            Exception: The indices cannot be pickled; nothing was sent.
        """
        data = ForkingPickler.dumps(message)
        try:
            self.connection.send_bytes(data)
        except OSError as error:
            raise DisconnectedError from error

    def returned(self) -> tuple[tuple[int, bool], ...]:
        """The slots that have come back since the last call."""
        found = []
        while self._returned:
            found.append(self._returned.popleft())
        for slot, reusable in found:
            if not reusable:
                self._segments.pop(slot, None)
        return tuple(found)

    def receive(self) -> Received:
        """The next answer.

        Raises:
            DisconnectedError: The worker is gone.
        """
        try:
            return self._receive()
        except (EOFError, ConnectionResetError) as error:
            raise DisconnectedError from error

    def _receive(self) -> Received:
        header: Header = self.connection.recv()
        leases = {}
        for slot in header.shipment.retired:
            self._segments.pop(slot, None)
        for slot, capacity, is_kept in header.shipment.fresh:
            segment = self._mapped(capacity)
            if is_kept:
                self._segments[slot] = segment
            leases[slot] = Lease(segment, slot, self._returned if is_kept else None)
        for slot in header.shipment.used:
            if slot not in leases:
                leases[slot] = Lease(self._segments[slot], slot, self._returned)
            self._leases[slot] = weakref.ref(leases[slot])
        self._leases = {slot: ref for slot, ref in self._leases.items() if ref() is not None}
        return Received(header, self.connection.recv_bytes(), leases)

    def _mapped(self, capacity: int) -> Segment:
        fd = recv_handle(self.connection)
        try:
            try:
                return Segment.map(fd, capacity)
            except OSError:  # as many mappings as the kernel allows: a program that keeps very many batches
                return Segment.read(fd, capacity)
        finally:
            os.close(fd)

    def close(self) -> None:
        """Close the connection; batches that are alive stay so."""
        self.connection.close()
        self._segments.clear()
        ends().discard(self)

    def leave(self) -> None:
        """In a forked child: the connection and the workers are the parent's."""
        self.connection.close()

    def pin(self) -> None:
        """After a fork: the child may read the batches alive now whenever it likes, so their memory is not used
        again."""
        for ref in list(self._leases.values()):
            lease = ref()
            if lease is not None:
                lease.reusable = False


@dataclass(frozen=True, slots=True, eq=False)
class Received:
    """An answer that has arrived; unpickled when its turn comes."""

    header: Header
    payload: bytes
    leases: Mapping[int, Lease]

    def content(self) -> Any:
        """The batch, its tensors over the shared memory."""
        return _Unpickler(io.BytesIO(self.payload), self.leases).load()


class _Leaf(NamedTuple):
    """Stands for an array or tensor in a pickled batch: its place, or the array itself when it is small."""

    content: Place | np.ndarray[Any, Any]
    is_tensor: bool


class _Pickler(ForkingPickler):
    def __init__(self, file: io.BytesIO, writer: SharedWriter) -> None:
        super().__init__(file, pickle.HIGHEST_PROTOCOL)
        self._writer = writer
        self._tensor = tensor_type()
        # The object is kept too, lest another one gets its id.
        self._done: dict[int, tuple[Any, _Leaf | None]] = {}

    def persistent_id(self, obj: Any) -> _Leaf | None:
        """See `pickle.Pickler.persistent_id`."""
        kind = type(obj)
        if kind is np.ndarray:
            array = obj
        elif kind is TensorLeaf:
            array = obj.array
        elif kind is self._tensor:
            array = np.asarray(obj)
        else:
            return None
        if id(obj) not in self._done:
            place = self._writer.place(array)
            if kind is np.ndarray:
                leaf = None if place is None else _Leaf(place, False)
            else:
                leaf = _Leaf(array if place is None else place, True)
            self._done[id(obj)] = obj, leaf
            if leaf is not None and place is None:
                # The small array within the leaf is pickled as any object.
                self._done[id(array)] = array, None
        return self._done[id(obj)][1]


class _Unpickler(pickle.Unpickler):
    def __init__(self, file: io.BytesIO, leases: Mapping[int, Lease]) -> None:
        super().__init__(file)
        self._leases = leases

    def persistent_load(self, pid: _Leaf) -> Any:
        """See `pickle.Unpickler.persistent_load`."""
        place = pid.content
        if isinstance(place, Place):
            array = self._leases[place.slot].array(place.shape, place.dtype, place.offset, place.strides)
        else:
            array = place
        if not pid.is_tensor:
            return array
        from tscript.runtime.session.process import from_numpy

        return from_numpy(array)
