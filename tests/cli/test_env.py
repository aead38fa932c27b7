"""``tscript env``."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from tscript._version import __version__

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
