"""Data classes whose methods are made with the first object behave like the standard ones."""

from __future__ import annotations

import copy
import dataclasses
import pickle
import threading
import weakref
from dataclasses import FrozenInstanceError, field, fields, is_dataclass, replace
from typing import Any, ClassVar

import pytest

from tscript.late import FEW, dataclass


@dataclass(frozen=True, slots=True)
class Point:
    """A docstring."""

    KIND: ClassVar[str] = "point"

    x: int
    y: int = 2
    tags: list[str] = field(default_factory=list, compare=False)


@dataclass(frozen=True, slots=True)
class Named(Point):
    name: str = "?"


@dataclass(slots=True)
class Counter:
    count: int = 0

    def __post_init__(self) -> None:
        self.count += 1


@dataclass(order=True)
class Ordered:
    key: int
    rest: int = field(default=5, compare=False)


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class Referred:
    value: int


@dataclass(slots=True)
class OwnEquality:
    value: int

    def __eq__(self, other: object) -> bool:
        return True


@dataclass(frozen=True)
class Keyword:
    """One whose fields are given by name alone, before those of a derived class."""

    place: int
    found_by: str = field(default="?", kw_only=True)


@dataclass(frozen=True)
class KeywordNamed(Keyword):
    name: str


@dataclass(frozen=True)
class KeywordRequired(Keyword):
    how: str = field(kw_only=True)
    name: str = "n"


@pytest.fixture
def fresh() -> Any:
    """A class and one derived from it that nobody has used."""

    @dataclass(frozen=True, slots=True)
    class Base:
        a: int

    @dataclass(frozen=True, slots=True)
    class Derived(Base):
        b: int = 1

    return Base, Derived


def test_objects_are_those_of_standard_data_classes() -> None:
    point = Point(1)
    assert repr(point) == "Point(x=1, y=2, tags=[])"
    assert point == Point(1, 2, ["other"]) != Point(2)
    assert hash(Named(1, name="n")) == hash(Named(1, name="n"))
    assert Named(1, 2, [], "n") != point
    assert replace(point, y=3).y == 3
    assert (Point.KIND, Point.__doc__, Point.__qualname__) == ("point", "A docstring.", "Point")
    assert not hasattr(point, "__dict__")
    assert Counter().count == 1
    assert Ordered(1) < Ordered(2)
    assert Ordered(1).rest == 5
    assert weakref.ref(referred := Referred(1))() is referred
    assert Referred(1) != Referred(1)
    with pytest.raises(FrozenInstanceError):
        point.x = 2  # type: ignore[misc]
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'x'"):
        Point()  # type: ignore[call-arg]


def test_fields_that_are_given_by_name_alone() -> None:
    assert repr(KeywordNamed(1, "a")) == "KeywordNamed(place=1, found_by='?', name='a')"
    assert KeywordNamed(1, "a", found_by="b").found_by == "b"
    assert KeywordNamed.__match_args__ == ("place", "name")
    assert KeywordRequired(1, how="h") == KeywordRequired(1, "n", how="h")
    assert list(vars(KeywordRequired(1, how="h")).items()) == [
        *{"place": 1, "found_by": "?", "how": "h", "name": "n"}.items()
    ]
    with pytest.raises(TypeError, match="positional argument"):
        KeywordNamed(1, "a", "b")  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="missing 1 required keyword-only argument: 'how'"):
        KeywordRequired(1)  # type: ignore[call-arg]
    assert [f.name for f in fields(KeywordRequired)] == ["place", "found_by", "how", "name"]


def test_hashes_follow_the_standard_rules() -> None:
    for unhashable in (Counter(), OwnEquality(1)):
        with pytest.raises(TypeError, match="unhashable"):
            hash(unhashable)


@pytest.mark.parametrize("use", [fields, dataclasses.asdict, is_dataclass])
def test_whoever_asks_for_fields_gets_them(use: Any, fresh: Any) -> None:
    base, derived = fresh
    if use is dataclasses.asdict:
        assert use(derived(1)) == {"a": 1, "b": 1}
    elif use is fields:
        assert [f.name for f in use(derived)] == ["a", "b"]
        assert [f.name for f in use(base)] == ["a"]
    else:
        assert use(derived)


def test_a_standard_class_derives_from_a_late_one(fresh: Any) -> None:
    base, _ = fresh
    standard: Any = dataclasses.make_dataclass("Standard", [("c", int)], bases=(base,), frozen=True)
    assert repr(standard(1, 2)).endswith("Standard(a=1, c=2)")


def test_patterns(fresh: Any) -> None:
    match Named(1, 2, [], "n"):
        case Point(x, y):
            assert (x, y) == (1, 2)
        case _:
            pytest.fail("no match")


def test_pickles_and_copies_of_classes_that_nobody_used() -> None:
    assert pickle.loads(pickle.dumps(Named(1, name="n"))) == Named(1, name="n")
    assert copy.deepcopy(Named(1)) == Named(1)
    unpickled = Unpickled.__new__(Unpickled)
    unpickled.__setstate__([3])  # type: ignore[attr-defined]
    assert unpickled == Unpickled(3)


@dataclass(frozen=True, slots=True)
class Unpickled:
    value: int = 0


def test_threads_that_make_the_first_objects_at_once(fresh: Any) -> None:
    _, derived = fresh
    barrier = threading.Barrier(8)
    made: list[object] = []

    def make() -> None:
        barrier.wait()
        made.extend(derived(i) for i in range(50))

    threads = [threading.Thread(target=make) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(made) == 400
    assert len(set(made)) == 50


@pytest.mark.parametrize("options", [{}, {"frozen": True, "slots": True}, {"frozen": True}, {"slots": True}])
def test_a_class_of_many_objects_behaves_as_the_standard_one(options: dict[str, bool]) -> None:
    """What is done often is compiled, and does what was done before."""
    written: Any = {
        "__annotations__": {"a": "int", "b": "list[int]", "c": "int", "d": "str", "e": "int", "f": "int"},
        "b": field(default_factory=list, compare=False),
        "c": field(default=7, init=False),
        "d": field(default="d", kw_only=True),
        "e": 5,
        "f": field(init=False, default_factory=lambda: 9),
        "__module__": __name__,
        "__qualname__": "Many",
    }
    late: Any = dataclass(**options)(type("Many", (), dict(written)))  # type: ignore[call-overload]
    standard: Any = dataclasses.dataclass(**options)(type("Many", (), dict(written)))
    for i in range(2 * FEW):
        one, other = late(i, [i], d="x"), standard(i, [i], d="x")
        values = [(getattr(o, n) for n in "abcdef") for o in (one, other)]
        assert list(values[0]) == list(values[1])
        assert (late(i).b, late(i, e=3).e) == ([], 3)
        assert (one == late(i, [], d="x"), one == late(i + 1, [i], d="x"), one == other) == (True, False, False)
        if options.get("frozen"):
            assert hash(one) == hash(late(i, d="x")) == hash(other)
            with pytest.raises(FrozenInstanceError):
                one.a = 2
    for cls in (late, standard):
        with pytest.raises(TypeError, match=r"Many.__init__\(\) missing 1 required positional argument: 'a'"):
            cls()
        with pytest.raises(TypeError, match=r"unexpected keyword argument 'c'"):
            cls(1, c=2)
    assert repr(late(1)) == repr(standard(1)) == "Many(a=1, b=[], c=7, d='d', e=5, f=9)"
    assert [f.name for f in fields(late)] == list("abcdef")
