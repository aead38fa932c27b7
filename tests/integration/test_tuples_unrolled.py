"""Loops over tuples whose elements differ in type: `enumerate`, `zip`, `reversed`, `map` and comprehensions."""

# mypy: disable-error-code="attr-defined"

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


def drawn(seen: list[int], steps: Steps) -> Steps:
    seen.append(len(seen))
    return steps


def once(steps: Steps, x: float) -> tuple[float, list[int]]:
    seen: list[int] = []
    for step in reversed(drawn(seen, steps)):
        x = step.to(x)
    for i, step in enumerate(drawn(seen, steps)):
        x = step.to(x) + i
    for step, _ in zip(drawn(seen, steps), [1, 2]):
        x = step.to(x)
    return x, seen


def test_the_tuple_is_evaluated_once() -> None:
    assert tscript.script(once)(STEPS, 1.0) == once(STEPS, 1.0)


def with_keys(steps: Steps, names: dict[str, int]) -> None:
    for step, name in zip(steps, names.keys()):
        print(step.to(1.0), name)


def test_beside_the_keys_of_a_dict_they_are_refused() -> None:
    with pytest.raises(tscript.CompileError, match="an element of this list must be"):
        tscript.script(with_keys)
