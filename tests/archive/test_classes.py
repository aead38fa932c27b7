"""Classes of an archive where their source is absent: they are attributes of what was loaded."""

from __future__ import annotations

import dataclasses
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import tscript
from tests.archive.layouts import rebuilt
from tests.integration.harness import function_of
from tscript import Tensor, nn
from tscript.archive import unpack


@dataclasses.dataclass
class Held:
    size: int


@dataclasses.dataclass
class Holder:
    held: Held


@tscript.script
def taken(holder: Holder) -> int:
    return holder.held.size


SOURCE = """
import enum
from dataclasses import dataclass
from typing import List, NamedTuple

class Color(enum.Enum):
    RED = 1
    BLUE = 2

@dataclass
class Person:
    name: str
    score: float

class Pair(NamedTuple):
    count: int
    person: Person

def f(person: Person, color: Color) -> float:
    return person.score + len(person.name) + (1.0 if color == Color.BLUE else 0.0)

def g(pair: Pair) -> Person:
    return Person(pair.person.name + "!", pair.count + pair.person.score)

def total(people: List[Person]) -> float:
    found = 0.0
    for person in people:
        found += person.score
    return found
"""


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("archives") / "people.tsa"
    functions: Any = tscript.script(SOURCE)
    tscript.save(functions, made)
    return made


def test_classes_are_attributes(path: Path) -> None:
    archive = tscript.load(path)
    person = archive.Person(name="a", score=1.0)
    assert archive.f(person, archive.Color.BLUE) == 3.0 and archive.f(person, archive.Color.RED) == 2.0
    assert archive.g(archive.Pair(1, person)) == archive.Person("a!", 2.0)
    assert archive.total([person, archive.Person("b", 2.5)]) == 3.5
    assert {name.rpartition(".")[2] for name in archive.classes} == {"Color", "Person", "Pair"}
    assert "Person" in dir(archive)
    with pytest.raises(AttributeError, match="there is no function 'Nothing'"):
        _ = archive.Nothing


def test_others_are_refused_with_the_way_to_make_one(path: Path) -> None:
    archive = tscript.load(path)
    with pytest.raises(TypeError, match=r"not dict: make one with .* archive\.Person\(name=…, score=…\)"):
        archive.f({"name": "a", "score": 1.0}, archive.Color.RED)
    with pytest.raises(TypeError, match=r"not int: write a member, archive\.Color\.NAME"):
        archive.f(archive.Person("a", 1.0), 1)
    with pytest.raises(TypeError, match=r"archive\.Pair\(count=…, person=…\)"):
        archive.g((1, archive.Person("a", 1.0)))


def test_equal_archives_have_one_class(path: Path, tmp_path: Path) -> None:
    first, second = tscript.load(path), tscript.load(path)
    assert first.Person is second.Person and first.Color is second.Color
    other: Any = tscript.script(SOURCE.replace("score: float", "score: float\n    age: int = 3"))
    tscript.save({"f": other.f}, tmp_path / "other.tsa")
    third = tscript.load(tmp_path / "other.tsa")
    assert third.Person is not first.Person
    with pytest.raises(TypeError):
        third.f(first.Person("a", 1.0), third.Color.RED)


def test_instances_are_pickled(path: Path, tmp_path: Path) -> None:
    archive = tscript.load(path)
    person = archive.Person("a", 1.0)
    values = [person, archive.Pair(1, person), archive.Color.RED]
    found = pickle.loads(pickle.dumps(values))
    assert found == values and type(found[0]) is archive.Person and found[2] is archive.Color.RED
    (tmp_path / "values.pkl").write_bytes(pickle.dumps(values))
    program = (
        "import pickle, sys, tscript; values = pickle.load(open(sys.argv[1], 'rb')); "
        "print(values, tscript.load(sys.argv[2]).f(values[0], values[2]))"
    )
    command = [sys.executable, "-c", program, tmp_path / "values.pkl", path]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout == f"{values} 2.0\n"


