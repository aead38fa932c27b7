"""Classes, enums and named tuples, run in every way there is."""

from __future__ import annotations

from typing import Any

import pytest

PRELUDE = """
import abc
import dataclasses
import functools
from collections import namedtuple
from dataclasses import InitVar, dataclass, field
from enum import Enum, IntEnum, StrEnum, auto
from typing import Any, ClassVar, Final, NamedTuple, Optional, Union
"""

DATA = """
@dataclass
class A:
    x: int
    y: float = 2.0
    tags: list[str] = field(default_factory=list)
    kind: ClassVar[str] = "a"

@dataclass
class B(A):
    z: int = 5
    def __post_init__(self):
        self.z += self.x

@dataclass(frozen=True, order=True)
class F:
    a: int
    b: str = "q"

@dataclass(kw_only=True)
class K:
    a: int
    extra: InitVar[int] = 3
    total: int = field(init=False, default=0)
    hidden: int = field(default=1, repr=False, compare=False)
    def __post_init__(self, extra: int) -> None:
        self.total = self.a + extra
"""

ENUMS = """
class Color(Enum):
    RED = 1
    GREEN = 2
    CRIMSON = 1
    @property
    def low(self) -> str:
        return self.name.lower()
    @classmethod
    def first(cls) -> "Color":
        return cls.RED
class Level(IntEnum):
    LOW = 1
    HIGH = 20
class Word(StrEnum):
    UP = auto()
    DOWN = "dd"
class Mixed(Enum):
    A = 1
    B = "b"
"""

TUPLES = """
class N(NamedTuple):
    x: int
    y: float = 1.5
    def norm(self) -> float:
        return self.x + self.y
"""

SHAPES = """
class Shape:
    sides = 0
    def __init__(self, name: str):
        self.name = name
    def area(self) -> float:
        raise NotImplementedError
    def describe(self) -> str:
        return f"{self.name}: {self.area():.2f} {self.sides}"
    @property
    def double(self) -> float:
        return 2.0 * self.area()
class Square(Shape):
    sides = 4
    def __init__(self, s: float):
        super().__init__("square")
        self.s = s
    def area(self) -> float:
        return self.s * self.s
class Circle(Shape):
    def __init__(self, r: float):
        super().__init__("circle")
        self.r = r
    def area(self) -> float:
        return 3.0 * self.r * self.r
    def describe(self) -> str:
        return "<" + super().describe() + ">"
class Dot(Circle):
    def __init__(self):
        super().__init__(0.5)
    @property
    def double(self) -> float:
        return -1.0
class Form(abc.ABC):
    @abc.abstractmethod
    def value(self) -> int: ...
    def twice(self) -> int:
        return 2 * self.value()
class One(Form):
    def value(self) -> int:
        return 1
class Two(Form):
    def value(self) -> int:
        return 2
"""

SPECIAL = """
class V:
    made: Final = 3
    def __init__(self, k: int):
        self.k = k
    def __lt__(self, other: "V") -> bool:
        return self.k < other.k
    def __eq__(self, other: object) -> bool:
        if not isinstance(other, V):
            return NotImplemented
        return self.k % 10 == other.k % 10
    def __repr__(self) -> str:
        return f"V{self.k}"
    def __str__(self) -> str:
        return f"v{self.k}"
    def __format__(self, spec: str) -> str:
        return spec + str(self.k)
    def __len__(self) -> int:
        return abs(self.k)
    def __getitem__(self, i: int) -> int:
        return self.k + i
    def __setitem__(self, i: int, value: int) -> None:
        self.k = i * value
    def __delitem__(self, i: int) -> None:
        self.k -= i
    def __contains__(self, i: int) -> bool:
        return i < self.k
    def __call__(self, a: int, b: int = 1) -> int:
        return self.k * a + b
    def __add__(self, other: "V") -> "V":
        return V(self.k + other.k)
    def __iadd__(self, other: "V") -> "V":
        self.k += 100 * other.k
        return self
    def __rmul__(self, n: int) -> "V":
        return V(self.k * n)
    def __neg__(self) -> "V":
        return V(-self.k)
    def __abs__(self) -> "V":
        return V(abs(self.k))
    def __bool__(self) -> bool:
        return self.k > 1
    def __int__(self) -> int:
        return self.k
class Range:
    def __init__(self, n: int):
        self.n = n
        self.i = 0
    def __iter__(self) -> "Range":
        return self
    def __next__(self) -> int:
        if self.i >= self.n:
            raise StopIteration
        self.i += 1
        return self.i
class Bag:
    def __init__(self):
        self.items = []
        self.items.append(1)
    def __iter__(self):
        return iter(self.items)
@functools.total_ordering
class T:
    def __init__(self, k: int):
        self.k = k
    def __eq__(self, other: object) -> bool:
        return isinstance(other, T) and self.k == other.k
    def __lt__(self, other: "T") -> bool:
        return self.k < other.k
@dataclass
class Holder:
    v: V
    vs: list[V]
class Account:
    def __init__(self, balance: int):
        self._balance = balance
    @property
    def balance(self) -> int:
        return self._balance
    @balance.setter
    def balance(self, value: int) -> None:
        if value < 0:
            raise ValueError(f"negative: {value}")
        self._balance = value
    @staticmethod
    def empty() -> "Account":
        return Account(0)
    @classmethod
    def of(cls, n: int) -> "Account":
        return cls(n * 2)
class Node:
    def __init__(self, value: int, next: "Optional[Node]" = None):
        self.value = value
        self.next = next
"""

