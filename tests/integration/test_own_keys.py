"""Instances whose classes say themselves what their hash is and what they equal, as keys of dicts, elements of sets and
of lists."""

from __future__ import annotations

import gc
from typing import Any

import pytest

import tscript
from tests.integration.harness import function_of
from tscript.runtime.session.process import current

CLASSES = """
from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple

class P:
    def __init__(self, x: int):
        self.x = x
    def __eq__(self, other: "P") -> bool:
        return self.x % 10 == other.x % 10
    def __hash__(self) -> int:
        return self.x % 5

class V:
    def __init__(self, x: int):
        self.x = x
    def __eq__(self, other: object) -> bool:
        return isinstance(other, V) and self.x % 10 == other.x % 10
    def __hash__(self) -> int:
        return self.x % 5

class Q(P):
    def __hash__(self) -> int:
        return -1

class R(Q):
    def __eq__(self, other: "P") -> bool:
        return False
    def __hash__(self) -> int:
        return 4

class OnlyHash:
    def __init__(self, x: int):
        self.x = x
    def __hash__(self) -> int:
        return 7

@dataclass(unsafe_hash=True)
class U:
    x: int
    y: str = "a"

@dataclass(eq=False)
class I:
    x: int

@dataclass(frozen=True)
class F:
    p: P
    n: int = field(compare=False, default=0)

@dataclass(frozen=True)
class G:
    x: int
    n: int = field(hash=False, default=0)

@dataclass(frozen=True)
class H:
    x: int
    y: int
    def __hash__(self) -> int:
        return self.x

@dataclass
class E:
    x: int

@dataclass
class Base:
    x: int
    def __hash__(self) -> int:
        return self.x

class Derived(Base):
    pass

@dataclass
class Lost(Base):
    y: int = 0

class Color(Enum):
    RED = 1
    GREEN = 2
    def __eq__(self, other: "Color") -> bool:
        return self is other
    def __hash__(self) -> int:
        return 3

class T(NamedTuple):
    x: int
    y: int
    def __hash__(self) -> int:
        return self.x
    def __eq__(self, other: "T") -> bool:
        return self.x == other.x
"""

