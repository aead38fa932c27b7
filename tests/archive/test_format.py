"""Archives: what goes in comes out, what is wrong with one raises `ArchiveError` and nothing else."""

from __future__ import annotations

import hashlib
import inspect
import json
import math
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import tscript
from tests.archive.layouts import rebuilt
from tscript.api import archive_of, functions_of_file
from tscript.archive import Archive, ArchiveError, EntryPoint, NativeObject, entry_point, functions, pack, unpack
from tscript.archive.container import Member, container_bytes, read_container
from tscript.archive.format import neutral_file_name
from tscript.ir.graph import Param
from tscript.ir.interpreter import interpret
from tscript.ir.parser import parse_program
from tscript.operators.table import TABLE
from tscript.types import FLOAT, INT, TensorType, dtypes

TEXT = """
from tscript import Tensor


def f(x: Tensor, n: int = 3, *, by: float = 0.5) -> Tensor:
    y = x * by
    for i in range(n):
        if i % 2 == 0:
            y = y + x
        else:
            y = y.sum(0, keepdim=True)
    return y


def g(n: int) -> tuple[int, float]:
    assert n > 0, "small"
    return n, 1.0 / n
"""


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Archive:
    path = tmp_path_factory.mktemp("m") / "m.py"
    path.write_text(TEXT)
    made = archive_of(functions_of_file(path), metadata={"b": "2", "a": "1"})
    f = made.entries["f"]
    native = NativeObject(
        (TensorType(dtypes.float32, 1), INT, FLOAT), TensorType(dtypes.float32, 1), "tsf_f", ("ts_x_v1",),
        "x86_64-unknown-linux-gnu", "generic", "+sse2,-avx", "22.1.0", 1, b"\x7fELF" + bytes(range(256)),
    )  # fmt: skip
    entry = EntryPoint(f.name, f.params, f.result, f.doc, f.source, f.ir, f.ir_digest, (native,), f.static)
    return Archive({"f": entry, "g": made.entries["g"]}, metadata=made.metadata)


def test_what_goes_in_comes_out(archive: Archive) -> None:
    data = pack(archive)
    assert unpack(data) == archive
    assert pack(unpack(data)) == data
    assert unpack(data).entries["f"].program(TABLE).main == "f"


def test_the_manifest_comes_first_and_names_all_members(archive: Archive) -> None:
    container = read_container(pack(archive))
    names = list(container.entries)
    assert names[0] == "manifest.json"
    manifest = json.loads(container.read("manifest.json"))
    assert sorted(manifest["members"]) == sorted(names[1:])
    assert manifest["metadata"] == {"a": "1", "b": "2"}


DEFAULTS: list[object] = [
    2**63 - 1, -(2**63), -1, True, False, 0.1, -0.0, 1e308, 5e-324, math.inf, -math.inf, math.nan,
    'a "quoted" text, é and \n', "", None, (1, 2.5, (True, "x")), (), dtypes.float32,
]  # fmt: skip


@pytest.mark.parametrize("value", DEFAULTS, ids=repr)
def test_defaults_of_every_kind_survive(value: object) -> None:
    kept = EntryPoint("f", (Param("a", INT, value),), INT, "", "", "", hashlib.sha256(b"").hexdigest())
    (found,) = unpack(pack(Archive({"f": kept}))).entries["f"].params
    assert type(found.default) is type(value)
    assert repr(found.default) == repr(value)


def test_numbers_beyond_64_bits_survive() -> None:
    from tscript.ir.signatures import value_from, value_json

    for value in (10**300, -(2**63) - 1, 2.0**1023):
        assert value_from(json.loads(json.dumps(value_json(value)))) == value


def test_entry_points_that_differ_in_case_only(archive: Archive) -> None:
    g = archive.entries["g"]
    upper = EntryPoint("G", g.params, g.result, g.doc, "other", g.ir, g.ir_digest)
    found = unpack(pack(Archive({"g": g, "G": upper}))).entries
    assert (found["g"].source, found["G"].source) == (g.source, "other")


