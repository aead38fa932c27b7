"""`generate`: a whole module from a seed."""

from __future__ import annotations

import ast
import random
from collections.abc import Collection
from dataclasses import dataclass

from tests.fuzz.base import Frame, Function, Var
from tests.fuzz.features import Feature, describe
from tests.fuzz.interfaces import Interfaces
from tests.fuzz.kinds import (
    BOOL,
    FLOAT,
    INT,
    KEYS,
    NONE,
    STR,
    TENSOR,
    Kind,
    draw,
    draw_tensor,
    error,
    list_of,
    optional,
    tuple_of,
)
from tests.fuzz.nests import nests
from tests.fuzz.statements import Lines, indented

CALLS = 3
"""How many argument lists a program gets."""


@dataclass(frozen=True, slots=True)
class Generated:
    """A generated program.

    Attributes:
        seed: What it was made from.
        features: What it was allowed to contain.
        source: The module; its entry is ``main``.
        arguments: Texts of tuples of arguments, to be evaluated in the module.
    """

    seed: int
    features: str
    source: str
    arguments: tuple[str, ...]


_IMPORTS = (
    ("Tensor", "from tscript import Tensor"),
    ("cmath.", "import cmath"),
    ("math.", "import math"),
    ("heapq.", "import heapq"),
    ("bisect.", "import bisect"),
    ("@lru_cache", "from functools import lru_cache"),
    ("Callable[", "from collections.abc import Callable"),
    ("@dataclass", "from dataclasses import dataclass, field"),
    ("(Protocol)", "from typing import Protocol"),
    ("(Enum)", "from enum import Enum"),
    ("(IntEnum)", "from enum import IntEnum"),
    ("(StrEnum)", "from enum import StrEnum"),
    ("(NamedTuple)", "from typing import NamedTuple"),
    ("Any = ", "from typing import Any"),
    ("-> Any", "from typing import Any"),
    ("list[T]", "from typing import TypeVar"),
    ("list[T]", "T = TypeVar('T')"),
    ("Optional[", "from typing import Optional"),
    ("Union[", "from typing import Union"),
)