PROGRAMS = {
    "dict": """
def f(n: int) -> list[int]:
    d: dict[P, int] = {}
    for i in range(n):
        d[P(i)] = i
    e = dict(d)
    found = [len(d), d.get(P(14), -1), d.get(P(3), -1), d.setdefault(P(15), 70), d.setdefault(P(9), 80), len(d),
            d.pop(P(19), 5)]
    if P(2) in d:
        del d[P(12)]
    d |= e
    for p, v in d.items():
        found += [p.x, v]
    return found + [d.pop(P(9), -1), len(d), len(d | {P(77): 1}), len(e.copy())]
""",
    "missing": """
def f(n: int) -> int:
    d = {P(n): 1}
    try:
        return d[P(n + 1)]
    except KeyError as error:
        return len(error.args) + len(d)
""",
    "missing and raised": """
def f(n: int) -> int:
    d = {T(n, 1): 1}
    del d[T(n, 2)]
    d.pop(T(n + 1, 2))
    return 0
""",
    "set": """
def f(n: int) -> list[int]:
    s = {P(i) for i in range(n)}
    t = {P(n), P(n + 1), P(n + 10), P(n + 2)}
    out = [len(s), len(t), len(s & t), len(s | t), len(s - t), len(s ^ t), len(t - s), len(s.union(t)),
            len(s.intersection(t))]
    out += [1 if b else 0 for b in [s <= t, t <= s, s < t, s == t, s != t, s >= t, s > t, s.isdisjoint(t),
            t == {P(n), P(n + 1), P(n + 2)}]]
    a, b, c, e = s.copy(), s.copy(), s.copy(), s.copy()
    a |= t
    b &= t
    c -= t
    e ^= t
    s.discard(P(n))
    s.add(P(n))
    s.add(P(n + 20))
    s.remove(P(n + 10))
    out += [len(a), len(b), len(c), len(e), len(s)]
    for one in (a, b, c, e):
        out += sorted([p.x % 10 for p in one])
    return out
""",
    "which of two equal ones stays": """
def f(n: int) -> list[int]:
    s, t = {P(1), P(2)}, {P(11), P(12), P(13)}
    d = {P(1): 1}
    d[P(11)] = 2
    out = [p.x for p in d]
    for xs in (s & t, t & s, s | t, t | s, s - {P(12)}):
        out += sorted([p.x for p in xs])
    s &= {P(21), P(32)}
    return out + sorted([p.x for p in s])
""",
    "virtual": """
def f(n: int) -> list[int]:
    ps = [P(n), Q(n), R(n), P(n + 1), Q(n + 10)]
    d: dict[P, int] = {}
    for i, p in enumerate(ps):
        d[p] = i
    return [hash(p) for p in ps] + [d[p] for p in ps] + [len(d), d.get(R(n), -5), d.get(Q(n), -5),
            1 if ps[2] in d else 0]
""",
    "derived classes with and without": """
def f(n: int) -> list[int]:
    bs: list[Base] = [Base(n), Derived(n)]
    if n > 3:
        bs.append(Lost(n, 1))
    return [hash(b) for b in bs]
""",
    "unhashable": """
def f(n: int) -> str:
    bs: list[Base] = [Base(n), Lost(n)]
    out = ""
    try:
        hash(E(n))
    except TypeError as error:
        out += str(error)
    try:
        hash((1, E(n)))
    except TypeError as error:
        out += str(error)
    s: set[Base] = set()
    for b in bs:
        try:
            s.add(b)
        except TypeError as error:
            out += str(error) + str(len(s))
    return out
""",
    "only a hash": """
def f(n: int) -> list[int]:
    a, b = OnlyHash(n), OnlyHash(n)
    d = {a: 1, b: 2}
    d[a] = 3
    return [d[a], d[b], len(d), d.get(OnlyHash(n), 0), len({a: 1} | {b: 2}), 1 if {a, b} == {b, a} else 0,
            1 if d == {b: 2, a: 3} else 0]
""",
    "dataclasses": """
def f(n: int) -> list[int]:
    u = U(n)
    d = {u: 1, U(n, "b"): 2}
    u2 = {F(P(1), 5): 1, F(P(2)): 2}
    g = {G(n, 1): 1, G(n, 2): 2}
    h = {H(n, 1): 1, H(n, 2): 2}
    i = I(n)
    j = {i: 1, I(n): 2}
    found = [d[U(n)], d[U(n, "b")], u2[F(P(11), 3)], g[G(n, 2)], h[H(n, 1)], j[i], len(j), 1 if I(n) in j else 0]
    u.x += 1
    return found + [d.get(u, -1), hash(U(n, "")) - hash((n, "")), hash(G(5, 3)) - hash((5,)), hash(H(4, 1)),
            len({E(1).x})]
""",
    "enums and named tuples": """
def f(n: int) -> list[int]:
    d = {Color.RED: 1, Color.GREEN: 2}
    t = {T(n, 1): 1}
    t[T(n, 2)] = 3
    return [d[Color.GREEN], hash(Color.RED), t[T(n, 5)], len(t), hash(T(9, 1)), len({T(1, 2), T(1, 3), T(2, 2)})]
""",
    "tuples": """
def f(n: int) -> list[int]:
    d: dict[tuple[P, int], int] = {(P(n), 1): 1}
    d[P(n + 10), 1] = 2
    e: dict[tuple[P, ...], int] = {(P(1), P(2)): 1}
    k: tuple[P, ...] = (P(11), P(12))
    g = {(1, (P(n), "a"))}
    return [d[P(n), 1], len(d), e[k], 1 if (1, (P(n + 10), "a")) in g else 0, hash((P(n), 1, 2.5)), hash(k),
            hash((P(n),))]
""",
    "optionals": """
def f(n: int) -> list[int]:
    d: dict[P | None, int] = {None: 1, P(n): 2}
    d[P(n + 10)] = 3
    k: P | None = P(n) if n > 2 else None
    e: dict[tuple[P, int] | None, int] = {None: 4, (P(n), 2): 5}
    return [d[None], d[P(n)], d[k], len(d), e[None], e[P(n + 10), 2], e.get((P(n), 1), 0)]
""",
    "tuples that may be None": """
def f(n: int) -> list[int]:
    a = (P(n), 1)
    b: tuple[P, int] | None = (P(n + 10), 1) if n > 2 else None
    c: tuple[P, int] | None = None
    found = [a == b, b == a, a != b, a == c, b == c, b == b]
    return [1 if x else 0 for x in found]
""",
    "unions": """
def f(n: int) -> list[int]:
    d: dict[V | str, int] = {"a": 1}
    d[V(n)] = 2
    e: dict[V | str | None, int] = {"a": 1, None: 3}
    e[V(n)] = 2
    k: V | str = V(n + 10) if n > 2 else "a"
    return [d["a"], d[V(n + 10)], d[k], len(d), e[None], e[k], 1 if k == V(n) else 0, 1 if k in [V(3), "b"] else 0]
""",
    "nothing said of the dict": """
def f(n: int) -> int:
    d, s = {}, set()
    for i in range(n):
        if P(i) not in s:
            s.add(P(i))
        if P(i) in d:
            d[P(i)] += 1
        d[P(i)] = i
    return len(d) * 100 + len(s) + d[P(0)]
""",
    "made of keys": """
def f(n: int) -> list[int]:
    ps = [P(i) for i in range(n)]
    a = dict.fromkeys(ps, 1)
    b = dict([(p, p.x) for p in ps])
    c = {p: p.x for p in ps}
    d = set(ps)
    e = {**a, P(3): 7}
    g = {*ps, P(3)}
    h = dict(zip(ps, ps))
    return [len(a), b[P(2)], c[P(1)], len(d), e[P(13)], len(g), h[P(1)].x, 1 if a == {p: 1 for p in ps} else 0,
            1 if b == c else 0, 1 if a != c else 0]
""",
    "lists": """
def f(n: int) -> list[int]:
    ps = [P(i) for i in range(20)]
    ts = [(P(i), 1) for i in range(n)]
    ks: tuple[P, ...] = (P(1), P(2), P(11))
    out = [ps.index(P(13)), ps.index(P(3), 5), ps.index(P(3), -10, -2), ps.count(P(2)), ts.index((P(12), 1)),
            ts.count((P(1), 2)), ks.index(P(2)), ks.count(P(1))]
    ps.remove(P(15))
    ts.remove((P(10), 1))
    out += [len(ps), ps[5].x, len(ts), 1 if (P(13), 1) in ts else 0, 1 if (P(3), 2) in ts else 0,
            1 if P(12) in ks else 0]
    return out + [1 if ts == [(P(t[0].x + 10), t[1]) for t in ts] else 0, 1 if (P(1), P(2)) == (P(11), P(12)) else 0]
""",
    "not in lists": """
def f(n: int) -> str:
    out = ""
    ks: tuple[P, ...] = (P(1), P(2), P(11))
    try:
        ks.index(P(n))
    except ValueError as error:
        out += str(error)
    try:
        [P(1)].remove(P(n))
    except ValueError as error:
        out += str(error)
    return out
""",
    "kept in an attribute": """
class Graph:
    def __init__(self):
        self.near: dict[P, set[P]] = {}
    def join(self, a: P, b: P) -> None:
        self.near.setdefault(a, set()).add(b)
        self.near.setdefault(b, set()).add(a)

def f(n: int) -> list[int]:
    g = Graph()
    for i in range(n):
        g.join(P(i), P(i * 3 + 1))
    seen = {P(0)}
    todo = [P(0)]
    while todo:
        p = todo.pop()
        for q in g.near[p]:
            if q not in seen:
                seen.add(q)
                todo.append(q)
    return sorted([p.x % 10 for p in seen])
""",
    "a class that holds a dict of itself": """
class Node:
    def __init__(self, x: int):
        self.x = x
        self.out: dict[Node, int] = {}
    def __eq__(self, other: "Node") -> bool:
        return self.x == other.x
    def __hash__(self) -> int:
        return self.x
    def add(self, other: "Node") -> int:
        self.out[other] = self.out.get(other, 0) + 1
        return len(self.out)

def f(n: int) -> list[int]:
    a = Node(1)
    return [a.add(Node(i % 3)) for i in range(n)] + [a.out[Node(2)]]
""",
    "counting calls": """
class Log:
    def __init__(self):
        self.text = ""

class K:
    def __init__(self, log: Log, x: int):
        self.log, self.x = log, x
    def __eq__(self, other: "K") -> bool:
        self.log.text += f"{self.x}={other.x} "
        return self.x == other.x
    def __hash__(self) -> int:
        self.log.text += f"#{self.x} "
        return self.x % 2

def f(n: int) -> str:
    log = Log()
    a, b, c = K(log, 1), K(log, 3), K(log, 5)
    d = {a: 1, b: 2, c: 3}
    log.text += "| "
    d[a] = 2
    d[K(log, 5)] += 1
    e = d.copy()
    e.update(d)
    log.text += "| "
    s = {a, b}
    t = {c, K(log, 3)}
    log.text += str(len(s & t)) + str(len(t - s)) + str(s == t) + str(d == e)
    log.text += str([a, c].index(K(log, 5))) + str((a, b) == (a, c))
    return log.text
""",
    "errors out of both": """
class K:
    def __init__(self, x: int):
        self.x = x
    def __eq__(self, other: "K") -> bool:
        if self.x == 3:
            raise ValueError(f"eq {other.x}")
        return self.x == other.x
    def __hash__(self) -> int:
        if self.x < 0:
            raise IndexError(f"hash {self.x}")
        return 1

def f(n: int) -> str:
    d = {K(1): 1, K(2): 2}
    s = {K(1), K(2), K(3)}
    out = ""
    for i in (-1, 5, 2, n):
        try:
            d[K(i)] = i
            s.discard(K(i))
        except (ValueError, IndexError) as error:
            out += f"{error}, "
        out += f"{len(d)} {len(s)}; "
    d[K(3)] = 3
    out += str(len(d))
    return out + str(len({K(-2): 1}))
""",
    "a hash that changes the table": """
class K:
    def __init__(self, x: int, d: "dict[int, int]"):
        self.x, self.d = x, d
    def __hash__(self) -> int:
        self.d[len(self.d)] = self.x
        return self.x
    def __eq__(self, other: "K") -> bool:
        self.d.clear()
        return self.x == other.x

def f(n: int) -> int:
    d: dict[int, int] = {}
    s = {K(i % 3, d) for i in range(n)}
    return len(s) * 100 + len(d)
""",
}

