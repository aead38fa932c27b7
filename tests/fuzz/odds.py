"""Exceptions as values, private names, and tensors of the module."""

from __future__ import annotations

import random
from collections.abc import Collection, Iterator

from tests.fuzz.base import Code, Frame, Var
from tests.fuzz.features import Feature
from tests.fuzz.kinds import BOOL, INT, STR, TENSOR, ClassInfo, Kind, Method, draw_tensor, error
from tests.fuzz.loops import Loops
from tests.fuzz.scalars import Option
from tests.fuzz.statements import Lines, Statement, indented

_ERRORS = ("ValueError", "ValueError", "KeyError", "IndexError", "RuntimeError", "Exception")


class Odds(Loops):
    """`expr` for exceptions, and further members and constants."""

    def __init__(self, rng: random.Random, features: Collection[Feature]) -> None:
        super().__init__(rng, features)
        self.weights: list[str] = []

    # Exceptions as values

    def scalar_kind(self) -> Kind:
        """See `Base`."""
        if self.on(Feature.ERROR_VALUE) and self.chance(0.05):
            return error(self.pick((*_ERRORS, *self.errors * 2, *self.tensor_errors * 3)))
        return super().scalar_kind()

    def literal(self, kind: Kind, depth: int = 1) -> Code:
        """See `Base`."""
        if kind.head != "error":
            return super().literal(kind, depth)
        if kind.name in self.tensor_errors:
            return Code(f"{kind.name}({self.literal(TENSOR)}, {self.literal(INT)})")
        if self.on(Feature.TENSOR) and self.chance(0.2):
            return Code(f"{kind.name}({self.pick(('', '1, '))}{self.literal(TENSOR)})")
        more = f", {self.literal(self.pick((INT, BOOL)))}" if self.chance(0.2) else ""
        return Code(
            f"{kind.name}({self.pick(('no', 'too large', '', 'é'))!r}{more})" if self.chance(0.9) else f"{kind.name}()"
        )

    def options(self, kind: Kind, depth: int) -> Iterator[Option]:
        """See `Scalars`."""
        yield from super().options(kind, depth)
        if kind.name in self.tensor_errors:
            yield 2.0, lambda: Code(f"{kind.name}({self.tensor(depth)}, {self.small(INT, depth)})")
        elif kind.head == "error":
            yield 1.0, lambda: Code(f"{kind.name}({self.message()})")
        holding = [v for v in self.visible() if v.kind.head == "error" and v.kind.name in self.tensor_errors]
        if holding and not self.leaf_only:
            parts = [v for v in self.held_in(self.pick(holding).name) if v.kind == kind]
            if parts:
                yield 1.5, lambda: Code(self.pick(parts).name, self.bound_of(kind))
        found = self.vars(lambda v: v.kind.head == "error")
        if found and kind == STR:
            yield 0.8, lambda: Code(f"{self.pick(('str', 'str', 'repr'))}({self.pick(found).name})", 200)
        if found and kind == BOOL and not self.leaf_only:
            yield (
                0.5,
                lambda: Code(
                    f"isinstance({self.pick(found).name}, {self.pick((*_ERRORS, 'LookupError', *self.errors))})"
                ),
            )
            yield 0.3, lambda: Code(f"({self.pick(found).name} is {self.pick(found).name})")

    def statements(self, deep: bool) -> Iterator[Statement]:
        """See `Statements`."""
        yield from super().statements(deep)
        found = self.vars(lambda v: v.kind.head == "error")
        if found and self.on(Feature.RAISE) and not self.frame.in_finally:
            yield 1.5, lambda: [f"if {self.rare()}:", f"    raise {self.pick(found).name}"]
        kept = [v for v in self.visible() if v.kind.head == "error" and not (v.fixed or v.constant)]
        if not deep and kept and self.on(Feature.TRY):
            yield 0.8, lambda: self.caught_and_kept(self.pick(kept))

    def caught_and_kept(self, var: Var) -> Lines:
        """The exception that a handler catches becomes a value."""
        name = self.fresh("e")
        lines = [
            "try:",
            *self.inner(1),
            f"    raise {self.small(var.kind)}",
            f"except {var.kind.name} as {name}:",
        ]
        return [*lines, f"    {var.name} = {name}"]

    # Private names

    def members(self, info: ClassInfo) -> Lines:
        """See `Extras`."""
        lines = super().members(info)
        if not self.on(Feature.PRIVATE) or not self.chance(0.6):
            return lines
        hidden = Method("__step", tuple(self.scalar_kind() for _ in range(self.rng.randint(0, 1))), self.scalar_kind())
        lines += self.method(info, hidden)
        shown = Method(self.fresh("m"), hidden.params, hidden.result, hidden.cost + 1)
        self.frame = Frame(shown.result)
        names = [self.fresh("q") for _ in shown.params]
        params = "".join(f", {n}: {k}" for n, k in zip(names, shown.params, strict=True))
        body = [f"return self.__step({', '.join(names)})"]
        if info.private:
            body.insert(0, f"self.__count += {self.rng.randint(1, 3)}")
        lines += [f"def {shown.name}(self{params}) -> {shown.result}:", *indented(body)]
        info.methods.append(shown)
        if info.private:
            counted = Method(self.fresh("m"), (), INT)
            lines += [
                f"def {counted.name}(self) -> int:",
                "    self.__count = self.__count * 2 % 1009",
                "    return self.__count",
            ]
            info.methods.append(counted)
        return lines

    def private_state(self, info: ClassInfo) -> Lines:
        """See `Classes`."""
        info.private = self.on(Feature.PRIVATE) and self.chance(0.5)
        return ["    self.__count = 1"] if info.private else []

    # Tensors of the module

    def constants(self) -> Lines:
        """Tensors that stand in the module. Nothing writes into them: compiled code may not."""
        lines: Lines = []
        for _ in range(self.rng.randint(1, 2) if self.on(Feature.TENSOR, Feature.MODULE_TENSOR) else 0):
            name = self.fresh("WEIGHT")
            lines.append(f"{name} = {draw_tensor(self.rng)}")
            self.weights.append(name)
        return lines

    def of_tensor(self, depth: int) -> Iterator[Option]:
        """See `Tensors`: those of the module where a new tensor is made of them."""
        yield from super().of_tensor(depth)
        if self.weights:
            form = self.pick(
                (
                    "{}.clone()",
                    "({} + {})",
                    "({} * {})",
                    "({} - {})",
                    "tscript.where({} > 0, {}, 1)",
                    "({} < {})",
                    "{}.sum()",
                )
            )
            weight = self.pick(self.weights)
            yield 2.0, lambda: Code(form.format(weight, self.tensor(depth)))
