"""Expressions over strings."""

from __future__ import annotations

from collections.abc import Iterator

from tests.fuzz.base import Code
from tests.fuzz.features import Feature
from tests.fuzz.kinds import BOOL, FLOAT, INT, LENGTH, STR, Kind, list_of
from tests.fuzz.scalars import Option, Scalars

_LONG = 2 * LENGTH

_SAME_LENGTH = ("lower", "swapcase", "strip", "lstrip", "rstrip", "capitalize", "title", "upper", "casefold")
_TESTS = ("isalpha", "isdigit", "isspace", "isupper", "islower", "isalnum", "isnumeric", "isdecimal", "istitle",
          "isidentifier", "isascii", "isprintable")  # fmt: skip
_INT_SPECS = ("d", "5d", "<6", ">8", "^7", "05", "+", "x", "#x", "b", "o", ",", "_", "+06d", "*^9", "e", ".2f")
_FLOAT_SPECS = (
    ".2f",
    ".3e",
    "g",
    ".4g",
    "8.2f",
    "<10.1f",
    "+.1f",
    "010.3f",
    ",.2f",
    "%",
    ".1%",
    "",
    "e",
    "^12.3",
    ".17e",
    ".0f",
    ".1e",
    ".20f",
    ".25g",
    ".16g",
)
_TEXT_SPECS = ("", "10", "<8", ">8", "^8", ".3", "*^10", "-<9.4")


