"""Functions as values: the same in Python, in the interpreter at every stage, and natively; and at the boundary."""

# mypy: disable-error-code="arg-type, call-arg"

from __future__ import annotations

import copy
import gc
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tscript
from tscript.ir.parser import parse_program
from tscript.ir.verifier import verify
from tscript.ir.verify_types import VerifyError
from tscript.operators.table import TABLE
from tscript.runtime.session.process import current

HELPERS = """
from typing import Callable, Optional, NamedTuple

def square(x: int) -> int:
    return x * x

def negate(x: int) -> int:
    return -x

def refuse(x: int) -> int:
    if x > 2:
        raise ValueError("too large")
    return x

def apply(g: Callable[[int], int], x: int) -> int:
    return g(x)

def compose(g: Callable[[int], int], h: Callable[[int], int]) -> Callable[[int], int]:
    return lambda x: g(h(x))

def repeat(text: str, n: int) -> Callable[[str], str]:
    return lambda t: t + text * n

def fold(g: Callable[[int, int], int], xs: list[int], start: int) -> int:
    for x in xs:
        start = g(start, x)
    return start
"""

PROGRAMS: dict[str, tuple[str, tuple[object, ...]]] = {
    "by name, lambda, nested function": (
        """
def f(n: int) -> list[int]:
    def add(x: int) -> int:
        return x + n
    return [apply(square, n), apply(lambda x: x + n, 3), apply(add, 4)]
""",
        (5,),
    ),
    "in lists and dicts": (
        """
def f(n: int) -> list[int]:
    fs: list[Callable[[int], int]] = [square, negate, lambda x: x + n]
    fs.append(lambda x: x * n)
    d: dict[str, Callable[[int], int]] = {"a": square, "b": fs[3]}
    d["c"] = fs.pop()
    return [g(n) for g in fs] + [d[k](n + 1) for k in d] + [d["c"](2)]
""",
        (7,),
    ),
    "returned, holding texts": (
        """
def f(s: str, n: int) -> list[str]:
    a, b = repeat(s, n), repeat(s + "é", n + 1)
    return [a("x"), b("y"), repeat("z", 2)("q")]
""",
        ("ab", 3),
    ),
    "composed": (
        """
def f(n: int) -> int:
    h = compose(square, negate)
    k = compose(h, lambda x: x + n)
    return k(n) + compose(k, k)(1)
""",
        (4,),
    ),
    "chosen": (
        """
def f(n: int) -> int:
    g = square if n > 2 else negate
    if n % 2:
        g = negate
    return g(n)
""",
        (4,),
    ),
    "of builtins and methods": (
        """
def f(x: float) -> tuple[float, int, list[int]]:
    root: Callable[[float], float] = math.sqrt
    size: Callable[[str], int] = len
    xs: list[int] = []
    push: Callable[[int], None] = xs.append
    push(3)
    push(size("abcd"))
    return root(x), size("ab"), xs
""",
        (2.25,),
    ),
    "as keys": (
        """
def f(xs: list[int], n: int) -> list[int]:
    key: Callable[[int], int] = lambda v: v * 7 % n
    found = sorted(xs, key=key) + [max(xs, key=key), min(xs, key=key)] + list(map(key, xs))
    return found + list(filter(lambda v: key(v) > 2, xs))
""",
        ([3, 1, 4, 1, 5, 9, 2, 6], 5),
    ),
    "that may be None": (
        """
def g(h: Optional[Callable[[int], int]], x: int) -> int:
    if h is None:
        return -1
    return h(x)

def f(n: int) -> tuple[int, int]:
    return g(None, n), g(square, n)
""",
        (3,),
    ),
    "that raise": (
        """
def f(n: int) -> int:
    text = "ab" * n
    g: Callable[[int], int] = lambda x: refuse(x) + len(text)
    try:
        return g(n)
    except ValueError:
        return -1
""",
        (4,),
    ),
    "that raise out": (
        """
def f(n: int) -> int:
    text = "ab" * n
    return apply(lambda x: refuse(x) + len(text), n)
""",
        (4,),
    ),
    "of several parameters": (
        """
def f(xs: list[int]) -> tuple[int, int]:
    return fold(lambda a, b: a * 3 + b, xs, 1), fold(max, xs, 0)
""",
        ([2, 7, 1],),
    ),
    "made in a loop": (
        """
def f(n: int) -> list[int]:
    fs: list[Callable[[int], int]] = [lambda x, i=i: x * 10 + i for i in range(n)]
    return [g(1) for g in fs]
""",
        (3,),
    ),
    "in named tuples": (
        """
class Step(NamedTuple):
    name: str
    run: Callable[[int], int]

def f(n: int) -> list[int]:
    steps = [Step("a", square), Step("b", lambda x: x - n)]
    return [s.run(n + 1) for s in steps]
""",
        (3,),
    ),
    "that make functions": (
        """
def f(n: int) -> int:
    make: Callable[[int], Callable[[int], int]] = lambda a: lambda b: a * 10 + b + n
    return make(1)(2)
""",
        (3,),
    ),
    "that change what they hold": (
        """
def f(n: int) -> list[int]:
    seen: list[int] = [0]
    def note(x: int) -> None:
        seen.append(x)
    g: Callable[[int], None] = note
    for i in range(n):
        g(i)
    return seen
""",
        (3,),
    ),
    "of numbers that become wider": (
        """
def half(x: float) -> float:
    return x / 2.0

def f(n: int) -> float:
    g: Callable[[int], float] = half
    h: Callable[[int], float] = square
    return g(n) + h(n)
""",
        (3,),
    ),
    "of tuples and flags": (
        """
def f(n: int) -> tuple[bool, int, Optional[int]]:
    pair = (n > 1, n)
    maybe: Optional[int] = n if n > 2 else None
    g: Callable[[bool, tuple[int, bool]], tuple[bool, int, Optional[int]]] = lambda a, b: (
        a and b[1] and pair[0], b[0] + pair[1], maybe)
    return g(True, (n, True))
""",
        (3,),
    ),
    "of names from the else of loops": (
        """
def twice(g: Callable[[int], int], x: int) -> int:
    return g(g(x))

def f(n: int) -> int:
    for i in range(n):
        n += 1
    else:
        v = n * 2
        n = twice(lambda k: v + k + i, 1)
    while n > 20:
        n -= 1
    else:
        w = n
        n = twice(lambda k: w + k, n)
    return n
""",
        (3,),
    ),
}


