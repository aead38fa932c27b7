"""Custom operators in archives: what goes along, what is named, and what happens where a library is missing."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest

import tscript
from tests.archive.layouts import opened, rebuilt
from tscript.archive import MissingOperatorError, unpack

LIBRARY = """
import ctypes
import tscript
from tscript import Tensor

lib = tscript.library.Library("shapes", install="pip install shapes-ops")

@lib.custom_op("scale", result_like="x")
def scale(x: Tensor, by: float = 2.0) -> Tensor:
    return tscript.tensor([v * by for v in x.tolist()])

@ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64, ctypes.c_void_p)
def _twice(context, api, n, out):
    ctypes.c_int64.from_address(out).value = 2 * n
    return 0

twice = lib.native_op("twice", "(int n) -> int", _twice)

def helper(x, n: int):
    for i in range(n):
        x = x + 1.0
    return x

@lib.script_op("cube")
def cube(x: Tensor, n: int = 2) -> tuple[Tensor, int]:
    return helper(x * x * x, n), n

@lib.script_op("both")
def both(x: Tensor) -> Tensor:
    return cube(x)[0] + tscript.ops.shapes.cube(x, 3)[0]
"""

PROGRAM = """
import tscript
import shapes_ops
from shapes_ops import both, scale

@tscript.script
def f(x, k: int):
    return scale(both(x), 2.0), tscript.ops.shapes.twice(k)

@tscript.script
def only(x):
    return both(x)

if __name__ == "__main__":
    tscript.save({"f": f, "only": only}, "all.tsa")
    tscript.save(f, "f.tsa", native=True, signatures=[("f", (tscript.types.parse_type("Tensor[float32, 1]"),
            tscript.types.parse_type("int")))])
    tscript.save(only, "only.tsa")
    print(f(tscript.tensor([1.0, 2.0]), 3))
"""


def run(folder: Path, text: str) -> str:
    """What a fresh process prints."""
    (folder / "script.py").write_text(textwrap.dedent(text))
    found = subprocess.run(
        [sys.executable, "script.py"], cwd=folder, capture_output=True, text=True, timeout=240, check=False
    )
    assert found.returncode == 0, found.stderr
    return found.stdout


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Archives, and the library beside them."""
    found = tmp_path_factory.mktemp("custom")
    (found / "shapes_ops.py").write_text(LIBRARY)
    (found / "program.py").write_text(PROGRAM)
    assert run(found, PROGRAM) == "(tensor([14., 42.]), 6)\n"
    return found


def test_bodies_in_the_language_need_no_library(folder: Path) -> None:
    module = tscript.load(folder / "only.tsa")
    assert module(tscript.tensor([1.0, 2.0])).tolist() == [7.0, 21.0]
    assert module(tscript.tensor([[2], [3]])).tolist() == [[21.0], [59.0]]
    shown = str(module.only.graph)
    assert "shapes::" not in shown and "call @shapes.both" in shown and "call @helper" in shown
    archive = unpack((folder / "only.tsa").read_bytes())
    assert archive.entries["only"].operators == ()
    assert opened((folder / "only.tsa").read_bytes())[0]["required_features"] == ["-functions"]
    assert "def both" in archive.entries["only"].source and "def helper" in archive.entries["only"].source


def test_a_missing_library_is_named(folder: Path) -> None:
    with pytest.raises(MissingOperatorError) as caught:
        tscript.load(folder / "f.tsa")
    error = caught.value
    assert (error.operator, error.library, error.path) == ("shapes::scale", "shapes", str(folder / "f.tsa"))
    assert str(error).endswith(
        "needs the operator shapes::scale of the library 'shapes', which is not loaded: "
        "import the module that defines it "
        "('shapes_ops') before; the library comes with: pip install shapes-ops"
    )
    assert isinstance(error, tscript.ArchiveError) and isinstance(error, ValueError)
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.operator, again.library) == (str(error), error.operator, error.library)


def test_with_the_library_it_runs(folder: Path) -> None:
    text = """
        import shapes_ops, tscript
        for trust in (False, True):
            print(tscript.load("f.tsa", trust_native=trust)(tscript.tensor([1.0, 2.0]), 3))
        print(tscript.load("all.tsa").f(tscript.tensor([1, 2]), 4)[1])
    """
    assert run(folder, text) == "(tensor([14., 42.]), 6)\n" * 2 + "8\n"


def test_another_schema_is_refused(folder: Path) -> None:
    text = """
        import tscript
        tscript.library.custom_op("shapes::scale", lambda x: x, schema="(Tensor x) -> Tensor")
        try:
            tscript.load("f.tsa")
        except tscript.ArchiveError as error:
            print(type(error).__name__, error)
    """
    said = run(folder, text)
    assert said.startswith(
        "ArchiveError f.tsa: needs the operator shapes::scale(Tensor x, float by=2.0) -> Tensor, the library"
    )
    assert "has shapes::scale(Tensor x) -> Tensor" in said


def test_archives_are_reproducible(folder: Path) -> None:
    first = (folder / "f.tsa").read_bytes()
    run(folder, PROGRAM)
    assert (folder / "f.tsa").read_bytes() == first


def test_saving_what_was_loaded(folder: Path) -> None:
    text = """
        import shapes_ops, tscript
        tscript.save(tscript.load("f.tsa").f, "again.tsa")
        print(tscript.load("again.tsa")(tscript.tensor([1.0]), 1))
    """
    assert run(folder, text) == "(tensor([14.]), 2)\n"
    assert (
        unpack((folder / "again.tsa").read_bytes()).entries["f"].operators
        == unpack((folder / "f.tsa").read_bytes()).entries["f"].operators
    )


def tampered(data: bytes, change: Any) -> bytes:
    return rebuilt(data, lambda manifest, _: change(manifest))


@pytest.mark.parametrize(
    "change",
    [
        lambda m: m["entries"][0]["operators"][0].pop("schema"),
        lambda m: m["entries"][0].update(operators=[3]),
        lambda m: m["entries"][0].update(operators=5),
        lambda m: m.update(required_features=["custom-operators", "more"]),
    ],
)
def test_damaged_manifests(folder: Path, change: Any) -> None:
    with pytest.raises(tscript.ArchiveError):
        list(unpack(tampered((folder / "f.tsa").read_bytes(), change)).entries.values())


def test_a_need_that_is_not_declared(folder: Path, tmp_path: Path) -> None:
    """IR that names an operator which the manifest keeps silent about is refused when it is read."""
    (tmp_path / "x.tsa").write_bytes(
        tampered((folder / "f.tsa").read_bytes(), lambda m: m["entries"][0].pop("operators"))
    )
    module = tscript.load(tmp_path / "x.tsa")
    with pytest.raises(tscript.ArchiveError, match=r"there is no operator|is not valid"):
        module(tscript.tensor([1.0]), 3)


def test_inspect(folder: Path) -> None:
    def inspect(*options: str) -> str:
        command = [sys.executable, "-m", "tscript", "inspect", str(folder / "f.tsa"), *options]
        return subprocess.run(command, capture_output=True, text=True, timeout=120, check=True).stdout

    assert (
        "needs shapes::scale(Tensor x, float by=2.0) -> Tensor of the library 'shapes' (pip install shapes-ops)"
        in inspect()
    )
    assert "shapes::scale, shapes::twice" in inspect("--ops")
    (entry,) = json.loads(inspect("--json"))["entries"]
    assert [n["name"] for n in entry["needs"]] == ["shapes::scale", "shapes::twice"]
    assert entry["needs"][0]["install"] == "pip install shapes-ops"
    assert entry["needs"][0]["module"] == "shapes_ops"