def test_files_are_named_by_their_base_names(archive: Archive) -> None:
    assert [neutral_file_name(n) for n in ("/a/b.py", "b.py", "C:\\a\\b.py", "<cell 1>")] == [
        "b.py",
        "b.py",
        "b.py",
        "<cell 1>",
    ]
    assert '@ "m.py":' in archive.entries["f"].ir
    assert "/" not in archive.entries["f"].ir


def nested(depth: int) -> list[Any]:
    """The default ``(((…),),)`` as JSON has it."""
    value: list[Any] = ["None", None]
    for _ in range(depth):
        value = ["tuple", [value]]
    return value


def test_a_future_version_and_an_unknown_feature_say_so(archive: Archive) -> None:
    with pytest.raises(ArchiveError, match=r"a\.tsa: written in format 2\.1, this tscript .* reads format 1"):
        unpack(rebuilt(pack(archive), lambda m, _: m.update(format_version=[2, 1])), "a.tsa")
    with pytest.raises(ArchiveError, match="needs lists"):
        unpack(rebuilt(pack(archive), lambda m, _: m.update(required_features=["lists"])))


def test_a_later_minor_version_is_read(archive: Archive) -> None:
    assert (
        unpack(rebuilt(pack(archive), lambda m, _: m.update(format_version=[1, 9]))).entries.keys()
        == archive.entries.keys()
    )


@pytest.mark.parametrize(
    "change",
    [
        lambda m, _: m.update(format="other"),
        lambda m, _: m.update(format_version="1.0"),
        lambda m, _: m.update(format_version=[1]),
        lambda m, _: m.update(entries=[]),
        lambda m, _: m.update(entries=5),
        lambda m, _: m.update(entries=[*m["entries"], m["entries"][0]]),
        lambda m, _: m.update(members=[]),
        lambda m, _: m.update(metadata=None),
        lambda m, _: m.pop("producer"),
        lambda m, _: m["entries"][0].update(name="no identifier"),
        lambda m, _: m["entries"][0].update(name=7),
        lambda m, _: m["entries"][0].update(ir="code/f.pyx"),
        lambda m, _: m["entries"][0].update(result="integer"),
        lambda m, _: m["entries"][0].update(parameters=[{"name": "x"}]),
        lambda m, _: m["entries"][0]["parameters"][1].update(default=["int", "x"]),
        lambda m, _: m["entries"][0]["parameters"][1].update(default=["object", "x"]),
        lambda m, _: m["entries"][0]["parameters"][1].update(default=[["int"], 3]),
        lambda m, _: m["entries"][0]["parameters"][1].update(default=7),
        lambda m, _: m["entries"][0]["parameters"][1].update(default=["float", "0x1p99999"]),
        lambda m, _: m["entries"][0]["parameters"][1].update(default=nested(100)),
        lambda m, _: m["entries"][0].update(static=["x"]),
        lambda m, _: m["entries"][0].update(static=[math.inf]),
        lambda _, c: c.update({"ir/f.tsir": b"\xff\xfe"}),
        lambda _, c: c.update({"native/index.json": b"[1]"}),
        lambda _, c: c.update({"native/index.json": b"[" * 100000}),
        lambda _, c: c.update({"native/index.json": b"{"}),
    ],
)
def test_manifests_that_are_wrong(archive: Archive, change: Callable[..., None]) -> None:
    with pytest.raises(ArchiveError):
        list(unpack(rebuilt(pack(archive), change)).entries.values())


def with_index(data: bytes, change: Callable[[list[Any], dict[str, bytes]], None]) -> bytes:
    """The archive with another list of functions, or other members of theirs."""
    container = read_container(data)
    members = {n: container.read(n) for n in container.entries}
    manifest = json.loads(members.pop("manifest.json"))
    change(manifest["functions"], members)
    manifest["members"] = {n: {"sha256": hashlib.sha256(d).hexdigest(), "size": len(d)} for n, d in members.items()}
    first = Member("manifest.json", json.dumps(manifest).encode(), stored=True)
    return container_bytes([first, *(Member(n, d) for n, d in members.items())])


