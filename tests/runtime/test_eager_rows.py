"""Eager calls with strings and lists: the second one finds the row of the first, and none leaves a row of its own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import tscript
import tscript.nn.functional as F
from tscript.runtime.session.call import Dispatcher


@pytest.fixture
def misses(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    found: list[object] = []
    original = Dispatcher._run

    def counted(self: Dispatcher, *args: Any) -> object:
        found.append(args[0])
        return original(self, *args)

    monkeypatch.setattr(Dispatcher, "_run", counted)
    return found


X = tscript.ones(4, 6)


@pytest.mark.parametrize(
    "call",
    [
        lambda: F.l1_loss(X, X, reduction="none"),
        lambda: F.gelu(X, approximate="tanh"),
        lambda: F.pad(X, (1, 1), "reflect"),
        lambda: tscript.div(X, 2.0, rounding_mode="floor"),
        lambda: tscript.cat([X, X]),
        lambda: tscript.stack([X, X], dim=1),
        lambda: X.view([6, 4]),
        lambda: tscript.einsum("ij,kj->ik", X, X),
        lambda: tscript.tensordot(X, X, dims=([0], [0])),
    ],
)
def test_the_second_call_finds_the_row(call: Callable[[], Any], misses: list[object]) -> None:
    first = call()
    misses.clear()
    assert call().tolist() == first.tolist()
    assert not misses


def test_so_does_one_without_arguments(misses: list[object]) -> None:
    assert tscript.get_default_dtype() is tscript.float32
    misses.clear()
    assert tscript.get_default_dtype() is tscript.float32
    assert not misses
    tscript.set_default_dtype(tscript.float64)
    try:
        assert tscript.get_default_dtype() is tscript.float64
    finally:
        tscript.set_default_dtype(tscript.float32)
    assert tscript.get_default_dtype() is tscript.float32


def test_strings_made_at_run_time_leave_no_rows(misses: list[object]) -> None:
    F.l1_loss(X, X, reduction="sum").item()
    misses.clear()
    for _ in range(3):
        made = "".join(["s", "um"])
        assert F.l1_loss(X, X, reduction=made).item() == 0.0
    assert len(misses) == 3


def test_a_list_that_holds_itself() -> None:
    endless: list[Any] = [0]
    endless.append(endless)
    for dims in (endless, (endless, [0])):
        with pytest.raises(RecursionError):
            tscript.tensordot(X, X, dims)


def test_a_list_that_grows_is_another_call() -> None:
    parts = [X, X]
    assert tscript.cat(parts).shape[0] == 8
    parts.append(X)
    assert tscript.cat(parts).shape[0] == 12
    with pytest.raises(TypeError):
        tscript.cat([X, 1])
