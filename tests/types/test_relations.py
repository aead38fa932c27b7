"""Subtype and join: the laws of a lattice, as far as it goes."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tscript.types import (
    BOOL,
    FLOAT,
    I32,
    INT,
    NEVER,
    NONE,
    SIZE,
    TENSOR,
    OptionalType,
    PtrType,
    TensorType,
    TupleType,
    Type,
    dtypes,
    is_subtype,
    join,
)

tensors = st.builds(TensorType, st.sampled_from([None, dtypes.float32, dtypes.int64]), st.sampled_from([None, 0, 1, 2]))
leaves = st.one_of(tensors, st.sampled_from([INT, INT, FLOAT, BOOL, NONE, NEVER, SIZE, I32, PtrType(INT)]))
types = st.recursive(leaves, lambda e: st.lists(e, max_size=2).map(lambda e: TupleType(tuple(e))), max_leaves=4)


@given(types)
def test_reflexive(a: Type):
    assert is_subtype(a, a)
    assert join(a, a) == a
    assert is_subtype(NEVER, a)
    assert join(NEVER, a) == a == join(a, NEVER)


@given(types, types)
def test_antisymmetric(a: Type, b: Type):
    if is_subtype(a, b) and is_subtype(b, a):
        assert a == b


@given(types, types, types)
def test_transitive(a: Type, b: Type, c: Type):
    if is_subtype(a, b) and is_subtype(b, c):
        assert is_subtype(a, c)


@given(types, types)
def test_join_is_commutative_and_an_upper_bound(a: Type, b: Type):
    joined = join(a, b)
    assert joined == join(b, a)
    if joined is not None:
        assert is_subtype(a, joined)
        assert is_subtype(b, joined)
    if is_subtype(a, b):
        assert joined == b


@given(types, types, types)
def test_join_is_the_least_upper_bound(a: Type, b: Type, bound: Type):
    if is_subtype(a, bound) and is_subtype(b, bound):
        joined = join(a, b)
        assert joined is not None
        assert is_subtype(joined, bound)


def join_all(*types: Type) -> Type | None:
    out: Type | None = NEVER
    for t in types:
        out = None if out is None else join(out, t)
    return out


@given(types, types, types)
def test_join_is_associative_where_it_is_defined(a: Type, b: Type, c: Type):
    found = {join_all(*order) for order in itertools.permutations((a, b, c))} - {None}
    assert len(found) <= 1


@pytest.mark.parametrize(
    ("a", "b", "joined"),
    [
        (TensorType(dtypes.float32, 1), TensorType(dtypes.float32, 2), TensorType(dtypes.float32)),
        (TensorType(dtypes.float32, 1), TensorType(dtypes.int64, 1), TensorType(None, 1)),
        (TensorType(dtypes.float32, 1), TensorType(dtypes.int64, 2), TENSOR),
        (TupleType((INT, INT)), TupleType((INT,)), SIZE),
        (TupleType((INT, INT)), SIZE, SIZE),
        (TupleType((INT, TENSOR)), TupleType((INT, TensorType(None, 1))), TupleType((INT, TENSOR))),
        (TupleType((INT, FLOAT)), TupleType((INT, INT)), None),
        (TupleType((INT, FLOAT)), TupleType((INT,)), None),
        (INT, FLOAT, None),
        (INT, BOOL, None),
        (INT, NONE, OptionalType(INT)),
        (TENSOR, INT, None),
    ],
)
def test_joins(a, b, joined):
    assert join(a, b) == joined


def test_subtypes():
    assert is_subtype(TensorType(dtypes.float32, 1), TENSOR)
    assert is_subtype(TensorType(dtypes.float32, 1), TensorType(None, 1))
    assert not is_subtype(TENSOR, TensorType(None, 1))
    assert not is_subtype(INT, FLOAT)
    assert is_subtype(TupleType(()), SIZE)
    assert not is_subtype(SIZE, TupleType(()))
