"""Extra files and metadata: kept, given back when asked for, and what is wrong with one is said before anything is
written."""

from __future__ import annotations

import hashlib
import json
import os
import random
import threading
import types
import warnings
import zipfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

import tscript
from tscript.archive import Archive, ArchiveError, ExtraFile, ExtraFileError, pack, read_archive, unpack
from tscript.archive.container import FileData, Member, Names, container_bytes, read_container
from tscript.archive.extra import MAX_METADATA_BYTES


@tscript.script
def double(n: int) -> int:
    return 2 * n


@tscript.script
def half(x: float) -> float:
    return x / 2


FILES: dict[str, bytes | str] = {
    "labels.txt": "größer\nkleiner",
    "docs/readme.txt": "read me",
    "docs/deep/er/blob.bin": bytes(range(256)) * 3,
    "empty": b"",
    "größe.txt": "ü",
    "with space=.txt": "x",
}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where the archive of a test goes."""
    return tmp_path / "a.tsa"


@pytest.fixture(autouse=True)
def _no_hook() -> Iterator[None]:
    before = tscript.set_export_extra_files_hook(None)
    yield
    tscript.set_export_extra_files_hook(before)


def content(given: bytes | str) -> bytes:
    return given.encode() if isinstance(given, str) else given


def kept(path: Path) -> dict[str, bytes]:
    """The extra files of an archive."""
    return {name: file.read() for name, file in read_archive(path).extra.items()}


def test_files_are_filled_in_as_text_or_bytes(path: Path) -> None:
    tscript.save(double, path, extra_files=FILES)
    wanted: dict[str, Any] = {"docs/readme.txt": "", "labels.txt": b"", "docs/deep/er/blob.bin": b"", "empty": ""}
    module = tscript.load(path, extra_files=wanted)
    assert wanted == {
        "docs/readme.txt": "read me",
        "labels.txt": "größer\nkleiner".encode(),
        "docs/deep/er/blob.bin": FILES["docs/deep/er/blob.bin"],
        "empty": "",
    }
    assert module(21) == 42


def test_a_module_lists_its_files_and_metadata(path: Path) -> None:
    metadata = {"git": "0123abc", "größe": "ü\n", "empty": ""}
    tscript.save({"double": double, "half": half}, path, extra_files=FILES, metadata=metadata)
    module = tscript.load(path)
    assert module.metadata == metadata
    assert list(module.extra_files) == sorted(FILES)
    for name, given in FILES.items():
        file = module.extra_files[name]
        assert (file.name, file.size) == (name, len(content(given)))
        assert file.sha256 == hashlib.sha256(content(given)).hexdigest()
        assert file.read() == content(given)
    assert module.extra_files["labels.txt"].text() == FILES["labels.txt"]
    with pytest.raises(TypeError):
        module.extra_files["new"] = None  # type: ignore[index]


def test_they_are_ordinary_members(path: Path) -> None:
    tscript.save(double, path, extra_files=FILES)
    with zipfile.ZipFile(path) as other:
        assert other.testzip() is None
        assert {n: other.read(n) for n in other.namelist() if n.startswith("extra/")} == {
            f"extra/{name}": content(given) for name, given in FILES.items()
        }
        assert all(i.compress_type == zipfile.ZIP_STORED for i in other.infolist() if i.filename.startswith("extra/"))


def test_equal_archives_give_equal_bytes_in_any_order(tmp_path: Path) -> None:
    metadata = {"b": "2", "a": "1"}
    tscript.save(double, tmp_path / "a.tsa", extra_files=FILES, metadata=metadata)
    backwards = dict(reversed(FILES.items()))
    tscript.save(double, tmp_path / "b.tsa", extra_files=backwards, metadata=dict(reversed(metadata.items())))
    data = (tmp_path / "a.tsa").read_bytes()
    assert data == (tmp_path / "b.tsa").read_bytes()
    assert pack(unpack(data)) == pack(read_archive(tmp_path / "a.tsa")) == data


HOSTILE = [
    "",
    "/",
    "/etc/passwd",
    "..",
    "../x",
    "a/../b",
    "a/..",
    "./a",
    "a/.",
    "a//b",
    "a/",
    "a\\b",
    "c:x",
    "a\0b",
    "a\nb",
    "a\x1b[31m",
    "a\x7f",
    "a\u202eb",
    "a\u2028b",
    "a\u0085b",
    "\ud800",
    "x" * 513,
    "ü" * 260,
    "/".join("a" * 17),
    "a*",
    "a?",
    "<a>",
    "a|b",
    'a"b',
]


def short(text: str) -> str:
    """`text` as the name of a test."""
    return ascii(text[:10])


@pytest.mark.parametrize("name", HOSTILE, ids=short)
def test_hostile_names_are_refused_on_write(path: Path, name: str) -> None:
    with pytest.raises(ExtraFileError, match="extra file name"):
        tscript.save(double, path, extra_files={name: b""})
    assert not path.exists()


def with_members(
    path: Path, extra: Mapping[str, bytes], change: Callable[[dict[str, Any]], None] = lambda _: None
) -> bytes:
    """An archive whose extra members are put in past all checks of names, with fitting digests."""
    tscript.save(double, path)
    container = read_container(path.read_bytes())
    members = {n: container.read(n) for n in container.entries}
    manifest = json.loads(members.pop("manifest.json"))
    members |= {f"extra/{name}": data for name, data in extra.items()}
    manifest["members"] = {n: {"sha256": hashlib.sha256(d).hexdigest(), "size": len(d)} for n, d in members.items()}
    change(manifest)
    first = Member("manifest.json", json.dumps(manifest).encode(), stored=True)
    return container_bytes([first, *(Member(n, d, n.startswith("extra/")) for n, d in members.items())])


def with_names(path: Path, *names: str) -> bytes:
    """An archive with extra files of these names, as a writer would make it that checks none."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Names, "add", lambda *_: None)
        return with_members(path, dict.fromkeys(names, b"data"))


