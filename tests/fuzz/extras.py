"""Complex numbers, bytes, functions as arguments, generic functions, and what classes have beyond attributes and
methods."""

from __future__ import annotations

import random
from collections.abc import Collection, Iterator
from functools import partial

from tests.fuzz.base import Code, Frame, Var
from tests.fuzz.classes import Classes
from tests.fuzz.features import Feature
from tests.fuzz.kinds import BOOL, FLOAT, INT, LENGTH, STR, TENSOR, ClassInfo, Kind, Method, list_of
from tests.fuzz.scalars import Option
from tests.fuzz.statements import Lines, Statement, indented

COMPLEX, BYTES, ANY = Kind("complex"), Kind("bytes"), Kind("Any")


class Extras(Classes):
    """`expr` for the rarer types; further definitions."""

    def __init__(self, rng: random.Random, features: Collection[Feature]) -> None:
        super().__init__(rng, features)
        self.iterators: list[str] = []
        self.generic: list[str] = []
        self.keys: list[Kind] = []
        self.higher: list[tuple[str, Kind, Kind, int]] = []

    def scalar_kind(self) -> Kind:
        """See `Base`."""
        if self.on(Feature.COMPLEX) and self.chance(0.06):
            return COMPLEX
        if self.on(Feature.BYTES) and self.chance(0.06):
            return BYTES
        return super().scalar_kind()

    def orderable(self, kind: Kind) -> bool:
        """See `Containers`."""
        return kind == BYTES or super().orderable(kind)

    def equatable(self, kind: Kind) -> bool:
        """See `Containers`."""
        return not kind.has("complex") and super().equatable(kind)

    # Expressions

    def literal(self, kind: Kind, depth: int = 1) -> Code:
        """See `Base`."""
        if kind == COMPLEX:
            return Code(self.pick(("1j", "(2 + 0.5j)", "(-1.5j)", "complex(1.0, -2.0)", "complex(0.5)", "0j")))
        if kind == BYTES:
            return Code(self.pick(("b''", "b'abc'", "b'\\x00\\xff'", "b'hello'", "b'a,b'")), 5)
        return super().literal(kind, depth)

    def bound_of(self, kind: Kind) -> int:
        """See `Base`."""
        return 2 * LENGTH if kind == BYTES else super().bound_of(kind)

    def fit(self, code: Code, kind: Kind) -> Code:
        """See `Base`."""
        if kind == BYTES and code.bound > 2 * LENGTH:
            return Code(f"({code})[:{self.rng.randint(LENGTH, 2 * LENGTH)}]", 2 * LENGTH)
        return super().fit(code, kind)

    def options(self, kind: Kind, depth: int) -> Iterator[Option]:
        """See `Scalars`."""
        yield from super().options(kind, depth)
        if kind == COMPLEX:
            yield 4.0, lambda: Code(f"({self.expr(COMPLEX, depth)} {self.pick('+-*')} {self.expr(COMPLEX, depth)})")
            yield 1.0, lambda: Code(f"complex({self.expr(FLOAT, depth)}, {self.expr(FLOAT, depth)})")
            yield 0.5, lambda: Code(f"{self.named_or_literal(COMPLEX)}.conjugate()")
            yield 0.5, lambda: Code(f"(-{self.expr(COMPLEX, depth)})")
            # Of few operations: they are refused rarely, and the last bit of a hypotenuse is not CPython's.
            name = self.pick(("cos", "cosh", "exp", "sin", "sinh", "tan", "tanh"))
            yield 0.5, lambda: Code(f"cmath.{name}({self.expr(self.pick((COMPLEX, FLOAT)), depth)})")
            yield 0.2, lambda: Code(f"cmath.rect({self.expr(FLOAT, depth)}, {self.expr(FLOAT, depth)})")
        elif kind == BYTES:
            yield 2.0, lambda: self.bytes_sum(depth)
            if self.on(Feature.SLICE):
                yield 1.5, lambda: Code(f"{self.named_or_literal(BYTES)}[{self.slice(depth)}]", 2 * LENGTH)
            if self.on(Feature.STR):
                yield 1.0, lambda: Code(f"{self.small(STR, depth)}.encode()", 8 * LENGTH)
        if self.on(Feature.COMPLEX) and kind == FLOAT:
            yield 0.5, lambda: Code(f"{self.named_or_literal(COMPLEX)}.{self.pick(('real', 'imag'))}")
        if self.on(Feature.COMPLEX) and kind == BOOL:
            yield 0.2, lambda: Code(f"cmath.{self.pick(('isnan', 'isinf', 'isfinite'))}({self.expr(COMPLEX, depth)})")
            yield (
                0.3,
                lambda: Code(f"({self.expr(COMPLEX, depth)} {self.pick(('==', '!='))} {self.expr(COMPLEX, depth)})"),
            )
        if self.on(Feature.BYTES) and kind == INT:
            yield 0.3, lambda: Code(f"len({self.expr(BYTES, depth)})", 1000)
            yield 0.3, lambda: Code(f"({self.small(BYTES, depth)} + b'x')[0]", 255)
        if self.on(Feature.BYTES) and kind == BOOL:
            yield (
                0.3,
                lambda: Code(f"({self.expr(BYTES, depth)} {self.pick(('==', '<', 'in'))} {self.expr(BYTES, depth)})"),
            )
        if self.on(Feature.MAP, Feature.LIST, Feature.LAMBDA) and kind.head == "list":
            yield 0.7, lambda: self.mapped(kind)
        if self.on(Feature.MAP, Feature.LAMBDA) and kind in (INT, STR):
            lists = [v for v in self.names("list", "row") if v.kind.args[0] == kind]
            if lists:
                yield 0.6, lambda: self.extreme_by_key(self.pick(lists))
        for info in self.classes.values():
            if info.kind.head == "class":
                yield from self.of_members(info, kind, depth)
        if self.iterators and kind == list_of(INT):
            yield 1.0, lambda: Code(f"list({self.pick(self.iterators)}({self.small(INT, depth)} % 6))", 6)
        typed = [v for v in self.names("list") if v.kind.args[0] == kind]
        if self.generic and typed and not self.leaf_only:
            yield 1.0, lambda: self.generic_call(self.pick(typed), depth)
        functions = [h for h in self.higher if h[2] == kind]
        if functions and not self.leaf_only:
            yield 1.0, lambda: self.higher_call(self.pick(functions), depth) or self.leaf(kind)

    def generic_call(self, var: Var, depth: int) -> Code:
        """A call of a function over a type variable."""
        kind = var.kind.args[0]
        return Code(f"{self.pick(self.generic)}({var.name}, {self.small(kind, depth)})", self.bound_of(kind))

    def named_or_literal(self, kind: Kind) -> str:
        """A name of this type, or a literal."""
        found = self.of_kind(kind)
        return self.pick(found).name if found else f"({self.literal(kind)})"

    def bytes_sum(self, depth: int) -> Code:
        """``a + b``."""
        a, b = self.expr(BYTES, depth), self.expr(BYTES, depth)
        return Code(f"({a} + {b})", a.bound + b.bound)

    def mapped(self, kind: Kind) -> Code:
        """``list(map(…))``, ``list(filter(…))``."""
        lists = self.names("list", "row")
        if not lists:
            return self.leaf(kind)
        same = [v for v in lists if v.kind.args[0] == kind.args[0]]
        name = self.fresh("k")
        if same and self.chance(0.5):
            return Code(f"list(filter({self.function_of(name, kind.args[0], BOOL)}, {self.pick(same).name}))", LENGTH)
        var = self.pick(lists)
        return Code(f"list(map({self.function_of(name, var.kind.args[0], kind.args[0])}, {var.name}))", LENGTH)

    def function_of(self, name: str, param: Kind, result: Kind) -> str:
        """A lambda."""
        (line,) = self.captured(Var(name, param, fixed=True), result)
        return f"(lambda {name}: {line.removeprefix('return ')})"

    def extreme_by_key(self, var: Var) -> Code:
        """``max(xs, key=…, default=…)``."""
        item = var.kind.args[0]
        key = self.key(item)
        return Code(
            f"{self.pick(('min', 'max'))}({var.name}, key={key}, default={self.leaf(item)})", self.bound_of(item)
        )

    def of_members(self, info: ClassInfo, kind: Kind, depth: int) -> Iterator[Option]:
        """Properties, operators, static methods of one class."""
        found = self.of_kind(info.kind)
        if self.leaf_only:
            return
        for name in [n for n, k in info.properties if k == kind] if found else []:
            yield 1.0, partial(Code, f"{self.pick(found).name}.{name}", self.bound_of(kind))
        for method in [m for m in info.statics if m.result == kind]:
            yield 0.8, partial(self.static_call, info, method, depth)
        if found:
            name, other = self.pick(found).name, self.pick(found).name
            if kind == info.kind and "add" in info.operators:
                yield 1.0, lambda: Code(f"({name} + {other})")
            if kind == INT and "len" in info.operators:
                yield 0.7, lambda: Code(f"len({name})", 1000)
            if kind == INT and "getitem" in info.operators:
                yield 0.7, lambda: Code(f"{name}[{self.small(INT, depth)}]", self.bound_of(INT))
            if kind == BOOL and "eq" in info.operators:
                yield 0.7, lambda: Code(f"({name} {self.pick(('==', '!='))} {other})")
            if kind == BOOL and "contains" in info.operators:
                yield 0.7, lambda: Code(f"({self.small(INT, depth)} in {name})")
            if kind == BOOL and "lt" in info.operators:
                yield 0.7, lambda: Code(f"({name} < {other})")
            if kind == STR and "str" in info.operators:
                yield 0.7, lambda: Code(f"str({name})", 100)

    def static_call(self, info: ClassInfo, method: Method, depth: int) -> Code:
        """``Class.method(…)``."""
        texts = [str(self.small(k, depth)) for k in method.params]
        return Code(f"{info.kind.name}.{method.name}({', '.join(texts)})", self.bound_of(method.result))

    def higher_call(self, function: tuple[str, Kind, Kind, int], depth: int) -> Code | None:
        """A call of a function that takes a function."""
        name, param, result, cost = function
        if not self.affordable(cost):
            return None
        given = [
            f.name
            for f in self.functions
            if [k for _, k in f.params] == [param]
            and f.result == result
            and not f.recursive
            and not f.rest
            and not f.keyword_only
            and f.name not in self.caches
        ]
        passed = self.pick(given) if given and self.chance(0.5) else self.function_of(self.fresh("k"), param, result)
        return Code(f"{name}({passed}, {self.small(param, depth)})", self.bound_of(result))

    # Statements

    def statements(self, deep: bool) -> Iterator[Statement]:
        """See `Statements`."""
        yield from super().statements(deep)
        if deep:
            return
        if self.iterators and self.frame.repeats < 60:
            yield 1.0, self.for_iterator
        if self.on(Feature.ANY):
            yield 1.0, self.any_value

    def for_iterator(self) -> Lines:
        """``for`` over an iterator of the module."""
        name = self.fresh("x")
        over = f"{self.pick(self.iterators)}({self.small(INT)} % {self.rng.randint(2, 6)})"
        return self.loop(f"for {name} in {over}:", Var(name, INT, fixed=True), trips=4)

    def any_value(self) -> Lines:
        """A name of any type, and a test of what it is."""
        name = self.fresh("a")
        kinds = [INT, FLOAT, *([STR] if self.on(Feature.STR) else []), *([TENSOR] if self.on(Feature.TENSOR) else [])]
        kind, tested = self.pick(kinds), self.pick(kinds)
        lines = [f"{name}: Any = {self.small(kind)}"]
        return [*lines, f"if isinstance({name}, {tested}):", *self.inner(self.size(), Var(name, tested, fixed=True))]

    # Definitions

    def definitions(self) -> Lines:
        """See `Classes`."""
        lines = super().definitions()
        if self.on(Feature.KEY) and self.on(Feature.DICT):
            lines += self.key_class()
        if self.on(Feature.ITERATOR) and self.chance(0.5):
            lines += self.iterator()
        if self.on(Feature.GENERIC, Feature.LIST) and self.chance(0.5):
            name = self.fresh("pick")
            self.generic.append(name)
            which = self.pick(("xs[0] if xs else default", "xs[-1] if len(xs) > 1 else default"))
            lines += [f"def {name}(xs: list[T], default: T) -> T:", f"    return {which}"]
        if self.on(Feature.CALLABLE, Feature.LAMBDA) and self.chance(0.5):
            lines += self.higher_function()
        return lines

    def key_kind(self) -> Kind:
        """See `Containers`."""
        return self.pick(self.keys) if self.keys and self.chance(0.5) else super().key_kind()

    def key_class(self) -> Lines:
        """A class whose instances are keys; nobody assigns to their fields. Different ones are equal, others have one
        hash."""
        name, second = self.fresh("Key"), self.pick((INT, BOOL, *((STR,) if self.on(Feature.STR) else ())))
        info = ClassInfo(Kind("class", name=name), [("a", INT), ("b", second)], frozen=True, operators={"eq", "lt"})
        form, step = self.rng.randint(0, 3), self.rng.randint(2, 5)
        fields = ["a: int", f"b: {second}"]
        less = [f"def __lt__(self, other: '{name}') -> bool:"]
        if form == 0:  # by the fields
            less += ["    return self.a < other.a or (self.a == other.a and self.b < other.b)"]
            lines = ["@dataclass(unsafe_hash=True)", f"class {name}:", *indented([*fields, *less])]
        elif form == 1:
            own = ["def __hash__(self) -> int:", f"    return self.a % {step}"]
            less += ["    return self.a < other.a or (self.a == other.a and self.b < other.b)"]
            lines = ["@dataclass(frozen=True)", f"class {name}:", *indented([*fields, *own, *less])]
        else:
            own = ["def __hash__(self) -> int:"]
            if form == 3:
                own += ["    if 1000 < self.a < 100000:", "        raise ValueError('no hash')"]
            own += [f"    return self.a % {step}"]
            equal = [f"    return isinstance(other, {name}) and self.a % {step * 2} == other.a % {step * 2}"]
            init = [f"def __init__(self, a: int, b: {second}) -> None:", "    self.a = a", "    self.b = b"]
            own += ["def __eq__(self, other: object) -> bool:", *equal]
            less += [f"    return self.a % {step * 2} < other.a % {step * 2}"]
            own += ["def __repr__(self) -> str:", "    return 'key ' + repr(self.a)"]
            lines = [f"class {name}:", *indented([*init, *own, *less])]
        self.classes[name] = info
        self.keys.append(info.kind)
        return lines

    def higher_function(self) -> Lines:
        """A function that takes a function."""
        name, param = self.fresh("apply"), self.scalar_kind()
        result = param if self.chance(0.5) else self.scalar_kind()
        self.higher.append((name, param, result, 5))
        call = "f(f(x))" if param == result and self.chance(0.5) else "f(x)"
        return [f"def {name}(f: Callable[[{param}], {result}], x: {param}) -> {result}:", f"    return {call}"]

    def iterator(self) -> Lines:
        """A class with `__iter__` and `__next__`."""
        name = self.fresh("Count")
        self.iterators.append(name)
        step = self.rng.randint(1, 3)
        return [
            f"class {name}:",
            *indented(["def __init__(self, n: int) -> None:", "    self.n = n"]),
            *indented([f"def __iter__(self) -> '{name}':", "    return self"]),
            *indented(
                [
                    "def __next__(self) -> int:",
                    "    if self.n <= 0:",
                    "        raise StopIteration",
                    f"    self.n -= {step}",
                    "    return self.n",
                ]
            ),
        ]

    def members(self, info: ClassInfo) -> Lines:
        """See `Classes`."""
        lines: Lines = []
        ints = [n for n, k in info.fields if k == INT]
        if self.on(Feature.PROPERTY):
            if self.chance(0.6):
                name, kind = self.fresh("prop"), self.scalar_kind()
                self.frame = Frame(kind)
                self.add(*[Var(f"self.{n}", k, fixed=True) for n, k in info.fields if k.head != "optional"])
                self.leaf_only += 1
                lines += ["@property", f"def {name}(self) -> {kind}:", f"    return {self.small(kind)}"]
                self.leaf_only -= 1
                info.properties.append((name, kind))
            if self.chance(0.5):
                lines += self.static(info)
        if self.on(Feature.OPERATOR) and ints and not info.base:
            field = f"{{}}.{ints[0]}"
            me, other = field.format("self"), field.format("other")
            added = (f"({me} + {other}) % 1009" if n == ints[0] else f"self.{n}" for n, _ in info.fields)
            forms = {
                "eq": ["def __eq__(self, other: object) -> bool:",
                       f"    return isinstance(other, {info.kind.name}) and {me} == {other}"],
                "len": ["def __len__(self) -> int:", f"    return abs({me}) % 10"],
                "lt": [f"def __lt__(self, other: '{info.kind.name}') -> bool:", f"    return {me} < {other}"],
                "getitem": ["def __getitem__(self, i: int) -> int:", f"    return ({me} + i) % 100"],
                "contains": ["def __contains__(self, i: int) -> bool:", f"    return {me} == i"],
                "str": ["def __str__(self) -> str:", f"    return 'thing ' + str({me})"],
                "add": [
                    f"def __add__(self, other: '{info.kind.name}') -> '{info.kind.name}':",
                    f"    return {info.kind.name}({', '.join(added)})",
                ],
            }  # fmt: skip
            for name, form in forms.items():
                if self.chance(0.35) and not (name == "str" and not self.on(Feature.STR)):
                    info.operators.add(name)
                    lines += form
            if "eq" in info.operators:
                lines += ["def __hash__(self) -> int:", f"    return {me}"]
        return lines

    def static(self, info: ClassInfo) -> Lines:
        """A static method."""
        name, kind, result = self.fresh("s"), self.scalar_kind(), self.scalar_kind()
        param = self.fresh("q")
        self.frame = Frame(result)
        body = self.captured(Var(param, kind), result)
        info.statics.append(Method(name, (kind,), result))
        return ["@staticmethod", f"def {name}({param}: {kind}) -> {result}:", *indented(body)]
