"""What of a package that is written for TorchScript compiles here, and what holds up the rest: ``tscript check
--torch``."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from tscript.checking import resolver
from tscript.cli.differences import DIFFERENCES, Difference, notes, plain, typed
from tscript.diagnostics import CompileError, Diagnostic, Span
from tscript.explaining import explanations
from tscript.frontend import PythonFunction
from tscript.frontend.checking import check_all
from tscript.frontend.source.imports import ModuleFiles
from tscript.frontend.source.modules import SourceModule
from tscript.frontend.source.source_modules import SourceEnvironment
from tscript.late import dataclass

NAMED = frozenset({"TS101", "TS102", "TS209", "TS213", "TS305", "TS307", "TS408"})
"""Errors whose messages name what is missing; others are counted by their kind."""

PLACES = 3
"""How many places of a difference the report for people names."""


@dataclass(frozen=True, slots=True)
class Looked:
    """One function.

    Attributes:
        file: Where it is defined.
        name: Its name.
        line: Its first line.
        blockers: Its errors and those of the functions it calls, each kind once, in order; empty if it compiles.
        diagnostics: The errors themselves.
        notes: Where it means something else here than in TorchScript.
    """

    file: Path
    name: str
    line: int
    blockers: tuple[str, ...]
    diagnostics: tuple[Diagnostic, ...]
    notes: tuple[tuple[Difference, Span], ...] = ()


@dataclass(frozen=True, slots=True)
class Blocker:
    """One kind of error.

    Attributes:
        what: What it is.
        code: Its code, for ``tscript explain``.
        functions: How many functions have it.
        alone: How many have nothing else.
        example: Where it is, in one of them.
    """

    what: str
    code: str
    functions: int
    alone: int
    example: Diagnostic


@dataclass(frozen=True, slots=True)
class Migration:
    """What `look_over` found.

    Attributes:
        functions: All functions that were looked at.
        unread: Errors of files that are not Python.
        modules: How many classes derive from ``nn.Module`` or the like: they are not looked at.
    """

    functions: tuple[Looked, ...]
    unread: tuple[Diagnostic, ...]
    modules: int

    @property
    def blockers(self) -> list[Blocker]:
        """What holds up functions, what holds up most first."""
        having: dict[str, list[Looked]] = {}
        for looked in self.functions:
            for what in looked.blockers:
                having.setdefault(what, []).append(looked)
        found = []
        for what, functions in having.items():
            example = next(d for d in functions[0].diagnostics if kind_of(d) == what)
            alone = sum(f.blockers == (what,) for f in functions)
            found.append(Blocker(what, example.code, len(functions), alone, example))
        return sorted(found, key=lambda b: (-b.functions, -b.alone, b.what))

    @property
    def notes(self) -> dict[Difference, list[Span]]:
        """Where functions mean something else than in TorchScript."""
        found: dict[Difference, dict[Span, None]] = {difference: {} for difference in DIFFERENCES}
        for looked in self.functions:
            for difference, place in looked.notes:
                found[difference][place] = None
        return {difference: [*places] for difference, places in found.items() if places}


def kind_of(diagnostic: Diagnostic) -> str:
    """What an error is counted as."""
    if diagnostic.code in NAMED:
        return diagnostic.message()
    return explanations()[diagnostic.code].summary.rstrip(".")


def look_over(files: Iterable[Path], *, everything: bool = False) -> Migration:
    """Check each function for itself that TorchScript would compile: those decorated with ``torch.jit.script`` or
    ``script_if_tracing``, and those that the module gives to them.

    Args:
        files: Python files; none is run.
        everything: Whether functions count whose annotations name tensors, too.

    Raises:
        OSError: A file cannot be read.
    """
    modules, known = ModuleFiles(), dict[SourceModule, SourceEnvironment]()
    found: list[Looked] = []
    unread: list[Diagnostic] = []
    classes = 0
    names = resolver()
    for path in files:
        try:
            module = modules.read(path)
        except CompileError as error:
            unread += error.diagnostics
            continue
        environment = known.get(module) or SourceEnvironment(module, known)
        tree = ast.parse(path.read_bytes())
        classes += sum(map(_is_module, tree.body))
        for function in _wanted(environment, tree, everything):
            checked = check_all([function], [], names)
            kinds = tuple(dict.fromkeys(map(kind_of, checked.diagnostics)))
            graph = checked.graphs.get(function)
            differing = () if graph is None else tuple(notes(typed(function, graph)))
            found.append(
                Looked(path, function.name, function.tree.lineno, kinds, tuple(checked.diagnostics), differing)
            )
    return Migration(tuple(found), tuple(unread), classes)


def _wanted(environment: SourceEnvironment, tree: ast.Module, everything: bool) -> Iterator[PythonFunction]:
    given = set(_given(environment, tree))
    for name, function in environment.functions().items():
        if environment.mark(function.tree):
            continue
        decorated = any(environment.is_script(d) for d in function.tree.decorator_list)
        if decorated or name in given or (everything and _has_tensors(function.tree)):
            yield function


def _given(environment: SourceEnvironment, tree: ast.Module) -> Iterator[str]:
    """Names that the module gives to ``torch.jit.script`` and the like."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and len(node.args) == 1 and isinstance(node.args[0], ast.Name):
            if isinstance(node.func, ast.Name | ast.Attribute) and environment.is_script(node.func):
                yield node.args[0].id


