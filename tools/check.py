"""Checks of the project's own structure: `python tools/check.py` prints every violation and exits with 1 on any.

Each check is a function from the root of the repository to the problems found; `CHECKS` lists them. What they enforce
is stated as data at the top: the layer table, the largest module, the links and the forbidden
texts.
"""

from __future__ import annotations

import ast
import os
import re
import sys
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PACKAGE = "tscript"

# Lowest first. A layer imports only from the rows above its own, so the layers of one row never import each other.
# A layer is a package or module of that name inside `tscript`, or a room of a package, which has a dotted name; the row
# `tscript` is its `__init__`, the public face.
LAYERS: tuple[tuple[str, ...], ...] = (
    ("sparing",),
    ("_version", "arrays", "digests", "late", "once", "ops", "parsing", "room", "started", "upper"),
    ("diagnostics",),
    ("types",),
    ("abi",),
    ("definitions",),
    ("dialect",),
    ("runtime.kernels",),
    ("operators.python",),
    ("operators.tensor",),
    ("operators",),
    ("ir",),
    ("frontend.diagnostics", "backend.llvm"),
    ("frontend.source", "backend.nodes", "backend.stubs", "backend.loader"),
    ("frontend.lowering",),
    ("frontend.values", "frontend.dialect"),
    ("frontend", "passes", "backend"),
    ("archive",),
    ("pipeline",),
    ("runtime.values",),
    ("runtime.boundary",),
    ("runtime.session",),
    ("runtime.public",),
    ("runtime",),
    ("travel",),
    ("api", "catalogue", "checking", "data", "explaining", "library", "marks", "profiler"),
    (PACKAGE,),
    (
        *("array_api", "autograd", "cli", "compiler", "fft", "integrations", "jit", "linalg", "masked", "nn"),
        *("overrides", "return_types", "signal", "special"),
    ),
    ("__main__", "as_torch"),
)

ROOMS = frozenset(layer for row in LAYERS for layer in row if "." in layer)

# Rows above its own that a layer still may not import: reading an archive never compiles, and the rooms of the frontend
# are its own.
FRONTEND = frozenset(
    {"frontend.diagnostics", "frontend.source", "frontend.lowering", "frontend.values", "frontend.dialect"}
)
HIDDEN: dict[str, frozenset[str]] = {
    "archive": FRONTEND | {"frontend", "passes", "backend"},
    "passes": FRONTEND,
    "backend": FRONTEND,
}

# Modules that some layers alone may import: the kernels are source, which operators name and the runtime compiles. What
# the boundary is made of is the runtime's own.
PRIVATE: dict[str, tuple[str, ...]] = {
    "tscript.runtime.kernels": (
        "runtime.kernels",
        "operators.python",
        "operators.tensor",
        "runtime.boundary",
        "runtime.session",
    ),
    "tscript.runtime.boundary": ("runtime.boundary", "runtime.session", "runtime.public"),
}

# Modules that may import every layer.
UNRESTRICTED = frozenset({PACKAGE})

# Pages that draw the layers, as `drawing` has them.
DRAWN = ("CONTRIBUTING.md", "docs/overview.md")

# How many modules of a layer import each other in cycles, imports inside functions and for type checking included:
# none. A layer that is being split may state a number here, which may only fall.
IN_CYCLES: dict[str, int] = {}

MAX_LINES = 800

# Where the folders at the top level appear inside the package.
LINKS: dict[str, str] = {"tscript/runtime": "runtime", "tscript/passes": "passes"}

FORBIDDEN_TEXTS: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"(?<![\w.])/(?:home|Users)/[A-Za-z]|(?<![\w.])/root[/]|[A-Z]:\\Users\\"), "path of a home folder"),
)

# Hidden folders are skipped too, except these.
VISIBLE = frozenset({".ci", ".github"})
SKIPPED = frozenset({"build", "dist", "htmlcov", "__pycache__"})


@dataclass(frozen=True, slots=True)
class Problem:
    """One violation, at a line of a file given relative to the root."""

    path: Path
    line: int
    text: str

    def __str__(self) -> str:
        return f"{self.path.as_posix()}:{self.line}: {self.text}"


def files(root: Path, *suffixes: str) -> Iterator[Path]:
    """The project's files in a stable order, each once: links are not followed, build output and caches are skipped."""
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(
            name
            for name in folders
            if name not in SKIPPED
            and not name.endswith(".egg-info")
            and (not name.startswith(".") or name in VISIBLE)
            and not Path(folder, name).is_symlink()
        )
        for name in sorted(names):
            path = Path(folder, name)
            if name.endswith(suffixes or "") and not path.is_symlink():
                yield path