@pytest.mark.parametrize("name", [n for n in HOSTILE if n != "\ud800"], ids=short)
def test_hostile_names_are_refused_on_read(path: Path, name: str) -> None:
    data = with_names(path, name)
    with pytest.raises(ArchiveError, match=r"member name .* (is not a plain relative path|is too long|lies deeper)"):
        unpack(data, "a.tsa")
    path.write_bytes(data)
    with pytest.raises(ArchiveError, match="member name"):
        tscript.load(path)


def test_names_that_are_not_utf_8_are_refused_on_read(path: Path) -> None:
    data = with_members(path, {"abc": b""})
    with pytest.raises(ArchiveError, match="not UTF-8"):
        unpack(data.replace(b"extra/abc", b"extra/a\xffc"))


CLASHES = [
    ("a.txt", "A.TXT"),
    ("docs/a", "Docs/A"),
    ("strasse", "straße"),
    ("\u00e9", "e\u0301"),
    ("a", "a/b"),
    ("a/b", "a"),
    ("A/b/c", "a/B"),
    ("x/y", "X"),
]


@pytest.mark.parametrize("names", CLASHES, ids=ascii)
def test_names_that_clash_are_refused(path: Path, names: tuple[str, str]) -> None:
    with pytest.raises(ExtraFileError, match=r"occurs twice|is a folder|is not a folder"):
        tscript.save(double, path, extra_files=dict.fromkeys(names, b""))
    assert not path.exists()
    with pytest.raises(ArchiveError, match=r"occurs twice|is a folder|is not a folder"):
        unpack(with_names(path, *names))


@pytest.mark.parametrize("name", ["x" * 506, "ü" * 253, "/".join("a" * 16)], ids=short)
def test_names_at_the_limits(path: Path, name: str) -> None:
    tscript.save(double, path, extra_files={name: b"x"})
    assert kept(path) == {name: b"x"}
    with pytest.raises(ExtraFileError, match=r"too long|lies deeper"):
        tscript.save(double, path, extra_files={f"a/{name}": b"x"})


def test_what_other_files_are_called_is_no_clash(path: Path) -> None:
    names = ["manifest.json", "code/double.py", "extra", "native/index.json"]
    tscript.save(double, path, extra_files=dict.fromkeys(names, b"mine"))
    assert kept(path) == dict.fromkeys(sorted(names), b"mine")


