"""The command line in this process: fast, and its exit code, stdout and stderr can be looked at."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

MODEL = '''
import torch
import tscript
from tscript import Tensor

LIMIT = 10
raise SystemExit("a file that is compiled is never run")


@tscript.script
def scale(x: Tensor, by: float = 2.0) -> Tensor:
    """Multiply by a number.

    More text.
    """
    return x * by


@torch.jit.script
def gauss(n: int, *, start: int = 1) -> int:
    total = 0
    for i in range(start, n + 1):
        total += i
    return total


@tscript.script
def pair(n: int, x: float) -> tuple[int, float]:
    assert n < LIMIT, "too large"
    return n // 2, x / n


@tscript.script
def forever(n: int) -> int:
    while True:
        n += 1
    return n
'''


@dataclass(frozen=True)
class Result:
    """What a command did."""

    code: int
    out: str
    err: str


Command = Callable[..., Result]


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Command:
    """Runs ``tscript`` with arguments, in an empty folder."""
    from tscript.cli.main import main

    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "120")

    def run(*arguments: object) -> Result:
        monkeypatch.setattr(sys, "argv", ["tscript", *map(str, arguments)])
        capsys.readouterr()
        code: object = 0
        try:
            main()
        except SystemExit as stop:
            code = stop.code or 0
        out, err = capsys.readouterr()
        assert isinstance(code, int)
        assert "Traceback" not in err or code == 4
        return Result(int(code), out, err)

    return run


@pytest.fixture
def model_text() -> str:
    """The text of ``model.py``."""
    return MODEL


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """``model.py`` in the working folder."""
    path = tmp_path / "model.py"
    path.write_text(MODEL)
    return path


@pytest.fixture(scope="session")
def packed(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The bytes of an archive of ``model.py``, without native code."""
    from tscript.api import archive_of, functions_of_file
    from tscript.archive import pack

    path = tmp_path_factory.mktemp("packed") / "model.py"
    path.write_text(MODEL)
    return pack(archive_of(functions_of_file(path)))


@pytest.fixture
def archive(tmp_path: Path, packed: bytes) -> Path:
    """``model.tsa`` in the working folder, which has no ``model.py``."""
    path = tmp_path / "model.tsa"
    path.write_bytes(packed)
    return path