@pytest.mark.parametrize(
    ("change", "what"),
    [
        (lambda f, _: f.clear(), "no entry point"),
        (lambda f, _: f.append(f[0]), "occurs twice"),
        (lambda f, _: f[0].__setitem__(0, "no identifier"), "not an identifier"),
        (lambda f, _: f[0].__setitem__(2, -1), "place of 'f' is not valid"),
        (lambda f, _: f[0].__setitem__(2, 1.0), "place of 'f' is not valid"),
        (lambda f, _: f[0].__setitem__(2, True), "place of 'f' is not valid"),
        (lambda f, _: f[1].__setitem__(4, f[1][4] + 1), "functions/ir.tsir.* bytes, its functions"),
        (lambda f, _: f[1].__setitem__(4, 1 << 60), "functions/ir.tsir.* bytes, its functions"),
        (lambda f, _: f.pop(), "functions/records.jsonl.* bytes, its functions"),
        (lambda f, _: f[0].pop(), "place of 'f' is not valid"),
        (lambda f, _: f[0].append("f"), "is no version"),
        (lambda f, _: f[0].append("h"), "is no version"),
        (lambda f, _: f[0].append("g"), "is no version"),
        (lambda f, _: f[0].extend("gg"), "place of 'f' is not valid"),
        (lambda f, _: f.__setitem__(0, 5), "manifest is not valid"),
        (lambda _, m: m.pop("functions/code.py"), "functions/code.py"),
    ],
)
def test_lists_of_functions_that_are_wrong(archive: Archive, change: Callable[..., None], what: str) -> None:
    with pytest.raises(ArchiveError, match=what):
        unpack(with_index(pack(archive), change), "a.tsa")


def test_what_is_wrong_with_a_function_is_said_at_its_first_use(archive: Archive, tmp_path: Path) -> None:
    def record(_: list[Any], members: dict[str, bytes]) -> None:
        members["functions/records.jsonl"] = members["functions/records.jsonl"].replace(b'"bool"', b'"booo"')
        members["functions/records.jsonl"] = members["functions/records.jsonl"].replace(
            b'"type":"int"', b'"type":"iii"', 1
        )

    path = tmp_path / "a.tsa"
    path.write_bytes(with_index(pack(archive), record))
    module = tscript.load(path)
    assert module.g(4) == (4, 0.25)
    for _ in range(2):
        with pytest.raises(ArchiveError, match=r"a\.tsa: .*iii"):
            module.f
    with pytest.raises(ArchiveError, match=r"a\.tsa: .*iii"):
        tscript.load(path, verify=True)


def test_functions_are_compared_with_their_own_digests(archive: Archive) -> None:
    def change(functions: list[Any], _: dict[str, bytes]) -> None:
        functions[0][1] = functions[1][1]

    found = unpack(with_index(pack(archive), change)).entries
    assert found["g"].name == "g"
    with pytest.raises(ArchiveError, match="the IR of 'f' was altered"):
        found["f"]


