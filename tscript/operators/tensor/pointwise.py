"""What the families of pointwise operators share: the usual promotions and refusals, and definitions of the usual
forms.

A ``Tensor`` parameter also takes a number. Each definition gives the in-place variant ``name_`` too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tscript.definitions.define import pointwise, pointwise_pair
from tscript.definitions.opdef import OpDef
from tscript.definitions.promotion import (
    Computation,
    Decision,
    Operand,
    PointwiseRule,
    comparison,
    is_bool,
    is_no_float,
    not_implemented,
    promote,
    promote_float,
)
from tscript.dialect import T
from tscript.dialect.complex_math import with_complex
from tscript.types import dtypes

UNARY = (0,)
BINARY = (0, 1)

INTEGERS = tuple(d for d in dtypes.DTYPES if d.is_integer)
"""The compute dtypes that are integers; none is bool."""

Body = Callable[..., Any]
"""A dialect function of one element of each operand, a leaf operator or a `ByType`.

``T`` is the compute dtype, which is bool only where the rule keeps bools (`same`, `bitwise_not`). Arithmetic is the
machine's and raises nothing: an integer divided by zero gives 0, the most negative integer by -1 wraps.
"""


def same(x: T) -> T:
    return x


def no_bool(text: str) -> Callable[[Sequence[Operand], Computation], str | None]:
    """A refusal with `text` when the result would be bool."""

    def refuse(operands: Sequence[Operand], found: Computation) -> str | None:
        return text if found.result is dtypes.bool_ else None

    return refuse


def float_only(name: str) -> Decision:
    """Promotion that refuses all but floats, for the kernel `name` in PyTorch's words."""
    return not_implemented(promote, f"{name}_cpu", is_no_float)


def no_bools(name: str) -> Decision:
    """Promotion that refuses bools, for the kernel `name` in PyTorch's words."""
    return not_implemented(promote, name, is_bool)


def unary(
    name: str,
    decision: Decision,
    body: Body,
    doc: str,
    exact: bool = True,
    *,
    names: str | None = None,
    complex: bool = False,
) -> tuple[OpDef, ...]:
    """An operator of one tensor."""
    rule = PointwiseRule(UNARY, decision)
    return pointwise_pair(f"{name}(Tensor self) -> Tensor", rule, body, doc, exact=exact, names=names, complex=complex)


def binary(
    name: str,
    decision: Decision,
    body: Body,
    doc: str,
    guard: Callable[..., None] | None = None,
    *,
    names: str | None = None,
    complex: bool = False,
) -> tuple[OpDef, ...]:
    """An operator of two tensors, or of a tensor and a number."""
    rule = PointwiseRule(BINARY, decision, fixed=dtypes.bool_ if decision is comparison else None)
    schema = f"{name}(Tensor self, Tensor other) -> Tensor"
    return pointwise_pair(schema, rule, body, doc, guard=guard, names=names, complex=complex)


def predicate(name: str, decision: Decision, body: Body, doc: str, *, complex: bool = False) -> tuple[OpDef, ...]:
    """A question about each element; there is no in-place variant."""
    rule = PointwiseRule(UNARY, decision, fixed=dtypes.bool_)
    return (pointwise(f"{name}(Tensor self) -> Tensor", rule, body, doc, names=f"{name} out=no", complex=complex),)


def function(
    name: str, body: Body, doc: str, for_complex: Body | None = None, *, names: str | None = None
) -> tuple[OpDef, ...]:
    """A mathematical function, of integers in the default float: see `tscript.dialect.vector_math`."""
    takes_complex = for_complex is not None
    body = body if for_complex is None else with_complex(body, for_complex)
    return unary(name, promote_float, body, doc, exact=False, names=names, complex=takes_complex)
