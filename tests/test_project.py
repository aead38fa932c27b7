"""The structure of the project: the checks of tools/check.py pass here, and each finds what it is for."""

from __future__ import annotations

import importlib.metadata
import re
import runpy
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[1]
check = SimpleNamespace(**runpy.run_path(str(ROOT / "tools" / "check.py")))

Check = Callable[[Path], Iterator[Any]]

PYPROJECT = """
[tool.setuptools]
packages = ["tscript", "tscript.ir", "tscript.runtime", "tscript.runtime.kernels"]
package-dir = { "tscript" = "tscript", "tscript.runtime" = "runtime" }
"""


@pytest.mark.parametrize("structure_check", check.CHECKS, ids=lambda function: function.__name__)
def test_project(structure_check: Check) -> None:
    assert "\n".join(map(str, structure_check(ROOT))) == ""


def test_installed_version_is_that_of_the_source() -> None:
    stated = re.search(r'__version__ = "(.+)"', (ROOT / "tscript" / "_version.py").read_text())
    assert stated is not None
    assert importlib.metadata.version("tscript") == stated[1]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A small project without violations."""
    for layer in list(check.IN_CYCLES):
        monkeypatch.delitem(check.IN_CYCLES, layer)
    for page in check.DRAWN:
        write(tmp_path, page, f"```text\n{check.drawing()}\n```\n")
    write(tmp_path, "pyproject.toml", PYPROJECT)
    for module in ("tscript", "tscript/ir", "runtime", "runtime/kernels"):
        write(tmp_path, f"{module}/__init__.py", "")
    (tmp_path / "passes").mkdir()
    for link, folder in check.LINKS.items():
        (tmp_path / link).symlink_to(Path("..") / folder)
    return tmp_path


def write(root: Path, name: str, text: str) -> None:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def problems(structure_check: Check, root: Path) -> list[str]:
    return [str(problem) for problem in structure_check(root)]


@pytest.mark.parametrize("structure_check", check.CHECKS, ids=lambda function: function.__name__)
def test_small_project_is_clean(structure_check: Check, project: Path) -> None:
    assert problems(structure_check, project) == []


@pytest.mark.parametrize(
    ("importer", "imported", "allowed"),
    [
        ("tscript.ir.printer", "tscript.types", True),
        ("tscript.ir.printer", "tscript.ir.graph", True),
        ("tscript.ir.printer", "tscript.backend", False),
        ("tscript.ir.printer", "tscript", False),
        ("tscript.diagnostics", "tscript._version", True),
        ("tscript.frontend", "tscript.passes", False),
        ("tscript.backend", "tscript.frontend.source.functions", False),
        ("tscript.archive.reader", "tscript.ir", True),
        ("tscript.archive.reader", "tscript.backend", False),
        ("tscript.archive.reader", "tscript.backend.llvm.text", False),
        ("tscript.passes", "tscript.backend.llvm.text", False),
        ("tscript.backend.nodes.calls", "tscript.backend.llvm.text", True),
        ("tscript.backend.nodes.calls", "tscript.backend.lower", False),
        ("tscript.pipeline", "tscript.archive", True),
        ("tscript.runtime.session.build", "tscript.pipeline", True),
        ("tscript.runtime.session.build", "tscript.runtime.kernels.memory", True),
        ("tscript.api", "tscript.runtime", True),
        ("tscript.api", "tscript.runtime.kernels", False),
        ("tscript.runtime.session.build", "tscript.runtime.boundary.native.records", True),
        ("tscript.api", "tscript.runtime.boundary.native.records", False),
        ("tscript", "tscript.runtime.boundary.native", False),
        ("tscript", "tscript.runtime", True),
        ("tscript", "tscript.cli", True),
        ("tscript", "tscript.runtime.kernels", False),
        ("tscript.cli.main", "tscript", True),
        ("tscript.cli.main", "tscript.integrations", False),
    ],
)
def test_layers(importer: str, imported: str, allowed: bool) -> None:
    assert check.may_import(importer, imported) is allowed


@pytest.mark.parametrize(
    "statement",
    [
        "import tscript.runtime",
        "import tscript.runtime as r",
        "from tscript import runtime",
        "from tscript.runtime import thing",
        "from .. import runtime",
        "from ..runtime import thing",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING: from tscript.runtime import thing",
        "def lazy():\n    import tscript.runtime",
        "import importlib\nimportlib.import_module('tscript.runtime')",
    ],
)
@pytest.mark.parametrize("file", ["tscript/ir/printer.py", "tscript/ir/__init__.py"])
def test_upward_imports_are_found(project: Path, file: str, statement: str) -> None:
    write(project, file, statement)
    (found,) = problems(check.check_import_direction, project)
    assert found.startswith(f"{file}:")
    assert found.endswith("may not import tscript.runtime")


def test_modules_need_a_layer(project: Path) -> None:
    write(project, "tscript/helpers.py", "")
    assert problems(check.check_import_direction, project) == [
        "tscript/helpers.py:1: 'helpers' has no place in the layer table of tools/check.py"
    ]


def test_pages_draw_the_layers_of_the_table(project: Path) -> None:
    write(project, "CONTRIBUTING.md", "```text\nir → types\n```\n")
    (found,) = problems(check.check_drawings, project)
    assert found.startswith("CONTRIBUTING.md:1: draws other layers than tools/check.py:\n")
    shown = found.partition("\n")[2]
    assert "→ {frontend, passes, backend} → archive" in " ".join(shown.split())
    assert re.findall(r"[\w.]+", shown) == [layer for row in check.LAYERS for layer in row]


@pytest.mark.parametrize(
    "back",
    [
        "from tscript.ir.a import f",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING: import tscript.ir.a",
        "def lazy():\n    from tscript.ir import a",
    ],
)
def test_cycles_are_counted(project: Path, back: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, text in {
        "a": "import tscript.ir.b",
        "b": "import tscript.ir.c",
        "c": back,
        "d": "import tscript.ir.a",
    }.items():
        write(project, f"tscript/ir/{name}.py", text)
    assert check.in_cycles(project) == {"ir": ["tscript.ir.a", "tscript.ir.b", "tscript.ir.c"]}
    assert problems(check.check_cycles, project) == [
        "tools/check.py:1: 3 modules of ir in cycles, more than 0: tscript.ir.a, tscript.ir.b, tscript.ir.c"
    ]
    monkeypatch.setitem(check.IN_CYCLES, "ir", 3)
    assert problems(check.check_cycles, project) == []
    write(project, "tscript/ir/c.py", "")
    assert problems(check.check_cycles, project) == [
        "tools/check.py:1: only 0 modules of ir in cycles: state that in IN_CYCLES"
    ]


def test_long_modules_are_found(project: Path) -> None:
    write(project, "runtime/long.py", "\n" * (check.MAX_LINES + 1))
    assert problems(check.check_module_sizes, project) == ["runtime/long.py:801: 801 lines, more than 800"]


def test_package_list(project: Path) -> None:
    write(project, "tscript/types/__init__.py", "")
    (project / "runtime/kernels/__init__.py").unlink()
    assert problems(check.check_package_list, project) == [
        "pyproject.toml:1: package tscript.types is not in the list of packages",
        "pyproject.toml:1: package tscript.runtime.kernels has no __init__.py",
    ]


def test_links_must_resolve(project: Path) -> None:
    (project / "passes").rmdir()
    (project / "tscript/runtime").unlink()
    assert problems(check.check_links, project) == [
        "tscript/runtime:1: not a link to runtime",
        "tscript/passes:1: does not resolve to passes",
    ]


def test_links_may_be_files_that_git_wrote(project: Path) -> None:
    for link, folder in check.LINKS.items():
        (project / link).unlink()
        write(project, link, f"../{folder}")
    assert problems(check.check_links, project) == []


def test_document_links(project: Path) -> None:
    good = "[a](docs/a.md#part) [b](https://example.org) [c](#c) `[d](d.md)`\n```\n[e](e.md)\n```\n"
    write(project, "README.md", good)
    bad = "[up](../README.md)\n[gone](gone.md)\n[outside](../../secret.md)\n\n[ref]: also-gone.md\n"
    write(project, "docs/a.md", bad)
    assert problems(check.check_document_links, project) == [
        "docs/a.md:2: link to gone.md leads nowhere",
        "docs/a.md:3: link to ../../secret.md leads nowhere",
        "docs/a.md:5: link to also-gone.md leads nowhere",
    ]


@pytest.mark.parametrize("text", ["/ho" + "me/someone/x", "see /ro" + "ot/x", "C:\\Us" + "ers\\me"])
def test_forbidden_texts(project: Path, text: str) -> None:
    write(project, "docs/page.md", f"fine\n{text}\n")
    assert problems(check.check_forbidden_texts, project) == ["docs/page.md:2: path of a home folder"]
