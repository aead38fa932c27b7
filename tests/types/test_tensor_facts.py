"""What is known of a tensor: printed, joined, in types, and in keys."""

from __future__ import annotations

import pickle

import pytest

import tscript
from tscript.abi.tensor_facts import key_word
from tscript.runtime.boundary.native.keys import Tag
from tscript.runtime.session.process import current
from tscript.types import TENSOR, TensorFacts, TensorType, dtypes, is_subtype, join, parse_type

MATRIX = TensorFacts(dtypes.float32, 2)
GRADIENT = TensorFacts(dtypes.float32, 2, requires_grad=True)


@pytest.mark.parametrize(
    ("facts", "text"),
    [
        (TensorFacts(), "Tensor"),
        (MATRIX, "Tensor[float32, 2]"),
        (TensorFacts(dtypes.int8), "Tensor[int8, ?]"),
        (GRADIENT, "Tensor[float32, 2, requires_grad=True]"),
        (TensorFacts(device="other"), "Tensor[?, ?, device=other]"),
    ],
)
def test_what_is_usual_is_not_printed(facts: TensorFacts, text: str) -> None:
    assert str(facts) == str(TensorType(facts=facts)) == text


def test_a_type_is_made_of_facts() -> None:
    known = TensorType(dtypes.float32, 2)
    assert known == TensorType(facts=MATRIX) == parse_type("Tensor[float32, 2]")
    assert (known.dtype, known.rank, known.is_known) == (dtypes.float32, 2, True)
    assert known != TensorType(facts=GRADIENT)
    for type in (known, TENSOR, TensorType(facts=GRADIENT)):
        assert pickle.loads(pickle.dumps(type)) == type


def test_relations() -> None:
    known, other = TensorType(facts=MATRIX), TensorType(facts=GRADIENT)
    assert is_subtype(known, TENSOR)
    assert not is_subtype(other, TENSOR)
    assert join(known, TensorType(dtypes.float32, 1)) == TensorType(dtypes.float32)
    assert join(known, TensorType(dtypes.int8, 2)) == TensorType(rank=2)
    assert join(known, other) is None
    assert GRADIENT.general() == TensorFacts(requires_grad=True)
    assert MATRIX.holds(MATRIX)
    assert not MATRIX.holds(TensorFacts(dtypes.float32))


@pytest.mark.parametrize("rank", range(4))
@pytest.mark.parametrize("dtype", [dtypes.float32, dtypes.int64, dtypes.bool_])
def test_a_key_holds_the_facts(dtype: dtypes.DType, rank: int) -> None:
    tensor = tscript.zeros((2,) * rank, dtype=dtype)
    key = current().native.callables.key_of(tscript.add, (tensor,))
    assert key == (key_word(Tag.TENSOR, TensorFacts(dtype, rank)),)
