"""`tscript.Generator` in compiled code: ``torch.Generator().manual_seed(3)``."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping

from tscript.frontend.diagnostics import errors
from tscript.frontend.diagnostics.type_names import article
from tscript.frontend.lowering.function import FunctionLowering
from tscript.frontend.lowering.operators import scalar
from tscript.frontend.values.array_calls import bound
from tscript.ir.graph import Value
from tscript.operators.tensor import random_tensors as operators
from tscript.operators.tensor.devices import CHECK_DEVICE, DEVICE_OF_NAME
from tscript.types import DEVICE, GENERATOR, INT, NONE, STR


def make(lowering: FunctionLowering, node: ast.Call) -> Value:
    """``torch.Generator(device)``."""
    span = lowering.span(node)
    given = bound(lowering, node, "torch.Generator", "device?")
    if "device" in given:
        device = lowering.value(given["device"])
        if device.type == STR:
            device = scalar(lowering, DEVICE_OF_NAME, [device], span)
        if device.type != DEVICE:
            problem = f"takes a device, not {article(device.type)}"
            raise lowering.failure(errors.BuiltinArguments(span, "torch.Generator", problem, "torch.Generator('cpu')"))
        scalar(lowering, CHECK_DEVICE, [device], span)
    return lowering.leaf(operators.NEW, [], GENERATOR, span)


def _begin(lowering: FunctionLowering, generator: Value, seed: Value, node: ast.Call) -> None:
    lowering.leaf(operators.SEEDS, [generator, seed], NONE, lowering.span(node))


def _manual_seed(lowering: FunctionLowering, node: ast.Call, generator: Value) -> Value:
    given = lowering.value(bound(lowering, node, "Generator.manual_seed", "seed")["seed"])
    seed = lowering.coerce(given, INT, lowering.span(node))
    if seed is None:
        problem, instead = f"takes an int, not {article(given.type)}", "manual_seed(0)"
        raise lowering.failure(errors.BuiltinArguments(lowering.span(node), "Generator.manual_seed", problem, instead))
    _begin(lowering, generator, seed, node)
    return generator


def _initial_seed(lowering: FunctionLowering, node: ast.Call, generator: Value) -> Value:
    bound(lowering, node, "Generator.initial_seed", "")
    return lowering.leaf(operators.INITIAL, [generator], INT, lowering.span(node))


def _seed(lowering: FunctionLowering, node: ast.Call, generator: Value) -> Value:
    bound(lowering, node, "Generator.seed", "")
    seed = lowering.leaf(operators.SYSTEM_SEED, [], INT, lowering.span(node))
    _begin(lowering, generator, seed, node)
    return seed


METHODS: Mapping[str, Callable[[FunctionLowering, ast.Call, Value], Value]] = {
    "manual_seed": _manual_seed,
    "initial_seed": _initial_seed,
    "seed": _seed,
}
"""The methods that generators of NumPy do not have."""