def test_names_of_classes_do_not_depend_on_what_was_there_before(tmp_path: Path) -> None:
    written = []
    kept = []
    for name in ("a.tsa", "b.tsa"):
        kept.append(tscript.script(SOURCE))  # its classes have other numbers each time
        tscript.save(kept[-1], tmp_path / name)
        written.append((tmp_path / name).read_bytes())
    assert written[0] == written[1]
    names = [name.rpartition(".") for name in unpack(written[0]).types]
    assert {name for _, _, name in names} == {"Person", "Color", "Pair"}
    assert not any(part.isdigit() for above, _, _ in names for part in above.split("."))
    loaded = tscript.load(tmp_path / "b.tsa")
    assert loaded.total([loaded.Person("a", 1.5), loaded.Person("b", 2.5)]) == 4.0
    tscript.save(loaded, tmp_path / "again.tsa")
    assert (tmp_path / "again.tsa").read_bytes() == written[0]


def test_two_classes_of_one_name_are_numbered_in_the_order_of_the_archive(tmp_path: Path) -> None:
    kept = [tscript.script(SOURCE) for _ in range(3)]
    first, second = kept[1].g, kept[2].total
    tscript.save({"g": first, "total": second}, tmp_path / "a.tsa")
    tscript.save({"g": kept[2].g, "total": kept[0].total}, tmp_path / "b.tsa")
    assert (tmp_path / "a.tsa").read_bytes() == (tmp_path / "b.tsa").read_bytes()
    loaded = tscript.load(tmp_path / "a.tsa")
    people = [cls for name, cls in loaded.classes.items() if name.endswith(".Person")]
    assert len(people) == 2 and loaded.total([people[1]("a", 1.0)]) == 1.0


def test_a_class_that_is_joined_whatever_number_it_has(tmp_path: Path) -> None:
    tscript.save(taken, tmp_path / "a.tsa")
    loaded = tscript.load(tmp_path / "a.tsa")
    assert loaded.Holder is Holder and loaded(Holder(Held(2))) == 2


RICH = """
import enum
from dataclasses import dataclass, field
from typing import List, NamedTuple

class Color(enum.Enum):
    RED = 1
    BLUE = 2

    def loud(self) -> str:
        return self.name + "!"

class Pair(NamedTuple):
    count: int
    by: float = 2.0

    def product(self) -> float:
        return self.count * self.by

@dataclass
class Person:
    name: str
    score: float = 1.5
    color: Color = Color.BLUE
    tags: List[str] = field(default_factory=list)

    def norm(self, by: float = 2.0) -> float:
        return self.score * by

    def raised(self, by: float) -> "Person":
        return Person(self.name, self.score + by, self.color, self.tags)

    def add(self, tag: str) -> None:
        self.tags.append(tag)
        self.score += 1.0

    @property
    def short(self) -> str:
        return self.name[:1]

def f(person: Person, pair: Pair) -> float:
    return person.norm() + pair.product()

def only(color: Color) -> str:
    return color.loud()
"""


