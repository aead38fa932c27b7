"""Archives made to hurt: only `ArchiveError` leaves the reader, and memory and time stay in proportion to the file."""

from __future__ import annotations

import dataclasses
import enum
import json
import random
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import tscript
from tests.archive.layouts import opened, sealed
from tscript.api import archive_of
from tscript.archive import ArchiveError, pack, unpack
from tscript.archive.container import RATIO_FLOOR, TOTAL_RATIO, Container
from tscript.archive.entries import Archive
from tscript.archive.text import MAX_JSON_LEVELS, parse_json
from tscript.operators.table import TABLE

FACTOR = 1000
"""Bytes of memory that opening an archive may take for each byte of the file; `docs/archive.md` says so."""
FLOOR = 2 << 20


class Pair(NamedTuple):
    left: int
    right: str


class Color(enum.Enum):
    RED = 1
    BLUE = 2


@dataclasses.dataclass
class Point:
    x: float
    label: str = ""


@tscript.script
def subject(n: int, names: dict[str, Pair], color: Color, by: float = 0.5) -> Point:
    total = 0.0
    for name, pair in names.items():
        if color == Color.BLUE or len(name) > n:
            total += pair.left * by
    try:
        total += names["first"].left
    except KeyError:
        total = -total
    return Point(total, "sum")


@pytest.fixture(scope="module")
def archive() -> Archive:
    return archive_of({"subject": subject}, metadata={"a": "b"})


def used(data: bytes) -> None:
    """Everything that is done with an archive before a function of it is called."""
    archive = unpack(data)
    for entry in archive.entries.values():
        entry.program(TABLE)


def peak(work: Callable[[], object]) -> int:
    tracemalloc.start()
    try:
        work()
    except ArchiveError:
        pass
    finally:
        found = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    return found


def places(node: Any) -> list[tuple[Any, Any]]:
    keys = list(node) if isinstance(node, dict) else list(range(len(node))) if isinstance(node, list) else []
    return [(node, k) for k in keys] + [p for k in keys for p in places(node[k])]


VALUES: list[Any] = [
    None, True, 0, -1, 1, 2**64, 1e300, "", "x", "x.Y", "../x", "\ud800", "int", "Nobody", "Ptr[int]", "TensorImpl",
    "i32", "type",
    "Tensor[float32, 2]", "Union[" + ", ".join(f"tuple[{'int, ' * i}int]" for i in range(70)) + "]",
    "list[" * 70 + "int" + "]" * 70, [], [[]], ["tuple", [["int", "9" * 5000]]], {}, {"a": 1}, "__class__",
    "_generate_next_value_",
]  # fmt: skip


def test_whatever_a_manifest_says_only_archive_error_leaves_the_reader(archive: Archive, tmp_path: Path) -> None:
    rng = random.Random(7)
    original = pack(archive)
    path = tmp_path / "a.tsa"
    read = 0
    refused: list[str] = []
    for _ in range(400):
        manifest, members = opened(original)
        for _ in range(rng.randint(1, 2)):
            node, key = rng.choice(places(manifest))
            node[key] = rng.choice(VALUES)
        if rng.random() < 0.2:
            manifest = (
                manifest | {"entries": manifest["entries"] * 2} if isinstance(manifest["entries"], list) else manifest
            )
        path.write_bytes(sealed(manifest, members))
        try:
            module = tscript.load(path)
            for function in module.values():
                _ = function.graph
            read += 1
        except ArchiveError as error:
            refused.append(str(error))
    assert read > 20 and len(refused) > 150
    assert max(map(len, refused)) < 2000


