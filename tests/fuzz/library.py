"""What the operator library has beyond arithmetic: index tensors and masks, sorting, scans, gathering and scattering,
padding, pieces, views, values that are written in place, named results, further dtypes, devices and random tensors of a
seed.

All results are exact, or compared with a number that they are far from. `n` is a name, `s` small whole numbers of one
tensor, `v` all elements of a tensor in a row.
"""

from __future__ import annotations

import random
from collections.abc import Collection, Iterator

from tests.fuzz.base import Code, Var
from tests.fuzz.features import Feature
from tests.fuzz.kinds import BOOL, INT, STR, TENSOR, Kind
from tests.fuzz.operators import Operators
from tests.fuzz.scalars import Option
from tests.fuzz.statements import Lines, Statement, indented

F = "tscript.nn.functional."

_ORDERED = (
    "{v}.sort().values",
    "{v}.sort(descending=True, stable=True)[1]",
    "tscript.sort({n}, stable=True).indices",
    "{n}.sort(-1, True).values",
    "tscript.argsort({v}, stable=True)",
    "{v}.topk(1).values",
    "{v}.kthvalue(1).values",
    "{n}.max(-1).values",
    "tscript.min({n}, -1).indices",
    "{n}.max(0, keepdim=True)[{i}]",
    "{n}.cummax(-1).values",
    "tscript.cummin({n}, 0).indices",
    "{n}.median()",
    "tscript.median({n}, -1).values",
    "{n}.mode(-1).values",
    "tscript.unique({v})",
    "tscript.unique({v}, return_counts=True)[{i}]",
    "tscript.searchsorted({v}.sort().values, {s})",
    "tscript.bucketize({s}, {v}.sort().values)",
    "{n}.msort()",
    "tscript.aminmax({n}).{extreme}",
)
_SCANNED = (
    "{s}.cumsum(-1)",
    "{s}.cumsum(0, dtype=tscript.float64)",
    "{s}.cumprod(-1)",
    "({n} > {x}).cumsum(-1)",
    "tscript.diff({s})",
    "tscript.count_nonzero({n}, dim=-1)",
    "{s}.nansum()",
    "tscript.bincount(({n} > {x}).long().reshape(-1))",
    "tscript.histc({s}, 4, -4.0, 4.0)",
    "{n}.isnan()",
    "tscript.isin({n}, {s})",
)
_INDEXED = (
    "{n}[{n} > {x}]",
    "{n}[{n}.isnan()]",
    "tscript.masked_select({n}, {n} < {x})",
    "{n}.reshape(-1)[tscript.tensor([{k}, {k}])]",
    "{n}.reshape(-1)[[0, {k}]]",
    "{n}[..., tscript.tensor({k})]",
    "{n}.reshape(1, -1)[:, tscript.tensor([[0], [{k}]])]",
    "{n}[..., [0, 0], None]",
    "{n}.reshape(1, -1)[tscript.tensor([0]), ..., [{k}]]",
    "tscript.nonzero({n})",
    "tscript.nonzero({n} > {x}, as_tuple=True)[0]",
    "tscript.argwhere({n} > {x})",
    "tscript.take({n}, tscript.tensor([0, {k}]))",
    "tscript.take_along_dim({v}, {v}.argsort(stable=True))",
    "tscript.gather({v}, 0, tscript.tensor([0, {k}]))",
    "{v}.scatter(0, tscript.tensor([{k}]), {x})",
    "{s}.reshape(-1).scatter_add(0, tscript.tensor([0, {k}, 0]), tscript.ones(3))",
    "{s}.reshape(-1).scatter_reduce(0, tscript.tensor([0, 0]), tscript.ones(2), '{fold}')",
    "{v}.index_fill(0, tscript.tensor([{k}]), {x})",
    "{v}.index_add(0, tscript.tensor([0, {k}]), {v}[:1].expand(2), alpha=2)",
    "{v}.index_copy(0, tscript.tensor([{k}]), {v}[:1])",
    "{v}.index_put((tscript.tensor([0, {k}, 0]),), {v}[:1], accumulate={yes})",
    "{v}.put(tscript.tensor([{k}]), {v}[:1])",
    "{n}.masked_scatter({n} > {x}, {n})",
    "tscript.where({n} > {x})[0]",
    "{v}.select_scatter({v}[0], 0, {k})",
    "{v}.slice_scatter({v}[:1], 0, 0, 1)",
)
_SHAPED = (
    F + "pad({n}, (1, 0), value={x})",
    F + "pad({n}.reshape(1, -1), (0, 1, 1, 0))",
    F + "pad({s}.reshape(1, 1, -1), (1, 1), mode='replicate')",
    "{n}.flip(-1)",
    "tscript.flip({n}, (0,))",
    "{n}.roll(1)",
    "{n}.roll({k}, -1)",
    "{n}.reshape(1, -1).rot90()",
    "{n}.tile(2)",
    "{n}.repeat(2, 1)",
    "{n}.repeat_interleave(2)",
    "{n}.reshape(1, -1).tril()",
    "tscript.triu({n}.reshape(-1, 1))",
    "tscript.diag({v})",
    "tscript.diag_embed({n})",
    "{n}.movedim(0, -1)",
    "{n}.swapaxes(0, -1)",
    "{v}.unfold(0, 1, 1)",
    "{v}.chunk(2)[0]",
    "{n}.split(1)[0]",
    "{v}.split([1, {v}.size(0) - 1])[1]",
    "{n}.unbind(0)[-1]",
    "tscript.tensor_split({v}, 2)[{i}]",
    "tscript.meshgrid({v}, {v}[:1], indexing='ij')[{i}]",
    "tscript.broadcast_tensors({n}, {s})[{i}]",
    "tscript.hstack([{v}, {v}])",
    "tscript.vstack(({n}, {n}))",
    "tscript.column_stack([{v}, {v}])",
    "tscript.atleast_2d({n})",
    "tscript.as_strided({n}.contiguous(), (1,), (1,))",
    "tscript.block_diag({v}, {v})",
    "tscript.cartesian_prod({v}[:2], {v}[:1])",
    F + "one_hot(({n} > {x}).long(), 2)",
    F + "interpolate({s}.reshape(1, 1, -1), scale_factor=2.0, mode='nearest')",
    F + "max_pool1d({s}.reshape(1, 1, -1), 1)",
    F + "unfold({s}.reshape(1, 1, 1, -1), (1, 1))",
    F + "pixel_shuffle({s}.reshape(1, 1, 1, -1), 1)",
)
_PRODUCTS = (
    "tscript.einsum('i,j->ij', {w}, {w})",
    "tscript.einsum('i,i->', {w}, {w})",
    "tscript.einsum('...i->...', {s})",
    "tscript.tensordot({w}, {w}, 1)",
    "tscript.kron({w}[:2], {w}[:2])",
    "tscript.outer({w}, {w})",
    "{w}.reshape(1, -1) @ {w}.reshape(-1, 1)",
    F + "linear({w}, {w}.reshape(1, -1))",
    F + "conv1d({w}.reshape(1, 1, -1), tscript.ones(1, 1, 1))",
    "tscript.addcmul({s}, {s}, {s}, value=2)",
    "tscript.lerp({s}, {s}, 0.5)",
    "tscript.cross({s}.reshape(-1)[:1].expand(3), {s}.reshape(-1)[-1:].expand(3), dim=0)",
    "tscript.linalg.matrix_power({w}[:1].reshape(1, 1), 2)",
    "tscript.cdist({w}.reshape(-1, 1), {w}.reshape(-1, 1), p=1.0)",
)
_NEAR = (
    "tscript.linalg.det(tscript.eye(2) * {w}[0])",
    "tscript.linalg.solve(tscript.eye(1) * 2, {w}.reshape(1, -1))",
    "tscript.linalg.inv(tscript.eye(2) * 4)",
    "tscript.linalg.svdvals({w}.reshape(1, -1))",
    "tscript.fft.rfft({w}).abs()",
    "tscript.fft.ifft(tscript.fft.fft({w})).real",
    "tscript.atan2({s}, {s})",
    "tscript.erf({s})",
    "tscript.logcumsumexp({s}, -1)",
    "tscript.quantile({w}, 0.5)",
    "tscript.cov({w}.expand(2, -1))",
    F + "interpolate({s}.reshape(1, 1, -1), size=4, mode='linear')",
    F + "avg_pool1d({s}.reshape(1, 1, -1), 1)",
    F + "cross_entropy({w}.reshape(1, -1), tscript.tensor([0]))",
)
_RANDOM = (
    "tscript.rand({n}.shape)",
    "tscript.randint(0, 9, (3,))",
    "tscript.randperm(4)[:3]",
    "({n} * (tscript.randn(3) > 0))",
    "tscript.bernoulli(({n} > {x}).float())",
    "tscript.normal(0.0, 1.0, (3,)).clamp(-9, 9)",
)
_MASKED = (
    "tscript.masked.sum({n}, mask={n} > {x})",
    "tscript.masked.sum({n}, -1, keepdim=True, mask={n} != {x})",
    "tscript.masked.prod({s}, -1, mask={s} > 0)",
    "tscript.masked.amax({n}, 0, mask={n} > {x})",
    "tscript.masked.amin({n}, -1, mask={n} < {x})",
    "tscript.masked.argmax({n}, -1, mask={n} == {n})",
    "tscript.masked.cumsum({s}, -1, mask={s} > 0)",
    "tscript.masked.mean({s}, mask={s} == {s})",
)
_VIEWS = (
    "{n}.view(-1)",
    "{n}.view({n}.shape)",
    "{n}.view_as({n})",
    "{n}.t()",
    "{n}.mT",
    "{n}.diagonal()",
    "{n}.unsqueeze(-1)",
    "{n}.unsqueeze(0).expand(2, *{n}.shape)",
    "{n}.squeeze(0)",
    "{n}.narrow(-1, 0, 1)",
    "{n}.select(0, {k})",
    "{n}.detach()",
    "{n}[::2]",
    "{n}[..., 1:]",
    "{n}.transpose(0, -1)",
    "{n}.flatten()[1:]",
)
_IN_PLACE = (
    "{n}.add_({y})",
    "{n}.sub_({n}[..., :1])",
    "{n}.mul_(2)",
    "{n}.neg_()",
    "{n}.abs_()",
    "{n}.zero_()",
    "{n}.clamp_(-2, 2)",
    "{n}.fill_({y})",
    "{n}.t().add_({y})",
    "{n}[0].fill_({y})",
    "{n}.view(-1)[:1].neg_()",
    "{n}[..., 1:].copy_({n}[..., :-1])",
    "{n}.masked_fill_({n} > {x}, {y})",
    "({n} + {n}.add_({y}))",
    "({n}.add_({y}) * {n})",
    "tscript.stack([{n}, {n}.neg_(), {n}])[{i}]",
)
"""Values that have written to a tensor, which may be read beside them."""

