"""Folders from which code is loaded, opened step by step, so that no other user can interfere.

`open_folder` goes from the root to a folder, one name at a time. Each folder is opened relative to the one before and
checked once it is open. Every folder on the path, also through links, must belong to this user or to root, and no other
user may write to it. Sticky folders such as ``/tmp`` are an exception: their entries must belong to this user or root.
The checked handle is then used: entries are opened relative to it, never by their full path.

Platforms without such handles (Windows) open by path, and rely on the rules of the system.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

MAX_LINKS = 40
HAS_HANDLES = os.open in os.supports_dir_fd and os.scandir in os.supports_fd and hasattr(os, "getuid")
"""Whether files can be opened relative to an open folder."""

_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
_OTHERS = stat.S_IWGRP | stat.S_IWOTH


class UnsafeFolderError(Exception):
    """Another user could have written to a folder. The message names the folder, the reason, and the fix."""


def open_folder(path: Path, *, create: bool = False) -> int:
    """A handle of the folder at `path`.

    Args:
        path: The folder.
        create: Whether to create it and missing parents, for this user alone.

    Raises:
        UnsafeFolderError: Other users can change it or its parents.
        FileNotFoundError: It does not exist.
        OSError: It cannot be opened.
    """
    whole = os.path.abspath(path)
    pending = [part for part in reversed(whole.split(os.sep)) if part]
    handle, at = os.open(os.sep, _FOLDER), [""]
    links = 0
    try:
        is_shared = _check(handle, os.sep, is_last=not pending)
        while pending:
            name = pending.pop()
            if name == "..":  # out of a link; the parents were checked on the way down
                del at[max(len(at) - 1, 1) :]
                here = _open(handle, "..", at, create=False)
            elif link := _link(handle, name, [*at, name], is_shared):
                links += 1
                if links > MAX_LINKS:
                    raise OSError(f"more than {MAX_LINKS} links lead to it")
                pending += [part for part in reversed(link.split(os.sep)) if part not in ("", ".")]
                if not link.startswith(os.sep):
                    continue
                here, at = os.open(os.sep, _FOLDER), [""]
            else:
                at.append(name)
                here = _open(handle, name, at, create=create)
            os.close(handle)
            handle = here
            is_shared = _check(handle, os.sep.join(at) or os.sep, is_last=not pending)
    except BaseException:
        os.close(handle)
        raise
    return handle


def _link(handle: int, name: str, at: list[str], is_shared: bool) -> str:
    """The target of a link in a folder; None if `name` is not a link."""
    try:
        info = os.stat(name, dir_fd=handle, follow_symlinks=False)
    except FileNotFoundError:
        return ""
    if not stat.S_ISLNK(info.st_mode):
        return ""
    if is_shared and not _is_ours(info):
        raise UnsafeFolderError(f"the link {os.sep.join(at)} belongs to {_user(info)}: {_elsewhere()}")
    return os.readlink(name, dir_fd=handle)


def _open(handle: int, name: str, at: list[str], *, create: bool) -> int:
    """A handle of a folder in a folder."""
    if create:
        with suppress(FileExistsError):
            os.mkdir(name, 0o700, dir_fd=handle)
    try:
        return os.open(name, _FOLDER, dir_fd=handle)
    except OSError as error:
        raise OSError(error.errno, error.strerror, os.sep.join(at)) from None


def _check(handle: int, path: str, *, is_last: bool) -> bool:
    """Whether everyone may create entries in an open folder, but not change those of others.

    Raises:
        UnsafeFolderError: Others may do more than that.
    """
    info = os.fstat(handle)
    is_ours = _is_ours(info)
    if is_ours and not info.st_mode & _OTHERS:
        return False
    if is_ours and info.st_mode & stat.S_ISVTX and not is_last:
        return True
    from shlex import quote

    shown = quote(path)
    if not is_ours:
        raise UnsafeFolderError(
            f"{path} belongs to {_user(info)}, who may put code there: {_elsewhere()}, or give the folder to "
            f"yourself: chown {os.getuid()} {shown}"
        )
    raise UnsafeFolderError(
        f"others may write to {path} (its mode is {stat.S_IMODE(info.st_mode):o}): take that away with: chmod "
        f"go-w {shown}"
    )


def _is_ours(info: os.stat_result) -> bool:
    return info.st_uid in (0, os.getuid())


def _elsewhere() -> str:
    return "name another folder in TSCRIPT_CACHE_DIR"


def _user(info: os.stat_result) -> str:
    import pwd

    with suppress(KeyError):
        return f"the user {pwd.getpwuid(info.st_uid).pw_name}"
    return f"another user (number {info.st_uid})"


class Folder:
    """An open folder, whose files are opened relative to it. To be used in a ``with`` statement.

    Args:
        path: The folder.
        create: Whether to create it if missing.

    Raises:
        UnsafeFolderError, OSError: As `open_folder` does.
    """

    def __init__(self, path: Path, *, create: bool = False) -> None:
        self._path = path
        self._handle: int | None = None
        if HAS_HANDLES:
            self._handle = open_folder(path, create=create)
        elif create:
            path.mkdir(mode=0o700, parents=True, exist_ok=True)

    def __enter__(self) -> Folder:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def close(self) -> None:
        """Close it; nothing else may be done with it."""
        if self._handle is not None:
            os.close(self._handle)

    @property
    def is_removed(self) -> bool:
        """Whether it was removed since it was opened."""
        return self._handle is not None and os.fstat(self._handle).st_nlink == 0

    def read(self, name: str) -> bytes:
        """The content of a file.

        Raises:
            UnsafeFolderError: It is not a plain file, or other users can change it.
            FileNotFoundError: It does not exist.
            OSError: It cannot be read, or is a link.
        """
        flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
        handle = os.open(self._at(name), flags, dir_fd=self._handle)
        with os.fdopen(handle, "rb") as file:
            info = os.fstat(handle)
            if not stat.S_ISREG(info.st_mode):
                raise UnsafeFolderError(f"{name} in it is no plain file: remove it")
            if self._handle is not None and (not _is_ours(info) or info.st_mode & _OTHERS):
                raise UnsafeFolderError(f"{name} in it belongs to {_user(info)}, or others may write to it: remove it")
            return file.read()

    def write(self, name: str, content: Iterable[bytes], temporary: str) -> None:
        """Create or replace a file atomically: readers see all of it or the old one.

        Args:
            name: Of the file.
            content: The parts of its content.
            temporary: The prefix of the temporary file.
        """
        made = f"{temporary}{os.urandom(8).hex()}"
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
        handle = os.open(self._at(made), flags, 0o600, dir_fd=self._handle)
        try:
            with os.fdopen(handle, "wb") as file:
                file.writelines(content)
            os.replace(self._at(made), self._at(name), src_dir_fd=self._handle, dst_dir_fd=self._handle)
        except BaseException:
            self.remove(made)
            raise

    def remove(self, name: str) -> bool:
        """Remove a file; returns whether that succeeded."""
        try:
            os.unlink(self._at(name), dir_fd=self._handle)
        except OSError:
            return False
        return True

    def touch(self, name: str) -> None:
        """Create an empty file, or set the time of an existing one to now."""
        flags = os.O_WRONLY | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
        os.close(os.open(self._at(name), flags, 0o600, dir_fd=self._handle))
        os.utime(self._at(name), dir_fd=self._handle) if self._handle is not None else os.utime(self._at(name))

    def changed(self, name: str) -> float:
        """When a file was written, in seconds since the epoch; 0 if there is none."""
        try:
            return os.stat(self._at(name), dir_fd=self._handle, follow_symlinks=False).st_mtime
        except OSError:
            return 0.0

    def open(self, name: str) -> int:
        """A handle of a file for reading and writing, which is made if it is missing."""
        flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
        return os.open(self._at(name), flags, 0o600, dir_fd=self._handle)

    def files(self) -> list[tuple[str, os.stat_result]]:
        """Names and types of all entries; links are not followed."""
        found: list[tuple[str, os.stat_result]] = []
        with os.scandir(self._path if self._handle is None else self._handle) as entries:
            for entry in entries:
                with suppress(OSError):
                    found.append((entry.name, entry.stat(follow_symlinks=False)))
        return found

    def _at(self, name: str) -> str:
        return name if self._handle is not None else str(self._path / name)
