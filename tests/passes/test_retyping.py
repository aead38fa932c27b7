"""Rules of operators hold for whatever passes find out about their operands: more of dtypes, ranks and sizes."""

from __future__ import annotations

import importlib
import random
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tscript.archive.classes import Apart, restore
from tscript.definitions.absent import MISSING
from tscript.definitions.opdef import OpDef, OperatorTypeError
from tscript.definitions.resolve import check_numbers
from tscript.ir.explicit import make_explicit
from tscript.ir.graph import Call, Invoke, Node, Op, Program, Return, Value, walk
from tscript.ir.parser import parse_program
from tscript.ir.signatures import value_from
from tscript.ir.verifier import verify
from tscript.operators.table import TABLE
from tscript.passes import specialise
from tscript.passes.facts import Fact
from tscript.passes.retyping import raised_at_run_time, taken_forms
from tscript.types import (
    ANY,
    BOOL,
    FLOAT,
    INT,
    SIZE,
    STR,
    CallableType,
    FutureType,
    SizeType,
    TensorType,
    TupleType,
    Type,
    dtypes,
    parse_type,
    passes_as,
    refines,
)

ROOT = Path(__file__).resolve().parents[2]


def known_of(choices: random.Random, type: Type) -> Type:
    """`type`, and more."""
    match type:
        case TensorType():
            dtype = choices.choice(dtypes.DTYPES) if choices.random() < 0.6 else None
            rank = choices.randrange(4) if choices.random() < 0.7 else None
            return TensorType(type.dtype or dtype, rank if type.rank is None else type.rank)
        case SizeType():
            return TupleType((INT,) * choices.randrange(4))
        case TupleType():
            return TupleType(tuple(known_of(choices, e) for e in type.elements), type.named)
        case FutureType():
            found = FutureType(known_of(choices, type.value))
            return found if refines(found, type) else type
    return type


def programs(count: int) -> Iterator[Program]:
    """Random IR that the verifier takes."""
    sys.path.append(str(ROOT))
    graphs = importlib.import_module("tests.fuzz.ir_graphs")
    sys.path.remove(str(ROOT))
    for seed in range(count):
        try:
            made = graphs.generate_ir(seed, Apart)
            program = parse_program(made.text, TABLE, classes=restore(made.classes, value_from, Apart()), portable=True)
            verify(program, from_file=True)
        except Exception:  # noqa: BLE001 - what is refused is of no use here
            continue
        yield program


def test_rules_take_what_is_known_of_their_operands() -> None:
    """The result says more as well, the operator is refused as when it runs, or it takes Sizes in place of tuples."""
    choices = random.Random(1)
    seen: set[str] = set()
    for program in programs(200):
        for graph in program.graphs.values():
            for node in walk(graph.body):
                if isinstance(node, Op):
                    seen.add(node.op.name)
                    for _ in range(3):
                        check(node, [known_of(choices, v.type) for v in node.inputs])
    assert len(seen) > 250


def check(node: Op, types: list[Type]) -> None:
    args = [Fact(t, v.constant) for t, v in zip(types, node.inputs, strict=True)]
    wide = node.op.type_rule(node.inputs)
    try:
        found = node.op.type_rule(args)
        right = passes_as(found, wide) or node.op.name == "item"
    except OperatorTypeError as error:
        right = raised_at_run_time(error) is not None
    shown = (
        f"{node.op.name}({', '.join(str(a.type) for a in args)}) for ({', '.join(str(v.type) for v in node.inputs)})"
    )
    assert right or taken_forms(node.op, args, [v.type for v in node.inputs], wide) is not None, shown


def operators_on_tensors() -> list[OpDef]:
    return [op for op in TABLE if op.portable and any(p.kind == "Tensor" for p in op.schema.parameters)]


