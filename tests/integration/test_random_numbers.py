"""Random numbers in compiled code are NumPy's own, and leave generators in the state that NumPy leaves them in."""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import tscript
from tests.integration.array_programs import script
from tscript.abi.legacy_random import legacy_state
from tscript.abi.ziggurat import EXPONENTIAL_BITS, NORMAL_BITS, ziggurats
from tscript.ir.interpreter import interpret

BITS = (np.random.PCG64, np.random.MT19937, np.random.Philox, np.random.SFC64)

NUMBERS = (
    "rng.random()", "rng.normal()", "rng.normal(2.0, 3)", "rng.normal(scale=0.5)", "rng.standard_normal()",
    "rng.uniform()", "rng.uniform(-1, 4.5)", "rng.uniform(high=3)", "rng.exponential()", "rng.exponential(0.25)",
    "rng.standard_exponential()", "rng.integers(6)", "rng.integers(-3, 12)", "rng.integers(0, 1)",
    "rng.integers(1, 6, endpoint=True)", "rng.integers(0, 2**32)", "rng.integers(0, 2**32 - 1)",
    "rng.integers(0, 2**32 + 7)", "rng.integers(0, 3 * 2**61)", "rng.integers(-(2**63), 2**63 - 1)",
    "rng.integers(-(2**63), 2**63 - 1, endpoint=True)", "rng.integers(2**62, 2**62 + 5)",
)  # fmt: skip
OTHERS = (
    "rng.random(3)", "rng.random((2, 3))", "rng.random(size=(2, 0))", "rng.random(4, dtype=np.float32)",
    "rng.normal(size=5)", "rng.normal(np.arange(3.0), 2.0)", "rng.normal([0.0, 1.0], [1.0, 2.0])",
    "rng.standard_normal((2, 2))", "rng.standard_normal(3, np.float32)", "rng.uniform(0, [1, 2, 3])",
    "rng.integers(5, size=(3, 2))", "rng.integers(0, 100, 7, dtype=np.int8)", "rng.integers(0, [4, 9])",
    "rng.integers(3, dtype=np.int32)", "rng.integers(2, size=4, dtype=bool)", "rng.standard_exponential(3)",
    "rng.choice(7)", "rng.choice(7, 3)", "rng.choice(7, (2, 2), replace=False)", "rng.choice(np.arange(5.0))",
    "rng.choice(np.arange(6.0).reshape(3, 2), 2)", "rng.choice([1.5, 2.5], 4, p=[0.25, 0.75])",
    "rng.permutation(6)", "rng.permutation(np.arange(4))", "rng.permuted(np.arange(6).reshape(2, 3), axis=1)",
    "rng.poisson()", "rng.poisson(4.5)", "rng.poisson(40.0, 3)", "rng.binomial(10, 0.3)", "rng.binomial(100, 0.5, 4)",
    "rng.gamma(2.0)", "rng.gamma(0.5, 2.0, size=3)", "rng.beta(1, 2)", "rng.geometric(0.25, 3)",
    "rng.triangular(0, 1, 2)",
    "rng.multivariate_normal([0.0, 1.0], [[1.0, 0.5], [0.5, 2.0]])", "rng.dirichlet([1.0, 2.0, 3.0], 2)",
    "rng.multinomial(20, [0.25, 0.75])", "rng.vonmises(0.0, 4.0)", "rng.standard_t(3, 2)", "rng.zipf(2.5)",
)  # fmt: skip
GLOBAL = (
    "np.random.random()", "np.random.rand()", "np.random.randn()", "np.random.random_sample()",
    "np.random.uniform(-1, 4.5)", "np.random.normal(2.0, 3.0)", "np.random.standard_normal()",
    "np.random.exponential(0.25)", "np.random.randint(6)", "np.random.randint(-3, 12)", "np.random.randint(0, 2**40)",
    "np.random.randint(0, 2**32)", "np.random.rand(2, 3)", "np.random.randn(3)", "np.random.random((2, 2))",
    "np.random.randint(5, size=4)", "np.random.choice(5)", "np.random.choice(np.arange(4.0), 2)",
    "np.random.permutation(5)", "np.random.normal(size=3)", "np.random.poisson(3.0)", "np.random.gamma(2.0, size=2)",
)  # fmt: skip


def _plain(expressions: tuple[str, ...], parameter: str) -> Callable[[Any], Any]:
    scope: dict[str, Any] = {"np": np}
    exec(f"def f({parameter}):\n    return ({', '.join(expressions)},)\n", scope)
    found: Callable[[Any], Any] = scope["f"]
    return found


def _scripted(expressions: tuple[str, ...], parameter: str) -> Callable[[Any], Any]:
    found: Callable[[Any], Any] = script(f"def f({parameter}):\n    return ({', '.join(expressions)},)\n")["f"]
    return found


def _check_same(got: Any, expected: Any, expressions: tuple[str, ...]) -> None:
    for expression, left, right in zip(expressions, got, expected, strict=True):
        assert type(left) is type(right), (expression, left, right)
        if isinstance(right, np.ndarray):
            assert (left.dtype, left.shape) == (right.dtype, right.shape), expression
        assert np.array_equal(left, right), (expression, left, right)


