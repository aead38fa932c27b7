"""``warnings.warn`` in functions, and the classes of `numbers`."""

from __future__ import annotations

import numbers
import warnings
from pathlib import Path
from typing import Any

import pytest

import tscript
from tscript import nn
from tscript.checking import check_file


def warned(n: int) -> int:
    if n < 0:
        warnings.warn(f"{n} is below zero")
    if n == 0:
        warnings.warn("zero", category=DeprecationWarning, stacklevel=2)
    return n


def test_warnings_are_those_of_python() -> None:
    """Class, text, file and line."""
    ours = tscript.script(warned)
    for n in (-2, 0):
        found = []
        for f in (warned, ours):
            with warnings.catch_warnings(record=True) as seen:
                warnings.simplefilter("always")
                f(n)
            found.append([(w.category, str(w.message), w.filename, w.lineno) for w in seen])
        assert found[0] == found[1] and len(found[0]) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(UserWarning, match="below"):
            ours(-1)
        assert ours(1) == 1


class Odd(nn.Module):
    def forward(self, n: int) -> int:
        return warned(n)


def test_archives_warn_too(tmp_path: Path) -> None:
    """Functions, modules and frozen ones; they know their file by its name alone."""
    scripted = tscript.script(Odd().eval())
    for value in (tscript.script(warned), scripted, tscript.freeze(scripted)):
        tscript.save(value, tmp_path / "f.tsa", native=True)
        assert str(Path(__file__).parent).encode() not in (tmp_path / "f.tsa").read_bytes()
        loaded = tscript.load(tmp_path / "f.tsa")
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            loaded(-3)
        ((kind, text, file),) = [(w.category, str(w.message), w.filename) for w in seen]
        assert (kind, text, file) == (UserWarning, "-3 is below zero", Path(__file__).name)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            with pytest.raises(UserWarning, match="below"):
                loaded(-1)


def test_files_that_are_read_may_warn(tmp_path: Path) -> None:
    place = tmp_path / "read.py"
    place.write_text("import warnings\ndef f(n: int) -> None:\n    warnings.warn('odd', UserWarning, 2)\n")
    assert not check_file(place)


def kind(x: int | str | list[float] | float) -> str:
    if isinstance(x, numbers.Integral):
        return "integral"
    if isinstance(x, numbers.Number):
        return "number"
    return "other"


def test_classes_of_numbers(agree: Any) -> None:
    """``numbers.Number`` and ``numbers.Integral``."""
    for x in (1, 1.5, "a", [1.0]):
        agree(kind, x)
