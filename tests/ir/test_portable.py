"""What IR of a file may hold: operators that are total, and types that the language makes. Each row was accepted
once."""

from __future__ import annotations

import pytest

from tscript.definitions.opdef import Native, OperatorTypeError
from tscript.definitions.schema import OPEN
from tscript.ir.graph import Value
from tscript.ir.parser import parse_program
from tscript.ir.portable import PortableTypes
from tscript.ir.verifier import verify
from tscript.ir.verify_types import VerifyError
from tscript.operators.table import TABLE
from tscript.types import (
    ANY,
    BOOL,
    INT,
    NEVER,
    NONE,
    SIZE,
    STR,
    TENSOR,
    TYPE,
    CallableType,
    DictType,
    EnumInfo,
    EnumType,
    FutureType,
    ListType,
    NamedTupleInfo,
    OptionalType,
    SetType,
    TensorType,
    TupleType,
    UnionType,
    dtypes,
    parse_type,
)

PARAMETERS = (
    "%i: int, %s: str, %b: bool, %li: list[int], %ls: list[str], %lo: list[Optional[int]], %ti: tuple[int, "
    "...], %d: dict[str, int], "
    "%a: Any, %o: Optional[int], %u: Union[int, str], %x: Tensor, %z: Size, %t2: tuple[int, int], %e: ValueError"
)


def text_of(body: str) -> str:
    return f"graph @f({PARAMETERS}) -> int {{ {body} return %i }}"


def refused(text: str, match: str) -> None:
    with pytest.raises(VerifyError, match=match):
        verify(parse_program(text, TABLE, portable=True), from_file=True)


def test_groups_that_the_compiler_makes_are_refused() -> None:
    refused(
        text_of("%0: Tensor = fused (%q: Tensor = %x) { %1: Tensor = relu(%q) yield %1 }"),
        "the compiler makes it for itself",
    )


@pytest.mark.parametrize(
    ("body", "match"),
    [
        # elements of another type than the list's
        ("%0: None = extend.list(%li, %ls)", "'other' must be list.int., not list.str."),
        ("%0: list[int] = iadd.list(%li, %ls)", "'other' must be list.int., not list.str."),
        ("%n: None = const None %0: None = set_slice.list(%li, %n, %n, %n, %ls)", "'other' must be list.int."),
        ("%0: None = permute.list(%li, %ls)", "'order' must be list.int., not list.str."),
        ("%0: list[int] = take.list(%li, %ls)", "'order' must be list.int., not list.str."),
        ("%0: str = join.str(%s, %li)", "'items' must be list.str., not list.int."),
        ("%0: None = append.list(%lo, %i)", "'item' must be Optional.int., not int"),
        ("%0: None = append.list(%li, %s)", "'item' must be int, not str"),
        ("%0: int = setdefault.dict(%d, %i, %i)", "'key' must be str, not int"),
        # tuples do not change
        ("%0: None = append.list(%ti, %i)", "is immutable"),
        ("%0: None = sort.list(%ti, %b)", "is immutable"),
        # conversions that do not look at what a value is
        ("%t: type = const type(Tensor[float32, 1]) %0: Tensor[float32, 1] = downcast(%x, %t)", "does not become"),
        ("%t: type = const type(Tensor[float32, 1]) %0: Tensor[float32, 1] = downcast(%a, %t)", "does not become"),
        ("%t: type = const type(Size) %0: Size = downcast(%a, %t)", "does not become"),
        ("%t: type = const type(tuple[int, int]) %0: tuple[int, int] = downcast(%z, %t)", "does not become"),
        ("%t: type = const type(Optional[int]) %0: Optional[int] = unbox(%a, %t)", "does not become"),
        ("%t: type = const type(Any) %0: Any = box(%o, %t)", "does not become"),
        ("%t: type = const type(Any) %0: Any = box(%t, %t)", "takes a value, and .* is a type"),
        ("%t: type = const type(Optional[tuple[Optional[int], int]]) %0: Optional[tuple[Optional[int], "
         "int]] = upcast(%t2, %t)",
         "does not become"),
        ("%0: bool = is_none(%i)", "a int is never None"),
        ("%0: bool = is_same(%i, %i)", "a int is no object"),
        ("%t: type = const type(int) %0: bool = is_instance(%o, %t)", "does not become"),
        # what only native code may read and write
        ('%n: str = const "__record__" %0: None = set_field.object(%e, %n, %i)', "has no field '__record__'"),
        ('%n: str = const "__record__" %0: int = get_field.object(%e, %n)', "has no field '__record__'"),
        ("%t: type = const type(ValueError) %0: ValueError = new.exception(%i, %t)", "None or an object, not a int"),
        # operands that are types, and types that are operands
        ("%0: list[int] = list.make(%i)", "parameter type takes type"),
        ("%0: int = list.make()", "list.make has 2 parameters, found 0 inputs"),
        ("%t: type = const type(int) %0: int = hash.any(%t)", "takes a value, and .* is a type"),
        ("%t: type = const type(int) %0: bool = eq.any(%t, %t)", "takes a value, and .* is a type"),
        ("%0: Tensor = slice.Tensor(%x, %i, %o, %o, %i)", "takes a value or None that is known"),
        ("%0: Size = const (1, 2)", "the constant is not of type Size"),
        # tasks
        ("%0: Future[int] = fork @f(%i, %s, %b, %li, %ls, %lo, %ti, %d, %a, %o, %u, %x, %z, %t2, %e)", "never changes"),
    ],
)  # fmt: skip
def test_operators_bind_what_they_take(body: str, match: str) -> None:
    refused(text_of(body), match)


