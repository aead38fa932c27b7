"""Exceptions that are values: returned, in containers, tuples, attributes, with arguments, attributes and causes."""

from __future__ import annotations

import traceback
from typing import Any

import numpy as np
import pytest

import tscript
from tests.integration.harness import function_of

HEAD = """
from typing import Any, Optional

class Coded(ValueError):
    def __init__(self, code: int, words: list[str]):
        super().__init__("coded", code)
        self.code = code
        self.words = words

class Keeper:
    def __init__(self, error: Optional[Exception]):
        self.error = error

def made(k: int) -> Exception:
    if k == 0:
        return ValueError("abc")
    if k == 1:
        return KeyError(3)
    if k == 2:
        return OSError()
    if k == 3:
        return Coded(k, ["a", "bc"])
    if k == 4:
        return RuntimeError("a", 2, 2.5)
    try:
        if k == 5:
            [1][k]
        if k == 6:
            raise Coded(k, [])
        if k == 7:
            k // (k - 7)
        if k == 8:
            int("x" * k)
        if k == 9:
            try:
                {"a": 1}["b"]
            except KeyError as inner:
                raise ValueError("outer") from inner
    except Exception as e:
        return e
    return StopIteration(None)
"""

PLACES = {
    "itself": "return made(k)",
    "list": "return [made(k), made(k + 1)]",
    "tuple": "return (made(k), k, 'x')",
    "dict": "return {k: made(k)}",
    "optional": "e: Optional[Exception] = None\n    if k % 2:\n        e = made(k)\n    return e",
    "optional in a list": "xs: list[Exception | None] = [None, made(k)]\n    return xs",
    "any": "x: Any = made(k)\n    return [x, 1]",
    "attribute": "return Keeper(made(k))",
    "row": "return tuple([made(k)])",
    "alias": "e = made(k)\n    return [e, e]",
    "text": "e = made(k)\n    return str(e), repr(e), e.args",
}


def shown(value: Any) -> object:
    """A value with exceptions as class, arguments, attributes and cause."""
    match value:
        case BaseException():
            return type(value).__name__, value.args, vars(value), shown(value.__cause__), value.__suppress_context__
        case list() | tuple():
            return type(value), [shown(v) for v in value]
        case dict():
            return {k: shown(v) for k, v in value.items()}
    return {k: shown(v) for k, v in vars(value).items()} if type(value).__name__ == "Keeper" else value


@pytest.mark.parametrize("place", PLACES)
def test_exceptions_come_back_as_python_makes_them(place: str) -> None:
    text = f"{HEAD}\ndef main(k: int):\n    {PLACES[place]}\n"
    plain, scripted = function_of(text), tscript.script(function_of(text))
    for k in range(11):
        assert shown(scripted(k)) == shown(plain(k))


def test_exceptions_are_equal_to_themselves_alone(agree: Any) -> None:
    source = """
from typing import NamedTuple

class Own(ValueError):
    pass

class Pair(NamedTuple):
    a: Exception
    b: int

def main(n: int):
    e = ValueError(n)
    wide: Exception = e
    own = Own(n)
    pair = Pair(e, n)
    first = [e == e, e == wide, wide != e, e == ValueError(n), own == own, own == e, e in [wide], (e, 1) == (wide, 1)]
    return first, [pair == pair, pair == Pair(e, n), pair == Pair(own, n), {n: e} == {n: e}, [e].index(e) == 0,
            (own, 1) == (own, 1)]
"""
    agree(function_of(HEAD + source), 3)


def test_one_exception_stays_one_and_says_where_it_was_raised() -> None:
    text = f"{HEAD}\ndef main(k: int):\n    e = made(k)\n    return [e, e], e\n"
    (first, second), third = tscript.script(function_of(text))(9)
    assert first is second is third
    assert isinstance(first.__cause__, KeyError)
    (first, _), _ = tscript.script(function_of(text))(5)
    assert [frame.name for frame in traceback.extract_tb(first.__traceback__)][-1] == "made"


def test_what_python_raised_comes_back_itself() -> None:
    failure = ValueError("from Python", [1])

    def fails(k: int) -> int:
        raise failure

    text = (
        "def main(k: int):\n    try:\n        fails(k)\n    except Exception as e:\n        return [e]\n    return []\n"
    )
    (found,) = tscript.script(function_of(text, fails=tscript.ignore(fails)))(1)
    assert found is failure


def test_exceptions_are_put_into_containers_of_the_caller() -> None:
    text = "def main(xs: list[Any], d: dict[str, Any]) -> None:\n    xs.append(ValueError('a'))\n    d['e'] = xs[0]\n"
    xs: list[Any] = [None]
    d: dict[str, Any] = {}
    tscript.script(function_of(text, Any=Any))(xs, d)
    assert shown(xs) == shown([None, ValueError("a")])
    assert d == {"e": None}


def test_texts_where_the_argument_says_none_or_is_a_tensor(agree: Any) -> None:
    body = "    return str(e), repr(e), f'{e}', str((e, 1)), str([e])\n"
    for made in ("SyntaxError()", "IndentationError()", "TabError('a')", "KeyError()", "ValueError(None)"):
        agree(f"def f(x: Tensor):\n    e = {made}\n{body}", np.ones(2, np.float32))
    for raised in ("SyntaxError", "SyntaxError()", "TabError"):
        agree(
            f"def f(x: Tensor):\n    try:\n        raise {raised}\n    except Exception as e:\n    {body}",
            np.ones(2, np.float32),
        )
    for made in ("ValueError(x)", "ValueError(x, 1)", "ValueError([x], 'a')", "KeyError(x)"):
        agree(f"def f(x: Tensor):\n    e = {made}\n{body}", np.ones(2, np.float32))


@pytest.mark.parametrize(
    "made", ["SyntaxError('a', 'b')", "TabError('a', n)", "Derived('a', ('f', 1, 2, 't'))", "Own(n)"]
)
def test_a_syntax_error_takes_its_message_alone(made: str) -> None:
    classes = """
class Derived(SyntaxError):
    pass
class Own(SyntaxError):
    def __init__(self, n: int) -> None:
        super().__init__("a", n)
"""
    with pytest.raises(tscript.CompileError, match="a SyntaxError with more than its message"):
        tscript.script(function_of(f"{classes}\ndef f(n: int) -> str:\n    return str({made})\n"))(1)