class Generator(Interfaces):
    """One module."""

    nesting: random.Random | None = None
    """Draws the loops that the entry begins with."""

    def module(self) -> str:
        """The text of the module."""
        lines: Lines = []
        if self.on(Feature.GLOBALS) and self.chance(0.4):
            for _ in range(self.rng.randint(1, 2)):
                kind = self.pick((INT, FLOAT, BOOL))
                name = self.fresh("LIMIT")
                lines.append(f"{name} = {self.literal(kind)}")
                self.globals.append(Var(name, kind, fixed=True, constant=True))
        if self.on(Feature.GLOBALS, Feature.LIST) and self.chance(0.4):
            kind = list_of(self.pick((INT, FLOAT, BOOL)))
            name = self.fresh("TABLE")
            text = self.literal(kind)
            while text == "[]":  # nothing says what it holds
                text = self.literal(kind)
            lines.append(f"{name} = {text}")
            self.globals.append(Var(name, kind, fixed=True, constant=True, still=True))
        if self.on(Feature.GLOBALS) and self.chance(0.4):
            lines += self.constants()
        lines += self.definitions()
        if self.on(Feature.VARARGS) and self.chance(0.5):
            lines += self.variadic()
        for _ in range(self.weighted((3.0, 0), (4.0, 1), (1.0, 2))):
            lines += self.function()
        if self.on(Feature.RECURSION) and self.chance(0.25):
            lines += self.recursive()
        if self.on(Feature.CACHE) and self.chance(0.7):
            lines += self.cached()
        lines += self.main()
        text = "\n".join(lines)
        head = [line for word, line in _IMPORTS if word in text]
        if self.on(Feature.TENSOR):
            head.insert(0, "import tscript")
        return "\n".join([*head, *lines]) + "\n"

    def signature(self, count: int) -> list[tuple[str, Kind]]:
        """Parameters."""
        return [(self.fresh("p"), self.kind()) for _ in range(count)]

    def function(self) -> Lines:
        """A function that others call."""
        name = self.fresh("f")
        result = NONE if self.chance(0.2) else self.kind()
        made = Function(name, self.signature(self.rng.randint(0, 3)), result)
        texts = [f"{n}: {k}" for n, k in made.params]
        if self.on(Feature.DEFAULTS):
            scalars = 0
            for _, k in reversed(made.params):
                if k not in (INT, FLOAT, BOOL, TENSOR) and k.head != "enum":
                    break
                scalars += 1
            made.defaults = self.rng.randint(0, scalars) if self.chance(0.4) else 0
            for i in range(len(texts) - made.defaults, len(texts)):
                texts[i] += f" = {self.literal(made.params[i][1])}"
            if made.defaults and self.chance(0.4):
                made.keyword_only = self.rng.randint(1, made.defaults)
                made.defaults -= made.keyword_only
                texts.insert(len(texts) - made.keyword_only, "*")
        given = made.params[len(made.params) - made.defaults - made.keyword_only :]
        copied = [f"{n} = {n}.clone()" for n, k in given if k == TENSOR]  # a default is not written to
        lines = self.definition(made, texts, self.rng.randint(0, 2), copied)
        self.functions.append(made)
        return lines

    def definition(self, made: Function, params: list[str], size: int, first: Lines | None = None) -> Lines:
        """A ``def`` with its body; notes what it costs."""
        frame = self.frame = Frame(made.result)
        self.add(*[Var(n, k, fixed=self.chance(0.3)) for n, k in made.params])
        body = (first or []) + self.body(size)
        if made.result != NONE:
            body.append(f"return{self.value_of_result()}")
        made.cost = frame.cost + 1
        return [f"def {made.name}({', '.join(params)}) -> {made.result}:", *indented(body)]

    def recursive(self) -> Lines:
        """A function that calls itself, a few levels deep."""
        result = self.scalar_kind()
        made = Function(self.fresh("r"), [("n", INT), *self.signature(self.rng.randint(0, 2))], result, recursive=True)
        self.frame = Frame(result)
        self.add(*[Var(n, k, fixed=True) for n, k in made.params])
        first = ["if n <= 0:", f"    return {self.small(result)}"]
        rest = "".join(f", {self.small(k)}" for _, k in made.params[1:])
        times = 2 if self.chance(0.2) else 1
        first += [f"again{i} = {made.name}(n - {i + 1}{rest})" for i in range(times)]
        frame = self.frame
        self.add(*[Var(f"again{i}", result) for i in range(times)])
        body = [*first, *self.body(self.rng.randint(0, 2)), f"return{self.value_of_result()}"]
        made.cost = (frame.cost + 2) * (12 if times == 2 else 6)
        self.functions.append(made)
        params = ", ".join(f"{n}: {k}" for n, k in made.params)
        return [f"def {made.name}({params}) -> {result}:", *indented(body)]

    def cached(self) -> Lines:
        """A function with a cache, which calls itself at times."""
        kinds = [k for k in KEYS if k != STR or self.on(Feature.STR)]

        def kind() -> Kind:
            return tuple_of(self.pick(kinds), self.pick(kinds)) if self.chance(0.2) else self.pick(kinds)

        params = [(self.fresh("p"), kind()) for _ in range(self.rng.randint(0, 3))]
        made = Function(self.fresh("c"), params, self.pick((*kinds, FLOAT)))
        lines = self.definition(made, [f"{n}: {k}" for n, k in params], self.rng.randint(0, 2))
        self.functions.append(made)
        self.caches.append(made.name)
        return [self.cache(), *lines]

    def main(self) -> Lines:
        """The entry."""
        params = self.signature(self.rng.randint(1, 4))
        if self.on(Feature.ERROR_VALUE) and self.chance(0.4):
            kinds = error(self.pick(("ValueError", *self.errors, *self.tensor_errors * 2)))
            forms = (kinds, optional(kinds), list_of(kinds), tuple_of(INT, kinds))
            allowed = (True, self.on(Feature.OPTIONAL), self.on(Feature.LIST), self.on(Feature.TUPLE))
            params.append((self.fresh("p"), self.pick([f for f, a in zip(forms, allowed, strict=True) if a])))
        made = Function("main", params, self.kind())
        around = self.constants_around()
        # What a call leaves in caches must not be there in the next one.
        first = [f"{name}.cache_clear()" for name in self.caches]
        if self.on(Feature.TENSOR, Feature.LIBRARY):
            first.append(f"tscript.manual_seed({self.rng.randint(0, 99)})")
        if self.nesting is not None:
            first += nests(self.nesting, self.fresh, made.result)
        lines = self.definition(made, [f"{n}: {k}" for n, k in made.params], self.rng.randint(2, 5), first)
        self.entry_point = made
        if around:
            lines = ["def around() -> Any:", *indented([*around, *lines, "return main"]), "main = around()"]
        return lines

    def constants_around(self) -> Lines:
        """Tensors of a function around the entry, which reads them. Nothing writes into them."""
        if not self.on(Feature.TENSOR, Feature.MODULE_TENSOR) or self.chance(0.6):
            return []
        names = [self.fresh("AROUND") for _ in range(self.rng.randint(1, 2))]
        self.weights += names
        return [f"{name} = {draw_tensor(self.rng)}" for name in names]


