"""Every tensor operator against PyTorch: dtype, shape, values, what is written, and the class of the error.

Each call is made with all dtypes (and, for two tensors, all pairs) in several shapes. Runs where torch is installed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
import pytest

from tscript.definitions.opdef import OpDef
from tscript.definitions.resolve import Default, Gathered, Given, Slot, resolve
from tscript.definitions.values import type_of_value
from tscript.ir.interpreter import meaning
from tscript.operators.table import TABLE
from tscript.passes import PassContext
from tscript.passes.specialise import result_type
from tscript.pipeline.bodies import Bodies
from tscript.types import TensorType, TupleType, Type, dtypes

torch: Any = pytest.importorskip("torch")

pytestmark = pytest.mark.filterwarnings("ignore:.*degrees of freedom:UserWarning")

NAMES = "uint8 int8 int16 int32 int64 float32 float64 bool".split()
"""Those that both compute with: `test_half_rounding` has the narrow floats, whose operators round once, and PyTorch has
few operators of wide unsigned integers."""
EDGES = (0.0, -0.0, float("nan"), float("inf"), -float("inf"), 1.0, -1.5, 2.5)


ROUNDED_THERE = {"sqrt", "sqrt_"}
"""Operators that we round correctly and torch does not."""


@dataclass(frozen=True)
class Shown:
    """A value as an argument."""

    value: Any

    @property
    def type(self) -> Type:
        return type_of_value(self.value)

    @property
    def constant(self) -> object:
        from tscript.definitions.values import ValueArg

        return ValueArg(self.value).constant


BODIES = Bodies(TABLE)
CONTEXT = PassContext(TABLE, BODIES.lower_body)


def numpy(value: Any) -> Any:
    """What our semantics call what torch calls `value`; tensors share memory."""
    if isinstance(value, torch.Tensor):
        return value.numpy()
    if isinstance(value, torch.dtype):
        return dtypes.BY_NAME[str(value).removeprefix("torch.")]
    if isinstance(value, tuple | list):
        return tuple(numpy(v) for v in value)
    return value


def filled(slot: Slot) -> Any:
    match slot:
        case Given(arg, convert):
            assert isinstance(arg, Shown)
            return arg.value if convert is None else convert.semantics(arg.value)
        case Gathered(args):
            return tuple(a.value for a in args if isinstance(a, Shown))
        case Default(value):
            return value


def ours(name: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> tuple[Any, Type, OpDef]:
    found = resolve(TABLE, name, [Shown(numpy(a)) for a in args], {k: Shown(numpy(v)) for k, v in kwargs.items()})
    values = [filled(slot) for slot in found.slots]
    declared = result_type(found.op, [Shown(v) for v in values], CONTEXT)
    return meaning(found.op, BODIES.lower_body)(*values), declared, found.op


def compare(expected: Any, found: Any, declared: Type, exact: bool) -> None:
    if isinstance(expected, tuple) and not isinstance(expected, torch.Size):
        assert isinstance(declared, TupleType)
        for e, f, d in zip(expected, found, declared.elements, strict=True):
            compare(e, f, d, exact)
        return
    if not isinstance(expected, torch.Tensor):
        assert numpy(expected) == found or expected != expected
        return
    assert isinstance(declared, TensorType)
    wanted = expected.detach().numpy()
    assert (found.dtype, found.shape) == (wanted.dtype, wanted.shape)
    assert declared.dtype is not None
    assert declared.dtype.name == wanted.dtype.name
    assert declared.rank in (None, wanted.ndim)
    if exact or wanted.dtype.kind != "f":
        np.testing.assert_array_equal(found, wanted)
    else:
        np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-5)


def copied(value: Any) -> Any:
    return value.clone() if isinstance(value, torch.Tensor) else value


def check(name: str, function: Callable[..., Any], args: Sequence[Any], **kwargs: Any) -> None:
    """One call of both."""
    theirs, mine = [copied(a) for a in args], [copied(a) for a in args]
    try:
        expected = function(*theirs, **kwargs)
    except (RuntimeError, IndexError, ValueError, TypeError) as error:
        with pytest.raises(type(error)):
            ours(name, mine, kwargs)
        return
    found, declared, op = ours(name, mine, kwargs)
    compare(expected, found, declared, op.exact and name not in ROUNDED_THERE)
    for theirs_after, mine_after in zip(theirs, mine, strict=True):
        if isinstance(theirs_after, torch.Tensor) and op.effects.writes:
            np.testing.assert_allclose(mine_after.numpy(), theirs_after.numpy(), rtol=1e-4, atol=1e-5)


def tensor(name: str, shape: tuple[int, ...], positive: bool = False) -> Any:
    generator = torch.Generator().manual_seed(hash((NAMES.index(name), shape)) % 1000)
    dtype = getattr(torch, name)
    if name == "bool":
        found = torch.randint(0, 2, shape, generator=generator).bool()
        return torch.ones_like(found) if positive else found
    if name.startswith("float"):
        found = torch.randn(shape, dtype=torch.float64, generator=generator) * 3
        if not positive:
            flat = found.view(-1)
            for i in range(min(len(EDGES), flat.numel() // 2)):
                flat[i] = EDGES[i]
        return found.abs().to(dtype) + 0.5 if positive else found.to(dtype)
    low = 1 if positive else 0 if name == "uint8" else -9
    return torch.randint(low, 8, shape, generator=generator).to(dtype)


SHAPES = ((3, 4), (4,), (), (0, 3), (2, 3, 4))
PAIRS: tuple[tuple[tuple[int, ...], tuple[int, ...]], ...] = (((4, 4), (4, 4)), ((4, 4), ()), ((), (4,)), ((), ()))


def pairs(positive: bool = False) -> Iterator[tuple[Any, Any]]:
    for (a, b), (left, right) in product(product(NAMES, NAMES), PAIRS):
        yield tensor(a, left), tensor(b, right, positive)


def tensors(shapes: Sequence[tuple[int, ...]] = SHAPES) -> Iterator[Any]:
    for name, shape in product(NAMES, shapes):
        yield tensor(name, shape)


BINARY = ("add", "sub", "mul", "div", "maximum", "minimum", "eq", "ne", "lt", "le", "gt", "ge")
LOGICAL = ("logical_and", "logical_or", "logical_xor", "bitwise_and", "bitwise_or", "bitwise_xor")
DIVIDING = ("floor_divide", "remainder", "fmod", "pow", "bitwise_left_shift", "bitwise_right_shift")


@pytest.mark.parametrize("name", [*BINARY, *LOGICAL, *DIVIDING])
def test_binary(name: str) -> None:
    for x, y in pairs(positive=name in DIVIDING):
        check(name, getattr(torch, name), [x, y])


@pytest.mark.parametrize("name", [n for n in (*BINARY[:4], *DIVIDING) if n != "pow"])
def test_binary_with_numbers(name: str) -> None:
    for x, number in product(tensors(((4, 4), ())), (2, 1.5, True, 3)):
        check(name, getattr(torch.Tensor, name), [x, number])


@pytest.mark.parametrize("name", ["add", "sub", "mul", "div", "floor_divide", "eq", "logical_and", "bitwise_xor"])
def test_in_place(name: str) -> None:
    shapes = (((4, 4), (4, 4)), ((4, 4), (4,)), ((4,), (4, 4)), ((4, 4), ()))
    for (a, b), (left, right) in product(product(NAMES, NAMES), shapes):
        check(f"{name}_", getattr(torch.Tensor, f"{name}_"), [tensor(a, left), tensor(b, right, positive=True)])


UNARY = (
    "neg abs sign square reciprocal floor ceil trunc round frac logical_not bitwise_not isnan isinf "
    "isfinite exp expm1 log log1p log2 log10 sqrt rsqrt sin cos tanh erf sigmoid relu positive clone "
    "ravel numel argmax argmin any all sum prod max min amax amin mean t detach"
).split()


@pytest.mark.parametrize("name", UNARY)
def test_unary(name: str) -> None:
    for x in tensors(((4, 4), (), (0, 3), (5,))):
        check(name, getattr(torch, name), [x])


ACTIVATIONS = {"silu": "silu", "leaky_relu": "leaky_relu", "elu": "elu", "hardtanh": "hardtanh",
               "hardswish": "hardswish"} | {
    "hardsigmoid": "hardsigmoid", "softplus": "softplus", "log_sigmoid": "logsigmoid", "mish": "mish", "gelu": "gelu"
}  # fmt: skip


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_activations(name: str) -> None:
    for dtype in NAMES:
        x = tensor(dtype, (4, 4), positive=True)
        x = x if dtype in ("bool", "uint8") else x - 2
        if name != "hardtanh" or dtype not in ("bool", "uint8"):
            check(name, getattr(torch.nn.functional, ACTIVATIONS[name]), [x])


def test_where_clamp_and_fill() -> None:
    mask = tensor("bool", (4, 4))
    for x, y in pairs():
        if x.ndim:
            check("where", torch.where, [mask, x, y])
            check("where_of", torch.Tensor.where, [x, mask, y])
            check("type_as", torch.Tensor.type_as, [tensor("int8", (3,), positive=True), y])
    for x in tensors(((4, 4),)):
        for low, high in ((-1, 2), (0.5, 1.5), (None, 1), (1.5, None)):
            check("clamp", torch.clamp, [x, low, high])
        check("masked_fill", torch.masked_fill, [x, mask, 2.5])
        check("fill_", torch.Tensor.fill_, [x, 2.5])
        check("zero_", torch.Tensor.zero_, [x])
        for name in NAMES:
            check("to", torch.Tensor.to, [tensor("int8", (5,), positive=True), getattr(torch, name)])


@pytest.mark.parametrize(
    "name", ["sum", "mean", "prod", "any", "all", "amax", "amin", "max", "min", "argmax", "argmin"]
)
def test_reductions_along_dimensions(name: str) -> None:
    function = getattr(torch, name)
    for x, dim, keepdim in product(tensors(), (0, -1, 1), (False, True)):
        check(name, function, [x, dim], keepdim=keepdim)
    if name in ("sum", "mean", "any", "all", "amax", "amin"):
        for x, dims in product(tensors(((3, 4), (2, 3, 4))), ((0, 1), (-1,), (), None)):
            check(name, function, [x], dim=dims)
    if name in ("sum", "mean", "prod"):
        for x, dtype in product(tensors(((3, 4),)), NAMES):
            check(
                name,
                function,
                [tensor("int8", (5,), positive=True) if x.is_floating_point() else x],
                dtype=getattr(torch, dtype),
            )


@pytest.mark.parametrize("name", ["var", "std", "softmax", "log_softmax", "logsumexp"])
def test_statistics(name: str) -> None:
    function = getattr(torch, name)
    for dtype, shape, dim in product(("float32", "float64"), ((3, 4), (4,), (2, 3, 4)), (0, -1)):
        x = tensor(dtype, shape, positive=True)
        check(name, function, [x, dim])
        if name in ("var", "std"):
            check(name, function, [x])
            check(name, function, [x, dim], correction=2)


VIEWS: dict[str, Sequence[tuple[Any, ...]]] = {
    "transpose": [(0, 1), (-1, 0), (0, 0), (1, 2)],
    "permute": [((1, 0),), ((0,),), ((2, 0, 1),), ((0, 0),)],
    "view": [((-1,),), ((12,),), ((2, -1),), ((-1, -1),), ((0, -1),), ((),), ((-2, 3),)],
    "reshape": [((-1,),), ((12,),), ((2, -1),), ((4, 3),), ((1,),)],
    "flatten": [(), (1,), (0, 1), (1, 0)],
    "squeeze": [(), (0,), (-1,)],
    "unsqueeze": [(0,), (1,), (-1,), (-3,), (5,)],
    "expand": [((3, 4),), ((2, 3, 4),), ((5, -1, 4),), ((4,),), ((-1, 3, 4),), ((2, 2),)],
    "select": [(0, 0), (-1, -1), (1, 2), (0, 7), (4, 0)],
    "narrow": [(0, 0, 2), (-1, 1, 2), (0, 3, 0), (0, 0, 9), (0, -1, 1)],
    "diagonal": [(), (1,), (-1,), (0, 1, 0)],
}


@pytest.mark.parametrize("name", VIEWS)
def test_views(name: str) -> None:
    for shape, args in product(SHAPES, VIEWS[name]):
        check(name, getattr(torch.Tensor, name), [tensor("float32", shape), *args])


def test_slices_and_indices() -> None:
    slices = ((0, 2, 1), (None, None, 2), (-2, None, 1), (3, 1, 1), (-100, 100, 3))
    for shape, dim in product(SHAPES, (0, -1, 1)):
        x = tensor("int32", shape)
        for bounds in slices:
            check("slice", torch.ops.aten.slice.Tensor, [x, dim, *bounds])
        if x.numel() and x.ndim:
            check("index_select", torch.index_select, [x, dim, torch.tensor([0, 1, 0])])
            check("gather", torch.gather, [x, dim, torch.zeros((1,) * x.ndim, dtype=torch.int64)])


PRODUCTS = (
    ((2, 3), (3, 4)), ((3,), (3,)), ((2, 3), (3,)), ((3,), (3, 4)), ((5, 2, 3), (5, 3, 4)), ((5, 2, 3), (3, 4)),
    ((2, 3), (5, 3, 4)),
    ((2, 1, 2, 3), (5, 3, 4)), ((5, 2, 3), (3,)), ((2, 3), (2, 3)), ((2,), (3,)), ((0, 3), (3, 0)), ((2, 0), (0, 3)),
)  # fmt: skip


@pytest.mark.parametrize("name", ["matmul", "mm", "dot", "bmm", "linear"])
def test_products(name: str) -> None:
    function = torch.nn.functional.linear if name == "linear" else getattr(torch, name)
    for dtype, (left, right) in product(("float32", "int64"), PRODUCTS):
        check(name, function, [torch.ones(left).to(getattr(torch, dtype)), torch.ones(right).to(getattr(torch, dtype))])


def test_creation() -> None:
    for dtype in NAMES:
        kind = getattr(torch, dtype)
        check("zeros", torch.zeros, [(2, 3)], dtype=kind)
        check("full", torch.full, [(2,), 3], dtype=kind)
        check("eye", torch.eye, [2, 3], dtype=kind)
        check("tensor", torch.tensor, [((1, 2), (3, 4))], dtype=kind)
        check("ones_like", torch.ones_like, [tensor(dtype, (2, 3))])
        check("full_like", torch.full_like, [tensor(dtype, (2, 3)), 2])
        check("new_zeros", torch.Tensor.new_zeros, [tensor(dtype, (2,)), (3,)])
    for value in (1, 2.5, True):
        check("full", torch.full, [(2, 2), value])
        check("tensor", torch.tensor, [value])
        check("tensor", torch.tensor, [(value, 1)])
    for bounds in ((5,), (2, 7), (0, 10, 3), (1.5,), (0, 1, 0.25), (5, 0, -2), (0, 5, -1), (3, 3), (1, 2.5)):
        check("arange", torch.arange, bounds)
        for dtype in ("float32", "int64", "int32") if isinstance(bounds[-1], int) else ("float64",):
            check("arange", torch.arange, bounds, dtype=getattr(torch, dtype))
    for start, end, steps in ((0, 1, 5), (1, 2, 0), (-1.5, 2.5, 4), (0, 1, -1)):
        check("linspace", torch.linspace, [start, end, steps])


@pytest.mark.parametrize("name", ["cat", "stack"])
def test_joining(name: str) -> None:
    shapes = (((2, 3), (2, 3)), ((2, 3), (4, 3)), ((0,), (2, 3)), ((2,), ()), ((2, 3), (2,)))
    kinds = (("float32", "float32"), ("int32", "float64"), ("bool", "uint8"), ("uint8", "int8"))
    for (a, b), (left, right), dim in product(shapes, kinds, (0, 1, -1)):
        check(name, getattr(torch, name), [(tensor(left, a), tensor(right, b)), dim])
