"""What conditions and assignments say of attributes: how far it reaches, and what ends it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tscript
from tests.integration.harness import function_of
from tscript.diagnostics import CompileError

HEAD = """
from collections.abc import Callable
from typing import Optional, Union

class Cell:
    def __init__(self, n: int):
        self.n: Optional[int] = n
        self.u: Union[int, str] = n
        self.next: Optional["Cell"] = None
    def change(self) -> int:
        self.n = None
        self.u = "changed"
        return 0
    def __eq__(self, other: object) -> bool:
        self.change()
        return False
    def __lt__(self, other: "Cell") -> bool:
        self.change()
        return False
    def __len__(self) -> int:
        return self.change()
    def __bool__(self) -> bool:
        self.change()
        return True
    def __str__(self) -> str:
        return str(self.change())
    def __getitem__(self, i: int) -> int:
        return self.change()
    def __setitem__(self, i: int, x: int) -> None:
        self.change()
    def __contains__(self, i: int) -> bool:
        self.change()
        return False
    def __enter__(self) -> int:
        return self.change()
    def __exit__(self, a: object, b: object, c: object) -> None:
        pass
    def __iter__(self) -> "Cell":
        self.change()
        return self
    def __next__(self) -> int:
        self.change()
        raise StopIteration
    def __iadd__(self, other: int) -> "Cell":
        self.change()
        return self
    @property
    def changing(self) -> int:
        return self.change()
    @changing.setter
    def changing(self, x: int) -> None:
        self.change()

class Maker:
    def __init__(self, c: Cell):
        c.change()

class Holder:
    def __init__(self, c: Cell):
        self.c = c

def changing(c: Cell) -> int:
    return c.change()

def through(f: Callable[[], int]) -> int:
    return f()

def held(h: Holder) -> int:
    return h.c.change()