@pytest.mark.parametrize(("source", "args"), PROGRAMS.values(), ids=PROGRAMS)
def test_the_same_everywhere(agree: Any, source: str, args: tuple[object, ...]) -> None:
    agree(HELPERS + source, *args)


STEPS = ("square", "negate", "lambda x: x + n", "compose(square, negate)", "lambda x, k=n: x - k")


@settings(max_examples=12, deadline=None)
@given(st.lists(st.sampled_from(STEPS), min_size=1, max_size=4), st.integers(-5, 5))
def test_chains_of_functions(agree: Any, steps: list[str], n: int) -> None:
    body = "".join(
        f"    g{i + 1}: Callable[[int], int] = {s}\n    h{i + 1} = compose(g{i + 1}, h{i})\n"
        for i, s in enumerate(steps)
    )
    agree(
        f"{HELPERS}\ndef f(n: int) -> int:\n    h0: Callable[[int], int] = lambda x: x\n"
        f"{body}    return h{len(steps)}(n)\n",
        n,
    )


def test_tensors_of_any_dtype(agree: Any) -> None:
    source = """
def f(x: Tensor, k: float) -> Tensor:
    g: Callable[[Tensor], Tensor] = lambda y: y * k + x
    h: Callable[[Tensor], Tensor] = torch.relu
    return h(g(x)) + g(x + 1.0)
"""
    agree(HELPERS + source, np.array([1.0, -2.0], np.float32), 2.0)
    agree(HELPERS + source, np.array([[1.0], [-2.0]], np.float64), 0.5)


# ---- limits


