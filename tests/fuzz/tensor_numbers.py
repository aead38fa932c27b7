"""The numbers of tensors, of which nothing says whether they are ints: in loops, branches, functions without
annotations, tasks."""

from __future__ import annotations

import random
from collections.abc import Collection, Iterator

from tests.fuzz.base import Code
from tests.fuzz.features import Feature
from tests.fuzz.kinds import BOOL, FLOAT, STR
from tests.fuzz.library import Library
from tests.fuzz.statements import Lines, Statement, indented

_OF_TENSOR = (
    "t.reshape(-1)[0].item()",
    "t.max().item() * 2",
    "-t.min().item()",
    "t.max().item() if t.dim() > 1 else t.min().item()",
    "max(t.max().item(), 1)",
    "sum([x.item() for x in t.reshape(-1)])",
)
_OF_NUMBER = ("a * 2", "a + 1", "-a", "a if a > 0 else 0", "min(a, 3)", "[a, a][1]", "a / 2 if a else a")


class Numbers(Library):
    """Names and functions whose numbers are of the dtype of a tensor."""

    def __init__(self, rng: random.Random, features: Collection[Feature]) -> None:
        super().__init__(rng, features)
        self.of_tensors: list[str] = []
        self.of_numbers: list[str] = []

    def definitions(self) -> Lines:
        """See `Classes`; and functions without annotations."""
        lines = super().definitions()
        if not self.on(Feature.TENSOR):
            return lines
        if self.chance(0.5):
            self.of_tensors.append(self.fresh("number"))
            lines += [f"def {self.of_tensors[-1]}(t: Tensor):", f"    return {self.pick(_OF_TENSOR)}"]
        if self.chance(0.5):
            self.of_numbers.append(self.fresh("changed"))
            lines += [f"def {self.of_numbers[-1]}(a):", f"    return {self.pick(_OF_NUMBER)}"]
        return lines

    def statements(self, deep: bool) -> Iterator[Statement]:
        """See `Statements`."""
        yield from super().statements(deep)
        if self.on(Feature.TENSOR) and self.of_tensor_kind() and not deep and self.frame.repeats < 60:
            yield 2.0, self.gathered

    def of_tensor_kind(self) -> bool:
        """Whether there is a tensor to take numbers of."""
        return any(v.kind.head == "tensor" for v in self.visible())

    def item(self) -> str:
        """A number out of a tensor."""
        code = f"{self.tensor_one(1)}.item()"
        if self.of_tensors and self.chance(0.4):
            function, given = self.pick(self.of_tensors), self.named_tensor()
            code = f"{function}({given})"
            if self.on(Feature.FORK) and not self.frame.in_finally and self.chance(0.6):
                code = f"tscript.fork({function}, {given}).wait()"
        if self.of_numbers and self.chance(0.3):
            function = self.pick(self.of_numbers)
            if self.on(Feature.FORK) and not self.frame.in_finally and self.chance(0.4):
                return f"tscript.wait(tscript.fork({function}, {code}))"
            return f"{function}({code})"
        return code

    def gathered(self) -> Lines:
        """A number that loops and branches make of others, and a use of it."""
        name, new = self.fresh("m"), self.fresh("u")
        start = self.pick(("0", "0.5", "None", "True", self.item(), self.item()))
        body = [f"{new} = {self.item()}"]
        if start == "None":
            body += [f"if {name} is None or {new} {self.pick('<>')} {name}:", f"    {name} = {new}"]
        else:
            forms = (
                [f"{name} = {name} {self.pick('+-')} {new}"],
                [f"{name} += {new}"],
                [f"if {new} {self.pick('<>')} {name}:", f"    {name} = {new}"],
                [f"{name} = {new} if {self.condition(1)} else {name}"],
                [
                    f"if {self.rare()}:",  # a branch that is never taken gives the name no type
                    f"    {name} = {self.pick(('1', '0.25', new))}",
                    "else:",
                    f"    {name} = {new}",
                ],
            )
            body += self.pick(forms)
        lines = [f"{name} = {start}"]
        if self.chance(0.7):
            self.affordable(8)
            lines += [f"for {self.fresh('i')} in range({self.rng.randint(0, 4)}):", *indented(body)]
        else:
            lines += body
        return lines + self.used(name)

    def used(self, name: str) -> Lines:
        """What is done with a number that may be None."""
        match self.rng.randint(0, 4):
            case 0 if self.on(Feature.STR):
                return [f"{self.declare(self.fresh('v'), STR).name} = {Code(f'str({name})')}"]
            case 1:
                return [f"{self.declare(self.fresh('v'), BOOL).name} = {name} is not None and {name} > 1"]
            case 2:
                return [f"{self.declare(self.fresh('v'), FLOAT).name} = 0.0 if {name} is None else float({name})"]
            case 3 if self.on(Feature.LIST):
                numbers = self.fresh("ms")
                return [f"{numbers} = [{name}, {name}]", f"print({numbers}, {numbers}[0] == {name})"]
        return [f"print({name})"]


__all__ = ["Numbers"]