def test_functions_are_read_when_they_are_used(
    archive: Archive, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.tsa"
    path.write_bytes(pack(archive))
    read: list[str] = []
    real = functions._entry

    def counted(name: str, *args: Any) -> EntryPoint:
        read.append(name)
        return real(name, *args)

    monkeypatch.setattr(functions, "_entry", counted)
    module = tscript.load(path)
    assert (list(module), len(module), "f" in module, repr(module)) == (["f", "g"], 2, True, "<tscript module: f, g>")
    assert {"f", "g"} <= set(dir(module)) and not read
    path.unlink()  # what was loaded stays
    assert module.g(2) == (2, 0.5) and module.g is module["g"] and read == ["g"]
    assert str(
        inspect.signature(module.f)
    ) == "(x: 'Tensor', n: 'int' = 3, *, by: 'float' = 0.5) -> 'Tensor'" and read == ["g", "f"]
    assert list(module) == ["f", "g"] and [f.__name__ for f in module.values()] == ["f", "g"]


@pytest.mark.parametrize(
    "ir",
    [
        "",
        "program @f",
        "graph",
        "hello",
        "program @f\n\ngraph @f(%x: int) -> int {\n  return %y\n}\n",
        "program @f\n\ngraph @f(%x: int) -> int {\n  %0: int = no.such_operator(%x)\n  return %0\n}\n",
        "program @g\n\ngraph @f(%n: int) -> int {\n  return %n\n}\n",
        "program @f\n\ngraph @f(%n: int) -> int {\n  return %n\n}\n",  # another signature
    ],
)
def test_ir_that_is_not_valid(archive: Archive, ir: str) -> None:
    found = unpack(rebuilt(pack(archive), lambda _, c: c.update({"ir/f.tsir": ir.encode()})))
    assert found.entries["g"].program(TABLE).main == "g"
    with pytest.raises(ArchiveError, match="the IR of 'f'"):
        found.entries["f"].program(TABLE)


def test_ir_with_another_default_than_the_manifest(archive: Archive) -> None:
    ir = archive.entries["f"].ir.replace("%n: int = 3", "%n: int = 4")
    found = unpack(rebuilt(pack(archive), lambda _, c: c.update({"ir/f.tsir": ir.encode()})))
    with pytest.raises(ArchiveError, match="another signature"):
        found.entries["f"].program(TABLE)


def test_operators_that_the_compiler_makes_for_itself_are_refused() -> None:
    refused = [op for op in TABLE if not op.portable]
    assert {"machine.load", "machine.store", "machine.symbol", "retain", "release", "extern.exp"} <= {
        op.name for op in refused
    }
    for op in refused:
        arguments = ", ".join("%n" for _ in op.schema.parameters)
        text = f"program @f\n\ngraph @f(%n: int) -> int {{\n  %0: int = {op.name}({arguments})\n  return %n\n}}\n"
        kept = EntryPoint("f", (Param("n", INT),), INT, "", "", text, "")
        with pytest.raises(ArchiveError, match=f"line 4, .* the operator {op.name} "):
            kept.program(TABLE)


def test_altered_bytes_raise_archive_error_and_nothing_else(archive: Archive) -> None:
    original = pack(archive)
    rng = random.Random(1)
    survived = 0
    for _ in range(1500):
        data = bytearray(original)
        for _ in range(rng.randint(1, 4)):
            data[rng.randrange(len(data))] = rng.randrange(256)
        try:
            survived += unpack(bytes(data)) != archive
        except ArchiveError:
            continue
    assert survived == 0


def test_truncated_bytes_raise_archive_error(archive: Archive) -> None:
    data = pack(archive)
    for length in range(0, len(data), 37):
        with pytest.raises(ArchiveError):
            unpack(data[:length])


def test_altered_manifests_with_fitting_digests(archive: Archive) -> None:
    """Someone who makes the digests fit can change what is said, but still only gets `ArchiveError`."""
    rng = random.Random(2)
    original = pack(archive)
    values: list[Any] = [
        None,
        0,
        -1,
        1e300,
        "",
        "x",
        "../x",
        [],
        [[]],
        {},
        {"a": 1},
        True,
        "Tensor[float32, 2]",
        [1, 2],
    ]

    def places(node: Any) -> list[tuple[Any, Any]]:
        keys = list(node) if isinstance(node, dict) else list(range(len(node))) if isinstance(node, list) else []
        return [(node, k) for k in keys] + [p for k in keys for p in places(node[k])]

    def change(manifest: dict[str, Any], members: dict[str, bytes]) -> None:
        index = json.loads(members["native/index.json"])
        node, key = rng.choice(places(rng.choice([manifest, index])))
        node[key] = rng.choice(values)
        members["native/index.json"] = json.dumps(index).encode()

    for _ in range(600):
        try:
            found = unpack(rebuilt(original, change))
            for entry in found.entries.values():
                entry.program(TABLE)
        except ArchiveError:
            continue


def test_altered_ir_with_fitting_digests(archive: Archive) -> None:
    rng = random.Random(3)
    for name in ("f", "g"):
        kept = archive.entries[name]
        words = sorted(set(kept.ir.replace("(", " ").replace(")", " ").replace(",", " ").split()))
        for _ in range(400):
            text = list(kept.ir)
            for _ in range(rng.randint(1, 3)):
                at = rng.randrange(len(text))
                match rng.randrange(3):
                    case 0:
                        text[at] = rng.choice('%@(){}:=,-0123456789abcxyz. \n"')
                    case 1:
                        del text[at : at + rng.randint(1, 12)]
                    case 2:
                        text[at:at] = rng.choice(words)
            altered = EntryPoint(name, kept.params, kept.result, "", "", "".join(text), "")
            try:
                altered.program(TABLE)
            except ArchiveError:
                continue


def test_ir_text_is_the_identity_of_an_entry_point(archive: Archive) -> None:
    kept = archive.entries["f"]
    again = entry_point("f", parse_program(kept.ir, TABLE), kept.source, kept.doc, static=kept.static)
    assert (again.ir, again.ir_digest) == (kept.ir, kept.ir_digest)


def test_an_operator_keeps_the_version_that_was_meant(tmp_path: Path) -> None:
    path = tmp_path / "m.py"
    path.write_text("def f(n: int) -> int:\n    return n * 2 + 1\n")
    data = pack(archive_of(functions_of_file(path)))
    entry = unpack(data).entries["f"]
    assert entry.versions == {"add.int": 2, "mul.int": 2}
    manifest = json.loads(read_container(data).read("manifest.json"))
    assert manifest["required_features"] == ["functions", "operator-versions"]
    with pytest.raises(OverflowError):
        interpret(entry.program(TABLE), [2**62])

    def before(manifest: Any, _: Any) -> None:
        manifest["required_features"] = []
        del manifest["entries"][0]["operator_versions"]

    assert interpret(unpack(rebuilt(data, before)).entries["f"].program(TABLE), [2**62]) == -(2**63) + 1

    def later(manifest: Any, _: Any) -> None:
        manifest["entries"][0]["operator_versions"]["add.int"] = 3

    with pytest.raises(
        ArchiveError, match=r"version 3 of the operator 'add\.int', which this tscript .* does not know"
    ):
        unpack(rebuilt(data, later)).entries["f"].program(TABLE)


@pytest.mark.parametrize(
    "versions", [[], 1, {"add.int": 0}, {"add.int": "2"}, {"add.int": 2.0}, {"add.int": True}, {"add.int": 1 << 40}]
)
def test_versions_of_operators_that_are_wrong(archive: Archive, versions: object) -> None:
    def change(manifest: Any, _: Any) -> None:
        manifest["entries"][0]["operator_versions"] = versions

    with pytest.raises(ArchiveError):
        unpack(rebuilt(pack(archive), change)).entries["f"].program(TABLE)


def failures(n: int) -> list[ValueError]:
    return [ValueError("no", i) for i in range(n)]


def test_exceptions_of_python_are_types_of_signatures(tmp_path: Path) -> None:
    tscript.save(tscript.script(failures), tmp_path / "failures.tsa")
    assert [e.args for e in tscript.load(tmp_path / "failures.tsa")(2)] == [("no", 0), ("no", 1)]


class Unused(Exception):
    pass


class Rare(Unused):
    pass


def handled(n: int) -> str:
    try:
        return str(10 // n)
    except (Rare, ZeroDivisionError):
        return "none"


def test_classes_that_only_handlers_name_are_kept(tmp_path: Path) -> None:
    tscript.save(tscript.script(handled), tmp_path / "handled.tsa")
    loaded = tscript.load(tmp_path / "handled.tsa")
    assert [loaded(0), loaded(5)] == ["none", "2"]
