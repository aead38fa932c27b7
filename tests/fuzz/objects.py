"""Values that may be of any type: in lists, as keys, compared with each other, and asked what they are."""

from __future__ import annotations

from collections.abc import Iterator

from tests.fuzz.base import Var
from tests.fuzz.features import Feature
from tests.fuzz.kinds import BOOL, FLOAT, INT, STR, Kind
from tests.fuzz.odds import Odds
from tests.fuzz.statements import Lines, Statement, indented


class Objects(Odds):
    """Statements over values of the type `object`."""

    def statements(self, deep: bool) -> Iterator[Statement]:
        """See `Statements`."""
        yield from super().statements(deep)
        if not deep and self.on(Feature.ANY, Feature.LIST) and self.frame.repeats < 60:
            yield 4.0, self.objects

    def objects(self) -> Lines:
        """A list of values of several types, and a statement or two about them."""
        name, keys = self.fresh("o"), self.chance(0.5)
        items = [self.any_value_text(2, keys) for _ in range(self.rng.randint(2, 5))]
        lines = [f"{name}: list[object] = [{', '.join(items)}]"]
        if self.on(Feature.DICT) and self.chance(0.3):  # from the place it is assigned to
            place = self.fresh("t")
            lines = [
                f"{place}: dict[int, list[object]] = {{}}",
                f"{place}[0] = [{', '.join(items)}]",
                f"{name} = {place}[0]",
            ]
        if self.chance(0.5):
            lines.append(f"{name}.append({self.pick(items)})")
        forms = [self.equal_objects, self.counted_objects, self.classes_of_objects]
        if "{2, 1}" not in "".join(lines):  # sets keep the order in which elements came
            forms.append(self.text_of_objects)
        if keys:
            forms += [self.keys_of_objects, self.set_of_objects, self.hashes_of_objects]
        for form in self.rng.sample(forms, 2):
            lines += form(name)
        return lines

    def any_value_text(self, depth: int, key: bool) -> str:
        """A value, small enough that others are equal to it. No float is nan, which has no identity in compiled
        code."""
        one = self.pick(("0", "1", "2", "True", "False", "1.0", "0.0", "2.5", f"{self.fit(self.expr(INT, 1), INT)}"))
        enums = [i for i in self.classes.values() if i.kind.head == "enum"]
        choices = [one, one, one, "None"]
        if self.on(Feature.STR):
            choices += ["'a'", self.small(STR, 1)]
        if enums:
            info = self.pick(enums)
            choices.append(f"{info.kind.name}.{self.pick(info.members)}")
        if self.on(Feature.TENSOR):
            choices.append(self.pick(("tscript.zeros(2, 1).shape", "(2, 1)", "tscript.ones(2).shape", "(2,)")))
        if depth and self.on(Feature.TUPLE):
            parts = [self.any_value_text(depth - 1, key) for _ in range(self.rng.randint(1, 3))]
            choices.append(f"({', '.join(parts)},)")
        if depth and self.on(Feature.ROW):
            choices.append(f"tuple([{self.pick(('1, 2', '1.0', 'True, False', '0, 1, 2'))}])")
        if depth and not key and self.on(Feature.STR):
            choices.append(self.pick(("[1, 'a', None]", "[[1], ['a']]", "(0, [1, 'b'])")))
        if depth and not key:
            choices.append(f"[{self.pick(('1, 2', '1.0, 2.0', 'True', '0, 1'))}]")
            if self.on(Feature.DICT):
                choices.append(f"{{{self.pick(('1: 2', '1.0: 2', 'True: 2.0', '1: True, 2: False'))}}}")
            if self.on(Feature.SET):
                choices.append(f"{{{self.pick(('1, 2', '1.0, 2.0', 'True', '2, 1'))}}}")
        return self.pick(choices)

    def any_result(self, kind: Kind, code: str) -> Lines:
        """A new name for what an expression gives."""
        name = self.fresh("w")
        self.declare(name, kind)
        return [f"{name}: {kind} = {code}"]

    def equal_objects(self, name: str) -> Lines:
        """How many are equal."""
        return self.any_result(INT, f"sum([1 for a in {name} for b in {name} if a {self.pick(('==', '!='))} b])")

    def counted_objects(self, name: str) -> Lines:
        """How often one is in it, and where."""
        found = self.fresh("x")
        lines = [f"{found}: object = {self.any_value_text(1, key=True)}"]
        if self.chance(0.5):
            return [*lines, *self.any_result(INT, f"{name}.count({found})")]
        return [*lines, *self.any_result(INT, f"({name}.index({found}) if {found} in {name} else -1)")]

    def keys_of_objects(self, name: str) -> Lines:
        """A dict that counts them."""
        table = self.fresh("t")
        lines = [f"{table}: dict[object, int] = {{}}", f"for k in {name}:", f"    {table}[k] = {table}.get(k, 0) + 1"]
        if self.chance(0.5):
            return [*lines, *self.any_result(INT, f"sum([v * v for v in {table}.values()])")]
        return [*lines, *self.any_result(BOOL, f"({self.any_value_text(1, key=True)} in {table})")]

    def set_of_objects(self, name: str) -> Lines:
        """A set of them."""
        table = self.fresh("t")
        lines = [f"{table}: set[object] = set({name})"] if self.on(Feature.SET) else []
        return [*lines, *self.any_result(INT, f"len({table})")] if lines else self.keys_of_objects(name)

    def hashes_of_objects(self, name: str) -> Lines:
        """What is equal has one hash."""
        return self.any_result(BOOL, f"all([hash(a) == hash(b) for a in {name} for b in {name} if a == b])")

    def text_of_objects(self, name: str) -> Lines:
        """All of them as text."""
        return self.any_result(
            STR, f"str({name})[:40]" if self.chance(0.5) else f"''.join([str(a) for a in {name}])[:40]"
        )

    def classes_of_objects(self, name: str) -> Lines:
        """What each is: members of an IntEnum are no ints to compiled code where they may be anything."""
        found = self.fresh("x")
        if any(i.kind.head == "enum" and i.extends for i in self.classes.values()):
            return self.text_of_objects(name)
        kinds = self.rng.sample((INT, FLOAT, BOOL, STR), self.rng.randint(1, 3))
        lines = [f"for {found} in {name}:"]
        if self.on(Feature.MATCH) and self.chance(0.4):
            kinds = [k for k in kinds if k != INT] or [STR]
            lines.append(f"    match {found}:")
            for kind in kinds:
                lines.append(f"        case {kind}({found}_{kind}):")
                lines += indented(indented(self.inner(1, Var(f"{found}_{kind}", kind, fixed=True))))
            return lines
        for n, kind in enumerate(kinds):
            test = f"isinstance({found}, {kind})"  # a bool becomes an int where one is declared
            test += f" and not isinstance({found}, bool)" if kind == INT else ""
            lines.append(f"    {'elif' if n else 'if'} {test}:")
            lines += indented(self.inner(1, Var(found, kind, fixed=True)))
        return lines