@pytest.mark.parametrize(
    "given",
    [{"a": 3}, {"a": None}, {"a": bytearray(b"x")}, {3: b"x"}, {b"a": b"x"}, [("a", b"x")], "a", 3],
    ids=repr,
)
def test_files_of_other_types(path: Path, given: Any) -> None:
    with pytest.raises(TypeError, match="extra_files"):
        tscript.save(double, path, extra_files=given)
    assert not path.exists()


def test_text_that_cannot_be_encoded(path: Path) -> None:
    with pytest.raises(ExtraFileError, match="not text"):
        tscript.save(double, path, extra_files={"a": "\ud800"})


def test_a_file_that_is_not_there(path: Path) -> None:
    tscript.save(double, path, extra_files=FILES)
    wanted = {"docs/readme.txt": "before", "docs/readme": ""}
    with pytest.raises(ExtraFileError, match=r"a\.tsa: there is no extra file 'docs/readme' \('docs/deep"):
        tscript.load(path, extra_files=wanted)
    assert wanted == {"docs/readme.txt": "before", "docs/readme": ""}, "all or none"
    tscript.save(double, path)
    with pytest.raises(ExtraFileError, match="it has none"):
        tscript.load(path, extra_files={"a": ""})
    with pytest.raises(ExtraFileError):
        tscript.load(path, extra_files={"../code/double.py": ""})


def test_text_that_is_none(path: Path) -> None:
    tscript.save(double, path, extra_files={"a": b"abc\xff", "b": "b"})
    wanted: dict[str, Any] = {"b": "", "a": ""}
    with pytest.raises(ExtraFileError, match=r"a\.tsa: extra file 'a' is not UTF-8 text \(byte 3\)"):
        tscript.load(path, extra_files=wanted)
    assert wanted == {"b": "", "a": ""}
    wanted["a"] = b""
    tscript.load(path, extra_files=wanted)
    assert wanted == {"b": "b", "a": b"abc\xff"}


@pytest.mark.parametrize("given", [{"a": 3.5}, {"a": 3}, [("a", "")], "a", types.MappingProxyType({"a": ""})], ids=repr)
def test_what_cannot_be_filled(path: Path, given: Any) -> None:
    tscript.save(double, path, extra_files={"a": "x"})
    with pytest.raises(TypeError, match="extra_files"):
        tscript.load(path, extra_files=given)


@pytest.mark.parametrize("given", [{"a": 3}, {3: "a"}, {"a": b"x"}, {"a": None}, [("a", "b")], "a"], ids=repr)
def test_metadata_of_other_types(path: Path, given: Any) -> None:
    with pytest.raises(TypeError, match="metadata"):
        tscript.save(double, path, metadata=given)
    assert not path.exists()


@pytest.mark.parametrize("given", [{"": "x"}, {"a": "\ud800"}, {"\udcff": "x"}, {"a": "x" * MAX_METADATA_BYTES}])
def test_metadata_that_break_a_rule(path: Path, given: dict[str, str]) -> None:
    with pytest.raises(ArchiveError, match="metadata"):
        tscript.save(double, path, metadata=given)
    assert not path.exists()


def test_metadata_of_strangers_is_text(path: Path) -> None:
    with pytest.raises(ArchiveError, match="manifest is not valid"):
        unpack(with_members(path, {}, lambda m: m.update(metadata={"a": "\ud800"})))


def test_a_loaded_module_brings_its_files_and_metadata_along(tmp_path: Path) -> None:
    tscript.save(double, tmp_path / "a.tsa", extra_files={"a": "1", "b": "1"}, metadata={"a": "1", "b": "1"})
    module = tscript.load(tmp_path / "a.tsa")
    tscript.save(module, tmp_path / "b.tsa", extra_files={"b": "2"}, metadata={"b": "2"})
    assert kept(tmp_path / "b.tsa") == {"a": b"1", "b": b"2"}
    assert tscript.load(tmp_path / "b.tsa").metadata == {"a": "1", "b": "2"}
    with pytest.raises(ExtraFileError, match="'A' occurs twice, also as 'a'"):
        tscript.save(module, tmp_path / "c.tsa", extra_files={"A": "3"})
    tscript.save(dict(module), tmp_path / "d.tsa")
    assert (kept(tmp_path / "d.tsa"), tscript.load(tmp_path / "d.tsa").metadata) == ({}, {})


