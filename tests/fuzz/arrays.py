"""Random programs over NumPy arrays and scalars, called without declared types: each result is what NumPy gives.

A program has a function of arrays, ints and floats, with loops, branches, elements that are read and written, views,
lists of elements, exceptions and a helper function. What NumPy's own dtypes would leave ours (uint64, float16) is not
drawn, nor are sums of floats, whose order is not NumPy's.
"""

from __future__ import annotations

import linecache
import math
import random
import sys
import types
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

import tscript
from tests.fuzz.execute import Failure, last_lines
from tscript.diagnostics import CompileError, InternalError

INTEGERS = ("int8", "int16", "int32", "int64", "uint8")
FLOATS = ("float32", "float64")
KINDS = {"a": INTEGERS, "b": FLOATS, "m": (*INTEGERS, *FLOATS), "w": ("bool",)}
"""The dtypes of the parameters: a row of integers, one of floats, a matrix, a row of truth values."""

MOVED = (
    "a[1:-1] = a[:-2] + a[2:]",
    "b[1:] = b[:-1] * 0.5 + b[1:]",
    "b[:-1] -= b[1:]",
    "b[::-1] += b",
    "m[1:, 1:] = m[:-1, :-1] + m[1:, 1:] - m[1:, :-1]",
    "m[:, 1:] += m[:, :-1]",
)
"""Statements that write what they read at other places."""

PLACES = {
    "box": (
        "@dataclass\nclass Box:\n    a: np.ndarray\n    b: np.ndarray\n    m: np.ndarray\n    w: np.ndarray\n"
        "    last: np.ndarray | None = None\n    kept: list[NDArray[np.{b}]] = field(default_factory=list)\n\n\n"
        "def placed(a, b, m, w):\n    return (Box(a, b, m, w),)\n",
        "box: Box",
        "a, b, m, w = box.a, box.b, box.m, box.w",
    ),
    "rows": (
        "class Rows(NamedTuple):\n    a: np.ndarray\n    b: np.ndarray\n\n\n"
        "def placed(a, b, m, w):\n    return (Rows(a, b), {'m': m}, [w])\n",
        "rows: Rows, named: dict[str, np.ndarray], several: list[np.ndarray]",
        "(a, b), m, w = rows, named['m'], several[0]",
    ),
    "pair": (
        "def placed(a, b, m, w):\n    return ((a, (b, m)), w)\n",
        "pair: tuple[np.ndarray, tuple], w: np.ndarray | None = None",
        "a, b, m = pair[0], pair[1][0], pair[1][1]\n    if w is None:\n        w = b > 1",
    ),
}
"""Where the arrays come from if they are no parameters: definitions, parameters, and what unpacks them."""

KEPT = (
    "box.last = m[{0}:]", "box.kept.append(b)", "box.b = b = b * 2", "box.kept = [b[::-1], b]",
    "if box.last is not None:\n{1}    floats.append(float(box.last.sum() * 0))", "box.a += 1",
)  # fmt: skip
"""Statements with attributes that hold arrays."""

CLOSE = {"float32": 1e-5, "float64": 1e-11}
"""How far floats may be apart: a product and a sum may be one operation."""


@dataclass(frozen=True, slots=True)
class ArrayProgram:
    """A program.

    Attributes:
        source: Its text; the function is `main`.
        calls: The arguments of each call.
    """

    source: str
    calls: tuple[tuple[Any, ...], ...]

    def __str__(self) -> str:
        shown = "\n".join(f"# {', '.join(map(_shown, args))}" for args in self.calls)
        return f"{self.source}\n{shown}"


def _shown(value: Any) -> str:
    if not isinstance(value, np.ndarray):
        return repr(value)
    return f"np.array({value.tolist()}, np.{value.dtype}) of strides {value.strides}"