OPEN = 3
"""Of so many programs one has functions whose parameters take their types from the calls."""

_PLAIN = frozenset({"int", "float", "bool", "str", "Tensor", "bytes", "complex"})


def opened(tree: ast.Module, rng: random.Random) -> None:
    """Leave out annotations of parameters, but for the entry's, those of methods and of functions with a cache.

    Args:
        tree: The program.
        rng: Draws which.
    """
    for node in tree.body:
        if not isinstance(node, ast.FunctionDef) or node.decorator_list or node.name in ("main", "around"):
            continue
        if rng.random() < 0.7:
            for argument in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs):
                is_plain = isinstance(argument.annotation, ast.Name) and argument.annotation.id in _PLAIN
                if is_plain and rng.random() < 0.8:
                    argument.annotation = None


LONG = 6
"""Of so many programs two begin with nests of loops, and run as calls that go on in better code in the middle."""


def is_continued(seed: int) -> bool:
    """Whether the program of a seed is one of these; its seed is odd."""
    return seed % LONG in (1, LONG - 1)


def generate(seed: int, features: Collection[Feature]) -> Generated:
    """The program of a seed: the same for the same features."""
    rng = random.Random(seed)
    ordered = sorted(features, key=lambda f: f.value)
    share = rng.choice((0.3, 0.6, 0.9))
    chosen = frozenset(f for f in ordered if rng.random() < share)
    if rng.random() < 0.4:  # every operator is a kernel to build, so these take longest
        chosen -= {Feature.TENSOR}
    if Feature.FORK in chosen:  # two tasks may both find that nothing is kept
        chosen -= {Feature.CACHE}
    generator = Generator(rng, chosen)
    generator.risk = rng.choice((0.0, 0.1, 0.25, 0.4, 0.6))
    if is_continued(seed):
        generator.nesting = random.Random(seed)
    tree = ast.parse(generator.module())
    if seed % OPEN == 0:
        opened(tree, random.Random(seed))
    source = ast.unparse(tree) + "\n"
    arguments = []
    for _ in range(CALLS):
        values = [draw(k, rng, generator.classes, wide=Feature.WIDE in chosen) for _, k in generator.entry_point.params]
        arguments.append(f"({''.join(v + ', ' for v in values)})")
    return Generated(seed, describe(chosen), source, tuple(arguments))
