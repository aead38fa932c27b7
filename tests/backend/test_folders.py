"""Folders that code is loaded from: refused as soon as somebody else could have put a hand in, anywhere on the way."""

from __future__ import annotations

import os
import shutil
import tempfile
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tscript.backend.loader.cache import SUFFIX, CacheWarning, ObjectCache
from tscript.backend.loader.folders import HAS_HANDLES, UnsafeFolderError, open_folder

pytestmark = pytest.mark.skipif(not HAS_HANDLES, reason="files are opened by path here")
as_root = pytest.mark.skipif(hasattr(os, "getuid") and os.getuid() != 0, reason="only root gives files to other users")

KEY = "ab" * 32
OTHER = 4321
"""Number of a user who is not us."""


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """The folder of a cache with one entry, three folders below one of ours."""
    folder = tmp_path / "a" / "b" / "c"
    assert ObjectCache(folder).put(KEY, b"payload")
    assert ObjectCache(folder).get(KEY) == b"payload"
    return folder


def refusal(folder: Path) -> str:
    """The warning of a cache that is not used, by any of its functions."""
    cache = ObjectCache(folder)
    with pytest.warns(CacheWarning) as found:
        assert cache.get(KEY) is None
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # it is said once
        assert cache.get(KEY) is None
        assert not cache.put(KEY, b"other")
        assert cache.list() == cache.verify() == []
        assert cache.clear() == cache.evict() == 0
    return str(found[0].message)


@as_root
@pytest.mark.parametrize("part", [".", "..", "../..", "objects"])
def test_a_folder_of_another_user_anywhere_on_the_way(place: Path, part: str) -> None:
    folder = Path(os.path.normpath(place / part))
    os.chown(folder, OTHER, 0)
    found = refusal(place)
    assert f"the compilation cache {place}/objects is not used: {folder} belongs to another user (number 4321)" in found
    assert f"chown 0 {folder}" in found
    os.chown(folder, 0, 0)
    assert ObjectCache(place).get(KEY) == b"payload"


@pytest.mark.parametrize("part", [".", "..", "../..", "objects"])
@pytest.mark.parametrize("mode", [0o777, 0o775, 0o702])
def test_a_folder_that_others_may_write_to_anywhere_on_the_way(place: Path, part: str, mode: int) -> None:
    folder = Path(os.path.normpath(place / part))
    folder.chmod(mode)
    assert f"others may write to {folder} (its mode is {mode:o}): take that away with: chmod go-w {folder}" in refusal(
        place
    )
    folder.chmod(0o755)
    assert ObjectCache(place).get(KEY) == b"payload"


def test_a_folder_like_tmp_on_the_way_is_none_of_theirs(place: Path) -> None:
    place.parent.chmod(0o1777)
    assert ObjectCache(place).get(KEY) == b"payload"
    (place / "objects").chmod(0o1777)  # but entries are not kept in one
    assert "others may write to" in refusal(place)


@as_root
def test_what_another_user_made_in_a_folder_like_tmp(place: Path) -> None:
    place.parent.chmod(0o1777)
    os.chown(place, OTHER, 0)
    assert f"{place} belongs to" in refusal(place)


@as_root
def test_links_of_others(place: Path, tmp_path: Path) -> None:
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o1777)
    (shared / "ours").symlink_to(place)
    (shared / "theirs").symlink_to(place)
    os.chown(shared / "theirs", OTHER, 0, follow_symlinks=False)
    assert ObjectCache(shared / "ours").get(KEY) == b"payload"
    assert f"the link {shared}/theirs belongs to" in refusal(shared / "theirs")


@pytest.mark.parametrize("link", ["{0}", "a/b/c", "./a/../a/./b//c/"])
def test_links_of_ours_are_followed(place: Path, tmp_path: Path, link: str) -> None:
    (tmp_path / "link").symlink_to(link.format(place))
    assert ObjectCache(tmp_path / "link").get(KEY) == b"payload"
    (tmp_path / "again").symlink_to("link")
    assert ObjectCache(tmp_path / "again").get(KEY) == b"payload"
    place.parent.chmod(0o777)
    assert "others may write to" in refusal(tmp_path / "again")


def test_links_that_go_nowhere(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(OSError, match="more than 40 links"):
        open_folder(tmp_path / "loop")
    (tmp_path / "gone").symlink_to(tmp_path / "missing")
    with pytest.raises(FileNotFoundError):
        open_folder(tmp_path / "gone")
    os.close(open_folder(tmp_path / "gone", create=True))
    assert (tmp_path / "missing").stat().st_mode & 0o777 == 0o700
    os.close(open_folder(Path("/")))


def _linked(path: Path) -> None:
    path.rename(path.with_name("moved"))
    path.symlink_to("moved")


def _pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


@pytest.mark.parametrize(
    "change",
    [
        _linked,
        _pipe,
        lambda path: path.chmod(0o666),
        lambda path: path.chmod(0o620),
        pytest.param(lambda path: os.chown(path, OTHER, 0), marks=as_root),
    ],
    ids=["link", "pipe", "writable", "writable by the group", "of another user"],
)
def test_entries_that_are_not_ours_alone(place: Path, change: Callable[[Path], None]) -> None:
    change(place / "objects" / (KEY + SUFFIX))
    cache = ObjectCache(place)
    with pytest.warns(CacheWarning, match="cannot be read"):
        assert cache.get(KEY) is None
    assert cache.put(KEY, b"new")  # it takes the name
    assert cache.get(KEY) == b"new"


@pytest.fixture
def start() -> Iterator[Path]:
    """A folder that other users may go into."""
    found = Path(tempfile.mkdtemp())
    found.chmod(0o755)
    yield found
    shutil.rmtree(found)


@as_root
def test_a_cache_of_root_is_read_by_others(start: Path) -> None:
    ObjectCache(start / "cache").put(KEY, b"payload")
    for path in (start / "cache", start / "cache" / "objects"):
        path.chmod(0o755)
    (start / "cache" / "objects" / (KEY + SUFFIX)).chmod(0o644)
    child = os.fork()
    if child == 0:
        try:
            os.setuid(OTHER)
            cache = ObjectCache(start / "cache")
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # it cannot write
                os._exit(0 if cache.get(KEY) == b"payload" and not cache.put(KEY, b"x") else 1)
        finally:
            os._exit(2)
    assert os.waitpid(child, 0)[1] == 0


def test_handles_are_given_back(place: Path) -> None:
    before = len(os.listdir("/proc/self/fd")) if Path("/proc/self/fd").exists() else 0
    cache = ObjectCache(place)
    for _ in range(20):
        cache.get(KEY)
        cache.put(KEY, b"x")
        cache.list()
    place.parent.chmod(0o777)
    for _ in range(5):
        with pytest.raises(UnsafeFolderError):
            open_folder(place)
    assert (len(os.listdir("/proc/self/fd")) if before else 0) == before
