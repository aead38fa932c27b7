"""Norms, losses, products and other operators over tensors, and results that are written into tensors: ``out=``.

Sums of floats are exact where all that is added are small whole numbers, in any order. What is not exact even so is
compared with a number that it is far from.
"""

from __future__ import annotations

from collections.abc import Iterator

from tests.fuzz.base import Code
from tests.fuzz.features import Feature
from tests.fuzz.kinds import TENSOR
from tests.fuzz.scalars import Option
from tests.fuzz.statements import Lines, Statement
from tests.fuzz.tensors import Tensors

F = "tscript.nn.functional."

_EXACT = (
    "{a}.norm()",
    "{a}.norm({order})",
    "{a}.norm({order}, -1)",
    "{a}.norm('fro', keepdim=True)",
    "tscript.linalg.vector_norm({a}, {order}, dim=0, dtype=tscript.float64)",
    "tscript.dist({a}, {b}, 1)",
    "tscript.pairwise_distance({a}, {b}, 1.0, 1.0)",
    "tscript.pairwise_distance({a}, {b}, eps=1.0, keepdim=True)",
    F + "normalize({a}, 1, -1)",
    F + "normalize({a}, p={order}, dim=0, eps=0.5)",
    F + "l1_loss({a}, {b}, reduction={reduction})",
    F + "mse_loss({a}, {b}, reduction={reduction})",
    F + "smooth_l1_loss({a}, {b}, reduction={reduction}, beta={beta})",
    F + "huber_loss({a}, {b}, reduction={reduction}, delta={beta})",
    F + "softsign({a})",
    F + "embedding(({n} > 0).long(), {n}.reshape(-1)[:1].expand(2, 1))",
    "tscript.trace({a}.reshape(1, -1))",
    "tscript.inner({a}.reshape(-1)[:1], {b}.reshape(-1)[-1:])",
    "tscript.inner({s}, {s})",
    "tscript.inner({s}, {s}.reshape(-1)[0])",
    "tscript.addr({a}.reshape(-1)[0], {b}.reshape(-1), {s}.reshape(-1)[:2], beta={factor}, alpha=2)",
    "tscript.addmv({s}.reshape(-1)[:1], {s}.reshape(1, -1), {s}.reshape(-1), beta={factor})",
)
"""Of small whole numbers `a` and `b`; `s` are those of one tensor, `n` is a name."""

_NEARLY = (
    F + "layer_norm({s}, {s}.shape)",
    F + "layer_norm({a}, (3,), eps=0.5)",
    F + "rms_norm({s}, {s}.shape[-1:])",
    F + "glu(tscript.stack([{s}, {s}]), 0)",
    F + "softmin({a}, -1)",
    F + "tanhshrink({a})",
    F + "batch_norm({s}.reshape(1, 1, -1), None, None, training=True, eps=0.5)",
    F + "batch_norm({s}.reshape(-1, 1), {s}.reshape(-1)[:1], tscript.ones(1), eps=0.5)",
    F + "scaled_dot_product_attention({s}.reshape(1, -1), {s}.reshape(1, -1), {s}.reshape(1, -1), scale=0.5)",
    F + "scaled_dot_product_attention({s}.reshape(-1, 1), {s}.reshape(-1, 1), {s}.reshape(-1, 1), is_causal=True)",
    "tscript.cosine_similarity({a}, {b}, -1)",
    "tscript.var_mean({a}, unbiased=False)[{i}]",
    "tscript.var_mean({a}, 0)[{i}]",
    "tscript.std_mean({a}, -1, keepdim=True, correction=0)[{i}]",
)