DRAWS = ("rng.random()", "rng.normal()", "rng.normal(1.0, 0.5)", "rng.uniform(0.5, 2.5)", "rng.standard_exponential()")
"""Numbers of a generator."""
FUNCTIONS = (
    "np.sort({0})", "np.argsort({0}, kind='stable')", "np.unique({0})", "np.cumsum({0})", "np.diff({0})",
    "np.roll({0}, 1)", "np.isin({0}, {1})", "np.take({0}, [1, 0])", "np.searchsorted(np.sort({0}), {0})",
    "np.median({0})",
    "np.convolve({0}, {0}[:2])", "np.pad({0}, 1)", "np.nan_to_num({0})", "np.unique({0}, return_inverse=True)",
    "np.concatenate([{0}[i:] for i in range(2)])", "np.stack([v * 2 for v in ({0}, {0})])[0]",
    "np.concatenate([x[i:] for i, x in enumerate([{0}, {0}])])", "np.vstack([{0}[::-1], {0}])",
    "sum(v for v in {0}[1:3])",
    "np.apply_along_axis(np.sort, 0, {0})", "np.array_split({0}, 2)[0]", "np.divmod({0}, 3)", "np.split({0}, 1)[0]",
    "np.stack([x * 2 for x in [{0}, {0}[:]]])", "({0} < np.iinfo(np.int8).max, {0} > np.finfo(np.float32).eps)",
    "np.apply_along_axis(lambda r: r[::-1], 1, np.stack(({0}, {0})))", "np.unique(np.stack(({0}, {0})), axis=0)",
    "np.concatenate(({0}, {0}[1:]))", "{0}.reshape(1, -1)", "np.partition({0}, 1)[1]", "np.digitize({0}, [1.0, 2.5])",
)  # fmt: skip
"""Of whole arrays."""


VIEWED = (
    "(m * 2).T", "((m + 1).T * 2 - 1).T", "(m - b)[1:]", "((m * 2)[1:] - (m * 2)[:-1])", "(b * 2)[:, None]",
    "((b + 1)[:, None] * b)", "(m * 2).reshape(-1)[None]", "(np.repeat(m, 40, axis=1) * 2)", "(m - m[:, :1])",
    "(np.repeat(m, 33, 1) - np.repeat(m, 33, 1).max(axis=0))", "((m * 2)[0] + m)", "(m ** 2 + m ** 3)",
)  # fmt: skip
"""Whole arrays: views of results, many columns, one element a row."""

MISFITS = (
    "b += b[1:]", "b[1:] = b", "a[:2] = a", "m[{0}] = m[0, 1:]", "m += m[:2]", "m[:, 0] = m[0]", "b[:] = b[::2]",
    "m[:, {0}] = 1", "floats.append(float((b[1:] * m[0]).sum()))", "floats.append(float(np.maximum(a, b[1:]).max()))",
    "floats.append(float((m > b[1:]).sum()))", "floats.append(float(np.where(w[1:], b, a).max()))",
    "b = b + np.zeros({0} - 1, b.dtype).sum()", "m[{0}, {0}] += m[{0} + 1, 0]", "w[:] = b > m[0]",
    "floats.append(float(m[{0}].max()))",
)  # fmt: skip
"""Statements with shapes that often do not go together, or indices outside."""
COMPARED = (
    "broadcast", "out of bounds for axis", "read-only", "negative dimensions", "boolean index did not match",
    "shape mismatch",
)  # fmt: skip
"""Parts of messages that are NumPy's, word by word."""


