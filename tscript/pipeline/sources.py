"""`Sources`: what the modules of the package hold, and which of them others are made by.

Contents count, never times of files: two installations of the same sources have the same digests. Modules are read
through their loaders, so the package may lie in a zip file. Where there is no source, the code of a module stands
for it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from functools import cache
from importlib.util import find_spec
from types import CodeType
from typing import Any

from tscript.digests import sha256
from tscript.started import STARTED

PACKAGE = "tscript"

OPEN = frozenset({PACKAGE, "tscript.frontend", "tscript.passes"})
"""Packages whose `__init__` leads to far more than those who import it use: what they use is named beside it."""

_IMPORT = re.compile(
    rb"^[ \t]*(?:from[ \t]+(tscript[\w.]*)[ \t]+import[ \t]+(\([^)]*\)|[^\n#]*)|import[ \t]+(tscript[\w.]*))",
    re.MULTILINE,
)
_COMMENT = re.compile(rb"#[^\n]*")
_FOR_TYPES = re.compile(rb"^if TYPE_CHECKING:\n(?:[ \t]+[^\n]*\n|\n)+", re.MULTILINE)


class Sources:
    """The modules of the package as this process has imported them.

    A module whose file changed after the process began has no digest: what was imported may be what it was before.

    Args:
        started: When the process began, in nanoseconds since the epoch.
    """

    def __init__(self, started: int = STARTED) -> None:
        self._started = started
        self._digests: dict[str, str] = {}
        self._paths: dict[str, str] = {}

    def digest(self, modules: Iterable[str]) -> str | None:
        """A digest of the names and contents of modules; None when one may have been imported with another content.

        A module that is not there has a digest, too.
        """
        names = list(modules)
        found = [self._digests.get(module) or self._read(module) for module in names]
        return sha256("\n".join([*names, *found]).encode()).hexdigest() if all(found) else None

    def are_unchanged(self, modules: Iterable[str]) -> bool:
        """Whether the files of modules that have digests are still those that were there when the process began."""
        return not any(self._is_newer(self._paths[module]) for module in modules)

    def closure(self, modules: Iterable[str]) -> list[str]:
        """Modules and all they import, at any place of their files but for type checking, in a stable order."""
        found: set[str] = set()
        pending = list(modules)
        while pending:
            module = pending.pop()
            if module not in found:
                found.add(module)
                if module not in OPEN:
                    pending += imports(module)
        return sorted(found)

    def _read(self, module: str) -> str:
        """The digest of a module; empty when it may have been imported with another content."""
        path, source = _source(module)
        self._paths[module] = path
        found = self._digests[module] = "" if self._is_newer(path) else _digest(module, source)
        return found

    def _is_newer(self, path: str) -> bool:
        return _changed(path) > self._started


@cache
def imports(module: str) -> frozenset[str]:
    """The modules of the package that a module imports; none where its source is not there."""
    _, source = _source(module)
    found: set[str] = set()
    for origin, names, plain in _IMPORT.findall(_FOR_TYPES.sub(b"", source)):
        package = (origin or plain).decode()
        listed = [
            name.split()[0].decode() for name in _COMMENT.sub(b"", names).strip(b"()\\ ").split(b",") if name.strip()
        ]
        modules = {f"{package}.{name}" for name in listed if name.islower() and _is_module(f"{package}.{name}")}
        found |= modules
        if len(modules) < len(listed) or plain:
            found.add(package)
    return frozenset(found)


def has_source(module: str) -> bool:
    """Whether the source of a module of the package is there, and not its byte code alone."""
    return _is_module(module)


def module_of(file: str) -> str | None:
    """The module of a file of the package."""
    from tscript.abi.places import FOLDER

    if not file.startswith(FOLDER) or not file.endswith(".py"):
        return None
    parts = file[len(FOLDER) : -len(".py")].split(os.sep)
    return ".".join((PACKAGE, *(parts[:-1] if parts[-1] == "__init__" else parts)))


def modules_in(package: str) -> list[str]:
    """The modules directly inside of a package, sorted."""
    from pkgutil import iter_modules

    spec = find_spec(package)
    folders = None if spec is None else spec.submodule_search_locations
    return sorted(f"{package}.{found.name}" for found in iter_modules(folders))


@cache
def _spec(name: str) -> Any:
    """The spec of a package or module directly inside of the package."""
    try:
        return find_spec(name)
    except (ImportError, ValueError):
        return None


def _source(module: str) -> tuple[str, bytes]:
    """Where the source of a module is, as its loader reads it, and what is there; nothing where there is none."""
    parts = module.split(".")
    top = _spec(".".join(parts[:2]))
    if top is None:
        return "", b""
    folders = top.submodule_search_locations
    if not folders and parts[2:]:
        return "", b""
    place = os.path.join(folders[0], *parts[2:]) if folders else (top.origin or "").removesuffix(".py")
    package = os.path.join(place, "__init__.py")
    for path in [package] if len(parts) < 3 and folders else [f"{place}.py", package]:
        try:
            return path, top.loader.get_data(path)
        except (OSError, AttributeError):
            continue
    return "", b""


@cache
def _is_module(module: str) -> bool:
    return bool(_source(module)[0])


def _digest(module: str, source: bytes) -> str:
    """A digest of the source of a module, or of its code where there is no source; ``absent`` without either."""
    if source:
        return sha256(source).hexdigest()
    try:
        spec: Any = find_spec(module)
        code = spec.loader.get_code(module)
    except (ImportError, AttributeError, ValueError):
        code = None
    return "absent" if code is None else sha256(repr(_content(code)).encode()).hexdigest()


def _content(value: object) -> object:
    """What a constant of code is, as values whose `repr` is the same in every process."""
    match value:
        case CodeType():
            constants = tuple(map(_content, value.co_consts))
            names = (value.co_name, value.co_names, value.co_varnames, value.co_freevars, value.co_cellvars)
            return (*names, value.co_code, constants, value.co_argcount, value.co_flags, value.co_firstlineno)
        case tuple():
            return tuple(map(_content, value))
        case frozenset():
            return ("set", sorted(map(repr, map(_content, value))))
    return value


def _changed(path: str) -> int:
    """When a file, or the archive that it is in, was changed last; its time may be set to another, this one not."""
    while path:
        try:
            return os.stat(path).st_ctime_ns
        except NotADirectoryError:
            path = os.path.dirname(path)
        except OSError:
            break
    return 0
