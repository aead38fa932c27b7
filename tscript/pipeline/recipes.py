"""`Recipes`: objects of the runtime's own, found in the cache without being lowered again.

There are two steps. A digest of the sources that an object is made by and from leads to the key of its LLVM text, and
that key to the object. So an edit of any other file rebuilds nothing, and one that changes no text runs no LLVM. Which
sources count is known once an object was made; it is kept under the name alone. Each entry may be missing or damaged:
then the object is made again.

======================================= ========================================================
key                                     entry
======================================= ========================================================
name                                    the modules that count, one a line
name and digest of these modules        the key of the object, and the symbols it refers to
text, effort, level, target, versions   the object, which programs with the same text share
======================================= ========================================================
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from tscript.abi.mode import IS_CHECKED
from tscript.once import once
from tscript.pipeline.sources import Sources

if TYPE_CHECKING:
    from tscript.backend.loader.cache import ObjectCache

LOWERING = (
    "tscript.backend.c_functions",
    "tscript.backend.module",
    "tscript.frontend.dialect.program",
    "tscript.frontend.dialect.shapes",
    "tscript.frontend.dialect.syntax",
    "tscript.operators.table",
)
"""What makes LLVM text of the dialect, with all that these modules import and the passes."""

AROUND = ("tscript.frontend", "tscript.passes", "tscript.pipeline.bodies", "tscript.pipeline.compiler")
"""What puts that together: these modules count, but not all that they import."""

Made = tuple[bytes, tuple[str, ...]]
"""An object, and the symbols it refers to."""

_KEY = re.compile(r"[0-9a-f]{64}")


class Recipes:
    """Which sources lead to which object.

    Args:
        cache: Keeps them.
        key: The key of a text of ours in the cache.
    """

    def __init__(self, cache: ObjectCache, key: Callable[[str], str]) -> None:
        self.sources = Sources()
        self._cache = cache
        self._key = key

    @once
    def _lowering(self) -> list[str]:
        """All that is gone through on the way from the dialect to LLVM text."""
        from tscript.passes import LOWER, SIMPLIFY

        passes = {type(step).__module__ for step in (*SIMPLIFY, *LOWER)}
        return [*self.sources.closure([*LOWERING, *passes, "tscript.passes.base"]), *AROUND]

    def find(self, name: str) -> tuple[bytes, tuple[str, ...]] | None:
        """The object that was made under `name` by and from the sources as they are, and the symbols it refers to."""
        listed = self._cache.get(self._of(f"sources of {name}"))
        digest = None if listed is None else self.sources.digest(listed.decode("utf-8", "replace").split("\n"))
        made = None if digest is None else self._cache.get(self._of(f"{digest} {name}"))
        if made is None:
            return None
        key, *externals = made.decode("utf-8", "replace").split("\n")
        found = self._cache.get(key) if _KEY.fullmatch(key) else None
        return None if found is None else (found, tuple(externals))

    def made_once(self, name: str, make: Callable[[], Made]) -> Made:
        """The object under `name` and the symbols it refers to. If several processes need it at once, one makes it.

        Args:
            name: Says what it is.
            make: Makes it, and keeps it.
        """
        return self._cache.made_once(self._of(f"sources of {name}"), lambda: self.find(name), make)

    def counted(self, modules: Iterable[str], around: Iterable[str]) -> list[str]:
        """The modules that count for an object.

        Args:
            modules: What was lowered; all that these modules import counts, too.
            around: Modules that count by themselves.
        """
        return sorted({*self.sources.closure(modules), *around, *self._lowering})

    def keep(self, name: str, counted: Sequence[str], key: str, externals: Sequence[str]) -> None:
        """Remember what was made by and from the sources as they are.

        Args:
            name: Says what it is, together with the sources.
            counted: The modules that count.
            key: The key of the object.
            externals: The symbols it refers to.
        """
        digest = self.sources.digest(counted)
        if digest is not None and self.sources.are_unchanged(counted):
            self._cache.put(self._of(f"{digest} {name}"), "\n".join([key, *externals]).encode())
            self._cache.put(self._of(f"sources of {name}"), "\n".join(counted).encode())

    def _of(self, what: str) -> str:
        return self._key(f"{what}\n{sys.version}\nnumpy {np.__version__}\n{IS_CHECKED}\n")
