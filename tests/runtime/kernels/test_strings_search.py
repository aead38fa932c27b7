"""Where a text is in another, and what is put in its place, against CPython."""

from __future__ import annotations

import operator
import random

from hypothesis import example, given
from hypothesis import strategies as st

from tests.runtime.kernels.strings import binaries, check, examples, native, short_texts, small_ints, texts

short_binaries = st.text(st.sampled_from("abAB ,"), max_size=2).map(str.encode)
searches = st.one_of(st.tuples(texts, short_texts), st.tuples(texts, texts), st.tuples(binaries, short_binaries))
parts = texts.flatmap(lambda s: st.tuples(st.just(s), st.integers(0, len(s)), st.integers(0, 4))).map(
    lambda found: (found[0], found[0][found[1] : found[1] + found[2]])
)
pairs = st.one_of(searches, parts)


@examples
@given(pairs, small_ints, small_ints)
@example(("abc", ""), 3, None)
@example(("abc", ""), 4, None)
@example(("abc", ""), -1, -2)
def test_find(pair, start, end):
    args = (*pair, start, end)
    for name in ("find", "rfind", "index", "rindex", "count", "startswith", "endswith"):
        check(f"str_{name}", args, lambda s, *rest, name=name: getattr(s, name)(*rest))


@examples
@given(pairs)
def test_affixes(pair):
    check("str_contains", pair, operator.contains)
    for name in ("removeprefix", "removesuffix"):
        check(f"str_{name}", pair, lambda s, t, name=name: getattr(s, name)(t))


@examples
@given(pairs, st.one_of(short_texts, texts), st.integers(-1, 4))
@example(("", ""), "xy", -1)
@example((b"\0\0\0\0\0\0\0A", b"A"), "", 1)
@example(("a\u00e9\u00e9", "\u00e9"), "e", -1)
@example(("a\U0001f600", "\U0001f600"), "\u0100", -1)
def test_replace(pair, new, count):
    if isinstance(pair[0], bytes):
        new = new.encode("utf-8", "replace")
    check("str_replace", (*pair, new, count), lambda s, *rest: s.replace(*rest))


def test_long_texts():
    generator = random.Random(5)
    machine = native()
    for letters in ("ab", "abcdefgh", "a\u00e9", "a\u0100", "a\U0001f600"):
        text = "".join(generator.choices(letters, k=5000))
        for size in (1, 2, 3, 8, 9, 17, 100):
            for at in (0, 1, 2500, 5000 - size):
                sub = text[at : at + size]
                for start in (0, at, at + 1):
                    assert machine.call("str_find", text, sub, start, None) == text.find(sub, start)
                assert machine.call("str_rfind", text, sub, None, None) == text.rfind(sub)
                assert machine.call("str_count", text, sub, None, None) == text.count(sub)
                assert machine.call("str_find", text, sub + "zz", None, None) == -1
                assert machine.call("str_replace", text, sub, "-+-", -1) == text.replace(sub, "-+-")


def test_no_text_makes_a_search_quadratic():
    machine = native()
    for letter in ("a", "\u0100"):
        text = letter * 2_000_000
        sub = letter * 20_000 + "b" + letter * 20_000
        assert machine.call("str_find", text, sub, None, None) == -1
        assert machine.call("str_find", text + sub, sub, None, None) == len(text)
        assert machine.call("str_count", text + sub, sub, None, None) == 1
