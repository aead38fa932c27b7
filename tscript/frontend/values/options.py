"""Devices, layouts and memory formats: their attributes, comparisons and strings, and ``torch.device(...)``."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from tscript.diagnostics import Span
from tscript.frontend.diagnostics import errors, type_errors
from tscript.frontend.diagnostics.type_names import article
from tscript.frontend.lowering.arguments import call_function, refuse_stars, wrong
from tscript.frontend.lowering.function import FunctionLowering
from tscript.frontend.lowering.kinds import Kind
from tscript.frontend.source.descriptions import shown_symbol
from tscript.frontend.source.symbols import TypeSymbol
from tscript.frontend.values import methods, seeded_generators, sequences
from tscript.ir.graph import Value
from tscript.operators.python.classes import ENUM_INDEX, ENUM_MEMBER
from tscript.operators.python.functions import devices
from tscript.types import BOOL, DEVICE, GENERATOR, INT, OPTIONS, SIZE, STR, TENSOR, TYPE, TupleType
from tscript.types.options import Device, Option


def number(lowering: FunctionLowering, value: Value, span: Span) -> Value:
    """The number of a value."""
    if isinstance(value.constant, Option):
        return lowering.const(value.constant.number, INT, span)
    return lowering.leaf(ENUM_INDEX, [value], INT, span)


def _text(lowering: FunctionLowering, value: Value, texts: Sequence[str], span: Span) -> Value:
    at = number(lowering, value, span)
    if isinstance(at.constant, int):
        return lowering.const(texts[at.constant], STR, span)
    table = lowering.const(tuple(texts), TupleType((STR,) * len(texts)), span)
    return lowering.apply("getitem", [table, at], span)


def _attribute(lowering: FunctionLowering, value: Value, name: str, span: Span, node: ast.expr | None) -> Value | None:
    if value.type != DEVICE or name not in ("type", "index"):
        return None
    if isinstance(value.constant, Device):
        return lowering.constant(value.constant.type if name == "type" else value.constant.index, span)
    function = devices.device_type if name == "type" else devices.device_index
    return call_function(lowering, function, [number(lowering, value, span)], span)


def _equal(lowering: FunctionLowering, left: Value, right: Value, span: Span) -> Value | None:
    if left.type != right.type:
        others = [v.type for v in (left, right) if v.type not in OPTIONS]
        kinds = lowering.kinds
        if all(kinds.of(t).equal is None and t in (INT, STR, BOOL) for t in others):
            return lowering.const(False, BOOL, span)
        return None
    return lowering.apply("eq", [number(lowering, v, span) for v in (left, right)], span)


def _same(lowering: FunctionLowering, left: Value, right: Value, span: Span) -> Value | None:
    return _equal(lowering, left, right, span) if left.type == right.type else None


def _as_string(lowering: FunctionLowering, value: Value, special: str, span: Span) -> Value:
    how: Any = str if special == "__str__" else repr
    return _text(lowering, value, [how(m) for m in OPTIONS[value.type].members], span)


def _formatted(lowering: FunctionLowering, value: Value, spec: Value, span: Span) -> Value:
    return lowering.apply("format", [_as_string(lowering, value, "__str__", span), spec], span)


OPTION_KIND = Kind(
    truth=sequences.always(True),
    attribute=_attribute,
    method=methods.lower_method,
    as_string=_as_string,
    formatted=_formatted,
    equal=_equal,
    negates_equal=True,
    same=_same,
)


def device_of(lowering: FunctionLowering, value: Value, span: Span) -> Value:
    """A device from its name; a device itself."""
    if value.type == DEVICE:
        return value
    if isinstance(value.constant, str):
        try:
            return lowering.const(Device(value.constant), DEVICE, span)
        except RuntimeError as error:
            text = str(error)
            raise lowering.failure(
                type_errors.OperatorRefused(span, text, "the device of all tensors is 'cpu'")
            ) from None
    found = call_function(lowering, devices.device_number, [value], span)
    return lowering.leaf(ENUM_MEMBER, [lowering.const(DEVICE, TYPE, span), found], DEVICE, span)


def call_type_symbol(lowering: FunctionLowering, node: ast.Call, symbol: TypeSymbol) -> Value:
    """``torch.device(...)``, ``torch.Size(...)`` and ``torch.Generator(...)``."""
    span = lowering.span(node)
    if symbol.type == SIZE:
        refuse_stars(lowering, node)
        if len(node.args) != 1 or node.keywords:
            raise wrong(lowering, node, "torch.Size", "takes one tuple or list of ints", "torch.Size((2, 3))")
        return lowering.value(ast.copy_location(ast.Call(ast.Name("tuple", ast.Load()), node.args, []), node))
    if symbol.type == GENERATOR:
        return seeded_generators.make(lowering, node)
    if symbol.type != DEVICE:
        instead = "write tscript.tensor(...)" if symbol.type == TENSOR else ""
        raise lowering.failure(type_errors.NotCallable(lowering.span(node.func), shown_symbol(symbol), instead))
    refuse_stars(lowering, node)
    given = {name: lowering.value(a) for name, a in zip(("type", "index"), node.args, strict=False)}
    for keyword in node.keywords:
        assert keyword.arg is not None
        name = "type" if keyword.arg == "device" else keyword.arg
        if name in given or name not in ("type", "index"):
            raise wrong(lowering, node, "torch.device", f"does not take '{keyword.arg}' here", "torch.device('cpu', 0)")
        given[name] = lowering.value(keyword.value)
    if len(node.args) > 2 or "type" not in given or given["type"].type not in (STR, DEVICE):
        found = article(given["type"].type) if "type" in given else "nothing"
        problem = f"takes the name of a device, and its index, not {found}"
        raise lowering.failure(errors.BuiltinArguments(span, "torch.device", problem, "torch.device('cpu')"))
    index = given.get("index")
    if index is None or index.constant is None:
        return device_of(lowering, given["type"], span)
    if index.type != INT or given["type"].type != STR:
        problem = f"takes an int as index, not {article(index.type)}"
        raise lowering.failure(errors.BuiltinArguments(span, "torch.device", problem, "torch.device('cpu', 0)"))
    written, at = given["type"].constant, index.constant
    if isinstance(written, str) and isinstance(at, int) and at >= 0:
        return device_of(lowering, lowering.const(f"{written}:{at}", STR, span), span)
    joined = call_function(lowering, devices.device_name, [given["type"], index], span)
    return device_of(lowering, joined, span)
