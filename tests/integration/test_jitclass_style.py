"""Classes as users of Numba's `jitclass` write them: fields of arrays, made in ``__init__``, and methods over them."""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tscript


class Bag:
    def __init__(self, value: int):
        self.value = value
        self.array = np.zeros(value, dtype=np.float32)

    @property
    def size(self):
        return self.array.size

    def increment(self, val):
        for i in range(self.size):
            self.array[i] += val
        return self.array

    @staticmethod
    def add(x, y):
        return x + y


class Counter:
    def __init__(self, n: int):
        self.n = n
        self.sums = np.zeros(n)

    def add(self, x):
        self.sums[int(x * self.n) % self.n] += x

    def best(self):
        return self.sums.argmax(), self.sums.max()


class Particles:
    def __init__(self, n: int, dt: float):
        self.position = np.arange(n * 2.0).reshape(n, 2)
        self.velocity = np.ones((n, 2))
        self.dt = dt
        self.steps = 0

    def step(self):
        self.position += self.velocity * self.dt
        for i in range(self.position.shape[0]):
            for j in range(2):
                if self.position[i, j] > 5.0:
                    self.velocity[i, j] = -self.velocity[i, j]
        self.steps += 1

    def energy(self):
        return 0.5 * (self.velocity**2).sum()


class Stack:
    def __init__(self, capacity: int):
        self.data = np.empty(capacity, np.int64)
        self.top = 0

    def push(self, x: int) -> None:
        if self.top == len(self.data):
            bigger = np.empty(2 * len(self.data), np.int64)
            bigger[: self.top] = self.data
            self.data = bigger
        self.data[self.top] = x
        self.top += 1

    def pop(self) -> int:
        self.top -= 1
        return int(self.data[self.top])

    def __len__(self) -> int:
        return self.top


def use_bag(n):
    bag = Bag(n)
    bag.increment(3)
    bag.increment(0.5)
    return bag.array, bag.size, Bag.add(1, 2), bag.value


def use_counter(n, xs):
    c = Counter(n)
    for x in xs:
        c.add(x)
    return c.best(), c.sums


def use_particles(n, steps):
    p = Particles(n, 0.1)
    for _ in range(steps):
        p.step()
    return p.position, p.energy(), p.steps


def use_stack(n):
    s = Stack(2)
    for i in range(n):
        s.push(i * i)
    t = 0
    while len(s) > n // 2:
        t += s.pop()
    return t, len(s)


def shared(bag, n):
    bag.increment(n)
    return bag.size


def _same(found: Any, wanted: Any) -> None:
    if isinstance(wanted, tuple):
        for one, other in zip(found, wanted, strict=True):
            _same(one, other)
        return
    np.testing.assert_allclose(found, wanted, rtol=1e-12)
    assert np.asarray(found).dtype == np.asarray(wanted).dtype


@pytest.mark.parametrize(
    ("function", "args"),
    [
        (use_bag, (4,)),
        (use_counter, (5, np.random.default_rng(1).random(50))),
        (use_particles, (4, 20)),
        (use_stack, (10,)),
    ],
)
def test_programs_run_as_written(function: Any, args: Any) -> None:
    _same(tscript.script(function)(*args), function(*args))


def test_instances_of_python_are_shared() -> None:
    bag = Bag(3)
    assert tscript.script(shared)(bag, 2) == 3
    assert bag.array.tolist() == [2.0, 2.0, 2.0]
