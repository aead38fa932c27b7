"""Operators on texts: their meaning, with the defaults of their schemas, is that of Python's methods."""

from __future__ import annotations

import pytest

from tscript.definitions.absent import REQUIRED
from tscript.definitions.opdef import Native, OpDef, OperatorTypeError
from tscript.definitions.values import ValueArg
from tscript.operators.python.strings import OPERATORS
from tscript.operators.python.strings_case import OPERATORS as CASE_OPERATORS
from tscript.operators.table import TABLE
from tscript.types import BYTES, INT, STR, ListType, TupleType

RECEIVERS = {"str": "Ab c\tb", "bytes": b"Ab c\tb"}
METHODS = [
    op
    for op in (*OPERATORS, *CASE_OPERATORS)
    if op.schema.overload in RECEIVERS and hasattr(RECEIVERS[op.schema.overload], op.schema.name)
]


@pytest.mark.parametrize("op", METHODS, ids=lambda op: op.name)
def test_defaults_are_those_of_the_method(op: OpDef) -> None:
    receiver = RECEIVERS[op.schema.overload]
    kinds = {"str": "b", "bytes": b"b", "int": 9, "list[self]": [receiver, receiver]}
    required = [kinds[p.kind] for p in op.schema.parameters[1:] if p.default is REQUIRED]
    defaults = [p.default for p in op.schema.parameters[1:] if p.default is not REQUIRED]
    wanted = getattr(receiver, op.schema.name)(*required)
    assert op.semantics(receiver, *required, *defaults) == wanted


def test_results_have_the_types_of_their_schemas() -> None:
    assert TABLE["split.str"].type_rule([ValueArg("a"), ValueArg(None), ValueArg(-1)]) == ListType(STR)
    assert TABLE["rpartition.bytes"].type_rule([ValueArg(b"a"), ValueArg(b"b")]) == TupleType((BYTES, BYTES, BYTES))
    assert TABLE["getitem.bytes"].type_rule([ValueArg(b"a"), ValueArg(0)]) == INT
    with pytest.raises(OperatorTypeError, match=r"'items' must be list\[str\], not int"):
        TABLE["join.str"].type_rule([ValueArg(","), ValueArg(1)])


def test_what_may_grow_is_not_made_by_the_compiler() -> None:
    for name in ("mul.str", "mul.int_bytes", "ljust.str", "expandtabs.bytes", "replace.str"):
        assert not TABLE[name].exact


def test_new_lists_are_never_merged() -> None:
    for op in OPERATORS:
        assert isinstance(op.implementation, Native)
        assert not (op.effects.is_pure and "list" in op.schema.result), op
