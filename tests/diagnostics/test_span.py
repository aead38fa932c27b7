"""Places in sources."""

from __future__ import annotations

import pickle

import pytest

from tscript.diagnostics import UNKNOWN, SourceFile, Span


def test_lines_count_from_one():
    source = SourceFile("f.py", "first\nsecond\r\nthird")
    assert [source.line(i) for i in range(-1, 5)] == ["", "", "first", "second", "third", ""]
    assert SourceFile("<archive>").line(1) == ""
    assert SourceFile("f.py", "a\x0cb\u2028c\nsecond").line(2) == "second"


def test_sources_are_the_same_only_when_identical():
    assert SourceFile("f.py") != SourceFile("f.py")
    assert "text" not in repr(SourceFile("f.py", "text"))


def test_a_place_prints_as_terminals_link_it():
    assert repr(Span(SourceFile("f.py"), 3, 4, 3, 9)) == "f.py:3:5"
    assert str(UNKNOWN) == "<unknown>:1:1"


def test_inlining_adds_callers_outermost_last():
    source = SourceFile("f.py")
    inner, middle, outer = (Span(source, i, 0, i, 1, f"f{i}") for i in (1, 2, 3))
    once = inner.inlined_at(middle)
    twice = once.inlined_at(outer)
    assert [s.line for s in twice.frames()] == [1, 2, 3]
    assert inner.inlined_at(middle.inlined_at(outer)) == twice
    assert inner.frames() == [inner]
    assert hash(twice) != hash(once)


def test_spans_are_frozen_and_pickle():
    span = Span(SourceFile("f.py", "x"), 1, 0, 1, 1, "f")
    with pytest.raises(AttributeError):
        span.line = 2  # type: ignore[misc]
    again = pickle.loads(pickle.dumps(span.inlined_at(span)))
    assert (repr(again), again.source.text, again.caller.function) == ("f.py:1:1", "x", "f")