@pytest.fixture(scope="module")
def rich(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("archives") / "rich.tsa"
    functions: Any = tscript.script(RICH)
    tscript.save(functions, made)
    return made


def used(archive: Any) -> None:
    person = archive.Person("ann")
    assert person == archive.Person("ann", 1.5, archive.Color.BLUE, []) and person.tags is not archive.Person("b").tags
    assert (person.norm(), person.norm(by=4.0), person.short) == (3.0, 6.0, "a")
    assert person.raised(1.0) == archive.Person("ann", score=2.5)
    person.add("x")
    assert (person.tags, person.score) == (["x"], 2.5)
    assert archive.Pair(3) == (3, 2.0) and archive.Pair(3, by=0.5).product() == 1.5
    assert archive.Color.RED.loud() == "RED!" == archive.only(archive.Color.RED)
    assert archive.f(person, archive.Pair(1)) == 7.0
    with pytest.raises(TypeError, match=r"takes the arguments name, score=1\.5, color=<Color\.BLUE: 2>, tags=\[\]"):
        archive.Person()


def test_methods_properties_and_defaults_of_classes(rich: Path, tmp_path: Path) -> None:
    archive = tscript.load(rich)
    assert list(archive) == ["f", "only"]
    used(archive)
    assert archive.Person.norm.__name__ == "norm" and archive.Person.norm is archive.Person.norm
    tscript.save(archive, tmp_path / "again.tsa")
    assert (tmp_path / "again.tsa").read_bytes() == rich.read_bytes()
    tscript.save({"only": archive.only}, tmp_path / "only.tsa")
    assert tscript.load(tmp_path / "only.tsa").Color.BLUE.loud() == "BLUE!"
    copied = pickle.loads(pickle.dumps(archive.Person("b")))
    assert type(copied) is archive.Person and copied.norm() == 3.0


def test_methods_of_classes_in_a_new_process(rich: Path) -> None:
    archive = tscript.load(rich)
    program = (
        "import pathlib, pickle, sys, tscript\n"
        "f, person = pickle.loads(bytes.fromhex(sys.argv[1]))\n"
        "print(person, f(person, tscript.load(pathlib.Path(sys.argv[2])).Pair(1)), person.norm(), person.short)\n"
    )
    content = pickle.dumps((archive.f, archive.Person("ann", 1.0))).hex()
    done = subprocess.run(
        [sys.executable, "-c", program, content, str(rich)], capture_output=True, text=True, check=False
    )
    assert done.stdout == "Person(name='ann', score=1.0, color=<Color.BLUE: 2>, tags=[]) 4.0 2.0 a\n", done.stderr


@pytest.mark.parametrize(
    ("change", "what"),
    [
        (lambda c: c["methods"].update(norm=["f", "0"]), "code of norm"),
        (lambda c: c["methods"].update(norm=["nobody", "0"]), "code of norm"),
        (lambda c: c["methods"].update(__init__=c["methods"]["norm"]), "not the name of a method"),
        (lambda c: c["methods"].update(__reduce__=c["methods"]["norm"]), "not the name of a method"),
        (lambda c: c.update(functions={"__eq__": c["methods"]["norm"]}), "not the name of a method"),
        (lambda c: c["methods"].update(score=c["methods"]["norm"]), "not the name of a method"),
        (lambda c: c.update(methods=[3]), "not valid"),
        (lambda c: c.update(defaults=[["nobody", ["int", "1"]]]), "is no attribute"),
        (lambda c: c.update(defaults=[["score", ["list"]]]), ""),
        (lambda c: c.update(defaults=[["score", 3]]), "not valid"),
    ],
)
def test_methods_and_defaults_that_are_wrong(rich: Path, tmp_path: Path, change: Any, what: str) -> None:
    def changed(manifest: Any, _: Any) -> None:
        for entry in manifest["entries"]:
            for spec in entry.get("classes", ()):
                if spec["name"].endswith("Person"):
                    change(spec)

    (tmp_path / "a.tsa").write_bytes(rebuilt(rich.read_bytes(), changed))
    if what:
        with pytest.raises(tscript.ArchiveError, match=what):
            tscript.load(tmp_path / "a.tsa")
    else:
        archive = tscript.load(tmp_path / "a.tsa")
        person = archive.Person("a", color=archive.Color.RED, tags=[])
        assert person.score == []
        with pytest.raises(TypeError, match="score"):
            archive.f(person, archive.Pair(1))


WRITTEN = """
from typing import List

class Base:
    def __init__(self, size: int, *, scale: float = 2.0) -> None:
        self.size = size
        self.total = size * scale
        self.items = [i for i in range(size)]

    def __eq__(self, other: "Base") -> bool:
        return self.size == other.size

    def __len__(self) -> int:
        return self.size

    def __getitem__(self, i: int) -> int:
        return self.items[i]

    def __call__(self, by: float) -> float:
        return self.total * by

    def __str__(self) -> str:
        return f"Base of {self.size}"

    def __add__(self, other: "Base") -> "Base":
        return Base(self.size + other.size)

    @staticmethod
    def double(n: int, by: int = 2) -> int:
        return n * by

    @classmethod
    def of(cls, text: str) -> "Base":
        return Base(len(text))

    def loose(self, x):
        return x

    def __contains__(self, x):
        return True

class Derived(Base):
    def __str__(self) -> str:
        return "Derived"

def f(b: Base, d: Derived) -> int:
    return len(b) + len(d)
"""


def _scripted(source: str, how: str) -> Any:
    """The functions of a text; or its last one as a function object, whose classes are objects, too."""
    return tscript.script(source) if how == "text" else {"f": tscript.script(function_of(source))}


@pytest.mark.parametrize("how", ["text", "objects"])
def test_constructors_operators_static_and_class_methods(tmp_path: Path, how: str) -> None:
    path, again = tmp_path / "a.tsa", tmp_path / "again.tsa"
    tscript.save(_scripted(WRITTEN, how), path)
    archive = tscript.load(path)
    assert list(archive) == ["f"]
    three = archive.Base(3, scale=0.5)
    assert (three.size, three.total, three.items) == (3, 1.5, [0, 1, 2])
    assert three == archive.Base(3) and three != archive.Base(4) and three != "text" and not three == 3
    assert (len(three), three[2], three(4.0), str(three)) == (3, 2, 6.0, "Base of 3")
    assert len(three + archive.Base(2)) == 5
    assert archive.Base.double(4) == 8 == three.double(2, by=4)
    assert archive.Base.of("four").size == 4
    derived = archive.Derived(2)
    assert isinstance(derived, archive.Base) and str(derived) == "Derived" and len(derived) == 2
    assert archive.f(three, derived) == 5
    with pytest.raises(TypeError, match="hash"):
        hash(three)
    with pytest.raises(TypeError, match="size"):
        archive.Base("no")
    with pytest.raises(TypeError, match=r"add|operand"):
        three + 1
    with pytest.raises(AttributeError, match=r"no code of Base.loose\(\): .* not annotated"):
        three.loose(1)
    with pytest.raises(TypeError, match=r"no code of Base.__contains__\(\)"):
        assert 3 in three
    assert not hasattr(three, "loose") and hasattr(three, "__contains__")
    tscript.save(archive, again)
    assert again.read_bytes() == path.read_bytes()
    copied = pickle.loads(pickle.dumps(three))
    assert copied == three and str(copied) == "Base of 3"


DEFAULTS = """
import enum

LIMIT = 4

class Color(enum.Enum):
    RED = 1
    GREEN = 2

class Named:
    def __init__(
        self, a: int, b: str = "xy", c: float = 1.5, d: Color = Color.GREEN, *, e: tuple[int, float] = (1, 2.0),
        f: int | None = None, g: int = LIMIT, h: int = 2 * LIMIT + 1
    ) -> None:
        self.a, self.b, self.c, self.d = a, b, c, d
        self.e, self.f, self.g, self.h = e, f, g, h

    @staticmethod
    def times(x: int = 3, *, y: Color = Color.RED) -> int:
        return x * y.value

    @classmethod
    def of(cls, x: int = LIMIT, y: int = 1) -> "Named":
        return cls(x + y)

    def text(self, x: int = 2, q: str = "aaaa") -> str:
        return q * x + self.b

    def inside(self, n: int) -> int:
        def add(k: int, by: int = 3, c: Color = Color.GREEN) -> int:
            return k + by + c.value
        return add(n) + add(n, 1)

def f(n: int) -> Named:
    return Named(n)
"""


@pytest.mark.parametrize("how", ["text", "objects"])
def test_defaults_of_constructors_and_methods(tmp_path: Path, how: str) -> None:
    tscript.save(_scripted(DEFAULTS, how), tmp_path / "a.tsa")
    archive = tscript.load(tmp_path / "a.tsa")
    named = archive.Named(3)
    assert (named.a, named.b, named.c, named.d) == (3, "xy", 1.5, archive.Color.GREEN)
    assert (named.e, named.f, named.g, named.h) == ((1, 2.0), None, 4, 9)
    assert archive.Named(1, "q", f=2, h=0).f == 2
    assert (archive.Named.times(), archive.Named.times(2, y=archive.Color.GREEN), archive.Named.of().a) == (3, 4, 5)
    assert (named.text(), named.text(1, "b"), named.inside(4)) == ("aaaaaaaaxy", "bxy", 16)
    assert archive.f(2).b == "xy"


@dataclasses.dataclass
class Limits:
    low: float
    high: float = 1.0

    def width(self) -> float:
        return self.high - self.low


class Clamp(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.limits = Limits(0.5)

    def forward(self, x: Tensor) -> Tensor:
        return x * self.limits.width()


def test_classes_of_attributes_of_modules(tmp_path: Path) -> None:
    tscript.save(Clamp(), tmp_path / "clamp.tsa")
    assert list(unpack((tmp_path / "clamp.tsa").read_bytes()).entries) == ["forward", "Limits_width"]
    program = (
        "import sys, pickle, tscript\n"
        "net = tscript.load(sys.argv[1])\n"
        "print(net(tscript.ones(1)), net.limits.width(), type(net.limits)(0.25).width())\n"
        "copied = pickle.loads(pickle.dumps(net.limits))\n"
        "print(type(copied) is type(net.limits), copied == net.limits)\n"
    )
    command = [sys.executable, "-c", program, str(tmp_path / "clamp.tsa")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stdout == "tensor([0.5000]) 0.5 0.75\nTrue True\n", done.stderr