def test_a_load_that_failed_leaves_nothing_behind(archive: Archive, tmp_path: Path) -> None:
    manifest, members = opened(pack(archive))
    text = json.dumps(manifest).replace(f"{__name__}.", "elsewhere.").replace(f'"{__name__}"', '"elsewhere"')
    good = json.loads(text)
    members = {n: d.replace(f"{__name__}.".encode(), b"elsewhere.") for n, d in members.items()}
    bad = json.loads(text)
    bad["entries"][0]["classes"][-1]["fields" if "fields" in bad["entries"][0]["classes"][-1] else "members"] = [
        ["x", 3]
    ]
    path = tmp_path / "a.tsa"
    for _ in range(2):
        path.write_bytes(sealed(bad, members))
        with pytest.raises(ArchiveError):
            tscript.load(path)
    path.write_bytes(sealed(good, members))
    assert tscript.load(path)["subject"].graph


def chain(length: int, fields: Callable[[str], list[list[str]]]) -> list[dict[str, Any]]:
    """Named tuples each of which holds the one before it."""
    out = []
    for i in range(length):
        before = f"m.N{i - 1}" if i else "int"
        out.append({"kind": "named", "name": f"m.N{i}", "module": "", "path": "", "fields": fields(before)})
    return out


def with_classes(archive: Archive, classes: list[dict[str, Any]], type: str, ir: str) -> bytes:
    manifest, members = opened(pack(archive))
    (entry,) = manifest["entries"]
    entry |= {
        "name": "f",
        "classes": classes,
        "parameters": [{"name": "x", "type": type}],
        "result": type,
        "static": [],
    }
    members[entry["ir"]] = ir.encode()
    return sealed(manifest, members)


IDENTITY = "program @f\n\ngraph @f(%x: {0}) -> {0} {{\n  return %x\n}}\n"


@pytest.mark.parametrize(
    ("length", "limit"), [(40, "32,768 parts"), (3000, "32,768 parts"), (9, "")], ids=["double", "long", "small"]
)
def test_types_that_share_their_parts(archive: Archive, length: int, limit: str) -> None:
    name = f"m.N{length - 1}"
    data = with_classes(archive, chain(length, lambda t: [["a", t], ["b", t]]), name, IDENTITY.format(name))
    if not limit:
        used(data)
    else:
        with pytest.raises(ArchiveError, match=limit):
            used(data)


def test_types_that_are_nested_deeply(archive: Archive) -> None:
    data = with_classes(archive, chain(200, lambda t: [["a", t]]), "m.N199", IDENTITY.format("m.N199"))
    with pytest.raises(ArchiveError, match="64 levels"):
        used(data)


def test_many_values_of_a_large_type(archive: Archive) -> None:
    """Each takes few bytes of text, and thousands of cells."""
    body = "".join(f"  %{i}: m.N12 = call @f(%x)\n" for i in range(200))
    ir = f"program @f\n\ngraph @f(%x: m.N12) -> m.N12 {{\n{body}  return %x\n}}\n"
    with pytest.raises(ArchiveError, match="parts in all"):
        used(with_classes(archive, chain(13, lambda t: [["a", t], ["b", t]]), "m.N12", ir))


def test_a_member_is_decoded_once_however_often_it_is_named(archive: Archive) -> None:
    manifest, members = opened(pack(archive))
    (entry,) = manifest["entries"]
    members[entry["ir"]] += b"# " + bytes(random.Random(1).choices(b"ab", k=100_000)) + "\U0001f600\n".encode()
    manifest["entries"] = [entry | {"name": f"f{i}", "classes": entry["classes"]} for i in range(100)]
    manifest["required_features"].remove("-functions")  # where functions lie in three members, each has its own part
    data = sealed(manifest, members)
    assert len({id(e.ir) for e in unpack(data).entries.values()}) == 1
    assert peak(lambda: unpack(data)) < FLOOR


def test_members_that_nothing_names_are_not_read(archive: Archive, monkeypatch: pytest.MonkeyPatch) -> None:
    manifest, members = opened(pack(archive))
    members |= {f"later/{i}": b"x" * 5000 for i in range(40)} | {"native/left.o": b"y"}
    data = sealed(manifest, members)
    read: list[str] = []
    real = Container.read

    def counted(self: Container, name: str) -> bytes:
        read.append(name)
        return real(self, name)

    monkeypatch.setattr(Container, "read", counted)
    found = unpack(data)
    assert not [name for name in read if name.startswith(("later", "native"))]
    assert len(read) == len(set(read)) == 4
    assert len(found.unused) == 41 and found.unused["later/7"].read() == b"x" * 5000


