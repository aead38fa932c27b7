"""Values of types from what JSON says, and back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import tscript
from tscript.travel.json_values import arguments_from_json, from_json, has_class, to_json

SOURCE = """
import enum
from dataclasses import dataclass, field
from typing import Dict, List, NamedTuple, Optional, Tuple, Union
from tscript import Tensor

class Color(enum.Enum):
    RED = 1
    BLUE = 2

class Point(NamedTuple):
    x: float
    y: float = 2.0

@dataclass
class Person:
    name: str
    score: float = 1.0
    color: Color = Color.RED
    at: Optional[Point] = None
    tags: List[str] = field(default_factory=list)

def same(p: Person) -> Person:
    return p

def total(people: Dict[str, Person], weights: Tensor, counts: Dict[int, Color], pair: Tuple[Point, int]) -> float:
    found = 0.0
    for person in people.values():
        found += person.score * float(weights.sum())
    return found + len(counts) + pair[0].y + pair[1]

def either(v: Union[int, Point]) -> float:
    return v.x if isinstance(v, Point) else float(v)
"""


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Any:
    path = tmp_path_factory.mktemp("json") / "people.tsa"
    tscript.save(tscript.script(SOURCE), path)
    return tscript.load(path)


def call(archive: Any, name: str, text: str) -> Any:
    args, kwargs = arguments_from_json(archive[name].params, json.loads(text))
    return to_json(archive[name](*args, **kwargs))


def test_objects_are_instances(archive: Any) -> None:
    whole = {"name": "a", "score": 2.0, "color": "BLUE", "at": {"x": 1.0, "y": 3.0}, "tags": ["x"]}
    assert call(archive, "same", json.dumps([whole])) == whole
    assert call(archive, "same", json.dumps({"p": {"name": "a", "color": 2, "at": [1.0]}})) == {
        "name": "a", "score": 1.0, "color": "BLUE", "at": {"x": 1.0, "y": 2.0}, "tags": []
    }  # fmt: skip


def test_parts_of_arguments(archive: Any) -> None:
    text = '{"people": {"a": {"name": "b"}}, "weights": [1, 2.5], "counts": {"7": "RED"}, "pair": [{"x": 1}, 3]}'
    assert call(archive, "total", text) == 3.5 + 1 + 2 + 3
    assert call(archive, "either", "[3]") == 3.0 and call(archive, "either", '[{"x": 4}]') == 4.0


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        (
            "same",
            '[{"score": 1}]',
            "p: expected an object with name, score, color, at, tags for a .*Person: .*name",
        ),
        ("same", '[{"name": "a", "age": 1}]', "for a .*Person, found 'age'"),
        ("same", "[[1]]", "for a .*Person, found a list"),
        ("same", '[{"name": "a", "color": 7}]', "p.color: 7 is no member of .*Color, only RED, BLUE"),
        ("same", '[{"name": "a", "at": {"z": 1}}]', "p.at: expected an object with x, y for a .*Point, found 'z'"),
        ("same", '{"q": 1}', "there is no parameter 'q', only p"),
        ("same", "[1, 2]", "2 arguments, but there are 1 parameters"),
        ("same", "3", "found a number"),
        ("total", '{"weights": [[1], [2, 3]]}', "weights: expected a tensor"),
        ("total", '{"counts": {"x": "RED"}}', "counts: expected keys that are int, found 'x'"),
        ("total", '{"pair": [[1]]}', "pair: expected 2 values"),
        ("either", '[{"z": 4}]', "v: expected an object with x, y"),
    ],
)
def test_what_does_not_fit_is_named(archive: Any, name: str, text: str, said: str) -> None:
    with pytest.raises(TypeError, match=said):
        arguments_from_json(archive[name].params, json.loads(text))


def test_results() -> None:
    assert to_json({1: (tscript.tensor([1.5]), {2}), "a": None}) == {"1": [[1.5], [2]], "a": None}
    with pytest.raises(TypeError, match="JSON has nothing for a object"):
        to_json(object())
    with pytest.raises(TypeError, match="no keys like"):
        to_json({None: 1})


def test_which_types_have_classes(archive: Any) -> None:
    assert has_class(archive["same"].params[0].type) and not has_class(archive["total"].params[1].type)
    assert from_json(None, archive["total"].params[1].type) is None


def test_messages_name_classes_without_numbers(tmp_path: Path) -> None:
    for element in ("int", "float"):  # two classes of one name
        functions = tscript.script(
            "from dataclasses import dataclass\n@dataclass\nclass P:\n    x: %s\ndef f(p: P) -> %s:\n    return p.x\n"
            % (element, element)
        )
        tscript.save(functions, tmp_path / "p.tsa")
        loaded = tscript.load(tmp_path / "p.tsa")
        with pytest.raises(TypeError, match=r"must be \w+\.P, not int"):
            loaded.f(3)
        with pytest.raises(TypeError, match=r"for a \w+\.P, found"):
            from_json(3, loaded.f.params[0].type)


SQUARES = """
class Square:
    def __init__(self, side: float) -> None:
        self.side = side
        self.area = side * side

def grown(s: Square, by: float) -> Square:
    return Square(s.side + by)
"""


def test_objects_of_classes_with_a_constructor_are_their_attributes(tmp_path: Path) -> None:
    functions: Any = tscript.script(SQUARES)
    tscript.save(functions, tmp_path / "squares.tsa")
    loaded = tscript.load(tmp_path / "squares.tsa")
    type = loaded.grown.params[0].type
    said = to_json(loaded.grown(loaded.Square(2.0), 1.0))
    assert said == {"side": 3.0, "area": 9.0}
    assert to_json(from_json(said, type)) == said
    assert to_json(from_json({"side": 1.0}, type)) == {"side": 1.0, "area": 1.0}
