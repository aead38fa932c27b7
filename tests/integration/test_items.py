"""``x.item()`` in compiled code: Python's number, whether or not the dtype is known when the call is compiled."""

# mypy: disable-error-code="no-untyped-call"

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tscript
from tests.integration.harness import function_of
from tscript.ir.graph import For, Loop, Op, walk
from tscript.operators.python.conversions import BOX
from tscript.runtime.session.process import current
from tscript.types import UnionType

PRELUDE = (
    "import math\nfrom dataclasses import dataclass\n@dataclass\nclass Held:\n    t: Tensor\n"
    "@dataclass\nclass Kept:\n    n: int | float | bool\n"
)
DATA: list[Any] = [
    np.array([2, 3, 1]),
    np.array([2.5, 0.1, 7.0], np.float32),
    np.array([True, False, True]),
    np.array([200, 100, 3], np.uint8),
]


def exactly(value: Any) -> object:
    if isinstance(value, tscript.Tensor):
        return value.dtype, tuple(value.shape), value.tolist()
    if isinstance(value, list | tuple | dict | set):
        return type(value), [exactly(v) for v in (value.items() if isinstance(value, dict) else value)]
    return type(value), repr(value)


def outcome(function: Any, array: Any) -> object:
    try:
        return exactly(function(tscript.from_numpy(array.copy())))
    except (TypeError, ValueError, RuntimeError, IndexError, ZeroDivisionError, AssertionError) as error:
        return type(error)


def check(body: str, compare: Any = lambda found, plain: found == plain) -> None:
    """Compare the function that has this body, over a tensor of a known dtype and over one of which nothing is
    known."""
    for first in ("", "    x = Held(x).t\n"):
        plain = function_of(f"{PRELUDE}def f(x: Tensor):\n{first}{body}")
        scripted = tscript.script(plain)
        for array in DATA:
            found, expected = outcome(scripted, array), outcome(plain, array)
            assert compare(found, expected), (first, array, found, expected)


EXPRESSIONS = {
    "arithmetic": "a, a + 1, 1 - a, a * b, a / 3, a // 2, a % 3, a ** 2, a ** -1, -a, +a, abs(b), a * 1000 + b * 1000",
    "with floats": "a + 0.5, 0.5 * a, a / 0.5, 2.5 // a, a ** 0.5",
    "comparisons": "a < b, a <= 2, 2.5 > a, a >= b, a == b, a != 2, a == 2.5, 0 < a < 3, a in [1, 2, 3], "
    "a in range(5), not a",
    "builtins": "min(a, b), max(a, 1), round(a), round(a, 1), int(a), float(a), bool(a), divmod(a, 2), sum([a, b])",
    "texts": "str(a), f'{a} {b:>6} {a:.2f}', '%d %s %.1f' % (a, b, a), '{} {:>4}'.format(a, b), repr(b), str([a])",
    "containers": "[a, b], (a, 1), {'a': a}, sorted([a, b]), [v * 2 for v in [a, b]], len({a, b}), max([a, b])",
    "tests": "isinstance(a, float), isinstance(a, int), isinstance(a, bool), a is None, a or b, a if a > 1 else None",
    "math": "math.sqrt(a), math.floor(a), math.isnan(b), math.pow(a, 2)",
    "a class": "Kept(a).n, Kept(a + b).n",
    "tensors": "x * a, a - x, x.clamp(0, b), tscript.full((2,), a), tscript.add(x, x, alpha=b)",
    "new tensors": "tscript.tensor([a, b]), tscript.tensor([a, b, 1]), tscript.tensor([v for v in [a, b]])",
}


@pytest.mark.parametrize("expression", EXPRESSIONS.values(), ids=EXPRESSIONS)
def test_expressions(expression: str) -> None:
    check(f"    a, b = x[0].item(), x[1].item()\n    return {expression}\n")


ONLY_INTS = (
    "a & 3",
    "~a",
    "1 << b",
    "[1, 2, 3, 4][b]",
    "range(b)[0]",
    "[0] * b",
    "x[b % 2]",
    "x[:b]",
    "'ab'[b:]",
    "'%x' % b",
)


