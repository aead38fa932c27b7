"""Composite operators: bodies in the language, eager and compiled, against NumPy; and what they refuse, in PyTorch's
words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tscript

X = np.array([[0.5, -1.0, 2.0], [3.0, 0.25, -0.5]], np.float32)
INTS = np.arange(6).reshape(2, 3)

REFUSED: tuple[tuple[str, Any, type[Exception], str], ...] = (
    ("x.softmax(1)", INTS, NotImplementedError, "\"softmax_lastdim_kernel_impl\" not implemented for 'Long'"),
    ("x.log_softmax(1)", X > 0, NotImplementedError, "\"log_softmax_lastdim_kernel_impl\" not implemented for 'Bool'"),
    ("x.softmax(2)", X, IndexError, "Dimension out of range (expected to be in range of [-2, 1], but got 2)"),
    ("x.std()", INTS, RuntimeError, "std and var only support floating point and complex dtypes"),
    ("x.var(0)", INTS, RuntimeError, "std and var only support floating point and complex dtypes"),
    ("x.outer(x[0])", X, RuntimeError, "outer: Expected 1-D argument self, but got 2-D"),
    ("x[0].outer(x)", X, RuntimeError, "outer: Expected 1-D argument vec2, but got 2-D"),
    ("torch.div(x, 2, rounding_mode='up')", X, RuntimeError,
     "div expected rounding_mode to be one of None, 'trunc', or 'floor'"),
    ("torch.nn.functional.gelu(x, approximate='erf')", X, RuntimeError,
     "approximate argument must be either none or tanh."),
    ("x.norm()", INTS, RuntimeError, "linalg.vector_norm: Expected a floating point or complex tensor as input. Got "
                                     "Long"),
    ("x.norm('a')", X, RuntimeError, "only valid string values are 'fro' and 'nuc', found a"),
    ("x[:0].norm(-1)", X, RuntimeError, "linalg.vector_norm cannot compute the -1 norm on an empty tensor because the "
                                        "operation does "
     "not have an identity"),
    ("x[:0].norm(math.inf, 0)", X, RuntimeError,
     "linalg.vector_norm cannot compute the inf norm on the dimension 0 because this "
     "dimension is empty and the operation does not have an identity"),
    ("torch.cosine_similarity(x, x)", INTS, RuntimeError,
     "expected common dtype to be floating point, yet common dtype is Long"),
    ("torch.layer_norm(x, (2,))", X, RuntimeError,
     "Given normalized_shape=[2], expected input with shape [*, 2], but got input of "
     "size[2, 3]"),
    ("torch.layer_norm(x, (3,), x)", X, RuntimeError,
     "Expected weight to be of same shape as normalized_shape, but got weight of "
     "shape [2, 3] and normalized_shape = [3]"),
    ("torch.layer_norm(x, (3,))", INTS, NotImplementedError, "\"LayerNormKernelImpl\" not implemented for 'Long'"),
    ("torch.rms_norm(x, (3,), x[0].double())", X, RuntimeError, "expected scalar type Float but found Double"),
    ("torch.nn.functional.mse_loss(x, x)", INTS, NotImplementedError, "\"mse_cpu\" not implemented for 'Long'"),
    ("torch.nn.functional.l1_loss(x, x, reduction='all')", X, ValueError, "all is not a valid value for reduction"),
    ("torch.nn.functional.smooth_l1_loss(x, x, beta=-1.0)", X, RuntimeError,
     "smooth_l1_loss does not support negative values for beta."),
    ("torch.nn.functional.huber_loss(x, x, delta=0.0)", X, RuntimeError,
     "huber_loss does not support non-positive values for delta."),
    ("torch.nn.functional.glu(x)", X, RuntimeError, "Halving dimension must be even, but dimension 1 is size 3"),
    ("torch.nn.functional.glu(x[0, 0])", X, RuntimeError, "glu does not support 0-dimensional tensors"),
    ("torch.addmv(x, x, x[0])", X, RuntimeError, "vector + matrix @ vector expected, got 2, 2, 1"),
    ("torch.addmm(x, x[:1], torch.ones(3, 3))", X, RuntimeError,
     "The expanded size of the tensor (1) must match the existing size (2) at non-singleton dimension 0."),
    ("torch.baddbmm(x, x[None, :, :2], x[None, :, :2])", X, RuntimeError,
     "The expanded size of the tensor (2) must match the existing size (3) at non-singleton dimension 2."),
    ("torch.addmv(x[0], x, x[0])", X, RuntimeError,
     "The expanded size of the tensor (2) must match the existing size (3) at non-singleton dimension 0."),
    ("torch.addr(x, x, x[0])", X, RuntimeError, "addr: Expected 1-D argument vec1, but got 2-D"),
    ("torch.addr(x[0], x[0, :2], x[0, :2])", X, RuntimeError,
     "The expanded size of the tensor (2) must match the existing size (3) at "
     "non-singleton dimension 1."),
    ("torch.inner(x, x[:, :2])", X, RuntimeError,
     "inner() the last dimension must match on both input tensors but got shapes [2, 3] "
     "and [2, 2]"),
    ("torch.var_mean(x)", INTS, RuntimeError, "var_mean only support floating point and complex dtypes"),
    ("torch.std_mean(x, 0)", INTS, RuntimeError, "std_mean only support floating point and complex dtypes"),
    ("x.double().norm(dtype=torch.float32)", X, RuntimeError,
     "linalg.vector_norm: the dtype of the input (Double) should be convertible "
     "without narrowing to the specified dtype (Float)"),
    ("torch.linalg.vector_norm(x, dtype=torch.int64)", X, RuntimeError,
     "linalg.vector_norm: dtype should be floating point or complex, "
     "but got Long"),
    ("torch.nn.functional.embedding(torch.tensor([2]), x)", X, IndexError, "index out of range in self"),
    ("torch.nn.functional.embedding(torch.tensor([0]), x[0])", X, RuntimeError, "'weight' must be 2-D"),
    ("torch.nn.functional.scaled_dot_product_attention(x, x, x, dropout_p=1.5)", X, RuntimeError,
     "dropout probability has to be between 0 and 1, but got 1.5"),
    ("torch.nn.functional.scaled_dot_product_attention(x, x, x, x, is_causal=True)", X, RuntimeError,
     "_scaled_dot_product_attention: Explicit attn_mask should not be set when is_causal=True"),
    ("torch.nn.functional.batch_norm(x, None, None)", X, RuntimeError,
     "Expected running_mean and running_var to be defined when training=False"),
    ("torch.nn.functional.batch_norm(x[:1], None, None, training=True)", X, ValueError,
     "Expected more than 1 value per channel when training, got input size torch.Size([1, 3])"),
    ("torch.nn.functional.batch_norm(x, x[0], None, training=True)", X, NotImplementedError,
     "batch_norm(training=True) takes both running statistics, or None for both"),
    ("torch.nn.functional.batch_norm(x, x[0], x[0, :2])", X, RuntimeError,
     "expected one element for each of 3 channels, but got 2"),
    ("torch.trace(x[0])", X, RuntimeError, "trace: expected a matrix, but got tensor with dim 1"),
)  # fmt: skip


@pytest.mark.parametrize(("expression", "x", "error", "message"), REFUSED, ids=[r[0] for r in REFUSED])
def test_refusals(agree: Callable[..., Any], expression: str, x: Any, error: type, message: str) -> None:
    found = agree(f"def f(x):\n    return {expression}\n", x, python="functional" not in expression)
    assert found.error == (error, message)


def test_a_number_divided_in_a_rounding_mode(agree: Callable[..., Any]) -> None:
    found = agree("def f(x):\n    return torch.div(2.0, x, rounding_mode='floor')\n", X)
    np.testing.assert_array_equal(found.value, np.floor(2.0 / X))


def test_logsumexp_of_bools_and_ints(agree: Callable[..., Any], integration: Any) -> None:
    for x in (X > 0, INTS, INTS.astype(np.uint8)):
        found = agree("def f(x):\n    return x.logsumexp(1)\n", x, ulps=integration.MATH_ULPS)
        np.testing.assert_allclose(found.value, np.log(np.exp(x.astype(np.float32)).sum(1)), rtol=1e-6)


Y = np.array([[1.0, 0.0, 2.0], [3.0, 1.25, -1.5]], np.float32)
W = np.array([1.0, 2.0, 3.0], np.float32)
F = "torch.nn.functional."


def close(found: Any, *expected: Any) -> None:
    """The values of a call, one by one, against what NumPy computes in float64."""
    values = found.value if isinstance(found.value, tuple) else (found.value,)
    for value, wanted in zip(values, expected, strict=True):
        wanted = np.asarray(wanted)
        assert value.dtype == np.float32
        assert value.shape == wanted.shape
        np.testing.assert_allclose(value, wanted, rtol=2e-6, atol=1e-6)


def test_norms(agree: Callable[..., Any], integration: Any) -> None:
    source = """def f(x):
    return (x.norm(), x.norm(1), x.norm(2, 1), torch.norm(x, dim=(0, 1), keepdim=True), x.norm(torch.inf, 0),
            x.norm(-torch.inf, 1, True), x.norm(0, -1), x.norm(3, (0, 1)), x.norm(-1.5), x.norm('fro', 0),
            torch.linalg.vector_norm(x, ord=2.5, dim=1), torch.linalg.vector_norm(x, dim=()))
