"""Classes of an archive where their source is absent: constructors that do more, constants, setters, order."""

from __future__ import annotations

import copy
import dataclasses
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import tscript
from tests.archive.layouts import rebuilt

SOURCE = """
import enum
from abc import ABC, abstractmethod
from dataclasses import InitVar, dataclass, field
from typing import ClassVar, Dict, List, Tuple

class Kind(enum.Enum):
    A = "a"
    B = "b"

def ids() -> List[int]:
    return [7, 8]

@dataclass
class Post:
    a: int
    b: int = 3
    ids: List[int] = field(default_factory=ids)
    total: int = field(init=False)
    by: InitVar[int] = 2
    scale: ClassVar[int] = 10
    kind: ClassVar[Kind] = Kind.B

    def __post_init__(self, by: int) -> None:
        if self.a < 0:
            raise ValueError("a must not be negative")
        self.total = self.a * self.b * by

@dataclass
class Made:
    n: int
    ids: List[int] = field(default_factory=ids)

@dataclass(frozen=True, order=True)
class Version:
    major: int
    minor: int = 0
    tags: Tuple[str, ...] = ()

class BadInput(ValueError):
    def __init__(self, code: int, where: str = "here") -> None:
        super().__init__(f"bad input {code} at {where}")
        self.code = code
        self.where = where

class Worse(BadInput):
    pass

class Outer:
    LIMIT = 7
    SIZES = (1, 2)

    def __init__(self, n: int, more: int = 1) -> None:
        self._secret = n * more

    @property
    def secret(self) -> int:
        return self._secret

    @secret.setter
    def secret(self, value: int) -> None:
        if value > self.LIMIT:
            raise ValueError("too large")
        self._secret = value

class Shape(ABC):
    @abstractmethod
    def area(self) -> float: ...

@dataclass
class Square(Shape):
    side: float

    def area(self) -> float:
        return self.side * self.side

def use(p: Post, m: Made, v: Version, k: Kind) -> int:
    return p.total + m.n + v.major

def fails(n: int) -> int:
    if n > 10:
        raise Worse(n, "there")
    if n > 5:
        raise BadInput(n)
    return n

def code(e: BadInput) -> int:
    return e.code

def outer(o: Outer) -> int:
    return o.secret

def area(s: Shape) -> float:
    return s.area()
"""


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("archives") / "members.tsa"
    functions: Any = tscript.script(SOURCE)
    tscript.save(functions, made)
    return made


@pytest.fixture(scope="module")
def archive(path: Path) -> Any:
    return tscript.load(path)


def test_constructors_of_dataclasses_run_what_follows_them(archive: Any) -> None:
    assert archive.Post(2) == archive.Post(a=2, b=3, by=2) and archive.Post(2).total == 12
    assert archive.Post(2, 4, [1], 5).total == 40 and archive.Post(2, 4, [1], by=5).ids == [1]
    assert archive.Post(1).ids == [7, 8] and archive.Post(1).ids is not archive.Post(1).ids
    assert archive.Made(1).ids == [7, 8] == archive.Made(n=1, ids=[7, 8]).ids
    with pytest.raises(ValueError, match="a must not be negative"):
        archive.Post(-1)
    with pytest.raises(TypeError, match="'a'"):
        archive.Post()
    with pytest.raises(TypeError):
        archive.Post(1, total=3)
    assert archive.use(archive.Post(2), archive.Made(1), archive.Version(3), archive.Kind.A) == 16


def test_attributes_of_classes(archive: Any) -> None:
    assert (archive.Post.scale, archive.Post(1).scale, archive.Post.kind) == (10, 10, archive.Kind.B)
    assert (archive.Outer.LIMIT, archive.Outer.SIZES) == (7, (1, 2))


def test_frozen_and_ordered_dataclasses(archive: Any) -> None:
    low, high = archive.Version(1, 2), archive.Version(2)
    assert low < high and low <= high and high > low and high >= low and not low > high
    assert max(low, high) is high and {low: 1}[archive.Version(1, 2)] == 1
    with pytest.raises(dataclasses.FrozenInstanceError, match="cannot assign to field 'major'"):
        low.major = 3
    with pytest.raises(dataclasses.FrozenInstanceError, match="cannot delete field 'major'"):
        del low.major
    with pytest.raises(TypeError, match="not supported between"):
        _ = low < 3
    assert copy.copy(low) == copy.deepcopy(low) == pickle.loads(pickle.dumps(low)) == low


def test_what_the_module_of_dataclasses_does(archive: Any) -> None:
    square: Any = archive.Square(2.0)
    assert [dataclasses.is_dataclass(each) for each in (square, archive.Outer(1))] == [True, False]
    assert [f.name for f in dataclasses.fields(square)] == ["side"]
    assert dataclasses.asdict(archive.Version(1, 2)) == {"major": 1, "minor": 2, "tags": ()}
    assert dataclasses.replace(square, side=3.0).area() == 9.0


