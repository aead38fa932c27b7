"""Format strings that are no literals: their fields are read when the program runs, with Python's errors."""

# mypy: disable-error-code="str-format"

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import pytest

import tscript


@dataclass
class Point:
    x: int
    y: int

    def __str__(self) -> str:
        return f"<{self.x}, {self.y}>"


@tscript.script
def by_position(text: str, n: int, x: float, s: str) -> str:
    return text.format(n, x, s)


@tscript.script
def by_name(text: str, n: int, width: int, xs: list[int]) -> str:
    return text.format(n, width=width, xs=xs)


@tscript.script
def of_nothing(text: str) -> str:
    return text.format()


@tscript.script
def of_a_dict(text: str, d: dict[str, float]) -> str:
    return text.format_map(d)


@tscript.script
def of_a_literal(text: str, n: int, s: str) -> str:
    return text.format_map({"n": n, "s": s})


@tscript.script
def others(text: str, flag: bool, z: complex, maybe: int | None, either: int | str, b: bytes) -> str:
    return text.format(flag, z, maybe, either, b, None, (1, "a"), {"k": 2}, Point(1, 2))


@tscript.script
def percent(text: str, n: int, x: float, s: str) -> str:
    return text % (n, x, s)


@tscript.script
def percent_one(text: str, x: float) -> str:
    return text % x


@tscript.script
def percent_dict(text: str, d: dict[str, float]) -> str:
    return text % d


@tscript.script
def percent_literal(text: str, n: int, s: str) -> str:
    return text % {"n": n, "s": s}


@tscript.script
def percent_list(text: str, xs: list[int]) -> str:
    return text % xs


@tscript.script
def percent_others(text: str, flag: bool, maybe: int | None, either: int | str, b: bytes) -> str:
    return text % (flag, maybe, either, b, None, Point(1, 2))


@tscript.script
def spec_only(value: list[int], spec: str) -> str:
    return format(value, spec)


D = {"a": 1.5, "b": 2.0}
POSITION = (7, 0.125, "ab")
BRACES = (
    "",
    "plain",
    "{} {} {}",
    "{2}{1}{0}{0}",
    "{{}} {{{}}}",
    "{:05d}|{:.3f}|{:>6}",
    "{!r} {!s} {!a:>8}",
    "{2!r:*^9}",
    "{:{}}",
    "{0:{0}d}",
    "{0:{0}{2}}",
    "{",
    "}",
    "a}b",
    "a{",
    "{}{3}",
    "{0}{}",
    "{3}",
    "{:q}",
    "{!x}",
    "{!r",
    "{!r}}",
    "{!",
    "{:",
    "{0",
    "{a}",
    "{}{}{}{}",
    "{:{:{}}}",
    "{0{1}}",
    "{!rx}",
    "{2:{1}}",
    "{:}",
    "{0:é>4}",
    "{2!é}",
    "é{2}€\U0001f600{0}",
    "{99999999999999999999}",
    "{:{}",
    "{ }",
    "{-1}",
    "{0!}",
)
PERCENTS = (
    "",
    "plain",
    "%d %f %s",
    "%5d|%-8.2f|%r",
    "%x%e%%%s",
    "%s %s %s",
    "%d %d %s",
    "%s%s",
    "%s%s%s%s",
    "%",
    "%d %f %",
    "%q",
    "%d %f %y",
    "%(a)s",
    "%c%g%c",
    "%+d % f %10s",
    "%#x %F %a",
    "%05d %010.3f %.1s",
    "%*d",
    "%-*f|%s",
    "%.*f %s",
    "%ld %hd %Ls",
    "%5%",
    "%d %x %s",
    "%d %c %s",
    "%s %s %d",
    "%s %s %f",
    "%s %s %x",
    "%\u20ac",
    "%d %.2f %5",
    "%1234567890123456789012d",
    "%(a",
    "%i %u %s",
    "%G%E%s",
)

CALLS: list[tuple[Any, tuple[Any, ...]]] = [
    *((by_position, (text, *POSITION)) for text in BRACES),
    *((percent, (text, *POSITION)) for text in PERCENTS),
    *(
        (by_name, (text, 7, 9, [1, 2]))
        for text in ("{} {width} {xs}", "{0:{width}}", "{xs:3}", "{xs!r:>9}", "{other}", "{1}", "{xs}{}")
    ),
    *((of_nothing, (text,)) for text in ("", "a{{", "{}", "{a}", "{0}")),
    *((of_a_dict, (text, D)) for text in ("{a} {b:.3f}", "{a:{b}}", "{c}", "{}", "{0}", "{a!r:>9}")),
    *((of_a_literal, (text, 3, "x")) for text in ("{n:3}{s}", "{m}", "{}", "{s:{n}}|")),
    *(
        (others, (text, True, 1 + 2j, None, "u", b"b"))
        for text in ("{} {} {} {} {} {} {} {} {}", "{0:3}", "{2:3}", "{4!r:>5}")
    ),
    *(
        (others, (text, True, 1j, 4, 5, b"b"))
        for text in ("{2:3}{3:4}", "{5:3}", "{6:3}", "{7:3}", "{8:3}", "{8!s:>9}", "{4:3}")
    ),
    *((percent_one, (text, 2.75)) for text in ("%d", "%s", "%x", "%s%s", "no", "%(a)s", "%.1f", "%c")),
    *((percent_one, ("%d", x)) for x in (1e30, float("inf"), float("nan"), -0.5)),
    *(
        (percent_dict, (text, D))
        for text in ("%(a)s %(b)d", "%s", "no", "%(c)s", "%(a)5.2f%%", "%s%s", "%(a)s %s", "%((a))s", "%(a)*d")
    ),
    *((percent_literal, (text, 3, "x")) for text in ("%(n)d %(s)s", "%(m)s", "no", "%(s)d", "%(s)")),
    *((percent_list, (text, [1, 2])) for text in ("%s", "no", "%d", "%(a)s", "%s%s")),
    *(
        (percent_others, (text, True, None, "u", b"b"))
        for text in ("%s %s %s %s %s %s", "%d %s %c %r %a %r", "%s %d", "%x%s%d", "%d%s%s%d")
    ),
    *((percent_others, ("%d%d%d%s%s" + text, True, 4, 5, b"b")) for text in ("%s", "%d", "%5s", "%x", "%f", "%c")),
    *((spec_only, ([1, 2], spec)) for spec in ("", "3")),
]


def outcome(function: Any, given: tuple[Any, ...]) -> object:
    """What a call gives, or what it raises; native code does not repeat a spec that is wrong."""
    try:
        return function(*given)
    except (TypeError, ValueError, LookupError, OverflowError) as error:
        return type(error), re.sub(r"specifier '.*' for", "specifier for", str(error))


@pytest.mark.parametrize("function", dict.fromkeys(f for f, _ in CALLS), ids=lambda f: f.__name__)
def test_python_agrees(function: Any) -> None:
    plain = function.__wrapped__
    for called, given in CALLS:
        if called is function:
            assert outcome(function, given) == outcome(plain, given), given


def test_attributes_and_items_of_fields_need_a_literal() -> None:
    for text in ("{0.real}", "{0[1]}"):
        with pytest.raises(NotImplementedError, match="is no literal"):
            by_position(text, *POSITION)


def test_the_string_of_a_module_is_a_format() -> None:
    class Says(tscript.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.message = "size {} of {name}"

        def forward(self, n: int) -> str:
            return self.message.format(n, name="a") + "%d" % n + (self.message + "%d") % n

    assert tscript.script(Says())(3) == "size 3 of a3size {} of {name}3"
