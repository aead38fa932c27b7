"""The library of kernels: what operators name is found, and no two kernels have one name."""

from __future__ import annotations

import pytest

from tscript.definitions.opdef import Made, kernel_name
from tscript.operators.python.folds import PROD, SUM
from tscript.runtime.kernels import views_slice
from tscript.runtime.kernels.library import INTERNAL, function_of, library


def narrow() -> None:
    """Of the same name as a kernel."""


def test_bodies_are_functions_names_and_makers() -> None:
    made = Made("total", "reductions.numeric_all", (SUM,))
    assert [kernel_name(body) for body in (narrow, "views_slice.narrow", made)] == ["narrow", "narrow", "total"]
    assert function_of("views_slice.narrow") is views_slice.narrow
    assert function_of(narrow) is narrow
    assert callable(function_of(made))


def test_one_body_may_be_named_twice() -> None:
    made = Made("total", "reductions.numeric_all", (SUM,))
    assert set(library(["views_slice.narrow", made, made, "views_slice.narrow"])) == {*INTERNAL, "narrow", "total"}


@pytest.mark.parametrize(
    "other", [narrow, Made("narrow", "reductions.numeric_all", (PROD,))], ids=["function", "maker"]
)
def test_two_kernels_of_one_name_are_refused(other: object) -> None:
    with pytest.raises(ValueError, match="two kernels are called narrow"):
        library(["views_slice.narrow", other])  # type: ignore[list-item]


def test_a_kernel_that_is_not_there_is_an_error() -> None:
    with pytest.raises(AttributeError):
        library(["views.sideways"])


def test_names_of_the_library_are_those_of_its_functions() -> None:
    assert {name: function.__name__ for name, function in INTERNAL.items()} == {name: name for name in INTERNAL}