"""
    x = X.astype(np.float64)
    a = np.abs(x)
    two = np.sqrt((a**2).sum())
    close(
        agree(source, X, ulps=integration.MATH_ULPS, python=False),
        *(two, a.sum(), np.sqrt((a**2).sum(1)), two.reshape(1, 1), a.max(0), a.min(1, keepdims=True), [3, 3]),
        *((a**3).sum() ** (1 / 3), (a**-1.5).sum() ** (-1 / 1.5), np.sqrt((a**2).sum(0))),
        *((a**2.5).sum(1) ** 0.4, two),
    )


def test_dtypes_and_eager_norms() -> None:
    x = tscript.tensor([3.0, 4.0])
    assert x.norm().item() == 5.0
    assert x.norm(float("inf")).item() == 4.0
    assert tscript.linalg.vector_norm(x, dtype=tscript.float64).dtype == tscript.float64
    assert tscript.norm(x.double()).dtype == tscript.float64
    assert tscript.norm(x[:0]).item() == 0.0
    assert tscript.dist(x, x + 1, 1).item() == 2.0
    with pytest.raises(RuntimeError, match=r"Expected a floating point or complex tensor as input. Got Long"):
        x.long().norm()


def test_distances(agree: Callable[..., Any], integration: Any) -> None:
    source = """def f(x, y, w):
    return (torch.dist(x, y), torch.dist(x, y, 1), torch.pairwise_distance(x, y), torch.pairwise_distance(x, w, 1.0),
            torch.cosine_similarity(x, y), torch.cosine_similarity(x, y, 0), torch.cosine_similarity(x, w[:1], -1))