PROGRAMS = {
    "dataclasses": (DATA, """
def f(n: int) -> str:
    a, b = A(n), B(n, tags=["u"])
    a.tags.append("k")
    a.y += 1
    return f"{a} {b} {a == A(n, 3.0, ['k'])} {a != A(n)} {b.z} {a.kind} {A.kind} {b == b} {a is b}"
"""),
    "frozen": (DATA, """
def f(n: int) -> str:
    x, y = F(n), F(b="z", a=n)
    d = {x: 1, y: 2}
    s = {x, F(n), y}
    return f"{x < y} {x >= y} {x == y} {d[F(n)]} {sorted([y, x])} {max(x, y)} {hash(x) == hash(F(n))} {len(s)} {x in s}"
"""),
    "fields": (DATA, """
def f(n: int) -> str:
    k = K(a=n, extra=7, hidden=n)
    return f"{k} {k == K(a=n, extra=7)} {k == K(a=n)} {k.hidden}"
"""),
    "enums": (ENUMS, """
def f(n: int) -> str:
    c = Color.RED if n < 3 else Color(2)
    out = c.name + str(c.value) + c.low + str(c) + repr(c) + f"{c} {c!r:>20}"
    for m in Color:
        out += m.name
    d = {Color.RED: "r", Color.GREEN: "g"}
    out += d[c] + str(c is Color.GREEN) + str(c == Color.CRIMSON) + str(Color["GREEN"].value) + str([c, Color.GREEN])
    return out + str(len(Color)) + str(list(Color)) + str(c in (Color.RED,)) + str(Color.first()) + str(c != Color.RED)
"""),
    "lookup": (ENUMS, """
def f(n: int) -> str:
    found = Color(n)
    return found.name + Color[found.name].low
"""),
    "lookup_name": (ENUMS, """
def f(n: int) -> int:
    names = ["RED", "CRIMSON", "BLUE"]
    return Color[names[n % 3]].value
"""),
    "mixed_enum": (ENUMS, """
def f(n: int) -> str:
    m = Mixed.A if n > 2 else Mixed.B
    v = m.value
    if isinstance(v, str):
        return v + "!"
    return str(v + 1) + str(Mixed("b")) + str(Mixed(1) is m)
"""),
    "int_and_str_enums": (ENUMS, """
def f(n: int) -> str:
    i, s = Level(20 if n > 2 else 1), Word.DOWN
    xs = [10, 20, 30]
    return (f"{i + n} {i} {i!r} {i:03d} {s} {s!r} {s == 'dd'} {s.upper()} {i < 3} {Level.LOW < i}"
            f" {len(s)} {Word.UP.value}"
            f" {[i, Level.LOW]} {max(Level.LOW, Level.HIGH)} {-i} {s + 'x'} {i == 20} {sorted([Level.HIGH, Level.LOW])}"
            f" {xs[Level.LOW]} {bool(i)} {isinstance(i, Level)}")
"""),
    "named_tuples": (TUPLES, """
def f(n: int) -> str:
    p = N(n)
    q = p._replace(y=7.0)
    x, y = q
    return f"{p} {q!r} {x} {y} {p.norm()} {p[0]} {p == (n, 1.5)} {p < q} {len(p)} {p._fields} {[p, q]} {q.y} {p + (1,)}"
"""),
    "named_tuple_result": (TUPLES, """
def f(n: int) -> N:
    return N(y=2.5, x=n)
"""),
    "dispatch": (SHAPES, """
def f(n: int) -> str:
    xs: list[Shape] = [Square(2.0), Circle(1.0), Square(float(n)), Dot()]
    out = " ".join([x.describe() for x in xs]) + str(sum([x.area() for x in xs]))
    for x in xs:
        out += f" {isinstance(x, Square)} {isinstance(x, Circle)} {x.sides} {x.double}"
        if isinstance(x, Circle):
            out += str(x.r)
    return out
"""),
    "abstract": (SHAPES, """
def f(n: int) -> int:
    forms: list[Form] = [One(), Two()]
    return sum([x.twice() + x.value() * n for x in forms])
"""),
    "not_implemented": (SHAPES, """
def f(n: int) -> float:
    return Shape("none").area() + n
"""),
    "special": (SPECIAL, """
def f(n: int) -> str:
    v = V(n)
    out = f"{v} {v!r} {v:>} {len(v)} {v[2]} {1 in v} {7 in v} {v(2)} {v(2, b=5)} {2 * v}"
    out += f" {bool(v)} {-v} {abs(-v)} {v + v} {int(v)}"
    v[2] = 5
    v[1] += 1
    del v[1]
    v += V(1)
    return out + str(v) + ("t" if v else "f") + str(not v) + str(v.made) + str(V.made)
"""),
    "own_equality": (SPECIAL, """
def f(n: int) -> str:
    vs = [V(3), V(13), V(n)]
    h, g = Holder(V(n), [V(1)]), Holder(V(n + 10), [V(11)])
    out = f"{V(3) == V(13)} {V(3) != V(4)} {V(23) in vs} {vs.count(V(3))} {vs.index(V(3))}"
    out += f" {vs == [V(13), V(3), V(n)]} {h == g}"
    vs.remove(V(3))
    return out + f"{vs} {(V(1), 2) == (V(11), 2)} {h} {[h]} {(h, 1)} {len(vs)}"
"""),
    "missing_element": (SPECIAL, """
def f(n: int) -> int:
    return [V(1), V(2)].index(V(n))
"""),
    "own_order": (SPECIAL, """
def f(n: int) -> str:
    vs = [V(30), V(n), V(2), V(12)]
    best, worst = max(vs), min(vs)
    other = sorted(vs, reverse=True)
    vs.sort()
    ts = sorted([T(3), T(1), T(n)], key=lambda t: t, reverse=True)
    low = min([T(3), T(n)]).k
    ordered = f"{T(1) <= T(n)} {T(1) > T(n)} {T(n) >= T(3)} {V(1) > V(n)}"
    return f"{vs} {best} {worst} {other} {[t.k for t in ts]} {low} {ordered}"
"""),
    "iterators": (SPECIAL, """
def f(n: int) -> str:
    out = [x * 2 for x in Range(n)]
    for x in Range(n):
        if x == 2:
            break
    else:
        x = 99
    total = 0
    for a in Range(2):
        for b in Range(a):
            if b == 2:
                continue
            total += a * b
    return f"{out} {x} {sum(Range(n))} {list(Range(2))} {total} {[i for i in Bag()]} {max(Range(3))}"
"""),
    "properties": (SPECIAL, """
def f(n: int) -> int:
    a = Account.of(n)
    a.balance += 3
    b = Account.empty()
    b.balance = a.balance - 8
    return a.balance * 100 + b.balance
"""),
    "linked_list": (SPECIAL, """
def f(n: int) -> int:
    head: Optional[Node] = None
    for i in range(n):
        head = Node(i, head)
    total = 0
    at = head
    while at is not None:
        total = total * 10 + at.value
        if at.next is not None and at.next.value > 0:
            total += at.next.value
        at = at.next
    return total + (1 if head is head else 0)
"""),
    "unset": ("""
class Late:
    def __init__(self, n: int):
        self.fill(n)
        self.text = "x"
    def fill(self, n: int) -> None:
        if n > 2:
            print(self.text)
""", """
def f(n: int) -> int:
    return len(Late(n).text)
"""),
    "match_classes": (DATA + TUPLES + ENUMS, """
def f(n: int) -> str:
    x: Union[A, F, int] = A(n) if n == 1 else F(n) if n == 3 else n
    match x:
        case A(x=1, y=y):
            return f"A {y}"
        case F(a, b):
            return f"F {a} {b}"
        case _:
            return "int"
"""),
    "any_and_union": (DATA, """
def f(n: int) -> str:
    xs: list[Union[A, str, None]] = [A(n), "s", None]
    out = ""
    for x in xs:
        if isinstance(x, A):
            out += str(x.x)
        elif x is None:
            out += "none"
        else:
            out += x
    return out
"""),
    "contexts": ("""
class Guard:
    def __init__(self, log: list[str], swallow: bool):
        self.log = log
        self.swallow = swallow
    def __enter__(self) -> "Guard":
        self.log.append("in")
        return self
    def __exit__(self, kind, error, trace) -> bool:
        self.log.append("out" if kind is None else "error " + str(error))
        return self.swallow
class Plain:
    def __init__(self, log: list[str]):
        self.log = log
    def __enter__(self) -> int:
        return 7
    def __exit__(self, *args):
        self.log.append("plain")
""", """
def f(n: int) -> str:
    log: list[str] = []
    with Guard(log, True) as g, Plain(log) as seven:
        g.log.append(str(seven))
        if n > 2:
            raise ValueError(f"bad {n}")
        log.append("end")
    with Guard(log, False):
        if n == 4:
            raise KeyError("k")
    return " ".join(log)
"""),
    "changing_fields": (SPECIAL, """
def f(n: int) -> int:
    node = Node(n)
    first = node.value
    node.value = first + 5
    second = node.value
    node.value += second
    return first * 10000 + second * 100 + node.value
"""),
}  # fmt: skip


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("n", [1, 3, 4])
def test_every_way_agrees(harness: Any, name: str, n: int) -> None:
    harness.agree(PRELUDE + "".join(PROGRAMS[name]), n)
