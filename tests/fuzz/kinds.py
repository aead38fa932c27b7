"""`Kind`: the types of generated values, how they are written as annotations, and how values of them are drawn."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, field

LIMIT = 1_000_003
"""No int that is stored is larger, except in programs with wide ones: those of compiled code have 64 bits."""

LENGTH = 24
"""No list that is stored is longer, and no text twice as long."""

ALPHABET = "abcxyzABZ 019_-.,é√ß😀"


@dataclass(frozen=True, slots=True)
class Kind:
    """A type.

    Attributes:
        head: int, float, bool, str, none, tensor, list, dict, set, tuple, row, optional, union, or what a class is:
            named, data, enum, class,
            error.
        args: Its type arguments.
        name: Of a class.
    """

    head: str
    args: tuple[Kind, ...] = ()
    name: str = ""

    def __str__(self) -> str:
        match self.head:
            case "none":
                return "None"
            case "tensor":
                return "Tensor"
            case "optional":
                return f"Optional[{self.args[0]}]"
            case "union":
                return f"Union[{', '.join(map(str, self.args))}]"
            case "row":
                return f"tuple[{self.args[0]}, ...]"
        if self.name:
            return self.name
        return f"{self.head}[{', '.join(map(str, self.args))}]" if self.args else self.head

    @property
    def mutable(self) -> bool:
        """Whether values may change."""
        return self.head in ("list", "dict", "set", "data", "class")

    def has(self, *heads: str) -> bool:
        """Whether one of these occurs in it; what fields of classes are made of does not count."""
        return self.head in heads or any(a.has(*heads) for a in self.args)


INT, FLOAT, BOOL, STR, NONE, TENSOR = (Kind(head) for head in ("int", "float", "bool", "str", "none", "tensor"))


KEYS = (INT, BOOL, STR)
"""What caches tell calls apart by."""


def error(name: str) -> Kind:
    """The type of an exception."""
    return Kind("error", name=name)


def list_of(item: Kind) -> Kind:
    """The type of a list."""
    return Kind("list", (item,))


def dict_of(key: Kind, value: Kind) -> Kind:
    """The type of a dict."""
    return Kind("dict", (key, value))


def set_of(item: Kind) -> Kind:
    """The type of a set."""
    return Kind("set", (item,))


def tuple_of(*items: Kind) -> Kind:
    """The type of a tuple."""
    return Kind("tuple", items)


def optional(item: Kind) -> Kind:
    """The type of a value that may be None."""
    return Kind("optional", (item,))


@dataclass(slots=True)
class Method:
    """A method of a generated class."""

    name: str
    params: tuple[Kind, ...]
    result: Kind
    cost: int = 1
    defaults: int = 0


@dataclass(slots=True)
class ClassInfo:
    """A generated class.

    Attributes:
        kind: Its type.
        fields: Names and types, those of the base first; of `__init__` in this order too.
        base: The class it extends.
        methods: What may be called on it.
        members: Names of the members of an enum.
        frozen: Whether its fields cannot be assigned.
        ordered: Whether `<` compares.
        value: The type of an enum's values.
        extends: Whether the members of an enum are ints or texts besides.
        properties: Names and types of properties.
        statics: Static methods.
        operators: Names of operators it has, such as ``add``.
        private: Whether it has an attribute of its own that nobody else sees.
    """

    kind: Kind
    fields: list[tuple[str, Kind]] = field(default_factory=list)
    base: str = ""
    methods: list[Method] = field(default_factory=list)
    members: list[str] = field(default_factory=list)
    frozen: bool = False
    ordered: bool = False
    value: Kind = INT
    extends: bool = False
    properties: list[tuple[str, Kind]] = field(default_factory=list)
    statics: list[Method] = field(default_factory=list)
    operators: set[str] = field(default_factory=set)
    private: bool = False


Classes = Mapping[str, ClassInfo]


def draw_wide(rng: random.Random) -> int:
    """An int of 64 bits: often near a power of two, where something ends."""
    near = rng.choice((1, -1)) * (1 << rng.choice((31, 32, 52, 53, 61, 62, 63, 63))) + rng.choice((-2, -1, 0, 0, 1, 2))
    drawn = near if rng.random() < 0.7 else rng.randint(-(2**63), 2**63 - 1)
    return min(max(drawn, -(2**63)), 2**63 - 1)


def draw(kind: Kind, rng: random.Random, classes: Classes, depth: int = 0, *, wide: bool = False) -> str:
    """The text of a random value."""
    if wide and kind == INT and rng.random() < 0.5:
        return str(draw_wide(rng))
    size = rng.choice((0, 1, 1, 2, 3, 5) if depth == 0 else (0, 1, 2, 2))
    match kind.head:
        case "int":
            return str(rng.choice((0, 1, -1, 2, 7, rng.randint(-20, 20), rng.randint(-1000, 1000))))
        case "float":
            return draw_float(rng)
        case "bool":
            return rng.choice(("True", "False"))
        case "str":
            return draw_text(rng)
        case "none":
            return "None"
        case "tensor":
            return draw_tensor(rng)
        case "complex":
            return f"complex({draw_float(rng)}, {draw_float(rng)})"
        case "bytes":
            return repr(bytes(rng.randint(0, 255) for _ in range(size)))
        case "list":
            return f"[{', '.join(draw(kind.args[0], rng, classes, depth + 1) for _ in range(size))}]"
        case "dict":
            pairs = (
                f"{draw(kind.args[0], rng, classes, depth + 1)}: {draw(kind.args[1], rng, classes, depth + 1)}"
                for _ in range(size)
            )
            return f"{{{', '.join(pairs)}}}"
        case "set":
            items = ", ".join(draw(kind.args[0], rng, classes, depth + 1) for _ in range(size))
            return f"{{{items}}}" if items else "set()"
        case "row":
            return f"({''.join(draw(kind.args[0], rng, classes, depth + 1) + ', ' for _ in range(size))})"
        case "tuple":
            return f"({''.join(draw(a, rng, classes, depth + 1) + ', ' for a in kind.args)})"
        case "optional":
            return "None" if rng.random() < 0.35 else draw(kind.args[0], rng, classes, depth)
        case "union":
            return draw(rng.choice(kind.args), rng, classes, depth)
        case "error" if kind.name.startswith("Held"):
            return f"{kind.name}({draw_tensor(rng)}, {rng.randint(-3, 9)})"
        case "error":
            return f"{kind.name}({rng.choice(('', repr('no'), repr('it is') + ', 3', '7'))})"
        case "enum":
            return f"{kind.name}.{rng.choice(classes[kind.name].members)}"
    info = classes[kind.name]
    return f"{kind.name}({', '.join(draw(k, rng, classes, depth + 1) for _, k in info.fields)})"


def draw_float(rng: random.Random) -> str:
    """A random float."""
    drawn = rng.random()
    if drawn < 0.03:
        return rng.choice(("float('inf')", "float('-inf')", "float('nan')", "-0.0", "1e300", "5e-324"))
    if drawn < 0.12:  # what rounding has to decide about
        return repr(rng.randint(-2000, 2000) / rng.choice((2, 8, 20, 200, 1024, 2e5)) + rng.choice((0.0, 0.0, 2.0**33)))
    if drawn < 0.6:
        return repr(rng.choice((0.0, 0.5, 1.0, -1.5, 2.0, 0.1, 100.0, 3.25)))
    return repr(round(rng.uniform(-50, 50), rng.randint(0, 6)))


def draw_text(rng: random.Random) -> str:
    """A random text."""
    if rng.random() < 0.4:
        return repr(
            rng.choice(("", "a", "abc", "x y z", "12", "-7", "a,b,,c", "Hello World", "naïve", "tab\tnew\nline"))
        )
    return repr("".join(rng.choice(ALPHABET) for _ in range(rng.randint(0, 8))))


SIZES = ((), (3,), (3,), (2, 3), (2, 3), (1, 3), (2, 1))
"""Sizes that broadcast with each other."""


DTYPES = ("", "", "float64", "int64", "int64", "int32", "bool", "uint8")
"""Dtypes of most tensors."""
RARE = ("float16", "float16", "uint16", "uint32", "uint64", "int8", "complex64", "complex128")
"""Those of others."""


def draw_tensor(rng: random.Random, views: bool = True) -> str:
    """A random tensor; with `views`, perhaps one that does not own its memory or whose elements lie in another
    order."""
    size, dtype = rng.choice(SIZES), rng.choice(DTYPES if rng.random() < 0.85 else RARE)
    numbers: tuple[object, ...] = (0.0, 1.0, -1.5, 2.5, 0.25, -3.0, 100.0)
    if dtype == "bool":
        numbers = (True, False)
    elif dtype.startswith("complex"):
        numbers = (0j, 1 + 0j, -1.5 + 0j, 2.5j, 0.25 - 3j, 1 + 1j)
    elif dtype.startswith("uint"):
        numbers = (0, 1, 2, 7, 255)
    elif dtype.startswith("int"):
        numbers = (0, 1, -1, 2, 7, -13, 1000)
    backwards = views and rng.random() < 0.2 and len(size) == 2

    def rows(left: tuple[int, ...]) -> object:
        return [rows(left[1:]) for _ in range(left[0])] if left else rng.choice(numbers)

    text = f"tscript.tensor({rows(size[::-1] if backwards else size)!r}{f', dtype=tscript.{dtype}' if dtype else ''})"
    if backwards:
        return f"{text}.t()"
    return f"tscript.stack([{text}, {text}])[1]" if views and rng.random() < 0.1 else text
