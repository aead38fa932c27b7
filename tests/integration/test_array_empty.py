"""Arrays without elements, and shapes that do not go together, are what they are in NumPy."""

from __future__ import annotations

import warnings
from functools import cache
from typing import Any

import numpy as np
import pytest

from tests.integration.array_programs import script
from tests.integration.test_array_functions import GROUPS, check_same

OTHERWISE = ("np.percentile", "np.quantile", "sum(")
"""NaN in place of an IndexError; a NumPy scalar in place of an int."""


@cache
def _program(expressions: tuple[str, ...]) -> Any:
    return script(f"def f(a):\n    return ({', '.join(expressions)},)\n")["f"]


def _runs(expression: str, a: Any) -> bool:
    try:
        eval(expression, {"np": np, "a": a})
    except (ValueError, IndexError, ZeroDivisionError, TypeError):
        return False
    return True


@pytest.mark.parametrize("group", GROUPS)
@pytest.mark.parametrize("shape", [(0, 4), (3, 0)])
def test_empty(group: str, shape: tuple[int, int]) -> None:
    """A size is 0."""
    a = np.zeros(shape)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        expressions = tuple(
            e
            for e in GROUPS[group]
            if not any(f"{o}" in e for o in OTHERWISE if "(a" not in o or e == o) and _runs(e, a)
        )
        if not expressions:
            return
        expected = eval(f"({', '.join(expressions)},)", {"np": np, "a": a})
    for expression, got, wanted in zip(expressions, _program(expressions)(a), expected, strict=True):
        check_same(expression, got, wanted)


ERRORS = (
    ("a.reshape(4)", (2, 3)), ("a.reshape(4, -1)", (2, 3)), ("a.reshape(a.shape[0], 7)", (2, 3)),
    ("np.reshape(a, (2, 2, 2))", (2, 3)), ("np.concatenate((a, a.T))", (2, 3)),
    ("np.concatenate((a, a[:1]), axis=1)", (2, 3)),
    ("np.vstack((a, a[:, :2]))", (2, 3)), ("np.stack((a, a[:, :2]))", (2, 3)), ("a @ a", (2, 3)),
    ("a @ a[0][:2]", (2, 3)),
    ("np.dot(a, a)", (2, 3)), ("np.dot(a[0], a[:, 0])", (2, 3)), ("np.matmul(a, a)", (2, 3)), ("a.max()", (0, 3)),
    ("a.min(axis=0)", (0, 3)), ("np.argmax(a)", (2, 0)),
)  # fmt: skip


@pytest.mark.parametrize(("expression", "shape"), ERRORS)
def test_errors(expression: str, shape: tuple[int, ...]) -> None:
    """The class and the words of the exception."""
    a = np.zeros(shape)
    with pytest.raises(ValueError, match=r".") as expected:
        eval(expression, {"np": np, "a": a})
    with pytest.raises(ValueError, match=r".") as got:
        script(f"def f(a):\n    return {expression}\n")["f"](a)
    assert str(got.value) == str(expected.value)


def test_sizes_that_are_known_when_it_runs() -> None:
    """-1 may be a value."""
    program = script("def f(a, n: int):\n    return a.reshape(n, 3)\n")["f"]
    assert program(np.zeros(6), -1).shape == program(np.zeros(6), 2).shape == (2, 3)
    with pytest.raises(ValueError, match=r"cannot reshape array of size 6 into shape \(4,3\)"):
        program(np.zeros(6), 4)


NO_DIMENSIONS = (
    "a + 1", "np.sqrt(a)", "a.sum()", "a.max()", "a.reshape(-1)", "a.reshape(1, 1)", "np.sort(a.reshape(-1))",
    "a.copy()",
    "str(a)", "a > 0", "np.where(a > 0, a, 2)", "a.item()", "a.ravel()", "np.concatenate((a.ravel(), a.ravel()))",
)  # fmt: skip


@pytest.mark.parametrize("expression", NO_DIMENSIONS)
def test_no_dimensions(expression: str) -> None:
    """0-d arrays."""
    a = np.array(3.5)
    got, expected = script(f"def f(a):\n    return {expression}\n")["f"](a), eval(expression, {"np": np, "a": a})
    assert np.array_equal(got, expected) and np.shape(got) == np.shape(expected)
