"""Case of texts and the questions about all their characters, against CPython."""

from __future__ import annotations

import random

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.runtime.kernels.strings import binaries, check, examples, native, texts

CASES = ("upper", "lower", "capitalize", "title", "swapcase")
ASKED = ("isalpha", "isdigit", "isalnum", "isspace", "isascii", "isupper", "islower", "istitle")
ASKED_OF_STR = ("isdecimal", "isnumeric", "isidentifier", "isprintable")


@examples
@given(st.one_of(texts, binaries))
@example("A\u03a3 \u03a3A A'\u03a3'B A\u03a3\u0345")
@example("\ufb03\u0149\u0390 \u1f80\u1fb3\u0130i\u0307")
def test_case(text):
    for name in CASES:
        check(f"str_{name}", (text,), lambda s, name=name: getattr(s, name)())
    if isinstance(text, str):
        check("str_casefold", (text,), str.casefold)


@examples
@given(st.one_of(texts, binaries))
def test_questions(text):
    for name in ASKED + ASKED_OF_STR * isinstance(text, str):
        check(f"str_{name}", (text,), lambda s, name=name: getattr(s, name)())


def test_every_code_point():
    machine = native()
    for page in [*range(32), 44, 166, 167, 171, 251, 254, 255, 260, 478, 481, 4351]:
        text = "".join(map(chr, range(page * 256, page * 256 + 256)))
        for name in (*CASES, "casefold"):
            assert machine.call(f"str_{name}", text) == getattr(text, name)(), (page, name)


@pytest.mark.slow
def test_questions_about_every_code_point():
    machine = native()
    generator = random.Random(1)
    for code in (*range(0x800), *generator.sample(range(0x110000), 3000)):
        for name in ASKED + ASKED_OF_STR:
            assert machine.call(f"str_{name}", chr(code)) == getattr(chr(code), name)(), (code, name)
