"""The zip container: reproducible, readable by other tools, and safe to open from strangers."""

from __future__ import annotations

import errno
import io
import os
import random
import zipfile
from pathlib import Path

import pytest

from tscript.archive import container as module
from tscript.archive.container import (
    ALIGNMENT,
    MAX_MEMBERS,
    Container,
    Member,
    container_bytes,
    container_parts,
    open_container,
    read_container,
    write_atomically,
)
from tscript.diagnostics.archives import ArchiveError

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
    "name",
    [
        "",
        "/etc/x",
        "../x",
        "a/../b",
        "a//b",
        "a\\b",
        "c:x",
        "a\0b",
        "a\nb",
        "x" * 600,
        ".",
        "a/",
        "tab\tx",
        "\ud800",
        "a/" * 17 + "b",
    ],
)
def test_names_that_leave_a_folder_are_refused(name: str) -> None:
    with pytest.raises(ArchiveError):
        container_bytes([Member(name, b"")])


def test_names_that_clash_when_case_is_ignored_are_refused() -> None:
    with pytest.raises(ArchiveError, match="twice"):
        container_bytes([Member("a", b""), Member("A", b"")])


@pytest.mark.parametrize("names", [("a", "a/b"), ("a/b", "a"), ("A", "a/b/c"), ("a/b/c", "a/B")])
def test_names_of_a_file_and_a_folder_are_refused(names: tuple[str, str]) -> None:
    with pytest.raises(ArchiveError, match=r"is a folder of|is not a folder"):
        container_bytes([Member(name, b"") for name in names])


def test_stored_data_are_parts_and_not_copies() -> None:
    data = bytes(1000)
    parts = container_parts([Member("a", b"x" * 50), Member("b", data, stored=True)])
    assert any(part is data for part in parts)


def test_more_than_a_zip_file_can_hold_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ArchiveError, match=f"10001 members, {MAX_MEMBERS} are possible"):
        container_bytes(Member(str(i), b"") for i in range(MAX_MEMBERS + 1))
    size = len(container_bytes(MEMBERS))
    for limit in (size - 1, size - 100, 300):
        monkeypatch.setattr(module, "MAX_FILE_BYTES", limit)
        with pytest.raises(ArchiveError, match=r"it would have .* bytes"):
            container_bytes(MEMBERS)
    monkeypatch.setattr(module, "MAX_FILE_BYTES", size)
    data = container_bytes(MEMBERS)
    monkeypatch.setattr(module, "MAX_FILE_BYTES", size - 1)
    with pytest.raises(ArchiveError, match=r"bytes, .* are possible"):
        read_container(data)


@pytest.mark.parametrize("small", [0, 1 << 18])
def test_a_file_is_read_like_its_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, small: int) -> None:
    monkeypatch.setattr(module, "SMALL_BYTES", small)
    original = container_bytes(MEMBERS)
    rng = random.Random(2)

    def contents(container: Container) -> dict[str, bytes]:
        return {name: container.read(name) for name in container.entries}

    for i in range(300):
        data = bytearray(original)
        for _ in range(rng.randint(1, 3) if i else 0):
            data[rng.randrange(len(data))] = rng.randrange(256)
        data = data[: rng.randrange(len(data))] if i % 10 == 9 else data
        (tmp_path / "x").write_bytes(data)
        expected: object
        try:
            expected = contents(read_container(bytes(data)))
        except ArchiveError as error:
            expected = error.what
        found: object
        try:
            with open_container(tmp_path / "x") as container:
                found = contents(container)
        except ArchiveError as error:
            found = error.what
        assert found == expected


def test_a_file_that_becomes_shorter_meanwhile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "SMALL_BYTES", 0)
    path = tmp_path / "x"
    path.write_bytes(container_bytes([Member("a", bytes(100_000), stored=True)]))
    with open_container(path) as container:
        path.write_bytes(path.read_bytes()[:50_000])
        with pytest.raises(ArchiveError, match="became shorter"):
            container.read("a")


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


def test_data_hidden_in_the_padding_are_refused() -> None:
    data = container_bytes(MEMBERS)
    at = data.index(b"TS") + 4
    for i in (-4, -3, -2, -1, 0, 5):
        with pytest.raises(ArchiveError):
            read_container(data[: at + i] + bytes([data[at + i] ^ 1]) + data[at + i + 1 :])


def test_a_bomb_is_refused_before_it_is_inflated(monkeypatch: pytest.MonkeyPatch) -> None:
    assert (
        len(container_bytes([Member("zeros", bytes(1 << 24))])) > 1 << 24
    )  # kept as it is: it could not be read again
    monkeypatch.setattr("tscript.archive.container.TOTAL_RATIO", 10**6)
    one = container_bytes([Member("zeros", bytes(1 << 24))])
    many = container_bytes([Member(f"zeros{i}", bytes(1 << 16)) for i in range(9)])
    monkeypatch.undo()
    assert max(len(one), len(many)) < 20_000
    with pytest.raises(ArchiveError, match="beyond the limits"):
        read_container(one)
    with pytest.raises(ArchiveError, match="would inflate to 589,824 bytes"):
        read_container(many)


@pytest.mark.parametrize("size", [0, 1, 4096, 4097, 10_000, 1 << 20])
def test_whatever_is_written_is_read_again(size: int) -> None:
    members = [Member(f"m{i}", bytes([i]) * size) for i in range(20)]
    container = read_container(container_bytes(members))
    assert [container.read(m.name) for m in members] == [m.data for m in members]


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


def test_nothing_is_replaced_unless_asked_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "a"
    write_atomically(target, [b"o", b"ne"], replace=False)
    with pytest.raises(FileExistsError, match=str(target)):
        write_atomically(target, b"two", replace=False)
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    with pytest.raises(FileExistsError):
        write_atomically(tmp_path / "link", b"two", replace=False)
    assert target.read_bytes() == b"one"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a", "link"]


@pytest.mark.parametrize("links", [True, False])
def test_whoever_takes_the_name_meanwhile_keeps_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, links: bool
) -> None:
    target = tmp_path / "a"
    fsync = os.fsync

    def somebody(handle: int) -> None:
        fsync(handle)
        target.write_bytes(b"theirs")

    def link(*_: object) -> None:
        raise PermissionError(errno.EPERM, "no links on this file system")

    if not links:
        monkeypatch.setattr(os, "link", link)
    write_atomically(tmp_path / "b", b"mine", replace=False)
    assert (tmp_path / "b").read_bytes() == b"mine"
    monkeypatch.setattr(os, "fsync", somebody)
    with pytest.raises(FileExistsError, match=str(target)):
        write_atomically(target, b"mine", replace=False)
    assert target.read_bytes() == b"theirs"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a", "b"]