class Arrays:
    """Draws programs.

    Args:
        choices: The source of randomness.
    """

    def __init__(self, choices: random.Random) -> None:
        self.pick = choices
        self.lines: list[str] = []
        self.ints: list[str] = []
        self.scalars: dict[str, str] = {}
        self.depth = 0
        self.names = 0
        self.place = ""

    # ---- expressions

    def number(self) -> str:
        """A number of Python."""
        return str(self.pick.choice((0, 1, 2, 3, 5, 7, 1.5, 0.25, 2.0)))

    def index(self, rows: bool = True) -> str:
        """An index into a row; now and then one outside."""
        found = self.pick.choice((*self.ints, *self.ints, "0", "1", "-1", "-2", "2"))
        if self.pick.random() < 0.2:
            found = f"{found} + 1" if self.pick.random() < 0.5 else f"{found} - 1"
        return found

    def scalar(self, kind: str, depth: int = 0) -> str:
        """An element, or arithmetic with some: of integers (``i``) or floats (``f``)."""
        pick = self.pick
        known = [name for name, its in self.scalars.items() if its == kind]
        if depth > 2 or pick.random() < 0.35:
            if known and pick.random() < 0.5:
                return pick.choice(known)
            if pick.random() < 0.08:
                return pick.choice(("int(rng.integers(5))", "int(rng.integers(-2, 9))") if kind == "i" else DRAWS)
            mixed = f"(a[{self.index()}] / b[{self.index()}])", f"m[{self.index()}, {self.index()}] * b[0]"
            return f"a[{self.index()}]" if kind == "i" else pick.choice((f"b[{self.index()}]",) * 4 + mixed)
        sign = pick.choice(("+", "-", "*", "//", "%", "&", "|", "^") if kind == "i" else ("+", "-", "*", "/"))
        if kind == "f" and pick.random() < 0.15:
            function = pick.choice(("np.sqrt(np.abs({}))", "np.abs({})", "-{}", "np.floor({})", "np.maximum({}, 1.5)"))
            return function.format(self.scalar(kind, depth + 1))
        if kind == "i" and pick.random() < 0.1:
            return pick.choice(("np.abs({})", "~{}", "np.minimum({}, 3)")).format(self.scalar(kind, depth + 1))
        right = self.scalar("i" if kind == "f" and pick.random() < 0.25 else kind, depth + 1)
        if pick.random() < 0.3:
            right = pick.choice(("1", "2", "3", *self.ints) if kind == "i" else ("0.5", "2", "1.25", *self.ints))
        return f"({self.scalar(kind, depth + 1)} {sign} {right})"

    def condition(self) -> str:
        """A test of elements."""
        kind = self.pick.choice("if")
        sign = self.pick.choice(("<", "<=", ">", ">=", "==", "!="))
        test = f"{self.scalar(kind, 2)} {sign} {self.pick.choice((self.scalar(kind, 2), '1', '2.5'))}"
        if self.pick.random() < 0.2:
            return f"w[{self.index()}] {self.pick.choice(('and', 'or'))} {test}"
        return test if self.pick.random() < 0.9 else f"not {test}"

    def whole(self, kind: str) -> str:
        """An expression over whole arrays."""
        pick, name = self.pick, "a" if kind == "i" else "b"
        other = pick.choice((name, "1", "2", f"{name}[0]", f"{name}[::1]"))
        if pick.random() < 0.3:
            return pick.choice(FUNCTIONS).format(name, other)
        form = pick.choice(
            (
                "{0} + {1}",
                "{0} * {1}",
                "{0} - {1}",
                "np.where({0} > {1}, {0}, {1})",
                "-{0}",
                "{0}[1:]",
                "each({0}, {1})",
            )
        )
        return form.format(name, other)

    def rows(self) -> str:
        """Reductions along an axis, with what is done with each element before and behind; none whose order shows."""
        pick = self.pick
        axis, name = pick.choice((0, 1, -1)), pick.choice(("max", "min"))
        kept = f"axis={axis}, keepdims=True"
        before = pick.choice(("m", "(m * 2)", "(m + b)", "np.abs(m)", "(m[:, ::-1] - 1)", "m.T", *VIEWED))
        forms = (
            f"{before} - {before}.{name}({kept})",
            f"({before} - {before}.{name}({kept})).{pick.choice(('max', 'min'))}(axis={axis})",
            f"({before} == {before}.{name}({kept})).sum({kept}) * {before}",
            f"{before}.arg{name}({kept}) + {before}",
            f"({before} > 1).any({kept}) & ({before} < 5).all(axis={axis})",
            f"{before}.{name}(axis={axis}) * b",
            f"{before}.{name}(keepdims=True) - {before}",
        )
        return pick.choice(forms)

    # ---- statements

    def add(self, text: str) -> None:
        self.lines.append("    " * (self.depth + 1) + text)

    def fresh(self, prefix: str) -> str:
        self.names += 1
        return f"{prefix}{self.names}"

    def block(self, most: int) -> None:
        """Some statements; names that they make do not outlast them."""
        self.depth += 1
        kept, ints = dict(self.scalars), list(self.ints)
        for _ in range(self.pick.randint(1, most)):
            self.statement()
        self.scalars, self.ints = kept, ints
        self.depth -= 1

    def statement(self) -> None:
        """A statement."""
        pick = self.pick
        choice = pick.random()
        if self.place == "box" and pick.random() < 0.15:
            self.add(pick.choice(KEPT).format(self.index(), "    " * (self.depth + 1)))
        elif pick.random() < 0.08:
            self.small()
        elif choice < 0.2 and self.depth < 3:
            name = self.fresh("i")
            sizes = pick.choice(("len(a)", "b.shape[0]", "a.size", "3", "1, len(b) - 1", "len(a) - 1, -1, -1"))
            self.add(f"for {name} in range({sizes}):")
            self.ints.append(name)
            self.block(3)
            self.ints.remove(name)
        elif choice < 0.3 and self.depth < 3:
            name, kind = self.fresh("e"), pick.choice("if")
            self.add(f"for {name} in {'a' if kind == 'i' else 'b'}:")
            self.scalars[name] = kind
            self.block(2)
            del self.scalars[name]
        elif choice < 0.42 and self.depth < 3:
            self.add(f"if {self.condition()}:")
            self.block(2)
            if pick.random() < 0.4:
                self.add("else:")
                self.block(2)
        elif choice < 0.47 and self.depth < 2:
            self.add("try:")
            self.block(2)
            self.add("except IndexError:")
            self.depth += 1
            self.add("seen.append(1)")
            self.depth -= 1
        elif choice < 0.62:
            kind = pick.choice("if")
            self.add(f"{'a' if kind == 'i' else 'b'}[{self.index()}] = {self.value(kind)}")
        elif choice < 0.74:
            kind = pick.choice("if")
            sign = pick.choice(("+=", "-=", "*="))
            self.add(f"{'a' if kind == 'i' else 'b'}[{self.index()}] {sign} {self.value(kind)}")
        elif choice < 0.8:
            kind = pick.choice("if")
            name = self.fresh("s")
            self.add(f"{name} = {self.scalar(kind)}")
            self.scalars[name] = kind
        elif choice < 0.86:
            self.add(
                pick.choice((f"floats.append(float({self.scalar('f')}))", f"seen.append(int({self.scalar('i')}))"))
            )
        elif choice < 0.9:
            self.add(f"m[{self.index()}, {self.index()}] = m[{self.index()}, {self.index()}]")
        elif choice < 0.91:
            self.add(pick.choice(("rng.shuffle(a)", "b[:] = rng.permutation(b)")))
        elif choice < 0.92:
            at = self.index()
            shown = pick.choice(("{a[0]!r} {w}", f"{{a}} {{a[{at}] > 1}}", "{a!r}", "{w[0]} {seen}"))
            self.add(f'texts.append(f"{shown}")')
        elif choice < 0.94 and pick.random() < 0.1:
            self.add(pick.choice(MISFITS).format(self.index()))
        elif choice < 0.94:
            self.add(f"m[{self.index()}][{self.index()}] = m[{self.index()}, 0]")
        elif choice < 0.96:
            self.add(f"b[{self.index()}] = helper(b, {self.index()}, {self.scalar('f', 2)})")
        elif choice < 0.985:
            self.ufunc()
        elif choice < 0.99:
            self.add(f"seen.append(int(m[{self.index()}].sum() > 2))")
        elif choice < 0.995 or self.depth > 1:
            self.add(pick.choice(MOVED))
        else:
            self.sums()

    def sums(self) -> None:
        """Sums in a nest of loops, whose iterations may run side by side."""
        pick = self.pick
        q, c, i, j, p, t = (self.fresh(prefix) for prefix in "qcijpt")
        self.add(f"{q} = np.linspace(-1.0, 2.0, 57).reshape(3, 19)")
        self.add(f"{c} = np.{pick.choice(('zeros((3, 19))', 'ones((3, 19))', 'full((3, 19), 0.5)'))}")
        low, high = pick.choice(((0, 19), (1, 18), (2, 9), (1, 4), (5, 5), (9, 2)))
        self.add(f"for {i} in range(3):")
        self.add(f"    for {j} in range({low}, {high} - len(b) + len(b)):")
        self.add(f"        {t} = {pick.choice(('0.0', '1.5', f'{q}[0, {j}]'))}")
        self.add(f"        for {p} in range({pick.choice(('3', 'len(b)'))} % 4):")
        terms = [f"{q}[{p}, {j}] * {q}[{i}, {p}]", f"{q}[{p}, {j} - 1]", f"{q}[{p}, {j}] / ({p} + {i} + 1.0)"]
        terms += [f"{c}[{i}, {j} - 1] * 0.5", f"{q}[{j} % 3, {p}]", f"{c}[{p}, {j}] + 0.25"]
        self.add(f"            {t} {pick.choice(('+=', '-='))} {pick.choice(terms)}")
        self.add(f"        {c}[{i}, {j}] = {t}")
        self.add(f"floats.append(float({c}[{self.index()}, {pick.choice((0, 3, 8, 17, 18))}]))")
        self.add(f"floats.extend([float({c}[1, {j}]) for {j} in range(19)])")

    def small(self) -> None:
        """A small array of its own, whose elements are written and read."""
        pick, name = self.pick, self.fresh("t")
        dtype = pick.choice(("float64", "float64", "float32", "int64"))
        kind = "i" if dtype == "int64" else "f"
        rank = pick.choice((1, 1, 2))
        shape = pick.choice(("3", "(4,)", "1")) if rank == 1 else pick.choice(("(2, 3)", "(3, 3)"))
        make = pick.choice(("zeros({0}, dtype=np.{1})", "ones({0}, dtype=np.{1})", "full({0}, 2, dtype=np.{1})"))
        if rank == 1 and pick.random() < 0.3:
            make = f"array([{self.scalar(kind)}, {self.scalar(kind)}], dtype=np.{{1}})"
        self.add(f"{name} = np.{make.format(shape, dtype)}")

        def place() -> str:
            at = pick.choice(("0", "-1", "1", self.index(), self.index()))
            if rank == 1:
                return f"{name}[{at}]"
            return (
                f"{name}[{at}, {self.index()}]"
                if pick.random() < 0.6
                else f"{name}[{at}][{pick.choice(('0', '-1', '2'))}]"
            )

        for _ in range(pick.randint(1, 4)):
            what = pick.random()
            if what < 0.3:
                self.add(f"{place()} = {self.value(kind)}")
            elif what < 0.6:
                self.add(f"{place()} {pick.choice(('+=', '-=', '*='))} {self.value(kind)}")
            elif what < 0.8:
                counter = self.fresh("i")
                self.add(f"for {counter} in range({pick.choice(('2', '3', 'len(b)'))}):")
                self.add(f"    {name}[{counter}] = {name}[{counter} - 1] + {counter}")
            elif rank == 2:
                row = self.fresh("r")
                self.add(f"{row} = {name}[{self.index()}]")
                self.add(f"{row}[{self.index()}] += {self.value(kind)}")
            elif what < 0.9:
                self.add(f"{self.pick.choice(('a', 'b') if kind == 'i' else ('b',))}[0] = {place()}")
            else:
                self.add(f"floats.append(float({name}.sum() * 0))")
        self.add(f"floats.append(float({place()}))")

    def ufunc(self) -> None:
        """A ufunc that writes into an array, which may overlap its operands."""
        pick = self.pick
        x = pick.choice("ab")
        name = pick.choice(("add", "subtract", "multiply", "maximum", "minimum"))
        right = pick.choice((f"{x}[::-1]", x, "2", f"{x}[{self.index()}]"))
        form = pick.choice(
            (
                "np.{name}({x}, {right}, out={x})",
                "np.{name}({x}, {right}, out={x}, where=w)",
                "np.{name}({x}[:-1], {x}[1:], out={x}[1:])",
                "np.{name}.at({x}, np.array([0, 1, 0, -1]), {x}[1])",
                "each({x}, {right}, out={x})",
                "{x}[:] = np.{name}.accumulate({x}[::-1])[::-1]",
                "each.accumulate({x}, out={x})",
                "{x}[0] = np.{name}.reduce({x}[1:])",
            )
        )
        self.add(form.format(name=name, x=x, right=right))

    def value(self, kind: str) -> str:
        """What is stored into an element."""
        return self.scalar(kind, 1) if self.pick.random() < 0.8 else self.pick.choice(("1", "2", *self.ints[:1]))

    def program(self) -> ArrayProgram:
        """A program and its calls."""
        pick = self.pick
        dtypes = [{name: pick.choice(its) for name, its in KINDS.items()} for _ in range(2)]
        self.place = pick.choice(("", "", "", *PLACES))
        defined, parameters, unpacked = PLACES.get(self.place, ("", "a, b, m, w", "pass"))
        self.add(unpacked)
        self.add("seen: list[int] = []")
        self.add("floats = [float(b[0])]")
        self.add("texts = [str(a[0])]")
        self.add(f"rng = np.random.default_rng({pick.randint(0, 99)})")
        for _ in range(pick.randint(3, 7)):
            self.statement()
        results = [self.scalar("i", 1), self.scalar("f", 1), self.whole("i"), self.whole("f"), self.rows()]
        if self.place == "box":
            results += ["box.last", "box.kept"]
        self.add(f"return seen, floats, texts, rng.random(), {', '.join(results)}")
        helper = "def helper(x, i, k):\n    if i < len(x) and x[i] > k:\n        return x[i] * k\n    return x[0] - k\n"
        each = "@tscript.vectorize\ndef each(x, k):\n    if x > k:\n        return x - k\n    return x + k\n"
        imports = (
            "from dataclasses import dataclass, field\nfrom typing import NamedTuple\n\n"
            "import numpy as np\nimport tscript\nfrom numpy.typing import NDArray\n"
        )
        defined = defined.replace("{b}", dtypes[0]["b"])
        main = f"def main({parameters}):\n" + "\n".join(self.lines) + "\n"
        source = "\n\n".join(part for part in (imports, helper, each, defined, main) if part)
        if self.place == "box":  # the first instance says the dtypes
            dtypes[1] = dtypes[0]
        return ArrayProgram(source, tuple(self.arguments(d) for d in (dtypes[0], dtypes[0], dtypes[1])))

    def arguments(self, dtypes: dict[str, str]) -> tuple[Any, ...]:
        """Arrays for a call; some are views."""
        pick = self.pick
        size = pick.choice((3, 4, 5, 7))
        return tuple(self.array(dtypes[n], (size, size) if n == "m" else (size,)) for n in KINDS)

    def array(self, dtype: str, shape: tuple[int, ...]) -> Any:
        """An array, with memory of any form."""
        pick = self.pick
        numbers = [pick.choice((0, 1, 2, 3, 5, 7, 2.5, 0.5, 100)) for _ in range(2 * math.prod(shape))]
        if dtype in FLOATS and pick.random() < 0.1:
            numbers[0] = pick.choice((math.nan, math.inf, -0.0))
        whole = np.array(numbers, np.float64).astype(dtype)
        form = pick.random()
        if form < 0.7:
            return whole[: math.prod(shape)].reshape(shape)
        if form < 0.8:
            return whole[: math.prod(shape)].reshape(shape)[::-1]
        return whole.reshape((*shape[:-1], 2 * shape[-1]))[..., ::2]