@pytest.mark.parametrize("bits", BITS, ids=lambda bits: bits.__name__)
@pytest.mark.parametrize("expressions", [NUMBERS, OTHERS], ids=["numbers", "others"])
def test_generators(bits: Any, expressions: tuple[str, ...]) -> None:
    """Numbers, classes, and the state afterwards."""
    ours, theirs = np.random.Generator(bits(11)), np.random.Generator(bits(11))
    program, plain = _scripted(expressions, "rng"), _plain(expressions, "rng")
    for _ in range(20):
        _check_same(program(ours), plain(theirs), expressions)
    assert repr(ours.bit_generator.state) == repr(theirs.bit_generator.state)


def test_global_generator() -> None:
    """The same of NumPy's global generator, with a normal number that is left over."""
    program, plain = _scripted(GLOBAL, "n"), _plain(GLOBAL, "n")
    before = np.random.get_state()
    try:
        np.random.seed(3)
        got, state = [program(0) for _ in range(30)], repr(np.random.get_state())
        np.random.seed(3)
        for made in got:
            _check_same(made, plain(0), GLOBAL)
        assert repr(np.random.get_state()) == state
        program = _scripted(("np.random.seed(5)", "np.random.rand()"), "n")
        assert program(0) == (None, np.random.RandomState(5).rand())
    finally:
        np.random.set_state(before)


def test_many_numbers() -> None:
    """The rare ways of the ziggurats are taken, too."""
    program = script(
        "def f(rng, n: int):\n    normal = np.empty(n)\n    exponential = np.empty(n)\n    for i in range(n):\n"
        "        normal[i] = rng.standard_normal()\n        exponential[i] = rng.standard_exponential()\n"
        "    return normal, exponential\n"
    )["f"]
    normal, exponential = program(np.random.default_rng(2), 300_000)
    theirs = np.random.default_rng(2)
    both = np.array([(theirs.standard_normal(), theirs.standard_exponential()) for _ in range(300_000)])
    assert np.array_equal(normal, both[:, 0]) and np.array_equal(exponential, both[:, 1])
    assert np.abs(normal).max() > 3.7 and exponential.max() > 7.7


class Bitgen(ctypes.Structure):
    """NumPy's ``bitgen_t``."""

    _fields_ = [(name, ctypes.c_void_p) for name in ("state", "next_64", "next_32", "next_double", "next_raw")]


def test_tables() -> None:
    """NumPy's ziggurats, asked at their limits by a bit generator that gives chosen bits."""
    drawn: list[int] = []
    asked = [0]

    def next_64(state: int | None) -> int:
        asked[0] += 1
        return drawn.pop() if drawn else 0x505

    def next_double(state: int | None) -> float:
        asked[0] += 1
        return 0.5

    functions = (
        ctypes.CFUNCTYPE(ctypes.c_uint64, ctypes.c_void_p)(next_64),
        ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_void_p)(next_double),
    )
    bits = np.random.PCG64(1)
    own = Bitgen.from_address(bits.ctypes.bit_generator.value)
    own.next_64, own.next_double = (ctypes.cast(f, ctypes.c_void_p).value for f in functions)
    theirs = np.random.Generator(bits)
    strips = list(struct.iter_unpack("<qdd", ziggurats()))
    for number, (draw, shift, low) in enumerate(((theirs.standard_normal, 9, 0), (theirs.standard_exponential, 11, 3))):
        assert (NORMAL_BITS, EXPONENTIAL_BITS)[number] + shift <= 64
        for i, (limit, width, _) in enumerate(strips[256 * number : 256 * number + 256]):
            for place in (limit - 1, limit) if limit else (1,):
                drawn[:], asked[0] = [place << shift | i << low], 0
                found = draw()
                if limit:
                    assert (asked[0] == 1) == (place < limit), (number, i)
                if asked[0] == 1 or not limit:
                    assert found == place * width, (number, i)


REFUSED = (
    ("rng.normal(0.0, x)", -1.0), ("rng.normal(0.0, x)", float("-inf")), ("rng.exponential(x)", -2.0),
    ("rng.uniform(0.0, x)", float("inf")), ("rng.uniform(1.0, x)", 0.0), ("rng.integers(int(x))", 0.0),
    ("rng.integers(5, int(x))", 3.0), ("rng.integers(5, int(x), endpoint=True)", 4.0),
    ("np.random.normal(0.0, x)", -1.0), ("np.random.randint(int(x))", 0.0), ("rng.poisson(x)", -1.0),
    ("rng.choice(int(x))", 0.0), ("np.random.uniform(0.0, x)", float("nan")),
)  # fmt: skip


@pytest.mark.parametrize(("expression", "x"), REFUSED)
def test_errors(expression: str, x: float) -> None:
    """Errors are NumPy's."""
    program = script(f"def f(rng, x: float):\n    return {expression}\n")["f"]
    with pytest.raises((ValueError, OverflowError)) as expected:
        eval(expression, {"np": np, "rng": np.random.default_rng(1), "x": x})
    with pytest.raises(expected.type) as got:
        program(np.random.default_rng(1), x)
    assert str(got.value) == str(expected.value)


