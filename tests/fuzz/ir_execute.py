"""Random IR, brought by an archive, as native code and in the interpreter.

What an archive holds may be refused, and what it does may raise. It may not end the process, hang, leak blocks, fail
inside the compiler, or give different values at different levels of optimisation.
"""

from __future__ import annotations

import gc
import hashlib
import math
import os
import random
import re
import resource
from dataclasses import replace
from typing import Any

import numpy as np

import tscript
from tests.fuzz.compilers import Made, at_level
from tests.fuzz.execute import Failure, InternalFailure, last_lines
from tests.fuzz.ir_graphs import GeneratedIR, generate_ir
from tests.fuzz.ir_types import FLOATS, INTS, TEXTS
from tests.fuzz.outcome import Outcome, Plain, fields
from tscript.abi.exceptions import EXCEPTIONS
from tscript.abi.places import FOLDER
from tscript.archive.classes import Apart, restore
from tscript.archive.entries import Archive, EntryPoint
from tscript.archive.format import pack, unpack
from tscript.diagnostics import CompileError, InternalError
from tscript.diagnostics.archives import ArchiveError
from tscript.ir.coercion import InterpreterError
from tscript.ir.interpreter import StepLimitError, interpret
from tscript.ir.signatures import value_from
from tscript.operators.table import TABLE
from tscript.runtime.session.process import current
from tscript.runtime.session.scripted import Scripted
from tscript.runtime.values.errors import _line
from tscript.types import (
    BOOL,
    FLOAT,
    INT,
    STR,
    DictType,
    ListType,
    OptionalType,
    SetType,
    TensorType,
    TupleType,
    Type,
    parse_type,
)

STEPS = 20_000
MEMORY = 2 << 30
"""Bytes of address space of a process: what asks for more gets a MemoryError."""

LARGE = 10_000
"""Elements of a tensor beyond which only its shape is compared; so it is where there are none."""

UNSPECIFIED = (
    "empty",
    "hash.",
    "is_same",
    "is_instance",
    "pop.set",
    "popitem",
    "repr.any",
    "to_list.set",
    "next_entry",
    "entry_key",
    "entry_value",
)
"""What gives a value that may differ from run to run."""