EVERY_WAY = "missing", "only a hash", "virtual", "tuples", "counting calls", "errors out of both"

CHANGES = """
class Box:
    def __init__(self):
        self.d: dict["K", int] = {}
        self.s: set["K"] = set()
        self.xs: list["K"] = []
        self.left = 0

class K:
    def __init__(self, box: Box, x: int):
        self.box, self.x = box, x
    def __hash__(self) -> int:
        return 1
    def __eq__(self, other: "K") -> bool:
        box = self.box
        if box.left > 0:
            box.left -= 1
            CHANGE
        return self.x == other.x

def f(n: int, which: int) -> str:
    box = Box()
    for i in range(4):
        box.d[K(box, i)] = i
        box.s.add(K(box, i))
        box.xs.append(K(box, i))
    box.left = n
    out = ""
    try:
        if which < 0:
            pass
STATEMENTS
    except KeyError:
        out = "KeyError"
    except ValueError:
        out = "ValueError"
    except IndexError:
        out = "IndexError"
    except RuntimeError as error:
        out = str(error)
    box.left = 0
    out += f" {[k.x for k in box.d]} {sorted([k.x for k in box.s])} {[k.x for k in box.xs]}"
    box.d.clear()  # what refers to each other in a ring is not freed
    box.s.clear()
    box.xs.clear()
    return out
"""

