"""One function, run in every way there is, must do the same thing each time.

`Harness.agree` runs a function

- as plain Python over eager tensors,
- through the interpreter: as checked, as specialised, and after all passes; of one program in `SAMPLED`, and of all in
  `make test-all`, also after each pass (verified, printed, parsed back),
- natively at LLVM's levels 0 and 2,

and compares what each run did: the value (dtype, shape and bits; `ulps` units in the last place for math functions), or
the class and message of the exception, and what became of the arguments. After each run in native memory the number of
live blocks must be what it was.
"""

from __future__ import annotations

import copy
import gc
import linecache
import math
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import count
from typing import Any, TypeVar
from zlib import crc32

import numpy as np

import tscript
from tscript.abi.dispatch import PREFIX
from tscript.definitions.table import OperatorTable
from tscript.ir.graph import Op, Program, walk
from tscript.ir.interpreter import interpret
from tscript.ir.parser import parse_program
from tscript.ir.printer import print_program
from tscript.ir.verifier import verify
from tscript.operators.table import TABLE
from tscript.passes import PIPELINE, Pass, run_pipeline
from tscript.pipeline import Compiler, Options
from tscript.pipeline.bodies import Bodies
from tscript.runtime.session.process import Runtime, current
from tscript.runtime.session.scripted import Scripted, scripted_of
from tscript.types import FLOAT, Type

MATH_ULPS = 4
"""The documented bound of math functions over tensors, in units in the last place of the result's dtype."""

SAMPLED = 1 if os.environ.get("TSCRIPT_KERNELS") == "full" else 4
"""Of how many programs one is looked at after each pass."""

KEPT = 32
"""Functions, and programs of calls, that the harness remembers."""

K = TypeVar("K")
V = TypeVar("V")

BODIES = Bodies(TABLE).lower_body

_numbers = count()


@dataclass(frozen=True)
class Outcome:
    """What one run did.

    Attributes:
        value: The result with tensors as arrays; None when it raised.
        error: Class and message of the exception.
        args: The arguments afterwards.
    """

    value: object
    error: tuple[type, str] | None
    args: tuple[object, ...]


def function_of(source: str, **names: object) -> Callable[..., Any]:
    """The last function of a source text, with `tscript`, `torch` (which is tscript) and `math` as globals."""
    file = f"<integration {next(_numbers)}>"
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    namespace: dict[str, Any] = {
        "__name__": "scripted",
        "tscript": tscript,
        "torch": tscript,
        "math": math,
        "Tensor": tscript.Tensor,
        **names,
    }
    before = set(namespace)
    exec(compile(source, file, "exec", dont_inherit=True), namespace)
    found: Callable[..., Any] = [v for k, v in namespace.items() if k not in before and callable(v)][-1]
    return found


class Copier:
    """Copies of arguments that keep what shares memory together, and strides as they are."""

    def __init__(self) -> None:
        self._bases: dict[int, np.ndarray[Any, Any]] = {}

    def copy(self, value: Any) -> Any:
        if isinstance(value, tuple | list):
            return type(value)(self.copy(v) for v in value)
        if isinstance(value, dict):
            return {k: self.copy(v) for k, v in value.items()}
        if isinstance(value, set):
            return set(value)
        if not isinstance(value, np.ndarray):
            return value
        base = value
        while isinstance(base.base, np.ndarray):
            base = base.base
        own = self._bases.get(id(base))
        if own is None:
            own = self._bases[id(base)] = base.copy(order="K")
            assert own.strides == base.strides or base.size == 0
        offset = value.__array_interface__["data"][0] - base.__array_interface__["data"][0]
        found = np.ndarray(value.shape, value.dtype, own, offset, value.strides)
        found.flags.writeable = value.flags.writeable
        return found


def to_tensors(value: Any) -> Any:
    """`value` with arrays as tensors over their memory."""
    if isinstance(value, tuple | list):
        return type(value)(to_tensors(v) for v in value)
    return tscript.from_numpy(value) if isinstance(value, np.ndarray) else value


def to_arrays(value: Any) -> Any:
    """`value` with tensors as copies in arrays."""
    if isinstance(value, tuple):
        return tuple(to_arrays(v) for v in value)
    if isinstance(value, tscript.Tensor):
        return np.array(value.numpy())
    return np.array(value) if isinstance(value, np.ndarray) else value


