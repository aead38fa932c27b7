"""Random programs in the places where compiled code can stand: behind decorators of functions, methods, static methods
and properties, in either tier, disabled, given as text, called by several threads first, in archives with native code,
and in another process."""

from __future__ import annotations

import ast
import copy
import os
import pickle
import random
import re
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import tscript
from tests.fuzz.execute import (
    MODULE,
    Expected,
    Failure,
    InternalFailure,
    LoadedModule,
    last_lines,
    observe,
    refused,
)
from tests.fuzz.features import ALL
from tests.fuzz.generator import Generated, generate
from tests.fuzz.outcome import Outcome, difference
from tscript.api import script
from tscript.diagnostics import CompileError
from tscript.runtime.session.scripted import is_scripted
from tscript.travel.collecting import Collector
from tscript.travel.nodes import packed

SCRIPT = "_script"
"""The name of `decorate` in decorated modules."""

THREADS = 3


class Decorator(ast.NodeTransformer):
    """Puts decorators before functions and methods.

    Args:
        choices: The source of randomness.
        entry: Whether ``main`` gets one.
    """

    def __init__(self, choices: random.Random, *, entry: bool) -> None:
        self.choices = choices
        self.entry = entry

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.ClassDef:
        """Methods of a class."""
        node.body = [self.visit_FunctionDef(s) if isinstance(s, ast.FunctionDef) else s for s in node.body]
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        """A function; those inside of ``around`` too, others not."""
        if node.name == "around":
            node.body = [self.visit(s) if isinstance(s, ast.FunctionDef) else s for s in node.body]
            return node
        special = node.name.startswith("__") or node.name == "early"  # which sees objects that are not whole
        special |= lacks_annotations(node)
        if self.entry if node.name == "main" else not special and self.choices.random() < 0.5:
            tier = self.choices.choice(("", "full", "quick", "auto"))
            made = ast.parse(f"{SCRIPT}(optimize={tier!r})" if tier else SCRIPT, mode="eval").body
            last = len(node.decorator_list) if self.choices.random() < 0.5 else 0
            node.decorator_list.insert(last, made)
        return node


def lacks_annotations(node: ast.FunctionDef) -> bool:
    """Whether some parameters have annotations and others none: those are tensors where a function is called from
    Python, whatever it is called with by others."""
    args = node.args
    given = [a for a in (*args.posonlyargs, *args.args, *args.kwonlyargs) if a.arg != "self"]
    has = [a.annotation is not None for a in given]
    return not all(has) and (any(has) or node.returns is not None)


def decorate(function: Any = None, *, optimize: Any = None) -> Any:
    """`tscript.script`, which leaves what cannot be called from Python as it is: generic functions, for instance."""
    if function is None:
        return lambda found: decorate(found, optimize=optimize)
    try:
        return script(function, optimize=optimize)
    except CompileError:
        return function


def decorated(source: str, seed: int, *, entry: bool = True) -> str:
    """The text of a module with decorators."""
    return ast.unparse(ast.fix_missing_locations(Decorator(random.Random(seed), entry=entry).visit(ast.parse(source))))


class PlacedModule(LoadedModule):
    """A generated module with decorators; see `LoadedModule`."""

    def names(self) -> dict[str, Any]:
        """See `LoadedModule`."""
        return {SCRIPT: decorate}


class Elsewhere:
    """Another process, which calls what is sent to it."""

    def __init__(self) -> None:
        around = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.fuzz.elsewhere"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=around
        )

    def call(self, payload: bytes) -> str:
        """What the function of a payload does there, with the arguments of the payload.

        Raises:
            EOFError: The process ended.
        """
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(len(payload).to_bytes(8, "little") + payload)
        self._process.stdin.flush()
        size = self._process.stdout.read(8)
        if len(size) < 8:
            raise EOFError(f"the process ended with status {self._process.wait()}")
        return self._process.stdout.read(int.from_bytes(size, "little")).decode("utf-8", "surrogatepass")

    def close(self) -> None:
        """End it."""
        self._process.kill()
        self._process.wait()


Way = tuple[str, Callable[..., Any] | None, LoadedModule, bool]
"""Name, function, module of the arguments, whether ints of any size are right as they are in Python."""