_OUT = (
    "tscript.add({n}, {x}, out={n})",
    "tscript.sub({n}, {n}, alpha=2, out={n})",
    "tscript.mul({n}, {n}, out={n})",
    "tscript.abs({n}, out={n})",
    "tscript.neg(input={n}, out={n})",
    "tscript.gt({n}, {x}, out={n})",
    "tscript.where({n} > {x}, {n}, 1, out={n})",
    "tscript.clamp({n}, -1, 2, out={n})",
    "tscript.minimum({n}, {n} * 2, out=tscript.zeros_like({n}))",
    "tscript.add({n}, {x}, out=tscript.ones_like({n}, dtype=tscript.float64))",
    "tscript.mul({n}, 2, out=tscript.add({n}, 1, out={n}))",
    "tscript.add({n}.reshape(-1)[1:], {n}.reshape(-1)[:-1], out={n}.reshape(-1)[1:])",
    "tscript.sub({n}.t(), 1, out={n})",
    "tscript.mul({n}.reshape(-1)[:1], {x}, out={n}.reshape(-1)[-1:])",
    "tscript.cat([{n}.reshape(-1)[-1:], {n}.reshape(-1)[:1]], out=tscript.zeros(2))",
    "tscript.stack([{n}, {n}], 0, out=tscript.stack([{n}, {n}]))",
    "tscript.ones({n}.shape, out={n})",
    "tscript.sum({n} > 0, out=tscript.tensor({x}))",
    "tscript.sum({n} != 0, 0, out={n})",
    "tscript.any({n} > 0, out=tscript.tensor(0.5))",
    "tscript.max({n}.reshape(-1), 0, out=({n}.reshape(-1)[0].clone(), tscript.tensor(7)))[{i}]",
    "tscript.sqrt({s}, out={n})",
    "tscript.maximum({a}, {b}, out={n})",
    "tscript.addr({n}, {n}, {n}, out={n})",
)
"""Results that are written into tensors; `n` is the name of one, `x` a number."""


class Operators(Tensors):
    """Further operators wherever a tensor may stand."""

    def of_tensor(self, depth: int) -> Iterator[Option]:
        """See `Tensors`."""
        yield from super().of_tensor(depth)
        yield 1.0, lambda: self.tensor_operator(depth)
        if self.of_kind(TENSOR):
            yield 0.5, lambda: Code(self.tensor_out(depth))

    def statements(self, deep: bool) -> Iterator[Statement]:
        """See `Statements`."""
        yield from super().statements(deep)
        if self.on(Feature.TENSOR) and self.of_kind(TENSOR):
            yield 1.0, self.tensor_result

    def tensor_small(self, depth: int) -> str:
        """A tensor of small whole numbers."""
        return self.tensor_whole(str(self.tensor(depth)))

    def tensor_whole(self, tensor: str) -> str:
        """The elements of a tensor as small whole numbers of a float dtype, or of its own."""
        cast = self.weighted((5.0, ".float()"), (2.0, ".double()"), (0.2, ""))
        return f"{tensor}{cast}.clamp(-3, 3).floor()"

    def tensor_form(self, form: str, depth: int) -> str:
        """A form with operands in it."""
        name = self.named_tensor()
        words = {
            "n": name,
            "s": f"{name}.float().clamp(-3, 3).floor()",
            "x": self.tensor_number(),
            "i": self.pick(("0", "1")),
            "order": self.pick(("0", "1", "2", "1.0", "float('inf')", "-float('inf')")),
            "reduction": self.pick(("'sum'", "'none'", "'sum'", "'all'" if self.risky() else "'none'")),
            "beta": self.pick(("1.0", "0.5", "2.0", "0.0" if self.risky() else "1.0")),
            "factor": self.pick(("0", "1", "2", "0.5")),
        }
        for letter in "ab":
            if f"{{{letter}}}" in form:
                words[letter] = self.tensor_small(depth)
        return form.format(**words)

    def tensor_operator(self, depth: int) -> Code:
        """An operator whose result is exact, or far from what it is compared with."""
        if self.chance(0.65):
            return Code(self.tensor_form(self.pick(_EXACT), depth))
        return Code(f"({self.tensor_form(self.pick(_NEARLY), depth)} < {self.pick(('50', '-50'))})")

    def tensor_out(self, depth: int) -> str:
        """A result that is written into a tensor."""
        return self.tensor_form(self.pick(_OUT), depth)

    def tensor_result(self) -> Lines:
        """A statement that does nothing else, or gives the tensor another name."""
        places = self.assignable(TENSOR)
        if places and self.chance(0.3):
            return [f"{self.pick(places).name} = {self.tensor_out(1)}"]
        return [self.tensor_out(1)]


__all__ = ["Operators"]