_PLACED = (
    "{n}.to('cpu')",
    "{n}.cpu()",
    "tscript.zeros(3, device='cpu')",
    "tscript.ones_like({n}, device={n}.device)",
    "{n}.to({n}.device, tscript.float64)",
    "{n}.to(tscript.device('cpu'))",
)
_DTYPED = (
    "{n}.half()",
    "{n}.to(tscript.{narrow})",
    "({n}.to(tscript.{narrow}) + {s}.to(tscript.{narrow}))",
    "({n}.half() * {x})",
    "({n} > {x}).to(tscript.{unsigned})",
    "({n} != {x}).to(tscript.{unsigned}) * 3",
    "{s}.abs().to(tscript.{unsigned}) // 2",
    "tscript.complex({s}.float(), {s}.float())",
    "{s}.to(tscript.complex64).conj()",
    "(tscript.complex({s}.float(), {s}.float()) * {s}).imag",
    "tscript.view_as_real({s}.to(tscript.complex64))",
    "({s}.to(tscript.complex128) + 1j).real",
    "tscript.real({n})",
)
_MOVED = (
    "{n}[{n} > {x}] = {y}",
    "{n}[{n} != {n}] = {y}",
    "{n}[{n} > {x}] += {y}",
    "{n}[..., [0]] = {y}",
    "{n}[..., tscript.tensor([0, 0])] *= {y}",
    "{n}[tscript.tensor({k})] = {n}[0]",
    "{n}.reshape(-1)[[0, {k}]] = {y}",
    "{n}.t()[...] = {y}",
    "{n}.masked_scatter_({n} > {x}, {n}.clone())",
    "{n}.index_fill_(-1, tscript.tensor([0, {k}]), {y})",
    "{n}.index_add_(-1, tscript.tensor([0]), {n}[..., :1].clone())",
    "{n}.index_copy_(0, tscript.tensor([{k}]), {n}[:1].clone())",
    "{n}.put_(tscript.tensor([0, {k}]), {n}.reshape(-1)[:1].expand(2).clone())",
    "{n}.reshape(-1).scatter_(0, tscript.tensor([{k}]), {y})",
    "{n}.scatter_add_(0, tscript.zeros({n}.shape, dtype=tscript.int64), {n}.clone())",
    "{n}.fill_({n}.reshape(-1)[0])",
    "{n}.clamp_(min={x})",
    "{n}.copy_({n}.flip(0))",
    "{n}.sub_({n})",
    "{n}.cumsum_(-1)",
    "{n}.tril_()",
)
_FURTHER_OUT = (
    "tscript.sort({v}, out=({v}.clone(), {v}.argsort()))[{i}]",
    "tscript.cumsum({s}, -1, out={s})",
    "tscript.index_select({v}, 0, tscript.tensor([0]), out={v}[:1].clone())",
    "tscript.gather({v}, 0, tscript.tensor([0]), out={v}[:1].clone())",
    "tscript.masked_select({v}, {v} > {x}, out={v}[:0].clone())",
    "tscript.max({n}, {n}, out={n})",
    "tscript.tril({n}.reshape(1, -1), out={n}.reshape(1, -1))",
)
_NAMED = (
    "{n}.max(-1)",
    "{n}.min(0)",
    "{v}.sort(stable=True)",
    "tscript.topk({v}, 1)",
    "{n}.cummax(-1)",
    "tscript.median({n}, -1)",
    "{v}.kthvalue(1)",
)
"""Results with the fields `values` and `indices`."""

