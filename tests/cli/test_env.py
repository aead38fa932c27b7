"""``tscript env``."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tscript._version import __version__
from tscript.cli.env import VARIABLES
from tscript.runtime.session.plugin_search import candidates
from tscript.runtime.session.plugins import current_plugins

Command = Callable[..., Any]


def test_report(command: Command) -> None:
    result = command("env")
    assert result.code == 0
    for key in ("tscript", "python", "numpy", "llvmlite", "triple", "cpu", "cache", "TSCRIPT_CACHE_DIR"):
        assert any(line.startswith(f"{key} ") for line in result.out.splitlines())


def test_json(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TSCRIPT_VERIFY", "1")
    document = json.loads(command("env", "--json").out)
    assert document["tscript"] == __version__
    assert document["TSCRIPT_VERIFY"] == "1"
    assert document["abi"] > 0


def test_variables_are_documented() -> None:
    page = (Path(__file__).resolve().parents[2] / "docs" / "cli.md").read_text(encoding="utf-8")
    for name in VARIABLES:
        assert f"| `{name}` |" in page


@pytest.fixture
def plugins(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """A distribution with a hook that works, one that does not, and an operator library."""
    info = tmp_path / "fleet-1.5.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: fleet\nVersion: 1.5\n")
    (info / "entry_points.txt").write_text(
        "[tscript.hooks]\ngood = fleet_env_test:start\nbad = fleet_env_test:stop\n[tscript.ops]\n"
        "signal = fleet_env_test\n"
    )
    (tmp_path / "fleet_env_test.py").write_text("def start(): pass\ndef stop(): raise OSError('gone')\n")
    monkeypatch.syspath_prepend(tmp_path)
    for known in (current_plugins, candidates):
        known.cache_clear()
    yield
    for known in (current_plugins, candidates):
        known.cache_clear()
    sys.modules.pop("fleet_env_test", None)


def lines(result: Any) -> list[str]:
    return [line.split(maxsplit=1)[1] for line in result.out.splitlines() if line.startswith("plugin ")]


@pytest.mark.usefixtures("plugins")
def test_plugins_are_listed_and_not_loaded(command: Command) -> None:
    assert lines(command("env")) == [
        "tscript.hooks good = fleet_env_test:start (fleet 1.5), not loaded",
        "tscript.hooks bad = fleet_env_test:stop (fleet 1.5), not loaded",
        "tscript.ops signal = fleet_env_test (fleet 1.5), not loaded",
    ]
    assert "fleet_env_test" not in sys.modules


@pytest.mark.usefixtures("plugins")
def test_plugins_are_loaded_when_asked_for(command: Command) -> None:
    with pytest.warns(RuntimeWarning, match="plugin 'bad'"):
        result = command("env", "--load-plugins")
    assert lines(result) == [
        "tscript.hooks good = fleet_env_test:start (fleet 1.5), loaded",
        "tscript.hooks bad = fleet_env_test:stop (fleet 1.5), failed: OSError: gone",
        "tscript.ops signal = fleet_env_test (fleet 1.5), loaded",
    ]
    bad = json.loads(command("env", "--json").out)["plugins"][1]
    assert bad == {
        "group": "tscript.hooks",
        "name": "bad",
        "value": "fleet_env_test:stop",
        "distribution": "fleet",
        "version": "1.5",
        "state": "failed",
        "error": "OSError: gone",
    }


@pytest.mark.usefixtures("plugins")
def test_plugins_that_are_switched_off(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TSCRIPT_DISABLE_PLUGINS", "1")
    document = json.loads(command("env", "--json", "--load-plugins").out)
    assert [plugin["state"] for plugin in document["plugins"]] == ["switched off"] * 3
    assert document["TSCRIPT_DISABLE_PLUGINS"] == "1"
    assert "fleet_env_test" not in sys.modules
