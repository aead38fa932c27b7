"""Functions that stay in Python or out of compiled code, and what compiled code knows of itself."""

# mypy: disable-error-code="unused-ignore, no-any-return, return-value"

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any, Optional

import pytest

import tscript
from tscript.archive import ArchiveError
from tscript.definitions.python_functions import PythonFunctions, conformed
from tscript.diagnostics import CompileError
from tscript.frontend import LanguageResolver, PythonFunction, lower, module_functions
from tscript.ir.interpreter import interpret
from tscript.runtime.session.process import current
from tscript.types import BOOL, FLOAT, INT, NONE, STR, Type, parse_type

calls: list[tuple[object, ...]] = []


@tscript.ignore
def host(xs: list[int], name: str, scale: float = 2.0, *, flag: bool = False) -> dict[str, float]:
    calls.append((xs, name, scale, flag))
    return {name: sum(xs) * scale}


@tscript.ignore
def broken(n: int) -> int:
    if n == 1:
        return "text"  # type: ignore[return-value]
    if n == 2:
        raise KeyError("missing")
    return True


@tscript.ignore
def texts(n: int) -> list[str]:
    return ["a", n]  # type: ignore[list-item]


@tscript.ignore
def total(*xs: int) -> int:
    return sum(xs)


@tscript.ignore
def same(x, y: tscript.Tensor) -> tscript.Tensor:  # type: ignore[no-untyped-def]
    return x


@tscript.ignore
def applied(g: Callable[[int], int], n: Optional[int]) -> int:
    return -1 if n is None else g(n)


@tscript.unused
def left_out(x: int) -> str:
    return undefined  # type: ignore[name-defined]  # noqa: F821


@tscript.ignore(drop=True)
def dropped(x: int) -> str:
    return undefined  # type: ignore[name-defined]  # noqa: F821


def agree(f: Callable[..., Any], *args: object) -> object:
    """What Python, the interpreter and native code give."""
    expected = f(*args)
    compiled = tscript.script(f)
    assert compiled(*args) == expected
    before = current().live_blocks()
    assert compiled(*args) == expected
    assert current().live_blocks() == before
    assert interpret(lower(PythonFunction.from_callable(f), LanguageResolver()), args) == expected
    return expected


# ---- ignore


def test_a_call_into_python() -> None:
    def f(n: int) -> float:
        a = host([n, 2], "q" + str(n))
        b = host([n], "z", 1, flag=True)
        return a["q" + str(n)] + b["z"]

    calls.clear()
    assert agree(f, 3) == 13.0
    assert calls[-1] == ([3], "z", 1.0, True) and calls[-2] == ([3, 2], "q3", 2.0, False)


def test_arguments_of_every_kind() -> None:
    def f(n: int) -> tuple[int, int, int]:
        h: Callable[[int, int], int] = total
        return total(n, 2, 3) + total(), applied(lambda x: x, None), h(1, n)

    def named(n: int) -> list[int]:
        g = broken
        return [g(n), broken(n), *map(broken, [n, n])]

    assert agree(f, 4) == (9, -1, 5)
    assert agree(named, 3) == [True, True, True, True]


def test_functions_cross_into_python() -> None:
    def f(n: int) -> tuple[int, int, int]:
        return total(n, 2, 3) + total(), applied(lambda x: x + n, 20), applied(lambda x: x, None)

    assert agree(f, 4) == (9, 24, -1)


def test_tensors_are_the_same() -> None:
    @tscript.script
    def f(x):  # type: ignore[no-untyped-def]
        return same(x, x + 1) * 2.0

    assert f(tscript.tensor([1.5])).tolist() == [3.0]


def test_the_result_is_checked() -> None:
    @tscript.script
    def f(n: int) -> int:
        return broken(n)

    @tscript.script
    def g(n: int) -> list[str]:
        return texts(n)

    assert f(3) == 1 and type(f(3)) is int
    with pytest.raises(TypeError, match=r"broken\(\) is declared to return int, and returned a value of type str"):
        f(1)
    with pytest.raises(TypeError, match=r"the result of texts\(\): element 1 must be str, not int"):
        g(1)


def test_what_python_raises() -> None:
    class Mine(RuntimeError):
        pass

    error = Mine("mine")

    @tscript.ignore
    def fail(n: int) -> None:
        raise error

    def caught(n: int) -> str:
        try:
            broken(n)
        except KeyError:
            return "caught"
        return "fine"

    @tscript.script
    def through(n: int) -> int:
        fail(n)
        return n

    assert agree(caught, 2) == "caught" and agree(caught, 3) == "fine"
    with pytest.raises(Mine) as found:
        through(1)
    assert found.value is error


def test_an_ignored_function_as_an_argument() -> None:
    @tscript.script
    def apply(g: Callable[[int], int], n: int) -> int:
        return g(n)

    assert apply(broken, 7) == 1
    with pytest.raises(KeyError):
        apply(broken, 2)


def test_the_result_has_to_be_declared() -> None:
    @tscript.ignore
    def silent(n: int):  # type: ignore[no-untyped-def]
        return n

    def f(n: int) -> int:
        return silent(n)

    with pytest.raises(CompileError, match="TS255"):
        tscript.script(f)


def test_what_calls_python_is_not_saved(tmp_path: Any) -> None:
    @tscript.script
    def f(n: int) -> int:
        return broken(n)

    with pytest.raises(ArchiveError, match=r"'f' cannot be saved: broken\(\) stays in Python .*@tscript.unused"):
        tscript.save(f, tmp_path / "f.tsa")


