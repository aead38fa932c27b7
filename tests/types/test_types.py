"""Types: one spelling that reads back, hashing, the types of machine scalars."""

from __future__ import annotations

import copy
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tscript.types import (
    BOOL,
    DTYPE,
    F32,
    F64,
    FLOAT,
    I8,
    I16,
    I32,
    I64,
    INT,
    MACHINE,
    NEVER,
    NONE,
    SIZE,
    STR,
    TENSOR,
    TYPE,
    U8,
    ListType,
    MachineType,
    PtrType,
    StructType,
    TensorType,
    TupleType,
    Type,
    TypeLimitError,
    UnionType,
    dtype_of,
    dtypes,
    is_subtype,
    machine_type,
    parse_type,
    passes_as,
    union,
)

SIMPLE = [INT, FLOAT, BOOL, STR, NONE, DTYPE, TYPE, NEVER, TENSOR, SIZE, I8, I16, I32, U8, F32]
tensors = st.builds(TensorType, st.sampled_from([None, *dtypes.DTYPES]), st.none() | st.integers(0, 64))
leaves = st.one_of(st.sampled_from(SIMPLE), tensors, st.just(PtrType(StructType("TensorImpl"))))
types = st.recursive(
    leaves,
    lambda inner: st.one_of(st.builds(PtrType, inner), st.lists(inner, max_size=4).map(lambda e: TupleType(tuple(e)))),
    max_leaves=12,
)


@given(types)
def test_every_type_reads_back(type: Type):
    assert parse_type(str(type)) == type
    assert hash(parse_type(str(type))) == hash(type)
    assert parse_type(f"  {str(type).replace(',', ' ,  ').replace('[', '[ ')} ") == type


@given(types)
def test_types_survive_pickling_and_copying(type: Type):
    assert pickle.loads(pickle.dumps(type)) == type
    assert copy.deepcopy(type) == type


@pytest.mark.parametrize(
    ("text", "type"),
    [
        ("Tensor[float32, 2]", TensorType(dtypes.float32, 2)),
        ("Tensor[?, 0]", TensorType(None, 0)),
        ("Tensor[bool, ?]", TensorType(dtypes.bool_)),
        ("Tensor[?, ?]", TENSOR),
        ("i64", INT),
        ("f64", FLOAT),
        ("b8", BOOL),
        ("tuple[()]", TupleType(())),
        ("tuple[tuple[()], int]", TupleType((TupleType(()), INT))),
        ("Ptr[Ptr[u8]]", PtrType(PtrType(U8))),
    ],
)
def test_spellings(text, type):
    assert parse_type(text) == type


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "integer",
        "int int",
        "int]",
        "Tensor[",
        "Tensor[]",
        "Tensor[float32]",
        "Tensor[float32,]",
        "Tensor[float32, -1]",
        "Tensor[float32, 1_0]",
        "Tensor[float32, x]",
        "Tensor[f32, 1]",
        "Tensor[float32, 1, 2]",
        "tuple[]",
        "tuple[int,]",
        "tuple[int",
        "tuple[(), int]",
        "tuple",
        "Ptr",
        "Ptr[]",
        "Ptr[int, int]",
        "list[int, int]",
        "dict[int]",
        "tuple[..., int]",
        "int[3]",
        "[int]",
        "9",
        "tuple[" * 100_000,
        "Ptr[" * 65 + "int" + "]" * 65,
    ],
    ids=lambda text: text[:20],
)
def test_what_is_no_type_is_a_value_error(text):
    with pytest.raises(ValueError, match=r"."):
        parse_type(text)


@given(st.text("Tensorup[](),? int32float0-"))
def test_reading_any_text_gives_a_type_or_a_value_error(text):
    try:
        found = parse_type(text)
    except ValueError:
        return
    assert parse_type(str(found)) == found


def test_types_that_share_their_parts_cost_no_more_than_what_they_are_made_of():
    type: Type = INT
    for _ in range(14):
        type = TupleType((type, type))
    with pytest.raises(TypeLimitError, match="at most 32,768 parts, this tuple would have 65,535"):
        TupleType((type, type))
    assert (type.parts, type.levels) == (2**15 - 1, 14)
    again: Type = INT
    for _ in range(14):
        again = TupleType((again, again))
    assert again == type and hash(again) == hash(type) and again is not type
    assert parse_type(str(type)) == type
    assert not is_subtype(type, ListType(INT)) and is_subtype(again, type) and passes_as(again, type)


def test_types_are_not_nested_without_limit():
    type: Type = INT
    for _ in range(64):
        type = ListType(type)
    assert parse_type(str(type)) == type
    with pytest.raises(TypeLimitError, match="at most 64 levels, this list would have 65"):
        ListType(type)


def test_unions_have_a_limit():
    members: list[Type] = [TupleType((INT,) * n) for n in range(65)]
    assert isinstance(union(members[:64]), UnionType)
    with pytest.raises(TypeLimitError, match="at most 64 members"):
        union(members)
    with pytest.raises(TypeLimitError, match="made of 5000"):
        union([TupleType((INT,) * n) for n in range(5000)])


def test_a_long_type_is_read_in_one_go():
    text = f"tuple[{'int , ' * 30_000}int]"
    assert len(parse_type(text).made_of) == 30_001
    with pytest.raises(TypeLimitError, match="40,002"):
        parse_type(f"tuple[{'int , ' * 40_000}int]")
    with pytest.raises(ValueError, match="not a type") as raised:
        parse_type("a" * 10**6)
    assert len(str(raised.value)) < 200


def test_types_compare_by_value():
    assert TensorType(dtypes.float32, 1) == TensorType(dtypes.float32, 1)
    assert TensorType(dtypes.float32, 1) != TensorType(dtypes.float64, 1)
    assert len({TensorType(), TENSOR, INT, I64, BOOL, F64}) == 4
    with pytest.raises(AttributeError):
        TENSOR.rank = 3  # type: ignore[misc]


def test_a_known_tensor_has_dtype_and_rank():
    assert TensorType(dtypes.float32, 0).is_known
    assert not TensorType(dtypes.float32).is_known
    assert not TensorType(None, 0).is_known


def test_machine_types_and_dtypes_match():
    for dtype in dtypes.DTYPES:
        assert dtype_of(machine_type(dtype)) is dtype
        assert MACHINE[dtype.machine] == machine_type(dtype)
    assert (machine_type(dtypes.int64), machine_type(dtypes.float64), machine_type(dtypes.bool_)) == (INT, FLOAT, BOOL)
    assert machine_type(dtypes.float32) == MachineType(dtypes.float32) == F32
    for type in (STR, NONE, DTYPE, TENSOR, SIZE, PtrType(INT), TupleType(())):
        assert dtype_of(type) is None
