"""Statements: assignments, control flow, exceptions, calls. Each gives its lines, not indented."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from tests.fuzz.base import Code, Var
from tests.fuzz.features import Feature
from tests.fuzz.kinds import BOOL, FLOAT, INT, STR, Kind, optional
from tests.fuzz.scalars import Scalars

Lines = list[str]
Statement = tuple[float, Callable[[], Lines]]

BUILTIN_ERRORS = (
    "ValueError",
    "KeyError",
    "IndexError",
    "ZeroDivisionError",
    "RuntimeError",
    "TypeError",
    "OverflowError",
)


def indented(lines: Lines) -> Lines:
    """The lines of a block."""
    return ["    " + line for line in lines]


class Statements(Scalars):
    """Blocks of statements."""

    def body(self, size: int) -> Lines:
        """Some statements."""
        lines: Lines = []
        for _ in range(size):
            lines += self.statement()
        return lines or ["pass"]

    def inner(self, size: int, *extra: Var, repeats: int = 1) -> Lines:
        """Some statements as a block of their own, indented."""
        with self.block(*extra, repeats=repeats):
            return indented(self.body(size))

    def size(self) -> int:
        """How many statements an inner block gets."""
        return max(1, self.rng.randint(1, 3) - len(self.frame.scopes) + 1)

    def statement(self) -> Lines:
        """One statement."""
        if not self.affordable(1):
            return []
        deep = len(self.frame.scopes) >= 4
        return self.weighted(*self.statements(deep))()

    def statements(self, deep: bool) -> Iterator[Statement]:
        """The kinds of statements, with weights; when `deep`, those without blocks only."""
        yield 4.0, self.new_name
        yield 4.0, self.assign
        yield 2.0, self.augmented
        if self.on(Feature.TUPLE):
            yield 0.7, self.unpack
        if self.on(Feature.ASSERT):
            yield 0.3, self.assertion
        if self.on(Feature.PRINT):
            yield 0.8, self.printed
        if self.on(Feature.DEL):
            yield 0.2, self.deleted
        if self.on(Feature.WALRUS):
            yield 0.3, self.walrus
        if any(f.result.head == "none" for f in self.functions):
            yield 1.5, self.procedure_call
        if not self.frame.in_finally:
            yield 0.5, self.leave
        if self.frame.loops and not self.frame.in_finally:
            yield 0.8, self.jump
        if deep:
            return
        yield 2.5, self.branch
        yield 1.0, self.both
        if self.frame.repeats < 200:
            yield 2.0, self.for_range
            yield 1.0, self.while_loop
        if self.frame.repeats < 3:
            yield 0.6, self.long_range
        if self.on(Feature.TRY):
            yield 1.5, self.try_statement
        if self.managers:
            yield 0.6, self.with_statement
        if self.on(Feature.MATCH):
            yield 0.5, self.match_statement

    # Names

    def new_name(self) -> Lines:
        """A new name."""
        kind = self.kind()
        constant = self.chance(0.3) and not self.frame.loops
        annotated = self.chance(0.3) or self.needs_annotation(kind)
        value = self.small(kind, 3)
        var = self.declare(self.fresh("v"), kind, constant=constant)
        return [f"{var.name}: {kind} = {value}" if annotated else f"{var.name} = {value}"]

    def needs_annotation(self, kind: Kind) -> bool:
        """Whether a value of this type may not say so by itself."""
        return kind.has("list", "dict", "set", "optional", "union", "row") or kind.name != ""

    def assign(self) -> Lines:
        """A name gets a new value of its type; or another name as well."""
        found = self.assignable()
        if not found:
            return self.new_name()
        var = self.pick(found)
        value = self.small(var.kind, 3)
        others = [v for v in self.assignable(var.kind) if v.name != var.name]
        if others and self.chance(0.1):
            return [f"{self.pick(others).name} = {var.name} = {value}"]
        return [f"{var.name} = {value}"]

    def augmented(self) -> Lines:
        """``x += …``, kept within bounds."""
        found = [v for v in self.assignable() if v.kind in (INT, FLOAT, BOOL, STR)]
        if not found:
            return self.new_name()
        var = self.pick(found)
        name = var.name
        match var.kind.head:
            case "int":
                sign = self.pick(("+=", "-=", "*=", "//=", "%=", "&=", "|=", "^="))
                value: str = self.small(INT, 2)
                if sign in ("//=", "%=") and not self.risky():
                    value = str(self.pick((2, 3, 5, -7, 11)))
                keep = (
                    [f"{name} %= {self.pick((1009, 65537, 1000003))}"] if sign in ("+=", "-=", "*=", "|=", "^=") else []
                )
                return [f"{name} {sign} {value}", *keep]
            case "float":
                return [f"{name} {self.pick(('+=', '-=', '*='))} {self.expr(FLOAT, 2)}"]
            case "bool":
                return [f"{name} {self.pick(('&=', '|=', '^='))} {self.expr(BOOL, 2)}"]
        return [f"{name} += {self.small(STR, 2)}", f"{name} = {name}[-{self.rng.randint(5, 40)}:]"]

    def unpack(self) -> Lines:
        """``a, b = …``."""
        pairs = [v for v in self.visible() if v.kind.head == "tuple"]
        if pairs and self.chance(0.6):
            var = self.pick(pairs)
            names = [self.declare(self.fresh("u"), k).name for k in var.kind.args]
            return [f"{', '.join(names)}{',' if len(names) == 1 else ''} = {var.name}"]
        found = self.assignable()
        same = [(a, b) for a in found for b in found if a.name < b.name and a.kind == b.kind]
        if same and self.chance(0.5):
            a, b = self.pick(same)
            return [f"{a.name}, {b.name} = {b.name}, {a.name}"]
        kinds = [self.scalar_kind() for _ in range(self.rng.randint(2, 3))]
        values = [self.small(k, 2) for k in kinds]
        names = [self.declare(self.fresh("u"), k).name for k in kinds]
        left = ", ".join(names)
        return [f"{f'({left})' if self.chance(0.2) else left} = {', '.join(values)}"]

    def deleted(self) -> Lines:
        """A name that lives for a few statements."""
        name = self.fresh("gone")
        kind = self.scalar_kind()
        value = self.small(kind)
        with self.block(Var(name, kind)):
            lines = self.new_name_of(self.scalar_kind())
        moved = lines[0].split(" = ")[0].split(":")[0]
        self.declare(moved, self.last_kind)
        return [f"{name} = {value}", *lines, f"del {name}"]

    last_kind = INT

    def new_name_of(self, kind: Kind) -> Lines:
        """A new name of a type."""
        value = self.small(kind)
        name = self.declare(self.fresh("v"), kind).name
        self.last_kind = kind
        return [f"{name} = {value}"]

    def walrus(self) -> Lines:
        """``if (x := …) > …``."""
        kind = self.pick((INT, FLOAT))
        name = self.fresh("w")
        value, other = self.small(kind), self.expr(kind, 1)
        self.declare(name, kind)
        return [f"if ({name} := {value}) {self.pick(('<', '>', '=='))} {other}:", *self.inner(self.size())]

    # Leaving

    def value_of_result(self) -> str:
        """What stands behind ``return``, with a blank before it."""
        result = self.frame.result
        return "" if result.head == "none" else f" {self.small(result)}"

    def leave(self) -> Lines:
        """``return`` or ``raise`` under a condition."""
        condition = self.rare() if self.frame.loops else self.condition()
        if self.on(Feature.RAISE) and self.risky():
            return [f"if {condition}:", f"    {self.raised()}"]
        if not self.chance(0.5):
            return self.assign()
        return [f"if {condition}:", f"    return{self.value_of_result()}"]

    def rare(self) -> str:
        """A condition that does not often hold."""
        return f"{self.small(INT)} % {self.rng.randint(5, 23)} == {self.rng.randint(0, 4)}"

    def raised(self) -> str:
        """``raise …``."""
        if self.holding and self.chance(0.3):
            name, kind = self.pick([*self.holding.items()])
            return f"raise {name}({self.small(kind)}, {self.small(INT)})"
        name = self.pick((*BUILTIN_ERRORS, *self.errors * 3))
        if self.frame.handler and self.chance(0.25):
            return "raise"
        cause = ""
        if self.on(Feature.FROM) and self.chance(0.3):
            cause = " from None" if self.caught is None else f" from {self.caught}"
        if cause:
            return f"raise {name}({self.message()}){cause}"
        return f"raise {name}({self.message()})" if self.chance(0.9) or name == "KeyError" else f"raise {name}"

    def message(self) -> str:
        """The message of an exception."""
        if self.on(Feature.FSTRING) and self.chance(0.4):
            return f"f'got {{{self.pick([v.name for v in self.of_kind(INT)] or ['1'])}}}'"
        if self.on(Feature.STR) and self.chance(0.3):
            return self.expr(STR, 1)
        return repr(self.pick(("no", "too large", "bad value", "it's empty", "50%")))

    def assertion(self) -> Lines:
        """``assert``, which holds unless something else is wanted."""
        holds = self.condition() if self.risky() else f"{self.expr(INT, 1)} != 12_345_678_901"
        return [f"assert {holds}, {self.message()}" if self.chance(0.6) else f"assert {holds}"]

    def jump(self) -> Lines:
        """``break`` or ``continue`` under a condition."""
        extra = self.body(1) if self.chance(0.2) else []
        return [
            *extra,
            f"if {self.rare() if self.chance(0.6) else self.condition()}:",
            f"    {self.pick(('break', 'continue'))}",
        ]

    # Blocks

    def branch(self) -> Lines:
        """``if``, ``elif``, ``else``."""
        lines = [f"if {self.condition(3)}:", *self.inner(self.size())]
        for _ in range(self.weighted((6.0, 0), (2.0, 1), (1.0, 2))):
            lines += [f"elif {self.condition()}:", *self.inner(self.size())]
        if self.chance(0.4):
            lines += ["else:", *self.inner(self.size())]
        return lines

    def both(self) -> Lines:
        """A name that is set in both branches, or to None before one that sets it."""
        kind = self.scalar_kind()
        name = self.fresh("b")
        lines: Lines = []
        condition = self.condition()
        maybe = self.on(Feature.OPTIONAL) and self.chance(0.3)
        heads = [f"if {condition}:"] if maybe else [f"if {condition}:", "else:"]
        for head in heads:
            with self.block():
                lines += [head, *indented(self.body(self.rng.randint(0, 2)) if self.chance(0.5) else [])]
                lines.append(f"    {name} = {self.small(kind)}")
        self.declare(name, optional(kind) if maybe else kind)
        return [f"{name} = None", *lines] if maybe else lines

    def for_range(self) -> Lines:
        """``for`` over a range."""
        name = self.fresh("i")
        trips = self.rng.randint(1, 6)
        start, stop = self.rng.randint(-3, 3), trips
        match self.rng.randint(0, 5):
            case 0 | 1:
                over = f"range({trips})"
            case 2:
                over = f"range({start}, {start + stop})"
            case 3:
                over = f"range({start + stop}, {start}, {self.pick((-1, -2))})"
            case 4:
                over = f"range({self.small(INT)} % {trips + 1})"
            case _:
                step = self.small(INT, 1) if self.risky() else str(self.pick((1, 2, 3)))
                over = f"range({start}, {start + stop}, {step})"
        return self.loop(f"for {name if self.chance(0.9) else '_'} in {over}:", Var(name, INT, fixed=True), trips=trips)

    def long_range(self) -> Lines:
        """``for`` over more iterations than are unrolled at once, or than there are between two safepoints of a
        test."""
        name = self.fresh("i")
        trips, step = self.rng.randint(9, 80), self.pick((1, -1, 2, -2, 3, -3, 7, -11))
        start = self.rng.randint(-40, 40)
        # The last step may go beyond the end.
        stop = start + trips * step - self.rng.randint(0, abs(step) - 1) * (1 if step > 0 else -1)
        first = str(start) if self.chance(0.6) else f"{start} + {self.small(INT, 1)} % 3"
        over = f"range({first}, {stop})" if step == 1 else f"range({first}, {stop}, {step})"
        if start == 0 and step == 1:
            over = f"range({stop})"
        return self.loop(f"for {name} in {over}:", Var(name, INT, fixed=True), trips=trips)

    def loop(self, head: str, *extra: Var, trips: int, first: tuple[str, ...] = ()) -> Lines:
        """A loop with this head, perhaps with ``else``."""
        visible = [v for v in extra if " _ " not in head]
        self.frame.loops += 1
        in_finally, self.frame.in_finally = self.frame.in_finally, False
        inner = self.inner(self.size() + 1, *visible, repeats=max(1, trips))
        self.frame.loops -= 1
        self.frame.in_finally = in_finally
        lines = [head, *indented(list(first)), *inner]
        if self.on(Feature.LOOP_ELSE) and self.chance(0.15):
            lines += ["else:", *self.inner(self.size())]
        return lines

    def while_loop(self) -> Lines:
        """``while``, with a counter that ends it."""
        name = self.fresh("n")
        trips = self.rng.randint(1, 6)
        extra = f" and {self.condition()}" if self.chance(0.4) else ""
        var = self.declare(name, INT, fixed=True)
        if self.chance(0.15):
            first = (f"{name} -= 1", f"if {name} < 0{' or ' + str(self.condition()) if extra else ''}:", "    break")
            return [f"{name} = {trips}", *self.loop("while True:", var, trips=trips, first=first)]
        return [f"{name} = {trips}", *self.loop(f"while {name} > 0{extra}:", var, trips=trips, first=(f"{name} -= 1",))]

    # Calls and effects

    def procedure_call(self) -> Lines:
        """A function called for what it does."""
        function = self.pick([f for f in self.functions if f.result.head == "none"])
        call = self.call(function, 2)
        return [str(call)] if call else []

    def printed(self) -> Lines:
        """``print``."""
        items = [self.expr(self.printable(), 2) for _ in range(self.rng.randint(0, 3))]
        named = [v.name for f in self.frame.scopes for v in f if v.kind.head in ("class", "data", "named", "enum")]
        if named and self.chance(0.3):
            items.append(Code(f"type({self.pick(named)}).__name__"))
        if items and self.chance(0.25):
            items.append(Code(self.pick(("sep='-'", "end=''", "end=';\\n'", "sep=', '"))))
        return [f"print({', '.join(items)})"]

    def printable(self) -> Kind:
        """A type whose text does not depend on order or address."""
        for _ in range(10):
            kind = self.kind()
            if not kind.has("set", "class"):
                return kind
        return INT

    # Exceptions

    def assigned_last(self, name: str) -> Lines:
        """What a handler assigns to a name before it may raise; `finally` sees it."""
        if not name or self.chance(0.3):
            return []
        return [
            f"    {name} = {self.small(INT)} % 1009",
            f"    {name} += [0, 1][{self.small(INT)} % {self.pick((2, 3))}]",
        ]

    def try_statement(self) -> Lines:
        """``try`` with handlers, ``else`` and ``finally``."""
        frame = self.frame
        risk, self.risk = self.risk, max(self.risk, 0.3)
        lines = ["try:", *self.inner(self.size() + 1)]
        self.risk = risk
        with_finally = self.chance(0.35)
        count = self.rng.randint(0 if with_finally else 1, 2)
        names = list(
            dict.fromkeys(
                self.pick(
                    (*BUILTIN_ERRORS[:4], "ArithmeticError", "LookupError", *self.errors * 2, *[*self.holding] * 3)
                )
                for _ in range(count)
            )
        )
        if count and self.chance(0.6):
            names.append("Exception")
        kept = [v.name for v in self.of_kind(INT) if not v.fixed]
        last = self.pick(kept) if kept and with_finally and self.chance(0.5) else ""
        handler, frame.handler = frame.handler, True
        for name in names:
            if name in self.holding and self.chance(0.7):
                error, held = self.fresh("e"), Var(self.fresh("h"), self.holding[name], fixed=True)
                lines += [
                    f"except {name} as {error}:",
                    f"    {held.name} = {error}.held",
                    *self.inner(self.size(), held),
                ]
                continue
            if self.chance(0.15) and name != "Exception":
                name = f"({name}, {self.pick(('TypeError', 'AssertionError'))})"
            if self.chance(0.4):
                error = self.fresh("e")
                use = self.use_of_error(error)
                outer, self.caught = self.caught, error
                lines += [f"except {name} as {error}:", *self.assigned_last(last), *indented(use), *self.inner(1)]
                self.caught = outer
            else:
                lines += [f"except {name}:", *self.assigned_last(last), *self.inner(self.size())]
        frame.handler = handler
        if names and self.chance(0.25):
            lines += ["else:", *self.inner(1)]
        if with_finally:
            before, frame.in_finally, loops, frame.loops = frame.in_finally, True, frame.loops, 0
            lines += ["finally:", *([f"    print({last})"] if last else []), *self.inner(1)]
            frame.in_finally, frame.loops = before, loops
        return lines

    caught: str | None = None
    """The name of the exception being handled."""

    def use_of_error(self, name: str) -> Lines:
        """A handler uses the exception it caught."""
        if self.on(Feature.PRINT) and self.chance(0.3):
            return [f"print({self.pick(('type({0})', '{0}.__class__')).format(name)}.__name__)"]
        if self.on(Feature.STR):
            found = self.assignable(STR)
            if found and self.chance(0.6):
                return [f"{self.pick(found).name} = str({name})[:30]"]
        if self.on(Feature.PRINT):
            return [f"print({name})"]
        return ["pass"]

    def with_statement(self) -> Lines:
        """``with`` over one of the module's own context managers."""
        manager = self.pick(self.managers)
        if self.chance(0.4):
            name = self.fresh("c")
            return [
                f"with {manager}({self.small(INT)}) as {name}:",
                *self.inner(self.size(), Var(name, INT, fixed=True)),
            ]
        return [f"with {manager}({self.small(INT)}):", *self.inner(self.size())]

    def match_statement(self) -> Lines:
        """``match`` over literals."""
        kind = self.weighted((3.0, INT), (2.0 if self.on(Feature.STR) else 0.0, STR))
        subject = Code(f"({self.small(INT)} % {self.rng.randint(2, 5)})") if kind == INT else self.small(kind)
        lines = [f"match {subject}:"]
        for i in range(self.rng.randint(1, 3)):
            pattern = (
                str(i)
                if kind == INT
                else repr(self.pick(("a", "", "abc", "x y z", "12")) + str(i) * self.rng.randint(0, 1))
            )
            if self.chance(0.2):
                pattern += f" | {7 + i}" if kind == INT else " | 'q'"
            guard = f" if {self.condition()}" if self.chance(0.2) else ""
            lines += indented([f"case {pattern}{guard}:", *self.inner(self.size())])
        if self.chance(0.7):
            name = self.fresh("m")
            with_name = self.chance(0.3)
            extra = (Var(name, kind, fixed=True),) if with_name else ()
            lines += indented([f"case {name if with_name else '_'}:", *self.inner(self.size(), *extra)])
        return lines
