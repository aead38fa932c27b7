"""Extra files: what users keep in an archive beside its functions, and the hook that adds some to every archive.

They are ordinary members under ``extra/``, stored as they are. Loading an archive reads their names and sizes only;
`ExtraFile.read` reads one, and checks it then. `gather` says what an archive that is written holds: the caller's files,
what `set_export_extra_files_hook` adds, and what a loaded module brings along, in this order of precedence.
"""

from __future__ import annotations

import hashlib
import sys
import threading
import warnings
from collections.abc import Callable, Mapping, MutableMapping
from functools import cache
from typing import Any

from tscript.archive.container import Names
from tscript.diagnostics.archives import ArchiveError, ExportHookWarning, ExtraFileError
from tscript.late import dataclass, field

FOLDER = "extra/"

MAX_METADATA_BYTES = 1 << 20
"""Of all keys and values together: every reader of the archive reads them. Larger things are extra files."""

Hook = Callable[[Mapping[str, Any]], Mapping[str, "bytes | str"]]


@dataclass(frozen=True, slots=True)
class ExtraFile:
    """One extra file of an archive.

    Attributes:
        name: Its name, without the folder ``extra/``.
        size: In bytes.
        sha256: Of its bytes, in hex.
        source: Gives its bytes, which it has compared with `sha256`.

    Example:
        >>> import tempfile, tscript
        >>> @tscript.script
        ... def double(n: int) -> int:
        ...     return 2 * n
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     tscript.save(double, f"{folder}/double.tsa", extra_files={"labels.txt": "one two"})
        ...     module = tscript.load(f"{folder}/double.tsa")
        ...     module.extra_files["labels.txt"].size, module.extra_files["labels.txt"].text()
        (7, 'one two')
    """

    name: str
    size: int
    sha256: str
    source: Callable[[], bytes] = field(repr=False, compare=False)

    @classmethod
    def of(cls, name: str, content: bytes) -> ExtraFile:
        """The extra file that holds `content`."""
        return cls(name, len(content), hashlib.sha256(content).hexdigest(), lambda: content)

    def read(self) -> bytes:
        """Its bytes, read from the archive and compared with the digest of the manifest.

        Raises:
            ArchiveError: It is damaged, or the archive has been replaced by another since it was loaded.
            OSError: The archive is gone or cannot be read.
        """
        return self.source()

    def text(self) -> str:
        """Its bytes as UTF-8 text.

        Raises:
            ExtraFileError: They are none.
            ArchiveError, OSError: As `read` does.
        """
        try:
            return self.read().decode()
        except UnicodeDecodeError as error:
            raise ExtraFileError(
                f"extra file {self.name!r} is not UTF-8 text (byte {error.start}); ask for it as bytes"
            ) from None


def fill(wanted: MutableMapping[str, Any], found: Mapping[str, ExtraFile], path: str = "") -> None:
    """Replace the values of `wanted` by the files of these names: a ``str`` by text, ``bytes`` by bytes, None by bytes
    where there is such a file. All or none.

    Raises:
        TypeError: `wanted` is no mapping of that kind.
        ExtraFileError: There is no file of a name, or it is not text.
        ArchiveError: A file is damaged.
    """
    if not isinstance(wanted, MutableMapping):
        raise TypeError(f"extra_files is filled, so it has to be a dict, not a {type(wanted).__name__}")
    contents: dict[str, bytes | str] = {}
    for name, placeholder in wanted.items():
        if not isinstance(placeholder, str | bytes | None):
            raise TypeError(
                f"extra_files[{name!r}] is a {type(placeholder).__name__}; write '' to get text, b'' to get bytes, "
                "None to get bytes if there is such a file"
            )
        if name not in found and placeholder is None:
            continue
        if name not in found:
            there = ", ".join(map(repr, found)) if found else "it has none"
            raise ExtraFileError(f"there is no extra file {name!r} ({there})", path)
        try:
            contents[name] = found[name].text() if isinstance(placeholder, str) else found[name].read()
        except ArchiveError as error:
            raise error if error.path else type(error)(error.what, path) from None
    wanted.update(contents)


def checked_metadata(metadata: Mapping[str, str]) -> dict[str, str]:
    """A copy of `metadata`.

    Raises:
        TypeError: It is no mapping from ``str`` to ``str``.
        ArchiveError: A key is empty, a text cannot be encoded, or there is too much of it.
    """
    if not isinstance(metadata, Mapping):
        raise TypeError(f"metadata is a {type(metadata).__name__}, expected a mapping from str to str")
    size = 0
    for key, value in metadata.items():
        if not isinstance(key, str) or not isinstance(value, str):
            raise TypeError(
                f"metadata[{key!r}] is a {type(value).__name__}; keys and values are str, other data goes to "
                f"extra_files"
            )
        if not key:
            raise ArchiveError("a key of metadata is empty")
        try:
            size += len(key.encode()) + len(value.encode())
        except UnicodeEncodeError:
            raise ArchiveError(f"metadata[{key!r}] holds half a surrogate pair, which is not text") from None
    if size > MAX_METADATA_BYTES:
        raise ArchiveError(
            f"metadata of {size:,} bytes, {MAX_METADATA_BYTES:,} are allowed; larger data goes to extra_files"
        )
    return {str(key): str(value) for key, value in metadata.items()}


