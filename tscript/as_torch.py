"""`install_as_torch`: existing source that says ``import torch`` runs as it stands."""

from __future__ import annotations

import functools
import importlib
import importlib.util
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType, TracebackType
from typing import Any

import tscript
from tscript.archive.kinds import MAX_FIRST, is_tscript

JIT = ("script", "script_if_tracing", "ignore", "unused", "export", "isinstance", "interface", "fork", "wait")
"""What becomes ours of ``torch.jit`` where PyTorch is installed."""


_ALIASES = {"_jit_internal": "jit"}
"""Modules of PyTorch whose names another module of `tscript` has."""


class Installation:
    """What `install_as_torch` has done, and how to undo it. It is a context manager that does so at its end.

    Attributes:
        is_torch: Whether PyTorch is installed: then ``torch`` stays PyTorch, and only names of ``torch.jit`` are ours.
    """

    def __init__(self, finder: _Finder | None, replaced: dict[str, Any]) -> None:
        self._finder, self._replaced = finder, replaced
        self._installed = True

    @property
    def is_torch(self) -> bool:
        return self._finder is None

    def uninstall(self) -> None:
        """Make ``import torch`` mean what it did before. Modules that have imported it keep what they have. A second
        call does nothing."""
        if not self._installed:
            return
        self._installed = False
        if self._finder is None:
            for name, value in self._replaced.items():
                setattr(sys.modules["torch.jit"], name, value)
            return
        sys.meta_path.remove(self._finder)
        if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
            for name in [name for name, module in sys.modules.items() if isinstance(module, _Torch)]:
                del sys.modules[name]

    def __enter__(self) -> Installation:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.uninstall()


def install_as_torch() -> Installation:
    """Make source that says ``import torch`` use tscript.

    Where PyTorch is not installed, ``torch`` and its modules have the names of `tscript`; a name that `tscript` lacks
    is an `AttributeError`. Where it is installed, PyTorch stays what it is, and only ``torch.jit``'s `script`,
    `script_if_tracing`, `ignore`, `unused`, `export`, `isinstance`, `interface`, `fork` and `wait` become tscript's:
    functions decorated from then on are compiled by tscript, and take and return tensors of PyTorch. ``torch.jit.save``
    writes them as archives of tscript, and ``torch.jit.load`` reads these too.

    Call it before the modules are imported whose functions it is for.

    Returns:
        An object with `uninstall()`, usable with ``with``.

    Example:
        >>> import tscript
        >>> with tscript.install_as_torch():
        ...     import torch
        ...     @torch.jit.script
        ...     def double(x: torch.Tensor) -> torch.Tensor:
        ...         return 2 * x
        ...     double(torch.ones(2)).tolist()
        [2.0, 2.0]
    """
    if _has_torch():
        theirs, ours = importlib.import_module("torch.jit"), importlib.import_module("tscript.jit")
        shared = [name for name in JIT if hasattr(ours, name)]
        replaced = {name: getattr(theirs, name) for name in shared}
        replaced["load"] = theirs.load
        for name in shared:
            setattr(theirs, name, getattr(ours, name))
        setattr(theirs, "load", _loader(theirs.load, ours.load))  # noqa: B010 - a module of PyTorch
        return Installation(None, replaced)
    finder = _Finder()
    sys.meta_path.insert(0, finder)
    return Installation(finder, {})


def _loader(theirs: Any, ours: Any) -> Any:
    """``torch.jit.load`` that also reads archives of tscript: ``torch.jit.save`` writes them of what it compiled."""

    @functools.wraps(theirs)
    def load(f: Any, *args: Any, **kwargs: Any) -> Any:
        return (ours if is_tscript(_beginning(f)) else theirs)(f, *args, **kwargs)

    return load


def _beginning(file: Any) -> bytes:
    """The first bytes of a file, or of a file object from its position on, which stays."""
    if isinstance(file, str | os.PathLike):
        with suppress(OSError), open(file, "rb") as opened:
            return opened.read(MAX_FIRST)
        return b""
    try:
        place = file.tell()
        found = file.read(MAX_FIRST)
        file.seek(place)
    except (AttributeError, OSError):
        return b""
    return found if isinstance(found, bytes) else b""


def _has_torch() -> bool:
    """Whether PyTorch can be imported."""
    loaded = sys.modules.get("torch")
    if loaded is not None:
        return not isinstance(loaded, _Torch)
    return any(
        finder.find_spec("torch", None) is not None
        for finder in sys.meta_path
        if not isinstance(finder, _Finder) and hasattr(finder, "find_spec")
    )


class _Torch(ModuleType):
    """A module of PyTorch with what the module of `tscript` has that it stands for."""

    def __getattr__(self, name: str) -> Any:
        if _ours(f"{self.__name__}.{name}") is not None:
            return importlib.import_module(f"{self.__name__}.{name}")
        found = None if name.startswith("__") else getattr(_ours(self.__name__), name, None)
        if found is None or isinstance(found, ModuleType):
            ours = f"tscript{self.__name__.removeprefix('torch')}"
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}: it has the names of {ours}")
        return found

    def __dir__(self) -> list[str]:
        return dir(_ours(self.__name__))


class _Finder(MetaPathFinder, Loader):
    """Finds ``torch`` and its modules among those of `tscript`."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname.partition(".")[0] != "torch" or _ours(fullname) is None:
            return None
        return ModuleSpec(fullname, self, origin="tscript", is_package=True)

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return _Torch(spec.name, f"The names of PyTorch's {spec.name} that tscript has.")

    def exec_module(self, module: ModuleType) -> None:
        """Its names are looked up when they are used."""


def _ours(path: str) -> ModuleType | None:
    """The public module of `tscript` that stands for one of PyTorch; None if there is none."""
    found: ModuleType = tscript
    for name in path.split(".")[1:]:
        name = _ALIASES.get(name, name)
        public = getattr(found, "_MODULES" if found is tscript else "__all__", ())
        inner = getattr(found, name, None) if name in public else None
        if not isinstance(inner, ModuleType):
            return None
        found = inner
    return found
