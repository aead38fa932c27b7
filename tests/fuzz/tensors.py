"""Expressions and statements over tensors, which lie wherever other values do.

Sizes come from a family whose members broadcast with each other, so that most operators succeed; dtypes are mixed.
Operators
are those whose results are exact or rounded correctly: sums of floats, whose order is free, and functions such as
``exp`` are none.
"""

from __future__ import annotations

import random
from collections.abc import Collection, Iterator

from tests.fuzz.base import Code, Function, Var
from tests.fuzz.extras import Extras
from tests.fuzz.features import Feature
from tests.fuzz.kinds import FLOAT, INT, TENSOR, Kind, draw_tensor, list_of, optional, tuple_of
from tests.fuzz.scalars import Option
from tests.fuzz.statements import Lines, Statement, indented

_UNARY = (
    "(-{})",
    "{}.abs()",
    "{}.sign()",
    "{}.floor()",
    "{}.trunc()",
    "{}.relu()",
    "{}.clone()",
    "{}.square()",
    "{}.sqrt()",
)
_WHOLE = (
    "{}[...]",
    "{}[:]",
    "{}[()]",
    "{}.detach()",
    "{}.view_as({})",
    "{}.t().t()",
    "{}.mT.mT",
    "{}.unsqueeze(0).squeeze(0)",
)
_SAME = (*_WHOLE, "{}.reshape(-1)", "{}.flatten()", "{}.t()", "{}.contiguous()", "{}.squeeze()", "{}.float()", "{}.T")
_LIKE = ("tscript.ones_like({})", "tscript.zeros_like({})", "tscript.full_like({}, 2)")