def test_what_takes_ints_alone_raises_when_it_runs() -> None:
    for expression in ONLY_INTS:
        check(f"    a, b = x[0].item(), x[2].item()\n    return {expression}\n")


STATEMENTS = {
    "a sum": "    s = 0\n    for i in range(len(x)):\n        s += x[i].item()\n    return s\n",
    "a sum of a generator": "    return sum(x[i].item() for i in range(len(x)))\n",
    "the best": (
        "    best, at = x[0].item(), 0\n    for i in range(1, len(x)):\n        v = x[i].item()\n"
        "        if v > best:\n            best, at = v, i\n    return best, at\n"
    ),
    "the best or none": (
        "    best = None\n    for i in range(len(x)):\n        v = x[i].item()\n"
        "        if best is None or v > best:\n            best = v\n    return best\n"
    ),
    "a while": "    n = 0\n    while x[0].item() < 5 and n < 9:\n        x = x + 1\n        n += 1\n    return n\n",
    "augmented": "    v = x[0].item()\n    v *= 3\n    v -= 1\n    v //= 2\n    return v\n",
    "one branch": "    v = x[0].item() if len(x) > 1 else 0\n    return v + 1\n",
    "in place": "    y = x + x[0].item()\n    y += x[1].item()\n    y[0] = x[1].item() * 2\n    y[1] -= x[1].item()\n"
    "    return y\n",
    "an inner function": "    v = x[0].item()\n    def g():\n        return v + 1\n    return g()\n",
    "a lambda": "    g = lambda t: t.item() + 1\n    return g(x[0]), sorted([1, 2], key=lambda i: x[i].item())\n",
    "a match": (
        "    match x[0].item():\n        case 2 | 2.5:\n            return 'two'\n        case float():\n"
        "            return 'float'\n"
        "        case bool():\n            return 'bool'\n    return 'other'\n"
    ),
    "too many elements": "    try:\n        return x.item()\n    except RuntimeError as e:\n        return str(e)\n",
    "an exception": "    try:\n        raise ValueError(x[0].item())\n    except ValueError as e:\n"
    "        return str(e)\n",
    "an assert": "    assert x[0].item() > 100, x[0].item()\n    return 1\n",
}


@pytest.mark.parametrize("body", STATEMENTS.values(), ids=STATEMENTS)
def test_statements(body: str) -> None:
    check(body)


DECLARED = {
    "a name": "    n: {0} = x[0].item() * 2\n    return n\n",
    "a name later": "    v = x[0].item()\n    x += 1\n    n: {0} = v\n    return n\n",
    "a sum": "    s: {0} = 0\n    for i in range(len(x)):\n        s += x[i].item()\n    return s\n",
    "a parameter": "    def g(n: {0}) -> {0}:\n        return n * 2\n    return g(x[0].item() + 1)\n",
    "an optional": "    best: {0} | None = None\n    if len(x) > 1:\n        best = x[0].item() * 2\n    return best\n",
    "a list": "    xs: list[{0}] = []\n    for i in range(len(x)):\n        xs.append(x[i].item() + 1)\n"
    "    return xs\n",
    "a dict": "    d: dict[str, {0}] = {{'a': x[0].item() + 1}}\n    return d\n",
}


@pytest.mark.parametrize("body", DECLARED.values(), ids=DECLARED)
def test_results_are_declared(body: str) -> None:
    def as_float(value: object) -> object:
        kind, held = value if isinstance(value, tuple) else (None, value)
        if isinstance(held, list):
            return [as_float(v) for v in held]
        return (
            held
            if kind is str or kind is None or held == "None"
            else float({"True": "1", "False": "0"}.get(str(held), str(held)))
        )

    check(body.format("float"), lambda found, plain: as_float(found) == as_float(plain))

    def fits(found: object, plain: Any) -> bool:
        return found == plain or (found is TypeError and "." in str(plain))

    check(body.format("int"), fits)