@pytest.mark.parametrize(
    ("slots", "body", "match"),
    [
        ("(%s)", "set T0 0 (%i) yield", "the slot: expected str, found %i of type int"),
        ("(%s)", "set T0 1 (%s) yield", "there is no slot 1"),
        ("(%i)", "yield", "slots: expected str, found %i of type int"),
    ],
)
def test_slots_are_of_their_types(slots: str, body: str, match: str) -> None:
    handler = "except ValueError (%0: str) { yield }"
    refused(f"graph @f(%i: int, %s: str) -> int {{ try T0 {slots} {{ {body} }} {handler} return %i }}", match)


def test_handlers_agree_on_slots() -> None:
    text = "except ValueError (%0: str) { yield } except KeyError (%1: int) { yield }"
    refused(
        f"graph @f(%i: int, %s: str) -> int {{ try T0 (%s) {{ yield }} {text} return %i }}", "handlers take the slots"
    )


@pytest.mark.parametrize(
    "type",
    [
        UnionType((INT,)), UnionType((INT, INT)), UnionType((NONE, INT, STR)), UnionType((INT, NONE)),
        UnionType((INT, ANY)),
        UnionType((INT, OptionalType(STR))), UnionType((INT, UnionType((STR, INT)))), UnionType((INT, NEVER)),
        OptionalType(NONE), OptionalType(ANY), OptionalType(OptionalType(INT)), OptionalType(UnionType((INT, STR))),
        OptionalType(NEVER),
        TYPE, ListType(TYPE), TupleType((NEVER,)), ListType(TupleType((INT, NEVER))),
        ListType(TensorType(dtypes.float32, 1)), DictType(STR, TensorType(None, 2)),
        OptionalType(TensorType(dtypes.int64, None)),
        CallableType((TensorType(None, 1),), INT), FutureType(TensorType(dtypes.bool_, 0)),
        ListType(TupleType((TensorType(None, 1),))),
        FutureType(DictType(STR, INT)), FutureType(ListType(ListType(INT))),
        EnumType(EnumInfo("m.E", {})), TupleType((INT,), NamedTupleInfo("m.N", ("a", "b"))),
    ],
    ids=str,
)  # fmt: skip
def test_types_that_the_language_does_not_make(type: object) -> None:
    assert PortableTypes().refusal(type) is not None  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "type",
    [INT, ANY, SIZE, NEVER, TensorType(dtypes.float32, 1), TupleType((TensorType(None, 1), INT)), ListType(NEVER),
     DictType(NEVER, NEVER),
     SetType(NEVER), UnionType((INT, STR, NONE)), OptionalType(TupleType((STR, INT))),
     FutureType(TupleType((TensorType(), INT)))],
    ids=str,
)  # fmt: skip
def test_types_of_the_language(type: object) -> None:
    assert PortableTypes().refusal(type) is None  # type: ignore[arg-type]


def test_no_native_operator_leaves_open_what_its_arguments_hold() -> None:
    """Native code takes the elements of all its containers for those of the first: the schema says what the others
    hold."""
    for op in TABLE:
        if isinstance(op.implementation, Native) and op.name not in (*OF_TENSORS, *OF_INSTANCES):
            assert not [p for p in op.schema.parameters[1:] if p.kind in OPEN], op.schema


OF_INSTANCES = ("same_class.object",)
"""Operators whose rules take nothing but instances."""


@pytest.mark.parametrize("name", OF_INSTANCES)
def test_other_values_are_no_instances(name: str) -> None:
    op = TABLE[name]
    for kind in (INT, STR, ListType(INT), TENSOR):
        with pytest.raises(OperatorTypeError):
            op.type_rule([Value(parse_type("ValueError")), Value(kind)])


OF_TENSORS = ("lstm_layers.list", "recurrent_layers.list")
"""Operators whose rules say what their lists hold."""


@pytest.mark.parametrize("name", OF_TENSORS)
def test_lists_of_weights_hold_tensors(name: str) -> None:
    op = TABLE[name]
    of_kind = {"Tensor": TENSOR, "Tensor?": TENSOR, "bool": BOOL, "int": INT}
    for element, is_refused in ((TENSOR, False), (INT, True), (STR, True)):
        args = [Value(of_kind.get(p.kind, ListType(element))) for p in op.schema.parameters]
        if is_refused:
            with pytest.raises(OperatorTypeError, match="the weights of a recurrent network are tensors"):
                op.type_rule(args)
        else:
            op.type_rule(args)