_PIECES = ("{v}.split(1)", "{v}.chunk(3)", "{n}.unbind(0)", "{v}.tensor_split(2)", "tscript.atleast_1d({n}, {s})")

_QUESTIONS = (
    "({n}.device == tscript.device('cpu'))",
    "({n}.device.type == 'cpu')",
    "({n}.device.index is None)",
    "{n}.is_cuda",
    "{n}.is_complex()",
    "tscript.is_complex({n})",
    "tscript.cuda.is_available()",
    "(tscript.result_type({n}, 1.5) == {n}.dtype)",
    "(tscript.promote_types({n}.dtype, tscript.float16) == {n}.dtype)",
    "tscript.can_cast({n}.dtype, tscript.float16)",
    "tscript.equal({n}, {n})",
    "tscript.is_tensor({n})",
    "({n}.layout == tscript.strided)",
)

_OF_A_TENSOR = (
    "t.max(-1)",
    "t.reshape(-1).sort(stable=True)",
    "t.reshape(-1).chunk(2)",
    "t.device, t.dtype",
    "t[t > 0], t.shape",
)

_FAMILIES = (
    (1.5, _ORDERED), (1.0, _SCANNED), (2.0, _INDEXED), (1.5, _SHAPED), (1.0, _PRODUCTS), (0.5, _PLACED), (1.5, _DTYPED),
    (0.7, _MASKED), (1.0, _VIEWS), (1.0, _IN_PLACE),
)  # fmt: skip