class IRExecutor:
    """Runs random IR in every way."""

    def __init__(self) -> None:
        self.made = Made()
        self.runtimes = {f"native O{level}": at_level(level, self.made) for level in (0, 2)}
        self.raised = 0
        self.refused = 0
        self.compared = 0
        self.was_run = 0
        limit_memory()

    def check(self, seed: int) -> list[Failure]:
        """What goes wrong with the program of a seed."""
        self.was_run = 0
        try:
            program = generate_ir(seed, Apart)
        except ArchiveError:
            self.refused += 1
            return []
        return self.run(program)

    def run(self, program: GeneratedIR) -> list[Failure]:
        """What goes wrong with a program."""
        self.made.clear()
        try:
            entry = self.entry(program)
            checked = entry.program(current().compiler.table)
        except ArchiveError as error:
            self.refused += 1
            return (
                [] if program.wrong or "InternalError" not in str(error) else [Failure("internal", "load", str(error))]
            )
        except Exception as error:  # noqa: BLE001 - nothing else may come out
            return [Failure("internal", f"load {type(error).__name__}", f"{last_lines(error)}\n{program.text}")]
        self.was_run = 1
        found: dict[str, Failure] = {}
        outcomes: dict[str, Outcome | None] = {}
        for way, runtime in self.runtimes.items():
            scripted = Scripted(runtime.scripts, "f", entry=entry)
            vars(scripted)["program"] = checked
            call = runtime.scripts.function(scripted, None)
            try:
                outcomes[way] = observe(call, arguments(program))
                before = current().live_blocks()
                again = observe(call, arguments(program))
                failed = bool(again.error)
                del again
                leaked = current().live_blocks() - before
                if leaked > 0:
                    gc.collect()
                    leaked = current().live_blocks() - before
                if leaked > 0 and not failed and not may_cycle(program):
                    found["leak"] = Failure("leak", way, f"{leaked} blocks\n{program.text}")
            except (CompileError, StepLimitError):
                outcomes[way] = None
            except InternalFailure as error:
                cause = error.__cause__ or error
                found["internal"] = Failure("internal", shape_error(cause), f"{last_lines(cause)}\n{program.text}")
        outcomes["interpreter"] = self.interpreted(checked, program)
        first = outcomes["native O2"] if "native O2" in outcomes else None
        self.raised += first is not None and bool(first.error)
        if first is None or not comparable(program):
            return list(found.values())
        for way, other in outcomes.items():
            if other is None or first.error or other.error:
                continue
            self.compared += 1
            if repr(first.value) != repr(other.value):
                text = f"O2: {first.value!r}\n{way}: {other.value!r}\n{program.text}"
                found["value"] = Failure("value", way, text)
        return list(found.values())

    def altered(self, seed: int, text: str, result: str) -> GeneratedIR:
        """The program of a seed with another text and type of its result."""
        made = generate_ir(seed, Apart)
        names = restore(made.classes, value_from, Apart())
        operators = {word for word in re.findall(r"[\w.]+", text) if word in TABLE}
        return replace(
            made, text=text, result=parse_type(result, {**EXCEPTIONS, **names}), operators=tuple(sorted(operators))
        )

    def entry(self, program: GeneratedIR) -> EntryPoint:
        """The entry point as it comes out of an archive."""
        digest = hashlib.sha256(program.text.encode("utf-8", "surrogatepass")).hexdigest()
        made = EntryPoint(
            "f",
            program.params,
            program.result,
            "",
            "",
            program.text,
            digest,
            classes=program.classes,
            tensors=program.tensors,
        )
        archive = unpack(pack(Archive({"f": made})), classes=current().compiler.archived_classes)
        return archive.entries["f"]

    def interpreted(self, checked: Any, program: GeneratedIR) -> Outcome | None:
        """What the interpreter gives; None where it has nothing to say."""
        given = [
            np.array(a.tolist(), dtype=a.dtype.name) if isinstance(a, tscript.Tensor) else a for a in arguments(program)
        ]
        if any(isinstance(a, list) and a and isinstance(a[0], tscript.Tensor) for a in given):
            return None
        try:
            bodies = current().compiler.bodies.lower_body
            return Outcome(plain(interpret(checked, given, step_limit=STEPS, bodies=bodies)), (), (), "")
        except (InterpreterError, StepLimitError):
            return None
        except Exception as error:  # noqa: BLE001 - whatever a program raises
            return Outcome(None, (type(error).__name__, _text(error)), (), "")


def limit_memory() -> None:
    """See `MEMORY`."""
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (min(MEMORY, hard) if hard > 0 else MEMORY, hard))


def observe(call: Any, args: tuple[Any, ...]) -> Outcome:
    """Call a function and note what it does.

    Raises:
        CompileError: It is refused.
        InternalFailure: The compiler failed.
    """
    try:
        value = call(*args)
    except (CompileError, StepLimitError):
        raise
    except InternalError as error:
        raise InternalFailure from error
    except Exception as error:
        if _is_ours(error):
            raise InternalFailure from error
        return Outcome(None, (type(error).__name__, _text(error)), (), "")
    return Outcome(plain(value), (), (), "")


def _text(error: BaseException) -> str:
    try:
        return str(error)
    except Exception:  # noqa: BLE001 - what it holds may lack attributes
        return ""


def shape_error(error: BaseException) -> str:
    """The class and message of a failure inside the compiler, without the numbers and names of one program."""
    text = re.sub(
        r"'[^']*'|\"[^\"]*\"|[0-9]+|@\w+|%\w+|\S*\[\S*", "#", str(error).splitlines()[0] if str(error) else ""
    )
    return f"{type(error).__name__} {text[:110]}"


_OURS = ("frontend", "passes", "backend", "types", "archive", "dialect", "operators", "ir", "abi", "pipeline")