class ArrayExecutor:
    """Runs programs."""

    def __init__(self) -> None:
        self.raised = 0
        self.ran = 0

    def check(self, program: ArrayProgram) -> list[Failure]:
        """What goes wrong with a program."""
        name = f"<arrays {abs(hash(program.source))}>"
        linecache.cache[name] = (len(program.source), None, program.source.splitlines(keepends=True), name)
        module = sys.modules["random_arrays"] = types.ModuleType("random_arrays")
        exec(compile(program.source, name, "exec"), module.__dict__)
        scripted = None
        for args in program.calls:
            mine, theirs = [tuple(_copied(a) for a in args) for _ in range(2)]
            place = getattr(module, "placed", lambda *given: given)
            with tscript.disabled():  # vectorized functions too
                wanted = outcome(module.main, place(*theirs))
            try:
                scripted = scripted or tscript.script(module.main)
                found = outcome(scripted, place(*mine))
            except (InternalError, CompileError) as error:
                return [Failure("compile", type(error).__name__, f"{program}\n{last_lines(error)}")]
            self.ran += 1
            if "uint64" in repr(wanted):  # a sum of uint8
                continue
            if isinstance(found, InternalError | CompileError):
                return [Failure("compile", type(found).__name__, f"{program}\n{last_lines(found)}")]
            self.raised += isinstance(wanted, Exception)
            where = difference((wanted, theirs), (found, mine))
            if where:
                return [Failure("differs", where, f"{program}\nNumPy: {wanted!r} {theirs}\nours: {found!r} {mine}")]
        return []