def hostile_files(archive: Archive) -> dict[str, bytes]:
    manifest, members = opened(pack(archive))
    (entry,) = manifest["entries"]
    base = dict(members)

    def file(members: dict[str, bytes] = base, **changes: Any) -> bytes:
        return sealed({**json.loads(json.dumps(manifest)), **changes}, dict(members))

    many = "".join(f"%{i}:int=const 1\n" for i in range(5_000))
    wide = f"program @f\ngraph @f(%x:int)->int{{\n{many}return %x\n}}\n"
    return {
        "lists": file(metadata={"a": [[]] * 8_000}),
        "objects": file(metadata={"a": [{}] * 8_000}),
        "numbers": file(metadata={"a": [10**6] * 8_000}),
        "names": file(metadata={str(i): "" for i in range(4_000)}),
        "types": file(entries=[entry | {"result": "tuple[" + "int," * 9_000 + "int]"}]),
        "parameters": file(entries=[entry | {"parameters": [{"name": f"a{i}", "type": "int"} for i in range(1_500)]}]),
        "enums": file(entries=[entry | {"classes": [*entry["classes"], *enums(80)]}]),
        "named": file(entries=[entry | {"classes": [*entry["classes"], *chain(60, lambda _: [["a", "int"]])]}]),
        "index": file({**base, "native/index.json": b"[" + b"{}," * 1_100_000 + b"{}]"}),
        "text": file({**base, entry["ir"]: wide.encode()}),
        "empty": file({**base, **{f"extra/{i}": b"" for i in range(5000)}}),
    }


def enums(count: int) -> list[dict[str, Any]]:
    members = [["A", ["int", "1"]], ["B", ["int", "2"]]]
    return [
        {"kind": "enum", "name": f"m.E{i}", "module": "", "path": "", "members": members, "mixed": ""}
        for i in range(count)
    ]


def test_memory_is_in_proportion_to_the_file(archive: Archive) -> None:
    """`docs/archive.md` names the factor."""
    used(pack(archive))
    for name, data in hostile_files(archive).items():
        found = peak(lambda data=data: used(data))  # type: ignore[misc]
        assert found < FLOOR + FACTOR * len(data), f"{name}: {found / len(data):.0f} bytes for each of {len(data)}"


def test_json_is_read_within_a_budget() -> None:
    def read(text: str, size: int = 10**6) -> object:
        return parse_json(text.encode(), "x.json", "a.tsa", size)

    assert read('{"a": [1, "[[[[,,,,\\"{"], "b": -12}') == {"a": [1, '[[[[,,,,"{'], "b": -12}
    deep = MAX_JSON_LEVELS
    read("[" * deep + "]" * deep)
    for wrong, what in (
        ("[" * (deep + 1) + "]" * (deep + 1), "200 levels"),
        ("9" * 21, "a number of 21 digits"),
        ("NaN", "NaN is not a number"),
        ("[" + "0," * 10**6 + "0]", "has up to"),
        ('"' + '\\"' * 10**6, "not valid JSON"),
        ("[1", "not valid JSON"),
        ("", "not valid JSON"),
    ):
        with pytest.raises(ArchiveError, match=f"a.tsa: x.json .*{what}"):
            read(wrong)
    with pytest.raises(ArchiveError, match="has up to 4,001 values, 1,500 are accepted"):
        read("[" + "[]," * 1999 + "[]]", 1500)


def test_the_limits_are_those_of_the_docs() -> None:
    text = (Path(tscript.__file__).parents[1] / "docs" / "archive.md").read_text()
    assert f"at most {TOTAL_RATIO} times" in text and f"{FACTOR:,} bytes of memory" in text and RATIO_FLOOR == 1 << 16