"""

CHANGES = (
    "c.change()", "changing(c)", "d.change()", "d.n = None; d.u = 'changed'", "c.n = None; c.u = 'changed'", "held(h)",
    "h.c.change()", "r = c == d", "r = c < d", "r = len(c)", "r = bool(c)", "r = str(c)", "r = f'{c}'", "r = c[0]",
    "c[0] = 1",
    "r = 1 in c", "r = [c].count(d)", "r = d in [c]", "r = sorted([c, d])", "r = max(c, d)", "Maker(c)",
    "r = c.changing", "c.changing = 1", "f()", "r = through(f)", "r = through(lambda: c.change())",
    "r = [x.change() for x in [c]]", "r = sum(x.change() for x in [c])", "r = sorted([1], key=lambda i: c.change())",
    "r = list(map(changing, [c]))", "c += 1", "inner()", "r = not c",
    "for x in c:\n            pass", "with c:\n            pass", "while c.change() > 0:\n            pass",
    "r = 1 if c else 2", "r = c and d", "assert c", "print(c)", "r = changing(c) if k else 3",
    "r = k if k > 9 else c.change()",
    "if k > 100:\n            c.change()", "for i in range(k):\n            changing(c)",
    "try:\n            changing(c)\n        except ValueError:\n            pass",
    "try:\n            r = [1][k]\n        except IndexError:\n            changing(c)",
    "match c:\n            case Cell(changing=0):\n                pass",
)  # fmt: skip
"""What ends all that is known of `c`, by way of its methods, an alias, a function, a value that holds it."""

USES = (
    "if c.n is not None{0}:\n        {1}\n        return c.n + 1",
    "if c.n is None:\n        return 0\n    if True{0}:\n        {1}\n        return c.n + 1",
    "assert c.n is not None\n    if True{0}:\n        {1}\n        return c.n + 1",
    "c.n = k\n    if True{0}:\n        {1}\n        return c.n + 1",
    "if isinstance(c.u, int){0}:\n        {1}\n        return c.u + 1",
    "t = 0\n    while c.n is not None and t < 9{0}:\n        {1}\n        t = c.n + 1",
    "t = 0\n    if c.n is None:\n        return 0\n    for i in range(k):\n        t += c.n\n        {1}",
)


def source(change: str, use: str, also: str = "") -> str:
    start = "    d = c\n    h = Holder(c)\n    f: Callable[[], int] = lambda: c.change()\n    r: object = 0\n"
    inner = "    def inner() -> int:\n        return c.change()\n"
    return f"{HEAD}\ndef main(c: Cell, k: int) -> int:\n{start}{inner}    {use.format(also, change)}\n    return 0\n"


@pytest.mark.parametrize("number", range(len(CHANGES)))
def test_what_may_change_an_attribute_ends_what_is_known_of_it(number: int) -> None:
    change = CHANGES[number]
    for use in (USES[number % 7], USES[(number + 3) % 7]):
        with pytest.raises(CompileError) as caught:
            tscript.script(function_of(source(change, use)))
        assert "'+' does not take" in str(caught.value) or "'+=' does not take" in str(caught.value), use


@pytest.mark.parametrize("also", ["c.change() == 0", "c == c", "[c.change()]", "f() == 0"])
def test_the_rest_of_a_condition_may_change_it_too(also: str) -> None:
    with pytest.raises(CompileError, match=r"'\+' does not take"):
        tscript.script(function_of(source("pass", USES[0], f" and {also}")))


def test_a_name_that_is_assigned_in_the_condition_is_another_one() -> None:
    for test in ("c.n is not None and (c := d).u != 3", "c.n is not None and (c := d) is not None"):
        text = f"{HEAD}\ndef main(c: Cell, d: Cell) -> int:\n    if {test}:\n        return c.n + 1\n    return 0\n"
        with pytest.raises(CompileError, match=r"'\+' does not take"):
            tscript.script(function_of(text))
    text = (
        "def main(a: int | None, b: int | None) -> int:\n    if a is not None and (a := b) != 3:\n"
        "        return a + 1\n    return 0\n"
    )
    with pytest.raises(CompileError, match=r"'\+' does not take"):
        tscript.script(function_of(text))


HARMLESS = (
    "pass", "r = k + 1", "r = len([k])", "r = str(k)", "r = plain(k)", "r = [k].count(3)", "print('x')", "c.next = d",
    "r = c.n", "e = Cell2()", "r = sorted([k])", "if k > 3:\n            r = 2",
    "for i in range(k):\n            r = c.n",
    "try:\n            r = k // 2\n        except ValueError:\n            return 0",
)  # fmt: skip


@pytest.mark.parametrize("use", USES)
def test_what_cannot_change_it_does_not(use: str) -> None:
    more = "\ndef plain(k: int) -> int:\n    return k\n\nclass Cell2:\n    pass\n"
    for change in HARMLESS:
        text = source(change, use).replace("\ndef main", f"{more}\ndef main")
        if change in (HARMLESS[number % len(HARMLESS)] for number in range(USES.index(use), 90, 3)):
            tscript.script(function_of(text))


RUNS = (
    "    if c.n is None:\n        c.n = k\n    else:\n        c.n = c.n + k\n    return c.n",
    "    for i in range(k):\n        if c.n is None:\n            c.n = i\n        else:\n"
    "            c.n = c.n * 2 + i\n    return c.n",
    "    c.next = Cell(k)\n    for i in range(k):\n        if c.next is None:\n            c.next = Cell(i)\n"
    "        elif c.next.n is None:\n"
    "            c.next.n = i\n        elif c.next.n > 3:\n            c.next = None\n        else:\n"
    "            c.next.n += i\n"
    "    return None if c.next is None else c.next.n",
    "    head = c\n    for i in range(k):\n        e = Cell(i)\n        e.next = head\n        head = e\n    t = 0\n"
    "    while head.next is not None:\n        t = t * 3 + (head.next.n or 0)\n        head = head.next\n    return t",
    "    t = 0\n    while c.n is not None:\n        t += c.n\n        c.n = c.n + 1 if c.n < 9 else None\n    return t",
    "    if isinstance(c.u, int):\n        c.u = str(c.u)\n    return len(c.u)",
    "    if isinstance(c.u, str):\n        c.u = len(c.u)\n    elif c.u > 2:\n        c.u = 'big'\n    return c.u",
    "    x = c.n if c.n is not None else 7\n    c.n = None if k > 3 else x\n"
    "    assert c.n is None or c.n < 90\n    return (c.n or 0) + x",
    "    if c.n is not None:\n        a = c.n\n        c.change()\n        return a if c.n is None else c.n\n"
    "    return -1",
    "    while c.n is not None:\n        for i in range(k):\n            if c.n is None:\n"
    "                break\n            c.n += i\n"
    "        else:\n            c.change()\n    return c.n",
)


@pytest.mark.parametrize("body", RUNS)
def test_narrowed_attributes_have_the_values_of_python(body: str) -> None:
    text = f"{HEAD}\ndef main(a: int, k: int):\n    c = Cell(a)\n{body}\n"
    plain, scripted = function_of(text), tscript.script(function_of(text))
    for a in (0, 3):
        for k in (0, 5):
            assert scripted(a, k) == plain(a, k)


CONDITIONS = (
    "isinstance(x, bool) or isinstance(x, float)",
    "isinstance(x, float) or isinstance(x, bool)",
    "isinstance(x, str) or isinstance(x, bool) or isinstance(x, float)",
    "isinstance(x, (bool, str)) or x is None",
    "x is None or isinstance(x, float) or isinstance(x, str)",
    "not isinstance(x, bool) and isinstance(x, int)",
    "not isinstance(x, float) and not isinstance(x, bool) and x is not None",
    "not (isinstance(x, str) or isinstance(x, bool))",
    "not (isinstance(x, bool) or x is None) and not isinstance(x, str)",
    "isinstance(x, int) and isinstance(x, bool)",
)
CONDITIONAL = (
    "    if {0}:\n        y = str(x) + 'a'\n    else:\n        y = str(x) + 'b'\n    return y",
    "    n = 0\n    while ({0}) and n < 3:\n        n += 1\n    return n",
    "    return ('a', str(x)) if {0} else ('b', repr(x))",
    "    if not ({0}):\n        return repr(x)\n    x = 3\n    return str(x)",
    "    assert {0}\n    return repr(x)",
    "    c = Cell(1)\n    c.w = x\n    if {1}:\n        return 'a' + str(c.w)\n    return repr(c.w) + 'b'",
)


@pytest.mark.parametrize("condition", CONDITIONS)
def test_what_parts_of_a_condition_say_is_put_together(condition: str, harness: Any) -> None:
    values = ((1,), (True,), (2.5,), ("a",), (None,))
    head = (
        "class Cell:\n    def __init__(self, n: int) -> None:\n        self.n = n\n"
        "        self.w: bool | int | float | str | None = n\n"
    )
    for body in CONDITIONAL:
        text = body.format(condition, condition.replace("x,", "c.w,").replace("x is", "c.w is"))
        harness.agree_all(f"{head}def f(x: bool | int | float | str | None):\n{text}\n", values)


HOLDERS = """
from typing import Optional
class Refused(ValueError):
    pass
