"""Numbers and text in scripted functions."""

from __future__ import annotations

import pytest

from tscript import script


@script
def formatted(n: int, spec: str) -> str:
    try:
        return format(n, spec)
    except ValueError as error:
        return str(error)


@script
def whole(text: str) -> int:
    return int(text)


@script
def real(text: str) -> float:
    return float(text)


@script
def shown(x: float) -> str:
    return str(x)


@pytest.mark.parametrize("spec", ["", "+,d", "#x", "é^12", ".1f", "s", "\xe9", ",c", ",\x01"])
def test_format(spec: str) -> None:
    try:
        wanted = format(-1234567, spec)
    except ValueError as error:
        wanted = str(error)
    assert formatted(-1234567, spec) == wanted


def test_text_as_numbers() -> None:
    assert whole(" -1_000 ") == -1000
    assert real("1e-7") == 1e-7
    assert shown(1e16) == "1e+16"
    with pytest.raises(ValueError, match="invalid literal for int"):
        whole("x")
    with pytest.raises(ValueError, match="could not convert string to float"):
        real("1__0")
    with pytest.raises(OverflowError, match="too large"):
        whole("9223372036854775808")
