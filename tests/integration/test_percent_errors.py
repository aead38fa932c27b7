"""``"%d" % value`` of a value that the letter does not take raises what Python raises, when it runs."""

# mypy: disable-error-code="str-format"

from __future__ import annotations

import pytest

import tscript


def whole(value: int | str | None) -> str:
    return "<%d>" % value


def all_letters(letter: int, text: str, number: float, items: list[int], none: None, z: complex, raw: bytes) -> str:
    if letter == 0:
        return "%d" % text
    if letter == 1:
        return "%i %s" % (items, text)
    if letter == 2:
        return "%x" % number
    if letter == 3:
        return "%o" % text
    if letter == 4:
        return "%c" % number
    if letter == 5:
        return "%5.2f" % text
    if letter == 6:
        return "%e" % (none,)
    if letter == 7:
        return "%d" % z
    if letter == 8:
        return "%g" % z
    if letter == 9:
        return "%(a)X" % {"a": number}
    return "%u" % raw


def test_what_python_raises_is_raised() -> None:
    compiled = tscript.script(all_letters)
    for letter in range(11):
        given = (letter, "ab", 0.5, [1], None, 1j, b"a")
        with pytest.raises(TypeError) as expected:
            all_letters(*given)
        with pytest.raises(TypeError) as found:
            compiled(*given)
        assert str(found.value) == str(expected.value)


def test_members_of_a_union_are_taken_or_refused_one_by_one() -> None:
    compiled = tscript.script(whole)
    assert compiled(3) == "<3>"
    for value in ("a", None):
        with pytest.raises(TypeError, match=f"^%d format: a real number is required, not {type(value).__name__}$"):
            compiled(value)
