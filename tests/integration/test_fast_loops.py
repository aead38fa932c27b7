"""What makes loops over lists and texts fast is there, and changes nothing else."""

# mypy: disable-error-code="attr-defined, var-annotated"

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tscript
from tscript.backend.llvm.effort import Effort
from tscript.backend.llvm.emitted import Emitted
from tscript.backend.llvm.target import Target
from tscript.backend.loader.optimise import optimised_text
from tscript.ir.graph import walk

TEXTS = ["", " a bb\tccc\n", "\x85é\xa0ü ab", "wide — text\u2028of two", "\U0001f600 x\u3000y zz", "a,b,,c,"]


def words(text: str) -> list[str]:
    return [word for word in text.split()]  # noqa: C416 - a loop is meant


def parts(text: str, separator: str) -> list[str]:
    out: list[str] = []
    for part in text.split(separator):
        if part == "stop":
            break
        out.append(part + "|")
    else:
        out.append("end")
    return out


def maybe(text: str, separator: str | None) -> int:
    return sum(len(part) for part in text.split(separator))


def numbered(text: str) -> list[tuple[int, str]]:
    return [(i, word) for i, word in enumerate(text.split())]


def counted(text: str) -> dict[str, int]:
    counts: dict[str, int] = {}
    for word in text.split():
        counts[word] = counts.get(word, 0) + 1
    return counts


def distinct(text: str) -> int:
    seen: set[str] = set()
    for word in text.split(" "):
        seen.add(word)
    return len(seen)


@pytest.mark.parametrize("text", TEXTS)
def test_pieces_one_at_a_time(harness, text):
    harness.agree(words, text)
    for separator in (",", "— t", ""):
        harness.agree(parts, text, separator)


def test_pieces_where_python_has_lists(harness):
    for separator in (None, ","):
        harness.agree(maybe, "a, b,c ", separator)
    for function in (numbered, counted, distinct):
        harness.agree(function, "a bb a ccc bb a")


def test_no_list_is_made():
    names = [n.op.name for n in walk(tscript.script(counted).graph_for("a").entry.body) if hasattr(n, "op")]
    assert "next_piece.str" in names
    assert "split.str" not in names


CHARACTERS = st.text(st.sampled_from("aZ .,ßéİΣσς—\u05d0\x85\xa0\u2003\U0001f600\U00010400"), max_size=24)

scripted_words, scripted_parts = tscript.script(words), tscript.script(parts)


@tscript.script
def cased(text: str) -> tuple[str, str, str]:
    return text.lower(), text.upper(), text.strip(".,aé\xa0 -—!?:;")


@given(CHARACTERS, st.text(st.sampled_from("a. —é"), min_size=1, max_size=2))
@settings(max_examples=150, deadline=None)
def test_texts_of_any_width(text, separator):
    assert scripted_words(text) == text.split()
    assert scripted_parts(text, separator) == parts(text, separator)
    long = text * 3 + "Long ENOUGH for eight at a time"
    for value in (text, long):
        assert cased(value) == (value.lower(), value.upper(), value.strip(".,aé\xa0 -—!?:;"))


def total(xs: list[int]) -> int:
    result = 0
    for x in xs:
        result += x
    return result


def growing(given: list[int]) -> list[int]:
    xs = given[:]
    seen: list[int] = []
    for i, x in enumerate(xs):
        seen.append(i * x)
        if len(xs) < 6:
            xs.append(x + 1)
        elif x == 3:
            xs.pop()
    return seen


def rewritten(given: list[list[int]]) -> list[int]:
    rows = [row[:] for row in given]
    out: list[int] = []
    for row in rows:
        for i, x in enumerate(row):
            row[i] = x + 1
            if x < 0:
                return out
            if x == 5:
                break
            out.append(x)
    return out


def emptied(given: list[list[int]]) -> int:
    rows = [row[:] for row in given]
    found = 0
    for row in rows:
        for x in row:
            row.clear()
            found += x
    return found


def test_lists_in_loops(harness):
    for xs in ([], [1], [1, 2, 3], [3, 3, 3, 3, 3, 3, 3]):
        harness.agree(total, xs)
        harness.agree(growing, xs)
    for rows in ([], [[]], [[1, 2], [5, 6], [7]], [[1], [-1, 2], [3]]):
        harness.agree(rewritten, rows)
        harness.agree(emptied, rows)


def emitted(function: Callable[..., Any], *args: Any) -> Emitted:
    """The LLVM module for a call."""
    scripted = tscript.script(function)._scripted
    module: Emitted = scripted.linker.compiler.llvm(scripted.specialised(*scripted.types_of(args, {})))
    return module


def test_loops_over_steady_lists_are_vectorised():
    module = emitted(total, [1])
    assert module.effort is Effort.FULL
    assert "x i64>" in optimised_text(module.text, Target("x86_64-unknown-linux-gnu", cpu="x86-64-v3"), 2)


def dot(a: list[list[float]], b: list[list[float]], i: int, j: int) -> float:
    result = 0.0
    for k in range(len(b)):
        result += a[i][k] * b[k][j]
    return result


def test_no_call_in_the_innermost_loop(harness):
    harness.agree(dot, [[1.0, 2.0], [3.0, 4.0]], [[5.0], [6.0]], 1, 0)
    harness.agree(dot, [[1.0, 2.0], [3.0]], [[5.0], [6.0]], 1, 0)
    text = tscript.script(dot).llvm_for([[1.0]], [[1.0]], 0, 0)
    assert "\nchunk." in text  # the safepoint stands outside of the loop
    body = text[text.index("\nhead.") : text.index("\nrest.")]
    assert "call" not in body.replace("call void @llvm.assume(", "")
    assert "i64 1, ptr %ntrace" in text
    assert text.count("i64 1, ptr %ntrace") == 1, "errors share the place where they are raised"


def test_loops_around_calls_take_the_light_pipeline():
    assert emitted(counted, "a").effort is Effort.LIGHT
