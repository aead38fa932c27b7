"""Fewer garbage collections while `SPARING` is entered, and what was set before when nobody is inside."""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator

import pytest

from tscript.sparing import OFTEN, Sparing


@pytest.fixture(autouse=True)
def thresholds() -> Iterator[None]:
    before = gc.get_threshold()
    gc.set_threshold(700, 10, 10)
    yield
    gc.set_threshold(*before)


def test_one_inside_another() -> None:
    sparing = Sparing()
    with sparing:
        with sparing:
            assert gc.get_threshold() == (OFTEN, 10, 10)
        assert gc.get_threshold() == (OFTEN, 10, 10)
    assert gc.get_threshold() == (700, 10, 10)


def test_an_error_leaves_it() -> None:
    with pytest.raises(ValueError), Sparing():  # noqa: PT011 - any will do
        raise ValueError
    assert gc.get_threshold() == (700, 10, 10)


@pytest.mark.parametrize("wanted", [(0, 0, 0), (OFTEN + 1, 5, 5)])
def test_a_program_that_collects_less_often_keeps_what_it_has(wanted: tuple[int, int, int]) -> None:
    gc.set_threshold(*wanted)
    with Sparing():
        assert gc.get_threshold() == wanted
    assert gc.get_threshold() == wanted


def test_what_the_program_sets_meanwhile_stays() -> None:
    with Sparing():
        gc.set_threshold(900, 3, 3)
    assert gc.get_threshold() == (900, 3, 3)


def test_threads() -> None:
    sparing = Sparing()
    barrier = threading.Barrier(4)

    def enter() -> None:
        barrier.wait()
        for _ in range(500):
            with sparing:
                pass

    threads = [threading.Thread(target=enter) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert gc.get_threshold() == (700, 10, 10)
    with sparing:
        assert gc.get_threshold()[0] == OFTEN