class Walk:
    """A random walk."""

    rng: np.random.Generator
    at: float

    def __init__(self, rng: np.random.Generator) -> None:
        self.rng = rng
        self.at = 0.0

    def step(self) -> float:
        """Go on."""
        self.at += self.rng.normal()
        return self.at


@tscript.script
def walked(walk: Walk, steps: int) -> float:
    """The place after some steps."""
    for _ in range(steps):
        walk.step()
    return walk.at


@tscript.script
def in_containers(
    rngs: list[np.random.Generator], named: dict[str, np.random.Generator], other: np.random.Generator | None = None
) -> tuple[float, np.random.Generator, bool]:
    """One generator in several places."""
    total = sum([rng.random() for rng in rngs]) + named["first"].random()
    rngs.append(np.random.default_rng(9) if other is None else other)
    return total, rngs[0], rngs[0] is named["first"]


def test_positions() -> None:
    """Fields, elements, values and optional values; a generator stays the same object."""
    ours, theirs = np.random.default_rng(1), np.random.default_rng(1)
    assert walked(Walk(ours), 100) == np.add.accumulate([theirs.normal() for _ in range(100)])[-1]
    rngs = [np.random.default_rng(i) for i in range(3)]
    total, first, same = in_containers(rngs, {"first": rngs[0]})
    plain = [np.random.default_rng(i) for i in range(3)]
    assert total == sum([rng.random() for rng in plain]) + plain[0].random()
    assert first is rngs[0] and same and len(rngs) == 4
    assert rngs[3].random() == np.random.default_rng(9).random()
    assert in_containers([ours], {"first": ours}, theirs)[1] is ours
    with pytest.raises(TypeError, match="element 0 must be Generator, not int"):
        in_containers([3], {})  # type: ignore[list-item]


def test_shuffle_is_in_place() -> None:
    """Views, too."""
    program = script("def f(rng, a):\n    rng.shuffle(a[::2])\n    np.random.default_rng(3).shuffle(a)\n")["f"]
    ours, theirs = np.arange(12.0), np.arange(12.0)
    program(np.random.default_rng(1), ours)
    np.random.default_rng(1).shuffle(theirs[::2])
    np.random.default_rng(3).shuffle(theirs)
    assert np.array_equal(ours, theirs)


SHUFFLED = """
def f(rng, a, k):
    seen = [float(a[0])]
    total = a[0] + a[k]
    for e in a:
        rng.shuffle(a)
        seen.append(float(a[0]))
        seen.append(float(a[0] + a[k]))
        total += a[0] + a[k] + e
    return seen, total, LAST
"""


@pytest.mark.parametrize("dtype", [np.int16, np.int64, np.float64])
@pytest.mark.parametrize("last", ["a.reshape(1, -1)", "a[1:]", "np.sort(a)", "a + 1", "a"])
def test_elements_are_read_again_after_a_shuffle(dtype: type, last: str) -> None:
    """Whatever views of the array there are."""
    text = SHUFFLED.replace("LAST", last)
    ours: NDArray[Any] = np.array([0, 100, 2, 5, 2], dtype)
    theirs = ours.copy()
    space: dict[str, Any] = {"np": np}
    exec(text, space)
    found = script(text)["f"](np.random.default_rng(82), ours, 1)
    wanted = space["f"](np.random.default_rng(82), theirs, 1)
    assert found[:2] == wanted[:2]
    assert np.array_equal(found[2], wanted[2]) and np.array_equal(ours, theirs)


def test_archives(tmp_path: Path) -> None:
    """Loaded functions take generators, and draw from the global one."""
    program = script("def f(rng: np.random.Generator) -> float:\n    return rng.normal() + np.random.rand() * 0.0\n")[
        "f"
    ]
    tscript.save(program, tmp_path / "f.tsa")
    assert tscript.load(tmp_path / "f.tsa")(np.random.default_rng(4)) == np.random.default_rng(4).normal()


def test_the_interpreter_draws_the_same() -> None:
    """`interpret` runs the same program."""
    program = script("def f(rng: np.random.Generator, n: int) -> float:\n    return rng.normal() + rng.integers(n)\n")[
        "f"
    ]
    expected = np.random.default_rng(4)
    assert interpret(program.graph, [np.random.default_rng(4), 10]) == expected.normal() + expected.integers(10)


def test_legacy_state_is_found() -> None:
    """The words of the global generator."""
    assert legacy_state() != 0


def test_what_is_not_there() -> None:
    """Methods and generators that compiled code does not have are refused by name."""
    for body, problem in (
        ("rng.bytes(3)", "Generator has no method 'bytes'"),
        ("rng.spawn(3)", "Generator has no method 'spawn'"),
        ("np.random.RandomState(3)", r"np\.random\.default_rng"),
        ("rng + 1", "does not take Generator and int"),
        ("rng.shuffle([1, 2])", "ndarray in place"),
    ):
        with pytest.raises(tscript.CompileError, match=problem):
            script(f"def f(rng: np.random.Generator):\n    return {body}\n")["f"](np.random.default_rng(1))
