"""``isinstance``, and the tests of a value of a union."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from tscript.diagnostics import Span
from tscript.frontend.diagnostics import type_errors
from tscript.frontend.diagnostics.abandoned import Abandoned
from tscript.frontend.lowering.function import FunctionLowering
from tscript.frontend.lowering.names import static
from tscript.frontend.lowering.refinement import bare_test
from tscript.frontend.source.annotations import annotation_type
from tscript.frontend.source.numpy_names import test_of
from tscript.frontend.source.symbols import TypeSymbol
from tscript.ir.graph import Value
from tscript.types import (
    ANY,
    BOOL,
    Type,
    is_instance_of,
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
    kind = lowering.kinds.of(found)
    symbol = static(lowering, written)
    if (is_bare := bare_test(symbol)) is not None:
        members = members_of(found)
        if ANY in members:
            what = f"'{ast.unparse(written)}' without type arguments, for a value of any type,"
            instead = "declare a union of what it may be: 'x: int | list[int]'"
            raise lowering.failure(type_errors.UnsupportedAnnotation(lowering.span(written), what, instead))
        return value_one_of(lowering, value, [m for m in members if is_bare(m)], span)
    if (is_one := test_of(symbol)) is not None:
        return value_one_of(lowering, value, [m for m in members_of(found) if is_one(m)], span)
    if isinstance(symbol, TypeSymbol) and symbol.shown.startswith("torch."):
        instead = "test what it holds: isinstance(x, Tensor) and x.dtype == torch.int64"
        raise lowering.failure(type_errors.UnsupportedAnnotation(lowering.span(written), symbol.shown, instead))
    type = annotation_type(lowering.context, lowering.function, written)
    if type is None:
        raise Abandoned
    if kind.instance is not None:
        return kind.instance(lowering, value, type, span)
    return lowering.const(is_instance_of(found, type), BOOL, span)


def value_one_of(lowering: FunctionLowering, value: Value, wanted: Sequence[Type], span: Span) -> Value:
    """Whether a value is of one of some of the types that it may be of."""
    how = lowering.kind(value).one_of
    if how is None or not wanted:
        return lowering.const(bool(wanted), BOOL, span)
    return how(lowering, value, wanted, span)
