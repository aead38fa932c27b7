"""Tests of signature stubs: their spelling and their text. What they do is tested with the runtime's boundary."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tscript.abi.signature import PARAMETER_LETTERS, RESULT_LETTERS, Item, Signature, letters, parse_signature
from tscript.abi.signature_types import signature_of
from tscript.backend.llvm.target import Target
from tscript.backend.loader.optimise import parsed
from tscript.backend.stubs.module import stubs_module
from tscript.types import (
    BOOL,
    DTYPE,
    FLOAT,
    INT,
    NONE,
    SIZE,
    STR,
    TENSOR,
    PtrType,
    TensorType,
    TupleType,
    Type,
    dtypes,
)


def items(letters: frozenset[str]) -> st.SearchStrategy[Item]:
    """Items of signatures over `letters`."""
    objects = st.builds("{}<{}>".format, st.sampled_from(sorted(letters & {"O", "M"})), st.text("pifbd", max_size=3))
    plain = st.sampled_from(sorted(letters - {"O", "M"}))
    return st.recursive(plain | objects, lambda i: st.lists(i, max_size=3).map(tuple), max_leaves=6)


def named(signature: Signature) -> Signature:
    """The signature with a result of a class, if that is a tuple."""
    return signature.named() if isinstance(signature.result, tuple) else signature


plain = st.builds(Signature, st.lists(items(PARAMETER_LETTERS), max_size=5).map(tuple), items(RESULT_LETTERS))
signatures = plain | plain.map(named)


@given(signatures)
def test_round_trip(signature: Signature) -> None:
    assert parse_signature(str(signature)) == signature
    assert signature.symbol.isidentifier()
    assert "".join(letters(signature.result)) == str(signature).split(":")[1].replace("(", "").replace(")", "")


@given(st.lists(signatures, max_size=4, unique=True))
def test_stubs_are_valid(found: list[Signature]) -> None:
    module = parsed(stubs_module(found, 24, Target.host()).text)
    defined = {f.name for f in module.functions if not f.is_declaration}
    assert defined == {s.symbol for s in found}
    module.close()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "f",
        "f:",
        ":",
        "f:ff",
        "(f:f",
        "f):f",
        "f:(f",
        "x:f",
        "f:x",
        "S:f",
        "f:_",
        "f:f:f",
        "f:t",
        "f:(ft)",
        "(tf):f",
        "O:f",
        "O<p:f",
        "f:M<p>",
        "x<p>:f",
    ],
)
def test_what_is_not_a_signature(text: str) -> None:
    with pytest.raises(ValueError, match="signature"):
        parse_signature(text)


@pytest.mark.parametrize(
    ("parameters", "result", "static", "expected"),
    [
        ([INT, FLOAT, BOOL, TENSOR, DTYPE, NONE, STR], NONE, [], "ifbTd_O<p>:N"),
        ([TensorType(dtypes.float32, 2), BOOL, INT], TENSOR, [False, True], "T_i:T"),
        ([TupleType((INT, TupleType((FLOAT,))))], TupleType((SIZE, STR, TupleType(()))), [], "(i(f)):(SO<p>())"),
    ],
)
def test_signature_of(parameters: list[Type], result: Type, static: list[bool], expected: str) -> None:
    assert str(signature_of(parameters, result, static)) == expected


def test_types_that_do_not_cross() -> None:
    for bad in (SIZE, PtrType(INT)):
        with pytest.raises(ValueError, match="does not cross"):
            signature_of([bad], NONE)
    with pytest.raises(ValueError, match="does not cross"):
        signature_of([], PtrType(INT))
