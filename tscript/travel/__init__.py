"""Code that travels: pickled functions and classes.

`reduced` is what `pickle` asks of a scripted function, `restored` makes it again. The pickles themselves name functions
of `tscript.api`.
"""

from __future__ import annotations

import hashlib
from typing import Any

from tscript.runtime.session.hooks import load_hooks
from tscript.runtime.session.process import current
from tscript.travel.errors import FunctionPicklingError, FunctionUnpicklingError, PickleVersionError


def reduced(function: Any) -> str | bytes:
    """What `pickle` asks of a scripted function that came from source: its name, or its payload.

    Raises:
        FunctionPicklingError: Something that it refers to cannot be pickled.
    """
    from tscript.travel.collecting import Collector, is_by_reference
    from tscript.travel.nodes import packed

    if is_by_reference(function):
        return str(function.__qualname__)
    collector = Collector()
    collector.add(function)
    known = current().travelled
    with known.lock:
        for key, node, value in zip(collector.keys(), collector.nodes, collector.objects, strict=True):
            if node.kind != "value":
                known.objects.setdefault(key, value)
    return packed(collector.nodes)


def restored(payload: bytes) -> Any:
    """The function of a payload; the same one each time.

    Raises:
        FunctionUnpicklingError: The payload is damaged, or of a later format (`PickleVersionError`).
        CompileError: The function does not compile here.
    """
    from tscript.travel.making import Maker
    from tscript.travel.nodes import unpacked

    load_hooks()
    known = current().travelled
    digest = hashlib.sha256(payload).digest()
    with known.lock:
        found = known.recent(digest)
        if found is None:
            maker = Maker(unpacked(payload), known)
            found = maker.root()
            known.keep(digest, found, len(payload), maker.types)
    return found


__all__ = ["FunctionPicklingError", "FunctionUnpicklingError", "PickleVersionError", "reduced", "restored"]
