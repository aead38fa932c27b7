"""Enums, named tuples, dataclasses and classes, values that may be None or one of several types, and functions as
values."""

from __future__ import annotations

from collections.abc import Iterator

from tests.fuzz.base import Code, Frame, Function, Var
from tests.fuzz.containers import Containers
from tests.fuzz.features import Feature
from tests.fuzz.kinds import BOOL, FLOAT, INT, KEYS, NONE, STR, TENSOR, ClassInfo, Kind, Method, list_of, optional
from tests.fuzz.scalars import Option
from tests.fuzz.statements import Lines, Statement, indented


class Classes(Containers):
    """`expr` for instances, optional values and unions; definitions of classes."""

    # Types

    def kind(self, depth: int = 1) -> Kind:
        """See `Base`."""
        if depth > 0:
            choices: list[tuple[float, Kind | None]] = [(6.0, None)]
            choices += [(1.2, info.kind) for info in self.classes.values()]
            if self.on(Feature.OPTIONAL):
                choices.append((1.2, optional(self.optional_item())))
            if self.on(Feature.UNION, Feature.STR):
                pairs = ((INT, STR), (STR, INT), (FLOAT, STR), (BOOL, STR), (INT, FLOAT), (FLOAT, INT))
                choices.append((0.8, Kind("union", self.pick(pairs))))
            found = self.weighted(*choices)
            if found is not None:
                return found
        return super().kind(depth)

    def optional_item(self) -> Kind:
        """What may be None."""
        instances = [i.kind for i in self.classes.values()]
        if instances and self.chance(0.3):
            return self.pick(instances)
        if self.on(Feature.LIST) and self.chance(0.2):
            return list_of(INT)
        return self.scalar_kind()

    def item_kind(self, depth: int) -> Kind:
        """See `Containers`."""
        kinds = [i.kind for i in self.classes.values()]
        return self.pick(kinds) if kinds and self.chance(0.2) else super().item_kind(depth)

    def key_kind(self) -> Kind:
        """See `Containers`."""
        enums = [i.kind for i in self.classes.values() if i.kind.head == "enum"]
        return self.pick(enums) if enums and self.chance(0.25) else super().key_kind()

    # Expressions

    def literal(self, kind: Kind, depth: int = 1) -> Code:
        """See `Base`."""
        match kind.head:
            case "optional":
                return Code("None") if self.chance(0.4) else self.small(kind.args[0], max(0, depth - 1))
            case "union":
                return self.small(self.pick(kind.args), max(0, depth - 1))
            case "enum":
                return Code(f"{kind.name}.{self.pick(self.classes[kind.name].members)}")
            case "named" | "data" | "class":
                return self.construct(kind, depth)
        return super().literal(kind, depth)

    def construct(self, kind: Kind, depth: int) -> Code:
        """A new instance."""
        texts, by_name = [], False
        for name, item in self.classes[kind.name].fields:
            by_name = by_name or self.chance(0.1)
            value = self.small(item, max(0, depth - 1))
            texts.append(f"{name}={value}" if by_name else str(value))
        return Code(f"{kind.name}({', '.join(texts)})")

    def options(self, kind: Kind, depth: int) -> Iterator[Option]:
        """See `Scalars`."""
        yield from super().options(kind, depth)
        maybe = self.of_kind(optional(kind))
        if maybe and self.on(Feature.TERNARY):
            yield 2.5, lambda: self.unless_none(self.pick(maybe), kind, depth)
        methods = [
            (v, m)
            for v in self.visible()
            if v.kind.name in self.classes
            for m in self.classes[v.kind.name].methods
            if m.result == kind
        ]
        if methods and not self.leaf_only:
            yield 2.0, lambda: self.method_call(*self.pick(methods), depth) or self.leaf(kind)
        enums = [i.kind for i in self.classes.values() if i.kind.head == "enum"]
        match kind.head:
            case "optional":
                yield 2.0, lambda: self.literal(kind, depth + 1)
                if kind.args[0].head in ("int", "str", "float"):
                    dicts = [v for v in self.names("dict") if v.kind.args[1] == kind.args[0]]
                    if dicts:
                        yield 2.0, lambda: self.got(self.pick(dicts), depth)
            case "union":
                yield 2.0, lambda: self.literal(kind, depth + 1)
                same = [v for v in self.of_kind(kind) if STR not in kind.args]
                if same:
                    yield 3.0, lambda: self.of_two_numbers(self.pick(same), depth)
            case "named" | "data" | "class":
                yield 2.5, lambda: self.construct(kind, depth + 1)
            case "bool":
                yield from self.bool_of_classes(depth, enums)
            case "int" | "str" if enums:
                valued = [e for e in enums if self.classes[e.name].value == kind]
                if valued:
                    yield 1.0, lambda: Code(f"{self.expr(self.pick(valued), depth)}.value", 100)
                besides = [e for e in valued if self.classes[e.name].extends]
                if besides:
                    yield 1.0, lambda: self.of_member(self.pick(besides), kind, depth)
                if kind == STR:
                    yield 0.6, lambda: Code(f"{self.expr(self.pick(enums), depth)}.name", 10)
            case "enum":
                info = self.classes[kind.name]
                if info.value == INT:
                    yield 0.7, lambda: self.looked_up(info, depth)
        if self.on(Feature.NAMED) and kind.head == "named":
            same = self.of_kind(kind)
            if same:
                name, item = self.pick(self.classes[kind.name].fields)
                yield 0.7, lambda: Code(f"{self.pick(same).name}._replace({name}={self.small(item, depth)})")

    def of_two_numbers(self, var: Var, depth: int) -> Code:
        """An operator on a number that is an int or a float, within bounds."""
        other = self.small(self.pick((*var.kind.args, var.kind)), depth)
        value = self.pick(
            (f"{var.name} + {other}", f"{other} - {var.name}", f"{var.name} * 3", f"-{var.name}", f"abs({var.name})")
        )
        chosen = self.pick((f"min({var.name}, {other})", f"max({other}, {var.name}, 1)")) if self.chance(0.3) else value
        return Code(f"(({chosen}) % {self.pick((97, 1009))})", 1009)

    def looked_up(self, info: ClassInfo, depth: int) -> Code:
        """A member by its value."""
        value = self.small(INT, depth)
        place = f"{value} + 0" if self.risky() else f"{value} % {len(info.members)} + 1"
        return Code(f"{info.kind.name}({place})")

    def got(self, var: Var, depth: int) -> Code:
        """``d.get(k)``."""
        return Code(f"{var.name}.get({self.small(var.kind.args[0], depth)})")

    def unless_none(self, var: Var, kind: Kind, depth: int) -> Code:
        """``x if x is not None else y``."""
        other = self.expr(kind, depth)
        with self.block(Var(var.name, kind, fixed=True)):
            value = self.expr(kind, depth) if self.chance(0.4) else Code(var.name, self.bound_of(kind))
        bound = max(value.bound, other.bound)
        if self.chance(0.3):
            return Code(f"({other} if {var.name} is None else {value})", bound)
        return Code(f"({value} if {var.name} is not None else {other})", bound)

    def method_call(self, var: Var, method: Method, depth: int) -> Code | None:
        """``x.m(…)``."""
        if var.still or not self.affordable(method.cost + 1):
            return None
        given = len(method.params) - (method.defaults if self.chance(0.5) else 0)
        texts = [str(self.small(k, depth)) for k in method.params[:given]]
        return Code(f"{var.name}.{method.name}({', '.join(texts)})", self.bound_of(method.result))

    def bool_of_classes(self, depth: int, enums: list[Kind]) -> Iterator[Option]:
        """Truth values that tell about instances and optional values."""
        maybe = self.names("optional")
        if maybe:
            yield 1.5, lambda: Code(f"({self.pick(maybe).name} is {self.pick(('None', 'not None'))})")
        unions = self.names("union")
        if unions:
            yield 1.0, lambda: self.tested(self.pick(unions))
        numbers = [v for v in unions if STR not in v.kind.args]
        if numbers:
            yield 2.0, lambda: self.compared_numbers(self.pick(numbers), depth)
        if enums:
            yield 1.0, lambda: self.enum_test(self.pick(enums), depth)
        records = [v for v in self.names("named", "data") if self.plain_fields(v.kind)]
        if records:
            yield 0.7, lambda: self.record_test(self.pick(records), depth)

    def tested(self, var: Var) -> Code:
        """``isinstance(x, T)``."""
        return Code(f"isinstance({var.name}, {self.pick((*map(self.class_of, var.kind.args), 'int'))})")

    def class_of(self, kind: Kind) -> str:
        """A class that values of this type of a union are instances of, and those of the other are not."""
        return self.pick(("bool", "int")) if kind == BOOL else str(kind)

    def compared_numbers(self, var: Var, depth: int) -> Code:
        """A number that is an int or a float, compared."""
        other = self.small(self.pick((*var.kind.args, var.kind)), depth)
        return Code(f"({var.name} {self.pick(('<', '<=', '>', '>=', '==', '!='))} {other})")

    def of_member(self, enum: Kind, kind: Kind, depth: int) -> Code:
        """A member of an IntEnum or a StrEnum where an int or a str is wanted."""
        member, other = self.expr(enum, depth), self.small(kind, depth)
        if kind == INT:
            sign = self.pick(("+", "-", "*", "//", "&"))
            whole = f"{other} // {member}" if sign == "//" else f"{member} {sign} {other} % 1009"
            numbers = (whole, f"abs({member})", f"divmod({other}, {member})[1]", f"sum([{member}, {member}])")
            return Code(f"({self.pick((*numbers, f'-{member}'))})", max(other.bound, 5000))
        texts = (
            f"{member} + {other}",
            f"{member}.upper()",
            f"{other}.replace({member}, 'z')",
            f"''.join([{member}, {other}])",
        )
        return Code(f"({self.pick((*texts, f'{member}[0]', f'{member} * 2'))})", other.bound * 20 + 20)

    def message(self) -> str:
        """See `Statements`; a member of an enum at times, alone or in a formatted literal."""
        enums = [i for i in self.classes.values() if i.kind.head == "enum"]
        if not enums or self.chance(0.85):
            return super().message()
        info = self.pick(enums)
        member = f"{info.kind.name}.{self.pick(info.members)}"
        return f"f'{{{member}}} is wrong'" if self.on(Feature.FSTRING) and self.chance(0.4) else member

    def enum_test(self, kind: Kind, depth: int) -> Code:
        """Members compared."""
        if self.classes[kind.name].value == STR and self.classes[kind.name].extends and self.chance(0.5):
            sides = [self.expr(kind, depth), self.small(STR, depth)]
            return Code(f"({' in '.join(sides if self.chance(0.5) else sides[::-1])})")
        sign = self.pick(("==", "!=", "is", "is not"))
        return Code(f"({self.expr(kind, depth)} {sign} {self.expr(kind, depth)})")

    def plain_fields(self, kind: Kind) -> bool:
        """Whether equality depends on numbers and texts without nan only."""
        return all(self.equatable(k) for _, k in self.classes[kind.name].fields)

    def record_test(self, var: Var, depth: int) -> Code:
        """Records compared."""
        ordered = self.classes[var.kind.name].ordered and all(
            self.orderable(k) for _, k in self.classes[var.kind.name].fields
        )
        sign = self.pick(("==", "!=", *(("<", ">=") if ordered else ())))
        return Code(f"({var.name} {sign} {self.small(var.kind, depth)})")

    # Statements

    def statements(self, deep: bool) -> Iterator[Statement]:
        """See `Statements`."""
        yield from super().statements(deep)
        objects = self.vars(
            lambda v: (
                v.kind.head in ("data", "class")
                and not v.still
                and not self.classes[v.kind.name].frozen
                and bool(self.classes[v.kind.name].fields)
            )
        )
        if objects:
            yield 2.5, lambda: self.set_attribute(self.pick(objects))
        acting = [
            (v, m)
            for v in self.visible()
            if v.kind.name in self.classes
            for m in self.classes[v.kind.name].methods
            if m.result == NONE
        ]
        if acting:
            yield 2.0, lambda: self.act(*self.pick(acting))
        places = [
            (v, n, k.args[0]) for v in objects for n, k in self.classes[v.kind.name].fields if k.head == "optional"
        ]
        if places and not deep:
            yield 3.0, lambda: self.refine_attribute(*self.pick(places), objects)
        if self.on(Feature.CLOSURE):
            yield 0.5, self.closure
        if self.on(Feature.LAMBDA):
            yield 0.4, self.named_lambda
        if deep:
            return
        maybe = self.names("optional")
        if maybe:
            yield 3.0, lambda: self.refine(self.pick(maybe))
        unions = self.names("union")
        if unions:
            yield 3.0, lambda: self.refine_union(self.pick(unions))
        enums = self.names("enum")
        if enums and self.on(Feature.MATCH):
            yield 0.7, lambda: self.match_enum(self.pick(enums))

    def set_attribute(self, var: Var) -> Lines:
        """``x.a = …``."""
        name, kind = self.pick(self.classes[var.kind.name].fields)
        target = f"{var.name}.{name}"
        if kind == INT and self.chance(0.4):
            return [f"{target} += {self.small(INT)}", f"{target} %= 1009"]
        if kind == FLOAT and self.chance(0.4):
            return [f"{target} *= {self.small(FLOAT)}"]
        if kind.head == "list" and self.chance(0.6):
            return [f"if len({target}) < 20:", f"    {target}.append({self.small(kind.args[0])})"]
        return [f"{target} = {self.small(kind)}"]

    def act(self, var: Var, method: Method) -> Lines:
        """A method called for what it does."""
        call = self.method_call(var, method, 2)
        return [str(call)] if call else []

    def refine(self, var: Var) -> Lines:
        """A block in which an optional name has a value."""
        kind = var.kind.args[0]
        has_value = Var(var.name, kind, fixed=True)
        match self.rng.randint(0, 4):
            case 0 if not self.frame.in_finally and len(self.frame.scopes) > 1:
                leave = "continue" if self.frame.loops and self.chance(0.6) else f"return{self.value_of_result()}"
                self.add(has_value)
                return [f"if {var.name} is None:", f"    {leave}"]
            case 1 if self.on(Feature.ASSERT) and self.risky():
                self.add(has_value)
                return [f"assert {var.name} is not None"]
            case 2:
                lines = [f"if {var.name} is None:", *self.inner(1, Var(var.name, var.kind, fixed=True))]
                return [*lines, "else:", *self.inner(self.size() + 1, has_value)]
            case 3:
                with self.block(has_value):
                    condition = self.condition(1)
                return [f"if {var.name} is not None and {condition}:", *self.inner(self.size() + 1, has_value)]
        return [f"if {var.name} is not None:", *self.inner(self.size() + 1, has_value)]

    def refine_attribute(self, var: Var, name: str, kind: Kind, objects: list[Var]) -> Lines:
        """An attribute that may be None, tested, used, changed by something, and tested again."""
        place = f"{var.name}.{name}"
        first = self.small(kind)
        target = self.declare(self.fresh("v"), kind).name
        used = {
            "int": f"({place} + {self.small(INT)}) % 1009",
            "float": f"{place} * 0.5",
            "str": f"({place} + 'x')[:40]",
        }
        step = used.get(kind.head, f"not {place}" if kind == BOOL else place)
        lines = [f"{target} = {first}"]
        if self.chance(0.4):
            body = [f"if {place} is None:", f"    {place} = {self.small(kind)}", "else:", f"    {place} = {step}"]
        else:
            test = self.pick((f"if {place} is not None:", f"if {place} is not None and {target} == {target}:"))
            body = [test, f"    {target} = {step}", *indented(self.change(var, name, kind, objects))]
            body.append(f"    {target} = {self.small(kind)} if {place} is None else {place}")
        if not self.chance(0.5):
            return lines + body
        change = self.change(var, name, kind, objects) if self.chance(0.5) else []
        return [*lines, f"for {self.fresh('i')} in range(3):", *indented(body), *indented(change)]

    def change(self, var: Var, name: str, kind: Kind, objects: list[Var]) -> Lines:
        """What may change an attribute: a method, a store, one by way of another name."""
        methods = [m for m in self.classes[var.kind.name].methods if m.result == NONE]
        other = self.pick([v for v in objects if v.kind == var.kind])
        match self.rng.randint(0, 3):
            case 0 if methods:
                return self.act(var, self.pick(methods))
            case 1:
                alias = self.fresh("v")
                return [f"{alias} = {var.name}", f"{alias}.{name} = {self.small(optional(kind))}"]
            case 2:
                return [f"{other.name}.{name} = {self.small(optional(kind))}"]
        return []

    def refine_union(self, var: Var) -> Lines:
        """Blocks in which a name of several types has one."""
        first, second = var.kind.args
        if self.on(Feature.MATCH) and self.chance(0.3):
            lines = [f"match {var.name}:"]
            for kind in (first, second):
                lines += indented(
                    [f"case {self.class_of(kind)}():", *self.inner(self.size(), Var(var.name, kind, fixed=True))]
                )
            return lines
        lines = [
            f"if isinstance({var.name}, {self.class_of(first)}):",
            *self.inner(self.size(), Var(var.name, first, fixed=True)),
        ]
        if self.chance(0.7):
            lines += ["else:", *self.inner(self.size(), Var(var.name, second, fixed=True))]
        return lines

    def match_enum(self, var: Var) -> Lines:
        """``match`` over the members of an enum."""
        lines = [f"match {var.name}:"]
        members = self.classes[var.kind.name].members
        for member in members[: self.rng.randint(1, len(members))]:
            lines += indented([f"case {var.kind.name}.{member}:", *self.inner(self.size())])
        if self.chance(0.6):
            lines += indented(["case _:", *self.inner(1)])
        return lines

    def closure(self) -> Lines:
        """A nested function over names that never change, and a call of it."""
        name, param = self.fresh("g"), self.fresh("q")
        kind, result = self.scalar_kind(), self.scalar_kind()
        lines = self.captured(Var(param, kind, fixed=True), result)
        value = self.small(kind)
        target = self.declare(self.fresh("v"), result).name
        default = ""
        if kind == TENSOR and self.on(Feature.DEFAULTS) and self.chance(0.6):
            default, value = f" = {self.literal(TENSOR)}", Code(self.pick(("", str(value))))
        lines = [f"def {name}({param}: {kind}{default}) -> {result}:", *indented(lines), f"{target} = {name}({value})"]
        if self.on(Feature.CACHE) and kind in KEYS and self.chance(0.5):
            value = self.small(kind)
            again = self.declare(self.fresh("v"), result).name
            return [self.cache(), *lines, f"{again} = {name}({value})"]
        return lines

    def cache(self) -> str:
        """A cache as a decorator."""
        return self.pick(("@lru_cache", "@lru_cache(maxsize=None)", "@lru_cache(maxsize=2)", "@lru_cache(1, True)"))

    def captured(self, param: Var, result: Kind) -> Lines:
        """The body of a nested function."""
        outer = self.frame
        kept = [v for v in self.visible() if v.constant]
        self.frame = Frame(result, [[*kept, param]])
        self.leaf_only += 1
        lines = [f"return {self.small(result, 3)}"]
        self.leaf_only -= 1
        self.frame = outer
        return lines

    def named_lambda(self) -> Lines:
        """A lambda passed to a function, or used at once through a name."""
        param, kind, result = self.fresh("q"), self.scalar_kind(), self.scalar_kind()
        (line,) = self.captured(Var(param, kind, fixed=True), result)
        name, target = self.fresh("g"), self.fresh("v")
        lines = [f"{name}: Callable[[{kind}], {result}] = lambda {param}: {line.removeprefix('return ')}"]
        lines.append(f"{target} = {name}({self.small(kind)})")
        self.declare(target, result)
        return lines

    # Definitions

    def definitions(self) -> Lines:
        """The classes of the module."""
        lines: Lines = []
        if self.on(Feature.ENUM) and self.chance(0.5):
            lines += self.enum()
        if self.on(Feature.NAMED) and self.chance(0.5):
            lines += self.record("named")
        if self.on(Feature.DATACLASS) and self.chance(0.5):
            lines += self.record("data")
        if self.on(Feature.CLASS) and self.chance(0.6):
            lines += self.class_("")
            if self.on(Feature.INHERITANCE) and self.chance(0.6):
                lines += self.class_(next(reversed(self.classes)))
        if self.on(Feature.USER_ERROR) and self.chance(0.6):
            name, base = self.fresh("Error"), self.pick(("Exception", "ValueError", "LookupError"))
            self.errors.append(name)
            lines += [f"class {name}({base}):", "    pass"]
            held = [i.kind for i in self.classes.values() if i.kind.head in ("class", "data", "named")]
            if held and self.chance(0.7):
                name, kind = self.fresh("Error"), self.pick(held)
                self.holding[name] = kind
                lines += [f"class {name}({base}):", f"    def __init__(self, held: {kind}, n: int) -> None:"]
                lines += ["        super().__init__('held', n)", "        self.held = held"]
        if self.on(Feature.WITH) and self.chance(0.6):
            lines += self.manager()
        return lines

    def enum(self) -> Lines:
        """An enum of ints or texts."""
        name = self.fresh("Color")
        members = ["RED", "GREEN", "BLUE", "GREY"][: self.rng.randint(1, 4)]
        value = STR if self.on(Feature.STR) and self.chance(0.3) else INT
        extends = self.chance(0.4)
        self.classes[name] = ClassInfo(Kind("enum", name=name), members=members, value=value, extends=extends)
        values = [f"{m} = {i + 1 if value == INT else repr(m.lower())}" for i, m in enumerate(members)]
        base = {INT: "IntEnum", STR: "StrEnum"}[value] if extends else "Enum"
        return [f"class {name}({base}):", *indented(values)]

    def field_kinds(self) -> list[tuple[str, Kind]]:
        """Names and types of fields."""
        names = ["a", "b", "c", "d"][: self.rng.randint(1, 3)]
        return [(n, list_of(INT) if self.on(Feature.LIST) and self.chance(0.15) else self.field_kind()) for n in names]

    def field_kind(self) -> Kind:
        """The type of a field."""
        enums = [i.kind for i in self.classes.values() if i.kind.head in ("enum", "named")]
        if enums and self.chance(0.15):
            return self.pick(enums)
        if self.on(Feature.OPTIONAL) and self.chance(0.25):
            return optional(self.scalar_kind())
        return self.scalar_kind()

    def record(self, head: str) -> Lines:
        """A named tuple or a dataclass."""
        name = self.fresh("Point" if head == "named" else "Item")
        info = ClassInfo(Kind(head, name=name), self.field_kinds())
        lines = [f"{n}: {k}" for n, k in info.fields]
        last = info.fields[-1]
        if last[1] in (INT, FLOAT, BOOL, STR) and self.chance(0.4):
            lines[-1] += f" = {super().literal(last[1])}"
        if head == "named":
            self.classes[name] = info
            return [f"class {name}(NamedTuple):", *indented(lines)]
        info.frozen, info.ordered = self.chance(0.25), self.chance(0.25)
        if last[1] == list_of(INT) and self.chance(0.7):
            lines[-1] += " = field(default_factory=list)"
        flags = [f for f, on in (("frozen=True", info.frozen), ("order=True", info.ordered)) if on]
        if self.on(Feature.UNSET) and not info.frozen and self.chance(0.4):
            lines += self.early_record(self.pick((INT, FLOAT, BOOL)))
        lines += self.methods(info, self.rng.randint(0, 2))
        self.classes[name] = info
        return [f"@dataclass({', '.join(flags)})" if flags else "@dataclass", f"class {name}:", *indented(lines)]

    def class_(self, base: str) -> Lines:
        """A class with `__init__` and methods; one that extends another overrides some of them."""
        name = self.fresh("Thing")
        own = [(self.fresh("h"), self.field_kind()) for _ in range(self.rng.randint(1, 2))]
        parent = self.classes.get(base)
        inherited = list(parent.fields) if parent else []
        info = ClassInfo(Kind("class", name=name), inherited + own, base)
        params = ", ".join(f"{n}: {k}" for n, k in info.fields)
        init = [f"def __init__(self, {params}) -> None:"]
        if parent:
            init.append(f"    super().__init__({', '.join(n for n, _ in inherited)})")
        init += [f"    self.{n}: {k} = {n}" if k.head == "optional" else f"    self.{n} = {n}" for n, k in own]
        init += self.private_state(info)
        lines = self.early(info, init, own) if self.on(Feature.UNSET) and self.chance(0.6) else init
        if parent:
            info.properties, info.statics = list(parent.properties), list(parent.statics)
            info.operators = parent.operators - {"add", "eq"}
            info.methods = [Method(m.name, m.params, m.result, m.cost) for m in parent.methods]
            for method in info.methods:
                if self.chance(0.5):
                    lines += self.method(info, method, super_call=self.chance(0.4))
        lines += self.methods(info, self.rng.randint(1, 2))
        lines += self.members(info)
        self.classes[name] = info
        return [f"class {name}{f'({base})' if base else ''}:", *indented(lines)]

    def early(self, info: ClassInfo, init: Lines, own: list[tuple[str, Kind]]) -> Lines:
        """``__init__`` and a method that it calls somewhere, which reads an attribute; a base may call it too."""
        name, _ = self.pick(own)
        read = f"print(self.{name})" if self.on(Feature.PRINT) else f"seen = self.{name}"
        first = 1 if not info.base else 1 + (not self.chance(0.3))  # before the call of the base
        at = self.rng.randint(first, len(init))
        shown = "print(error)" if self.on(Feature.PRINT) else "pass"
        # Without a handler the arguments of main could not be made.
        call = ["    try:", "        self.early()", "    except AttributeError as error:", f"        {shown}"]
        return [
            *init[:at],
            *call,
            *init[at:],
            *["def early(self) -> None:", *indented([read])],
        ]

    def early_record(self, kind: Kind) -> Lines:
        """A field of a dataclass that is set behind the others, or never, and reads of it."""
        value = super().literal(kind)
        shown = "print(self.z)" if self.on(Feature.PRINT) else "seen = self.z"
        body = [f"self.z = {value}", "self.early()"] if self.chance(0.7) else ["pass"]
        return [
            f"z: {kind} = field(init=False, repr=False, compare=False)",
            "def __post_init__(self) -> None:",
            *indented(["try:", "    self.early()", "except AttributeError:", "    pass", *body]),
            "def early(self) -> None:",
            *indented([shown]),
        ]

    def members(self, info: ClassInfo) -> Lines:
        """What else a class has."""
        raise NotImplementedError

    def private_state(self, info: ClassInfo) -> Lines:
        """What ``__init__`` sets besides the fields, indented."""
        raise NotImplementedError

    def methods(self, info: ClassInfo, count: int) -> Lines:
        """New methods."""
        lines: Lines = []
        for _ in range(count):
            result = NONE if self.chance(0.3) and not info.frozen else self.scalar_kind()
            method = Method(self.fresh("m"), tuple(self.scalar_kind() for _ in range(self.rng.randint(0, 2))), result)
            lines += self.method(info, method)
            info.methods.append(method)
        return lines

    def method(self, info: ClassInfo, method: Method, *, super_call: bool = False) -> Lines:
        """A ``def`` of a method."""
        frame = self.frame = Frame(method.result)
        params = [(self.fresh("q"), k) for k in method.params]
        self.add(*[Var(n, k) for n, k in params])
        self.add(*[Var(f"self.{n}", k, fixed=info.frozen) for n, k in info.fields if k.head != "optional"])
        body: Lines = []
        if super_call:
            call = f"super().{method.name}({', '.join(n for n, _ in params)})"
            name = self.fresh("v")
            body.append(call if method.result == NONE else f"{name} = {call}")
            if method.result != NONE:
                self.declare(name, method.result)
        body += self.body(self.rng.randint(0, 1))
        if not info.frozen:
            maybe = [(n, k) for n, k in info.fields if k.head == "optional"]
            body += [f"self.{n} = {self.small(k)}" for n, k in maybe if self.chance(0.3)]
        if method.result != NONE:
            body.append(f"return{self.value_of_result()}")
        method.cost = max(method.cost, frame.cost + 2)
        shown = [f", {n}: {k}" for n, k in params]
        if self.on(Feature.DEFAULTS) and not self.on(Feature.INHERITANCE) and method.params[-1:] == (TENSOR,):
            method.defaults = 1
            shown[-1] += f" = {self.literal(TENSOR)}"
            body.insert(0, f"{params[-1][0]} = {params[-1][0]}.clone()")  # a default is not written to
        texts = "".join(shown)
        kinds = [*(k for _, k in info.fields), *method.params]
        kinds = kinds if info.frozen else list(method.params)
        is_value = method.result != NONE and all(k in KEYS for k in kinds)
        is_value = is_value and not method.name.startswith("__")  # `main` could not clear it
        if self.on(Feature.CACHE) and is_value and self.chance(0.6 if info.frozen else 0.3):
            self.caches.append(f"{info.kind.name}.{method.name}")
            return [self.cache(), f"def {method.name}(self{texts}) -> {method.result}:", *indented(body)]
        return [f"def {method.name}(self{texts}) -> {method.result}:", *indented(body)]

    def manager(self) -> Lines:
        """A context manager that counts, and may print."""
        name = self.fresh("Guard")
        self.managers.append(name)
        shown = ["print('exit', self.n)"] if self.on(Feature.PRINT) else ["self.n += 1"]
        return [
            f"class {name}:",
            *indented(["def __init__(self, n: int) -> None:", "    self.n = n"]),
            *indented(["def __enter__(self) -> int:", "    self.n += 1", "    return self.n"]),
            *indented(["def __exit__(self, kind: object, value: object, trace: object) -> None:", *indented(shown)]),
        ]

    def variadic(self) -> Lines:
        """A function of any number of arguments of one type."""
        kind, name = self.scalar_kind(), self.fresh("f")
        made = Function(name, [(self.fresh("p"), self.scalar_kind())], self.scalar_kind(), rest=kind)
        self.frame = Frame(made.result)
        rest = self.fresh("rest")
        self.add(*[Var(made.params[0][0], made.params[0][1]), Var(rest, Kind("row", (kind,)), fixed=True)])
        body = [*self.body(1), f"return{self.value_of_result()}"]
        made.cost = self.frame.cost + 2
        self.functions.append(made)
        first, first_kind = made.params[0]
        return [f"def {name}({first}: {first_kind}, *{rest}: {kind}) -> {made.result}:", *indented(body)]