@pytest.mark.parametrize("number", [INT, FLOAT, BOOL])
def test_numbers_that_tensors_turn_out_to_be_are_taken_or_refused(number: Type) -> None:
    """``x.item()`` is a tensor until its dtype is known."""
    choices = random.Random(2)
    for op in operators_on_tensors():
        for _ in range(8):
            args = []
            for p in op.schema.parameters:
                kind = p.kind.removesuffix("?")
                type = number if kind == "Tensor" and choices.random() < 0.5 else GIVEN.get(kind)
                args.append(Fact(type or TensorType(dtypes.float32, 2), CONSTANTS.get(kind, MISSING)))
            try:
                check_numbers(op, args)
                op.type_rule(args)
            except OperatorTypeError:
                continue


GIVEN: dict[str, Type] = {"int": INT, "float": FLOAT, "bool": BOOL, "Scalar": INT, "str": STR, "int[]": SIZE,
                          "int[1]": SIZE,
                          "dtype": parse_type("dtype"), "Tensor[]": TupleType((TensorType(),)),
                          "float[]": TupleType((FLOAT,))}  # fmt: skip
CONSTANTS: dict[str, Any] = {"bool": True, "str": "none", "dtype": dtypes.float32, "int": 0}


def test_conversions_of_files_are_written_out() -> None:
    """Then values stand for others whose types say the same but for dtypes, ranks and sizes, and the program stays
    valid."""
    changed = 0
    for program in programs(200):
        before = str(program)
        make_explicit(program)
        verify(program)
        changed += str(program) != before
        for graph in program.graphs.values():
            for node in walk(graph.body):
                for value, type in stands_for(node, program, graph.result):
                    assert refines(value.type, type), str(node)
    text = """program @f
    graph @f(%s: str) -> Any { %0: Any = call @g(%s) return %0 }
    graph @g(%a: Any) -> str { %t: type = const type(str) %0: bool = is_instance(%a, %t) if %0 { yield } else { yield }
      %1: str = downcast(%a, %t) return %1 }"""
    program = parse_program(text, TABLE)
    make_explicit(program)
    assert [n.op.name for n in walk(program.entry.body) if isinstance(n, Op)] == ["upcast", "upcast"]


def stands_for(node: Node, program: Program, result: Type) -> list[tuple[Value, Type]]:
    match node:
        case Call():
            found = [*zip(node.inputs, (p.type for p in program.graphs[node.callee].params), strict=True)]
            return [*found, (Value(program.graphs[node.callee].result), node.output.type)]
        case Invoke(inputs=[called, *rest]):
            assert isinstance(called.type, CallableType)
            return [*zip(rest, called.type.parameters, strict=True), (Value(called.type.result), node.output.type)]
        case Op():
            return [(Value(node.op.type_rule(node.inputs)), node.output.type)]
        case Return():
            return [(node.inputs[0], result)]
    return []


def test_an_any_stays_one_inside_the_callee(context: Any) -> None:
    """It was refused: a str is not compared with an Any, and does not become a None."""
    text = """program @f
    graph @f(%s: str) -> tuple[bool, bool] {
      %c: bool = const True
      %0: Any = if %c { yield %s } else { yield %s }
      %1: tuple[bool, bool] = call @g(%0, %s)
      return %1
    }
    graph @g(%a: Any, %b: Any) -> tuple[bool, bool] {
      %0: bool = eq.any(%a, %b)
      %t: type = const type(None)
      %1: bool = is_none(%a)
      if %1 { %2: None = downcast(%a, %t) yield } else { yield }
      %3: tuple[bool, bool] = tuple.make(%0, %1)
      return %3
    }"""
    program = parse_program(text, TABLE)
    make_explicit(program)
    made = specialise(program, [STR], {}, context)
    verify(made)


def test_refinement() -> None:
    assert refines(TensorType(dtypes.float32, 1), TensorType())
    assert refines(TupleType((INT, INT)), SIZE)
    assert refines(FutureType(TensorType(None, 1)), FutureType(TensorType()))
    assert not refines(FutureType(TupleType((INT,))), FutureType(SIZE))
    assert not refines(STR, ANY)
    assert not refines(TensorType(), parse_type("Optional[Tensor]"))
