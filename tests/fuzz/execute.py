"""One program, run as plain Python, by the interpreter before and after the passes, and natively at LLVM's levels 0 and
2, and by better code that takes over from quick code in the middle of loops."""

from __future__ import annotations

import contextlib
import enum
import gc
import io
import linecache
import os
import sys
import types
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count
from typing import Any

import numpy as np

import tscript
from tests.fuzz.compilers import Made, at_level, for_program, leading
from tests.fuzz.exact import LOOSE, Watch, exact_code, names_of
from tests.fuzz.generator import Generated, is_continued
from tests.fuzz.memory import array_of, tensor_of
from tests.fuzz.outcome import Outcome, Plain, difference
from tscript.abi.places import FOLDER
from tscript.api import archive_of, script
from tscript.archive.format import pack, unpack
from tscript.definitions.shared import LRU_CACHE
from tscript.diagnostics import CompileError, InternalError
from tscript.ir.coercion import InterpreterError
from tscript.ir.graph import Program
from tscript.ir.interpreter import StepLimitError, interpret
from tscript.runtime.session.process import Runtime, current
from tscript.runtime.session.scripted import Scripted

MODULE = "fuzz_program"
STEPS = 300_000
"""How far the interpreter goes."""

ARCHIVED = 3
"""Of so many programs one is written to an archive too, and read again."""

SHORT = 24
"""The budget of every other program: loops meet safepoints, in whose places the other code is straight."""

CONTINUED = "native, going on in better code"

_FIRST = "def main(x: int) -> int:\n    return x\n"
"""Run once before everything else, so that what is made at the first use takes none of another program's time."""

_numbers = count()


@dataclass(frozen=True, slots=True)
class Failure:
    """What went wrong with a program.

    Attributes:
        kind: ``value``, ``exception``, ``message``, ``output``, ``arguments`` (the ways differ), ``leak``, ``refused``
            (the compiler rejects a program that is right), ``internal`` (a part of the compiler failed), ``crash``,
            ``hang``.
        where: The way that differs, or the code of a diagnostic.
        detail: What happened, in words.
    """

    kind: str
    where: str
    detail: str = field(compare=False)

    @property
    def key(self) -> str:
        """Kind and place."""
        return f"{self.kind} {self.where}"


class LoadedModule:
    """A generated module, executed, with its text where `inspect` finds it.

    Args:
        source: Its text.
        watch: What looks at its ints; none when left out.
        is_known: Whether its text is found.
    """

    def __init__(self, source: str, watch: Watch | None = None, *, is_known: bool = True) -> None:
        self.file = f"<fuzz {next(_numbers)}>" if watch is None else "<exact>"
        if watch is None and is_known:
            linecache.cache[self.file] = (len(source), None, source.splitlines(keepends=True), self.file)
        self.module = types.ModuleType(MODULE)
        self.module.__file__ = self.file
        sys.modules[MODULE] = self.module
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of odd but valid code, such as `1 is 1`
            code: Any = (
                compile(source, self.file, "exec", dont_inherit=True)
                if watch is None
                else exact_code(source, self.file)
            )
        if watch is not None:
            vars(self.module).update(names_of(watch))
        vars(self.module).update(self.names())
        exec(code, self.module.__dict__)

    def names(self) -> dict[str, Any]:
        """Names that the module has from the beginning."""
        return {}

    def arguments(self, text: str) -> tuple[Any, ...]:
        """New arguments from their text."""
        found: tuple[Any, ...] = eval(text, self.module.__dict__)
        return found

    def close(self) -> None:
        """Forget the module's text."""
        linecache.cache.pop(self.file, None)
        sys.modules.pop(MODULE, None)