def test_a_module_is_saved_over_its_own_archive(path: Path) -> None:
    tscript.save(double, path, extra_files=FILES)
    module = tscript.load(path)
    tscript.save(module, path, metadata={"a": "1"})
    assert {n: f.read() for n, f in module.extra_files.items()} == {n: content(c) for n, c in sorted(FILES.items())}


def test_an_archive_that_is_gone_or_another_one(path: Path) -> None:
    tscript.save(double, path, extra_files={"a": "1", "b": "1"})
    module = tscript.load(path)
    tscript.save(double, path, extra_files={"a": "2"})
    with pytest.raises(ArchiveError, match=r"a\.tsa: it was altered or replaced since it was loaded: member 'extra/a'"):
        module.extra_files["a"].read()
    with pytest.raises(ArchiveError, match="replaced since it was loaded: member 'extra/b' is missing"):
        module.extra_files["b"].text()
    path.write_bytes(b"other")
    with pytest.raises(ArchiveError, match="replaced since it was loaded: not a tscript archive"):
        module.extra_files["a"].read()
    path.unlink()
    with pytest.raises(FileNotFoundError):
        module.extra_files["a"].read()
    with pytest.raises(FileNotFoundError):
        tscript.save(module, path)
    assert not path.exists()
    assert module(4) == 8