def _is_ours(error: BaseException) -> bool:
    at = error.__traceback__
    while at is not None and at.tb_next is not None:
        at = at.tb_next
    if at is None or at.tb_frame.f_code.co_code == _line.__code__.co_code:  # a place of native code
        return False
    file = at.tb_frame.f_code.co_filename
    if not file.startswith(FOLDER):
        return False
    if any(part in file.removeprefix(FOLDER).split(os.sep) for part in _OURS):
        return not isinstance(error, ArchiveError)
    return isinstance(error, AssertionError | AttributeError | KeyError | IndexError | NameError | ArithmeticError)


def plain(value: object) -> object:
    """A value in a form that can be compared: tensors as their elements and dtype."""
    return _Plain().of(value)


class _Plain(Plain):
    def of(self, value: Any) -> object:
        if isinstance(value, tscript.Tensor | np.ndarray) and not 0 < math.prod(value.shape) <= LARGE:
            return ("Tensor", value.dtype.name, tuple(value.shape))
        if isinstance(value, tscript.Tensor):
            return ("Tensor", value.dtype.name, tuple(value.shape), repr(value.tolist()))
        if isinstance(value, np.ndarray | np.generic):
            return ("Tensor", value.dtype.name, value.shape, repr(value.tolist()))
        if callable(value) or type(value).__name__ in ("Future", "_Task"):
            return "callable"
        if isinstance(value, BaseException):
            return (type(value).__name__, repr(value.args))
        if type(value).__name__ == "Size":
            return tuple(value)
        if not isinstance(value, int | float | complex | str | bytes | list | dict | set | tuple | None):
            return (type(value).__name__, *((n, self.of(v)) for n, v in sorted(fields(value)) if v is not None))
        return super().of(value)


def comparable(program: GeneratedIR) -> bool:
    """Whether the same value is expected each time."""
    return all(TABLE[name].exact and not name.startswith(UNSPECIFIED) for name in program.operators)


def may_cycle(program: GeneratedIR) -> bool:
    """Whether objects may come to hold themselves, which keeps them alive for ever, or a task be still on its way."""
    text = program.text
    return any(word in text for word in ("set_field.object", "chain.exception", "fork", "Any", "Union"))


def arguments(program: GeneratedIR) -> tuple[Any, ...]:
    """Values for the parameters, the same ones each time."""
    choices = random.Random(f"arguments {program.seed}")
    return tuple(argument(choices, p.type) for p in program.params)


def argument(choices: random.Random, type: Type) -> Any:
    """A Python value of a type; now and then of another one."""
    if choices.random() < 0.03:
        return choices.choice((None, 1, "x", [1, "a"], {"a": 2.5}, (1,), 2.5, object()))
    match type:
        case ListType(element=element):
            return [argument(choices, element) for _ in range(choices.randrange(4))]
        case SetType(element=element):
            return {v for _ in range(choices.randrange(4)) if (v := argument(choices, element)).__hash__}
        case DictType(key=key, value=value):
            pairs = [(argument(choices, key), argument(choices, value)) for _ in range(choices.randrange(3))]
            return {k: v for k, v in pairs if k.__hash__ is not None}
        case TupleType(elements=elements):
            return tuple(argument(choices, e) for e in elements)
        case OptionalType(value=value):
            return None if choices.random() < 0.5 else argument(choices, value)
        case TensorType():
            dtype = choices.choice(("float32", "float64", "int64", "int8", "uint8", "bool"))
            shape = choices.choice(((), (3,), (2, 3), (0,), (1,), (2, 2), (1, 2, 2)))
            values = np.array([choices.choice((0, 1, 2, 3, 100)) for _ in range(int(np.prod(shape)))], dtype=dtype)
            return tscript.from_numpy(values.reshape(shape))
    if type == INT:
        return choices.choice(INTS[:-2])
    if type == FLOAT:
        return choices.choice(FLOATS)
    if type == BOOL:
        return choices.random() < 0.5
    return choices.choice(TEXTS) if type == STR else None


__all__ = ["IRExecutor", "arguments", "observe"]
