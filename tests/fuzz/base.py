"""What the parts of the generator share: random choices, names and their scopes, costs, and expressions for a wanted
type.

An expression is a `Code`: its text, fully in parentheses, and for ints a bound of its magnitude, for texts and lists
one of its length. Whatever is stored is brought within `LIMIT` and `LENGTH` first, so no program grows without bound.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TypeVar

from tests.fuzz.features import Feature
from tests.fuzz.kinds import BOOL, FLOAT, INT, LENGTH, LIMIT, STR, ClassInfo, Kind

T = TypeVar("T")

WIDE = 1 << 63

COST_LIMIT = 4_000
"""About how many statements one call may run."""


class Code(str):
    """The text of an expression and the bound of its value."""

    __slots__ = ("bound",)
    bound: int

    def __new__(cls, text: str, bound: int = 0) -> Code:
        made = super().__new__(cls, text)
        made.bound = bound
        return made


@dataclass(slots=True)
class Var:
    """A name of a function.

    Attributes:
        name: As it is written; an attribute of `self` too.
        kind: Its type where it is visible.
        fixed: Whether it may not be assigned.
        constant: Whether it is never assigned again, so that closures may use it.
        still: Whether its value may not be changed in place.
    """

    name: str
    kind: Kind
    fixed: bool = False
    constant: bool = False
    still: bool = False


@dataclass(slots=True)
class Function:
    """A function that can be called."""

    name: str
    params: list[tuple[str, Kind]]
    result: Kind
    cost: int = 1
    defaults: int = 0
    keyword_only: int = 0
    rest: Kind | None = None
    recursive: bool = False
    pure: bool = False


@dataclass(slots=True)
class Frame:
    """The function being generated.

    Attributes:
        result: Its result type.
        scopes: Its names, by block.
        repeats: How often the current statement runs in one call, about.
        cost: How many statements one call runs, about.
        loops: How many loops are open.
        in_finally: Whether leaving is not allowed here.
        handler: Whether this is inside an exception handler.
        seen: The visible names, while they are known.
    """

    result: Kind
    scopes: list[list[Var]] = field(default_factory=lambda: [[]])
    repeats: int = 1
    cost: int = 0
    loops: int = 0
    in_finally: bool = False
    handler: bool = False
    seen: list[Var] | None = None


class Base:
    """Random choices and the state of the module being generated.

    Args:
        rng: The only source of randomness.
        features: What may occur.
    """

    def __init__(self, rng: random.Random, features: Collection[Feature]) -> None:
        self.rng = rng
        self.features = frozenset(features)
        self.classes: dict[str, ClassInfo] = {}
        self.functions: list[Function] = []
        self.globals: list[Var] = []
        self.errors: list[str] = []
        self.holding: dict[str, Kind] = {}
        """Exception classes that hold an instance, and its type."""
        self.managers: list[str] = []
        self.caches: list[str] = []
        self.frame = Frame(INT)
        self.risk = 0.0
        self.leaf_only = 0
        self._numbers: dict[str, int] = {}

    # Choices

    def on(self, *features: Feature) -> bool:
        """Whether all of these may occur."""
        return self.features.issuperset(features)

    def chance(self, probability: float) -> bool:
        """True with this probability."""
        return self.rng.random() < probability

    def risky(self) -> bool:
        """Whether to write something that may raise."""
        return self.chance(self.risk)

    def pick(self, items: Sequence[T]) -> T:
        """One of them."""
        return self.rng.choice(items)

    def weighted(self, *choices: tuple[float, T]) -> T:
        """One of them, each with its weight."""
        return self.rng.choices([c for _, c in choices], [w for w, _ in choices])[0]

    def fresh(self, stem: str) -> str:
        """A name that is not used yet."""
        number = self._numbers[stem] = self._numbers.get(stem, -1) + 1
        return f"{stem}{number}"

    # Names

    def visible(self) -> list[Var]:
        """All names, inner ones first; a name stands for the innermost."""
        found = self.frame.seen
        if found is None:
            names: dict[str, Var] = {}
            for scope in (*reversed(self.frame.scopes), self.globals):
                for var in reversed(scope):
                    names.setdefault(var.name, var)
            found = self.frame.seen = list(names.values())
        return found

    def vars(self, test: Callable[[Var], bool]) -> list[Var]:
        """The names that pass."""
        return [v for v in self.visible() if test(v)]

    def of_kind(self, kind: Kind) -> list[Var]:
        """The names of a type."""
        return self.vars(lambda v: v.kind == kind)

    def declare(self, name: str, kind: Kind, **how: bool) -> Var:
        """A new name of the current block."""
        var = Var(name, kind, **how)
        self.add(var)
        return var

    def add(self, *names: Var) -> None:
        """More names of the current block."""
        self.frame.scopes[-1] += names
        self.frame.seen = None

    @contextmanager
    def block(self, *extra: Var, repeats: int = 1) -> Iterator[None]:
        """A block of its own, with names that only it has."""
        frame = self.frame
        before = frame.repeats
        frame.repeats *= repeats
        frame.scopes.append(list(extra))
        frame.seen = None
        try:
            yield
        finally:
            frame.scopes.pop()
            frame.seen = None
            frame.repeats = before

    def affordable(self, cost: int) -> bool:
        """Whether something that costs so much may run here; if so it is counted."""
        frame = self.frame
        if frame.cost + frame.repeats * cost > COST_LIMIT:
            return False
        frame.cost += frame.repeats * cost
        return True

    # Expressions

    def expr(self, kind: Kind, depth: int = 2) -> Code:
        """An expression of a type."""
        raise NotImplementedError

    def literal(self, kind: Kind, depth: int = 1) -> Code:
        """A value that is written out."""
        raise NotImplementedError

    def small(self, kind: Kind, depth: int = 2) -> Code:
        """An expression whose value may be stored."""
        return self.fit(self.expr(kind, depth), kind)

    def fit(self, code: Code, kind: Kind) -> Code:
        """`code` within the bounds of what is stored."""
        match kind.head:
            case "int" if self.on(Feature.WIDE) and self.chance(0.6):
                return Code(code, min(code.bound, WIDE))
            case "int" if code.bound > LIMIT:
                modulus = self.pick((1000003, 1009, 97, 10007))
                if self.chance(0.3):
                    return Code(f"({code} % {modulus} - {modulus // 2})", modulus)
                return Code(f"({code} % {modulus})", modulus)
            case "str" if code.bound > 2 * LENGTH:
                return Code(f"({code})[:{self.rng.randint(LENGTH, 2 * LENGTH)}]", 2 * LENGTH)
            case "list" | "row" if code.bound > LENGTH:
                return Code(f"({code})[:{self.rng.randint(LENGTH // 2, LENGTH)}]", LENGTH)
        return code

    def bound_of(self, kind: Kind) -> int:
        """The bound of anything stored of a type."""
        return {
            "int": WIDE if self.on(Feature.WIDE) else LIMIT,
            "str": 2 * LENGTH,
            "list": LENGTH,
            "row": LENGTH,
            "dict": 200,
            "set": 200,
        }.get(kind.head, 0)

    def scalar_kind(self) -> Kind:
        """A type of numbers, truth values or text."""
        choices = [(5.0, INT), (3.0, FLOAT), (1.5, BOOL)]
        if self.on(Feature.STR):
            choices.append((3.0, STR))
        return self.weighted(*choices)

    def kind(self, depth: int = 1) -> Kind:
        """Any type."""
        raise NotImplementedError

    def condition(self, depth: int = 2) -> Code:
        """What stands in an `if`."""
        raise NotImplementedError

    def refined(self, code: str, kind: Kind) -> Var:
        """A name that has a narrower type in the block it is given to."""
        return Var(code, kind, fixed=True)