class Texts(Scalars):
    """`expr` for strings, and numbers that come from strings."""

    def options(self, kind: Kind, depth: int) -> Iterator[Option]:
        """See `Scalars`."""
        yield from super().options(kind, depth)
        if not self.on(Feature.STR):
            return
        match kind.head:
            case "str":
                yield from self.of_str(depth)
            case "int":
                yield 1.0, lambda: Code(f"len({self.expr(STR, depth)})", 100_000)
                yield 0.4, lambda: self.position(depth)
                yield 0.3, lambda: Code(f"ord(({self.small(STR, depth)} + 'a')[0])", 1 << 21)
                yield 0.3, lambda: self.parsed(depth)
            case "bool":
                yield (
                    0.5,
                    lambda: Code(f"({self.small(STR, depth)} {self.pick(('in', 'not in'))} {self.small(STR, depth)})"),
                )
                yield 0.4, lambda: Code(f"{self.small(STR, depth)}.{self.pick(_TESTS)}()")
                yield 0.4, lambda: self.asked(depth)
                yield 0.3, lambda: self.edge(depth)
                yield 0.2, lambda: Code(f"bool({self.expr(STR, depth)})")
            case "float" if self.chance(0.2):
                yield 0.3, lambda: Code(f"float({self.pick(_NUMBERS)!r})")

    def of_str(self, depth: int) -> Iterator[Option]:
        """Ways to write a string."""
        yield 3.0, lambda: self.joined(depth)
        yield 2.0, lambda: self.converted(depth)
        yield 2.0, lambda: self.str_method(depth)
        yield 1.0, lambda: self.character(depth)
        yield (
            0.4,
            lambda: Code(
                f"({self.small(STR, depth)} * ({self.small(INT, depth)} % {self.rng.randint(2, 4)}))", 3 * _LONG
            ),
        )
        if self.on(Feature.OPERANDS):
            yield 0.4, lambda: self.operand(STR, depth)
        if self.on(Feature.SLICE):
            yield 1.0, lambda: Code(f"{self.small(STR, depth)}[{self.slice(depth)}]", _LONG)
        if self.on(Feature.FSTRING):
            yield 2.5, lambda: self.fstring(depth)
        if self.on(Feature.FORMAT):
            yield 1.0, lambda: self.formatted(depth)
        if self.on(Feature.LIST):
            yield 1.0, lambda: Code(f"{self.separator()}.join({self.small(list_of(STR), depth)})", _LONG * LENGTH)

    def joined(self, depth: int) -> Code:
        """``a + b``."""
        a, b = self.expr(STR, depth), self.expr(STR, depth)
        return Code(f"({a} + {b})", a.bound + b.bound)

    def converted(self, depth: int) -> Code:
        """``str(x)``, ``repr(x)``, ``chr(n)``, ``hex(n)``."""
        if self.chance(0.2):
            return Code(f"{self.pick(('hex', 'bin', 'oct'))}({self.small(INT, depth)})", 30)
        if self.chance(0.15):
            return Code(f"chr({self.small(INT, depth)} % 1000 + 32)", 1)
        if self.chance(0.2):
            return Code(f"repr({self.expr(STR, depth)})", _LONG * 12)
        kind = self.weighted((4.0, INT), (3.0, FLOAT), (1.0, BOOL), (1.0, self.shown()))
        return Code(
            f"{self.pick(('str', 'str', 'repr'))}({self.expr(kind, depth)})",
            30 if kind in (INT, FLOAT, BOOL) else 100_000,
        )

    def shown(self) -> Kind:
        """A type whose text does not depend on order or address."""
        return self.scalar_kind()

    def str_method(self, depth: int) -> Code:
        """A method that gives a string."""
        s = self.small(STR, depth)
        n = f"{self.small(INT, depth)} % {self.rng.randint(3, 20)}"
        match self.rng.randint(0, 6):
            case 0 | 1:
                return Code(f"{s}.{self.pick(_SAME_LENGTH)}()", 3 * _LONG)
            case 2:
                old = self.separator() if self.chance(0.6) else self.small(STR, 0)
                return Code(f"{s}.replace({old}, {self.small(STR, 0)}{self.pick(('', ', 1', ', 2'))})", _LONG * _LONG)
            case 3:
                fill = self.pick(("", "", ", '*'", ", '√'"))
                return Code(f"{s}.{self.pick(('center', 'ljust', 'rjust'))}({n}{fill})", _LONG)
            case 4:
                return Code(f"{s}.zfill({n})", _LONG)
            case 5:
                return Code(
                    f"{s}.{self.pick(('strip', 'lstrip', 'rstrip'))}({self.pick(('a', 'abc', ' x', '0'))!r})", _LONG
                )
        return Code(f"{s}.{self.pick(('removeprefix', 'removesuffix'))}({self.pick(('a', 'ab', 'c', ''))!r})", _LONG)

    def character(self, depth: int) -> Code:
        """``s[i]``, of an index that is in range unless something else is wanted."""
        s, i = self.small(STR, depth), self.small(INT, depth)
        if self.risky():
            return Code(f"{s}[{i} % 12]", 1)
        return Code(f"({s} + 'x')[{i} % (len({s}) + 1)]", 1) if self.chance(0.5) else Code(f"{s}[:{i} % 5]", 5)

    def asked(self, depth: int) -> Code:
        """A question about one character."""
        s, i = self.small(STR, depth), self.small(INT, depth)
        character = f"{s}[{i} % 12]" if self.risky() else f"({s} + 'x')[{i} % (len({s}) + 1)]"
        match self.rng.randint(0, 3):
            case 0:
                return Code(f"({character} {self.pick(('==', '!='))} {self.separator()})")
            case 1:
                return Code(f"({character} {self.pick(('in', 'not in'))} {self.pick(('ab, ', 'éx', '', '√-+0'))!r})")
            case 2:
                return Code(f"({character} {self.pick(('==', '!='))} ({self.small(STR, 0)} + 'a')[0])")
        return Code(f"{character}.{self.pick(_TESTS[:6])}()")

    def separator(self) -> str:
        """A short literal."""
        return repr(self.pick((",", " ", "a", "-", ", ", "b", "é")))

    def fstring(self, depth: int) -> Code:
        """A formatted literal; its expressions have no quotes of their own kind."""
        parts, bound = [], 0
        for _ in range(self.rng.randint(1, 3)):
            if self.chance(0.4):
                parts.append(self.pick(("a", " = ", ", ", "{{", "}}", "é", ": ")))
                bound += 3
            kind = self.weighted((4.0, INT), (3.0, FLOAT), (2.0, STR), (1.0, BOOL), (0.7, self.shown()))
            names = [v.name for v in self.of_kind(kind)]
            text: str = self.pick(names) if names and self.chance(0.6) else self.expr(kind, depth)
            if any(c in text for c in "'\"\\{}") or ":=" in text or "lambda" in text:
                text = self.pick(names) if names else "1"
                kind = kind if names else INT
            spec = self.specification(kind)
            conversion = self.pick(("!r", "!s", "!a")) if kind == STR and self.chance(0.3) else ""
            parts.append(f"{{{text}{conversion}{spec and ':' + spec}}}")
            bound += 400 if kind == FLOAT else 100 if kind in (INT, BOOL, STR) else 10_000
        return Code("f'" + "".join(parts) + "'", bound)

    def specification(self, kind: Kind) -> str:
        """A format specification, often none."""
        if self.chance(0.4):
            return ""
        return self.pick({"int": _INT_SPECS, "float": _FLOAT_SPECS, "str": _TEXT_SPECS}.get(kind.head, ("",)))

    def formatted(self, depth: int) -> Code:
        """``'…'.format(…)`` and ``'…' % …``."""
        kinds = [self.pick((INT, FLOAT, STR)) for _ in range(self.rng.randint(1, 3))]
        values = [str(self.small(k, depth)) for k in kinds]
        if self.chance(0.5):
            fields = [f"{{{i if self.chance(0.5) else ''}" for i in range(len(kinds))]
            if any(f == "{" for f in fields):
                fields = ["{"] * len(kinds)
            specs = [self.specification(k) for k in kinds]
            text = " ".join(f"{f}{s and ':' + s}}}" for f, s in zip(fields, specs, strict=True))
            return Code(f"{text!r}.format({', '.join(values)})", 1_200)
        signs = {
            "int": ("%d", "%5d", "%x", "%s", "%+d", "%-4d|"),
            "float": ("%f", "%.2f", "%g", "%e", "%s", "%8.3f"),
            "str": ("%s", "%r", "%8s", "%-6s|", "%.2s"),
        }
        text = ", ".join(self.pick(signs[k.head]) for k in kinds)
        return Code(f"({text!r} % ({', '.join(values)},))", 1_200)

    def position(self, depth: int) -> Code:
        """``find``, ``count``, ``index`` and their like."""
        name = self.pick(("find", "rfind", "count", *(("index", "rindex") if self.risky() else ())))
        return Code(
            f"{self.small(STR, depth)}.{name}({self.small(STR, 0) if self.chance(0.5) else self.separator()})", 500
        )

    def parsed(self, depth: int) -> Code:
        """``int(s)``."""
        if self.risky():
            return Code(f"int({self.small(STR, depth)}[:5])", 99_999)
        if self.chance(0.3):
            return Code(
                f"int({self.pick(('ff', '0x1F', '7a', '-1010', ' 12 ', '1_0'))!r}, {self.pick((16, 16, 36))})", 10**6
            )
        return Code(f"int({self.pick(('12', '-7', ' 3 ', '1_000', '+4', '007'))!r})", 1000)

    def edge(self, depth: int) -> Code:
        """``startswith`` and ``endswith``."""
        return Code(f"{self.small(STR, depth)}.{self.pick(('startswith', 'endswith'))}({self.small(STR, 0)})")

    def slice(self, depth: int) -> str:
        """What stands between the brackets of a slice."""

        def part() -> str:
            if self.chance(0.35):
                return ""
            return str(self.rng.randint(-4, 6)) if self.chance(0.7) else f"{self.small(INT, depth)} % 9"

        step = self.pick((2, -1, 3, -2)) if self.chance(0.35) else ""
        return f"{part()}:{part()}{':' if step else ''}{step}"


_NUMBERS = ("1.5", "-2", "1e3", " 0.1 ", "inf", "-0.0", "1_0.5", ".5", "3.")
