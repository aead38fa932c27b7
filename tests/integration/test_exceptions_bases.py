"""Exception classes with several bases: one of the program and a builtin one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import tscript
from tscript.checking import check_file
from tscript.diagnostics import CompileError


class PackageError(Exception):
    """Of the package."""


class ShapeError(PackageError, ValueError):
    """With attributes."""

    def __init__(self, message: str, *, expected: list[int] | None = None) -> None:
        super().__init__(message)
        self.expected = expected


class WrongType(PackageError, TypeError):
    """With an attribute that may hold a class in Python."""

    def __init__(self, message: str, *, actual: type | tuple[type, ...] | None = None) -> None:
        super().__init__(message)
        self.actual = actual


class Missing(KeyError, PackageError):
    """The builtin class first: its text is a repr."""


class Deep(ShapeError):
    """Derives from one of them."""


def fail(k: int) -> int:
    if k == 0:
        raise ShapeError("a", expected=[3])
    if k == 1:
        raise Missing("b")
    if k == 2:
        raise Deep(f"c{k}")
    if k == 3:
        raise PackageError("d", k)
    if k == 4:
        raise ValueError("e")
    if k == 5:
        raise WrongType("f")
    return k


def caught(k: int) -> str:
    try:
        return str(fail(k))
    except ValueError as e:
        return f"value {e} {isinstance(e, PackageError)} {isinstance(e, ShapeError)} {isinstance(e, KeyError)}"
    except PackageError as e:
        return f"package {e} {e!r} {isinstance(e, LookupError)} {isinstance(e, ArithmeticError)}"


def held(k: int) -> str:
    try:
        fail(k)
    except Exception as e:  # noqa: BLE001 - any
        if isinstance(e, ShapeError):
            return f"{e.expected}"
        kept: Any = e
        return f"{isinstance(kept, KeyError)} {isinstance(kept, ValueError)} {isinstance(kept, PackageError)}"
    return "-"


@pytest.mark.parametrize("function", [caught, held], ids=lambda f: f.__name__)
def test_they_are_of_every_base(agree: Any, function: Any) -> None:
    """In handlers and for isinstance."""
    for k in range(7):
        agree(function, k)


def test_python_gets_the_class_and_what_it_holds() -> None:
    """An exception that no compiled code catches, also from an archive."""
    ours = tscript.script(fail)
    with pytest.raises(ShapeError) as caught:
        ours(0)
    assert caught.value.expected == [3]
    with pytest.raises(Missing) as missing:
        ours(1)
    assert missing.value.args == ("b",)
    with pytest.raises(PackageError):
        ours(2)


def test_archives_keep_every_base(tmp_path: Path) -> None:
    """In a process that lacks the class, a class of the same bases stands for it."""
    names: dict[str, Any] = {"__name__": "gone_bases"}
    place = tmp_path / "gone_bases.py"
    place.write_text(
        "class PackageError(Exception):\n    pass\nclass Odd(PackageError, ValueError):\n    pass\n"
        "def f(k: int) -> int:\n    if k:\n        raise Odd(f'bad {k}')\n    return k\n"
    )
    exec(compile(place.read_text(), str(place), "exec"), names)
    tscript.save(tscript.script(names["f"]), str(tmp_path / "f.tsa"))
    with pytest.raises(ValueError, match="bad 3"):
        tscript.load(str(tmp_path / "f.tsa"))(3)
    assert not check_file(place)


def test_methods_that_a_builtin_class_would_hide_are_refused() -> None:
    """Python would call the builtin class's own."""

    class Told(Exception):
        def __init__(self, n: int) -> None:
            super().__init__(n)

    class Hidden(ValueError, Told):
        pass

    def f(k: int) -> int:
        raise Hidden(k)

    with pytest.raises(CompileError, match="both ValueError and Told"):
        tscript.script(f)