def test_files_are_found_from_another_folder(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tscript.save(double, path, extra_files={"a": "1"})
    monkeypatch.chdir(path.parent)
    module = tscript.load("a.tsa")
    monkeypatch.chdir("/")
    assert module.extra_files["a"].text() == "1"


def test_files_are_not_read_before_they_are_asked_for(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    big = random.Random(0).randbytes(1 << 20)
    tscript.save(double, path, extra_files={"a": big, "b": "1"})
    read: list[int] = []
    cut = FileData._cut

    def watched(self: FileData, start: int, size: int) -> bytes:
        read.append(size)
        return cut(self, start, size)

    monkeypatch.setattr(FileData, "_cut", watched)
    module = tscript.load(path)
    wanted = {"b": ""}
    tscript.load(path, extra_files=wanted)
    assert module(4) == 8
    assert sum(read) < 1 << 15
    assert module.extra_files["a"].read() == big
    assert read.count(len(big)) == 1, "read once, in one piece"


def test_damage_to_a_file_is_found_when_it_is_read(path: Path) -> None:
    marker = b"here it stands, in plain sight"
    tscript.save(double, path, extra_files={"a": marker, "b": "whole"})
    good = path.read_bytes()
    assert good.count(marker) == 1
    path.write_bytes(good.replace(marker, marker[::-1]))
    module = tscript.load(path, extra_files={"b": ""})
    with pytest.raises(ArchiveError, match=r"member 'extra/a' is damaged: its checksum does not match"):
        module.extra_files["a"].read()
    wanted = {"a": b"", "b": b""}
    with pytest.raises(ArchiveError, match="damaged"):
        tscript.load(path, extra_files=wanted)
    assert wanted == {"a": b"", "b": b""}
    with pytest.raises(ArchiveError, match="damaged"):
        tscript.save(module, path.with_name("b.tsa"))
    assert not path.with_name("b.tsa").exists()


def test_a_digest_that_does_not_match(path: Path) -> None:
    def forge(manifest: dict[str, Any]) -> None:
        manifest["members"]["extra/a"]["sha256"] = "0" * 64

    found = unpack(with_members(path, {"a": b"x"}, forge))
    with pytest.raises(ArchiveError, match="member 'extra/a' was altered: its digest"):
        found.extra["a"].read()


@pytest.mark.parametrize(
    "change",
    [
        lambda m: m["members"].pop("extra/a"),
        lambda m: m["members"].update({"extra/b": m["members"]["extra/a"]}),
        lambda m: m["members"]["extra/a"].update(size=2),
        lambda m: m["members"]["extra/a"].update(size="1"),
        lambda m: m["members"]["extra/a"].pop("sha256"),
        lambda m: m["members"].update({"extra/a": None}),
    ],
)
def test_manifests_that_are_wrong_about_files(path: Path, change: Callable[[dict[str, Any]], None]) -> None:
    with pytest.raises(ArchiveError):
        unpack(with_members(path, {"a": b"x"}, change))


def test_a_packed_file_of_another_writer_is_read(path: Path) -> None:
    text = b"so much of the same " * 50
    members = [Member(n, d, n == "manifest.json") for n, d in members_of(with_members(path, {"a": text})).items()]
    data = container_bytes(members)
    assert read_container(data).entries["extra/a"].packed < len(text)
    assert unpack(data).extra["a"].read() == text


def members_of(data: bytes) -> dict[str, bytes]:
    container = read_container(data)
    return {n: container.read(n) for n in container.entries}


def test_a_pipe_can_be_loaded(path: Path) -> None:
    tscript.save(double, path, extra_files={"a": "1"})
    pipe = path.with_name("pipe")
    os.mkfifo(pipe)
    writer = threading.Thread(target=lambda: pipe.write_bytes(path.read_bytes()))
    writer.start()
    module = tscript.load(pipe)
    writer.join()
    assert module.extra_files["a"].text() == "1"


def test_altered_bytes_raise_archive_error_and_nothing_else(path: Path) -> None:
    tscript.save(double, path, extra_files={"a": "text", "b/c": bytes(200)})
    original = path.read_bytes()
    expected = unpack(original)
    contents = {n: f.read() for n, f in expected.extra.items()}
    rng = random.Random(3)
    for i in range(800):
        data = bytearray(original)
        for _ in range(rng.randint(1, 3)):
            data[rng.randrange(len(data))] = rng.randrange(256)
        try:
            if i % 8:
                found: Archive = unpack(bytes(data))
            else:
                path.write_bytes(data)
                found = read_archive(path)
            assert {n: f.read() for n, f in found.extra.items()} == contents
        except ArchiveError:
            continue
        assert found == expected


# The hook


def test_the_hook_adds_files_to_every_archive(tmp_path: Path) -> None:
    seen: list[Any] = []

    def hook(module: Mapping[str, Any]) -> dict[str, bytes | str]:
        seen.append(dict(module))
        return {"producer.json": b"{}", "functions": ",".join(module)}

    assert tscript.set_export_extra_files_hook(hook) is None
    tscript.save(double, tmp_path / "a.tsa", extra_files={"mine": "1"})
    tscript.save({"f": double, "g": half}, tmp_path / "b.tsa")
    assert kept(tmp_path / "a.tsa") == {"functions": b"double", "mine": b"1", "producer.json": b"{}"}
    assert kept(tmp_path / "b.tsa") == {"functions": b"f,g", "producer.json": b"{}"}
    assert seen == [{"double": double}, {"f": double, "g": half}]
    assert tscript.set_export_extra_files_hook(None) is hook
    tscript.save(double, tmp_path / "c.tsa")
    assert kept(tmp_path / "c.tsa") == {}


def test_the_hook_cannot_change_what_is_saved(path: Path) -> None:
    def hook(module: Any) -> dict[str, bytes]:
        with pytest.raises(TypeError):
            module["f"] = half
        return {"ok": b""}

    tscript.set_export_extra_files_hook(hook)
    tscript.save({"f": double}, path)
    assert kept(path) == {"ok": b""}


def test_the_caller_wins_and_is_told(path: Path) -> None:
    tscript.set_export_extra_files_hook(lambda _: {"a": "hook", "b": "hook", "same": b"x"})
    with pytest.warns(tscript.ExportHookWarning, match="names 'a', which the caller of save names too") as caught:
        tscript.save(double, path, extra_files={"a": "caller", "same": "x"})
    assert [w.filename for w in caught] == [__file__], "one warning, at the line that saves"
    assert kept(path) == {"a": b"caller", "b": b"hook", "same": b"x"}


@pytest.mark.parametrize("name", ["A", "a/b", "Docs"])
def test_files_of_the_hook_that_clash_otherwise_are_left_out_and_named(path: Path, name: str) -> None:
    tscript.set_export_extra_files_hook(lambda _: {name: "hook", "b": "hook"})
    with pytest.warns(tscript.ExportHookWarning, match=f"left out: extra file '{name}'") as caught:
        tscript.save(double, path, extra_files={"a": "caller", "docs/x": ""})
    assert [w.filename for w in caught] == [__file__]
    assert kept(path) == {"a": b"caller", "b": b"hook", "docs/x": b""}


def test_the_hook_replaces_what_a_module_brings_along(path: Path) -> None:
    tscript.set_export_extra_files_hook(lambda _: {"producer": "first"})
    tscript.save(double, path, extra_files={"a": "1"})
    module = tscript.load(path)
    tscript.set_export_extra_files_hook(lambda _: {"producer": "second"})
    tscript.save(module, path)
    assert kept(path) == {"a": b"1", "producer": b"second"}


@pytest.mark.parametrize(
    ("result", "said"),
    [
        (None, "TypeError: the result of the hook"),
        ({"a": 3}, r"the result of the hook for extra files\['a'\] is a int"),
        ({"../x": b""}, "ExtraFileError"),
        ({"ok": b"", "a": b"", "A": b""}, "occurs twice"),
        (ValueError("no git here"), "ValueError: no git here"),
    ],
)
def test_a_hook_that_fails_costs_its_files_and_a_warning(path: Path, result: Any, said: str) -> None:
    def hook(_: object) -> Any:
        if isinstance(result, Exception):
            raise result
        return result

    tscript.set_export_extra_files_hook(hook)
    with pytest.warns(tscript.ExportHookWarning, match=said) as caught:
        tscript.save(double, path, extra_files={"mine": "1"})
    assert [w.filename for w in caught] == [__file__]
    assert kept(path) == {"mine": b"1"}


def test_a_filter_makes_a_failing_hook_fail_the_save(path: Path) -> None:
    def hook(_: object) -> Any:
        raise ValueError("no git here")

    tscript.set_export_extra_files_hook(hook)
    path.write_bytes(b"before")
    with warnings.catch_warnings():
        warnings.simplefilter("error", tscript.ExportHookWarning)
        with pytest.raises(tscript.ExportHookWarning, match="no git here"):
            tscript.save(double, path)
    assert [p.read_bytes() for p in path.parent.iterdir()] == [b"before"]


def test_an_interrupted_hook_interrupts_the_save(path: Path) -> None:
    def hook(_: object) -> Any:
        raise KeyboardInterrupt

    tscript.set_export_extra_files_hook(hook)
    with pytest.raises(KeyboardInterrupt):
        tscript.save(double, path)
    assert not path.exists()
    tscript.set_export_extra_files_hook(lambda _: {"a": ""})
    tscript.save(double, path)
    assert kept(path) == {"a": b""}, "it is asked again"


def test_a_hook_that_saves_is_not_asked_about_that(tmp_path: Path) -> None:
    def hook(_: object) -> dict[str, bytes]:
        tscript.save(half, tmp_path / "inner.tsa", extra_files={"in": "1"})
        return {"inner.tsa": (tmp_path / "inner.tsa").read_bytes()}

    tscript.set_export_extra_files_hook(hook)
    tscript.save(double, tmp_path / "outer.tsa")
    assert kept(tmp_path / "inner.tsa") == {"in": b"1"}
    assert list(kept(tmp_path / "outer.tsa")) == ["inner.tsa"]


@pytest.mark.parametrize("hook", [3, "f", {}], ids=repr)
def test_a_hook_that_cannot_be_called(hook: Any) -> None:
    with pytest.raises(TypeError, match="a hook for extra files is a function"):
        tscript.set_export_extra_files_hook(hook)


def test_hooks_are_set_while_others_save(tmp_path: Path) -> None:
    def hook(_: object) -> dict[str, bytes]:
        return {"a": b"1"}

    stop = threading.Event()

    def swap() -> None:
        while not stop.is_set():
            tscript.set_export_extra_files_hook(hook)
            tscript.set_export_extra_files_hook(None)

    swapper = threading.Thread(target=swap)
    swapper.start()
    try:
        for i in range(20):
            tscript.save(double, tmp_path / f"{i}.tsa")
            assert kept(tmp_path / f"{i}.tsa") in ({}, {"a": b"1"})
    finally:
        stop.set()
        swapper.join()


def test_an_extra_file_compares_by_content() -> None:
    assert ExtraFile.of("a", b"x") == ExtraFile.of("a", b"x") != ExtraFile.of("a", b"y")
    assert "source" not in repr(ExtraFile.of("a", b"x"))