class Tensors(Extras):
    """`expr` for tensors, numbers that come from them, and statements that write into them."""

    def __init__(self, rng: random.Random, features: Collection[Feature]) -> None:
        super().__init__(rng, features)
        self.tensor_share = rng.choice((0.1, 0.25, 0.5))
        self.tensor_errors: list[str] = []

    def scalar_kind(self) -> Kind:
        """See `Base`: a tensor may stand wherever a number does."""
        if self.on(Feature.TENSOR) and self.chance(self.tensor_share):
            return TENSOR
        return super().scalar_kind()

    def holds_tensor(self, kind: Kind) -> bool:
        """Whether values of a type hold a tensor, fields of classes included."""
        return self.holds(kind, "tensor")

    def holds(self, kind: Kind, head: str) -> bool:
        """Whether values of a type hold one of another, fields of classes included."""
        if kind.has(head):
            return True
        inner = [kind, *self._parts(kind)]
        return any(
            self.holds(field, head) for k in inner if k.name in self.classes for _, field in self.classes[k.name].fields
        )

    def _parts(self, kind: Kind) -> Iterator[Kind]:
        for part in kind.args:
            yield part
            yield from self._parts(part)

    def equatable(self, kind: Kind) -> bool:
        """See `Containers`."""
        return not self.holds_tensor(kind) and super().equatable(kind)

    # Expressions

    def literal(self, kind: Kind, depth: int = 1) -> Code:
        """See `Base`."""
        if kind == TENSOR:
            if self.chance(0.4):
                size = self.pick(("3", "2, 3", "1, 3", "2, 1"))
                dtype = self.pick(("", "", ", dtype=tscript.int64", ", dtype=tscript.float64", ", dtype=tscript.bool"))
                forms = (
                    f"tscript.ones({size}{dtype})",
                    f"tscript.zeros({size}{dtype})",
                    f"tscript.full(({size},), {self.tensor_number()})",
                )
                return Code(self.pick((*forms, "tscript.arange(3)")))
            return Code(draw_tensor(self.rng, views=False))
        return super().literal(kind, depth)

    def tensor_number(self) -> str:
        """A small number."""
        return self.pick(("2", "3", "-1", "0", "0.5", "1.5", "-2.0", "True"))

    def options(self, kind: Kind, depth: int) -> Iterator[Option]:
        """See `Scalars`."""
        yield from super().options(kind, depth)
        if not self.on(Feature.TENSOR):
            return
        match kind.head:
            case "tensor":
                yield from self.of_tensor(depth)
            case "float" if self.of_kind(TENSOR):
                yield 0.8, lambda: Code(f"float({self.tensor_one(depth)})")
                yield (
                    0.5,
                    lambda: Code(f"({self.expr(FLOAT, depth)} {self.pick('+-*')} {self.tensor_one(depth)}.item())"),
                )
                yield 0.5, lambda: Code(f"{self.tensor_one(depth)}.double().item()")
            case "str" if self.of_kind(TENSOR):
                yield 0.5, lambda: self.tensor_printing(depth)
            case "int" if self.of_kind(TENSOR):
                yield 0.5, lambda: Code(f"int({self.comparison_of(depth)}.sum())", 100)
                yield 0.5, lambda: self.tensor_count(depth)
                yield 0.6, lambda: self.tensor_extent(depth)
            case "bool" if self.of_kind(TENSOR):
                yield 0.7, lambda: Code(f"bool({self.comparison_of(depth)}.{self.pick(('any', 'all'))}())")
                yield 0.7, lambda: self.tensor_test(depth)
                yield 0.4, lambda: Code(f"{self.comparison_of(depth)}.{self.pick(('any', 'all'))}().item()")

    def condition(self, depth: int = 2) -> Code:
        """See `Base`; a tensor of one element has a truth value too."""
        if self.of_kind(TENSOR) and self.chance(0.1):
            return Code(f"{self.comparison_of(1)}.{self.pick(('any', 'all'))}()")
        if self.of_kind(TENSOR) and self.risky() and self.chance(0.1):
            return self.tensor(1)
        return super().condition(depth)

    def tensor(self, depth: int) -> Code:
        """Any tensor."""
        return self.expr(TENSOR, depth)

    def named_tensor(self) -> str:
        """A name of a tensor, or a new one."""
        found = self.of_kind(TENSOR)
        return self.pick(found).name if found else str(self.literal(TENSOR))

    def comparison_of(self, depth: int) -> Code:
        """A tensor of truth values."""
        other = self.tensor_number() if self.chance(0.5) else self.tensor(depth)
        return Code(f"({self.tensor(depth)} {self.pick(('<', '>', '<=', '>=', '==', '!='))} {other})")

    def tensor_one(self, depth: int) -> Code:
        """A tensor of one element, mostly."""
        if self.risky() and self.chance(0.3):
            return self.tensor(depth)
        form = self.pick(("{}.max()", "{}.min()", "{}.reshape(-1)[0]", "{}.reshape(-1)[-1]"))
        return Code(form.format(self.tensor(depth)))

    def tensor_printing(self, depth: int) -> Code:
        """The text of a tensor, or of its element."""
        form = self.pick(("str({})", "repr({})", "f'{{{}}}'", "f'<{{{}!r:>9}}>'"))
        if self.chance(0.4):
            return Code(self.pick(("str({}.item())", "f'{{{}.item():.2f}}'")).format(self.tensor_one(depth)), 400)
        return Code(form.format(self.named_tensor()), 400)

    def tensor_count(self, depth: int) -> Code:
        """An int out of a tensor, and arithmetic with it."""
        item = f"{self.comparison_of(depth)}.sum().item()"
        form = self.pick(
            ("{}", "{}", "({} + 1)", "(3 - {})", "({} * 2 % 5)", "abs({} - 2)", "max({}, 1)", "({} if {} > 1 else 0)")
        )
        return Code(form.format(item, item), 100)

    def tensor_extent(self, depth: int) -> Code:
        """Sizes and numbers of dimensions."""
        forms = ["{}.dim()", "{}.numel()", "{}.ndim", "len({}.shape)", "{}.reshape(-1).size(0)"]
        if self.risky():
            forms += ["{}.size(0)", "len({})", "{}.shape[-1]"]
        return Code(self.pick(forms).format(self.tensor(depth)), 100)

    def tensor_test(self, depth: int) -> Code:
        """Truth values that tell about tensors."""
        a, b = self.named_tensor(), self.named_tensor()
        match self.rng.randint(0, 4):
            case 0:
                if self.chance(0.5):
                    form = self.pick(_SAME)
                    b = form.format(b, b)
                return Code(f"({a} is {'not ' if self.chance(0.3) else ''}{b})")
            case 1:
                return Code(f"({self.tensor(depth)}.dtype {self.pick(('==', '!='))} {self.tensor_dtype()})")
            case 2:
                return Code(f"({a}.shape {self.pick(('==', '!='))} {b}.shape)")
            case 3:
                return Code(f"{self.tensor(depth)}.is_contiguous()")
        return Code(f"{self.tensor(depth)}.is_floating_point()")

    def tensor_dtype(self) -> str:
        """A dtype."""
        return self.pick(("tscript.float32", "tscript.float64", "tscript.int64", "tscript.int32", "tscript.bool"))

    def of_tensor(self, depth: int) -> Iterator[Option]:
        """Ways to write a tensor."""
        yield 5.0, lambda: self.tensor_binary(depth)
        yield 1.5, lambda: Code(self.pick(_UNARY).format(self.tensor(depth)))
        yield 1.2, lambda: self.comparison_of(depth)
        yield 0.6, lambda: Code(f"({self.comparison_of(depth)} {self.pick('&|^')} {self.comparison_of(depth)})")
        yield 0.3, lambda: Code(f"(~{self.comparison_of(depth)})")
        yield 1.0, lambda: self.tensor_chosen(depth)
        yield 1.5, lambda: self.tensor_part(depth)
        yield 1.0, lambda: self.tensor_reshaped(depth)
        yield 0.7, lambda: self.tensor_reduced(depth)
        yield 0.8, lambda: self.tensor_rows(depth)
        yield 0.5, lambda: self.tensor_converted(depth)
        yield 0.5, lambda: self.tensor_joined(depth)
        yield 0.4, lambda: Code(self.pick(_LIKE).format(self.tensor(depth)))
        lists = [v for v in self.names("list") if v.kind.args[0] == TENSOR]
        if lists:
            yield (
                0.5,
                lambda: Code(
                    f"tscript.cat([x.reshape(-1) for x in [{self.tensor(depth)}, *{self.pick(lists).name}]])[:3]"
                ),
            )

    def tensor_binary(self, depth: int) -> Code:
        """Arithmetic of two tensors, or of one with a number."""
        sign = self.weighted((4.0, "+"), (3.0, "-"), (3.0, "*"), (1.0, "/"), (0.7, "//"), (0.7, "%"))
        a = self.tensor(depth)
        if sign in ("//", "%") and not (self.risky() and self.on(Feature.ZERO_DIVISION)):
            return Code(f"({a} {sign} {self.pick(('2', '3', '-2', '2.0', '0.5'))})")
        if self.chance(0.35):
            b: str = self.tensor_number()
            if self.chance(0.3):
                b = f"({self.expr(INT, depth)} % 10)"
            return Code(f"({a} {sign} {b})" if self.chance(0.7) else f"({b} {sign} {a})")
        b = self.tensor(depth)
        form = self.weighted(
            (6.0, f"({a} {sign} {b})"), (0.5, f"tscript.minimum({a}, {b})"), (0.5, f"tscript.maximum({a}, {b})")
        )
        return Code(form)

    def tensor_chosen(self, depth: int) -> Code:
        """``where`` and ``clamp``."""
        if self.chance(0.5):
            return Code(f"tscript.where({self.comparison_of(depth)}, {self.tensor(depth)}, {self.tensor(depth)})")
        low, high = self.pick((("0", "2"), ("-1", "1"), ("0.5", "1.5")))
        return Code(f"{self.tensor(depth)}.clamp({low}, {high})")

    def tensor_place(self, depth: int, rank: bool) -> str:
        """What stands between the brackets behind a tensor: of one dimension, or of more."""
        index = str(self.rng.choice((0, 0, -1, 1, 2)))
        if self.risky():
            index = f"{self.small(INT, depth)} % 4"
        forms = [index, f"{index}:", f"::{self.pick(('2', '1'))}", "None", "..."]
        if rank:
            forms += [f"0, {index}", f":, {index}", f"..., {index}", f"{index}, None", "0, 1:"]
        return self.pick(forms)

    def tensor_part(self, depth: int) -> Code:
        """An element or a slice, which shares memory, or a copy of some elements."""
        tensor = self.tensor(depth)
        if self.risky() or self.chance(0.2):
            return Code(f"{tensor}[{self.tensor_place(depth, True)}]")
        if self.chance(0.2):
            return Code(f"{tensor}.masked_fill({self.comparison_of(depth)}, {self.tensor_number()})")
        if self.chance(0.15):
            return Code(f"tscript.index_select({tensor}.reshape(-1), 0, tscript.tensor([0, 0]))[:1]")
        return Code(f"{tensor}.reshape(-1)[{self.pick(('0', '-1', ':1', '0:1', '::9'))}]")

    def tensor_reshaped(self, depth: int) -> Code:
        """The same elements in another order or with other sizes."""
        name = self.named_tensor()
        if self.chance(0.2):
            return Code(f"{self.tensor(depth)}.expand({self.pick(('2, 3', '3', '1, 3'))})")
        form = self.pick(_SAME)
        return Code(form.format(name, name))

    def tensor_reduced(self, depth: int) -> Code:
        """Reductions whose result does not depend on their order."""
        form = self.pick(
            (
                "{}.max()",
                "{}.min()",
                "{}.any()",
                "{}.all()",
                "{}.argmax()",
                "({} > 0).sum()",
                "{}.amax(-1)",
                "({} != 1).sum(-1)",
                "{}.amin(0)",
            )
        )
        return Code(form.format(self.tensor(depth)))

    def tensor_rows(self, depth: int) -> Code:
        """Reductions among operators that may be one loop with them."""
        form = self.pick(
            (
                "({0} - {0}.amax(-1, True))",
                "({0} * {0}.max(-1, keepdim=True)[0])",
                "({0} > {1}.amin(-1, True)).sum(-1)",
                "(({0} - {0}.amax()).abs() + {1}).amax(-1, keepdim=True)",
                "(({0} > 0) == ({1} < {1}.amax(-1, True))).any(-1)",
                "(({0} + {1}).amin() - {1} * 2)",
                "(({0} != {1}).all(-1, keepdim=True) == ({0} > {1}))",
                "({0} > 1).sum(-1, keepdim=True).double().mean()",
            )
        )
        return Code(form.format(self.named_tensor(), self.tensor(depth)))

    def tensor_converted(self, depth: int) -> Code:
        """Another dtype that holds all values, or rounds them."""
        form = self.pick(("{}.double()", "{}.to(tscript.float64)", "{}.float()", "{}.bool()"))
        if self.chance(0.4):
            compared = self.comparison_of(depth)
            return Code(f"{compared}.{self.pick(('long()', 'to(tscript.int32)', 'int()', 'byte()', 'short()'))}")
        return Code(form.format(self.tensor(depth)))

    def tensor_joined(self, depth: int) -> Code:
        """Several tensors in one."""
        a = self.named_tensor()
        if self.chance(0.5):
            return Code(f"tscript.stack([{a}, {a} * 2])[{self.pick(('0', '1', '-1'))}]")
        return Code(
            f"tscript.cat([{self.tensor(depth)}.reshape(-1), "
            f"{self.tensor(depth)}.reshape(-1)])[:{self.pick(('1', '3'))}]"
        )

    # Exceptions

    def definitions(self) -> Lines:
        """See `Classes`; and exceptions with a tensor inside."""
        lines = super().definitions()
        if self.on(Feature.TENSOR, Feature.USER_ERROR) and self.chance(0.5):
            name, base = self.fresh("Held"), self.pick(("Exception", "ValueError", *self.errors))
            self.tensor_errors.append(name)
            given = self.pick(("'held', n", "t", "n, t", "(t, n)"))
            lines += [
                f"class {name}({base}):",
                "    def __init__(self, t: Tensor, n: int) -> None:",
                f"        super().__init__({given})",
                "        self.t = t",
                "        self.n = n",
                "        self.held: list[Tensor] = [t, t * 2]",
                "        self.maybe: Optional[Tensor] = t if n > 0 else None",
                "        self.both: tuple[Tensor, int] = (t, n)",
            ]
        return lines

    def raised(self) -> str:
        """See `Statements`."""
        if self.tensor_errors and self.chance(0.4):
            return f"raise {self.pick(self.tensor_errors)}({self.tensor(1)}, {self.small(INT)})"
        if self.of_kind(TENSOR) and self.chance(0.15):
            return f"raise ValueError({self.pick(('', '2, '))}{self.tensor(1)})"
        return super().raised()

    def tensor_caught(self) -> Lines:
        """``try`` around what raises an exception with a tensor inside, which its handler uses."""
        error, cls = self.fresh("e"), self.pick(self.tensor_errors)
        raising = f"raise {cls}({self.tensor(1)}, {self.small(INT)})"
        body = [f"if {self.condition(1)}:", f"    {raising}"] if self.chance(0.6) else [raising]
        held = self.held_in(error)
        return ["try:", *self.inner(1), *indented(body), f"except {cls} as {error}:", *self.inner(2, *held)]

    def held_in(self, error: str) -> tuple[Var, ...]:
        """What an exception with a tensor inside holds."""
        kinds = {
            "t": TENSOR,
            "n": INT,
            "held": list_of(TENSOR),
            "maybe": optional(TENSOR),
            "both": tuple_of(TENSOR, INT),
        }
        return tuple(Var(f"{error}.{name}", kind, fixed=True) for name, kind in kinds.items())

    def tensor_error_changed(self, var: Var) -> Lines:
        """Attributes of an exception with a tensor inside change."""
        name = var.name
        return self.pick(
            (
                [f"{name}.t = {self.tensor(1)}"],
                [f"{name}.n = {self.small(INT)}"],
                [f"{name}.maybe = {self.pick(('None', str(self.tensor(1))))}"],
                [f"{name}.held.append({self.tensor(1)})"],
                [f"{name}.held[0] += 1", f"{name}.both = ({name}.t, {name}.n)"],
            )
        )

    # Statements

    def statements(self, deep: bool) -> Iterator[Statement]:
        """See `Statements`."""
        yield from super().statements(deep)
        if not self.on(Feature.TENSOR):
            return
        errors = [v for v in self.visible() if v.kind.head == "error" and v.kind.name in self.tensor_errors]
        if errors and not self.leaf_only:
            yield 3.0, lambda: self.tensor_error_changed(self.pick(errors))
        places = list(self.tensor_places())
        if places:
            yield 3.0, lambda: self.tensor_written(self.pick(places))
        if self.of_kind(TENSOR) and self.assignable(TENSOR):
            yield 1.0, self.tensor_renamed
        if self.tensor_errors and self.on(Feature.TRY) and not deep:
            yield 2.0, self.tensor_caught
        tasks = [f for f in self.functions if self.may_be_task(f)]
        if tasks and not self.frame.in_finally and self.on(Feature.FORK):
            yield 4.0, lambda: self.tensor_task(self.pick(tasks))
        if not deep and self.of_kind(TENSOR) and self.frame.repeats < 60:
            yield 0.8, self.tensor_for_row

    def tensor_places(self) -> Iterator[tuple[str, bool]]:
        """Expressions whose tensor can be written into, and whether they can be assigned."""
        for var in self.visible():
            kind = var.kind
            if kind == TENSOR:
                yield var.name, not (var.fixed or var.constant)
            elif kind.name in self.classes and kind.head in ("data", "class", "named"):
                info = self.classes[kind.name]
                for name, item in info.fields:
                    if item == TENSOR:
                        yield f"{var.name}.{name}", kind.head != "named" and not info.frozen and not var.still
            elif kind.head == "tuple":
                yield from ((f"{var.name}[{i}]", False) for i, k in enumerate(kind.args) if k == TENSOR)

    def tensor_written(self, place: tuple[str, bool]) -> Lines:
        """A tensor is changed in place."""
        name, assignable = place
        value = self.tensor_number() if self.chance(0.4) else str(self.tensor(2))
        match self.rng.randint(0, 7):
            case 0 | 1 if assignable:
                return [f"{name} {self.pick(('+=', '-=', '*='))} {value}"]
            case 2:
                return [f"{name}[{self.tensor_place(1, self.risky())}] = {value}"]
            case 3:
                return [f"{name}.masked_fill_({name} {self.pick('<>')} {self.tensor_number()}, {self.tensor_number()})"]
            case 4:
                return [
                    f"{name}[{self.pick(('0', '-1', ':', '...'))}] {self.pick(('+=', '*='))} {self.tensor_number()}"
                ]
            case 5:
                return [f"{name}.{self.pick(('zero_()', 'fill_(2)', 'neg_()', 'abs_()', 'clamp_(0, 3)'))}"]
        return [f"{name}.{self.pick(('add_', 'mul_', 'sub_', 'copy_'))}({value})"]

    def tensor_renamed(self) -> Lines:
        """Another name for a tensor, or for a part of it."""
        var = self.pick(self.assignable(TENSOR))
        form = self.pick(("{}", "{}", "{}.reshape(-1)", "{}.t()", "{}[...]", "{}.detach()"))
        return [f"{var.name} = {form.format(self.pick(self.of_kind(TENSOR)).name)}"]

    def may_be_task(self, function: Function) -> bool:
        """Whether a task may take and give what the function does: nothing that can be changed but tensors."""

        def taken(kind: Kind) -> bool:
            return kind.head in ("int", "float", "bool", "str", "bytes", "tensor", "enum", "none") or (
                kind.head in ("optional", "tuple", "row") and all(map(taken, kind.args))
            )

        given = function.result.head in ("tensor", "int", "float", "bool")
        return given and not (function.rest or function.recursive) and all(taken(k) for _, k in function.params)

    def tensor_task(self, function: Function) -> Lines:
        """A call that runs as a task, and is waited for at once."""
        if not self.affordable(function.cost + 2):
            return []
        self.leaf_only += 1
        arguments = self.arguments(function, 1)
        self.leaf_only -= 1
        name, future = self.fresh("v"), self.fresh("future")
        call = f"tscript.fork({', '.join([function.name, *arguments])})"
        self.declare(name, function.result)
        if self.chance(0.3) and not function.defaults and not function.keyword_only:
            inner = self.fresh("task")
            params = ", ".join(f"{p}: {kind}" for p, kind in function.params)
            return [
                f"def {inner}({params}) -> {function.result}:",
                f"    return {function.name}({', '.join(p for p, _ in function.params)})",
                f"{name} = {call.replace(function.name, inner, 1)}.wait()",
            ]
        if self.chance(0.5):
            return [f"{name} = tscript.wait({call})"]
        return [f"{future} = {call}", f"{name} = {future}.wait()"]

    def tensor_for_row(self) -> Lines:
        """``for`` over the first dimension of a tensor; each row shares its memory."""
        name, over = self.fresh("row"), self.named_tensor()
        over = over if self.risky() else f"{over}.reshape(-1)"
        return self.loop(f"for {name} in {over}:", Var(name, TENSOR, fixed=True), trips=3)