@dataclass(frozen=True, slots=True)
class Expected:
    """What a call may do.

    Attributes:
        exact: What Python does when every int that does not fit 64 bits raises where it is made.
        loose: What it does without that, if such an int came by; else None.
        caught: Whether the program catches exceptions of that class.
    """

    exact: Outcome
    loose: Outcome | None
    caught: bool

    @classmethod
    def of(cls, source: str, text: str) -> Expected:
        """What the function ``main`` of a module does for arguments, given as text."""
        found: list[Outcome] = []
        for bits in (63, LOOSE):
            watch = Watch(bits)
            module = LoadedModule(source, watch)
            try:
                args = module.arguments(text)
                watch.seen = False
                found.append(observe(module.module.main, args))
            finally:
                module.close()
            if not watch.seen:
                break
        caught = any(
            f"except{what}" in source for what in (":", " Exception", " (", " ArithmeticError", " OverflowError")
        )
        return cls(found[0], found[1] if len(found) > 1 else None, caught or "finally" in source or "with " in source)

    def difference(self, found: Outcome) -> str:
        """In what `found` is wrong; empty when it is right.

        A result that nobody uses need not raise, so that where one did not fit the rest may happen, up to the next
        error.
        """
        if self.loose is None:
            return difference(self.exact, found)
        if self.caught or found.error[:1] == ("OverflowError",):
            return ""
        return difference(self.exact, found) and difference(self.loose, found)


class InternalFailure(Exception):
    """A way of running failed in itself: `__cause__` says how."""


def observe(call: Callable[..., Any], args: tuple[Any, ...], *, silent: bool = False) -> Outcome:
    """Call something and note what it does.

    Args:
        call: What to call.
        args: With what.
        silent: It prints nothing, and others may print meanwhile.

    Raises:
        CompileError: The program is refused when it is called.
        InternalFailure: The compiler or the interpreter failed.
    """
    out = io.StringIO()
    value: object = None
    error: tuple[str, ...] = ()
    with contextlib.nullcontext() if silent else contextlib.redirect_stdout(out):
        try:
            value = call(*args)
        except (CompileError, StepLimitError):
            raise
        except (InternalError, InterpreterError) as found:
            raise InternalFailure from found
        except Exception as found:
            if _is_ours(found):
                raise InternalFailure from found
            error = (type(found).__name__, str(arrays((found,), back=True)[0]))
    plain = Plain()
    return Outcome(plain.of(value), error, plain.of(args), out.getvalue())


def _is_ours(error: BaseException) -> bool:
    """Whether an exception comes from inside the compiler, and not from the program or a boundary that acts for it."""
    at = error.__traceback__
    while at is not None and at.tb_next is not None:
        at = at.tb_next
    file = at.tb_frame.f_code.co_filename if at is not None else ""
    parts = file.removeprefix(FOLDER).split(os.sep) if file.startswith(FOLDER) else []
    if parts[:3] == ["operators", "python", "functions"]:  # which are compiled with the program
        return False
    return any(part in parts for part in ("frontend", "passes", "backend", "types", "archive", "pipeline"))


Turned = dict[int, tuple[Any, Any]]
"""What was turned into what, by the id of the former."""


def arrays(
    args: tuple[Any, ...], back: bool = False, known: Turned | None = None, *, records: bool = True
) -> tuple[Any, ...]:
    """Arguments for the interpreter: with arrays in place of tensors, over the same memory; or `back`. Whatever can be
    changed stays the same object.

    Args:
        known: What is turned into what already; more is added.
        records: Whether tensors of bfloat16, which no array of NumPy's is, become records, and do not stay tensors.
    """
    known = {} if known is None else known

    def of(value: Any) -> Any:
        if isinstance(value, tuple):
            items = [of(v) for v in value]
            return type(value)(*items) if hasattr(value, "_fields") else tuple(items)
        if id(value) in known:
            return known[id(value)][1]
        turned: Any = value
        if back and isinstance(value, np.ndarray):
            turned = tensor_of(value)
        elif not back and isinstance(value, tscript.Tensor) and (records or value.dtype is not tscript.bfloat16):
            turned = array_of(value)
        if turned is not value:
            known[id(value)] = value, turned
            return turned
        known[id(value)] = value, value
        if isinstance(value, list):
            value[:] = [of(v) for v in value]
        elif isinstance(value, dict):
            for key in value:
                value[key] = of(value[key])
        elif isinstance(value, BaseException):
            value.args = of(value.args)
        if type(value).__module__ == MODULE and not isinstance(value, enum.Enum):
            for name, held in vars(value).items():
                object.__setattr__(value, name, of(held))
        return value

    return tuple(of(a) for a in args)