def test_endless_recursion_through_a_value(integration: Any) -> None:
    f = integration.function_of(
        HELPERS + "\ndef f(n: int) -> int:\n    fs: list[Callable[[int], int]] = []\n"
        "    fs.append(lambda x: fs[0](x) + 1)\n    return fs[0](n)\n"
    )
    with pytest.raises(RecursionError):
        tscript.script(f)(1)


def test_a_long_chain_is_dropped_without_recursion(integration: Any) -> None:
    f = tscript.script(
        integration.function_of(
            HELPERS + "\ndef f(n: int) -> int:\n    g: Callable[[int], int] = square\n    for _ in range(n):\n"
            "        g = compose(g, negate)\n    return n\n"
        )
    )
    f(1)
    before = current().live_blocks()
    assert f(200_000) == 200_000
    assert current().live_blocks() == before


def test_known_functions_are_called_directly(integration: Any) -> None:
    f = tscript.script(
        integration.function_of(HELPERS + "\ndef f(n: int) -> int:\n    return apply(lambda x: x + n, 3)\n")
    )
    assert "invoke" not in str(f.graph_for(2)) and "closure" not in str(f.graph_for(2))
    assert "closure" in str(f.graph)


def test_the_verifier_checks_functions_as_values() -> None:
    good = """
        graph @f(%x: int) -> int {
          %g: Callable[[int], int] = closure @add(%x)
          %r: int = invoke(%g, %x)
          return %r
        }
        graph @add(%a: int, %b: int) -> int { return %a }
    """
    program = parse_program(good, TABLE)
    verify(program)
    assert str(parse_program(str(program), TABLE)) == str(program)
    for old, new, rule in (
        ("%g: Callable[[int], int]", "%g: Callable[[float], int]", "a closure of @add is"),
        ("%g: Callable[[int], int]", "%g: int", "a closure is a Callable"),
        ("@add(%x)", "@sub(%x)", "no graph @sub"),
        ("%r: int =", "%r: float =", "the value returns int"),
        ("invoke(%g, %x)", "invoke(%x, %x)", "is no Callable"),
        ("invoke(%g, %x)", "invoke(%g)", "arguments of the value"),
    ):
        with pytest.raises(VerifyError, match=rule):
            verify(parse_program(good.replace(old, new), TABLE))


# ---- the boundary


@tscript.script
def squared(x: int) -> int:
    return x * x


@tscript.script
def scaled(x: float, by: float = 2.0) -> float:
    return x * by


@tscript.script
def apply(g: Callable[[int], int], x: int) -> int:
    return g(x)


@tscript.script
def apply_wide(g: Callable[[int], float], x: int) -> float:
    return g(x)


@tscript.script
def suffix(text: str, n: int) -> Callable[[str], str]:
    return lambda t: t + text * n


@tscript.script
def grown(gs: list[Callable[[int], int]], n: int) -> list[Callable[[int], int]]:
    gs.append(lambda x: x + n)
    return gs


def test_a_scripted_function_as_an_argument() -> None:
    assert [apply(squared, n) for n in (3, -4)] == [9, 16]
    assert apply_wide(scaled, 4) == 8.0


def test_a_function_as_a_result() -> None:
    gc.collect()  # what other tests have left behind
    before = current().live_blocks()
    found = suffix("é", 2)
    assert found("a") == "aéé" and found("") == "éé"
    assert repr(found) == "<tscript function Callable[[str], str]>"
    assert copy.deepcopy([found])[0] is found
    with pytest.raises(TypeError, match="cannot be pickled"):
        pickle.dumps(found)
    del found
    gc.collect()
    assert current().live_blocks() == before


def test_functions_keep_their_identity() -> None:
    gs = [squared]
    found = grown(gs, 3)
    assert found is gs and gs[0] is squared
    assert grown(gs, 4)[1] is gs[1] and [g(10) for g in gs] == [100, 13, 14]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: apply(abs, 1),
            r"argument 'g' of apply\(\) must be Callable\[\[int\], int\], not a plain Python function",
        ),
        (lambda: apply(lambda x: x, 1), "decorate it with @tscript.script, or with @tscript.ignore"),
        (lambda: apply(3, 1), "not int"),
        (lambda: apply(scaled, 1), r"scaled\(x: float, by: float\) -> float is not a Callable\[\[int\], int\]"),
        (lambda: apply(suffix("a", 1), 1), r"the function is a Callable\[\[str\], str\], and not"),
        (lambda: suffix("a", 1)(1), "must be str, not int"),
        (lambda: suffix("a", 1)(), "missing 1 required positional argument"),
        (lambda: suffix("a", 1)("a", "b"), "takes 1 positional argument but 2 were given"),
    ],
)
def test_what_the_boundary_refuses(call: Callable[[], object], message: str) -> None:
    with pytest.raises(TypeError, match=message):
        call()


