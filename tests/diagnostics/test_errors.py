"""Errors: their texts, the classes they are raised as, and that they travel between processes."""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import pytest

from tscript.diagnostics import CompileError, Diagnostic, InternalError, Note, SourceFile, Span, compile_error

SOURCE = SourceFile("model.py", "def f(x):\n    return y + x\n")
SPAN = Span(SOURCE, 2, 11, 2, 12, "f")


@dataclass(frozen=True)
class UnknownName(Diagnostic):
    code: ClassVar[str] = "TS901"
    python: ClassVar[type[Exception]] = NameError
    title: ClassVar[str] = "name '{name}' is not defined"
    label: ClassVar[str] = "not found"
    help: ClassVar[str] = "did you mean '{guess}'?"

    name: str
    guess: str

    def notes(self) -> Sequence[Note]:
        return (Note(None, "only globals are searched"),)


@dataclass(frozen=True)
class WrongType(Diagnostic):
    code: ClassVar[str] = "TS902"
    python: ClassVar[type[Exception]] = TypeError
    title: ClassVar[str] = "expected {expected}, found {found}"

    expected: str
    found: str


@dataclass(frozen=True)
class Plain(Diagnostic):
    title: ClassVar[str] = "plain"


def test_texts_are_filled_with_fields():
    error = UnknownName(SPAN, "y", "x")
    assert error.message() == "name 'y' is not defined"
    assert error.caret_label() == "not found"
    assert error.help_text() == "did you mean 'x'?"
    assert WrongType(SPAN, "{int}", "}").message() == "expected {int}, found }"
    assert WrongType(SPAN, "a", "b").help_text() == ""


def test_errors_are_frozen_data():
    assert UnknownName(SPAN, "y", "x") == UnknownName(SPAN, "y", "x")
    with pytest.raises(AttributeError):
        UnknownName(SPAN, "y", "x").name = "z"  # type: ignore[misc]


@pytest.mark.parametrize("natural", [NameError, CompileError, Exception])
def test_a_compile_error_is_also_its_natural_class(natural):
    with pytest.raises(natural):
        raise compile_error([UnknownName(SPAN, "y", "x"), WrongType(SPAN, "int", "str")])


def test_the_first_error_decides_the_class():
    error = compile_error([WrongType(SPAN, "int", "str"), UnknownName(SPAN, "y", "x")])
    assert isinstance(error, TypeError)
    assert not isinstance(error, NameError)
    assert type(error).__name__ == "CompileError"
    assert type(compile_error([Plain(SPAN)])) is CompileError
    assert type(compile_error([WrongType(SPAN, "a", "b")])) is type(error)


@pytest.mark.parametrize(
    "natural", [SyntaxError, IndexError, KeyError, AttributeError, ImportError, NotImplementedError, OverflowError]
)
def test_any_natural_class_prints_the_diagnostics(natural):
    class Odd(Plain):
        python: ClassVar[type[Exception]] = natural

    error = compile_error([Odd(SPAN)])
    assert isinstance(error, natural)
    assert isinstance(error, CompileError)
    assert str(error).startswith("\nmodel.py:2:12: error: plain [TS000]")
    assert error.diagnostics == (Odd(SPAN),)


def test_all_errors_are_in_the_text():
    text = str(compile_error([UnknownName(SPAN, "y", "x"), WrongType(SPAN, "int", "str")]))
    assert "name 'y' is not defined [TS901]" in text
    assert "expected int, found str [TS902]" in text


def test_compile_errors_pickle():
    error = compile_error([UnknownName(SPAN, "y", "x"), WrongType(SPAN, "int", "str")])
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is type(error)
    assert str(again) == str(error)
    assert [type(d) for d in again.diagnostics] == [UnknownName, WrongType]


def test_internal_errors_name_function_and_place():
    error = InternalError("no rule", SPAN)
    assert str(error) == (
        "model.py:2:12: internal error while compiling 'f': no rule (this is a bug in tscript, please report it)"
    )
    assert str(InternalError("no rule")).startswith("internal error: no rule")
    assert error.span is SPAN
