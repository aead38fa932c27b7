"""Every operator of the table: eager and scripted, for several dtypes, against its meaning on NumPy arrays."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tscript
from tscript.definitions.names import Out
from tscript.definitions.opdef import OpDef, Pointwise
from tscript.definitions.promotion import torch_name
from tscript.definitions.values import ValueArg, cast, dtype_of_array, is_bfloat16
from tscript.operators.table import TABLE
from tscript.types.dtypes import can_cast

Agree = Callable[..., Any]
Array = np.ndarray[Any, Any]

VALUES = [-3.0, -1.5, -0.5, -0.0, 0.0, 0.25, 0.5, 1.0, 1.75, 2.5, 7.0, 100.0]
DTYPES = ("float32", "float64", "int8", "uint8", "int32", "int64", "bool")
PAIRS = (
    ("float32", "float32"),
    ("float64", "float32"),
    ("float32", "int64"),
    ("int32", "uint8"),
    ("int64", "int8"),
    ("bool", "bool"),
)

POINTWISE = [
    op
    for op in TABLE.operators
    if isinstance(op.implementation, Pointwise) and not op.schema.name.startswith("numpy_")  # nobody names these
]
SKIPPED = {
    "where_of": "only reached by its own name",
    "gelu_erf": "part of gelu",
    "gelu_tanh": "part of gelu",
    "store_out": "part of out=",
    "cast_out": "part of out=",
}
EXTRA: dict[str, tuple[object, ...]] = {
    "to.dtype": (tscript.int32,),
    "type": (tscript.int32,),
    "clamp.min": (0.5,),
    "clamp_.min": (0.5,),
    "clamp.max_positional": (None, 0.5),
    "clamp_.max_positional": (None, 0.5),
}
KEYWORDS: dict[str, dict[str, object]] = {"clamp.max": {"max": 0.5}, "clamp_.max": {"max": 0.5}}


def _array(dtype: str, turn: int = 0) -> Array:
    values = np.roll(np.array(VALUES), turn * 5)
    if dtype == "bool":
        return np.array((values > 0).reshape(3, 4))
    if dtype == "uint8":
        values = np.abs(values)
    return np.array(values.astype(dtype).reshape(3, 4))


def _tensors(op: OpDef) -> int:
    return 1 if op.name in EXTRA or op.name in KEYWORDS else sum(p.kind == "Tensor" for p in op.schema.parameters)


def _run(call: Callable[[], Any]) -> tuple[Any, tuple[type, str] | None]:
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            return call(), None
    except (TypeError, RuntimeError, ValueError, IndexError, ArithmeticError) as error:
        return None, (
            next(c for c in type(error).__mro__ if c.__module__ == "builtins" and c is not TypeError),
            str(error),
        )


def _call(op: OpDef, args: list[Any], kwargs: dict[str, Any]) -> Any:
    name = op.schema.name
    found = getattr(tscript, name, None) if name in TABLE.functions else None
    if found is None:
        method = next((m for m, n in TABLE.methods.items() if n == name), name)
        return getattr(args[0], method)(*args[1:], **kwargs)
    return found(*args, **kwargs)


def _expected(op: OpDef, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """What the definition says, with the type rule first, as a compiler asks it."""
    full: list[Any] = []
    for i, p in enumerate(op.schema.parameters):
        full.append(args[i] if i < len(args) else kwargs.get(p.name, p.default))
    op.type_rule([ValueArg(v) for v in full])
    return op.semantics(*full)


@pytest.mark.parametrize("op", [op for op in POINTWISE if op.schema.name not in SKIPPED], ids=lambda op: op.name)
def test_pointwise(integration: Any, op: OpDef) -> None:
    count = _tensors(op)
    combinations = [(d,) for d in DTYPES] if count == 1 else [p * 2 for p in PAIRS]
    ulps = 0 if op.exact else integration.MATH_ULPS
    for combination in combinations:
        arrays = [_array(d, i) for i, d in enumerate(combination[:count])]
        if op.schema.name == "where":
            arrays[0] = _array("bool", 2)
        if op.schema.name.startswith("masked_fill"):
            arrays[1], arrays[2] = _array("bool", 2), np.array(1, arrays[0].dtype)
        if "shift" in op.schema.name:
            arrays[1] = np.abs(arrays[1])
        extra, named = EXTRA.get(op.name, ()), KEYWORDS.get(op.name, {})
        own = [np.array(a) for a in arrays]
        expected, error = _run(lambda: _expected(op, [*own, *extra], named))
        tensors = [tscript.from_numpy(np.array(a)) for a in arrays]
        found, raised = _run(lambda: _call(op, [*tensors, *extra], named))
        shown = f"{op.name} of {combination[:count]}"
        if error is not None:
            assert raised is not None, f"{shown}: {error} and {found}"
            assert raised[0] is error[0], f"{shown}: {error} and {raised}"
            continue
        assert raised is None, f"{shown}: {raised} instead of {expected!r}"
        if is_bfloat16(expected):  # NumPy has no such dtype
            assert found.dtype is tscript.bfloat16, shown
            expected, found = cast(expected, tscript.float32), found.float()
        wrong = integration.difference(np.asarray(expected), found.numpy(), ulps)
        assert not wrong, f"{shown}: {wrong}"
        for a, t in zip(own, tensors, strict=True):
            assert not integration.difference(a, t.numpy(), ulps), f"{shown}: an argument was changed"


INTO = [
    op
    for op in POINTWISE
    if op.names.out is Out.CAST and op.name in {*TABLE.functions.values()} and op.schema.name not in SKIPPED
]


@pytest.mark.parametrize("op", INTO, ids=lambda op: op.name)
def test_pointwise_into_a_tensor(op: OpDef) -> None:
    """``out=``: of each dtype in turn, and the first argument itself where it fits."""
    count, turn = _tensors(op), INTO.index(op)
    arrays = [_array("float32" if "bitwise" not in op.name else "int32", i) for i in range(count)]
    if "shift" in op.name:
        arrays[1] = np.abs(arrays[1]) % 8
    if op.schema.name == "where":
        arrays[0] = _array("bool", 2)
    expected = _expected(op, [np.array(a) for a in arrays], {})
    given = dtype_of_array(expected)
    for wanted in (given, *(getattr(tscript, DTYPES[(turn + i) % len(DTYPES)]) for i in range(2))):
        tensors = [tscript.from_numpy(np.array(a)) for a in arrays]
        first = dtype_of_array(arrays[0]) is wanted
        out = tensors[0] if first else tscript.zeros(4, 3, dtype=wanted).t()
        function = getattr(tscript, op.schema.name)
        if not can_cast(given, wanted):
            message = f"result type {torch_name(given)} can't be cast to the desired output type {torch_name(wanted)}"
            with pytest.raises(RuntimeError, match=re.escape(message)):
                function(*tensors, out=out)
            continue
        assert function(*tensors, out=out) is out
        whole = function(*[tscript.from_numpy(np.array(a)) for a in arrays]).numpy()
        np.testing.assert_array_equal(out.numpy(), cast(whole, wanted))


_INEXACT = ("lgamma", "digamma", "erfc", "erfinv", "logaddexp", "logaddexp2", "i0", "xlogy")
INEXACT = frozenset(f"{name}{end}" for name in _INEXACT for end in ("", "_"))
"""Operators whose rounding errors native code and NumPy have in different places; samples test them."""

UNARY = [
    op.schema.name
    for op in POINTWISE
    if _tensors(op) == 1 and len(op.schema.parameters) == 1 and op.schema.name not in SKIPPED
    and op.schema.name in TABLE.methods.values() and op.schema.name not in INEXACT
]  # fmt: skip
BINARY = [
    op.schema.name
    for op in POINTWISE
    if _tensors(op) == 2 and op.schema.parameters[0].kind == "Tensor" and not op.schema.overload
    and op.schema.name not in SKIPPED and not op.schema.name.startswith(("bitwise", "copy_", "fill_"))
    and op.schema.name in TABLE.methods.values() and op.schema.name not in INEXACT
]  # fmt: skip


def _method(name: str) -> str:
    return next((m for m, n in TABLE.methods.items() if n == name), name)


@pytest.mark.parametrize("part", range(6))
def test_unary_scripted(agree: Agree, integration: Any, part: int) -> None:
    names = UNARY[part::6]
    calls = "\n".join(
        f"    r{i} = x{'.clone()' if n.endswith('_') else ''}.{_method(n)}()" for i, n in enumerate(names)
    )
    source = f"def f(x):\n{calls}\n    return {', '.join(f'r{i}' for i in range(len(names)))}\n"
    for x in (_array("float32"), _array("float64")[:, ::-1]):
        agree(source, x, ulps=integration.MATH_ULPS)


@pytest.mark.parametrize("part", range(6))
def test_binary_scripted(agree: Agree, integration: Any, part: int) -> None:
    names = BINARY[part::6]
    calls = "\n".join(
        f"    r{i} = x{'.clone()' if n.endswith('_') else ''}.{_method(n)}(y)" for i, n in enumerate(names)
    )
    source = f"def f(x, y):\n{calls}\n    return {', '.join(f'r{i}' for i in range(len(names)))}\n"
    for x, y in ((_array("float32"), _array("float32", 1)), (_array("float64"), _array("float64", 1)[1])):
        agree(source, x, y, ulps=integration.MATH_ULPS)


OTHERS = [
    "x.sum()", "x.sum(0)", "x.sum(1, keepdim=True)", "x.sum((0, 1))", "x.sum(-1, dtype=torch.float64)", "x.prod()",
    "x.prod(1)",
    "x.mean()", "x.mean(0)", "x.mean((0, 1), True)", "x.max()", "x.max(0)", "x.max(x + 1)", "x.min(1, True)", "x.min()",
    "x.amax()", "x.amax(1)", "x.amin((0, 1), keepdim=True)", "x.argmax()", "x.argmax(0)", "x.argmin(1, True)",
    "x.any()", "x.any(1)",
    "x.all()", "x.all(0, True)", "x.var()", "x.var(0)", "x.std(1)", "x.std(0, False)", "torch.softmax(x, 0)",
    "x.log_softmax(-1)",
    "x.logsumexp(1)", "x.transpose(0, 1)", "x.t()", "x.T", "x.mT", "x.permute(1, 0)", "x.view(2, 6)", "x.view(-1)",
    "x.view_as(x)",
    "x.reshape(4, -1)", "x.t().reshape(12)", "x.flatten()", "x.ravel()", "x.unflatten(1, (2, 2))", "x[:1].squeeze()",
    "x[:1].squeeze(0)", "x.unsqueeze(-1)", "x[:1].expand(3, 4)", "x[0].expand_as(x)", "x.broadcast_to((2, 3, 4))",
    "x.diagonal()",
    "x.diagonal(1)", "x.t().contiguous()", "x.detach()", "x.select(1, -1)", "x.narrow(0, 1, 2)", "x[1:, ::2]",
    "x.index_select(0, torch.tensor([2, 0]))", "x.gather(1, torch.tensor([[0, 3], [1, 1], [2, 0]]))",
    "torch.zeros_like(x)",
    "torch.ones_like(x)", "torch.full_like(x, 3)", "x.new_zeros(2, 2)", "x.new_ones((2,))", "x.new_full((2, 1), 7)",
    "torch.cat([x, x], 1)",
    "torch.stack([x, x], 2)", "x @ x.t()", "torch.mm(x.t(), x)", "x.mv(x[0])", "x[0].dot(x[1])",
    "torch.bmm(x[None], x.t()[None])",
    "torch.outer(x[0], x[1])", "torch.linear(x, x)", "torch.linear(x, x, x[:, 0])",
    "torch.addmm(x[0, 0], x, x.t(), beta=0.5)",
    "x.dim()", "x.numel()", "x.stride(0)", "x.is_contiguous()", "x.storage_offset()", "x.element_size()",
    "x.is_floating_point()",
    "x.softmax(1, dtype=torch.float64)", "torch.gelu(x)", "torch.gelu(x, approximate='tanh')",
    "x.div(3, rounding_mode='floor')",
    "x.div(3, rounding_mode='trunc')", "x.where(x > 0, 0)", "x.clamp(-1, 1)", "x.clamp(max=1)", "x.add(x, alpha=2)",
    "x.rsub(1)", "1 - x",
    "2.0 / x", "2 ** x", "7 // x", "7 % x", "x.lerp(x * 2, 0.25)", "x.addcmul(x, x, value=2)",
    "x.sum(axis=0)", "x.sum(1, keepdims=True)", "torch.softmax(input=x, axis=1)", "torch.add(x1=x, x2=x)",
    "x.swapaxes(axis0=0, axis1=1)",
    "torch.concatenate([x, x], axis=1)", "x.type_as(x > 0)", "x.to(torch.uint8)",
]  # fmt: skip


@pytest.mark.parametrize("part", range(0, len(OTHERS), 8))
def test_other_operators(agree: Agree, part: int) -> None:
    """Each expression alone where dtypes make some fail, so that the errors are compared too."""
    for expression in OTHERS[part : part + 8]:
        for dtype in ("float32", "int64"):
            x = _array(dtype) if dtype != "int64" else _array(dtype) + 1
            inexact = any(
                n in expression
                for n in (
                    "soft",
                    "log",
                    "gelu",
                    "std",
                    "var",
                    "mean",
                    "@",
                    "mm",
                    "mv",
                    "dot",
                    "linear",
                    "**",
                    "sum",
                    "prod",
                )
            )
            bound = 512 if "tanh" in expression else 8 if inexact else 0  # gelu: 1 + tanh(x) cancels for x below -1
            agree(f"def f(x):\n    return {expression}\n", x, ulps=bound)
