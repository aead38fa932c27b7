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
