"""Methods decorated with ``@tscript.script``: the class is found when it is there, calls become native."""

# mypy: disable-error-code="no-any-return, prop-decorator, attr-defined, call-arg, arg-type"

from __future__ import annotations

import abc
import functools
import gc
import pickle
import weakref
from dataclasses import dataclass
from typing import Any, NamedTuple

import pytest

import tscript
from tscript import Tensor


class Account:
    def __init__(self, balance: int):
        self.balance = balance

    @tscript.script
    def add(self, n: int, times: int = 1) -> int:
        self.balance += n * times
        return self.balance

    @tscript.script
    def factorial(self, n: int) -> int:
        return 1 if n < 2 else n * self.factorial(n - 1) + self.zero()

    def zero(self) -> int:
        return 0

    @property
    @tscript.script
    def double(self) -> int:
        return self.balance * 2

    @tscript.script
    @property
    def quadruple(self) -> int:
        return self.double * 2

    @staticmethod
    @tscript.script
    def up(n: int) -> int:
        return n + 1

    @tscript.script
    @staticmethod
    def up_twice(n: int) -> int:
        return Account.up(n) + 1

    @tscript.script
    def __len__(self) -> int:
        return self.balance

    @tscript.script
    def merge(self, other: Account) -> Account:
        return Account(self.balance + other.balance)


class Odd(Account):
    def zero(self) -> int:
        return 1


@tscript.script
def use(n: int) -> int:
    account = Account(n)
    account.add(1)
    return account.double + account.quadruple + account.factorial(3) + Account.up_twice(n) + len(account)


def test_calls() -> None:
    account = Account(3)
    assert account.add(4) == 7 and account.balance == 7
    assert Account.add(account, 1, times=3) == 10 and account.add(times=2, n=5) == 20
    assert (account.double, account.quadruple, len(account)) == (40, 80, 20)
    assert (Account.up(1), account.up_twice(1)) == (2, 3)
    merged = account.merge(Account(1))
    assert type(merged) is Account and merged.balance == 21


def test_methods_of_derived_classes() -> None:
    assert (Account(0).factorial(5), Odd(0).factorial(5)) == (120, 120 + 1 * 60 + 20 + 5 + 1)


def test_compiled_functions_call_them() -> None:
    assert use(2) == 6 + 12 + 6 + 4 + 3


def test_later_calls_are_native() -> None:
    account = Account(1)
    account.add(1)
    scripted: Any = Account.__dict__["add"]
    callables = scripted._scripted.linker.native.callables
    before = callables.row_count(scripted)
    account.add(2)
    account.add(n=3)
    assert before == callables.row_count(scripted) == 1
    assert "Account, n: int, times: int) -> int" in repr(scripted)


def test_a_function_with_a_later_global_gets_a_native_path() -> None:
    names: dict[str, Any] = {"tscript": tscript}
    text = "@tscript.script\ndef f(n: int, by: int = 2) -> int:\n    return g(n) * by\n"
    text = text.replace("@tscript.script\n", "")
    exec(text, names)
    function = tscript.script(names["f"], source=text)
    names["g"] = lambda n: n
    exec("def g(n: int) -> int:\n    return n\n", names)
    names["g"] = tscript.script(names["g"], source="def g(n: int) -> int:\n    return n\n")
    callables = function._scripted.linker.native.callables
    assert [function(1), function(n=2), function(3, by=3)] == [2, 4, 9]
    assert callables.row_count(function) == 1


@dataclass
class Vector:
    x: float
    y: float

    @tscript.script
    def norm(self) -> float:
        return (self.x**2 + self.y**2) ** 0.5

    @tscript.script
    def wrong(self) -> float:
        return self.z


class Pair(NamedTuple):
    a: int
    b: int

    @tscript.script
    def total(self) -> int:
        return self.a + self.b


class Shape(abc.ABC):
    @abc.abstractmethod
    def area(self) -> float: ...

    @tscript.script
    def twice(self) -> float:
        return self.area() * 2.0


class Square(Shape):
    def __init__(self, side: float):
        self.side = side

    @tscript.script
    def area(self) -> float:
        return self.side * self.side


class Layer:
    def __init__(self, weight: Tensor):
        self.weight = weight

    @tscript.script
    def __call__(self, x: Tensor) -> Tensor:
        return tscript.relu(x @ self.weight)


def test_kinds_of_classes() -> None:
    assert Vector(3.0, 4.0).norm() == 5.0
    assert Pair(1, 2).total() == 3
    assert Square(3.0).twice() == 18.0 and Square(2.0).area() == 4.0
    layer = Layer(tscript.eye(2))
    assert layer(tscript.tensor([[1.0, -1.0]])).tolist() == [[1.0, 0.0]]


