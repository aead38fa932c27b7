"""Archives written by earlier versions load: `tests/data/archives` is never written anew, only added to.

`plain.tsa` and `native.tsa` are ``golden.py`` compiled before archives had extra files; `extra.tsa` has some.
`machines.tsa` has code for a level of processors, with the kernels that it needs; `module.tsa` is the module of
``golden_module.py``. In `functions.tsa` functions lie in three members.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import tscript
from tscript.archive import pack, unpack
from tscript.operators.table import TABLE

ARCHIVES = Path(__file__).parents[1] / "data" / "archives"
NAMES = ["plain.tsa", "native.tsa", "extra.tsa", "machines.tsa", "functions.tsa"]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("trust_native", [False, True])
def test_functions_of_golden_archives(name: str, trust_native: bool) -> None:
    module = tscript.load(ARCHIVES / name, trust_native=trust_native)
    assert list(module) == ["scale", "gauss", "pair"]
    assert module.scale(tscript.tensor([1.0, 2.0]), by=3.0).numpy().tolist() == [3.0, 6.0]
    assert module.gauss(10, start=2) == 54
    assert module.pair(9, 4.5) == (4, 0.5)
    with pytest.raises(AssertionError, match="too large"):
        module.pair(10, 1.0)
    assert module.scale.__doc__ == "Multiply by a number."


@pytest.mark.parametrize("name", NAMES)
def test_golden_archives_are_valid_and_keep_their_content(name: str) -> None:
    archive = unpack((ARCHIVES / name).read_bytes())
    for entry in archive.entries.values():
        assert entry.program(TABLE).main == entry.name
    assert len(archive.entries["scale"].native) == (name in ("native.tsa", "machines.tsa"))
    assert sum(len(kernels.kernels) for kernels in archive.kernels) == (20 if name == "machines.tsa" else 0)
    assert unpack(pack(archive)) == archive


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("trust_native", [False, True])
def test_ints_of_golden_archives_wrap(name: str, trust_native: bool) -> None:
    if name in ("machines.tsa", "functions.tsa"):
        pytest.skip("its ints raise")
    module = tscript.load(ARCHIVES / name, trust_native=trust_native)
    assert module.gauss(2**63 - 2, start=2**63 - 4) == 3 * (2**63 - 3) - 2**64
    assert module.gauss(2**63 - 1) == 0


def test_an_archive_keeps_the_meaning_of_its_ints_when_it_is_written_anew(tmp_path: Path) -> None:
    module = tscript.load(ARCHIVES / "plain.tsa")
    tscript.save(module, tmp_path / "again.tsa")
    assert tscript.load(tmp_path / "again.tsa").gauss(2**63 - 1) == 0


def test_metadata_and_extra_files_of_golden_archives() -> None:
    metadata = {"git": "0123abc", "note": "größer"}
    assert tscript.load(ARCHIVES / "plain.tsa").metadata == metadata
    assert not tscript.load(ARCHIVES / "plain.tsa").extra_files
    wanted: dict[str, str | bytes] = {"docs/größe.txt": "", "config.json": b""}
    module = tscript.load(ARCHIVES / "extra.tsa", extra_files=wanted)
    assert module.metadata == metadata
    assert wanted["docs/größe.txt"] == "ü\n"
    assert json.loads(wanted["config.json"]) == {"classes": 3}


def test_the_module_of_a_golden_archive() -> None:
    net = tscript.load(ARCHIVES / "module.tsa", verify=True)
    x = tscript.ones(3)
    assert net(x).tolist() == [18.5, 18.5] and net.best.tolist() == [18.5, 18.5]  # 1.5 2.5 3.5, 2 5.5 11
    assert net.train()(x).tolist() == [37.0, 37.0] and net.first is net.second and net.first.calls.item() == 4
    assert net.names == ["a", "b"] and net.table == {"inf": float("inf")} and net.big == 2**60 + 1
    assert net.first(x).tolist() == [1.5, 2.5, 3.5] and net.metadata == {"git": "0123abc"}
    assert list(net.state_dict()) == [
        "first.by",
        "first.calls",
        "second.by",
        "second.calls",
        "layers.0.weight",
        "layers.0.bias",
    ]
    archive = unpack((ARCHIVES / "module.tsa").read_bytes())
    for entry in archive.entries.values():
        assert entry.program(TABLE).main