def test_a_list_is_what_is_declared_for_it_later() -> None:
    source = (
        "def f(x: Tensor) -> list[float]:\n    out = []\n    for i in range(len(x)):\n"
        "        out.append(x[i].item())\n    return out\n"
    )
    assert exactly(tscript.script(function_of(source))(tscript.tensor([2, 1]))) == exactly([2.0, 1.0])


def test_large_ints_are_compared_exactly() -> None:
    source = "def f(x: Tensor):\n    return x[0].item() == 2.0**53, x[0].item() > 2.0**53, 2.0**53 < x[0].item()\n"
    scripted = tscript.script(function_of(source))
    assert scripted(tscript.tensor([2**53 + 1])) == (False, True, True)


def test_all_stages_agree(agree: Any) -> None:
    body = (
        "    s, best = 0, None\n    for i in range(len(x)):\n        v = x[i].item()\n        s += v * 2\n"
        "        if best is None or v > best:\n            best = v\n"
        "    return s, best, [x[0].item()], x * x[1].item()\n"
    )
    for first in ("", "    x = Held(x).t\n"):
        for array in DATA[:3]:
            agree(f"{PRELUDE}def f(x: Tensor):\n{first}{body}", array)


def test_a_known_dtype_leaves_a_plain_number() -> None:
    scripted: Any = tscript.script(function_of("def f(x: Tensor):\n    v = x[0].item() * 2\n    return v + 1\n"))
    text = str(scripted.graph_for(tscript.ones(2)))
    assert "box" not in text
    assert "-> float" in text


UNBOXED = {
    "a sum": "    s = 0\n    for i in range(len(x)):\n        s = s + x[i].item()\n    return s > 1\n",
    "a branch": "    v = x[0].item()\n    w = v * 2 if v > 1 else v + 1\n    return w > 3, w - 1\n",
    "the best": (
        "    best = x[0].item()\n    for i in range(len(x)):\n        v = x[i].item()\n        if v > best:\n"
        "            best = v\n"
        "    return best\n"
    ),
    "the best or none": (
        "    best = None\n    for i in range(len(x)):\n        v = x[i].item()\n        if best is None or v > best:\n"
        "            best = v\n    return best is not None and best > 1\n"
    ),
    "a while": "    v = x[0].item()\n    while v < 100:\n        v = v * 2 + 1\n    return v\n",
    "a sum of a generator": "    return sum(x[i].item() for i in range(len(x))) > 1\n",
    "nested": (
        "    s = x[0].item()\n    for i in range(3):\n        for j in range(len(x)):\n"
        "            s = s + (x[j].item() if j > i else s / 2)\n"
        "    return s\n"
    ),
}


@pytest.mark.parametrize("body", UNBOXED.values(), ids=UNBOXED)
def test_numbers_are_not_boxed_where_ways_meet(body: str) -> None:
    scripted: Any = tscript.script(function_of("def f(x: Tensor):\n" + body))
    for array in DATA:
        graph = scripted.graph_for(tscript.from_numpy(array)).entry
        in_loops = [n for node in walk(graph.body) if isinstance(node, Loop | For) for n in walk(node.body)]
        assert not [n for n in in_loops if isinstance(n, Op) and n.op is BOX], graph
        assert not [
            v
            for node in walk(graph.body)
            if node.blocks
            for v in node.outputs
            if isinstance(v.type, UnionType) and node in in_loops
        ]
    check(body)


