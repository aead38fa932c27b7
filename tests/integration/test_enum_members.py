"""Members of enums: constants that are no strings, and ints and strings where their class says so; the meaning is
CPython's."""

from __future__ import annotations

import functools
from collections.abc import Callable
from enum import Enum, IntEnum, StrEnum
from pathlib import Path
from typing import Any

import pytest

import tscript


class Color(Enum):
    RED = 1
    BLUE = "x"


class Level(IntEnum):
    ONE = 1
    TWO = 2


class Word(StrEnum):
    ABC = "abc"
    FIELD = "b%d"
    BRACES = "bx{}"


class Closed(StrEnum):
    OPEN = "abc"

    def __contains__(self, part: str) -> bool:  # type: ignore[override]
        return part == self.value


def asked(c: Closed) -> list[bool]:
    return ["a" in c, "abc" in c, "a" not in Closed.OPEN, Word.ABC in Closed.OPEN]


def raised(n: int) -> int:
    raise ValueError(Color.RED)


def raised_words(n: int) -> int:
    raise KeyError(Word.ABC)


def raised_in_texts(n: int) -> int:
    raise ValueError(f"{Color.BLUE} {Word.ABC} {Level.TWO} {n}")


def asserted(n: int) -> int:
    assert n > 5, Color.BLUE
    return n


def asserted_in_texts(n: int) -> int:
    assert n > 5, f"{Color.RED} is wrong"
    return n


def caught(n: int) -> list[object]:
    out: list[object] = []
    try:
        raise KeyError(Level.TWO)
    except KeyError as e:
        out += [str(e), e.args]
    for k in range(n):
        try:
            if k == 0:
                raise ValueError(Color.BLUE)
            raise RuntimeError(Word.ABC if k == 1 else Word.FIELD)
        except (ValueError, RuntimeError) as e:
            out += [str(e), f"{e}", repr(e)]
    try:
        raise ValueError("a", Color.RED)
    except ValueError as e:
        out += [str(e), e.args]
    return out


@functools.lru_cache(maxsize=2)
def cached(c: Color, x: object) -> int:
    return 7 if x is None else 5


def keys(n: int) -> list[int]:
    found = [cached(Color.RED, "a"), cached(Color.RED, None), cached(Color.BLUE, (n, "b"))]
    cached.cache_clear()
    return found


def words(n: int) -> list[object]:
    return [
        len(Word.ABC), Word.ABC in "xabcx", "b" in Word.ABC, "z" not in Word.ABC, Word("abc") == "abc", Word.ABC + "z",
        Word.ABC.upper(), Word.ABC[0], Word.ABC * 2, Word.FIELD % n, Word.BRACES.format(n), "1abc2".split(Word.ABC),
        Word.ABC.join(["1", "2"]), f"{Word.ABC:>5}", Word.ABC < "b", [c + "." for c in Word.ABC], sorted(Word.ABC),
        int(Word.ABC, 16),
    ]  # fmt: skip


def levels(n: int) -> list[object]:
    xs = [1, 2, 3]
    return [
        xs[Level.TWO], xs[Level.ONE :], "abc"[Level.TWO], range(5)[Level.ONE], [n] * Level.TWO, Level.TWO in xs,
        xs.index(Level.TWO),
        round(Level.TWO), divmod(Level.TWO, Level.ONE), Level.TWO % n, n // Level.TWO, "a b c".split(" ", Level.ONE),
        "%d|%s|%r" % (Level.TWO, Level.ONE, Level.TWO), f"{Level.TWO:03d}", sum([Level.ONE, Level.TWO]), Level.TWO & 3,
        ~Level.TWO,
    ]  # fmt: skip


def of_tensors(n: int) -> list[object]:
    x = tscript.zeros(Level.TWO, 3)
    y = tscript.full((Level.TWO,), Level.ONE)
    return [
        x.sum(Level.ONE).shape, x.reshape(Level.ONE, 6).shape, (x + Level.TWO).sum().item(), x[Level.ONE].shape,
        y.sum().item(),
        x.size(Level.ONE),
    ]  # fmt: skip


def given(w: Word, k: Level) -> list[object]:
    return [
        w + "!",
        k + 1,
        len(w),
        w in "abcd",
        w[0],
        [c + "." for c in w],
        k * 2.5,
        w == "abc",
        f"{w}{k}",
        range(5)[k],
        w.upper(),
    ]


def texts_of_any_type(n: int) -> str:
    values: list[object] = [Word.ABC, Level.TWO, Color.RED, n]
    return " ".join([str(v) for v in values]) + f"{values} {values[0]} {values[1]}" + "%s %r" % (values[2], values[1])


def masked(n: int) -> list[object]:
    out: list[object] = []
    values: list[object] = [n, True, "x", -n]
    for x in values:
        if isinstance(x, int):
            out.append(x % 2**63 % 14)
            out.append(x & 0xFFFF)
    return out


FUNCTIONS: tuple[tuple[Callable[..., object], tuple[Any, ...]], ...] = (
    *((f, (3,)) for f in (raised, raised_words, raised_in_texts, caught, keys, words, levels)),
    (of_tensors, (3,)),
    (texts_of_any_type, (3,)),
    (masked, (2**60,)),
    (given, (Word.ABC, Level.ONE)),
    (given, (Word.FIELD, Level.TWO)),
    (asked, (Closed.OPEN,)),
)


def outcome(function: Callable[..., object], args: tuple[Any, ...]) -> str:
    """What a call gives or raises, as text."""
    try:
        return repr(function(*args))
    except Exception as error:  # noqa: BLE001 - whatever Python raises is the oracle
        return repr(error)


@pytest.mark.parametrize(("function", "args"), FUNCTIONS, ids=lambda v: getattr(v, "__name__", ""))
def test_members_are_what_they_are_in_python(function: Callable[..., object], args: tuple[Any, ...]) -> None:
    assert outcome(tscript.script(function), args) == outcome(function, args)


@pytest.mark.parametrize("function", [raised, raised_words, raised_in_texts, caught, words, levels, texts_of_any_type])
def test_archives_keep_them(function: Callable[..., object], tmp_path: Path) -> None:
    tscript.save(tscript.script(function), tmp_path / "a.tsa")
    loaded = tscript.load(tmp_path / "a.tsa")
    assert outcome(loaded, (3,)) == outcome(function, (3,))


def test_messages_of_asserts() -> None:  # pytest gives those of the functions themselves another text
    assert outcome(tscript.script(asserted), (3,)) == "AssertionError(<Color.BLUE: 'x'>)"
    assert outcome(tscript.script(asserted_in_texts), (3,)) == "AssertionError('Color.RED is wrong')"


def test_positional_fields_of_format_map_are_reported() -> None:
    def filled(n: int) -> str:
        return "{}".format_map({"a": 1})

    with pytest.raises(tscript.CompileError, match="format_map\\(\\) cannot be filled in"):
        tscript.script(filled)(1)
