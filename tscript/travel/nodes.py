"""The payload of a pickled function: a graph of functions, classes and values, each carried once.

A `Node` is one of them. It refers to others by number, so functions may call each other and classes may name each
other. The key of a node is a digest of all that it leads to: nodes with equal keys are the same thing, wherever they
were made.
"""

from __future__ import annotations

import hashlib
import pickle
from collections.abc import Sequence

from tscript._version import __version__
from tscript.late import dataclass
from tscript.travel.errors import FunctionUnpicklingError, PickleVersionError

MAGIC = b"tscript pickle "
VERSION = 1
"""Of the format. A reader accepts its own."""

_LINE = 64
"""Bytes before the first newline, at most."""


@dataclass(frozen=True, slots=True)
class Node:
    """One function, class or value.

    Attributes:
        kind: How it is made; see `tscript.travel.making`.
        module, qualname: Where it was defined; empty for values.
        head: What it is made with, pickled; other nodes in it are persistent ids.
        body: What is put into it once it is there, likewise.
        refs: The nodes that the persistent ids stand for.
        late: The nodes that `late` names stand for: scripted functions that are put in at the end, by name.
        labels: What other picklers call it; not part of its key.
    """

    kind: str
    module: str
    qualname: str
    head: bytes
    body: bytes
    refs: tuple[int, ...] = ()
    late: tuple[tuple[str, int], ...] = ()
    labels: tuple[tuple[str, str], ...] = ()

    @property
    def digest(self) -> bytes:
        """Of what it is without those that it refers to."""
        names = [self.kind, self.module, self.qualname, *(name for name, _ in self.late)]
        found = hashlib.sha256(repr((names, len(self.head), len(self.body))).encode())
        found.update(self.head)
        found.update(self.body)
        return found.digest()


def key_of(nodes: Sequence[Node], digests: Sequence[bytes], root: int) -> str:
    """The key of a node: of all that it leads to."""
    numbers: dict[int, int] = {root: 0}
    found = hashlib.sha256()
    order = [root]
    for at in order:
        linked = (*nodes[at].refs, *(to for _, to in nodes[at].late))
        for to in linked:
            if to not in numbers:
                numbers[to] = len(numbers)
                order.append(to)
        found.update(digests[at])
        found.update(repr([numbers[to] for to in linked]).encode())
    return found.hexdigest()


def packed(nodes: Sequence[Node]) -> bytes:
    """The payload for nodes, the first of which is wanted."""
    fields = [
        (n.kind, n.module, n.qualname, n.head, n.body, list(n.refs), [list(x) for x in n.late], list(n.labels))
        for n in nodes
    ]
    content = pickle.dumps(fields, 5)
    first = b"%s%d %s\n" % (MAGIC, VERSION, __version__.encode())
    return first + hashlib.sha256(first + content).digest() + content


def unpacked(payload: bytes) -> list[Node]:
    """The nodes of a payload.

    Raises:
        PickleVersionError: It has a later format.
        FunctionUnpicklingError: It is damaged.
    """
    first, newline, rest = payload.partition(b"\n")
    if not first.startswith(MAGIC) or not newline or len(first) > _LINE:
        raise FunctionUnpicklingError("it is not a pickled function of tscript, or damaged")
    number, _, writer = first.removeprefix(MAGIC).decode("utf-8", "replace").partition(" ")
    if number != str(VERSION):
        raise PickleVersionError(
            f"the function was pickled by tscript {writer} in format {number}, this is tscript {__version__}, "
            f"which reads format {VERSION}: install the same version on both sides"
        )
    if hashlib.sha256(first + newline + rest[32:]).digest() != rest[:32]:
        raise FunctionUnpicklingError("the pickled function is damaged: its digest is not that of its content")
    fields = pickle.loads(rest[32:])  # noqa: S301 - builtin values alone; it came in a pickle
    return [
        Node(kind, module, qualname, head, body, tuple(refs), tuple((n, i) for n, i in late), tuple(labels))
        for kind, module, qualname, head, body, refs, late, labels in fields
    ]