def test_names_of_functions_are_unique() -> None:
    functions = PythonFunctions()
    first = functions.operator("f", len, [("x", STR)], INT)
    second = functions.operator("f", abs, [("x", INT)], INT)
    assert (first.name, second.name) == ("python::f", "python::f_2")
    assert functions.operator("f", len, [("x", STR)], INT) is first and functions[second.name] is second


@pytest.mark.parametrize(
    ("value", "type", "found"),
    [
        (1, FLOAT, 1.0),
        (True, INT, 1),
        (None, NONE, None),
        ((1, 2), parse_type("tuple[float, int]"), (1.0, 2)),
        ("a", STR, "a"),
    ],
)
def test_what_fits(value: object, type: Type, found: object) -> None:
    given = conformed(value, type, "f")
    assert given == found and repr(given) == repr(found)


@pytest.mark.parametrize(
    ("value", "type"),
    [
        (1.0, INT),
        (1, BOOL),
        (0, NONE),
        ((1,), parse_type("tuple[int, int]")),
        (1, STR),
        ([1, 2], parse_type("tuple[int, int]")),
    ],
)
def test_what_does_not_fit(value: object, type: Type) -> None:
    with pytest.raises(TypeError, match="is declared to return"):
        conformed(value, type, "f")


# ---- unused


@pytest.mark.parametrize("function", [left_out, dropped])
def test_a_call_of_what_is_left_out_raises(function: Any, tmp_path: Any) -> None:
    def f(n: int) -> str:
        if n > 3:
            return function(n)
        return "fine"

    compiled = tscript.script(f)
    tscript.save(compiled, tmp_path / "f.tsa")
    for way in (compiled, tscript.load(tmp_path / "f.tsa")):
        assert way(1) == "fine"
        with pytest.raises(RuntimeError, match="is marked as unused"):
            way(4)


# ---- export, is_scripting, annotate


def test_marks_leave_functions_as_they_are() -> None:
    def f(x: int) -> int:
        return x

    assert tscript.export(f) is f and tscript.script(f)(3) == 3
    assert not tscript.is_scripting() and tscript.annotate(list[int], [1]) == [1]


def test_what_is_for_python_is_not_compiled() -> None:
    def f(n: int) -> str:
        if not tscript.is_scripting():
            return __import__("platform").python_implementation()
        return "compiled" if tscript.is_scripting() else undefined  # type: ignore[name-defined]  # noqa: F821

    assert tscript.script(f)(1) == "compiled"


def test_annotated_values() -> None:
    def f(n: int) -> tuple[list[float], Optional[int]]:
        xs = tscript.annotate(list[float], [])
        xs.append(n)
        maybe = tscript.annotate(Optional[int], None)
        return xs, maybe

    assert agree(f, 3) == ([3.0], None)


def test_the_names_of_torch() -> None:
    def plain(x: int) -> int:
        return undefined  # type: ignore[name-defined]  # noqa: F821

    plain._torchscript_modifier = "unused (ignored and replaced with raising of an exception)"  # type: ignore[attr-defined]
    jit = types.ModuleType("torch.jit")

    def is_scripting() -> bool:
        return False

    is_scripting.__module__ = "torch._jit_internal"
    jit.is_scripting = is_scripting  # type: ignore[attr-defined]

    def f(n: int) -> int:
        return n if jit.is_scripting() else plain(n)

    def g(n: int) -> int:
        return plain(n)

    assert tscript.script(f)(3) == 3
    with pytest.raises(RuntimeError, match="marked as unused"):
        tscript.script(g)(3)


def test_files_that_are_read() -> None:
    text = """
import torch
import tscript

@tscript.ignore
def host(n: int) -> int:
    return undefined

@torch.jit.unused
def left_out(n: int) -> int:
    yield undefined

@torch.jit.ignore(drop=True)
def dropped(n: int) -> int:
    return undefined

class Counter:
    def __init__(self, n: int) -> None:
        self.n = n

    @tscript.ignore
    def host(self, x: int) -> int:
        return undefined

    @tscript.unused
    def left_out(self) -> int:
        return undefined

def f(n: int) -> int:
    c = Counter(n)
    return c.host(n) + c.left_out() if n > 5 else host(n) if torch.jit.is_scripting() else left_out(n) + dropped(n)
"""
    found = module_functions(text, "f.py")
    assert [g.name for g in found] == ["f"]
    program = lower(found[0])
    assert "python::host" in str(program)
    assert "python::Counter.host" in str(program)
    with pytest.raises(RuntimeError, match="has been read, not run"):
        interpret(program, (1,))
    exported = module_functions(
        "import tscript\n@tscript.export\ndef f(n: int) -> int:\n    return n\ndef g():\n    yield 1\n", "f.py"
    )
    assert [g.name for g in exported] == ["f"]


# ---- methods


class Counter:
    def __init__(self, n: int) -> None:
        self.n = n

    @tscript.ignore
    def host(self, x: int) -> int:
        return len(list(str(undefined_at_compile_time))) if x < 0 else self.n + x  # type: ignore[name-defined]  # noqa: F821

    @tscript.unused
    def left_out(self, x: int) -> str:
        return undefined  # type: ignore[name-defined]  # noqa: F821

    @tscript.export
    def double(self) -> int:
        return 2 * self.n


def test_marks_of_methods() -> None:
    def f(n: int) -> int:
        c = Counter(n)
        if n > 10:
            return len(c.left_out(n))
        return c.host(5) + c.double()

    compiled = tscript.script(f)
    assert compiled(3) == f(3) == 14
    with pytest.raises(RuntimeError, match="is marked as unused"):
        compiled(11)
