"""Taking texts apart and putting them together, against CPython."""

from __future__ import annotations

import random

from hypothesis import example, given
from hypothesis import strategies as st

from tests.runtime.kernels.strings import binaries, check, examples, native, short_texts, texts

short_binaries = st.text(st.sampled_from("abAB ,"), max_size=2).map(str.encode)
separators = st.one_of(
    st.tuples(texts, short_texts), st.tuples(binaries, short_binaries), st.tuples(st.one_of(texts, binaries), st.none())
)


@examples
@given(separators, st.integers(-1, 4))
@example((" \u3000a \x85b\x1c c ", None), 1)
@example((b" a \x85b\x1c c ", None), 1)
def test_split(pair, maxsplit):
    for name in ("split", "rsplit"):
        check(f"str_{name}", (*pair, maxsplit), lambda s, *rest, name=name: getattr(s, name)(*rest))


@examples
@given(st.one_of(texts, binaries), st.booleans())
@example("a\r\nb\rc\n\nd\u2028e\x1cf\v", True)
@example(b"a\r\nb\rc\n\nd\x1cf\v\r", False)
def test_splitlines(text, keepends):
    check("str_splitlines", (text, keepends), lambda s, k: s.splitlines(k))


@examples
@given(
    st.one_of(
        st.tuples(short_texts, st.lists(texts, max_size=5)),
        st.tuples(short_binaries, st.lists(binaries, min_size=1, max_size=5)),
    )
)
def test_join(args):
    check("str_join", args, lambda s, items: s.join(items))


@examples
@given(separators.filter(lambda pair: pair[1] is not None))
def test_partition(pair):
    for name in ("partition", "rpartition"):
        check(f"str_{name}", pair, lambda s, t, name=name: getattr(s, name)(t), out=3)


@examples
@given(separators)
def test_strip(pair):
    for name in ("strip", "lstrip", "rstrip"):
        check(f"str_{name}", pair, lambda s, t, name=name: getattr(s, name)(t))


def test_long_texts():
    generator = random.Random(3)
    machine = native()
    for letters in ("ab  \n", "abc\u00e9  ", "\u0100ab \u3000", "\U0001f600 ab"):
        text = "".join(generator.choices(letters, k=3000)) + "x" * 100
        assert machine.call("str_split", text, None, -1) == text.split()
        assert machine.call("str_rsplit", text, None, -1) == text.rsplit()
        assert machine.call("str_split", text, "ab", -1) == text.split("ab")
        assert machine.call("str_rsplit", text, "ab", 40) == text.rsplit("ab", 40)
        assert machine.call("str_join", ", ", text.split()) == ", ".join(text.split())