AT_PROBE = {
    "clear": "box.d.clear(); box.s.clear(); box.xs.clear()",
    "grow": "box.d.update({K(Box(), 10 + box.left): 1}); box.s.add(K(Box(), 10 + box.left)); box.xs.append(K(Box(), "
    "7))",
    "shrink": "box.d.popitem(); box.s = set(); box.xs.pop()",
    "rebind": "box.d = {}; box.s = set(); box.xs = []",
    "the same again": "k = K(Box(), 3); box.d.popitem(); box.d[k] = 9; box.s.discard(K(Box(), 0)); box.s.add(K(Box(), "
    "0))",
    "much": "box.d.update({K(Box(), 100 + i): i for i in range(20)}); box.xs *= 3",
}

PROBES = (
    "box.d[K(box, 3)] = 5",
    "out = str(box.d[K(box, 3)])",
    "out = str(box.d.pop(K(box, 2)))",
    "out = str(box.d.setdefault(K(box, 5), 6))",
    "box.d.update({K(box, 2): 1, K(box, 7): 1})",
    "out = str(K(box, 3) in box.s)",
    "box.s.remove(K(box, 3))",
    "box.s |= {K(box, 2), K(box, 6)}",
    "box.s -= {K(box, 2), K(box, 3)}",
    "out = str(box.xs.index(K(box, 3)))",
    "box.xs.remove(K(box, 2))",
    "out = str(box.xs.count(K(box, 2)))",
)


def outcome(function: Any, *args: object) -> object:
    try:
        return function(*args)
    except (KeyError, ValueError, IndexError, TypeError) as error:
        return error.__class__, error.args if isinstance(error, IndexError | TypeError) else None


@pytest.mark.parametrize("name", PROGRAMS)
def test_as_in_python(name: str) -> None:
    plain = function_of(CLASSES + PROGRAMS[name])
    scripted = tscript.script(plain)
    before = current().live_blocks()
    for n in (2, 25):
        assert outcome(scripted, n) == outcome(plain, n)
    gc.collect()
    assert current().live_blocks() == before