def test_errors_are_those_of_the_method() -> None:
    with pytest.raises(tscript.CompileError, match=r"test_scripted_methods.py:\d+:16: error: .* has no attribute 'z'"):
        Vector(1.0, 2.0).wrong()
    with pytest.raises(TypeError, match="missing"):
        Account(1).add()
    with pytest.raises(TypeError):
        Account(1).add("a")
    with pytest.raises(TypeError, match="Account"):
        Account.add(3, 4)


@pytest.mark.parametrize("is_outside", [False, True])
def test_class_methods_are_refused(is_outside: bool) -> None:
    def make(cls: Any, n: int) -> int:
        return n

    with pytest.raises(tscript.CompileError, match="'build' is a class method, which cannot be compiled"):

        class Inner:
            if is_outside:

                @tscript.script
                @classmethod
                def build(cls, n: int) -> int:
                    return n

            else:

                @classmethod
                @tscript.script
                def build(cls, n: int) -> int:
                    return n


def test_classes_inside_functions() -> None:
    def made(text: str) -> Any:
        class Local:
            def __init__(self, text: str):
                self.text = text

            @property
            @tscript.script
            def upper(self) -> str:
                return self.text.upper()

            @tscript.script
            def more(self, n: int) -> str:
                return self.upper * n

        return Local(text)

    local = made("ab")
    assert local.upper == "AB" and local.more(2) == "ABAB"
    assert made("x").upper == "X"


def test_a_class_goes_with_its_methods() -> None:
    def made() -> weakref.ref[type]:
        class Local:
            def __init__(self, n: int):
                self.n = n

            @tscript.script
            def get(self) -> int:
                return self.n

        assert Local(3).get() == 3
        return weakref.ref(Local)

    found = made()
    for _ in range(3):
        gc.collect()
    assert found() is None


def test_a_checked_class_with_scripted_methods() -> None:
    assert tscript.script(Account) is Account


def logged(function: Any) -> Any:
    @functools.wraps(function)
    def inner(self: Any, n: int) -> Any:
        return function(self, n) + 100

    return inner


@dataclass(frozen=True)
class Rate:
    base: int

    @functools.lru_cache(maxsize=2)
    @tscript.script
    def outside(self, n: int) -> int:
        return self.base + n

    @tscript.script
    @functools.lru_cache(maxsize=None, typed=True)
    def inside(self, n: int) -> int:
        return 1 if n < 1 else self.base + self.inside(n - 1)

    @logged
    @tscript.script
    def wrapped(self, n: int) -> int:
        return self.base * n


class Key:
    def __init__(self, n: int):
        self.n = n

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Key) and self.n == other.n

    def __hash__(self) -> int:
        return self.n

    @tscript.script
    @functools.lru_cache
    def half(self, n: int) -> float:
        return (self.n + n) / 2


@tscript.script
def through_caches(n: int) -> int:
    rate = Rate(n)
    return rate.outside(2) + rate.inside(3)


@tscript.script
def halved(n: int) -> float:
    return Key(n).half(3)


def test_caches_and_other_wrappers_around_methods() -> None:
    rate = Rate(3)
    assert (rate.outside(2), rate.outside(2), rate.inside(3), rate.wrapped(2)) == (5, 5, 10, 106)
    assert Rate.outside.cache_info().hits == 1 and Rate.inside.cache_info().currsize >= 1
    assert through_caches(3) == 15
    assert (Key(2).half(3), halved(5), Key.half.cache_info().misses) == (2.5, 4.0, 2)


class Gauge:
    def __init__(self, level: int):
        self.stored = level

    @property
    @tscript.script
    def level(self) -> int:
        return self.stored

    @level.setter
    @tscript.script
    def level(self, n: int) -> None:
        self.stored = n * 2


@tscript.script
def filled(n: int) -> int:
    gauge = Gauge(n)
    gauge.level += 1
    return gauge.level


def test_setters() -> None:
    gauge = Gauge(1)
    gauge.level = 4
    assert (gauge.level, gauge.stored, filled(2)) == (8, 8, 6)


def more(function: Any) -> Any:
    @functools.wraps(function)
    def inner(n: int) -> int:
        return function(n) + 100

    return inner


@more
@tscript.script
def wrapped(n: int) -> int:
    return n


@tscript.script
def calls_wrapped(n: int) -> int:
    return wrapped(n)


def test_a_function_around_a_scripted_one_is_called() -> None:
    assert wrapped(1) == calls_wrapped(1) == 101
    assert tscript.script(wrapped)(1) == 101
    assert pickle.loads(pickle.dumps(calls_wrapped))(2) == 102
