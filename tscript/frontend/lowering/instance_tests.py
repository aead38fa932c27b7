"""``isinstance``, and the tests of a value of a union."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from tscript.diagnostics import Span
from tscript.frontend.diagnostics import type_errors
from tscript.frontend.diagnostics.abandoned import Abandoned
from tscript.frontend.lowering.conversions import is_none, narrow
from tscript.frontend.lowering.function import FunctionLowering
from tscript.frontend.lowering.merging import merge
from tscript.frontend.lowering.names import static
from tscript.frontend.lowering.refinement import BARE
from tscript.frontend.source.annotations import annotation_type
from tscript.frontend.source.symbols import PythonSymbol
from tscript.ir.graph import Value
from tscript.operators.python.conversions import IS_INSTANCE, is_object
from tscript.types import (
    ANY,
    BOOL,
    NONE,
    TYPE,
    ClassType,
    OptionalType,
    Type,
    UnionType,
    instances_of,
    is_instance_of,
    is_subtype,
    members_of,
)
from tscript.types.inference import weaken


def instance_test(lowering: FunctionLowering, value: Value, written: ast.expr, span: Span) -> Value:
    """``isinstance(value, written)``, a constant if the static type decides it."""
    if isinstance(written, ast.Constant | ast.List):
        names = ", ".join(map(ast.unparse, written.elts)) if isinstance(written, ast.List) else "int, str"
        instead = f"name a class, or several in a tuple: isinstance(x, ({names}))"
        what = f"'{ast.unparse(written)}'" if isinstance(written, ast.List) else repr(written.value)
        raise lowering.failure(type_errors.UnknownAnnotation(lowering.span(written), what, instead))
    found = weaken(value.type)
    members = members_of(found)
    symbol = static(lowering, written)
    if isinstance(symbol, PythonSymbol) and symbol.value in BARE:
        if ANY in members:
            what = f"'{ast.unparse(written)}' without type arguments, for a value of any type,"
            instead = "declare a union of what it may be: 'x: int | list[int]'"
            raise lowering.failure(type_errors.UnsupportedAnnotation(lowering.span(written), what, instead))
        wanted = [m for m in members if isinstance(m, BARE[symbol.value])]
        if found != members[0] or is_object(found):
            return one_of(lowering, value, wanted, span)
        return lowering.const(bool(wanted), BOOL, span)
    type = annotation_type(lowering.context, lowering.function, written)
    if type is None:
        raise Abandoned
    if not isinstance(found, OptionalType | UnionType) and not is_object(found):
        if is_instance_of(found, type):
            return lowering.const(True, BOOL, span)
        if isinstance(found, ClassType) and isinstance(type, ClassType) and type.info.derives_from(found.info):
            return lowering.leaf(IS_INSTANCE, [value, lowering.const(type, TYPE, span)], BOOL, span)
        return lowering.const(False, BOOL, span)
    if isinstance(found, UnionType | OptionalType):
        wanted = [m for m in members if any(is_instance_of(m, w) for w in members_of(type))]
        narrower = [
            m for m in members_of(type)
            if isinstance(m, ClassType) and any(isinstance(o,
                                                           ClassType) and m.info.derives_from(o.info) for o in members)
        ]  # fmt: skip
        return one_of(lowering, value, list(dict.fromkeys([*wanted, *narrower])), span)
    return one_of(lowering, value, instances_of(type), span)


def one_of(lowering: FunctionLowering, value: Value, wanted: Sequence[Type], span: Span) -> Value:
    """Whether a value of a union is of one of some of its members."""

    if not wanted:
        return lowering.const(False, BOOL, span)
    if isinstance(value.type, OptionalType):
        absent = is_none(lowering, value, span)
        if NONE in wanted:
            return lowering.const(True, BOOL, span) if len(wanted) > 1 else absent
        inner = value.type.value
        present = lowering.apply("not", [absent], span)
        if is_subtype(inner, wanted[0]):
            return present
        then = lowering.branch(lambda: _one_of_class(lowering, narrow(lowering, value, inner, span), wanted[0], span))
        orelse = lowering.branch(lambda: lowering.const(False, BOOL, span))
        out = merge(lowering, present, then, orelse, span, BOOL)
        assert out is not None
        return out
    out = lowering.const(False, BOOL, span)
    for i, type in enumerate(wanted):
        test = lowering.leaf(IS_INSTANCE, [value, lowering.const(type, TYPE, span)], BOOL, span)
        out = lowering.apply("bitwise_or", [out, test], span) if i else test
    return out


def _one_of_class(lowering: FunctionLowering, value: Value, type: Type, span: Span) -> Value:
    return lowering.leaf(IS_INSTANCE, [value, lowering.const(type, TYPE, span)], BOOL, span)
