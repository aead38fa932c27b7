"""Elements of uint64 tensors that are no 64-bit ints: they are shown, and refused as numbers."""

from __future__ import annotations

import numpy as np
import pytest

import tscript
from tscript import Tensor

WIDE = np.array([2**64 - 1, 7, 0, 2**63], np.uint64)


def shown(x: Tensor) -> str:
    return str(x)


def first(x: Tensor) -> int:
    return int(x[0])


def first_item(x: Tensor) -> str:
    return f"{x[0].item()}"


def test_their_string_is_that_of_all_digits():
    assert tscript.script(shown)(tscript.from_numpy(WIDE)) == str(tscript.from_numpy(WIDE))
    assert str(2**64 - 1) in tscript.script(shown)(tscript.from_numpy(WIDE))


@pytest.mark.parametrize("function", [first, first_item])
def test_as_numbers_they_overflow(function):
    scripted = tscript.script(function)
    assert scripted(tscript.from_numpy(WIDE[1:])) in (7, "7")
    with pytest.raises(OverflowError, match="no 64-bit int"):
        scripted(tscript.from_numpy(WIDE))