def test_archives_hold_functions_as_values(tmp_path: Any) -> None:
    tscript.save({"suffix": suffix, "apply": apply}, tmp_path / "f.tsa", native=True)
    for trusted in (False, True):
        module = tscript.load(tmp_path / "f.tsa", trust_native=trusted)
        assert module.suffix("b", 2)("a") == "abb"
        assert module.apply(squared, 5) == 25


# ---- classes and generic functions

CLASSES = """
from dataclasses import dataclass
from typing import TypeVar

T = TypeVar("T")
U = TypeVar("U")

def mapped(g: Callable[[T], U], xs: list[T]) -> list[U]:
    return [g(x) for x in xs]

@dataclass
class Step:
    run: Callable[[int], int]
    times: int = 2

    def all(self, x: int) -> int:
        for _ in range(self.times):
            x = self.run(x)
        return x

class Holder:
    def __init__(self, n: int) -> None:
        self.n = n
        self.g: Optional[Callable[[int], int]] = None

    def call(self, x: int) -> int:
        g = self.g
        return -1 if g is None else g(x)
"""

IN_CLASSES = {
    "fields and methods": """
def f(n: int) -> list[int]:
    a, b = Step(square), Step(lambda x: x + n, 3)
    m: Callable[[int], int] = b.all
    a.run = m
    return [a.run(n), a.all(2), b.all(3), m(1)]
""",
    "assigned lambdas": """
def f(n: int) -> list[int]:
    h = Holder(n)
    before = h.call(1)
    h.g = lambda x: x * n
    d: dict[str, Callable[[int], int]] = {}
    d["a"] = lambda x: x + 1
    xs: list[Callable[[int], int]] = [square]
    xs[0] = lambda x: x - n
    return [before, h.call(5), d["a"](n), xs[0](n)]
""",
    "generic": """
def text(x: int) -> str:
    return str(x)

def f(n: int) -> tuple[list[str], list[float]]:
    return mapped(text, [n, 2]), mapped(lambda x: x / 2, [n, 3])
""",
}


@pytest.mark.parametrize("source", IN_CLASSES.values(), ids=IN_CLASSES)
def test_in_classes_and_generic_functions(integration: Any, source: str) -> None:
    f = integration.function_of(HELPERS + CLASSES + source)
    compiled = tscript.script(f)
    assert compiled(3) == f(3)
    before = current().live_blocks()
    assert compiled(4) == f(4)
    assert current().live_blocks() == before


@tscript.script
def number_or_function(g: int | Callable[[int], int], n: int) -> int:
    if isinstance(g, int):
        return g
    return g(n)


@tscript.script
def as_any(n: int) -> Any:
    g: Callable[[int], int] = lambda x: x + n  # noqa: E731
    found: Any = g
    return found


def test_functions_in_unions() -> None:
    assert number_or_function(2, 5) == 2 and number_or_function(squared, 5) == 25
    assert as_any(2)(5) == 7


def test_an_element_that_a_call_drops(agree: Any) -> None:
    """What is taken out of a list for a call lives as long as the call, whatever the call does to the list."""
    source = """
def drop(text: str, xs: list[str], n: int) -> str:
    if n > 0:
        return drop(text, xs, n - 1)
    xs.clear()
    return text + "!" + str(len(xs))

def f(n: int) -> list[str]:
    xs = ["ab" * n, "c"]
    g: Callable[[str, list[str], int], str] = drop
    gs = [g]
    return [drop(xs[0], xs, n), gs[0]("é" * n, xs, 1)]
"""
    agree(HELPERS + source, 3)
