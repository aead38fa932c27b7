"""Diagnostics as text: excerpts, carets, notes and help, fixed by golden files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from hypothesis import given
from hypothesis import strategies as st

from tscript.diagnostics import Diagnostic, Note, SourceFile, Span, render, render_all

TEXT = """\
import math

def f(x: int):
\tif x:
\t\treturn math.sqrt(x,
\t\t                 2)
    y = "naïve 変数" + x
    return y
"""
SOURCE = SourceFile("model.py", TEXT)
OTHER = SourceFile("other.py", "CONSTANT = [1, 2]\n")


@dataclass(frozen=True)
class Example(Diagnostic):
    code: ClassVar[str] = "TS903"
    title: ClassVar[str] = "{what} is wrong"
    label: ClassVar[str] = "{said}"
    help: ClassVar[str] = "{helped}"

    what: str = "this"
    said: str = ""
    helped: str = ""
    more: tuple[Note, ...] = ()

    def notes(self) -> Sequence[Note]:
        return self.more


def test_one_line(golden):
    span = Span(SOURCE, 7, 9, 7, 19, "f")
    golden("diagnostics/one_line.txt", render(Example(span, "the text", "a str", "write str(x)")))


def test_tabs_keep_the_caret_in_place(golden):
    golden("diagnostics/tabs.txt", render(Example(Span(SOURCE, 4, 4, 4, 5), said="an int")))


def test_several_lines_show_the_first(golden):
    golden("diagnostics/several_lines.txt", render(Example(Span(SOURCE, 5, 9, 6, 20), said="takes 1 argument")))


def test_notes_show_the_same_file_and_name_others(golden):
    notes = (
        Note(Span(SOURCE, 3, 6, 3, 12), "declared here"),
        Note(Span(OTHER, 1, 0, 1, 8), "the constant is defined there"),
        Note(None, "lists are not constants"),
    )
    golden("diagnostics/notes.txt", render(Example(Span(SOURCE, 8, 11, 8, 12), "y", "used here", "rename it", notes)))


def test_a_place_without_text_is_named_only(golden):
    span = Span(SourceFile("<archive>"), 12, 0, 12, 3)
    error = Example(span, said="nothing to show", helped="look into the archive", more=(Note(span, "made here"),))
    golden("diagnostics/no_text.txt", render(error))


def test_long_files_keep_their_columns(golden):
    source = SourceFile("long.py", "\n" * 123455 + "x = y\n")
    notes = (Note(Span(source, 123456, 0, 123456, 1), "bound here"),)
    golden("diagnostics/long_file.txt", render(Example(Span(source, 123456, 4, 123456, 5), more=notes)))


def test_several_errors_are_set_apart(golden):
    spans = [Span(SOURCE, 3, 6, 3, 7), Span(SOURCE, 8, 4, 8, 12)]
    golden("diagnostics/several.txt", render_all(Example(s, f"number {i}") for i, s in enumerate(spans)))


@given(st.text(), st.integers(-1, 9), st.integers(0, 30), st.integers(-1, 9), st.integers(0, 30))
def test_any_span_renders(text, line, col, end_line, end_col):
    rendered = render(Example(Span(SourceFile("f.py", text), line, col, end_line, end_col), said="{label}"))
    assert rendered.startswith(f"f.py:{line}:{col + 1}: error: this is wrong [TS903]")
