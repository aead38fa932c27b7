"""Every operator that takes positions, dimensions or sizes, in IR of a file and with numbers that nobody gives:
whatever it does, it raises or gives what the interpreter gives."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

import tscript
from tscript.api import Module
from tscript.archive.entries import Archive
from tscript.archive.format import entry_point, pack, unpack
from tscript.definitions.opdef import OpDef, OperatorTypeError
from tscript.diagnostics.archives import ArchiveError
from tscript.dialect.machine import TUPLE_MAKE
from tscript.ir.builder import Builder
from tscript.ir.coercion import InterpreterError
from tscript.ir.graph import Graph, Param, Program, Return, Value
from tscript.ir.interpreter import interpret
from tscript.operators.table import TABLE
from tscript.runtime.session.process import current
from tscript.types import BYTES, FLOAT, INT, NEVER, STR, TENSOR, DictType, ListType, SetType, Type, dtypes

ODD = (0, 1, -1, 2, -2, 3, 5, 64, -(2**31) - 1, 2**61, 2**62, -(2**62), 2**63 - 1, -(2**63))
POSITIONS = ("int", "int?", "int[]", "int[1]", "list[int]")
ELSEWHERE = (
    "empty",
    "next_entry",
    "entry_",
    "hash",
    "linspace",
    "percent",
    "reserve",
    "softmax",
    "logsumexp",
    "diagonal",
    "cache",
)
"""Numbers of entries and texts of formats that no program of source gives; floats in the last digit; places without a
number."""

GIVEN: dict[str, Type] = {"int": INT, "float": FLOAT, "Tensor": TENSOR, "str": STR, "bytes": BYTES,
                          "list": ListType(INT), "T": INT,
                          "V": INT, "K": STR, "dict": DictType(STR, INT), "set": SetType(INT), "list[T]": ListType(INT),
                          "list[int]": ListType(INT)}  # fmt: skip
CONSTANTS: dict[str, object] = {"Scalar": 1, "bool": False, "dtype": dtypes.float32, "dtype?": None, "float?": None}


def applied(op: OpDef, width: int) -> Program | None:
    """A function of the operator, whose parameters are its arguments; shapes have `width` ints."""
    graph = Graph("f", [], NEVER)
    b = Builder(graph.body)

    def param(type: Type) -> Value:
        graph.params = (*graph.params, Param(f"p{len(graph.params)}", type))
        value = Value(type)
        graph.body.params.append(value)
        return value

    inputs: list[Value] = []
    try:
        for p in op.schema.parameters:
            kind = p.kind if p.kind in CONSTANTS else p.kind.removesuffix("?")
            if kind in ("int[]", "int[1]"):
                inputs.append(b.op(TUPLE_MAKE, *[param(INT) for _ in range(width)]))
            elif kind == "Tensor[]":
                inputs.append(b.op(TUPLE_MAKE, param(TENSOR), param(TENSOR)))
            elif kind in CONSTANTS:
                inputs.append(b.const(CONSTANTS[kind]))
            elif kind == "self":
                inputs.append(param(inputs[0].type))
            else:
                inputs.append(param(GIVEN[kind]))
        result = b.op(op, *inputs)
    except (KeyError, OperatorTypeError):
        return None
    graph.result = result.type
    graph.body.nodes.append(Return(result))
    return Program("f", [graph])


def drawn(choices: random.Random, type: Type) -> Any:
    match str(type):
        case "Tensor":
            shape = choices.choice(((2, 3), (3,), (), (2, 0, 3), (0,)))
            return np.arange(np.prod(shape, dtype=int), dtype=choices.choice(("float32", "int64"))).reshape(shape)
        case "int":
            return choices.choice(ODD)
        case "list[int]":
            return [choices.choice(ODD) for _ in range(choices.randrange(4))]
    return {"str": "abcé", "bytes": b"abc", "float": 1.5, "dict[str, int]": {"a": 1}, "set[int]": {1, 2}}[str(type)]


def shown(value: Any) -> object:
    if isinstance(value, tscript.Tensor | np.ndarray | np.generic):
        few = 0 < int(np.prod(value.shape, dtype=object)) < 1000
        return tuple(value.shape), value.dtype.name, repr(np.asarray(value).tolist()) if few else ""
    if isinstance(value, list | tuple):
        return [shown(v) for v in value]
    return repr(value) if not isinstance(value, str | bytes) or len(value) < 1000 else len(value)


def outcome(run: Any, args: list[Any]) -> object:
    try:
        return shown(run(*args))
    except InterpreterError:
        return None
    except Exception as error:  # noqa: BLE001 - whatever it raises
        return "internal" if "internal" in str(error) else "raised"


OPERATORS = [
    op
    for op in TABLE
    if op.portable and not op.variadic and not any(part in op.name for part in ELSEWHERE)
    and any(p.kind in POSITIONS for p in op.schema.parameters)
]  # fmt: skip
ALWAYS = ("argmax", "argmin", "slice.Size", "slice.Tensor", "select.int", "narrow", "expand", "view", "index_select",
          "gather", "zeros",
          "character.str", "take.list", "insert.list", "slice.str", "replace.str")  # fmt: skip


@pytest.mark.parametrize(
    "op", [pytest.param(op, id=op.name, marks=() if op.name in ALWAYS else pytest.mark.slow) for op in OPERATORS]
)
def test_positions_and_sizes(op: OpDef) -> None:
    choices = random.Random(op.name)
    for width in (0, 1, 2, 3) if any(p.kind.startswith("int[") for p in op.schema.parameters) else (0,):
        program = applied(op, width)
        if program is None:
            continue
        data = pack(Archive({"f": entry_point("f", program, "")}))
        try:
            archive = unpack(data, classes=current().compiler.archived_classes)
            checked = archive.entries["f"].program(TABLE)
        except ArchiveError:
            continue
        function = Module(archive)["f"]
        for _ in range(25):
            state = choices.getstate()
            args = [drawn(choices, p.type) for p in program.entry.params]
            choices.setstate(state)
            again = [drawn(choices, p.type) for p in program.entry.params]
            given = [tscript.from_numpy(a) if isinstance(a, np.ndarray) else a for a in args]
            found = outcome(function, given)
            wanted = outcome(lambda *a, checked=checked: interpret(checked, list(a)), again)
            beyond = isinstance(found, tuple) and (
                0 in found[0] or max(found[0], default=0) > 2**31
            )  # too much for NumPy
            assert wanted is None or found in (wanted, "raised") or beyond, (args, found, wanted)