class Places:
    """Runs programs in every place."""

    def __init__(self) -> None:
        self.raised = 0
        self._elsewhere: Elsewhere | None = None
        self._folder = tempfile.TemporaryDirectory(prefix="tscript-fuzz-")

    def check(self, program: Generated) -> list[Failure]:
        """What goes wrong with a program: at most one failure of each kind and place."""
        expected = [Expected.of(program.source, text) for text in program.arguments]
        self.raised = sum(bool(e.exact.error) for e in expected)
        found: dict[str, Failure] = {}
        places = (self._decorated, self._beneath, self._text, self._archive, self._pickled)
        for place in (places[program.seed % 5], places[(program.seed // 5 + 1 + program.seed) % 5]):
            for failure in self._tried(place, program, expected):
                found.setdefault(failure.key, failure)
                if failure.kind == "refused":
                    return list(found.values())
        return list(found.values())

    def _tried(self, place: Any, program: Generated, expected: list[Expected]) -> list[Failure]:
        name = place.__name__.strip("_")
        try:
            return list(place(program, expected))
        except CompileError as error:
            return [refused(error)]
        except InternalFailure as error:
            cause = error.__cause__ or error
            return [Failure("internal", f"{name} {type(cause).__name__}", last_lines(cause))]
        except EOFError as error:
            self._elsewhere = None
            return [Failure("crash", name, str(error))]
        except Exception as error:  # noqa: BLE001 - whatever goes wrong
            return [Failure("internal", f"{name} {type(error).__name__}", last_lines(error))]

    def _decorated(self, program: Generated, expected: list[Expected]) -> Iterator[Failure]:
        """Everything decorated; disabled, and then by threads at once."""
        source = decorated(program.source, program.seed)
        module = PlacedModule(source)
        try:
            main = module.module.main
            if program.seed % 2:
                with tscript.disabled():
                    yield from self._calls("disabled", main, module, program, expected, is_python=True)
            if "print" not in source and "cache" not in source:
                yield from self._threads(main, module, program, expected)
            yield from self._calls("decorated", main, module, program, expected)
        finally:
            module.close()

    def _beneath(self, program: Generated, expected: list[Expected]) -> Iterator[Failure]:
        """A function of Python that calls decorated ones; only numbers of their types, so that there is one result."""
        if not {"wide", "callable"}.isdisjoint(program.features.split(",")):  # plain functions are no arguments
            return
        module = PlacedModule(decorated(program.source, program.seed, entry=False))
        try:
            yield from self._calls("beneath", module.module.main, module, program, expected, is_python=True)
        finally:
            module.close()

    def _text(self, program: Generated, expected: list[Expected]) -> Iterator[Failure]:
        """The source as a string: of a module that is not run, and of a function that `exec` made."""
        module = LoadedModule(program.source, is_known=False)
        try:
            if program.source.count("def ") == 1 and "class " not in program.source:
                main = script(module.module.main, source=program.source)
                yield from self._calls("source=", main, module, program, expected)
            if not re.search("class |around|AROUND|WEIGHT", program.source):
                text = program.source.replace("def main(", "@tscript.script\ndef main(")
                functions = script(text if "import tscript\n" in text else f"import tscript\n{text}")
                yield from self._calls("text", functions.main, module, program, expected)
        finally:
            module.close()

    def _archive(self, program: Generated, expected: list[Expected]) -> Iterator[Failure]:
        """An archive with native code of all that is called, by its uniform entries."""
        module = PlacedModule(decorated(program.source, program.seed))
        try:
            functions = {n: f for n, f in vars(module.module).items() if is_scripted(f) and n != SCRIPT}
            if "main" not in functions:  # it is refused
                script(module.module.main)
            for text in program.arguments:
                observe(functions["main"], module.arguments(text))
            path = Path(self._folder.name, "program.tsa")
            tscript.save(functions, path, native=True, observed=program.seed % 4 == 0)
            loaded = tscript.load(path, trust_native=True)
            classes = loaded.main._scripted.entry.classes
            if classes:  # objects of the archive's classes are of other classes
                return
            yield from self._calls("archive", loaded.main, module, program, expected)
        finally:
            module.close()

    def _pickled(self, program: Generated, expected: list[Expected]) -> Iterator[Failure]:
        """In another process, to which function and arguments are sent."""
        if "fork(" in program.source or re.search(r"(Held|Error)\d\(", str(program.arguments)):
            return  # Python does not pickle exceptions with an `__init__`
        module = PlacedModule(decorated(program.source, program.seed))
        try:
            main = script(module.module.main)
            sys.modules.pop(MODULE)  # nobody can import it
            assert pickle.loads(pickle.dumps(main)) is main and copy.deepcopy(main) is main
            for text, wanted in zip(program.arguments, expected, strict=True):
                collector = Collector()
                collector.add((main, module.arguments(text)))
                here = observe(main, module.arguments(text))
                self._elsewhere = self._elsewhere or Elsewhere()
                there = self._elsewhere.call(packed(collector.nodes))
                if str(here) != there and not wanted.difference(here):
                    yield Failure("elsewhere", "pickled", f"main{text}\nhere:  {here}\nthere: {there}")
        finally:
            module.close()

    def _calls(
        self,
        way: str,
        call: Callable[..., Any],
        module: LoadedModule,
        program: Generated,
        expected: list[Expected],
        *,
        is_python: bool = False,
    ) -> Iterator[Failure]:
        for text, wanted in zip(program.arguments, expected, strict=True):
            for _ in range(2):
                found = observe(call, module.arguments(text))
                if is_python:
                    differs = difference(wanted.loose or wanted.exact, found)
                else:
                    differs = wanted.difference(found)
                if differs:
                    yield Failure(differs, way, f"main{text}\nPython: {wanted.loose or wanted.exact}\n{way}: {found}")
                    break

    def _threads(
        self, call: Callable[..., Any], module: LoadedModule, program: Generated, expected: list[Expected]
    ) -> Iterator[Failure]:
        """The first calls, from several threads at once."""
        start = threading.Barrier(THREADS)
        found: list[tuple[int, Outcome]] = []
        failed: list[BaseException] = []

        def run(i: int) -> None:
            try:
                args = module.arguments(program.arguments[i % len(program.arguments)])
                start.wait(60)
                found.append((i % len(program.arguments), observe(call, args, silent=True)))
            except BaseException as error:  # noqa: BLE001 - whatever goes wrong
                failed.append(error)

        threads = [threading.Thread(target=run, args=(i,)) for i in range(THREADS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if failed:
            raise failed[0]
        for i, outcome in found:
            differs = expected[i].difference(outcome)
            if differs:
                text = f"main{program.arguments[i]}\nPython: {expected[i].exact}\nthreads: {outcome}"
                yield Failure(differs, "threads", text)

    def close(self) -> None:
        """End what was begun."""
        if self._elsewhere is not None:
            self._elsewhere.close()
        self._folder.cleanup()


def program_of(seed: int) -> Generated:
    """The program of a seed."""
    return generate(seed, ALL)


def first(places: Places) -> None:
    """Make what is made at the first use."""
    for failure in places.check(Generated(0, "", "def main(x: int) -> int:\n    return x\n", ("(1,)",))):
        raise AssertionError(failure)


__all__ = ["Places", "decorated", "first", "program_of"]