"""
    x, y, w = X.astype(np.float64), Y.astype(np.float64), W.astype(np.float64)

    def cosine(a: Any, b: Any, dim: int) -> Any:
        a, b = np.broadcast_arrays(a, b)
        return (a * b).sum(dim) / np.sqrt((a * a).sum(dim) * (b * b).sum(dim))

    close(
        agree(source, X, Y, W, ulps=integration.MATH_ULPS),
        *(np.sqrt(((x - y) ** 2).sum()), np.abs(x - y).sum(), np.sqrt(((x - y + 1e-6) ** 2).sum(1))),
        *(np.abs(x - w + 1e-6).sum(1), cosine(x, y, 1), cosine(x, y, 0), cosine(x, w[:1], -1)),
    )


def test_normalised(agree: Callable[..., Any], integration: Any) -> None:
    source = f"""def f(x, w):
    return ({F}normalize(x), {F}normalize(x, p=1, dim=0), {F}layer_norm(x, (3,)), {F}layer_norm(x, [3], w, w, 0.5),
            torch.layer_norm(x, x.shape), {F}rms_norm(x, (3,), w), {F}rms_norm(x, x.shape, eps=0.25))
"""
    x, w = X.astype(np.float64), W.astype(np.float64)
    rows = x - x.mean(1, keepdims=True)
    whole = x - x.mean()
    close(
        agree(source, X, W, ulps=integration.MATH_ULPS, python=False),
        *(
            x / np.sqrt((x * x).sum(1, keepdims=True)),
            x / np.abs(x).sum(0),
            rows / np.sqrt(x.var(1, keepdims=True) + 1e-5),
        ),
        *(rows / np.sqrt(x.var(1, keepdims=True) + 0.5) * w + w, whole / np.sqrt(x.var() + 1e-5)),
        *(x / np.sqrt((x * x).mean(1, keepdims=True)) * w, x / np.sqrt((x * x).mean() + 0.25)),
    )


def test_losses(agree: Callable[..., Any], integration: Any) -> None:
    source = f"""def f(x, y):
    return ({F}l1_loss(x, y), {F}mse_loss(x, y), {F}mse_loss(x, y, reduction='sum'),
            {F}mse_loss(x, y, reduction='none'),
            {F}smooth_l1_loss(x, y), {F}smooth_l1_loss(x, y, beta=0.5), {F}smooth_l1_loss(x, y, beta=0.0),
            {F}huber_loss(x, y, delta=0.75), {F}huber_loss(x, y, reduction='none'))
"""
    d = np.abs(X.astype(np.float64) - Y)
    close(
        agree(source, X, Y, ulps=integration.MATH_ULPS, python=False),
        *(d.mean(), (d * d).mean(), (d * d).sum(), d * d, np.where(d < 1, d * d / 2, d - 0.5).mean()),
        *(np.where(d < 0.5, d * d, d - 0.25).mean(), d.mean()),
        *(np.where(d < 0.75, d * d / 2, 0.75 * (d - 0.375)).mean(), np.where(d < 1, d * d / 2, d - 0.5)),
    )


def test_activations_and_trace(agree: Callable[..., Any]) -> None:
    source = f"""def f(x):
    return ({F}glu(x, 0), {F}softmin(x, 1), {F}softsign(x), {F}tanhshrink(x), torch.trace(x))