TASKS = {
    "a number": "    return wait(fork(item, x)), fork(item, x + 1).wait() * 2\n",
    "of a number": "    return wait(fork(twice, x[0].item())), wait(fork(twice, a=x)), twice(x[1].item()), twice(x)\n",
    "in a list": "    fs = [fork(item, x * i) for i in range(3)]\n"
    "    return sum([f.wait() for f in fs]), fs[1].wait(), fs[1].wait()\n",
    "in a tuple": "    n, y = wait(fork(both, x))\n    return n + 1, y\n",
    "one or the other": (
        "    f = fork(item, x) if len(x) > 2 else fork(twice, x[0].item())\n    return f.wait() + wait(f)\n"
    ),
    "in a loop": "    s = 0\n    for i in range(5):\n        s += fork(item, x * i).wait()\n    return s\n",
    "which nobody waits for": "    fork(item, x)\n    f = fork(item, x)\n    return 1\n",
    "a declared float": "    return wait(fork(real, x[0].item()))\n",
    "methods": "    c = Scale(2)\n    return c.by(x[0].item()), c.by(x), Scale.more(x[0].item(), b=x[1].item()), "
    "Scale.more(x, x)\n",
}
FUNCTIONS = (
    "from tscript import fork, wait\ndef item(x: Tensor):\n    return x[0].item()\ndef twice(a):\n    return a * 2\n"
    "def both(x: Tensor):\n    return x[0].item(), x * 2\ndef real(a) -> float:\n    return a / 2\n"
    "class Scale:\n    def __init__(self, n: int) -> None:\n        self.n = n\n    def by(self, a):\n"
    "        return a * self.n\n"
    "    @staticmethod\n    def more(a, b):\n        return a + b\n"
)


@pytest.mark.parametrize("body", TASKS.values(), ids=TASKS)
def test_tasks_and_functions_without_annotations(body: str) -> None:
    for first in ("", "    x = Held(x).t\n"):
        plain = function_of(f"{PRELUDE}{FUNCTIONS}def f(x: Tensor):\n{first}{body}")
        scripted = tscript.script(plain)
        for array in DATA:
            assert outcome(scripted, array) == outcome(plain, array)


def test_python_waits_for_numbers_too() -> None:
    source = f"{PRELUDE}{FUNCTIONS}def f(h: Held):\n    return fork(item, h.t)\n"
    namespace: Any = function_of(source).__globals__
    scripted = tscript.script(namespace["f"])
    for array in DATA:
        given = namespace["Held"](tscript.from_numpy(array))
        blocks = [
            current().live_blocks() for _ in range(4) if exactly(scripted(given).wait()) == exactly(array[0].item())
        ]
        assert len(blocks) == 4
        assert blocks[1] == blocks[3]
        assert exactly(tscript.fork(tscript.script(namespace["item"]), given.t).wait()) == exactly(array[0].item())


WHERE_INTS_ARE_DECLARED = {
    "a sum": "return whole(sum((x[0].item() for i in range(2))), 0)",
    "a sum of a list": "return whole(sum([x[0].item(), x[1].item()], 1), 0)",
    "an argument": "o = None\n    for v in x:\n        if v.item() > 1:\n            o = v.item() + 1\n"
    "    return whole(1, o)",
    "a field": "o = None\n    for i in range(2):\n        if i == 0:\n            o = i\n        else:\n"
    "            o = abs(x[i].item())\n    return Row(o).n",
    "none of them": "o = x[0].item() if x[0].item() > 90 else None\n    return whole(1, o)",
    "a value of an enum": "return Odd(x[2].item() - 1 + 1).name",
}


@pytest.mark.parametrize("body", WHERE_INTS_ARE_DECLARED.values(), ids=WHERE_INTS_ARE_DECLARED)
def test_numbers_that_may_be_none_sums_and_values_of_enums(body: str) -> None:
    head = (
        "from enum import Enum\nfrom typing import Optional\n"
        "class Odd(Enum):\n    ONE = 1\n    THREE = 3\n@dataclass\nclass Row:\n    n: Optional[int]\n"
        "def whole(a: int, b: Optional[int]) -> str:\n    return f'{a} {b}'\n"
    )
    for first in ("", "    x = Held(x).t\n"):
        plain = function_of(f"{PRELUDE}{head}def f(x: Tensor):\n{first}    {body}\n")
        scripted = tscript.script(plain)
        for array in (DATA[0], DATA[3]):
            assert outcome(scripted, array) == outcome(plain, array), first
        if "Odd" not in body and "90" not in body:
            assert outcome(scripted, DATA[1]) is TypeError