class Held(Exception):
    def __init__(self, t: Tensor, n: int) -> None:
        super().__init__(n)
        self.maybe: Optional[Tensor] = t if n > 0 else None
        self.n: Optional[int] = n
class Plain:
    def __init__(self, t: Tensor, n: int) -> None:
        self.maybe: Optional[Tensor] = t if n > 0 else None
        self.n: Optional[int] = n
def change(p: Plain) -> int:
    p.maybe = None
    return 1
"""


@pytest.mark.parametrize(
    "body",
    [
        "try:\n    k += 1\nexcept Refused:\n    return int(e.maybe.sum())",
        "try:\n    k //= 0\nexcept ZeroDivisionError:\n    return int(e.maybe.sum())",
        "try:\n    raise Refused('x')\nexcept IndexError:\n    k += 1\nexcept Refused as why:\n"
        "    k += int(e.maybe.sum())\nk += int(e.maybe.sum())",
        "try:\n    k += 1\nexcept Refused:\n    k = 5\nfinally:\n    k += int(e.maybe.sum())\nk += int(e.maybe.sum())",
        "while k < 9:\n    try:\n        k += 1\n        k // (k - 5)\n    except ZeroDivisionError:\n"
        "        k += int(e.maybe.sum())",
        "try:\n    e.n = None\n    k //= 0\nexcept ZeroDivisionError:\n    return int(e.maybe.sum())",
        "try:\n    try:\n        k //= 0\n    except Refused:\n        e.n = 5\nexcept ZeroDivisionError:\n"
        "    return int(e.maybe.sum())",
        "k += int((-(e.maybe // 0.5)).sum())",
    ],
)
@pytest.mark.parametrize("made", ["e = Plain(t, 3)", "try:\n    raise Held(t, 3)\nexcept Held as e:"])
def test_handlers_know_what_the_body_does_not_change(agree: Callable[..., Any], made: str, body: str) -> None:
    agree(_about(made, body), np.array([1.5, -2.0, 4.0]))


def _about(made: str, body: str) -> str:
    depth = "    " if made.startswith("e =") else "        "
    lines = ["k = 3", *made.split("\n")]
    inner = ["if e.maybe is not None:", *(f"    {line}" for line in body.split("\n"))]
    text = "".join(f"    {line}\n" for line in lines) + "".join(f"{depth}{line}\n" for line in inner)
    return f"{HOLDERS}def f(t: Tensor) -> int:\n{text}    return k\n"


@pytest.mark.parametrize(
    "body",
    [
        "try:\n    e.maybe = None\n    k //= 0\nexcept ZeroDivisionError:\n    return int(e.maybe.sum())",
        "try:\n    k += change(e)\n    k //= 0\nexcept ZeroDivisionError:\n    return int(e.maybe.sum())",
        "try:\n    e = Plain(t, 0)\n    k //= 0\nexcept ZeroDivisionError:\n    return int(e.maybe.sum())",
        "try:\n    try:\n        k //= 0\n    except ZeroDivisionError:\n        e.maybe = None\n"
        "        k //= 0\nexcept ZeroDivisionError:\n"
        "    return int(e.maybe.sum())",
        "while k < 9:\n    try:\n        k += 1\n        k // (k - 5)\n    except ZeroDivisionError:\n"
        "        k += int(e.maybe.sum())\n    e.maybe = None",
        "o = e\ntry:\n    o.maybe = None\n    k //= 0\nexcept ZeroDivisionError:\n    return int(e.maybe.sum())",
    ],
)
def test_handlers_do_not_know_what_the_body_may_change(body: str) -> None:
    with pytest.raises(CompileError, match="TS213"):
        tscript.script(function_of(_about("e = Plain(t, 3)", body)))(tscript.tensor([1.0]))
