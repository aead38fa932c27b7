"""Strings and bytes. What few programs do with them is imported when one does: their methods, indices, loops, ``%``."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping

from tscript.diagnostics import Span
from tscript.frontend.diagnostics import errors
from tscript.frontend.diagnostics.type_names import article, conversion_help
from tscript.frontend.lowering import conversions
from tscript.frontend.lowering.function import FunctionLowering, Source
from tscript.frontend.lowering.kinds import Kind
from tscript.frontend.values import sequences
from tscript.ir.graph import Value
from tscript.types import BOOL, STR

Method = Callable[[FunctionLowering, ast.Call, Value], Value | None]


def _characters(lowering: FunctionLowering, value: Value, node: ast.expr) -> Source:
    from tscript.frontend.lowering.iteration import Items

    return Items(value, "getitem")


def _item(lowering: FunctionLowering, value: Value, node: ast.Subscript) -> Value | None:
    from tscript.frontend.values.elements import load_item

    return load_item(lowering, value, node)


def _method(lowering: FunctionLowering, node: ast.Call, receiver: Value) -> Value:
    from tscript.frontend.values.methods import lower_method

    return lower_method(lowering, node, receiver)


def _string_methods() -> Mapping[str, Method]:
    from tscript.frontend.values.string_methods import STRING_METHODS

    return STRING_METHODS


def _bytes_methods() -> Mapping[str, Method]:
    from tscript.frontend.values.string_methods import BYTES_METHODS

    return BYTES_METHODS


def _percent(lowering: FunctionLowering, left: Value, right: ast.expr, node: ast.BinOp) -> Value:
    from tscript.frontend.values.percent import lower_percent

    return lower_percent(lowering, left, right, node)


def _in_bytes(lowering: FunctionLowering, container: Value, item: Value, span: Span) -> Value:
    return lowering.apply("contains", [container, item], span, shown_as="in")


def _in_string(lowering: FunctionLowering, container: Value, item: Value, span: Span) -> Value:
    item = conversions.as_string(lowering, item, span)
    if isinstance(container.constant, str) and isinstance(item.constant, str):
        return lowering.const(item.constant in container.constant, BOOL, span)
    if item.type != STR:
        instead = f"a str holds strings only; {conversion_help(item.type, STR)}"
        raise lowering.failure(errors.UnsupportedComparison(span, "in", article(item.type), article(STR), instead))
    return lowering.apply("contains", [container, item], span, shown_as="in")


BYTES_KIND = Kind(
    truth=sequences.not_empty,
    length=sequences.length,
    item=_item,
    attribute=sequences.no_attribute,
    method=_method,
    methods=_bytes_methods,
    source=_characters,
    parts=sequences.parts,
    parts_around=sequences.parts_around,
    repeats=True,
    contains=_in_bytes,
)

STRING = Kind(
    truth=sequences.not_empty,
    length=sequences.length,
    item=_item,
    attribute=sequences.no_attribute,
    method=_method,
    methods=_string_methods,
    source=_characters,
    parts=sequences.parts,
    parts_around=sequences.parts_around,
    percent=_percent,
    repeats=True,
    contains=_in_string,
)
