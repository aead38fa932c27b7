"""``type(x).__name__`` and ``x.__class__.__name__``."""

from __future__ import annotations

import enum
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

import tscript
from tscript.diagnostics import CompileError


class A:
    def __init__(self, n: int) -> None:
        self.n = n

    def told(self) -> str:
        return type(self).__name__ + str(self.n)


class B(A):
    pass


class E(enum.Enum):
    X = 1


class P(NamedTuple):
    a: int


class Wrong(ValueError):
    pass


def of_types(n: int) -> str:
    u: int | str | list[int] = n if n == 0 else "a" if n == 1 else [n]
    names = [type(u).__name__, type(n).__name__, type(n > 2).__name__, type(n / 2).__name__, type("a").__name__]
    names += [
        type((n, n)).__name__,
        type(None).__name__,
        type(E.X).__name__,
        type(P(n)).__name__,
        type({n: n}).__name__,
    ]
    return " ".join([*names, {n}.__class__.__name__, [n].__class__.__name__, type(b"").__name__])


def of_instances(n: int) -> str:
    a: A | None = A(n) if n == 0 else B(n) if n == 1 else None
    told = "" if a is None else a.told()
    return type(a).__name__ + a.__class__.__name__ + told + type([B(n)][0]).__name__


@tscript.ignore
def outside(n: int) -> int:
    if n == 0:
        json.loads("{")
    if n == 1:
        raise Wrong("w")
    if n == 2:
        b"\xff".decode()
    raise re.error("x")


def of_python_s_exceptions(n: int) -> str:
    try:
        outside(n)
    except Exception as e:  # noqa: BLE001 - it is what is asked
        return f"{type(e).__name__}: {str(e)[:9]}"
    return ""


def of_exceptions(n: int) -> str:
    out = ""
    for k in range(5):
        try:
            if k == 0:
                [1][n + 4]
            if k == 1:
                {1: 2}[n + 5]
            if k == 2:
                int("x" * n + "y")
            if k == 3:
                raise Wrong("w")
            raise KeyError(3)
        except Exception as e:  # noqa: BLE001 - it is what is asked
            out += f"{type(e).__name__} {e.__class__.__name__}: {e};"
    return out


CASES: tuple[Callable[[int], str], ...] = (of_types, of_instances, of_exceptions, of_python_s_exceptions)


@pytest.mark.parametrize("function", CASES, ids=lambda f: f.__name__)
def test_names_are_python_s(function: Callable[[int], str], tmp_path: Path) -> None:
    scripted = tscript.script(function)
    for n in range(4):
        assert scripted(n) == function(n)
    if function is not of_python_s_exceptions:
        tscript.save(scripted, tmp_path / "f.ts")
        loaded = tscript.load(tmp_path / "f.ts")
        assert [loaded(n) for n in range(4)] == [function(n) for n in range(4)]


def test_other_uses_of_type_are_refused() -> None:
    def same(n: int, x: int) -> bool:
        kind = type(n)
        return kind is type(x)

    with pytest.raises(CompileError, match="'type'"):
        tscript.script(same)(1, 2)
