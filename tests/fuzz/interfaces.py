"""Interfaces: names, parameters and lists whose values are instances of one of several classes."""

from __future__ import annotations

from collections.abc import Iterator

from tests.fuzz.features import Feature
from tests.fuzz.kinds import BOOL, INT
from tests.fuzz.objects import Objects
from tests.fuzz.statements import Lines, Statement

_BODIES = ("n + self.a", "self.a * 2 - n", "n * n % 7", "-self.a if n > self.a else n", "len(self.b) + n")


class Interfaces(Objects):
    """Statements over two classes with the same methods and attributes."""

    family = ""

    def definitions(self) -> Lines:
        """See `Classes`."""
        lines = super().definitions()
        if not self.on(Feature.INTERFACE, Feature.CLASS, Feature.STR) or not self.chance(0.5):
            return lines
        self.family = self.fresh("Shape").removeprefix("Shape")
        lines += [f"class Shape{self.family}(Protocol):", "    def m(self, n: int) -> int: ..."]
        for name in ("Left", "Right"):
            lines += [
                f"class {name}{self.family}:",
                "    def __init__(self, a: int, b: str = 'xy') -> None:",
                "        self.a = a",
                "        self.b = b",
                "    def m(self, n: int) -> int:",
                f"        return {self.pick(_BODIES)}",
            ]
        lines += [
            f"def through{self.family}(p: Shape{self.family}, n: int) -> int:",
            f"    return {self.pick(('p.m(n)', 'p.m(n) + p.a', 'p.m(p.m(n))', 'len(p.b) - p.m(n)'))}",
        ]
        return lines

    def statements(self, deep: bool) -> Iterator[Statement]:
        """See `Statements`."""
        yield from super().statements(deep)
        if self.family:
            yield 1.0, self.chosen_shape
            yield 0.5, self.listed_shapes

    def one_shape(self) -> str:
        """An instance of one of the classes."""
        more = self.pick(("", "", ", 'abc'", ", b=''"))
        return f"{self.pick(('Left', 'Right'))}{self.family}({self.small(INT)}{more})"

    def of_shape(self, name: str) -> str:
        """A number of an instance."""
        forms = ("{}.m({n})", "through" + self.family + "({}, {n})", "{}.a", "len({}.b)", "{}.m(n={n})")
        return self.pick(forms).format(name, n=self.small(INT))

    def chosen_shape(self) -> Lines:
        """A name of the interface that changes its class, in a branch or a loop."""
        name, number = self.fresh("shape"), self.fresh("v")
        lines = [f"{name}: Shape{self.family} = {self.one_shape()}"]
        if self.chance(0.6):
            lines += [f"if {self.small(BOOL)}:", f"    {name} = {self.one_shape()}"]
        else:
            lines += [f"for _ in range({self.pick(('0', '1', '3'))}):", f"    {name} = {self.one_shape()}"]
        lines.append(f"{number} = {self.of_shape(name)} % 1009")
        self.declare(number, INT)
        return lines

    def listed_shapes(self) -> Lines:
        """A list of instances of both classes."""
        name, number, each = self.fresh("shapes"), self.fresh("v"), self.fresh("shape")
        held = ", ".join(self.one_shape() for _ in range(self.rng.randint(1, 3)))
        lines = [
            f"{name}: list[Left{self.family} | Right{self.family}] = [{held}]",
            f"{number} = sum([{self.of_shape(each)} for {each} in {name}]) % 1009",
        ]
        self.declare(number, INT)
        return lines
