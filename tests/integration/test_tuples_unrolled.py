"""Loops over tuples whose elements differ in type: `enumerate`, `zip`, `reversed`, `map` and comprehensions."""

from __future__ import annotations

import pytest

import tscript


class Add:
    def __init__(self, by: int) -> None:
        self.by = by

    def to(self, x: float) -> float:
        return x + self.by


class Scale:
    def __init__(self, by: float) -> None:
        self.by = by

    def to(self, x: float) -> float:
        return x * self.by


Steps = tuple[Add, Scale, Add]
STEPS = (Add(1), Scale(2.5), Add(3))


def numbered(steps: Steps, x: float) -> float:
    for i, step in enumerate(steps):
        x = step.to(x) * (i + 1)
    for n, step in enumerate(steps, 5):
        if n == 7:
            break
        x = step.to(x) - n
    return x


def zipped(steps: Steps, weights: list[float], x: float) -> float:
    for step, w in zip(steps, weights):
        if w > 100:
            continue
        x = step.to(x) * w
    for w, (i, step) in zip(weights, enumerate(steps)):
        x += step.to(w) * i
    else:
        x = -x
    return x


def backwards(steps: Steps, x: float) -> float:
    for step in reversed(steps):
        x = step.to(x)
        if x > 20:
            return x
    return -x


def several(steps: Steps, x: float) -> list[float]:
    out = [step.to(x) * i for i, step in enumerate(steps)]
    out += [a.to(b.to(x)) for a, b in zip(steps, reversed(steps))]
    return out + list(map(lambda step, w: step.to(w), steps, [x, 2.0]))


@pytest.mark.parametrize("x", [0.5, 7.0, 30.0])
def test_as_in_python(x: float) -> None:
    assert tscript.script(numbered)(STEPS, x) == numbered(STEPS, x)
    assert tscript.script(backwards)(STEPS, x) == backwards(STEPS, x)
    assert tscript.script(several)(STEPS, x) == several(STEPS, x)


@pytest.mark.parametrize("weights", [[], [2.0], [200.0, 2.0], [1.0, 2.0, 3.0], [1.0, 2.0, 3.0, 4.0]])
def test_lists_beside_them_may_be_shorter_or_longer(weights: list[float]) -> None:
    assert tscript.script(zipped)(STEPS, weights, 1.5) == zipped(STEPS, weights, 1.5)