def _as_numbers(value: Any, like: Any) -> Any:
    """`value` with 0-d arrays as numbers where `like` has numbers."""
    if isinstance(value, tuple) and isinstance(like, tuple):
        return tuple(map(_as_numbers, value, like))
    if isinstance(value, np.ndarray) and value.ndim == 0 and isinstance(like, bool | int | float):
        return value.item()
    return value


def natural_class(error: BaseException) -> type:
    """The builtin class of an exception: some errors of ours are a builtin one and a `TypeError` besides."""
    builtin = [c for c in type(error).__mro__ if c.__module__ == "builtins"]
    return builtin[1] if builtin[0] is TypeError and builtin[1] is not Exception else builtin[0]


def difference(a: Any, b: Any, ulps: float, given: bool = False) -> str:
    """How two results, or two lists of arguments (`given`: an int may be a float), differ; empty when they do not."""
    if isinstance(a, tuple) and isinstance(b, tuple):
        if len(a) != len(b):
            return f"{len(a)} and {len(b)} elements"
        return "; ".join(filter(None, (difference(x, y, ulps, given) for x, y in zip(a, b, strict=True))))
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        if a.dtype != b.dtype or a.shape != b.shape:
            return f"{a.dtype} {a.shape} and {b.dtype} {b.shape}"
        return "" if _same_elements(a, b, ulps) else f"{a!r} and {b!r}"
    if type(a) is not type(b) and not (given and a == b):
        return f"{type(a).__name__} {a!r} and {type(b).__name__} {b!r}"
    if isinstance(a, complex):
        return "" if repr(a) == repr(b) else f"{a!r} and {b!r}"
    if isinstance(a, float):
        return "" if _same_elements(np.array(a), np.array(b), ulps) else f"{a!r} and {b!r}"
    return "" if a == b else f"{a!r} and {b!r}"


def _same_elements(a: np.ndarray[Any, Any], b: np.ndarray[Any, Any], ulps: float) -> bool:
    if a.dtype.kind == "c" and ulps:  # each part on its own
        return _same_elements(a.real, b.real, ulps) and _same_elements(a.imag, b.imag, ulps)
    if a.dtype.kind != "f":
        return bool((a == b).all())
    equal = (np.isnan(a) & np.isnan(b)) | ((a == b) & ((np.signbit(a) == np.signbit(b)) | (ulps > 0)))
    if ulps:
        with np.errstate(all="ignore"):
            equal |= np.abs(a - b) <= ulps * np.spacing(np.maximum(np.abs(a), np.abs(b)))
    return bool(equal.all())


def _table_of(program: Program) -> OperatorTable:
    """The operators that text of a program may name: calls of Python are among them, such as the ``__str__`` of an
    exception that some other test has defined."""
    found = {n.op.name: n.op for g in program.graphs.values() for n in walk(g.body) if isinstance(n, Op)}
    return reduce(OperatorTable.extended, [op for name, op in found.items() if name.startswith(PREFIX)], TABLE)