"""
    x = X.astype(np.float64)
    low = np.exp(-x)
    close(
        agree(source, X, ulps=64, python=False),  # differences of close numbers
        *(x[:1] / (1 + np.exp(-x[1:])), low / low.sum(1, keepdims=True), x / (1 + np.abs(x)), x - np.tanh(x)),
        np.trace(x),
    )


def test_products_and_moments(agree: Callable[..., Any], integration: Any) -> None:
    source = """def f(x, y, w):
    v, m = torch.var_mean(x, 1)
    s, n = torch.std_mean(x, dim=0, correction=0, keepdim=True)
    return (v, m, s, n, torch.inner(x, y), torch.inner(x, w), torch.inner(w, w), torch.inner(x, w[0]),
            torch.addr(w, x[:, 0], w, beta=2, alpha=0.5), torch.addr(w / 0, x[:, 0], w, beta=0),
            torch.addmv(w[:2] / 0, x, w, beta=0))
"""
    x, y, w = X.astype(np.float64), Y.astype(np.float64), W.astype(np.float64)
    close(
        agree(source, X, Y, W, ulps=integration.MATH_ULPS),
        *(x.var(1, ddof=1), x.mean(1), x.std(0, keepdims=True), x.mean(0, keepdims=True)),
        *(x @ y.T, x @ w, w @ w, x * w[0], 2 * w + 0.5 * np.outer(x[:, 0], w), np.outer(x[:, 0], w), x @ w),
    )


def test_products_that_leave_the_input_out() -> None:
    nothing = tscript.full((2, 2), float("nan"))
    x = tscript.ones(2, 2)
    assert tscript.addmm(nothing, x, x, beta=0).tolist() == [[2.0, 2.0], [2.0, 2.0]]
    assert tscript.baddbmm(nothing, x[None], x[None], beta=0).tolist() == [[[2.0, 2.0], [2.0, 2.0]]]
    assert tscript.addmv(nothing[0], x, x[0], beta=0).tolist() == [2.0, 2.0]


def test_attention(agree: Callable[..., Any], integration: Any) -> None:
    source = f"""def f(x, y, seen):
    return ({F}scaled_dot_product_attention(x, y, y), {F}scaled_dot_product_attention(x, y, y, y[:, :2], scale=0.5),
            {F}scaled_dot_product_attention(x, y, y, seen), {F}scaled_dot_product_attention(x, y, y, is_causal=True),
            {F}embedding(torch.tensor([[1, 0], [1, 1]]), x))
"""
    x, y, seen = X.astype(np.float64), Y.astype(np.float64), np.array([[False, False], [True, False]])
    by = x @ y.T / np.sqrt(3)

    def weighted(products: Any) -> Any:
        powers = np.exp(products)
        return powers / powers.sum(1, keepdims=True) @ y

    close(
        agree(source, X, Y, seen, ulps=256, python=False),  # of products that cancel
        *(weighted(by), weighted(x @ y.T * 0.5 + y[:, :2])),
        *(np.stack([y[0] * 0, y[0]]), np.stack([y[0], weighted(by)[1]]), X[[[1, 0], [1, 1]]]),
    )


def test_batch_norm(agree: Callable[..., Any], integration: Any) -> None:
    source = f"""def f(x, w):
    image = torch.stack([x, x * 2], 2).unsqueeze(-1)
    return ({F}batch_norm(x, None, None, training=True), {F}batch_norm(x, w, w, w, w + 1, eps=0.5),
            {F}batch_norm(image, None, None, w, training=True), {F}batch_norm(image, w, w, None, w))
"""
    x, w = X.astype(np.float64), W.astype(np.float64)
    image = np.stack([x, x * 2], 2)[..., None]
    centred = image - image.mean((0, 2, 3), keepdims=True)
    c = w[:, None, None]
    close(
        agree(source, X, W, ulps=64, python=False),  # differences of close numbers
        *((x - x.mean(0)) / np.sqrt(x.var(0) + 1e-5), (x - w) / np.sqrt(w + 0.5) * w + w + 1),
        *(centred / np.sqrt(image.var((0, 2, 3), keepdims=True) + 1e-5) * c, (image - c) / np.sqrt(c + 1e-5) + c),
    )


def test_no_composite_is_left_unknown() -> None:
    """A function whose branches differ in dtype takes the body at run time, operator by operator."""

    @tscript.script
    def f(x: tscript.Tensor, wide: bool) -> tscript.Tensor:
        y = x.double() if wide else x
        return y.softmax(0)

    x = tscript.tensor([0.0, 1.0])
    assert f(x, True).dtype == tscript.float64
    assert f(x, False).dtype == tscript.float32
    with pytest.raises(NotImplementedError, match="for 'Int'"):
        f(x.int(), False)
