"""The zip container: reproducible, readable by other tools, and safe to open from strangers."""

from __future__ import annotations

import io
import random
import zipfile
from pathlib import Path

import pytest

from tscript.archive.container import ALIGNMENT, Member, container_bytes, read_container, write_atomically
from tscript.archive.errors import ArchiveError

MEMBERS = [Member("manifest.json", b"{}" * 100), Member("native/x/a.o", bytes(range(256)) * 9, True), Member("e", b"")]


def test_members_come_back_in_order() -> None:
    container = read_container(container_bytes(MEMBERS))
    assert list(container.entries) == [m.name for m in MEMBERS]
    assert [container.read(m.name) for m in MEMBERS] == [m.data for m in MEMBERS]


def test_other_tools_read_it() -> None:
    with zipfile.ZipFile(io.BytesIO(container_bytes(MEMBERS))) as other:
        assert other.testzip() is None
        assert {n: other.read(n) for n in other.namelist()} == {m.name: m.data for m in MEMBERS}


def test_equal_members_give_equal_bytes() -> None:
    assert container_bytes(MEMBERS) == container_bytes(list(MEMBERS))


def test_stored_members_are_aligned() -> None:
    assert read_container(container_bytes(MEMBERS)).entries["native/x/a.o"].start % ALIGNMENT == 0


@pytest.mark.parametrize(
    "name", ["", "/etc/x", "../x", "a/../b", "a//b", "a\\b", "c:x", "a\0b", "a\nb", "x" * 600, ".", "a/", "tab\tx"]
)
def test_names_that_leave_a_folder_are_refused(name: str) -> None:
    with pytest.raises(ArchiveError):
        container_bytes([Member(name, b"")])


def test_names_that_clash_when_case_is_ignored_are_refused() -> None:
    with pytest.raises(ArchiveError, match="twice"):
        container_bytes([Member("a", b""), Member("A", b"")])


@pytest.mark.parametrize("cut", [0, 1, 10, 30, 100, -1, -22, -23, -60])
def test_truncated_files_are_refused(cut: int) -> None:
    with pytest.raises(ArchiveError):
        read_container(container_bytes(MEMBERS)[:cut])


@pytest.mark.parametrize("change", [lambda d: b"x" + d, lambda d: d + b"x", lambda d: d + d])
def test_data_around_the_zip_is_refused(change: object) -> None:
    assert callable(change)
    with pytest.raises(ArchiveError):
        read_container(change(container_bytes(MEMBERS)))


def test_zip_files_of_other_writers_are_refused() -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as other:
        other.writestr("manifest.json", "{}")
    with pytest.raises(ArchiveError):
        read_container(buffer.getvalue())


def test_a_bomb_is_refused_before_it_is_inflated() -> None:
    data = container_bytes([Member("zeros", bytes(1 << 24))])
    with pytest.raises(ArchiveError, match="beyond the limits"):
        read_container(data)


def test_altered_bytes_raise_archive_error_and_nothing_else() -> None:
    original = container_bytes(MEMBERS)
    rng = random.Random(0)
    for _ in range(3000):
        data = bytearray(original)
        for _ in range(rng.randint(1, 3)):
            data[rng.randrange(len(data))] = rng.randrange(256)
        try:
            container = read_container(bytes(data))
            contents = {name: container.read(name) for name in container.entries}
        except ArchiveError:
            continue
        assert contents.keys() <= {m.name for m in MEMBERS} or sum(map(len, contents.values())) < 1 << 16


def test_writing_is_all_or_nothing(tmp_path: Path) -> None:
    target = tmp_path / "a.tsa"
    write_atomically(target, b"one")
    write_atomically(target, b"two")
    assert target.read_bytes() == b"two"
    with pytest.raises(FileNotFoundError):
        write_atomically(tmp_path / "missing" / "a.tsa", b"x")
    assert [p.name for p in tmp_path.iterdir()] == ["a.tsa"]