class Harness:
    """Everything of a process that runs need: the runtime, and one like it that compiles at level 0."""

    def __init__(self) -> None:
        self.runtime = current()
        self._known: dict[Callable[..., Any], tuple[Any, Any]] = {}
        self._stages: dict[tuple[object, ...], list[tuple[str, Program]]] = {}
        self.unoptimised: Runtime = copy.copy(self.runtime)
        self.unoptimised.compiler = Compiler(Options(level=0))
        vars(self.unoptimised.compiler).update(
            session=self.runtime.compiler.session,
            target=self.runtime.compiler.target,
            bodies=self.runtime.compiler.bodies,
            functions=self.runtime.compiler.functions,
            class_table=self.runtime.compiler.class_table,
        )
        self.unoptimised.linker = replace(self.runtime.linker, compiler=self.unoptimised.compiler)
        self.unoptimised.scripts = replace(self.runtime.scripts, linker=self.unoptimised.linker)

    def at_level_zero(self, function: Any) -> Any:
        """A scripted function again, compiled without LLVM's optimisation."""
        source = scripted_of(function).source
        assert source is not None
        scripts = self.unoptimised.scripts
        return scripts.function(Scripted(scripts, source.name, source), function.__wrapped__)

    def native(
        self, call: Callable[..., Any], args: Sequence[object], kwargs: Mapping[str, object], repeat: int = 1
    ) -> Outcome:
        """Run something in native memory; fails when it leaks. With `repeat`, the last of so many runs counts."""
        found = self._native(call, args, kwargs)
        for _ in range(repeat):  # the first call compiles, and may keep what it made
            before = self.runtime.live_blocks()
            found = self._native(call, args, kwargs)
            leaked = self.runtime.live_blocks() - before
            deadline = time.monotonic() + 10
            while leaked > 0 and time.monotonic() < deadline:  # a task that nobody waits for may still be running
                time.sleep(0.005)
                gc.collect()
                leaked = self.runtime.live_blocks() - before
            assert leaked <= 0, f"{leaked} blocks leaked by {call}"
        return found

    def _native(self, call: Callable[..., Any], args: Sequence[object], kwargs: Mapping[str, object]) -> Outcome:
        copier = Copier()
        own, own_kwargs = copier.copy(tuple(args)), {k: copier.copy(v) for k, v in kwargs.items()}
        tensors = to_tensors(own)
        return _outcome(lambda: call(*tensors, **{k: to_tensors(v) for k, v in own_kwargs.items()}), own)

    def stages(self, function: Any, args: Sequence[object], kwargs: Mapping[str, object]) -> list[tuple[str, Program]]:
        """The program of a call after each stage that changes it, printed and read back."""
        scripted = scripted_of(function)
        copier = Copier()
        tensors = to_tensors(copier.copy(tuple(args)))
        types, constants = scripted.types_of(tensors, {k: to_tensors(copier.copy(v)) for k, v in kwargs.items()})
        key = (scripted, *map(str, types), repr(constants))
        found = self._stages.get(key)
        return _keep(self._stages, key, [*self._each_stage(scripted, types, constants)]) if found is None else found

    def _each_stage(
        self, scripted: Scripted, types: Sequence[Type], constants: Mapping[int, object]
    ) -> Iterator[tuple[str, Program]]:
        shown = ""
        is_sampled = False
        compiler = self.runtime.compiler
        program = scripted.program
        for step in (None, "specialised", *PIPELINE):
            if step == "specialised":
                program = compiler.specialise(scripted.program, types, constants)
            elif isinstance(step, Pass):
                run_pipeline(program, (step,), compiler.context)
            if isinstance(step, Pass) and step is not PIPELINE[-1] and not is_sampled:
                continue
            name = step.name if isinstance(step, Pass) else step or "checked"
            verify(program)
            tensors: list[object] = []
            text = print_program(program, handles=tensors)
            is_sampled = is_sampled or (step is None and crc32(text.encode()) % SAMPLED == 0)
            if text != shown:
                shown = text
                read = parse_program(text, _table_of(program), handles=tensors, classes=compiler.classes)
                verify(read)
                assert print_program(read) == text, f"after {name}: what is read back prints differently"
                yield name, read

    def _compiled(self, plain: Callable[..., Any]) -> tuple[Any, Any]:
        """A function at both levels; many tests call one function again and again."""
        found = self._known.get(plain)
        if found is None:
            scripted = tscript.script(plain, optimize="full")
            found = _keep(self._known, plain, (scripted, self.at_level_zero(scripted)))
        return found

    def agree(
        self,
        function: Callable[..., Any] | str,
        *args: Any,
        ulps: float = 0,
        python: bool = True,
        message: bool = True,
        kwargs: Mapping[str, Any] | None = None,
        same_interpreter: bool = True,
    ) -> Outcome:
        """Run `function` in every way; gives what it did.

        Args:
            function: A Python function, or a source text whose last function is meant.
            args: Its arguments, tensors as arrays.
            ulps: How far floats may be apart.
            python: Whether plain Python is one of the ways.
            message: Whether plain Python has the same messages.
            kwargs: Keyword arguments.
            same_interpreter: Whether the interpreter is one of the ways.

        Raises:
            AssertionError: Two ways differ.
        """
        named = dict(kwargs or {})
        plain = function_of(function) if isinstance(function, str) else function
        scripted, unoptimised = self._compiled(plain)
        expected = self.native(scripted, args, named)
        runs: list[tuple[str, Outcome]] = [("level 0", self.native(unoptimised, args, named))]
        if same_interpreter:
            runs += self.interpreted(scripted, args, named)
        for way, found in runs:
            if way == "the interpreter checked":  # where dtypes are not known, a number of a tensor is a 0-d tensor
                found = Outcome(_as_numbers(found.value, expected.value), found.error, found.args)
            self.compare(f"native and {way}", expected, found, ulps)
        if python:
            params = scripted.params
            converted = [float(a) if i < len(params) and params[i].type == FLOAT and type(a) in (int, bool) else a
                         for i, a in enumerate(args)]  # fmt: skip
            found = self.native(plain, converted, named)
            if not message and found.error and expected.error:
                found = Outcome(found.value, (found.error[0], expected.error[1]), found.args)
            self.compare("native and Python", expected, found, ulps)
        return expected

    def agree_all(self, source: str, calls: Sequence[tuple[Any, ...]]) -> None:
        """Run a function on several lists of arguments as Python, through the interpreter as checked, and natively at
        both levels; it is compiled once.

        Raises:
            AssertionError: Two ways differ.
        """
        plain = function_of(source)
        scripted: Any = tscript.script(plain, optimize="full")
        unoptimised = self.at_level_zero(scripted)
        program, names = scripted_of(scripted).program, [p.name for p in scripted.params]
        for args in calls:

            def interpreted(*values: Any) -> object:
                given = [v.numpy() if isinstance(v, tscript.Tensor) else v for v in values]
                return interpret(program, (), dict(zip(names, given, strict=True)), step_limit=200_000, bodies=BODIES)

            expected = self.native(plain, copy.deepcopy(args), {}, 0)
            ways = {"level 2": scripted, "level 0": unoptimised, "the interpreter": interpreted}
            for way, run in ways.items():
                found = self.native(run, copy.deepcopy(args), {}, int(run is not interpreted))
                if run is interpreted:
                    found = Outcome(_as_numbers(found.value, expected.value), found.error, found.args)
                self.compare(f"{source}{args}: Python and {way}", expected, found, 0)

    def interpreted(
        self, function: Any, args: Sequence[object], kwargs: Mapping[str, object]
    ) -> Iterator[tuple[str, Outcome]]:
        """What the interpreter makes of each stage that differs from the one before."""
        params = [p.name for p in scripted_of(function).params]
        for name, read in self.stages(function, args, kwargs):
            copier = Copier()
            own = copier.copy(tuple(args))
            by_name = {k: copier.copy(v) for k, v in kwargs.items()}
            kept = {p.name for p in read.entry.params}
            passed = dict(zip(params, own, strict=False)) | by_name

            def run(read: Program = read, passed: dict[str, Any] = passed, kept: set[str] = kept) -> object:
                with np.errstate(all="ignore"):
                    given = {k: v for k, v in passed.items() if k in kept}
                    return interpret(read, (), given, step_limit=200_000, bodies=BODIES)

            yield f"the interpreter {name}", _outcome(run, own)

    @staticmethod
    def compare(ways: str, expected: Outcome, found: Outcome, ulps: float) -> None:
        """Fail when two outcomes differ."""
        if expected.error != found.error:
            raise AssertionError(f"{ways}: {_shown(expected)} and {_shown(found)}")
        wrong = difference(expected.value, found.value, ulps)
        assert not wrong, f"{ways} differ: {wrong}"
        wrong = difference(expected.args, found.args, ulps, given=True)
        assert not wrong, f"{ways} leave different arguments: {wrong}"


def _keep(known: dict[K, V], key: K, value: V) -> V:
    """Remember a value, and forget the oldest of many."""
    if len(known) == KEPT:
        del known[next(iter(known))]
    known[key] = value
    return value


def _shown(outcome: Outcome) -> str:
    return f"raised {outcome.error}" if outcome.error else f"returned {outcome.value!r}"


def _outcome(call: Callable[[], Any], args: tuple[object, ...]) -> Outcome:
    try:
        value = to_arrays(call())
    except (ArithmeticError, ValueError, RuntimeError, LookupError, TypeError, AssertionError, AttributeError) as error:
        if isinstance(error, AssertionError) and "leaked" in str(error):
            raise
        return Outcome(None, (natural_class(error), str(error)), to_arrays(args))
    return Outcome(value, None, to_arrays(args))