def test_properties_are_set(archive: Any) -> None:
    outer = archive.Outer(3, more=2)
    assert outer.secret == 6
    outer.secret = 5
    assert outer.secret == 5 and archive.outer(outer) == 5
    with pytest.raises(ValueError, match="too large"):
        outer.secret = 8


def test_exceptions_with_constructors(archive: Any) -> None:
    made = archive.BadInput(3, where="x")
    assert (made.code, made.where, str(made), made.args) == (3, "x", "bad input 3 at x", ("bad input 3 at x",))
    assert archive.code(made) == 3 and archive.code(archive.Worse(4)) == 4
    copied = pickle.loads(pickle.dumps(made))
    assert type(copied) is archive.BadInput and (copied.code, str(copied)) == (3, "bad input 3 at x")
    with pytest.raises(archive.BadInput) as caught:
        archive.fails(17)
    assert type(caught.value) is archive.Worse and (caught.value.code, caught.value.where) == (17, "there")
    with pytest.raises(TypeError):
        archive.BadInput("no")


def test_abstract_classes_have_no_instances(archive: Any) -> None:
    with pytest.raises(TypeError, match="abstract"):
        archive.Shape()
    assert archive.area(archive.Square(3.0)) == 9.0 and isinstance(archive.Square(1.0), archive.Shape)


def test_archives_are_saved_again(archive: Any, path: Path, tmp_path: Path) -> None:
    tscript.save(archive, tmp_path / "again.tsa")
    assert (tmp_path / "again.tsa").read_bytes() == path.read_bytes()


def test_instances_in_another_process(archive: Any) -> None:
    values = [archive.Post(2), archive.Version(1), archive.BadInput(3), archive.Outer(2), archive.Square(1.0)]
    program = (
        "import pickle, sys; post, version, bad, outer, square = pickle.loads(bytes.fromhex(sys.argv[1]))\n"
        "print(post, post.scale, version < type(version)(2), bad.code, bad, outer._secret, square)\n"
    )
    content = pickle.dumps(values).hex()
    done = subprocess.run([sys.executable, "-c", program, content], capture_output=True, text=True, check=False)
    shown = "Post(a=2, b=3, ids=[7, 8], total=12) 10 True 3 bad input 3 at here 2 Square(side=1.0)\n"
    assert done.stdout == shown, done.stderr


class Kept:
    """A class of Python whose constructor has defaults."""

    __slots__ = ("a", "b", "part")
    LOW = 2

    class Part:
        def __init__(self, n: int = 3) -> None:
            self.n = n

        def twice(self) -> int:
            return self.n * 2

    def __init__(self, a: int, b: str = "q", *, c: float = 0.5) -> None:
        self.part = Kept.Part(a)
        self.a = a
        self.b = b * int(c * 2)


@tscript.script
def repeated(kept: Kept) -> str:
    return kept.b * (kept.a + kept.LOW) + str(kept.part.twice())


def test_classes_of_python_with_defaults(tmp_path: Path) -> None:
    tscript.save(repeated, tmp_path / "kept.tsa")
    program = (
        "import sys, tscript; archive = tscript.load(sys.argv[1])\n"
        "kept = archive.Kept\n"
        "print(archive(kept(1)), kept(1, 'x', c=1.0).b, kept.LOW, kept.Part().twice())\n"
    )
    command = [sys.executable, "-c", program, str(tmp_path / "kept.tsa")]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.stdout == "qqq2 xx 2 6\n", done.stderr


@pytest.mark.parametrize(
    ("change", "what"),
    [
        (lambda c: c.update(constants=[["a", ["int", "1"]]]), "not the name of an attribute of a class"),
        (lambda c: c.update(constants=[["__class__", ["int", "1"]]]), "not the name of an attribute of a class"),
        (lambda c: c.update(constants=[3]), "not valid"),
        (lambda c: c.update(abstract=[3]), "not valid"),
        (lambda c: c["factories"].update(b=["nobody", "0"]), "code of b"),
        (lambda c: c["factories"].update(nobody=c["factories"]["ids"]), "not the name of a method"),
        (lambda c: c.update(setters={"a": c["factories"]["ids"]}), "not the name of a method"),
        (lambda c: c.update(only_init=3), "not valid"),
    ],
)
def test_what_is_said_of_them_may_be_wrong(path: Path, tmp_path: Path, change: Any, what: str) -> None:
    def changed(manifest: Any, _: Any) -> None:
        for entry in manifest["entries"]:
            for spec in entry.get("classes", ()):
                if spec["name"].endswith(".Post"):
                    change(spec)

    (tmp_path / "a.tsa").write_bytes(rebuilt(path.read_bytes(), changed))
    with pytest.raises(tscript.ArchiveError, match=what):
        tscript.load(tmp_path / "a.tsa")
