"""Schemas and type rules of custom operators: what is taken, and what is refused with which words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tscript.definitions.absent import MISSING
from tscript.definitions.custom import CustomRule, SchemaError, custom_operator, operator_schema, result_type
from tscript.definitions.opdef import (
    NativeCall,
    OperatorIndexError,
    OperatorLibrary,
    OperatorRuntimeError,
    OperatorTypeError,
    OperatorValueError,
)
from tscript.definitions.resolve import Constant, resolve
from tscript.operators.table import TABLE
from tscript.types import FLOAT, TENSOR, TensorType, dtypes

F32 = TensorType(dtypes.float32, 2)


@pytest.mark.parametrize(
    ("name", "text", "shown"),
    [
        ("m::f", "(Tensor x, float a=1.0) -> Tensor", "m::f(Tensor x, float a=1.0) -> Tensor"),
        ("m::f", "f(int n) -> int", "m::f(int n) -> int"),
        ("m::f.b", "m::f.b() -> None", "m::f.b() -> None"),
        (
            "m::f",
            "(Tensor[] ts, *, int[] k=[1, 2]) -> (Tensor, bool)",
            "m::f(Tensor[] ts, *, int[] k=(1, 2)) -> (Tensor, bool)",
        ),
        ("m::f", "(Tensor(a!) x) -> ()", "m::f(Tensor(a!) x) -> ()"),
        ("m::f", "(Tensor x) -> (Tensor y, int n)", "m::f(Tensor x) -> (Tensor y, int n)"),
    ],
)
def test_schemas(name: str, text: str, shown: str) -> None:
    assert str(operator_schema(name, text)) == shown


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("f", "() -> int", "is called 'namespace::name'"),
        ("m::f::g", "() -> int", "is called 'namespace::name'"),
        ("m::", "() -> int", "is called 'namespace::name'"),
        ("größe::f", "() -> int", "is called 'namespace::name'"),
        (3, "() -> int", "is called 'namespace::name'"),
        ("m::f", 3, "must be a text, not int"),
        ("m::f", "", "is not valid"),
        ("m::f", "(Tensor x)", "is not valid"),
        ("m::f", "g(Tensor x) -> Tensor", "is written for 'g'"),
        ("m::f", "(Foo x) -> Tensor", "unknown type 'Foo'"),
        ("m::f", "(Tensor 1x) -> Tensor", "is not valid"),
        ("m::f", "(int n=) -> int", "default without a value"),
        ("m::f", "(int n=[) -> int", "is not valid"),
        ("m::f", "(int n=print) -> int", "is not valid"),
        ("m::f", "(int n, int n) -> int", "two parameters 'n'"),
        ("m::f", "(int n=1, int m) -> int", "without default behind one"),
        ("m::f", "(Any n) -> int", "cannot be of type Any"),
        ("m::f", "(Tensor(a!)[] n) -> int", "must be a Tensor"),
        ("m::f", "(int n) -> str", "returns 'str'"),
        ("m::f", "(int n) -> (int, (int, int))", "returns"),
        ("m::f", "(Tensor(a) x) -> Tensor(a)", "cannot share memory"),
    ],
)
def test_refused_schemas(name: Any, text: Any, said: str) -> None:
    with pytest.raises(SchemaError, match=None) as caught:
        operator_schema(name, text)
    assert said in str(caught.value)
    assert isinstance(caught.value, ValueError)


def test_written_parameters() -> None:
    schema = operator_schema("m::f", "(Tensor x, int n) -> None", ["x"])
    assert [p.written for p in schema.parameters] == [True, False]
    with pytest.raises(SchemaError, match="has no parameter 'y'"):
        operator_schema("m::f", "(Tensor x) -> None", ["y"])
    with pytest.raises(SchemaError, match="'n' of m::f is written to, so it must be a Tensor"):
        operator_schema("m::f", "(int n) -> None", ["n"])


def rule(text: str, fake: Callable[..., Any] | None = None, like: int | None = None) -> CustomRule:
    found = CustomRule(operator_schema("m::f", text), like)
    if fake is not None:
        found.set_fake(fake)
    return found


def arg(type: Any, constant: object = MISSING) -> Any:
    return Constant(constant, type)


def test_results_are_unknown_unless_declared() -> None:
    assert rule("(Tensor x) -> Tensor")([arg(F32)]) == TENSOR
    assert rule("(Tensor x) -> Tensor", like=0)([arg(F32)]) == F32
    fake = rule("(Tensor x, float a, *, int n) -> (Tensor, float)", lambda x, a, n: (TensorType(x.dtype, n), FLOAT))
    assert str(fake([arg(F32), arg(FLOAT), arg(dtypes, 3)])) == "tuple[Tensor[float32, 3], float]"
    assert rule("(Tensor x) -> Tensor", lambda x: None)([arg(F32)]) == TENSOR


@pytest.mark.parametrize(
    ("raised", "kind"),
    [
        (TypeError("no"), OperatorTypeError),
        (ValueError("no"), OperatorValueError),
        (IndexError("no"), OperatorIndexError),
        (RuntimeError("no"), OperatorRuntimeError),
        (ZeroDivisionError("no"), OperatorTypeError),
    ],
)
def test_a_fake_refuses_arguments_by_raising(raised: Exception, kind: type[Exception]) -> None:
    def fake(x: Any) -> Any:
        raise raised

    with pytest.raises(kind, match="no"):
        rule("(Tensor x) -> Tensor", fake)([arg(F32)])


@pytest.mark.parametrize("found", [3, FLOAT, (F32, F32), "Tensor"])
def test_a_fake_that_contradicts_the_schema(found: Any) -> None:
    with pytest.raises(OperatorTypeError, match="its schema says Tensor"):
        rule("(Tensor x) -> Tensor", lambda x: found)([arg(F32)])


def test_a_fake_comes_before_the_first_use() -> None:
    found = rule("(Tensor x) -> Tensor")
    found([arg(F32)])
    with pytest.raises(RuntimeError, match="used already"):
        found.set_fake(lambda x: x)
    with pytest.raises(RuntimeError, match="declared already"):
        rule("(Tensor x) -> Tensor", lambda x: x).set_fake(lambda x: x)


def test_tables_are_extended_and_never_changed() -> None:
    schema = operator_schema("m::f", "(Tensor x, float a=2.0) -> Tensor")
    op = custom_operator(schema, CustomRule(schema), len, NativeCall("f"), OperatorLibrary("m"))
    table = TABLE.extended(op)
    assert "m::f" in table and "m::f" not in TABLE
    assert table["m::f"] is op and table["add.int"] is TABLE["add.int"]
    assert table.namespace("m") == ("f",) and TABLE.namespace("m") == () and table.namespace("other") == ()
    assert resolve(table, "m::f", [arg(F32)]).op is op
    with pytest.raises(OperatorTypeError, match="'x' must be a Tensor, not float"):
        resolve(table, "m::f", [arg(FLOAT)])
    with pytest.raises(ValueError, match="already"):
        table.extended(op)


def test_effects() -> None:
    schema = operator_schema("m::f", "(int n, Tensor(a!) x) -> None")
    op = custom_operator(schema, CustomRule(schema), len, NativeCall("f"), OperatorLibrary("m"), side_effects=True)
    assert op.effects.writes == (1,) and op.effects.raises and op.effects.world and not op.exact
    assert str(result_type(schema)) == "None"