def setuptools_config(root: Path) -> dict[str, Any]:
    """The table `[tool.setuptools]` of pyproject.toml."""
    config: dict[str, Any] = tomllib.loads((root / "pyproject.toml").read_text())["tool"]["setuptools"]
    return config


def modules(root: Path) -> dict[str, Path]:
    """Every module of the package by its import name: {"tscript.runtime.session.build": root /
    "runtime/session/build.py", ...}."""
    found: dict[str, Path] = {}
    for package, folder in setuptools_config(root)["package-dir"].items():
        for path in files(root / folder, ".py"):
            parts = path.relative_to(root / folder).with_suffix("").parts
            inner = parts[:-1] if parts[-1] == "__init__" else parts
            found[".".join((package, *inner))] = path
    return found


def layer_of(module: str) -> str:
    """The layer a module belongs to: "tscript.ir.printer" -> "ir", "tscript.backend.llvm.text" -> "backend.llvm",
    "tscript" -> "tscript"."""
    package, *inner = module.split(".")
    room = ".".join(inner[:2])
    return room if room in ROOMS else inner[0] if inner else package


def may_import(importer: str, imported: str) -> bool:
    """Whether the module `importer` may import the module `imported`. Both belong to known layers.

    Rooms of a package that a layer may not import are none that it may.
    """
    rank = {layer: row for row, layers in enumerate(LAYERS) for layer in layers}
    for private, owners in PRIVATE.items():
        if f"{imported}.".startswith(f"{private}.") and layer_of(importer) not in owners:
            return False
    source, target = layer_of(importer), layer_of(imported)
    if source == target or importer in UNRESTRICTED:
        return True
    own, other = source.split(".")[0], target.split(".")[0]
    if other in HIDDEN.get(own, frozenset()) or (own != other and rank.get(own) == rank.get(other)):
        return False
    return rank[target] < rank[source]


def imports(tree: ast.Module, module: str, is_package: bool, known: dict[str, Path]) -> Iterator[tuple[int, str]]:
    """Line and name of every module of the package that `tree` imports, wherever in the file the import stands.

    `from a import b` names the module `a.b` where there is one, else `a`. Imports for type checking count, and so does
    `import_module("...")`.
    """
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names):
                found = [alias.name for alias in names]
            case ast.ImportFrom(module=source, names=names, level=level):
                parents = module.split(".") + ["__init__"] * is_package
                origin = ".".join([*(parents[:-level] if level else ()), *([source] if source else ())])
                full = [f"{origin}.{alias.name}" for alias in names]
                found = [name if name in known else origin for name in full]
            case ast.Call(
                func=ast.Name(id="import_module") | ast.Attribute(attr="import_module"),
                args=[ast.Constant(value=str(name)), *_],
            ):
                found = [name]
            case _:
                continue
        for name in found:
            if name.split(".")[0] == PACKAGE:
                yield node.lineno, name


def check_import_direction(root: Path) -> Iterator[Problem]:
    """Imports run one way through the layers."""
    known = modules(root)
    layers = {layer for row in LAYERS for layer in row}
    for module, path in known.items():
        where = path.relative_to(root)
        if layer_of(module) not in layers:
            yield Problem(where, 1, f"'{layer_of(module)}' has no place in the layer table of tools/check.py")
            continue
        for line, name in imports(ast.parse(path.read_bytes()), module, path.name == "__init__.py", known):
            if layer_of(name) in layers and not may_import(module, name):
                yield Problem(where, line, f"{module} may not import {name}")


def drawing() -> str:
    """The layer table as pages show it: a layer imports only what stands to the left of it."""
    lines = [""]
    for row in LAYERS:
        shown = f"{{{', '.join(row)}}}" if len(row) > 1 else row[0]
        if len(lines[-1]) + len(shown) > 105:
            lines.append("")
        lines[-1] += f"→ {shown} "
    return "\n".join(line.rstrip() for line in lines).removeprefix("→ ")


def check_drawings(root: Path) -> Iterator[Problem]:
    """Pages that draw the layers draw those of the table."""
    for page in DRAWN:
        if f"```text\n{drawing()}\n```" not in (root / page).read_text(encoding="utf-8"):
            yield Problem(Path(page), 1, f"draws other layers than tools/check.py:\n{drawing()}")


def in_cycles(root: Path) -> dict[str, list[str]]:
    """The modules of each layer that import themselves through others of it, wherever in the files the imports
    stand."""
    known = modules(root)
    found: dict[str, list[str]] = {}
    direct = {
        module: {
            name
            for _, name in imports(ast.parse(path.read_bytes()), module, path.name == "__init__.py", known)
            if name in known and name != module and layer_of(name) == layer_of(module)
        }
        for module, path in known.items()
    }
    for module in known:
        reached: set[str] = set()
        pending = [module]
        while pending:
            new = direct[pending.pop()] - reached
            reached |= new
            pending += new
        if module in reached:
            found.setdefault(layer_of(module), []).append(module)
    return found


