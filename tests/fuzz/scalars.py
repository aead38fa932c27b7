"""Expressions over numbers and truth values, and what expressions of all types have in common: names, calls,
ternaries."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from tests.fuzz.base import WIDE, Base, Code, Function, Var
from tests.fuzz.features import Feature
from tests.fuzz.kinds import BOOL, FLOAT, INT, LIMIT, STR, Kind, draw, draw_float, draw_wide

Option = tuple[float, Callable[[], Code]]

_HUGE = 1 << 60
_EXACT = 1 << 50


class Scalars(Base):
    """`expr` for numbers and truth values."""

    def expr(self, kind: Kind, depth: int = 2) -> Code:
        """See `Base`."""
        if depth <= 0 or self.chance(0.12):
            return self.leaf(kind)
        options = [(3.0, lambda: self.leaf(kind)), *self.options(kind, depth - 1)]
        return self.weighted(*options)()

    def options(self, kind: Kind, depth: int) -> Iterator[Option]:
        """The ways to write an expression of a type, with their weights; operands have `depth`."""
        yield from self.common(kind, depth)
        match kind.head:
            case "int":
                yield from self.of_int(depth)
            case "float":
                yield from self.of_float(depth)
            case "bool":
                yield from self.of_bool(depth)

    # Of any type

    def leaf(self, kind: Kind) -> Code:
        """A name or a literal."""
        found = self.of_kind(kind)
        if found and self.chance(0.85):
            return Code(self.pick(found).name, self.bound_of(kind))
        paths = list(self.paths(kind))
        if paths and self.chance(0.7):
            return Code(self.pick(paths), self.bound_of(kind))
        return self.literal(kind)

    def paths(self, kind: Kind) -> Iterator[str]:
        """Elements of tuples and attributes of names."""
        for var in self.visible():
            if var.kind.head == "tuple":
                for i, item in enumerate(var.kind.args):
                    if item == kind:
                        yield f"{var.name}[{i if self.chance(0.8) else i - len(var.kind.args)}]"
            elif var.kind.name in self.classes and var.kind.head != "enum":
                for name, item in self.classes[var.kind.name].fields:
                    if item == kind:
                        yield f"{var.name}.{name}"

    def literal(self, kind: Kind, depth: int = 1) -> Code:
        """See `Base`."""
        if kind == INT:
            if self.on(Feature.WIDE) and self.chance(0.15):
                return Code(f"({draw_wide(self.rng)})", WIDE)
            if self.chance(0.75):
                return Code(str(self.rng.randint(0, 9)), 9)
            return Code(self.pick(("-1", "10", "-3", "100", "255", "1000", "0x1f", "12_345")), 12_345)
        if kind == FLOAT:
            drawn = draw_float(self.rng)
            return Code(f"({drawn})" if drawn.startswith("-") else drawn)
        return Code(draw(kind, self.rng, self.classes, 1), self.bound_of(kind))

    def common(self, kind: Kind, depth: int) -> Iterator[Option]:
        """Calls, ternaries and methods."""
        if self.on(Feature.TERNARY):
            yield 0.8, lambda: self.ternary(kind, depth)
        callable_ = [f for f in self.functions if f.result == kind and not self.leaf_only]
        if callable_:
            yield 2.0, lambda: self.call(self.pick(callable_), depth) or self.leaf(kind)

    def ternary(self, kind: Kind, depth: int) -> Code:
        """``a if c else b``."""
        first, second = self.expr(kind, depth), self.expr(kind, depth)
        bound = max(first.bound, second.bound)
        return Code(f"({first} if {self.condition(depth)} else {second})", bound)

    def call(self, function: Function, depth: int) -> Code | None:
        """A call of a function, if the program may take so long."""
        if not self.affordable(function.cost + 1):
            return None
        self.leaf_only += 1
        arguments = self.arguments(function, depth)
        self.leaf_only -= 1
        return Code(f"{function.name}({', '.join(arguments)})", self.bound_of(function.result))

    def arguments(self, function: Function, depth: int) -> list[str]:
        """What stands between the parentheses of a call."""
        count = len(function.params) - function.keyword_only
        given = count - (self.rng.randint(0, function.defaults) if function.defaults else 0)
        texts = []
        for i, (name, kind) in enumerate(function.params[:count]):
            if function.recursive and i == 0:
                texts.append(f"{self.small(INT, depth)} % {self.rng.randint(2, 6)}")
            elif i < given:
                texts.append(str(self.small(kind, depth)))
        if given == count:
            for name, kind in function.params[count:]:
                if self.chance(0.6):
                    texts.append(f"{name}={self.small(kind, depth)}")
            if function.rest is not None:
                extra = [str(self.small(function.rest, depth)) for _ in range(self.rng.randint(0, 3))]
                texts[count:count] = extra
        elif given and not function.rest and self.chance(0.3):  # the last one by its name
            name = function.params[given - 1][0]
            texts[-1] = f"{name}={texts[-1]}"
        return texts

    # int

    def of_int(self, depth: int) -> Iterator[Option]:
        """Ways to write an int."""
        yield 5.0, lambda: self.int_binary(depth)
        yield 2.0, lambda: self.int_division(depth)
        yield 0.6, lambda: self.int_bits(depth)
        yield 0.5, lambda: self.int_unary(depth)
        yield 0.4, lambda: Code(f"({self.fit_to(self.expr(INT, depth), 12)} ** {self.rng.randint(0, 4)})", 12**4)
        yield 0.7, lambda: self.extreme(INT, depth)
        yield 0.4, lambda: Code(f"int({self.expr(BOOL, depth)})", 1)
        yield 0.6, lambda: self.int_of_float(depth)
        if self.on(Feature.WIDE):
            yield 1.5, lambda: self.masked(depth)
            yield 0.6, lambda: self.wide_bits(depth)
        if self.on(Feature.OPERANDS):
            yield 0.4, lambda: self.operand(INT, depth)
        if self.on(Feature.MATH):
            yield 0.2, lambda: Code(f"math.gcd({self.small(INT, depth)}, {self.small(INT, depth)})", LIMIT)
        if self.on(Feature.TUPLE):
            yield 0.2, lambda: self.divmod(depth)

    def fit_to(self, code: Code, bound: int) -> Code:
        """An int brought into ``range(bound + 1)``."""
        return Code(f"({code} % {bound + 1})", bound)

    def limited(self, code: Code, bound: int) -> Code:
        """An int whose bound is at most this."""
        return code if code.bound <= bound else self.fit(code, INT)

    def int_binary(self, depth: int) -> Code:
        """Sums and products."""
        a, b = self.expr(INT, depth), self.expr(INT, depth)
        sign = self.pick("++--*")
        if sign == "*":
            if a.bound * b.bound > _HUGE:
                a, b = self.fit(a, INT), self.fit(b, INT)
            return Code(f"({a} * {b})", a.bound * b.bound)
        a, b = self.limited(a, _HUGE), self.limited(b, _HUGE)
        return Code(f"({a} {sign} {b})", a.bound + b.bound)

    def int_division(self, depth: int) -> Code:
        """``//`` and ``%``."""
        a, sign = self.expr(INT, depth), self.pick(("//", "%"))
        if self.risky():
            b = self.small(INT, depth)
            return Code(f"({a} {sign} {b})", max(a.bound, b.bound))
        if self.chance(0.7):
            constant = self.pick((2, 3, 7, 10, -3, 5))
            return Code(f"({a} {sign} {constant})", a.bound if sign == "//" else abs(constant))
        b = self.fit_to(self.expr(INT, depth), self.rng.randint(2, 50))
        return Code(f"({a} {sign} ({b} + 1))", a.bound if sign == "//" else b.bound + 1)

    def int_bits(self, depth: int) -> Code:
        """``& | ^ ~ << >>``."""
        a = self.limited(self.expr(INT, depth), _EXACT)
        if self.chance(0.3):
            return Code(f"({self.fit_to(a, 1000)} << {self.fit_to(self.expr(INT, depth), 8)})", 256_000)
        if self.chance(0.3):
            shift = self.small(INT, depth) if self.risky() else self.fit_to(self.expr(INT, depth), 9)
            shift = Code(f"min({shift}, 60)") if shift.bound > 60 else shift
            return Code(f"({a} >> {shift})", a.bound)
        b = self.limited(self.expr(INT, depth), _EXACT)
        return Code(f"({a} {self.pick('&|^')} {b})", 2 * max(a.bound, b.bound) + 1)

    def masked(self, depth: int) -> Code:
        """Lower bits of a tree."""
        tree = self.tree(depth + 1)
        bits = self.pick((8, 16, 31, 32, 62, 63, 63))
        form = self.pick(
            (
                f"({tree} & {2**bits - 1})",
                f"({2**bits - 1} & {tree})",
                f"({tree} % {2**bits})",
                f"({tree} % 2 ** {bits})",
            )
        )
        return Code(form, 2**bits - 1)

    def tree(self, depth: int) -> str:
        """What is masked."""
        if depth <= 0 or self.chance(0.2):
            return str(self.leaf(INT))
        match self.rng.randrange(9):
            case 0:
                return f"({self.pick('-~')}{self.tree(depth - 1)})"
            case 1:
                return f"({self.tree(depth - 1)} << {self.pick((1, 5, 31, 63, 70))})"
            case 2:
                return f"({self.expr(INT, depth - 1)})"
        return f"({self.tree(depth - 1)} {self.pick('+-**&|^')} {self.tree(depth - 1)})"

    def wide_bits(self, depth: int) -> Code:
        """Shifts and powers that may go far."""
        a = self.expr(INT, depth)
        if self.chance(0.5):
            return Code(f"({a} << {self.fit_to(self.expr(INT, depth), 70)})", WIDE)
        if self.on(Feature.MATH) and self.chance(0.3):
            name = self.pick(("factorial", "isqrt"))
            return Code(f"math.{name}({self.fit_to(a, 30)})", WIDE)
        return Code(f"({a} ** {self.fit_to(self.expr(INT, depth), 5)})", WIDE)

    def int_unary(self, depth: int) -> Code:
        """``-x``, ``+x``, ``~x``, ``abs(x)``."""
        a = self.expr(INT, depth)
        form = self.pick(("(-{})", "(+{})", "(~{})", "abs({})"))
        return Code(form.format(a), a.bound + 1)

    def int_of_float(self, depth: int) -> Code:
        """Floats rounded in some way."""
        a = f"({self.expr(FLOAT, depth)} % {self.pick(('1000.0', '7.5', '64.0'))})"
        forms = ["int({})", "round({})"]
        if self.on(Feature.MATH):
            forms += ["math.floor({})", "math.ceil({})", "math.trunc({})"]
        if not self.risky():
            a = f"({a} if {a} == {a} else 0.0)" if self.on(Feature.TERNARY) else f"min(5.0, {a})"
        return Code(self.pick(forms).format(a), 1001)

    def divmod(self, depth: int) -> Code:
        """An element of ``divmod``."""
        a, b = self.limited(self.expr(INT, depth), _EXACT), self.pick(("3", "-7", "10"))
        return Code(f"divmod({a}, {b})[{self.rng.randint(0, 1)}]", a.bound + 10)

    def extreme(self, kind: Kind, depth: int) -> Code:
        """``min`` and ``max`` of several numbers."""
        items = [self.expr(kind, depth) for _ in range(self.rng.randint(2, 3))]
        return Code(f"{self.pick(('min', 'max'))}({', '.join(items)})", max(i.bound for i in items))

    def operand(self, kind: Kind, depth: int) -> Code:
        """``a and b``, ``a or b``."""
        a, b = self.expr(kind, depth), self.expr(kind, depth)
        return Code(f"({a} {self.pick(('and', 'or'))} {b})", max(a.bound, b.bound))

    # float

    def of_float(self, depth: int) -> Iterator[Option]:
        """Ways to write a float."""
        yield 5.0, lambda: self.float_binary(depth)
        yield 1.5, lambda: self.quotient(depth)
        yield 1.0, lambda: Code(f"({self.pick('-+')}{self.expr(FLOAT, depth)})")
        yield 0.5, lambda: Code(f"abs({self.expr(FLOAT, depth)})")
        yield 0.7, lambda: self.extreme(FLOAT, depth)
        yield 1.0, lambda: Code(f"float({self.limited(self.expr(INT, depth), _EXACT)})")
        yield 0.3, lambda: Code(f"round({self.expr(FLOAT, depth)}, {self.rng.randint(0, 5)})")
        if self.on(Feature.MATH):
            yield 1.0, lambda: self.float_math(depth)
        if self.on(Feature.OPERANDS):
            yield 0.3, lambda: self.operand(FLOAT, depth)

    def float_binary(self, depth: int) -> Code:
        """Sums and products, of floats or of a float and an int."""
        a, b = self.expr(FLOAT, depth), self.expr(FLOAT, depth)
        if self.chance(0.2):
            mixed = self.limited(self.expr(INT, depth), _EXACT)
            a, b = self.pick(((a, mixed), (mixed, a)))
        return Code(f"({a} {self.pick('++--**')} {b})")

    def quotient(self, depth: int) -> Code:
        """``/``, ``//`` and ``%`` of floats, ``/`` of ints."""
        if self.chance(0.4):
            a = self.limited(self.expr(INT, depth), _EXACT)
            b: str = self.small(INT, depth) if self.risky() else f"({self.fit_to(self.expr(INT, depth), 9)} + 1)"
            return Code(f"({a} / {b})")
        b = self.expr(FLOAT, depth) if self.risky() else self.pick(("2.0", "0.3", "(-7.5)", "10.0"))
        return Code(f"({self.expr(FLOAT, depth)} {self.pick(('/', '/', '//', '%'))} {b})")

    def float_math(self, depth: int) -> Code:
        """Functions of `math` whose results are exact or rounded correctly."""
        a = self.expr(FLOAT, depth)
        if self.chance(0.4):
            return Code(f"math.sqrt({a if self.risky() else f'abs({a})'})")
        if self.chance(0.3):
            return Code(self.pick(("math.pi", "math.e", "math.tau", "math.inf")))
        if self.chance(0.5):
            return Code(f"math.copysign({a}, {self.expr(FLOAT, depth)})")
        return Code(f"math.fabs({a})")

    # bool

    def of_bool(self, depth: int) -> Iterator[Option]:
        """Ways to write a truth value."""
        yield 5.0, lambda: self.comparison(depth)
        yield 1.5, lambda: self.operand(BOOL, depth)
        yield 1.0, lambda: Code(f"(not {self.condition(depth)})")
        yield 0.3, lambda: Code(f"bool({self.expr(self.pick((INT, FLOAT)), depth)})")
        yield (
            0.3,
            lambda: Code(
                f"({self.expr(BOOL, depth)} {self.pick(('==', '!=', '&', '|', '^'))} {self.expr(BOOL, depth)})"
            ),
        )
        if self.on(Feature.MATH):
            yield 0.2, lambda: Code(f"math.{self.pick(('isnan', 'isinf', 'isfinite'))}({self.expr(FLOAT, depth)})")

    def comparison(self, depth: int) -> Code:
        """``a < b``, ``a <= b < c``."""
        kind = self.weighted((5.0, INT), (3.0, FLOAT), (2.0 if self.on(Feature.STR) else 0.0, STR))
        signs = ("<", "<=", ">", ">=", "==", "!=")
        count = self.rng.randint(2, 3) if self.on(Feature.CHAINED) and self.chance(0.25) else 1
        text = str(self.expr(kind, depth))
        for _ in range(count):
            other = INT if kind == FLOAT and self.chance(0.15) else kind
            text += f" {self.pick(signs)} {self.expr(other, depth)}"
        return Code(f"({text})")

    def condition(self, depth: int = 2) -> Code:
        """See `Base`."""
        if self.chance(0.1):
            return self.expr(self.pick((INT, FLOAT)), depth - 1)
        return self.expr(BOOL, depth)

    def assignable(self, kind: Kind | None = None) -> list[Var]:
        """The names that may be assigned, of a type."""
        return self.vars(lambda v: not v.fixed and not v.constant and (kind is None or v.kind == kind))
