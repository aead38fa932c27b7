"""Exceptions as arguments from Python: class, arguments, attributes, cause; the same object comes out again."""

# mypy: disable-error-code="no-untyped-call"

from __future__ import annotations

from typing import Any

import pytest

import tscript
from tests.integration.harness import function_of
from tscript.runtime.session.process import current

PRELUDE = (
    "from typing import Optional\nclass Held(ValueError):\n    def __init__(self, t: Tensor, n: int) -> None:\n"
    "        super().__init__('held', n)\n        self.t = t\n        self.n = n\n"
    "        self.more: list[Tensor] = [t]\n"
    "class Further(Held):\n    def __init__(self, t: Tensor) -> None:\n        super().__init__(t, 4)\n"
    "        self.name = 'f'\n"
)
SHOWN = (
    "def f(e: Exception) -> tuple[str, str, bool]:\n    return repr(e), str(e), isinstance(e, (KeyError, ValueError))\n"
)
ARGUMENTS: tuple[tuple[Any, ...], ...] = (
    *(
        (),
        ("a",),
        ("a", 2),
        (None,),
        ((),),
        ((1,),),
        ((1, "a"),),
        (None, None),
        (1.5, [1], True),
        ([],),
        ({1: "a"}, {2}),
    ),
    *((b"a", 1j), (tscript.ones(2),), (tscript.ones(2), "a"), ("",), ((None,),)),
)


def made(source: str) -> tuple[Any, Any, Any]:
    """The functions `f` in Python and compiled, and their module's names."""
    plain = function_of(PRELUDE + source)
    return plain, tscript.script(plain), plain.__globals__


@pytest.mark.parametrize("cls", [ValueError, KeyError, Exception, StopIteration, RecursionError, ZeroDivisionError])
def test_arguments_of_every_kind(cls: type[Exception]) -> None:
    plain, scripted, _ = made(SHOWN)
    for args in ARGUMENTS:
        error = cls(*args)
        assert scripted(error) == plain(error)
        assert error.args == args


def test_the_same_object_comes_out_again() -> None:
    body = (
        "    e.n += 1\n    e.t = e.t * 2\n    e.more.append(e.t)\n    xs.append(e)\n"
        "    return {'a': e, 'b': xs[0]}, e\n"
    )
    source = f"def f(e: Held, xs: list[Held]) -> tuple[dict[str, Held], ValueError]:\n{body}"
    plain, scripted, names = made(source)
    for function in (plain, scripted):
        for error in (names["Held"](tscript.ones(2), 3), names["Further"](tscript.ones(2))):
            first, n, t = names["Held"](tscript.ones(1), 1), error.n, error.t
            given = [first]
            found, again = function(error, given)
            assert again is error
            assert found == {"a": error, "b": first}
            assert found["a"] is error
            assert given[1] is error
            assert error.n == n + 1
            assert error.t.tolist() == [2.0, 2.0]
            assert error.more[0] is t
            assert error.more[1] is error.t
            assert error.args == ("held", n)
            assert "name" not in vars(error) or error.name == "f"


POSITIONS = {
    "a list": ("list[ValueError]", "str(e[0])", lambda e: [e]),
    "a tuple": ("tuple[int, ValueError]", "repr(e[1])", lambda e: (1, e)),
    "a dict": ("dict[str, ValueError]", "repr(e['a'])", lambda e: {"a": e}),
    "an optional": ("Optional[ValueError]", "'' if e is None else repr(e)", lambda e: e),
    "none": ("Optional[ValueError]", "'' if e is None else repr(e)", lambda e: None),
    "a union": ("ValueError | int", "str(e) if isinstance(e, int) else repr(e)", lambda e: e),
    "a row": ("tuple[ValueError, ...]", "repr(e[-1])", lambda e: (e, e)),
}


@pytest.mark.parametrize("where", POSITIONS)
def test_in_every_position(where: str) -> None:
    declared, shown, put = POSITIONS[where]
    plain, scripted, names = made(f"def f(e: {declared}) -> tuple[str, {declared}]:\n    return {shown}, e\n")
    for error in (ValueError("a", tscript.ones(1)), names["Further"](tscript.ones(2))):
        given = put(error)
        text, found = scripted(given)
        assert text == plain(given)[0]
        assert found is given or (isinstance(given, tuple) and found[-1] is error)


def test_causes() -> None:
    source = (
        "def f(e: ValueError, c: KeyError, way: int) -> str:\n    try:\n        if way == 0:\n"
        "            raise e from c\n"
        "        if way == 1:\n            raise e from None\n        raise e\n"
        "    except ValueError as caught:\n        return str(caught)\n"
    )
    plain, scripted, _ = made(source)
    for function in (plain, scripted):
        error, first, second = ValueError("a"), KeyError("b"), KeyError("c")
        for cause, way, expected in (
            (first, 0, first),
            (second, 0, second),
            (first, 2, second),
            (first, 1, None),
            (first, 2, None),
        ):
            assert function(error, cause, way) == "a"
            assert error.__cause__ is expected


def test_nothing_is_left() -> None:
    source = (
        "def f(e: Held, c: KeyError) -> Held:\n    try:\n        raise e from c\n    except Held as found:\n"
        "        return found\n"
    )
    _, scripted, names = made(source)
    counts = []
    for _ in range(4):
        error = names["Held"](tscript.ones(2), 3)
        scripted(error, KeyError("a", tscript.ones(1)))
        scripted(error, KeyError("b"))
        with pytest.raises(TypeError):
            scripted(error, ValueError("b"))
        del error
        counts.append(current().live_blocks())
    assert counts[1] == counts[3]


def test_what_is_raised_is_the_object_that_was_given() -> None:
    _, scripted, names = made("def f(e: Held) -> int:\n    raise e\n")
    given = names["Further"](tscript.ones(2))
    with pytest.raises(names["Further"]) as caught:
        scripted(given)
    assert caught.value is given
    assert given.args == ("held", 4)
    assert given.name == "f"


def test_what_does_not_fit_is_named() -> None:
    _, scripted, names = made("def f(e: Held) -> int:\n    return e.n\n")
    lacking = names["Held"](tscript.ones(1), 1)
    del lacking.n
    wrong = names["Held"](tscript.ones(1), 1)
    wrong.n = "a"
    odd = names["Held"](tscript.ones(1), 1)
    odd.args = (object(),)
    for given, message in (
        (ValueError("a"), "Held, not ValueError"),
        (lacking, "argument 'e' of f() has no attribute 'n'"),
        (wrong, "attribute 'n' must be int, not str"),
        (odd, "attribute 'args' must be a value of the language, not object"),
    ):
        with pytest.raises(TypeError) as caught:
            scripted(given)
        assert message in str(caught.value)
