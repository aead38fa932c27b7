"""Texts laid out, coded and taken to code points, against CPython."""

from __future__ import annotations

import sys

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.runtime.kernels.strings import ALPHABETS, binaries, check, examples, native, short_texts, texts

fills = st.one_of(short_texts, *(st.sampled_from(a) for a in ALPHABETS))
codings = st.sampled_from(["utf-8", "ascii", "latin-1", "UTF8", "Latin_1", "iso-8859-1"])
manners = st.sampled_from(["strict", "ignore", "replace", "surrogatepass"])
ILL_FORMED = (
    b"\xc2",
    b"\xe0\x80\x80",
    b"\xed\xa0\x80",
    b"\xf0\x9f\x98",
    b"\xf4\x90\x80\x80",
    b"\xff",
    b"\xe2\x82",
    b"\xf1\x80\x41",
    b"\xc3\xa9",
)


@examples
@given(texts, st.integers(-3, 20), fills)
def test_padding(text, width, fill):
    for name in ("center", "ljust", "rjust"):
        args = (text.encode("utf-8", "replace"), width, fill.encode("utf-8", "replace"))
        check(f"str_{name}", args, lambda s, *rest, name=name: getattr(s, name)(*rest))
    for name in ("center", "ljust", "rjust"):
        check(f"str_{name}", (text, width, fill), lambda s, *rest, name=name: getattr(s, name)(*rest))


@examples
@given(st.one_of(texts, binaries, st.sampled_from(["+1", "-", "-\u0660", b"+7"])), st.integers(-3, 20))
def test_zfill_and_tabs(text, width):
    check("str_zfill", (text, width), lambda s, n: s.zfill(n))
    tabbed = text.replace("a", "\t").replace("Z", "\r") if isinstance(text, str) else text.replace(b"a", b"\t")
    check("str_expandtabs", (tabbed, width), lambda s, n: s.expandtabs(n))
    check("str_center", (text, width, " " if isinstance(text, str) else b"."), lambda s, *rest: s.center(*rest))


@examples
@given(
    st.one_of(
        texts, binaries, st.text(st.sampled_from("a'\"\\\n\r\t\x00\x7f\x80\xad\u2028\ue000\U000e0001"), max_size=8)
    )
)
def test_repr(text):
    check("str_repr", (text,), repr)
    check("str_ascii", (text,), ascii)


@examples
@given(texts, codings, manners)
@example("a\ud800\udc00b\u00e9\u00e9", "ascii", "strict")
@example("\ud800x", "utf-8", "strict")
@example("\ud800x", "utf-8", "surrogatepass")
def test_encode(text, coding, manner):
    if manner != "surrogatepass" or coding in ("utf-8", "UTF8"):
        check("str_encode", (text, coding, manner), lambda s, *rest: s.encode(*rest))


@examples
@given(
    st.one_of(
        binaries,
        st.lists(st.one_of(st.sampled_from(ILL_FORMED), texts.map(lambda t: t.encode("utf-8", "replace")))).map(
            b"".join
        ),
    ),
    codings,
    manners,
)
@example(b"a\xed\xa0\x80b\xed", "utf-8", "surrogatepass")
def test_decode(data, coding, manner):
    if manner != "surrogatepass" or coding in ("utf-8", "UTF8"):
        check("bytes_decode", (data, coding, manner), lambda b, *rest: b.decode(*rest))


@examples
@given(st.text(max_size=30))
def test_utf8_there_and_back(text):
    data = text.encode("utf-8", "surrogatepass")
    assert native().call("str_encode", text, "utf-8", "surrogatepass") == data
    assert native().call("bytes_decode", data, "utf-8", "surrogatepass") == text


def test_names_that_are_not_known():
    for args in (("\u00e9", "utf-16", "strict"), ("\u00e9", "ascii", "strange"), ("\u00e9", "", "strict")):
        with pytest.raises(LookupError):
            native().call("str_encode", *args)


@examples
@given(
    st.one_of(short_texts, binaries),
    st.one_of(st.integers(-2, 300), st.integers(0xFF00, 0x120000), st.integers(-(2**33), 2**33)),
)
def test_code_points(text, code):
    if not isinstance(text, bytes) or len(text) == 1 or sys.version_info >= (3, 12):
        check("str_ord", (text,), ord)
    check("str_chr", (code,), chr)


@examples
@given(binaries, st.integers(-14, 14))
def test_bytes(data, index):
    check("bytes_getitem", (data, index), lambda b, i: b[i])
    check("bytes_contains", (data, index), lambda b, i: i in b)
    check("bytes_hex", (data,), bytes.hex)