def check_cycles(root: Path) -> Iterator[Problem]:
    """No layer has more modules in cycles than `IN_CYCLES` states, nor fewer."""
    found = in_cycles(root)
    for layer in sorted({*found, *IN_CYCLES}):
        count, stated = len(found.get(layer, ())), IN_CYCLES.get(layer, 0)
        if count > stated:
            names = ", ".join(found[layer])
            yield Problem(
                Path("tools/check.py"), 1, f"{count} modules of {layer} in cycles, more than {stated}: {names}"
            )
        elif count < stated:
            yield Problem(
                Path("tools/check.py"), 1, f"only {count} modules of {layer} in cycles: state that in IN_CYCLES"
            )


def check_module_sizes(root: Path) -> Iterator[Problem]:
    """No module is longer than `MAX_LINES`."""
    for path in files(root, ".py"):
        count = len(path.read_bytes().splitlines())
        if count > MAX_LINES:
            yield Problem(path.relative_to(root), count, f"{count} lines, more than {MAX_LINES}")


def check_package_list(root: Path) -> Iterator[Problem]:
    """The packages named in pyproject.toml are the folders that hold modules, and each has an `__init__.py`."""
    config = Path("pyproject.toml")
    listed: list[str] = setuptools_config(root)["packages"]
    known = modules(root)
    holding = {name if path.name == "__init__.py" else name.rpartition(".")[0] for name, path in known.items()}
    for package in sorted(holding - set(listed)):
        yield Problem(config, 1, f"package {package} is not in the list of packages")
    for package in sorted({package for package in listed if listed.count(package) > 1}):
        yield Problem(config, 1, f"package {package} is listed twice")
    for package in sorted(set(listed)):
        if package not in known or known[package].name != "__init__.py":
            yield Problem(config, 1, f"package {package} has no __init__.py")


def check_links(root: Path) -> Iterator[Problem]:
    """The links that put top-level folders into the package resolve.

    Where links are not supported git writes files with the targets instead; a source distribution has neither.
    """
    if (root / "PKG-INFO").exists():
        return
    for link, folder in LINKS.items():
        path = root / link
        if path.is_file() and path.read_text() == f"../{folder}":
            continue
        if not path.is_symlink():
            yield Problem(Path(link), 1, f"not a link to {folder}")
        elif path.resolve() != (root / folder).resolve() or not path.is_dir():
            yield Problem(Path(link), 1, f"does not resolve to {folder}")


def check_document_links(root: Path) -> Iterator[Problem]:
    """Relative links of Markdown files lead to files of the project."""
    target = re.compile(r"\]\(<?([^)\s>]+)>?[^)]*\)|^\[[^\]]+\]:\s+(\S+)")
    for path in files(root, ".md"):
        fenced = False
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if line.lstrip().startswith(("```", "~~~")):
                fenced = not fenced
            if fenced:
                continue
            for match in target.finditer(re.sub(r"`[^`]*`", "", line)):
                link = match[1] or match[2]
                if re.match(r"[a-z][a-z0-9+.-]*:|#", link):
                    continue
                goal = (path.parent / link.split("#")[0]).resolve()
                if not goal.exists() or not goal.is_relative_to(root.resolve()):
                    yield Problem(path.relative_to(root), number, f"link to {link} leads nowhere")


def check_forbidden_texts(root: Path) -> Iterator[Problem]:
    """No text file contains what belongs to one machine."""
    for path in files(root):
        try:
            lines = path.read_text(encoding="utf-8").splitlines()
        except UnicodeDecodeError:
            continue
        for number, line in enumerate(lines, 1):
            for pattern, what in FORBIDDEN_TEXTS:
                if pattern.search(line):
                    yield Problem(path.relative_to(root), number, what)


CHECKS: tuple[Callable[[Path], Iterator[Problem]], ...] = (
    check_import_direction,
    check_drawings,
    check_cycles,
    check_module_sizes,
    check_package_list,
    check_links,
    check_document_links,
    check_forbidden_texts,
)


def main() -> int:
    root = Path(__file__).resolve().parents[1]
    problems = [problem for check in CHECKS for problem in check(root)]
    for problem in problems:
        print(problem)
    print("modules in cycles:", ", ".join(f"{layer} {count}" for layer, count in IN_CYCLES.items()) or "none")
    print(f"{len(problems)} problems" if problems else f"structure: {len(CHECKS)} checks passed")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
