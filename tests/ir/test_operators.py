"""Every operator of the table as IR: it verifies, reads back, and its meaning on values agrees with its type rule."""

from __future__ import annotations

import random
from collections.abc import Callable

import numpy as np
import pytest

from tscript.definitions.opdef import OpDef, OperatorTypeError
from tscript.definitions.values import cast, constant_type, tensor_type_of
from tscript.diagnostics import CompileError
from tscript.ir.builder import Builder
from tscript.ir.graph import Graph, Param, Program, Value
from tscript.ir.interpreter import interpret
from tscript.ir.parser import parse_program
from tscript.ir.verifier import verify
from tscript.operators.table import TABLE
from tscript.pipeline.bodies import Bodies
from tscript.types import NEVER, TensorType, TupleType, Type, dtypes

BODIES = Bodies(TABLE)
DRAWS = 8
RAISED = (AssertionError, RuntimeError, LookupError, ValueError, ArithmeticError)
REFUSED = (
    "item() is declared to give",
    "expected 'indices' to be integer",
    "len() of a 0-d tensor",
    "ord() expected",
    "The fill character",
    "center()",
    "ljust()",
    "rjust()",
)
"""How messages of TypeErrors begin that only the values decide."""
NO_DATA = "a tensor is made of numbers"
"""Part of the error of operators that only try to make a tensor when they are lowered."""
IN_MEMORY = {
    "unbind", "split", "split.sizes", "split_with_sizes", "chunk", "unsafe_chunk", "unsafe_split",
    "unsafe_split_with_sizes", "tensor_split", "tensor_split.indices", "broadcast_tensors",
}  # fmt: skip
"""Those whose results are tuples of any length with tensors of a known type; such a type is not for files, where
parameters are not specialised."""
LOWERED = {
    "triplet_margin_with_distance_loss", "ctc_loss.IntList", "fractional_max_pool2d",
    "fractional_max_pool2d_with_indices", "fractional_max_pool3d", "fractional_max_pool3d.indices",
    "fractional_max_pool3d_with_indices",
}  # fmt: skip
"""Those that refuse an argument of another type when they are lowered: a function, ratios, lists without ints."""
DTYPES = (*dtypes.DTYPES, dtypes.float32, dtypes.float32)


def tensor(choices: random.Random, rank: int | None = None) -> object:
    dtype = dtypes.float32 if choices.random() < 0.6 else choices.choice(DTYPES)
    rank = choices.choice((0, 1, 1, 2, 2, 2, 3)) if rank is None else rank
    shape = tuple(choices.choice((1, 3, 3, 3)) for _ in range(rank))
    return cast(np.random.default_rng(choices.randrange(10**6)).integers(0, 5, shape), dtype)


DRAW: dict[str, Callable[[random.Random], object]] = {
    "Tensor": tensor,
    "Tensor[]": lambda c: tuple(tensor(c, 1) for _ in range(c.randint(1, 3))),
    "Scalar": lambda c: c.choice((1, 2.5, True)),
    "int": lambda c: c.choice((0, 1, -1, 2)),
    "float": lambda c: c.choice((0.5, 1.0, -2.0)),
    "bool": lambda c: c.random() < 0.5,
    "str": lambda c: c.choice(("trunc", "floor", "mean", "none")),
    "bytes": lambda c: c.choice((b"", b"a b", b"\xff")),
    "dtype": lambda c: c.choice(dtypes.DTYPES),
    "None": lambda c: None,
    "Generator": lambda c: None,
    "Any": lambda c: c.choice((1, 2.0, (1, 2.0), "text")),
    "int[]": lambda c: tuple(c.choice((0, 1, 2, 3)) for _ in range(c.randint(0, 3))),
    "int[1]": lambda c: c.choice(((0,), (1,), (0, 1), ())),
    "float[]": lambda c: (0.5, -0.0),
}


def draw(choices: random.Random, kind: str) -> object:
    if kind.endswith("?"):
        return None if choices.random() < 0.5 else draw(choices, kind[:-1])
    return DRAW[kind](choices)


def type_of(value: object) -> Type:
    match value:
        case np.ndarray():
            return tensor_type_of(value)
        case tuple():
            return TupleType(tuple(map(type_of, value)))
    return constant_type(value)


def application(op: OpDef, choices: random.Random) -> tuple[Program, list[object]]:
    """A program that applies `op` once, and arguments for it: tensors, and some numbers; the rest are constants."""
    graph = Graph("f", (), NEVER)
    b = Builder(graph.body)
    params: list[Param] = []
    args: list[object] = []
    inputs: list[Value] = []
    for p in op.schema.parameters:
        value = draw(choices, p.kind)
        type = type_of(value)
        if isinstance(type, TensorType) and choices.random() < 0.3:  # what specialisation cannot know
            type = TensorType(choices.choice((type.dtype, None)), choices.choice((type.rank, None)))
        dynamic = "Tensor" in str(type) or (p.kind in ("int", "float", "Scalar") and choices.random() < 0.3)
        if dynamic:
            params.append(Param(p.name, type))
            graph.body.params.append(Value(type, p.name))
            args.append(value)
        inputs.append(graph.body.params[-1] if dynamic else b.const(value))
    graph.params = tuple(params)
    result = b.op(op, *inputs)
    graph.result = result.type
    b.return_(result)
    return Program("f", [graph]), args


@pytest.mark.parametrize("op", TABLE.operators, ids=lambda op: op.name)
def test_operator(op):
    if any(p.kind.removesuffix("?") not in DRAW for p in op.schema.parameters):
        pytest.skip("its arguments are no constants")
    for i in range(DRAWS):
        try:
            program, args = application(op, random.Random(f"{op.name} {i}"))
        except OperatorTypeError:
            continue
        verify(program, from_file=op.name not in IN_MEMORY)
        text = str(program)
        assert str(parse_program(text, TABLE)) == text
        try:
            # The interpreter refuses a result that is not of the type that the rule gave.
            interpret(program, args, bodies=BODIES.lower_body)
        except RAISED:
            pass
        except CompileError as error:
            if NO_DATA not in str(error) and op.name not in LOWERED:
                raise
        except TypeError as error:
            if not str(error).startswith(REFUSED):
                raise
