"""Lowers a loop again when its names need wider types from the beginning."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from tscript.diagnostics import Span
from tscript.frontend.lowering.exits import report_once
from tscript.frontend.lowering.frames import MAX_WIDENINGS, LoopExits
from tscript.frontend.lowering.lowering import Lowering
from tscript.frontend.lowering.merging import report_change, wider
from tscript.frontend.lowering.remembered import Start, Step, paths_of
from tscript.frontend.lowering.scopes import (
    FACTS,
    NOTHING,
    Bound,
)
from tscript.frontend.lowering.trials import Trial
from tscript.ir.graph import Value
from tscript.late import replace


def widening(lowering: Lowering, run: Callable[[], LoopExits], span: Span, exits: LoopExits | None = None) -> None:
    """Lower a loop, again when names turn out to need wider types than they begin with.

    Args:
        lowering: Where it stands.
        run: Lowers it; gives its ways out.
        span: The statement or expression that it is.
        exits: Those of a loop around that it is a part of.
    """
    outer = lowering.remembered
    lowering.remembered = outer.inner(span)
    try:
        _widening(lowering, run, span, exits)
    finally:
        lowering.remembered = outer


def _widening(lowering: Lowering, run: Callable[[], LoopExits], span: Span, exits: LoopExits | None) -> None:
    remembered, before = lowering.remembered, dict(lowering.scope)
    start = remembered.start(lowering.scope, span)
    steps = [] if start is None else list(start.steps)
    for step in steps:
        _take(lowering, step, None)
    tries = 0 if start is not None and start.is_hopeless else MAX_WIDENINGS - len(steps)
    for _ in range(tries):
        remembered.begin()
        trial = Trial(lowering, () if exits is None else (exits,))
        own = run()
        if not own.is_again:
            if start is not None:
                remembered.keep(replace(start, steps=steps), before, partial(wider, lowering))
            return
        trial.take_back()
        if start is None:
            start = Start(remembered.state(lowering.scope, span), ())
        paths = paths_of(lowering.scope)
        forgotten = frozenset(paths[place] for place in own.forgotten if place in paths)
        steps.append(Step(dict(own.widened), forgotten))
        _take(lowering, replace(steps[-1], places=frozenset(own.forgotten)), own.where)
    if start is not None:
        remembered.keep(replace(start, steps=steps, is_hopeless=True), before, partial(wider, lowering))
    lowering.scope[FACTS] = NOTHING
    remembered.begin()
    own = run()
    for name, wide in own.widened.items():  # it grows with each iteration
        before_it = lowering.scope[name]
        assert isinstance(before_it, Bound)
        report_once(lowering, own, name, before_it, Bound(Value(wide), before_it.span))


def _take(lowering: Lowering, step: Step, where: str | None) -> None:
    """Begin a loop with the types that it needs. A value that does not fit is an error in the loop (`where` in
    messages), or left out."""
    lowering.scope[FACTS] = step.facts(lowering.scope)
    for name, wide in step.widened.items():
        binding = lowering.scope.get(name)
        if where is None and not isinstance(binding, Bound):
            continue
        assert isinstance(binding, Bound)
        value = lowering.coerce(binding.base.value, wide, binding.span)
        if value is None:  # an empty container whose type cannot be decided here
            if where is None:
                continue
            report_change(lowering, name, binding, Bound(Value(wide), binding.span), where)
            value = Value(wide)
        lowering.scope[name] = Bound(binding.value, binding.span, Bound(value, binding.span))