class Library(Operators):
    """Operators of the library wherever a tensor may stand, and statements around them."""

    def __init__(self, rng: random.Random, features: Collection[Feature]) -> None:
        super().__init__(rng, features)
        self.tuple_functions: list[tuple[str, str]] = []

    def definitions(self) -> Lines:
        """See `Classes`; and a function without annotations that returns several things."""
        lines = super().definitions()
        if self.on(Feature.TENSOR, Feature.LIBRARY) and self.chance(0.4):
            name, result = self.fresh("several"), self.pick(_OF_A_TENSOR)
            self.tuple_functions.append((name, result))
            lines += [f"def {name}(t: Tensor):", f"    return {result}"]
        return lines

    def options(self, kind: Kind, depth: int) -> Iterator[Option]:
        """See `Scalars`."""
        yield from super().options(kind, depth)
        if not (self.on(Feature.TENSOR, Feature.LIBRARY) and self.of_kind(TENSOR)):
            return
        if kind == BOOL:
            yield 0.4, self.placed
        elif kind == STR:
            yield 0.3, lambda: Code(f"str({self.named_tensor()}.{self.pick(('device', 'dtype', 'shape'))})", 40)
        elif kind == INT:
            yield 0.4, lambda: Code(f"{self.named_tensor()}.element_size()", 16)
            yield 0.4, lambda: Code(f"len({self.library_form(self.pick(_PIECES))})", 64)

    def placed(self) -> Code:
        """A question about devices and dtypes."""
        name = self.named_tensor()
        form = self.pick(_QUESTIONS)
        return Code(form.format(n=name))

    def of_tensor(self, depth: int) -> Iterator[Option]:
        """See `Tensors`."""
        yield from super().of_tensor(depth)
        if self.on(Feature.LIBRARY):
            yield 4.0, lambda: self.library(depth)

    def library_form(self, form: str, depth: int = 1) -> str:
        """A form with operands in it."""
        name = self.named_tensor()
        near = f"{name}.float().clamp(-3, 3).floor()"
        words = {
            "v": f"{name}.reshape(-1)",
            "w": f"{near}.reshape(-1)",
            "y": self.tensor_number(),
            "k": self.pick(("0", "-1", "0", "1" if self.risky() else "0", "7" if self.risky() else "-1")),
            "yes": self.pick(("True", "False")),
            "fold": self.pick(("sum", "prod", "amax", "amin", "other" if self.risky() else "sum")),
            "extreme": self.pick(("min", "max")),
            "narrow": self.pick(("float16", "bfloat16")),
            "unsigned": self.pick(("uint16", "uint32", "uint64")),
            "n": name,
            "s": near if self.chance(0.8) else f"{name}.nan_to_num(0.0, 1.0, -1.0)",
            "x": self.tensor_number(),
            "i": self.pick(("0", "1")),
        }
        return form.format(**words)

    def library(self, depth: int) -> Code:
        """Any of them."""
        if self.chance(0.1):
            return Code(f"({self.library_form(self.pick(_NEAR))} < {self.pick(('900', '-900'))})")
        if self.chance(0.08):
            return Code(self.library_form(self.pick(_RANDOM)))
        if self.chance(0.05):
            return Code(self.library_form(self.pick(_FURTHER_OUT)))
        return Code(self.library_form(self.pick(self.weighted(*_FAMILIES))))

    # Statements

    def statements(self, deep: bool) -> Iterator[Statement]:
        """See `Statements`."""
        yield from super().statements(deep)
        if not (self.on(Feature.TENSOR, Feature.LIBRARY) and self.of_kind(TENSOR)):
            return
        yield 2.0, self.moved
        yield 1.5, self.named_result
        if not deep:
            yield 1.0, self.over_pieces
            yield 0.7, self.drawn

    def moved(self) -> Lines:
        """Elements are written at indices."""
        return [self.library_form(self.pick(_MOVED))]

    def named_result(self) -> Lines:
        """A result with several parts, which are taken by name, by number or all at once."""
        both = self.fresh("both")
        if self.tuple_functions and self.chance(0.3):
            function, result = self.pick(self.tuple_functions)
            lines = [f"{both} = {function}({self.named_tensor()})"]
            if result.startswith("t.device"):
                return [*lines, f"print({both}[0], {both}[1])"]
            self.declare(part := self.fresh("part"), TENSOR)
            return [*lines, f"{part} = {both}[0]"]
        made = self.library_form(self.pick(_NAMED))
        match self.rng.randint(0, 3):
            case 0:
                first, second = self.fresh("part"), self.fresh("part")
                self.declare(first, TENSOR)
                self.declare(second, TENSOR)
                return [f"{first}, {second} = {made}"]
            case 1:
                found = self.fresh("part")
                self.declare(found, TENSOR)
                return [f"{both} = {made}", f"{found} = {both}.{self.pick(('values', 'indices'))}"]
            case 2:
                held, other = self.fresh("held"), self.named_tensor()
                self.declare(f"{held}[0]", TENSOR, fixed=True)
                return [f"{held} = [{made}.values, {other}]"]
        return [f"{both} = {made}", f"print({both}.values, {both}[1], len({both}))"]

    def over_pieces(self) -> Lines:
        """``for`` over the parts of a tensor, or a list of them."""
        made, name = self.library_form(self.pick(_PIECES)), self.fresh("piece")
        if self.chance(0.5):
            found = self.fresh("part")
            self.declare(found, TENSOR)
            return [f"{found} = tscript.cat([{name}.reshape(-1) for {name} in {made}])[:6]"]
        return self.loop(f"for {name} in {made}:", Var(name, TENSOR, fixed=True), trips=3)

    def drawn(self) -> Lines:
        """Random tensors in a loop, of which some draws are not needed."""
        first, found = self.library_form(self.pick(_RANDOM)), self.fresh("part")
        self.declare(found, TENSOR)
        draws = [self.library_form(self.pick(_RANDOM)) for _ in range(2)]
        body = [f"if {self.condition(1)}:", f"    {found} = {draws[0]}", draws[1]]
        self.affordable(6)
        return [f"{found} = {first}", f"for {self.fresh('i')} in range({self.rng.randint(0, 3)}):", *indented(body)]


__all__ = ["Library"]
