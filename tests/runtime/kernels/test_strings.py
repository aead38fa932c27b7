"""Making, comparing, hashing, joining and slicing texts, against CPython."""

from __future__ import annotations

import operator

from hypothesis import example, given
from hypothesis import strategies as st

from tests.runtime.kernels.strings import TextModel, binaries, check, examples, native, small_ints, texts

pairs = st.one_of(st.tuples(texts, texts), st.tuples(binaries, binaries), texts.map(lambda s: (s, s)))


@examples
@given(pairs)
def test_pairs(pair):
    check("str_add", pair, operator.add)
    for name in ("eq", "ne", "lt", "le", "gt", "ge"):
        check("str_equal" if name == "eq" else f"str_{name}", pair, getattr(operator, name))


@examples
@given(st.one_of(texts, binaries), st.integers(-2, 6))
def test_mul(text, count):
    check("str_mul", (text, count), operator.mul)
    check("int_mul_str", (count, text), operator.mul)


@examples
@given(texts, st.integers(-14, 14))
def test_one(text, index):
    check("str_getitem", (text, index), operator.getitem)
    check("str_len", (text,), len)
    check("str_truth", (text,), bool)
    if 0 <= index < len(text):
        check("str_char", (text, index), operator.getitem)


@examples
@given(st.one_of(texts, binaries), small_ints, small_ints, st.one_of(st.none(), st.integers(-5, 5), small_ints))
@example("abcdef", None, None, -(2**63) + 1)
@example("abcdef", None, None, 2**63 - 1)
def test_slice(text, start, stop, step):
    check("str_slice", (text, start, stop, step), lambda s, *bounds: s[slice(*bounds)])


@examples
@given(st.lists(texts, max_size=8))
def test_hash(found):
    hashes = {text: native().call("str_hash", text) for text in found}
    assert 0 not in hashes.values()
    assert len(set(hashes.values())) == len(hashes)
    for text, value in hashes.items():
        assert native().call("str_hash", text) == value
        machine = TextModel()
        assert -(2**63) <= machine.call("str_hash", text) < 2**63


def test_hash_spreads():
    words = [
        f"{prefix}{i}{suffix}" for prefix in ("", "key", "\u00e9" * 9) for i in range(400) for suffix in ("", "\0" * 8)
    ]
    hashes = [native().call("str_hash", word) for word in words]
    assert len(set(hashes)) == len(words)
    for shift in (0, 7, 20, 40):
        assert len({h >> shift & 4095 for h in hashes}) > 0.7 * len({hash(w) & 4095 for w in words})
