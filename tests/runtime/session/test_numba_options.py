"""Options and signatures of Numba that ``@script`` is given."""

from __future__ import annotations

from typing import Any

import pytest

import tscript


def double(n: int) -> int:
    return 2 * n


@pytest.mark.parametrize(
    "options",
    [
        {"nogil": True, "cache": True},
        {"nopython": True, "fastmath": True, "error_model": "numpy"},
        {"inline": "always", "boundscheck": False, "fastmath": {"nnan", "reassoc"}},
        {"forceobj": False, "no_cpython_wrapper": True, "parallel": False},
    ],
    ids=lambda options: "-".join(options),
)
def test_options_that_change_nothing(options: dict[str, Any]) -> None:
    assert tscript.script(**options)(double)(4) == 8
    assert tscript.script(double, **options)(4) == 8


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"forceobj": True}, "@tscript.ignore"),
        ({"error_model": "python"}, "ZeroDivisionError"),
        ({"locals": {"x": float}}, "x: float = 0.0"),
        ({"nopython": False}, "compiled entirely"),
        ({"optimise": "full"}, "did you mean 'optimize'"),
        ({"cached": True}, "did you mean 'cache'"),
    ],
    ids=str,
)
def test_others_are_refused_with_what_to_write(options: dict[str, Any], said: str) -> None:
    with pytest.raises(TypeError, match=said):
        tscript.script(**options)(double)


@pytest.mark.parametrize(
    "given", ["f8(f8[:])", "float64(float64, int64)", ["f8(f8)", "f4(f4)"], "(f8[:], f8[:,:])", "void()"]
)
def test_signatures_are_refused_with_what_to_write(given: Any) -> None:
    with pytest.raises(TypeError, match="types come from the call"):
        tscript.script(given)


def test_text_of_a_module_is_no_signature() -> None:
    assert tscript.script("def f(n: int) -> int: return (n)")(2) == 2
