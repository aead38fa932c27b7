"""Kernels that only bodies of other operators call, on what the samples of these operators give them: against their
meaning on NumPy arrays, and when memory runs out."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
import pytest

from tests.runtime.kernels.test_operators import outcome, prepared, same, symbol
from tests.samples.base import Call
from tests.samples.table import SAMPLES
from tscript import Tensor
from tscript.definitions.absent import MISSING
from tscript.definitions.opdef import OpDef
from tscript.ir.coercion import BY_TYPES
from tscript.ir.interpreter import interpret
from tscript.operators.table import TABLE
from tscript.operators.tensor.choosing import _scatter
from tscript.operators.tensor.index_parts import write
from tscript.runtime.kernels import index_plan
from tscript.runtime.session.eager import operator_program
from tscript.runtime.session.process import current
from tscript.runtime.values.arguments import describe

CALLERS = {
    "corner_places": ("tril_indices", "triu_indices"),
    "incomplete_gamma": ("igamma", "igammac"),
    "resize": ("nn.functional.interpolate",),
    "sample_grid": ("nn.functional.grid_sample",),
    "soften_lines": ("softmax", "log_softmax"),
    "sort_dim": ("sort", "topk", "argsort"),
    "search_sorted": ("searchsorted", "bucketize"),
    "unique_runs": ("unique_consecutive", "unique"),
}
"""Samples of operators whose bodies call a hidden one."""

OF_EACH = 8
"""So many calls of a hidden operator are taken."""


def arguments(path: str, call: Call) -> tuple[list[Any], tuple[str, ...]]:
    """Arrays and other values as the interpreter takes them, and the keywords of the last ones."""
    import tscript

    arrays = [array for array, _ in call.arrays("float32", path)]
    args, kwargs = call.filled(arrays, lambda name: getattr(tscript, name))
    values = [tuple(v) if isinstance(v, list) else v for v in (*args, *kwargs.values())]
    return values, tuple(kwargs)


def calls_of(op: OpDef) -> Iterator[tuple[Any, ...]]:
    """What a hidden operator is given when samples run in the interpreter."""
    compiler = current().compiler
    seen: list[tuple[Any, ...]] = []

    def noted(node: Any, args: Any) -> Any:
        seen.append(tuple(a.copy() if isinstance(a, np.ndarray) else a for a in args))
        return op.semantics(*args)

    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(BY_TYPES, op, noted)
        for path in CALLERS[op.name]:
            name = next(o.schema.name for o in TABLE.operators if f"torch.{path}" in o.names.paths)
            for call in SAMPLES[path].calls:
                values, names = arguments(path, call)
                tensors = [current().tensors.over(v) if isinstance(v, np.ndarray) else v for v in values]
                described = [describe(v, Tensor, static_bool=True) for v in tensors]
                program, _ = operator_program(TABLE, name, described, names)
                compiler.specialise(program, [p.type for p in program.entry.params], {})
                given = [v for v, d in zip(values, described, strict=True) if d.constant is MISSING]
                interpret(program, tuple(given), bodies=compiler.bodies.lower_body)
    yield from seen[:OF_EACH]


@pytest.fixture(scope="module", params=sorted(CALLERS))
def hidden(request: pytest.FixtureRequest) -> tuple[OpDef, list[tuple[Any, ...]]]:
    """A hidden operator, and calls of it."""
    op: OpDef = TABLE[request.param]
    found = list(calls_of(op))
    assert found, f"no sample gives {op.name} anything"
    return op, found


def test_kernel_means_what_the_operator_says(hidden: Any, machine: Any) -> None:
    op, calls = hidden
    for args in calls:
        ready = prepared(op, args)
        if ready is None or not {t.name for t in ready[1]} <= machine.types:
            continue
        flat, types = ready
        run = machine()
        wanted = outcome(partial(op.semantics, *args), RuntimeError, IndexError, ValueError)
        got = outcome(partial(run.call, symbol(op), *flat, types=types), run.Error)
        if isinstance(wanted, Exception):
            assert issubclass(got.kind, type(wanted)), (got, wanted)
        else:
            same(op, got, wanted)


def test_kernel_gives_everything_back_when_memory_runs_out(hidden: Any, make_model: Any) -> None:
    op, calls = hidden
    for args in calls[:3]:
        ready = prepared(op, args)
        if ready is None:
            continue
        flat, types = ready
        for allocations in range(8):
            model = make_model()
            model.allocations = allocations
            try:
                model.call(symbol(op), *flat, types=types)
            except model.Error as error:
                if error.kind is not MemoryError:
                    break
            else:
                break
        else:
            raise AssertionError("more allocations than any kernel needs")


@pytest.mark.parametrize("action", [-1, 0, 6, 1 << 40])
def test_writes_at_indices_refuse_to_do_anything_else(machine: Any, action: int) -> None:
    """What an archive says is done is no more than a number: 0 would read, into the value."""
    x, index, value = np.zeros(4, np.float32), np.array([1, 2]), np.ones(2, np.float32)
    for name, args in (
        ("index_write", (x, value, index_plan.TENSOR, (), [index], action)),
        ("scatter_write", (x, 0, index, value, action)),
    ):
        with pytest.raises(machine.Error, match=f"there is no action {action} at indices"):
            machine().call(name, *args)
    with pytest.raises(RuntimeError, match=f"there is no action {action} at indices"):
        write(x, value, index_plan.TENSOR, (), [index], action)
    with pytest.raises(RuntimeError, match=f"there is no action {action} at indices"):
        _scatter(x, 0, index, value, action)
    assert not x.any() and value.all()