@pytest.mark.parametrize("name", EVERY_WAY)
def test_every_way_agrees(harness: Any, name: str) -> None:
    harness.agree(CLASSES + PROGRAMS[name], 12)


@pytest.mark.parametrize("change", AT_PROBE)
def test_comparisons_that_change_what_is_searched(change: str) -> None:
    """As Python does it; where that depends on when a table grows, it is enough that nothing breaks."""
    statements = "\n".join(f"        elif which == {i}:\n            {text}" for i, text in enumerate(PROBES))
    source = CLASSES + CHANGES.replace("CHANGE", AT_PROBE[change]).replace("STATEMENTS", statements)
    plain = function_of(source)
    scripted = tscript.script(plain)
    before = current().live_blocks()
    for which in range(len(PROBES)):
        for n in (0, 1, 2, 5):
            found = scripted(n, which)
            if n == 0 or change == "clear" or (change == "grow" and ".xs" in PROBES[which]):
                assert found == plain(n, which), (which, n)
    gc.collect()
    assert current().live_blocks() == before


BOUNDARY = """
def f(d: dict[P, int], s: set[P], e: dict[tuple[P, int], list[P]], n: int) -> tuple[dict[P, int], set[tuple[P, int]],
        list[int]]:
    found = [d.get(P(11), -1), 1 if P(12) in s else 0, len(e[P(13), 4])]
    d[P(21)] = 5
    d[P(n)] = 6
    s.discard(P(12))
    s.add(P(n))
    e[P(3), 4].append(P(n))
    return {P(5): 1, P(15): 2}, {(P(1), 2), (P(11), 2), (Q(1), 3)}, found
"""


def test_tables_come_from_python_and_go_back() -> None:
    plain = function_of(CLASSES + BOUNDARY)
    P: Any = plain.__globals__["P"]

    def changed(function: Any) -> object:
        key = P(1)
        d, s, e = {key: 1, P(2): 2}, {P(2), P(3)}, {(P(3), 4): [P(1)]}
        a, b, found = function(d, s, e, 9)
        assert next(iter(d)) is key and d[P(31)] == 5 and P(19) in s and len(e[P(13), 4]) == 2
        return (
            [(k.x, v) for k, v in d.items()],
            sorted(k.x for k in s),
            [(k.x, v) for k, v in a.items()],
            sorted((type(k).__name__, k.x, v) for k, v in b),
            found,
        )

    scripted = tscript.script(plain)
    changed(scripted)
    before = current().live_blocks()
    assert changed(scripted) == changed(plain)
    gc.collect()
    assert current().live_blocks() == before


def test_what_python_says_of_keys_that_come_back() -> None:
    source = """
class K:
    def __init__(self, x: int):
        self.x = x
    def __hash__(self) -> int:
        if self.x == 3:
            raise ValueError("three")
        return 1
    def __eq__(self, other: "K") -> bool:
        return self.x == other.x

def f(d: dict[K, int], n: int) -> dict[K, int]:
    k = K(n)
    d[k] = 1
    k.x = 3
    return {K(1): 1, K(2): 2}
"""
    plain = function_of(source)
    K: Any = plain.__globals__["K"]
    scripted = tscript.script(plain)
    assert len(scripted({K(2): 1}, 2)) == 2
    before = current().live_blocks()
    with pytest.raises(ValueError, match="three"):
        scripted({K(1): 1}, 5)
    gc.collect()
    assert current().live_blocks() == before


def test_in_archives(tmp_path: Any) -> None:
    plain = function_of(CLASSES + PROGRAMS["dict"])
    scripted = tscript.script(plain)
    tscript.save(scripted, tmp_path / "f.tsa")
    loaded = tscript.load(tmp_path / "f.tsa")
    assert loaded(25) == plain(25)


def test_values_of_any_type_are_no_keys_of_their_own() -> None:
    source = (
        CLASSES + "def f(n: int) -> int:\n    d: dict[object, int] = {}\n    d[1] = 2\n    x: object = P(n)\n"
        "    d[x] = 3\n    return len(d)\n"
    )
    with pytest.raises(TypeError, match="of its own"):
        tscript.script(function_of(source))(1)


def test_the_key_that_is_missing_comes_with_the_error() -> None:
    source = CLASSES + "def f(n: int) -> int:\n    d = {(1, U(2, 'a')): 1}\n    return d[n, U(n, 'b')]\n"
    plain = function_of(source)
    U: Any = plain.__globals__["U"]
    before = current().live_blocks()
    with pytest.raises(KeyError) as found:
        tscript.script(plain)(3)
    assert found.value.args == ((3, U(3, "b")),)
    gc.collect()
    assert current().live_blocks() == before
