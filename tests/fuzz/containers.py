"""Expressions and statements over lists, dicts, sets and tuples."""

from __future__ import annotations

from collections.abc import Iterator

from tests.fuzz.base import Code, Var
from tests.fuzz.features import Feature
from tests.fuzz.kinds import BOOL, FLOAT, INT, LENGTH, STR, Kind, dict_of, list_of, set_of, tuple_of
from tests.fuzz.scalars import Option
from tests.fuzz.statements import Lines, Statement, Statements, indented
from tests.fuzz.strings import Texts


class Containers(Texts, Statements):
    """`expr` for containers, numbers that come from them, and statements that change them."""

    # Types

    def kind(self, depth: int = 1) -> Kind:
        """See `Base`."""
        choices = [(5.0, "scalar")]
        if self.on(Feature.TUPLE):
            choices.append((0.8, "tuple"))
        if depth > 0:
            choices += [(w, h) for w, f, h in _CONTAINERS if self.on(f)]
        match self.weighted(*choices):
            case "tuple":
                return tuple_of(*(self.item_kind(depth - 1) for _ in range(self.rng.randint(1, 3))))
            case "list":
                return list_of(self.item_kind(depth - 1))
            case "dict":
                return dict_of(self.key_kind(), self.item_kind(depth - 1))
            case "set":
                return set_of(self.key_kind())
            case "row":
                return Kind("row", (self.scalar_kind(),))
        return self.scalar_kind()

    def item_kind(self, depth: int) -> Kind:
        """The type of an element."""
        if self.on(Feature.NESTED) and self.chance(0.25):
            return self.kind(max(depth, 1) if self.chance(0.3) else 0)
        return self.scalar_kind()

    def key_kind(self) -> Kind:
        """A type of keys; floats are none, for the sake of nan."""
        choices = [(4.0, INT)]
        if self.on(Feature.STR):
            choices.append((4.0, STR))
        if self.on(Feature.TUPLE, Feature.NESTED):
            choices.append((0.7, tuple_of(INT, self.pick((INT, BOOL)))))
        return self.weighted(*choices)

    def orderable(self, kind: Kind) -> bool:
        """Whether values can be sorted and the order depends on nothing else; nan has none. Elements of tuples behind
        the first need no order: TypeError if they decide."""
        if kind.head != "tuple":
            return kind in (INT, STR, BOOL)
        return self.orderable(kind.args[0]) and all(self.orderable(k) or self.equatable(k) for k in kind.args)

    def equatable(self, kind: Kind) -> bool:
        """Whether equality depends on the values only; nan in containers is equal to itself by identity."""
        return not kind.has("float", "class", "data", "named")

    def shown(self) -> Kind:
        """See `Texts`."""
        return self.printable()

    # Literals

    def literal(self, kind: Kind, depth: int = 1) -> Code:
        """See `Base`; elements may be any expression of small depth."""
        size = self.rng.choice((0, 1, 2, 3))
        inner = max(0, depth - 1)
        match kind.head:
            case "list":
                starred = [v.name for v in self.of_kind(kind)] if self.on(Feature.STARRED) and self.chance(0.2) else []
                items = [str(self.small(kind.args[0], inner)) for _ in range(size)] + [f"*{n}" for n in starred[:1]]
                return Code(f"[{', '.join(items)}]", size + LENGTH * len(starred[:1]))
            case "row":
                return Code(f"({''.join(self.small(kind.args[0], inner) + ', ' for _ in range(size))})", size)
            case "dict":
                pairs = (f"{self.small(kind.args[0], inner)}: {self.small(kind.args[1], inner)}" for _ in range(size))
                return Code(f"{{{', '.join(pairs)}}}", size)
            case "set":
                items = [str(self.small(kind.args[0], inner)) for _ in range(size)]
                return Code(f"{{{', '.join(items)}}}" if items else "set()", size)
            case "tuple":
                return Code(f"({''.join(self.small(a, inner) + ', ' for a in kind.args)})")
        return super().literal(kind, depth)

    def known(self, kind: Kind) -> Code:
        """A name of this type, or a literal whose type shows: what a method is called on."""
        found = self.of_kind(kind)
        if found:
            return Code(self.pick(found).name, self.bound_of(kind))
        for _ in range(5):
            made = self.literal(kind)
            if made.bound > 0:
                return made
        return Code(self.leaf_value(kind), 1)

    def leaf_value(self, kind: Kind) -> str:
        """A container of one element."""
        first = self.literal(kind.args[0], 0)
        match kind.head:
            case "list":
                return f"[{first}]"
            case "row":
                return f"({first},)"
            case "set":
                return f"{{{first}}}"
        return f"{{{first}: {self.literal(kind.args[1], 0)}}}"

    def names(self, *heads: str) -> list[Var]:
        """The names of containers."""
        return self.vars(lambda v: v.kind.head in heads)

    # Expressions

    def options(self, kind: Kind, depth: int) -> Iterator[Option]:
        """See `Scalars`."""
        yield from super().options(kind, depth)
        lists = [v for v in self.names("list", "row") if v.kind.args[0] == kind]
        if lists:
            yield 2.5, lambda: self.element(self.pick(lists), depth)
        dicts = [v for v in self.names("dict") if v.kind.args[1] == kind]
        if dicts:
            yield 2.0, lambda: self.entry(self.pick(dicts), depth)
        match kind.head:
            case "int":
                yield from self.int_of_containers(depth)
            case "bool":
                yield from self.bool_of_containers(depth)
            case "list":
                yield from self.of_list(kind, depth)
            case "row":
                yield 1.0, lambda: Code(f"tuple({self.small(list_of(kind.args[0]), depth)})", LENGTH)
                yield 1.0, lambda: Code(f"({self.known(kind)} + {self.small(kind, depth)})", 2 * LENGTH)
            case "dict":
                yield from self.of_dict(kind, depth)
            case "set":
                yield from self.of_set(kind, depth)
            case "tuple":
                yield 3.0, lambda: Code(f"({''.join(self.small(a, depth) + ', ' for a in kind.args)})")

    def element(self, var: Var, depth: int) -> Code:
        """``xs[i]``, in range unless something else is wanted."""
        item, name, i = var.kind.args[0], var.name, self.small(INT, depth)
        bound = self.bound_of(item)
        if self.risky() or not self.on(Feature.TERNARY):
            return (
                Code(f"{name}[{self.rng.randint(-2, 2) if self.chance(0.5) else f'{i} % 5'}]", bound)
                if self.risky()
                else self.leaf(item)
            )
        if var.kind.head == "list" and self.chance(0.1) and not var.still:
            return Code(f"({name}.pop() if {name} else {self.leaf(item)})", bound)
        index = f"{i} % len({name})" if self.chance(0.6) else self.pick(("0", "-1"))
        return Code(f"({name}[{index}] if {name} else {self.leaf(item)})", bound)

    def entry(self, var: Var, depth: int) -> Code:
        """``d[k]``, ``d.get(k, x)``."""
        key, value = var.kind.args
        k = self.small(key, depth)
        bound = self.bound_of(value)
        if self.risky():
            return Code(f"{var.name}[{k}]", bound)
        if self.chance(0.2) and not var.still:
            return Code(f"{var.name}.{self.pick(('setdefault', 'pop'))}({k}, {self.small(value, depth)})", bound)
        if self.chance(0.3) and self.on(Feature.TERNARY):
            name = self.leaf(key)
            return Code(f"({var.name}[{name}] if {name} in {var.name} else {self.leaf(value)})", bound)
        return Code(f"{var.name}.get({k}, {self.small(value, depth)})", bound)

    def int_of_containers(self, depth: int) -> Iterator[Option]:
        """Ints that tell about containers."""
        found = self.names("list", "dict", "set", "row", "tuple")
        if found:
            yield 1.0, lambda: Code(f"len({self.pick(found).name})", 200)
        lists = [v for v in self.names("list", "row") if v.kind.args[0] == INT]
        if lists:
            yield 0.8, lambda: Code(f"sum({self.pick(lists).name}{self.pick(('', '', ', 5'))})", 10**9)
            yield (
                0.5,
                lambda: Code(f"{self.pick(('min', 'max'))}({self.pick(lists).name}, default={self.leaf(INT)})", 10**6),
            )
        same = [v for v in self.names("list", "row") if self.equatable(v.kind.args[0])]
        if same:
            yield 0.4, lambda: self.position_in(self.pick(same), depth)
        ordered = [v for v in self.names("list", "row") if self.orderable(v.kind.args[0])]
        if ordered:
            yield 0.2, lambda: self.bisected(self.pick(ordered), depth)
        sets = [v for v in self.names("set") if v.kind.args[0] == INT]
        if sets:
            yield 0.5, lambda: Code(f"sum({self.pick(sets).name})", 10**9)
        if self.on(Feature.GENERATOR) and (found or self.chance(0.3)):
            yield 0.6, lambda: Code(f"sum({self.comprehension(INT, depth)})", 10**9)

    def position_in(self, var: Var, depth: int) -> Code:
        """``xs.count(x)``, ``xs.index(x)``."""
        name = "index" if self.risky() else "count"
        return Code(f"{var.name}.{name}({self.small(var.kind.args[0], depth)})", 100)

    def bisected(self, var: Var, depth: int) -> Code:
        """``bisect.bisect_left(xs, x)``."""
        name = self.pick(("bisect", "bisect_left", "bisect_right"))
        start = f", {self.small(INT, depth)}" if self.risky() else ""
        return Code(f"bisect.{name}({var.name}, {self.small(var.kind.args[0], depth)}{start})", 100)

    def bool_of_containers(self, depth: int) -> Iterator[Option]:
        """Truth values that tell about containers."""
        found = [v for v in self.names("list", "dict", "set", "row") if self.equatable(v.kind)]
        if found:
            yield 1.5, lambda: self.membership(self.pick(found), depth)
            yield 0.6, lambda: self.equality(self.pick(found), depth)
        if self.on(Feature.GENERATOR):
            yield 0.6, lambda: Code(f"{self.pick(('any', 'all'))}({self.comprehension(BOOL, depth)})")
        sets = self.names("set")
        if sets:
            yield 0.3, lambda: self.set_test(self.pick(sets), depth)
        lists = [v for v in self.names("list") if self.orderable(v.kind.args[0])]
        if lists:
            yield 0.2, lambda: self.list_order(self.pick(lists), depth)

    def membership(self, var: Var, depth: int) -> Code:
        """``x in xs``."""
        return Code(f"({self.small(var.kind.args[0], depth)} {self.pick(('in', 'not in'))} {var.name})")

    def equality(self, var: Var, depth: int) -> Code:
        """``xs == ys``."""
        return Code(f"({var.name} {self.pick(('==', '!='))} {self.small(var.kind, depth)})")

    def set_test(self, var: Var, depth: int) -> Code:
        """Subsets and the like."""
        other = self.known(var.kind)
        form = self.pick(("({} <= {})", "({} < {})", "{}.issubset({})", "{}.isdisjoint({})", "({} >= {})"))
        return Code(form.format(var.name, other))

    def list_order(self, var: Var, depth: int) -> Code:
        """``xs < ys``."""
        return Code(f"({var.name} {self.pick(('<', '>='))} {self.small(var.kind, depth)})")

    def of_list(self, kind: Kind, depth: int) -> Iterator[Option]:
        """Ways to write a list."""
        item = kind.args[0]
        yield 2.0, lambda: self.literal(kind, depth + 1)
        yield 0.7, lambda: Code(f"({self.known(kind)} + {self.small(kind, depth)})", 2 * LENGTH)
        yield 0.3, lambda: Code(f"({self.known(kind)} * ({self.small(INT, depth)} % 3))", 2 * LENGTH)
        yield 0.3, lambda: Code(f"{self.known(kind)}.copy()", LENGTH)
        if self.on(Feature.SLICE):
            yield 1.0, lambda: Code(f"{self.known(kind)}[{self.slice(depth)}]", LENGTH)
        if self.on(Feature.COMPREHENSION):
            yield 2.0, lambda: Code(f"[{self.comprehension(item, depth)}]", 60)
        if self.on(Feature.ITERATION):
            if self.orderable(item):
                yield 0.8, lambda: self.sorted(kind, depth)
                if self.on(Feature.LAMBDA):
                    yield 0.2, lambda: self.first_few(kind)
            yield 0.4, lambda: Code(f"list(reversed({self.known(kind)}))", LENGTH)
        if item == INT:
            yield 0.5, lambda: Code(f"list(range({self.small(INT, depth)} % {self.rng.randint(2, 9)}))", 9)
        if item == STR and self.on(Feature.STR):
            yield (
                0.8,
                lambda: Code(f"{self.small(STR, depth)}.split({self.pick(('', repr(','), repr(' '), repr('a')))})", 60),
            )
            yield 0.2, lambda: Code(f"list({self.small(STR, depth)})", 60)
        dicts = [v for v in self.names("dict") if item in v.kind.args]
        if dicts:
            yield 1.0, lambda: self.view(self.pick(dicts), item)

    def view(self, var: Var, item: Kind) -> Code:
        """The keys or the values of a dict as a list."""
        which = "keys" if var.kind.args[0] == item else "values"
        return Code(f"list({var.name}.{which}())", 200)

    def sorted(self, kind: Kind, depth: int) -> Code:
        """``sorted(…)``."""
        how = ""
        if self.on(Feature.LAMBDA) and self.chance(0.4):
            how = f", key={self.key(kind.args[0])}"
        if self.chance(0.3):
            how += ", reverse=" + self.pick(("True", "False"))
        over = (
            self.known(set_of(kind.args[0]))
            if self.on(Feature.SET) and kind.args[0] in (INT, STR) and not how
            else self.known(kind)
        )
        return Code(f"sorted({over}{how})", 200)

    def first_few(self, kind: Kind) -> Code:
        """``heapq.nsmallest(…)``, ``heapq.nlargest(…)``."""
        how = f", key={self.key(kind.args[0])}" if self.chance(0.5) else ""
        name = self.pick(("nsmallest", "nlargest"))
        return Code(f"heapq.{name}({self.rng.randint(-1, 4)}, {self.known(kind)}{how})", LENGTH)

    def key(self, item: Kind) -> str:
        """A lambda that gives an int."""
        name = self.fresh("k")
        with self.block(Var(name, item, fixed=True)):
            self.leaf_only += 1
            body = self.small(INT, 1)
            self.leaf_only -= 1
        return f"(lambda {name}: {body})"

    def of_dict(self, kind: Kind, depth: int) -> Iterator[Option]:
        """Ways to write a dict."""
        key, value = kind.args
        yield 2.0, lambda: self.literal(kind, depth + 1)
        yield 0.4, lambda: Code(f"{self.known(kind)}.copy()", 100)
        yield 0.5, lambda: Code(f"({self.known(kind)} | {self.known(kind)})", 100)
        if self.on(Feature.COMPREHENSION):
            yield 1.5, lambda: Code(f"{{{self.comprehension(key, depth, value)}}}", 100)
        if self.on(Feature.ITERATION):
            yield 0.5, lambda: Code(f"dict(zip({self.known(list_of(key))}, {self.known(list_of(value))}))", 100)

    def of_set(self, kind: Kind, depth: int) -> Iterator[Option]:
        """Ways to write a set."""
        yield 2.0, lambda: self.literal(kind, depth + 1)
        yield 1.5, lambda: Code(f"({self.known(kind)} {self.pick('|&-^')} {self.known(kind)})", 100)
        yield (
            0.4,
            lambda: Code(
                f"{self.known(kind)}.{self.pick(('union', 'intersection', 'difference'))}({self.known(kind)})", 100
            ),
        )
        yield 0.6, lambda: Code(f"set({self.known(list_of(kind.args[0]))})", 100)
        if self.on(Feature.COMPREHENSION):
            yield 1.0, lambda: Code(f"{{{self.comprehension(kind.args[0], depth)}}}", 100)

    def comprehension(self, item: Kind, depth: int, value: Kind | None = None) -> str:
        """What stands between the brackets of a comprehension."""
        with self.block(repeats=4):
            self.leaf_only += 1
            loops = ""
            for _ in range(2 if self.chance(0.15) else 1):
                target, over, extra = self.iteration()
                self.add(*extra)
                loops += f" for {target} in {over}"
                if self.chance(0.4):
                    loops += f" if {self.condition(1)}"
            head = str(self.small(item, depth))
            if value is not None:
                head += f": {self.small(value, depth)}"
            self.leaf_only -= 1
        return head + loops

    def iteration(self) -> tuple[str, str, list[Var]]:
        """Target, iterable and new names of a `for`."""
        choices: list[tuple[float, Var | None]] = [(1.0, None)]
        choices += [(2.0, v) for v in self.names("list", "row", "dict")]
        choices += [(0.5, v) for v in self.of_kind(STR)] if self.on(Feature.STR) else []
        choices += (
            [(0.7, v) for v in self.names("set") if self.orderable(v.kind.args[0])]
            if self.on(Feature.ITERATION)
            else []
        )
        var = self.weighted(*choices)
        name = self.fresh("x")
        if var is None:
            return name, f"range({self.rng.randint(1, 5)})", [Var(name, INT, fixed=True)]
        target, over, extra = self.iteration_of(var, name)
        if var.kind.head == "dict" and not (self.risky() and self.chance(0.3)):
            extra.append(Var(var.name, var.kind, fixed=True, still=True))
        return target, over, extra

    def iteration_of(self, var: Var, name: str) -> tuple[str, str, list[Var]]:
        """Target, iterable and new names of a `for` over a container."""
        kind, text = var.kind, var.name
        fancy = self.on(Feature.ITERATION)
        if kind.head == "set":
            return name, f"sorted({text})", [Var(name, kind.args[0], fixed=True)]
        if kind.head == "dict":
            key, value = kind.args
            match self.rng.randint(0, 3):
                case 0:
                    return name, text, [Var(name, key, fixed=True)]
                case 1:
                    return name, f"{text}.values()", [Var(name, value, fixed=True)]
            other = self.fresh("y")
            return f"{name}, {other}", f"{text}.items()", [Var(name, key, fixed=True), Var(other, value, fixed=True)]
        item = STR if kind.head == "str" else kind.args[0]
        if fancy and self.chance(0.45):
            other = self.fresh("y")
            match self.rng.randint(0, 3):
                case 0:
                    return name, f"reversed({text})", [Var(name, item, fixed=True)]
                case 1:
                    second = self.pick(self.names("list", "row") or [var])
                    other_kind = second.kind.args[0] if second.kind.args else STR
                    extra = [Var(name, item, fixed=True), Var(other, other_kind, fixed=True)]
                    return f"{name}, {other}", f"zip({text}, {second.name})", extra
                case 2:
                    start = self.pick(("", "", ", 1", ", start=5"))
                    return (
                        f"{other}, {name}",
                        f"enumerate({text}{start})",
                        [Var(name, item, fixed=True), Var(other, INT, fixed=True)],
                    )
            if self.on(Feature.SLICE):
                return name, f"{text}[{self.slice(0)}]", [Var(name, item, fixed=True)]
        return name, text, [Var(name, item, fixed=True)]

    # Statements

    def statements(self, deep: bool) -> Iterator[Statement]:
        """See `Statements`."""
        yield from super().statements(deep)
        lists = self.vars(lambda v: v.kind.head == "list" and not v.still)
        if lists:
            yield 3.0, lambda: self.change_list(self.pick(lists))
        dicts = self.vars(lambda v: v.kind.head == "dict" and not v.still)
        if dicts:
            yield 2.5, lambda: self.change_dict(self.pick(dicts))
        sets = self.vars(lambda v: v.kind.head == "set" and not v.still)
        if sets:
            yield 1.5, lambda: self.change_set(self.pick(sets))
        if self.on(Feature.STARRED) and lists:
            yield 0.4, lambda: self.starred(self.pick(lists))
        if not deep and self.frame.repeats < 60 and self.names("list", "dict", "row", "set"):
            yield 3.0, self.for_each

    def for_each(self) -> Lines:
        """``for`` over a container."""
        target, over, extra = self.iteration()
        return self.loop(f"for {target} in {over}:", *extra, trips=5)

    def change_heap(self, name: str, item: Kind) -> Lines:
        """A function of `heapq` or `bisect` that changes a list."""
        added = self.small(item)
        match self.rng.randint(0, 5):
            case 0:
                return [f"heapq.heapify({name})"]
            case 1:
                call = f"heapq.heappop({name})"
                return [call] if self.risky() else [f"if {name}:", f"    {call}"]
            case 2:
                return [f"heapq.heappushpop({name}, {added})"]
            case 3:
                call = f"heapq.heappush({name}, {added})"
            case _:
                call = f"bisect.{self.pick(('insort', 'insort_left'))}({name}, {added})"
        return [f"if len({name}) < {LENGTH}:", f"    {call}"]

    def change_list(self, var: Var) -> Lines:
        """Something that changes a list; it grows only while it is short."""
        name, item = var.name, var.kind.args[0]
        index = f"{self.small(INT, 1)} % len({name})"
        if self.orderable(item) and self.chance(0.1):
            return self.change_heap(name, item)
        match self.rng.randint(0, 11):
            case 0 | 1 | 2:
                call = f"{name}.append({self.small(item)})"
            case 3:
                call = f"{name}.insert({self.rng.randint(-3, 5)}, {self.small(item)})"
            case 4:
                call = (
                    f"{name}.extend({self.small(var.kind)})"
                    if self.chance(0.5)
                    else f"{name} += {self.small(var.kind)}"
                )
                if "+=" in call and (var.fixed or var.constant):
                    call = f"{name}.extend({self.small(var.kind)})"
            case 5 | 6:
                if self.chance(0.15) and item in (INT, FLOAT, BOOL, STR):
                    return self.read_again(var)
                head = [] if self.risky() else [f"if {name}:"]
                line = f"{name}[{index if head else self.rng.randint(-3, 3)}] = {self.small(item)}"
                if item in (INT, FLOAT) and self.chance(0.3):
                    line = (
                        f"{name}[{self.pick(('0', '-1'))}] {'//=' if item == INT else '*='} "
                        f"{'3' if item == INT else '0.5'}"
                    )
                return [*head, *(indented([line]) if head else [line])]
            case 7:
                if self.risky():
                    return [f"{name}.pop({self.pick(('', '0', '2', '-2'))})"]
                return [
                    f"if len({name}) > 1:",
                    f"    {self.pick((f'{name}.pop()', f'{name}.pop(0)', f'{name}.pop(-2)', f'del {name}[{index}]'))}",
                ]
            case 8:
                if not self.orderable(item):
                    return [f"{name}.reverse()"]
                how = self.pick(("", "", "reverse=True"))
                if self.on(Feature.LAMBDA) and self.chance(0.4):
                    how = f"key={self.key(item)}"
                    if self.chance(0.3):
                        how = f"key=lambda _: len({name})"
                return [f"{name}.sort({how})"]
            case 9:
                if self.on(Feature.SLICE) and self.chance(0.7):
                    if self.chance(0.3):  # with itself, where what is written was read before
                        return [f"{name}[{self.pick(('::-1', '::-1', ':'))}] = {name}"]
                    span = f"{self.rng.randint(0, 2)}:{self.rng.randint(1, 4)}"
                    if self.chance(0.4):
                        return [f"del {name}[{span}]"]
                    call = f"{name}[{span}] = {self.small(var.kind)}"
                else:
                    return [f"{name}.{self.pick(('reverse', 'clear', 'reverse'))}()"]
            case 10 if self.equatable(item) and self.risky():
                return [f"{name}.remove({self.small(item)})"]
            case _:
                call = f"{name}.append({self.small(item)})"
        return [f"if len({name}) < {LENGTH - 4}:", f"    {call}"]

    def read_again(self, var: Var) -> Lines:
        """A place that is read, written and read again, in a loop."""
        name, item = var.name, var.kind.args[0]
        before, after, n = self.fresh("r"), self.fresh("r"), self.fresh("n")
        first, other = self.small(item, 1), self.small(item, 1)
        lines = [f"    {before} = {name}[-1]", f"    {name}[-1] = {other}", f"    {after} = {name}[len({name}) - 1]"]
        head = [f"{before} = {after} = {first}", f"{n} = {self.rng.randint(1, 4)}", f"while {n} > 0 and {name}:"]
        self.declare(before, item)
        self.declare(after, item)
        return [*head, f"    {n} -= 1", *lines]

    def change_dict(self, var: Var) -> Lines:
        """Something that changes a dict."""
        name, (key, value) = var.name, var.kind.args
        match self.rng.randint(0, 7):
            case 0 | 1 | 2:
                return [f"{name}[{self.small(key)}] = {self.small(value)}"]
            case 3:
                k = self.leaf(key)
                if value == INT:
                    return [f"{name}[{k}] = ({name}.get({k}, 0) + {self.small(INT, 1)}) % 10007"]
                return [f"if {k} in {name}:", f"    del {name}[{k}]"]
            case 4:
                return [f"{name}.update({self.known(var.kind)})"]
            case 5:
                if self.risky():
                    return [
                        self.pick(
                            (f"del {name}[{self.small(key)}]", f"{name}.pop({self.small(key)})", f"{name}.popitem()")
                        )
                    ]
                return [f"{name}.pop({self.small(key)}, {self.small(value, 1)})"]
            case 6:
                return [f"if {name}:", f"    {name}.popitem()"]
        return [f"{name}.setdefault({self.small(key)}, {self.small(value)})"]

    def change_set(self, var: Var) -> Lines:
        """Something that changes a set."""
        name, item = var.name, var.kind.args[0]
        match self.rng.randint(0, 4):
            case 0 | 1:
                return [f"{name}.add({self.small(item)})"]
            case 2:
                return [f"{name}.{'remove' if self.risky() else 'discard'}({self.small(item)})"]
            case 3 if not (var.fixed or var.constant):
                return [f"{name} {self.pick('|&-^')}= {self.known(var.kind)}"]
        return [f"{name}.update({self.known(var.kind)})"]

    def starred(self, var: Var) -> Lines:
        """``a, *b = xs``."""
        first, rest = self.fresh("u"), self.fresh("u")
        item = var.kind.args[0]
        head = f"{first}, *{rest}" if self.chance(0.7) else f"*{rest}, {first}"
        source = f"{var.name}" if self.risky() else f"[{self.small(item, 0)}, *{var.name}]"
        self.declare(first, item)
        self.declare(rest, list_of(item))
        return [f"{head} = {source}", f"{rest} = {rest}[:{LENGTH}]"]

    def condition(self, depth: int = 2) -> Code:
        """See `Base`; containers have a truth value too."""
        found = self.names("list", "dict", "set", "row", "str")
        if found and self.chance(0.1):
            return Code(self.pick(found).name)
        return super().condition(depth)


_CONTAINERS = (
    (2.5, Feature.LIST, "list"),
    (1.5, Feature.DICT, "dict"),
    (1.0, Feature.SET, "set"),
    (0.4, Feature.ROW, "row"),
)
