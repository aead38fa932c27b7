"""The two distributions that are released are made of one tree."""

from __future__ import annotations

import runpy
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path
from types import SimpleNamespace

import pytest

from tscript._version import __version__

ROOT = Path(__file__).resolve().parents[1]
distributions = SimpleNamespace(**runpy.run_path(str(ROOT / "tools" / "distributions.py")))
CONFIG = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def names(requirements: list[str]) -> set[str]:
    """The names of what is required."""
    return {"".join(c for c in r.partition(">")[0].partition("=")[0] if c.isalnum() or c in "-_") for r in requirements}


def test_the_core_needs_numpy_alone() -> None:
    project = distributions.core_metadata(CONFIG)["project"]
    assert project["name"] == "tscript-core"
    assert names(project["dependencies"]) == {"numpy"}
    assert project["scripts"] == CONFIG["project"]["scripts"]


def test_the_whole_has_no_files_and_needs_the_core_of_its_version() -> None:
    made = distributions.whole_metadata(CONFIG, "1.2")
    project = made["project"]
    assert (project["name"], project["version"]) == ("tscript", "1.2")
    assert made["tool"]["setuptools"] == {"packages": [], "py-modules": []}
    assert project["dependencies"][0] == "tscript-core==1.2"
    assert names(project["dependencies"]) == {"tscript-core", "llvmlite", "astor", "rich", "typing-extensions"}
    assert "scripts" not in project


def test_together_they_need_what_an_installed_checkout_needs() -> None:
    core, whole = distributions.core_metadata(CONFIG), distributions.whole_metadata(CONFIG, "1.2")
    both = names(core["project"]["dependencies"]) | names(whole["project"]["dependencies"])
    assert both - {"tscript-core"} == names(CONFIG["project"]["dependencies"])


@pytest.mark.parametrize("made", [distributions.core_metadata(CONFIG), distributions.whole_metadata(CONFIG, "1.2")])
def test_metadata_are_written_as_they_are(made: dict[str, object]) -> None:
    assert tomllib.loads(distributions.toml(made)) == made


@pytest.mark.slow
def test_wheels(tmp_path: Path) -> None:
    try:
        core, whole = distributions.build(distributions.ROOT, tmp_path / "dist")
    except subprocess.CalledProcessError:
        pytest.skip("pip cannot get the build backend")
    assert core.name == f"tscript_core-{__version__}-py3-none-any.whl"
    with zipfile.ZipFile(whole) as found:
        assert [name for name in found.namelist() if ".dist-info/" not in name] == []
    with zipfile.ZipFile(core) as found:
        found.extractall(tmp_path / "site")
    code = "import sys; sys.path.insert(0, sys.argv[1]); import tscript.cli.main as m; print(m.__file__)"
    done = subprocess.run(
        [sys.executable, "-S", "-c", code, tmp_path / "site"], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith(str(tmp_path / "site"))