class Executor:
    """Runs programs in every way."""

    def __init__(self) -> None:
        self.made = Made()
        self.runtimes = {f"native O{level}": at_level(level, self.made) for level in (0, 2)}
        self.runtimes[CONTINUED] = leading(self.made)
        self.skipped = 0
        self.raised = 0
        self.check(Generated(0, "", _FIRST, ("(1,)",)))

    def check(self, program: Generated) -> list[Failure]:
        """What goes wrong with a program: at most one failure of each kind and place."""
        self.made.clear()
        for_program(self.runtimes.values(), program.seed, SHORT if program.seed % 2 else None)
        expected = self.expected(program)
        module = LoadedModule(program.source)
        try:
            return self._check(module, program, expected)
        finally:
            module.close()

    def expected(self, program: Generated) -> list[Expected]:
        """What Python does for each list of arguments, with ints of 64 bits."""
        return [Expected.of(program.source, text) for text in program.arguments]

    def well_typed(self, program: Generated) -> bool:
        """Whether functions are given and return numbers and texts of the types they declare, as far as it is run.

        An int given where a float is declared is a documented difference, so a program that does so shows nothing.
        """
        module = LoadedModule(program.source)
        right = True

        def profile(frame: Any, event: str, value: Any) -> None:
            nonlocal right
            if frame.f_code.co_filename != module.file or event not in ("call", "return"):
                return
            declared = declarations.get(frame.f_code, {})
            given = frame.f_locals if event == "call" else {"return": value} if value is not None else {}
            for name, found in given.items():
                wanted = declared.get(name)
                right = right and (wanted not in (int, float, bool, str) or type(found) is wanted)

        try:
            functions = [
                f
                for owner in (module.module, *(v for v in vars(module.module).values() if isinstance(v, type)))
                for f in vars(owner).values()
                if isinstance(f, types.FunctionType)
            ]
            declarations = {f.__code__: f.__annotations__ for f in functions}
            sys.setprofile(profile)
            for text in program.arguments:
                observe(module.module.main, module.arguments(text))
        finally:
            sys.setprofile(None)
            module.close()
        return right

    def _check(self, module: LoadedModule, program: Generated, expected: list[Expected]) -> list[Failure]:
        self.raised = sum(bool(o.exact.error) for o in expected)
        try:
            if program.seed % 3:  # native caches; else Python's
                for name, value in list(vars(module.module).items()):
                    if type(value) is LRU_CACHE:
                        setattr(module.module, name, script(value))
            scripted = script(module.module.main)
            checked: Program = scripted._scripted.program
        except CompileError as error:
            return [refused(error)]
        except Exception as error:  # noqa: BLE001 - a compiler that fails is what is looked for
            return [Failure("internal", f"check {type(error).__name__}", last_lines(error))]
        source = scripted._scripted.source
        found: dict[str, list[Failure]] = {}
        natives = {
            way: self._native(runtime, source, checked, module)
            for way, runtime in self.runtimes.items()
            if way != CONTINUED or is_continued(program.seed)
        }
        ways: dict[str, Callable[..., Any]] = {"interpreter": self._interpreted(checked)}
        ways["optimised interpreter"] = self._optimised(natives["native O2"])
        ways |= natives
        if program.seed % ARCHIVED == 0:
            loaded = self._loaded(natives["native O2"])
            if isinstance(loaded, Failure):
                return [loaded]
            natives["archive"] = ways["archive"] = loaded
        for text, wanted in zip(program.arguments, expected, strict=True):
            for way, call in ways.items():
                failure = self._one(way, call, module, text, wanted, native=way in natives)
                if failure is not None:
                    found.setdefault(failure.kind, []).append(failure)
        return [_joined(failures, len(ways)) for failures in found.values()]

    def _native(self, runtime: Runtime, source: Any, checked: Program, module: LoadedModule) -> Any:
        scripted = Scripted(runtime.scripts, source.name, source)
        vars(scripted)["program"] = checked
        return runtime.scripts.function(scripted, module.module.main)

    def _loaded(self, native: Any) -> Any:
        """The function as it comes back from an archive; what went wrong if it does not."""
        try:
            data = pack(archive_of({"main": native}))
            entry = unpack(data, classes=current().compiler.archived_classes).entries["main"]
            scripts = native._scripted.owner
            scripted = Scripted(scripts, "main", entry=entry)
            vars(scripted)["program"] = entry.program(current().compiler.table)
        except Exception as error:  # noqa: BLE001 - whatever goes wrong
            return Failure("archive", f"{type(error).__name__} {_general(str(error))}", last_lines(error))
        return scripts.function(scripted, None)

    def _interpreted(self, program: Program) -> Callable[..., Any]:
        names, bodies = [p.name for p in program.entry.params], current().compiler.bodies.lower_body
        return lambda *args: interpret(
            program, (), dict(zip(names, args, strict=True)), step_limit=STEPS, bodies=bodies
        )

    def _optimised(self, native: Any) -> Callable[..., Any]:
        """The interpreter over what the passes leave; compiled when it is called, so that failures are seen there."""
        scripted: Scripted = native._scripted
        made: dict[str, Program] = {}
        bodies = current().compiler.bodies.lower_body

        def call(*args: Any) -> Any:
            turned: Turned = {}
            types_, constants = scripted.types_of(arrays(args, back=True, known=turned), {})
            arrays(args, known={id(new): (new, old) for old, new in turned.values() if new is not old})  # as it was
            key = f"{types_} {constants}"
            if key not in made:
                made[key] = scripted.linker.compiler.optimise(scripted.specialised(types_, constants))
            program = made[key]
            kept = {p.name for p in program.entry.params}
            names = [p.name for p in scripted.params]
            given = {n: a for n, a in zip(names, args, strict=True) if n in kept}
            return interpret(program, (), given, step_limit=STEPS, bodies=bodies)

        return call

    def _one(
        self, way: str, call: Callable[..., Any], module: LoadedModule, text: str, expected: Expected, *, native: bool
    ) -> Failure | None:
        runtime = current()
        try:
            args = module.arguments(text)
            found = observe(call, args if native else arrays(args))
            del args
            differs = expected.difference(found)
            if differs:
                return Failure(differs, way, f"main{text}\nPython: {expected.exact}\n{way}: {found}")
            if native:
                before = runtime.live_blocks()
                again = observe(call, shared(call, module.arguments(text)))
                if difference(found, again):
                    return Failure(difference(found, again), f"{way} called again", f"main{text}\n{found}\n{again}")
                del again
                leaked = runtime.live_blocks() - before
                if leaked > 0:
                    gc.collect()
                    leaked = runtime.live_blocks() - before
                if leaked > 0:
                    return Failure("leak", way, f"main{text}: {leaked} blocks")
        except StepLimitError:
            self.skipped += 1
        except CompileError as error:
            return refused(error)
        except InternalFailure as error:
            cause = error.__cause__ or error
            return Failure("internal", f"{way} {type(cause).__name__}", f"main{text}\n{last_lines(cause)}")
        return None


def shared(call: Any, args: tuple[Any, ...]) -> tuple[Any, ...]:
    """Arguments with arrays in place of tensors, over the same memory, if the types of parameters do not come from the
    call: then an array is no tensor."""
    return args if call._scripted.versions is not None else arrays(args, records=False)


def _joined(failures: list[Failure], ways: int) -> Failure:
    """One failure of those of one kind: the same wrong value, seen in several ways, is one thing."""
    places = list(dict.fromkeys(f.where for f in failures))
    return Failure(failures[0].kind, "everywhere" if len(places) == ways else " + ".join(places), failures[0].detail)


def refused(error: CompileError) -> Failure:
    first = error.diagnostics[0]
    return Failure("refused", f"{first.code} {_general(first.message())}", str(error))


def _general(message: str) -> str:
    """A message without the names of one program."""
    text = "".join(" " if c.isdigit() else c for c in message)
    return " ".join(text.split())[:90]


def last_lines(error: BaseException) -> str:
    places = []
    at = error.__traceback__
    while at is not None:
        places.append(f"{at.tb_frame.f_code.co_filename.rpartition('/')[2]}:{at.tb_lineno}")
        at = at.tb_next
    return f"{type(error).__name__}: {error}\nat {' '.join(places[-6:])}"