def gather(
    module: Mapping[str, Any],
    own: Mapping[str, ExtraFile],
    brought: Mapping[str, ExtraFile],
) -> dict[str, ExtraFile]:
    """The extra files of an archive that is about to be written, by name.

    Args:
        module: Its functions; what the hook is called with.
        own: The files named by the caller.
        brought: The files of the loaded module that is saved again; one of them gives way to a file of the same name.

    Raises:
        ExtraFileError: A name of `own` clashes with one of `brought`, without being the same.
    """
    added = _exports().files(module)
    files = {**brought, **own}
    names = Names(FOLDER, "extra file")
    for name in files:
        _add(names, name)
    for name, file in added.items():
        if name in own:
            if file != own[name]:
                _warn(
                    f"the hook for extra files names {name!r}, which the caller of save names too: the caller's is kept"
                )
            continue
        if name not in brought:
            try:
                names.add(name)
            except ArchiveError as error:
                _warn(f"a file of the hook for extra files is left out: {error.what}")
                continue
        files[name] = file
    return dict(sorted(files.items()))


def _add(names: Names, name: str) -> None:
    try:
        names.add(name)
    except ArchiveError as error:
        raise ExtraFileError(error.what) from None


def checked_files(files: Mapping[str, bytes | str], where: str = "extra_files") -> dict[str, ExtraFile]:
    """Extra files with these contents.

    Args:
        files: Contents by names.
        where: Where they come from, for messages.

    Raises:
        TypeError: It is no mapping from ``str`` to ``str`` or ``bytes``.
        ExtraFileError: A name breaks a rule or clashes with another.
    """
    if not isinstance(files, Mapping):
        raise TypeError(f"{where} is a {type(files).__name__}, expected a mapping from names to str or bytes")
    names = Names(FOLDER, "extra file")
    found: dict[str, ExtraFile] = {}
    for name, content in files.items():
        if not isinstance(name, str) or not isinstance(content, str | bytes):
            raise TypeError(f"{where}[{name!r}] is a {type(content).__name__}, expected str or bytes under a name")
        _add(names, name)
        try:
            found[name] = ExtraFile.of(name, content.encode() if isinstance(content, str) else content)
        except UnicodeEncodeError:
            raise ExtraFileError(f"{where}[{name!r}] holds half a surrogate pair, which is not text") from None
    return found


class _Exports:
    """What concerns every archive that this process writes."""

    def __init__(self) -> None:
        self._hook: Hook | None = None
        self._lock = threading.Lock()
        self._inside = threading.local()

    def set_hook(self, hook: Hook | None) -> Hook | None:
        """Put `hook` in place of the one before, which is returned."""
        with self._lock:
            before, self._hook = self._hook, hook
        return before

    def files(self, module: Mapping[str, Any]) -> dict[str, ExtraFile]:
        """What the hook adds to an archive of `module`; nothing if it fails, or saves an archive itself."""
        hook = self._hook
        if hook is None or getattr(self._inside, "hook", False):
            return {}
        self._inside.hook = True
        try:
            return checked_files(hook(module), "the result of the hook for extra files")
        except Exception as error:  # noqa: BLE001 - whatever it raises is not worth losing the archive
            what = f"{type(error).__name__}: {error}"
            _warn(f"the hook for extra files failed, so its files are not in the archive: {what}")
            return {}
        finally:
            self._inside.hook = False


@cache
def _exports() -> _Exports:
    return _Exports()


def set_export_extra_files_hook(hook: Hook | None) -> Hook | None:
    """Have a function add extra files to every archive that this process writes, by `save` or ``tscript compile``.

    It is called with what is saved, a mapping from names to scripted functions, and returns a mapping from names to
    ``bytes`` or ``str``. A file that the caller of `save` names too is the caller's; one that a loaded module brings
    along gives way. When the hook raises or returns something else, the archive is written without its files and an
    `ExportHookWarning` says so. Archives that the hook itself saves are left alone.

    Args:
        hook: The function; None for none.

    Returns:
        The hook that was set before.

    Raises:
        TypeError: It cannot be called.

    Example:
        >>> import tscript
        >>> hook = lambda module: {"producer.txt": f"functions: {', '.join(module)}"}
        >>> before = tscript.set_export_extra_files_hook(hook)
        >>> _ = tscript.set_export_extra_files_hook(before)
    """
    if hook is not None and not callable(hook):
        raise TypeError(f"a hook for extra files is a function, or None for none, not a {type(hook).__name__}")
    return _exports().set_hook(hook)


def _warn(message: str) -> None:
    """Warn about the line of the program that called `save`."""
    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and str(frame.f_globals.get("__name__")).partition(".")[0] == "tscript":
        level, frame = level + 1, frame.f_back
    warnings.warn(message, ExportHookWarning, stacklevel=level)