def _has_tensors(tree: ast.FunctionDef) -> bool:
    """Whether annotations name tensors."""
    args = tree.args
    written = [a.annotation for a in (*args.posonlyargs, *args.args, *args.kwonlyargs)] + [tree.returns]
    return any("Tensor" in ast.unparse(a) for a in written if a is not None)


def _is_module(node: ast.stmt) -> bool:
    return isinstance(node, ast.ClassDef) and any(ast.unparse(b).rpartition(".")[2] == "Module" for b in node.bases)


def shown(migration: Migration, most: int = 25) -> str:
    """A report for people: the share that compiles, and what holds up the others, ranked."""
    functions = migration.functions
    compiled = sum(not f.blockers for f in functions)
    files = len({f.file for f in functions})
    count = f"{len(functions)} functions for TorchScript in {files} files"
    lines = [f"{count}: {compiled} compile, {len(functions) - compiled} do not"]
    if migration.modules:
        lines.append(f"not looked at: {migration.modules} classes that derive from nn.Module")
    blockers = migration.blockers
    if blockers:
        lines += ["", "functions  alone  what holds them up"]
        for b in blockers[:most]:
            lines.append(f"{b.functions:9}  {b.alone:5}  {b.what} ({b.code})")
            lines.append(f"{'':18}  {b.example.span.source.name}:{b.example.span.line}")
        if len(blockers) > most:
            lines.append(f"{'':18}  and {len(blockers) - most} more; --json has all")
        lines += [
            "",
            f"'alone': nothing else holds them up; 'tscript explain {blockers[0].code}' says more of the first",
        ]
    differing = migration.notes
    if differing:
        lines += ["", "places  where code means what it does in Python, and not in TorchScript"]
    for difference, places in differing.items():
        named = [*dict.fromkeys(f"{place.source.name}:{place.line}" for place in places)]
        more = f" and {len(named) - PLACES} more" if len(named) > PLACES else ""
        lines += [f"{len(places):6}  {difference.message}", f"{'':6}  {', '.join(named[:PLACES])}{more}"]
    return "\n".join(lines)


def as_json(migration: Migration) -> Mapping[str, object]:
    """The report as ``--json`` prints it."""
    return {
        "functions": [
            {
                "file": str(f.file),
                "line": f.line,
                "name": f.name,
                "compiles": not f.blockers,
                "blockers": list(f.blockers),
            }
            for f in migration.functions
        ],
        "blockers": [
            {"what": b.what, "code": b.code, "functions": b.functions, "alone": b.alone} for b in migration.blockers
        ],
        "notes": [
            {
                "file": place.source.name,
                "line": place.line,
                "what": plain(difference.what),
                "torchscript": plain(difference.theirs),
                "tscript": plain(difference.ours),
            }
            for difference, places in migration.notes.items()
            for place in places
        ],
        "unread": [d.message() for d in migration.unread],
        "modules": migration.modules,
    }
