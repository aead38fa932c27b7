"""Types of expressions, found by trial lowering into a discarded block."""

from __future__ import annotations

import ast

from tscript.diagnostics import Span
from tscript.frontend.lowering.function import FunctionLowering, Source
from tscript.frontend.lowering.kinds import Run
from tscript.frontend.lowering.trials import Trial
from tscript.types import Type
from tscript.types.inference import has_open_part


def type_of_expression(lowering: FunctionLowering, node: ast.expr) -> Type:
    """The type of an expression, found by trial lowering into a discarded block; once for each set of known facts."""
    state = (
        None if isinstance(node, ast.Name) else (node, lowering.remembered.state(lowering.scope, lowering.span(node)))
    )
    if state in lowering.probed:
        return lowering.probed[state]
    trial = Trial(lowering)
    found = lowering.branch(lambda: lowering.value(node)).value
    assert found is not None
    type = found.type
    trial.take_back()
    if state is not None and not has_open_part(type):
        lowering.probed[state] = type
    return type


def probe(lowering: FunctionLowering, source: Source, span: Span) -> Type | None:
    """The element type of a source, found by trial lowering of a loop over it; once for each set of known facts."""
    state = span, lowering.remembered.state(lowering.scope, span)
    if state in lowering.probed:
        return lowering.probed[state]
    found: list[Type] = []
    trial = Trial(lowering)
    lowering.branch(lambda: source.run(lowering, lambda x: found.append(x.type), Run({}, span)))
    if not found:
        return None
    trial.take_back()
    if not has_open_part(found[0]):
        lowering.probed[state] = found[0]
    return found[0]
