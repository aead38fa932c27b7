"""Schedules: action by action as PyTorch 2.13 documents them."""

from __future__ import annotations

import itertools
import warnings

import pytest

from tscript.profiler.schedules import ProfilerAction, schedule

LETTERS = {
    "-": ProfilerAction.NONE,
    "w": ProfilerAction.WARMUP,
    "r": ProfilerAction.RECORD,
    "S": ProfilerAction.RECORD_AND_SAVE,
}


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"wait": 1, "warmup": 1, "active": 2}, "-wrS-wrS-wrS"),
        ({"wait": 1, "warmup": 1, "active": 2, "repeat": 1}, "-wrS--------"),
        ({"wait": 1, "warmup": 1, "active": 2, "repeat": 2, "skip_first": 3}, "----wrS-wrS-----"),
        ({"wait": 0, "warmup": 1, "active": 1}, "wSwSwS"),
        ({"wait": 2, "warmup": 2, "active": 3, "repeat": 1}, "--wwrrS---"),
        ({"wait": 0, "warmup": 2, "active": 1, "repeat": 3}, "wwSwwSwwS---"),
        ({"wait": 3, "warmup": 1, "active": 1, "skip_first": 2}, "-----wS---wS"),
        ({"wait": 3, "warmup": 1, "active": 1, "skip_first": 2, "skip_first_wait": 1}, "--wS---wS---wS"),
        ({"wait": 3, "warmup": 1, "active": 1, "repeat": 1, "skip_first_wait": 1}, "wS--------"),
    ],
)
def test_actions(arguments: dict[str, int], expected: str) -> None:
    plan = schedule(**arguments)
    assert [plan(step) for step in range(len(expected))] == [LETTERS[letter] for letter in expected]


@pytest.mark.parametrize(("active", "expected"), [(1, "SSSS"), (3, "rrSrrS")])
def test_no_warmup_is_warned_of(active: int, expected: str) -> None:
    with pytest.warns(UserWarning, match="without warmup"):
        plan = schedule(wait=0, warmup=0, active=active)
    assert [plan(step) for step in range(len(expected))] == [LETTERS[letter] for letter in expected]


@pytest.mark.parametrize(
    ("arguments", "error", "said"),
    [
        ({"wait": -1}, ValueError, "wait must be at least 0, found -1"),
        ({"warmup": -2}, ValueError, "warmup must be at least 0, found -2"),
        ({"active": 0}, ValueError, "active must be at least 1, found 0"),
        ({"repeat": -1}, ValueError, "repeat must be at least 0"),
        ({"skip_first": -1}, ValueError, "skip_first must be at least 0"),
        ({"wait": 1.5}, TypeError, "wait must be an int, not float"),
        ({"active": "2"}, TypeError, "active must be an int, not str"),
    ],
)
def test_bad_arguments(arguments: dict[str, object], error: type[Exception], said: str) -> None:
    with pytest.raises(error, match=said):
        schedule(**{"wait": 1, "warmup": 1, "active": 1, **arguments})  # type: ignore[arg-type]


def test_steps_are_not_negative() -> None:
    with pytest.raises(ValueError, match="must not be negative, found -1"):
        schedule(wait=1, warmup=1, active=1)(-1)


def test_against_pytorch() -> None:
    profiler = pytest.importorskip("torch.profiler")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for values in itertools.product((0, 1, 3), (0, 1, 2), (1, 2, 3), (0, 1, 2), (0, 2), (0, 1)):
            arguments = dict(
                zip(("wait", "warmup", "active", "repeat", "skip_first", "skip_first_wait"), values, strict=True)
            )
            ours, theirs = schedule(**arguments), profiler.schedule(**arguments)
            assert [ours(n).name for n in range(30)] == [theirs(n).name for n in range(30)], arguments
