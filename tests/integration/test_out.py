"""``out=``: results written into tensors that the caller gives, eagerly and in compiled functions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tscript
from tscript import Tensor

X = np.arange(6, dtype=np.float32).reshape(2, 3)


def tensor(array: Any) -> Any:
    return tscript.from_numpy(np.array(array))


@tscript.script
def several(x: Tensor, y: Tensor, out: Tensor, row: Tensor, square: Tensor) -> Tensor:
    tscript.add(x, y, alpha=2, out=out)
    tscript.sum(x, 0, out=row)
    tscript.matmul(x, y.t(), out=square)
    tscript.cat([x, y], out=None)
    return tscript.exp(out, out=out)


def test_in_compiled_functions() -> None:
    x, y = tensor(X), tensor(X + 1)
    out, row, square = tscript.empty(2, 3), tscript.empty(3), tscript.empty(2, 2)
    found = several(x, y, out, row, square)
    assert found is out
    assert np.allclose(out.numpy(), np.exp(X + 2 * (X + 1)))
    assert row.tolist() == X.sum(0).tolist()
    assert square.tolist() == (X @ (X + 1).T).tolist()


def test_eagerly() -> None:
    x, y = tensor(X), tensor(X + 1)
    out = tscript.zeros(2, 3)
    assert tscript.add(x, y, out=out) is out
    assert out.tolist() == (X + X + 1).tolist()
    assert tscript.mul(out, 2, out=out) is out
    assert out.tolist() == (2 * (2 * X + 1)).tolist()
    both = tscript.zeros(4, 3)
    assert tscript.cat([x, y], out=both).tolist() == np.concatenate([X, X + 1]).tolist()
    assert tscript.stack((x, y), dim=0, out=tscript.zeros(2, 2, 3)).shape == (2, 2, 3)
    assert tscript.ones(2, 3, out=out) is out
    assert out.tolist() == np.ones((2, 3)).tolist()
    assert tscript.add(x, y, out=None).tolist() == (X + X + 1).tolist()


def test_pairs() -> None:
    values, indices = tscript.zeros(2), tscript.zeros(2, dtype=tscript.int64)
    found = tscript.max(tensor(X), 1, out=(values, indices))
    assert found[0] is values and found[1] is indices
    assert (values.tolist(), indices.tolist()) == ([2.0, 5.0], [2, 2])


def test_results_of_pointwise_operators_are_converted() -> None:
    wide = tscript.zeros(2, 3, dtype=tscript.float64)
    assert tscript.add(tensor(X), 1, out=wide).tolist() == (X + 1).tolist()
    view = tscript.zeros(3, 2)
    tscript.mul(tensor(X), 2, out=view.t())
    assert view.tolist() == (X * 2).T.tolist()


@pytest.mark.parametrize(
    ("call", "error", "said"),
    [
        (
            lambda x: tscript.add(x, x, out=tscript.zeros(2, 3, dtype=tscript.int64)),
            RuntimeError,
            "result type Float can't be cast to the desired output type Long",
        ),
        (
            lambda x: tscript.mm(x, x.t(), out=tscript.zeros(2, 2, dtype=tscript.float64)),
            RuntimeError,
            "Expected out tensor to have dtype float, but got double instead",
        ),
        (
            lambda x: tscript.argmax(x, 0, out=tscript.zeros(3)),
            RuntimeError,
            "Expected out tensor to have dtype long int, but got float instead",
        ),
        (
            lambda x: tscript.add(x, x, out=tscript.zeros(3)),
            RuntimeError,
            r"out has shape \[3\], the result has shape \[2, 3\]: give a tensor of that shape",
        ),
        (
            lambda x: tscript.add(x[0], x[0], out=tscript.zeros(2, 3)),
            RuntimeError,
            r"out has shape \[2, 3\], the result has shape \[3\]",
        ),
        (lambda x: tscript.add(x, x, out=3), TypeError, "'out' must be a Tensor, not int"),
        (lambda x: tscript.max(x, 1, out=x), TypeError, "'out' must be 2 Tensors, not Tensor"),
        (lambda x: tscript.relu(x, out=x), TypeError, "no parameter 'out'"),
        (lambda x: tscript.add(1, 2, out=x), TypeError, "'add' does not take"),
    ],
)
def test_refused(call: Any, error: type[Exception], said: str) -> None:
    with pytest.raises(error, match=said):
        call(tensor(X))


def test_dtypes_that_the_result_can_be_cast_to() -> None:
    x = tensor(X)
    wide, whole, truth = (tscript.zeros(2, 3, dtype=d) for d in (tscript.float64, tscript.int64, tscript.bool))
    assert tscript.cat([x[:1], x[1:]], out=wide).tolist() == X.tolist()
    assert tscript.outer(x[0, :2], x[1], out=wide).tolist() == np.outer(X[0, :2], X[1]).tolist()
    assert tscript.gt(x, 2, out=whole).tolist() == (X > 2).astype(int).tolist()
    assert tscript.mul(truth, truth, out=wide).tolist() == np.zeros((2, 3)).tolist()
    assert tscript.any(x, 1, out=tscript.zeros(2)).tolist() == [1.0, 1.0]
    assert tscript.std(x, 0, out=tscript.zeros(3, dtype=tscript.float64)).dtype == tscript.float64


def test_results_of_the_dtype_of_out() -> None:
    """Where PyTorch takes the dtype from `out`, unless the call names one."""
    x = tensor(X + 0.5)
    whole = tscript.zeros(3, dtype=tscript.int64)
    assert tscript.sum(x, 0, out=whole).tolist() == [3, 5, 7]
    assert tscript.sum(x, 0, dtype=None, out=whole).tolist() == [3, 5, 7]
    exact = tscript.zeros((), dtype=tscript.float64)
    assert tscript.mean(tensor([1, 2**60]), out=exact).item() == (1 + 2**60) / 2
    assert tscript.ones(3, out=whole).tolist() == [1, 1, 1]
    assert tscript.arange(0.5, 3, out=whole).tolist() == [0, 1, 2]
    assert tscript.eye(2, out=tscript.zeros(2, 2, dtype=tscript.bool)).tolist() == [[True, False], [False, True]]
    with pytest.raises(RuntimeError, match="Expected out tensor to have dtype float, but got long int instead"):
        tscript.sum(x, 0, dtype=tscript.float32, out=whole)


def test_out_shares_memory_with_what_is_read(agree: Any) -> None:
    """The result is that of the arguments as they were."""
    agree("def f(x):\n    torch.add(x, x * 2, out=x)\n    return x\n", X, python=False)
    shifted = "def f(x):\n    torch.add(x[1:], x[:-1] * 2, out=x[{}])\n    return x\n"
    for part in ("1:", ":-1"):
        agree(shifted.format(part), np.arange(9, dtype=np.float32))
    agree("def f(x):\n    torch.sub(x.t(), 1, out=x)\n    return x\n", X[:, :2] + 0)
    agree("def f(x):\n    torch.cat([x[2:], x[:2]], out=x)\n    return x\n", np.arange(5))
    agree("def f(x):\n    torch.mm(x, x, out=x)\n    return x\n", X[:, :2] + 0)


@pytest.mark.parametrize(
    ("call", "error", "said"),
    [
        ("torch.add(x, 1, out=y)", RuntimeError, "out has shape [1, 3], the result has shape [2, 3]"),
        ("torch.add(y, 1, out=x)", RuntimeError, "out has shape [2, 3], the result has shape [1, 3]"),
        ("torch.add(x[0, 0], 1, out=x)", RuntimeError, "out has shape [2, 3], the result has shape []"),
        ("torch.add(x, 1, out=x[0, 0])", RuntimeError, "out has shape [], the result has shape [2, 3]"),
        ("torch.add(x, 1, out=x[0, :2])", RuntimeError, "out has shape [2], the result has shape [2, 3]"),
        ("torch.sum(x, out=x)", RuntimeError, "out has shape [2, 3], the result has shape []"),
        ("torch.add(x[:, :2], x, out=y)", RuntimeError, "The size of tensor a (2) must match the size of tensor b (3)"),
        ("torch.add(x, 1, out=y.expand(2, 3))", RuntimeError, "more than one element of the written-to tensor"),
        (
            "torch.add(x, 1, out=x.long())",
            RuntimeError,
            "result type Float can't be cast to the desired output type Long",
        ),
        ("torch.cat([x, x], out=x.long())", RuntimeError, "result type Float can't be cast to the desired"),
        ("torch.mm(x, x.t(), out=x.long())", RuntimeError, "to have dtype float, but got long int instead"),
    ],
)  # fmt: skip
def test_refused_in_every_way(agree: Any, call: str, error: type[Exception], said: str) -> None:
    found = agree(f"def f(x, y):\n    return {call}\n", X, X[:1]).error
    assert found is not None
    assert found[0] is error and said in found[1]


def test_pointwise_operators_write_into_it() -> None:
    """One loop that reads the arguments and writes `out`: nothing is made between."""

    def f(x: Tensor, y: Tensor, z: Tensor) -> None:
        tscript.exp(x * 2 + y, out=z)

    scripted: Any = tscript.script(f)
    x = tensor(X)
    graph = str(scripted.graph_for(x, x, tscript.zeros(2, 3)))
    assert graph.count("fused") == 1
    assert " = fused" not in graph


def test_archives_hold_it(tmp_path: Any) -> None:
    tscript.save(several, tmp_path / "several.tsa")
    loaded = tscript.load(tmp_path / "several.tsa").several
    x, y = tensor(X), tensor(X + 1)
    out, row, square = tscript.empty(2, 3), tscript.empty(3), tscript.empty(2, 2)
    assert np.allclose(loaded(x, y, out, row, square).numpy(), np.exp(X + 2 * (X + 1)))
    assert row.tolist() == X.sum(0).tolist()


def test_agrees_with_the_interpreter(agree: Any) -> None:
    agree(
        "def f(x, y, z):\n    torch.add(x, y, out=z)\n    torch.sqrt(input=z, out=z)\n    return z + 1\n", X, X, X + 0
    )
    agree("def f(x, z):\n    return torch.mean(x, 0, out=z)\n", X, np.zeros(4, np.float32))
    agree("def f(x, z):\n    return torch.argmax(x, 0, out=z)\n", X, np.zeros(3, np.float32))
    agree("def f(x, z):\n    return torch.softmax(x, 0).mul(2).sum(1, out=z)\n", X, np.zeros(2, np.float64))


def test_callbacks_see_the_operator() -> None:
    seen: list[tuple[str, str]] = []
    handle = tscript.add_global_callback(lambda record: seen.append((record.name, record.overload)))
    try:
        tscript.sum(tensor(X), 0, out=tscript.zeros(3))
    finally:
        handle.remove()
    assert ("sum", "dim") in seen
