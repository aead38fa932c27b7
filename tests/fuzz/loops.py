"""Loops over indices and counters near their edges, and loops in which names come to be of wider types than they begin
with."""

from __future__ import annotations

from collections.abc import Iterator

from tests.fuzz.base import WIDE, Code, Var
from tests.fuzz.features import Feature
from tests.fuzz.kinds import FLOAT, INT, Kind, draw_wide, list_of, optional
from tests.fuzz.statements import Lines, Statement, indented
from tests.fuzz.tensor_numbers import Numbers

_SIZES = (0, 1, 2, 3, 5, 8, 17, 40, 130, 300)
_STEPS = (1, 1, 1, 2, 3, 5, 7, 11)


class Loops(Numbers):
    """Statements that loop over lists by index, and that widen names."""

    def statements(self, deep: bool) -> Iterator[Statement]:
        """See `Statements`."""
        yield from super().statements(deep)
        if deep:
            return
        if self.on(Feature.RANGES, Feature.LIST) and self.frame.repeats < 8:
            yield 1.5, self.index_loop
        if self.on(Feature.WIDEN, Feature.OPTIONAL) and self.frame.repeats < 20:
            yield 0.8, self.widening

    # Loops over indices

    def index_loop(self) -> Lines:
        """A loop that reads and writes a list by index. What it comes to is a new name."""
        item = self.weighted((4.0, INT), (1.0, FLOAT))
        size = self.pick(_SIZES)
        if not self.affordable(4 * size):
            size = 3
        self.size_at_hand = size
        z, y, i, acc = (self.fresh(n) for n in ("z", "y", "i", "acc"))
        known = [v for v in self.names("list") if v.kind == list_of(item) and not v.still]
        borrowed = bool(known) and self.chance(0.3)
        lines = [f"{z} = {self.pick(known).name if borrowed else self.filled(item, size)}"]
        lines.append(f"{y} = {self.filled(item, max(0, size + self.pick((-1, 0, 0, 1))))}")
        lines.append(f"{acc} = {self.pick(('0', '0', '1', '-5')) if item == INT else '0.0'}")
        loop = self.counted(z, y, i, acc, item, borrowed)
        if self.on(Feature.TRY) and self.chance(0.5):
            wanted = self.pick(("IndexError", "(IndexError, OverflowError)", "Exception", "OverflowError"))
            loop = ["try:", *indented(loop), f"except {wanted}:", f"    {acc} += {1 if item == INT else '0.5'}"]
        lines += loop
        lines += self.told(z, acc, item)
        return lines

    size_at_hand = 0
    """How long the list is that a loop goes over."""

    def filled(self, item: Kind, size: int) -> str:
        """A list of so many elements."""
        k = self.fresh("k")
        if item == FLOAT:
            return f"[{self.pick(('0.5', '-1.25', '3.0'))} * {k} - {self.rng.randint(0, 9)}.5 for {k} in range({size})]"
        if self.on(Feature.WIDE) and self.chance(0.4):
            # Sums of them end near the limit, at some place in the list.
            most = self.pick((1, 1, max(1, size), max(1, size // 2), 2 * size + 1))
            first = draw_wide(self.rng) // most
            return self.pick((f"[{first} - {k} % 3 for {k} in range({size})]", f"[{first // 2 + 1}] * {size}"))
        forms = (f"{self.rng.randint(-9, 9)} - 3 * {k}", f"{k} * {k} % 11", f"{k} & 3", f"{k} * 1009 % 97 - 48")
        return (
            f"[{self.pick(forms)} for {k} in range({size})]"
            if self.chance(0.8)
            else f"[{self.rng.randint(-9, 9)}] * {size}"
        )

    def edge_of(self, z: str) -> str:
        """A bound of a range, near an end of the list."""
        size = self.size_at_hand
        return self.pick(
            (
                "0", "0", "1", "-1", "2", f"len({z})", f"len({z})", f"len({z}) - 1", f"len({z}) + 1", f"-len({z})",
                f"len({z}) // 2",
                str(size), str(size - 1), str(size + 1), str(-size), f"{self.small(INT, 1)} % {size + 2}",
            )
        )  # fmt: skip

    def counted(self, z: str, y: str, i: str, acc: str, item: Kind, borrowed: bool) -> Lines:
        """``for`` over a range, or ``while`` with a counter."""
        step = self.pick(_STEPS)
        first, last = self.edge_of(z), self.edge_of(z)
        if self.chance(0.6):  # mostly from one end to the other
            first, last = (
                self.pick(("0", "0", "1", f"-len({z})")),
                self.pick((f"len({z})", f"len({z})", f"len({z}) - 1", str(self.size_at_hand))),
            )
        base = ""
        if self.on(Feature.WIDE) and self.chance(0.2):
            # Counters that come near the limits of 64 bits.
            trips, step = self.rng.randint(0, 9), self.pick((1, 2, 3, 1 << 60, 1 << 61))
            at = (
                (1 << 63) - 1 - trips * step - self.rng.randint(0, 2)
                if self.chance(0.5)
                else -(1 << 63) + self.rng.randint(0, 2)
            )
            at = max(at, -(1 << 63))
            base, last = str(at), str(min(at + trips * step, (1 << 63) - 1))
            first = base
        down = self.chance(0.35)
        if down:
            first, last = (f"{last} - 1", f"{first} - 1") if not base else (last, first)
        body = self.index_body(z, y, i, acc, item, borrowed, base)
        if self.chance(0.7):
            over = f"{first}, {last}, {-step if down else step}"
            if step == 1 and not down:
                over = last if first == "0" and self.chance(0.7) else f"{first}, {last}"
            return [f"for {i} in range({over}):", *indented(body)]
        sign = self.pick((">", ">=")) if down else self.pick(("<", "<", "<="))
        return [
            f"{i} = {first}",
            f"while {i} {sign} {last}:",
            *indented([*body, f"{i} {'-=' if down else '+='} {step}"]),
        ]

    def index_of(self, z: str, i: str, base: str) -> str:
        """An index that depends on the counter."""
        if base:
            return self.pick((f"{i} % len({z})", f"{i} - {base}", f"{i} & 3", f"({i} >> 60) % 3"))
        near = (f"{i} + 1", f"{i} - 1", f"{i} + 2", f"-{i}", f"~{i}", f"2 * {i}", f"{i} // 2", f"len({z}) - 1 - {i}",
                f"len({z}) - {i}",
                f"{i} % len({z})", f"{i} * {i} % (len({z}) + 1)", f"({i} + 3) % {max(1, self.size_at_hand)}",
                f"{i} ^ 1", str(self.pick((0, -1, 1))))  # fmt: skip
        return i if self.chance(0.5) else self.pick(near)

    def index_body(self, z: str, y: str, i: str, acc: str, item: Kind, borrowed: bool, base: str) -> Lines:
        """What a loop over indices does."""
        lines: Lines = []
        for _ in range(self.rng.randint(1, 3)):
            a, b = (f"{z}[{self.index_of(z, i, base)}]" for _ in range(2))
            number = self.pick(("1", "3", "-7", "1000")) if item == INT else self.pick(("0.5", "-2.0"))
            index = self.index_of(z, i, base)
            forms: list[Lines] = [
                [f"{acc} += {a}"],
                [f"{acc} += {a} * {y}[{self.index_of(y, i, base)}]"],
                [f"{acc} = {acc} {self.pick('+-*')} {a} * {number}"],
                [f"if {a} > {number}:", f"    {acc} += {number}"],
                [f"if {a} {self.pick(('<', '==', '>='))} {b}:", f"    {acc} -= {b}"],
                [f"if 0 <= {index} < len({z}):", f"    {acc} += {z}[{index}]"],
                [f"{a}, {b} = {b}, {a}"],
                [f"{a} = {b}"],
                [f"if {acc} > {self.pick(('100', '-3', '5'))} and {a} < {number}:", "    break"],
                [f"{acc} += {self.pick(('len', 'sum'))}({z}[{index}:{self.pick(('', '-1', i))}])"],
            ]
            if item == INT:
                forms.append([f"{acc} = ({acc} * 31 + {a}) & {self.pick(('0xFFFFFFFF', '255'))}"])
                forms.append([f"{acc} ^= {a}"])
            if not borrowed:
                forms.append([f"{a} = {b} + {number}"])
                forms.append([f"{a} {self.pick(('+=', '-=', '*='))} {number}"])
                forms.append([f"if len({z}) < {self.size_at_hand + 4}:", f"    {z}.append({number})"])
                forms.append([f"if len({z}) > 3:", f"    {z}.pop({self.pick(('', '0', '-1'))})"])
            if self.size_at_hand <= 17 and not base:
                j = self.fresh("j")
                inner = self.pick(
                    (
                        f"range({i}, min({i} + 3, len({z})))",
                        f"range({i} - 1, -1, -1)",
                        f"range(len({z}) - 1, {i}, -2)",
                        f"range({i} % 5)",
                    )
                )
                forms.append([f"for {j} in {inner}:", f"    {acc} += {z}[{self.index_of(z, j, '')}]"])
            lines += self.pick(forms)
        if self.chance(0.15):
            lines.insert(0, f"{acc} += {i} % 7" if item == INT else f"{acc} += 0.5 * ({i} % 7)")
        return lines

    def told(self, z: str, acc: str, item: Kind) -> Lines:
        """What a loop came to, as names that others read."""
        if item == FLOAT:
            kept, result = self.declare(self.fresh("v"), list_of(FLOAT)), self.declare(self.fresh("v"), FLOAT)
            return [f"{kept.name} = {z}[:12]", f"{result.name} = {acc}"]
        total, digest = self.fresh("v"), self.fresh("v")
        lines = [f"{total} = {self.fit(Code(acc, WIDE), INT)}"]
        x = self.fresh("x")
        lines += [f"{digest} = 0", f"for {x} in {z}:", f"    {digest} = ({digest} * 31 + {x}) & 0xFFFFF"]
        self.declare(total, INT)
        self.declare(digest, INT)
        return lines

    # Names that widen

    def widening(self) -> Lines:
        """Loops inside each other, in which names that begin as None, or as a number, come to hold something else."""
        kinds = [self.scalar_kind() for _ in range(self.rng.randint(1, 2))]
        names = [self.fresh("o") for _ in kinds]
        i, j = self.fresh("i"), self.fresh("j")
        trips = self.rng.randint(1, 4), self.rng.randint(1, 4)
        if not self.affordable(12 * trips[0] * trips[1]):
            return self.assign()
        lines = [f"{name} = None" for name in names]
        counters = (Var(i, INT, fixed=True), Var(j, INT, fixed=True))
        self.frame.loops += 1
        in_finally, self.frame.in_finally = self.frame.in_finally, False
        inner: Lines = []
        with self.block(*counters, repeats=trips[0] * trips[1]):
            if self.chance(0.5):
                inner += self.body(1)
            for name, kind in zip(names, kinds, strict=True):
                inner += self.widened(
                    name,
                    kind,
                    f"({i} + {self.rng.randint(1, 3)} * {j}) % {self.rng.randint(1, 4)} == {self.rng.randint(0, 1)}",
                )
        outer: Lines = []
        with self.block(counters[0], repeats=trips[0]):
            if self.chance(0.3):
                outer += self.widened(names[0], kinds[0], f"{i} == {self.rng.randint(0, 2)}")
            outer += [f"for {j} in range({trips[1]}):", *indented(inner)]
            if self.chance(0.3):
                outer += self.body(1)
        self.frame.loops -= 1
        self.frame.in_finally = in_finally
        lines += [f"for {i} in range({trips[0]}):", *indented(outer)]
        for name, kind in zip(names, kinds, strict=True):
            self.declare(name, optional(kind), fixed=True)
        return lines

    def widened(self, name: str, kind: Kind, condition: str) -> Lines:
        """A name gets a value under a condition; otherwise it is looked at."""
        lines = [f"if {condition}:", f"    {name} = {self.small(kind)}"]
        if self.chance(0.5):
            known = Var(name, kind, fixed=True)
            lines += [f"elif {name} is not None:", *self.inner(1, known)]
            if self.chance(0.5):
                with self.block(known):
                    lines.append(f"    {name} = {self.small(kind)}")
        elif self.chance(0.3):
            lines += ["else:", f"    {name} = None"]
        return lines