def _copied(array: Any) -> Any:
    """A copy with the same strides."""
    if array.base is None:
        return array.copy()
    base = array
    while isinstance(base.base, np.ndarray):
        base = base.base
    offset = array.__array_interface__["data"][0] - base.__array_interface__["data"][0]
    return np.ndarray(array.shape, array.dtype, base.copy(), offset, array.strides)


def outcome(function: Any, args: tuple[Any, ...]) -> Any:
    """What a call gives, or the exception that it raises."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            return function(*args)
        except Exception as error:  # noqa: BLE001 - whatever it raises
            return error


def same_words(wanted: object, found: object) -> bool:
    """Whether messages are the same. Not of what NumPy's versions, or Python's, say in words of their own."""
    said = str(wanted)
    return said == str(found) or not any(part in said for part in COMPARED)


def difference(wanted: Any, found: Any) -> str:
    """In what two outcomes differ; empty when they do not.

    A number of Python may be a NumPy scalar: names that are one or the other have one type when they are compiled.
    """
    if isinstance(wanted, Exception) or isinstance(found, Exception):
        return "" if type(wanted) is type(found) and same_words(wanted, found) else "exception"
    if wanted is None or found is None or isinstance(wanted, str) or isinstance(found, str):
        return "" if wanted is found or (isinstance(wanted, str) and wanted == found) else "text"
    if isinstance(wanted, list | tuple):
        if type(wanted) is not type(found) or len(wanted) != len(found):
            return "form"
        return next(filter(None, map(difference, wanted, found)), "")
    if isinstance(wanted, np.ndarray | np.generic) and getattr(found, "dtype", None) != wanted.dtype:
        return "dtype"
    if isinstance(wanted, np.ndarray) != isinstance(found, np.ndarray) or np.shape(wanted) != np.shape(found):
        return "shape"
    near = CLOSE.get(str(getattr(wanted, "dtype", "float64")), 0.0)
    with np.errstate(all="ignore"):
        same = (
            np.allclose(wanted, found, rtol=near, atol=near, equal_nan=True) if near else np.array_equal(wanted, found)
        )
    return "" if same else "values"


def array_program(seed: int) -> ArrayProgram:
    """The program of a seed."""
    return Arrays(random.Random(seed)).program()


__all__ = ["ArrayExecutor", "ArrayProgram", "array_program", "difference"]
