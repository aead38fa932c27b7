"""``type(a) is type(b)`` of instances, of classes with one name, too."""

# mypy: disable-error-code="valid-type,misc"
# ruff: noqa: E721 - that is what is tested

from __future__ import annotations

from typing import Any

import tscript


def made() -> Any:
    class Point:
        def __init__(self, n: int) -> None:
            self.n = n

    return Point


First, Second = made(), made()


class Derived(First):
    pass


class Other(First):
    pass


def of_instances(n: int) -> tuple[bool, bool, bool, bool, bool, bool]:
    a = First(1)
    b = Second(2)
    c: First = Derived(1) if n == 0 else Other(1) if n == 1 else First(1)
    return (
        type(a) is type(b),
        type(a) != type(b),
        type(a) == type(c),
        type(c) is type(Derived(3)),
        type(c) is not type(Other(3)),
        type(c) is type(c),
    )


def test_two_classes_of_one_name_differ() -> None:
    compiled = tscript.script(of_instances)
    for n in range(3):
        assert compiled(n) == of_instances(n)


class Error(ValueError):
    pass


def of_errors(n: int) -> tuple[bool, bool]:
    try:
        if n == 0:
            raise Error("a")
        if n == 1:
            raise ValueError("a")
        raise KeyError("b")
    except (ValueError, KeyError) as e:
        try:
            raise ValueError("c")
        except ValueError as f:
            return type(e) is type(f), type(e) is type(e)


def test_classes_of_exceptions() -> None:
    compiled = tscript.script(of_errors)
    for n in range(3):
        assert compiled(n) == of_errors(n)
