"""A program whose main module defines functions that travel. It writes their pickles to the file that it is given."""

import copy
import enum
import functools
import math
import pickle
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple, Optional, TypeVar

import numpy as np

import tscript
from tscript import Tensor

SCALE = 3
NAMES = ("a", 2.5, True)
WEIGHTS = tscript.tensor([1.0, 2.0, 3.0])
ARRAY = np.arange(3, dtype=np.float32)
OPEN = open(__file__)
T = TypeVar("T")


class Color(enum.Enum):
    RED = 1
    BLUE = 2

    def twice(self) -> int:
        return self.value * 2


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 5


class Pair(NamedTuple):
    x: int
    y: int = 4

    def total(self) -> int:
        return self.x + self.y


@dataclass
class Node:
    value: int
    next: "Optional[Node]" = None
    tags: list[str] = field(default_factory=list)

    def length(self) -> int:
        n = 1
        at = self.next
        while at is not None:
            n += 1
            at = at.next
        return n + SCALE


@dataclass
class Left:
    right: "Optional[Right]"


@dataclass
class Right:
    left: "Optional[Left]"
    n: int


@dataclass(frozen=True, slots=True)
class Slots:
    a: int
    b: float = 2.0


class WrongError(ValueError):
    pass


class Base(ABC):
    K = 7

    def __init__(self, n: int) -> None:
        self.n = n
        self.__hidden = 5

    @abstractmethod
    def get(self) -> int: ...

    def hidden(self) -> int:
        return self.n + self.__hidden

    @property
    def half(self) -> int:
        return self.n // 2

    @staticmethod
    def twice(n: int) -> int:
        return n * 2


class Derived(Base):
    def get(self) -> int:
        return super().hidden() * self.K + self.half + Base.twice(1)


class Counter:
    def __init__(self, n: int) -> None:
        self.n = n

    @tscript.script
    def add(self, k: int) -> int:
        return self.n + k

    @staticmethod
    @tscript.script
    def double(k: int) -> int:
        return 2 * k


def helper(x: int) -> int:  # a comment
    return x * SCALE + \
        1  # fmt: skip


def first(xs: list[T]) -> T:
    return xs[0]


@tscript.script
def scalar(x: int, y: int = SCALE) -> int:
    """A docstring."""

    # a comment
    return helper(x) + y


@tscript.script
def tensors(x: Tensor) -> Tensor:
    return x * WEIGHTS + tscript.relu(x) * ARRAY + SCALE


@tscript.script
def names(n: int) -> str:
    return NAMES[0] * n


@tscript.script
def even(n: int) -> bool:
    return True if n == 0 else odd(n - 1)


@tscript.script
def odd(n: int) -> bool:
    return False if n == 0 else even(n - 1)


@tscript.script
def classes(n: int) -> tuple[int, int, int, float, int]:
    if n > 100:
        raise WrongError("big")
    return Pair(n).total(), Color.RED.twice(), Derived(n).get(), Slots(n).b, Level.HIGH.value


@tscript.script
def walk(x: Node) -> int:
    return x.length()


@tscript.script
def make(n: int) -> Node:
    return Node(n, None, ["a"])


@tscript.script
def circle(n: int) -> int:
    right = Right(None, n)
    left = Left(right)
    right.left = left
    found = left.right
    return 0 if found is None else found.n


@tscript.script
def color(c: Color) -> Color:
    return Color.BLUE if c is Color.RED else Color.RED


@tscript.script
def method(n: int) -> int:
    return Counter(n).add(2) + Counter.double(n)


def around(k: int) -> Callable[[int], int]:
    def inner(x: int) -> int:
        return x * k

    return tscript.script(inner)


times = around(5)


@tscript.script
@functools.lru_cache(maxsize=None)
def fib(n: int) -> int:
    return n if n < 2 else fib(n - 1) + fib(n - 2)


@functools.cache
def cached(n: int) -> int:
    return n + SCALE


@tscript.script
def uses_cache(n: int) -> int:
    return cached(n)


@functools.lru_cache(maxsize=4)
@tscript.script
def inner_cached(n: int) -> int:
    return n + SCALE


@dataclass(frozen=True)
class Tariff:
    base: int

    @functools.lru_cache(maxsize=4)
    @tscript.script
    def price(self, n: int) -> int:
        return self.base * n


def doubled(function: Callable[[int], int]) -> Callable[[int], int]:
    @functools.wraps(function)
    def inner(n: int) -> int:
        return 2 * function(n)

    return inner


@doubled
@tscript.script
def wrapped(n: int) -> int:
    return n + 1


@tscript.script
def uses_wrappers(n: int) -> int:
    return inner_cached(n) + Tariff(n).price(3) + wrapped(n)


@tscript.ignore
def host(text: str) -> str:
    return text.upper()


@tscript.script
def ignored(text: str) -> str:
    return host(text) + str(math.floor(2.5))


@tscript.script
def generic(n: int) -> int:
    return first([n, 1]) + len(first(["abc"]))


@tscript.ignore
def broken(n: int) -> int:
    return len(OPEN.read()) + n


@tscript.script
def refused(n: int) -> int:
    return broken(n)


@tscript.script
def fails(n: int) -> int:
    total = 0

    # a comment
    for i in range(3): total += i  # noqa: E701 # fmt: skip

    return total // n


CALLS = {
    "scalar": (2,),
    "tensors": (tscript.tensor([1.0, -1.0, 1.0]),),
    "names": (3,),
    "even": (10,),
    "odd": (7,),
    "classes": (3,),
    "make": (3,),
    "circle": (8,),
    "times": (4,),
    "fib": (30,),
    "uses_cache": (1,),
    "uses_wrappers": (2,),
    "ignored": ("abc",),
    "generic": (4,),
    "method": (5,),
}
OTHERS = ("walk", "color", "fails")
METHODS = {"Counter.add": Counter.add, "Counter.double": Counter.double}

if __name__ == "__main__":
    pickles: dict[str, bytes] = {}
    results: dict[str, str] = {}
    for name in (*CALLS, *OTHERS, *METHODS):
        function = METHODS[name] if name in METHODS else globals()[name]
        pickles[name] = pickle.dumps(function)
        assert pickle.dumps(function) == pickles[name]
        assert pickle.loads(pickles[name]) is function
        assert copy.copy(function) is function and copy.deepcopy([function]) == [function]
        if name in CALLS:
            results[name] = repr(function(*CALLS[name]))
    try:
        pickle.dumps(refused)
    except tscript.FunctionPicklingError as error:
        results["refused"] = str(error)
    Path(sys.argv[1]).write_bytes(pickle.dumps((pickles, results)))
