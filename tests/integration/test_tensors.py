"""Tensors in control flow: loops, branches, aliases, views, errors halfway."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tscript

Agree = Callable[..., Any]

F = np.float32


def _matrix() -> np.ndarray[Any, Any]:
    return np.arange(12, dtype=F).reshape(3, 4) - 5


CASES: dict[str, tuple[str, list[tuple[Any, ...]]]] = {
    "carried": (
        "def f(x, n: int):\n    for i in range(n):\n        x = x * 0.5 + i\n    return x\n",
        [(_matrix(), 0), (_matrix(), 1), (_matrix(), 5)],
    ),
    "rank grows": (
        "def f(x, n: int):\n    for i in range(n):\n        x = x.unsqueeze(0) + 1\n    return x * 2\n",
        [(_matrix(), 0), (_matrix(), 3)],
    ),
    "rank shrinks": (
        "def f(x, n: int):\n    for i in range(n):\n        x = x.sum(0)\n    return x\n",
        [(_matrix(), 0), (_matrix(), 1), (_matrix(), 2), (_matrix(), 3)],
    ),
    "dtype changes": (
        "def f(x, n: int):\n    for i in range(n):\n        x = x / 2 if i % 2 == 0 else x > 0\n    return x\n",
        [(np.arange(4), 0), (np.arange(4), 1), (np.arange(4), 2), (np.arange(4), 3)],
    ),
    "dynamic chain": (
        """
def f(x, n: int):
    if n > 1:
        y = x.sum(0)
    elif n == 1:
        y = x.to(torch.int64)
    else:
        y = x
    z = torch.exp(-torch.abs(y * 2 + x)) - y
    z[0] = 5
    z += y
    return z, z.shape[0], y.sum(), z.dim(), y.dtype
""",
        [(_matrix(), 0), (_matrix(), 1), (_matrix(), 2)],
    ),
    "dynamic indexing": (
        """
def f(x, n: int):
    y = x
    for i in range(n):
        y = y.unsqueeze(0)
    a = y[..., 1:3]
    b = y[0]
    a += 1
    y[..., -1] = 7
    return a, b, y.t() if n == 0 else y.sum()
""",
        [(_matrix(), 0), (_matrix(), 1)],
    ),
    "several paths": (
        """
def f(x, n: int):
    if n == 0:
        return x
    y = x + 1
    if n == 1:
        return y
    for i in range(n):
        if i == 4:
            return x[0]
        y = y * 2
        if i == 6:
            break
    else:
        return y.t()
    return y
""",
        [(_matrix(), n) for n in (0, 1, 2, 5)],
    ),
    "loop values kept": (
        """
def f(x, n: int):
    best = x
    last = x
    for i in range(n):
        last, x = x, x + last
        if x.sum() > best.sum():
            best = x
        else:
            continue
    return best, last, x
""",
        [(_matrix(), 0), (_matrix(), 4), (-_matrix(), 4)],
    ),
    "aliases": (
        """
def f(x, y):
    a = x
    b = x[1:]
    a += y
    b[0] = -1
    c = b.view(-1)
    c *= 2
    x = x + 0
    x += 100
    return a, b, c, x
""",
        [(_matrix(), _matrix()), (_matrix(), np.ones((), F))],
    ),
    "in place through views": (
        """
def f(x):
    x.t()[0] += 10
    x[1:, ::2] *= 3
    x[-1] = x[0]
    x[0, 0] = 42
    x[None, 1, ..., 2] = 6
    x[:, 1:3] = torch.tensor([1.0, 2.0])
    y = x.permute(1, 0)
    y -= 1
    return y.reshape(-1)
""",
        [(_matrix(),)],
    ),
    "overlap": (
        "def f(x):\n    x[1:] = x[:-1]\n    x[:2] += x[1:3]\n    return x\n",
        [(_matrix(),), (np.arange(5),)],
    ),
    "in place between reads": (
        """
def f(x):
    a = x * 2
    x += 1
    b = x * 2
    y = x[0]
    x.zero_()
    return a + b, y, x.exp() + y
""",
        [(_matrix(),)],
    ),
    "error in a loop": (
        """
def f(x, n: int):
    y = x + 1
    kept = y
    for i in range(n):
        z = y * i
        x[i] = z[0]
        y = z + kept
    return y
""",
        [(_matrix(), 2), (_matrix(), 5)],
    ),
    "error in a callee": (
        """
def g(x, y):
    t = x * 2
    return t + y

def f(x, y, n: int):
    a = x + 1
    for i in range(n):
        a = g(a, y)
    return a
""",
        [(_matrix(), np.ones(4, F), 3), (_matrix(), np.ones(3, F), 3), (_matrix(), np.ones(3, F), 0)],
    ),
    "raise with tensors alive": (
        """
def f(x, n: int):
    a = x + 1
    for i in range(5):
        b = a + i
        if i == n:
            raise ValueError("here")
        a = b * 2
    assert n != 7, "seven"
    return a
""",
        [(_matrix(), 2), (_matrix(), 9), (_matrix(), 7)],
    ),
    "truth of a tensor": (
        """
def f(x):
    if x:
        return x + 1
    while not x > 3:
        x = x + 1
    return x
""",
        [(np.array(0, F),), (np.array([2.0], F),), (_matrix(),), (np.zeros(0, F),)],
    ),
    "and, or of tensors": (
        "def f(x, y):\n    return (x and y) + (x or y), x.sum() > 0 and y.sum() > 0\n",
        [(np.array(0.0, F), np.array(3.0, F)), (np.array(1.5, F), np.array(0.0, F)), (_matrix(), _matrix())],
    ),
    "numbers of tensors": (
        "def f(x):\n    return int(x) + 1, float(x) * 2, bool(x), x.item()\n",
        [(np.array(2.5, F),), (np.array([3]),), (_matrix(),), (np.array(np.nan, F),)],
    ),
    "tuples of tensors": (
        """
def g(x, p: tuple[int, float]):
    return x + p[0], (x * p[1], p)

def f(x, n: int):
    a, (b, p) = g(x, (n, 0.5))
    t = (a, b)
    if n > 2:
        t = (b, a)
    return t, p, t[0]
""",
        [(_matrix(), 1), (_matrix(), 3)],
    ),
    "ternaries": (
        "def f(x, n: int):\n    y = x if n > 2 else x + 1\n    y = y * 2\n    return y if n == 1 else x\n",
        [(_matrix(), 1), (_matrix(), 3)],
    ),
    "recursion": (
        """
def f(x: Tensor, n: int) -> Tensor:
    if n == 0:
        return x
    return f(x + n, n - 1) * 2
""",
        [(_matrix(), 0), (_matrix(), 4)],
    ),
    "recursion that changes rank": (
        """
def f(x: Tensor, n: int) -> Tensor:
    if n == 0:
        return x
    return f(x.sum(0), n - 1) + x
""",
        [(_matrix(), 0), (_matrix(), 2)],
    ),
    "shapes": (
        """
def f(x):
    n, m = x.shape
    s = x.shape
    total = 0
    for i in range(x.dim()):
        total += x.shape[i] * (i + 1)
    z = torch.zeros(m, n) + total
    return z, s, x.size(), x.size(-1), x.numel(), len(x), s[-1], x.ndim
""",
        [(_matrix(),), (np.zeros((0, 3)),), (np.zeros(3, F),)],
    ),
    "sizes as arguments": (
        "def f(x):\n    return x.reshape(x.shape), torch.ones(x.shape) + x, x.view(x.size(0), -1), "
        "x.new_zeros(x.size())\n",
        [(_matrix(),), (np.arange(3),)],
    ),
    "dtypes": (
        """
def f(x):
    if x.dtype == torch.float32:
        y = x.to(torch.int64)
    else:
        y = x.to(torch.float32)
    return y, y.dtype, y.dtype.is_floating_point
""",
        [(_matrix(),), (np.arange(3),)],
    ),
    "dtypes that are not known": (
        """
def f(x, n: int):
    for i in range(n):
        x = x.to(torch.int64) if x.dtype == torch.float32 else x.to(torch.float32) + 0.5
    return x, x.dtype == torch.int64, x.dtype != torch.float32, x.is_floating_point()
""",
        [(_matrix(), 0), (_matrix(), 1), (_matrix(), 2)],
    ),
    "numbers of dtypes that are not known": (
        """
def f(x, n: int):
    y = x.sum() if n > 1 else x.argmax()
    k = y.item()
    return int(k) + 1, float(y.max().item()), int(k * 2)
""",
        [(_matrix(), 1), (_matrix(), 2)],
    ),
    "products of dtypes that are not known": (
        "def f(x, n: int):\n    y = x.t() if n > 1 else x.t().to(torch.int64)\n"
        "    return x @ y, torch.mm(y, x), x[0] @ y\n",
        [(_matrix(), 1), (_matrix(), 2)],
    ),
    "shapes of several lengths": (
        """
def f(x, n: int):
    s = x.shape
    for i in range(3):
        if n > i:
            s = x.shape
        x = x[..., 0] if n == i else x
    t = x.shape if n else x[0].shape
    return s, s[0], t, torch.zeros(t).dim(), x.shape == s
""",
        [(_matrix(), 0), (_matrix(), 1), (_matrix(), 2)],
    ),
    "results nobody uses are checked": (
        "def f(x, y):\n    x * y\n    x + y.sum()\n    return x.dim()\n",
        [(_matrix(), _matrix()), (_matrix(), np.ones(3, F))],
    ),
    "what is computed is contiguous": (
        """
def f(x):
    y = x[0].expand(2, 4)
    return (y.clone().view(-1), (y + 1).view(-1), torch.stack([y, y]).view(-1), torch.cat([x.t(), x.t()]).view(-1),
            torch.exp(x.t()).is_contiguous(), x.t().index_select(0, torch.tensor([1])).view(-1))
""",
        [(_matrix(),)],
    ),
    "creation": (
        """
def f(n: int, v: float):
    return (torch.zeros(n), torch.ones(2, n), torch.full((n, 2), v), torch.arange(n), torch.arange(1.0, n, 0.5),
            torch.tensor([v, 1.0, 2.0]), torch.tensor([[n, 2], [3, 4]]), torch.eye(n), torch.zeros((2, n),
                    dtype=torch.int64),
            torch.linspace(0.0, v, n))
""",
        [(3, 1.5), (0, 1.5), (-1, 2.0)],
    ),
    "joining": (
        "def f(x, y):\n    return torch.cat([x, y]), torch.cat((x, y), dim=1), torch.stack([x, y], 1), "
        "torch.stack((x, x, y))\n",
        [(_matrix(), _matrix() * 2), (_matrix(), np.arange(12).reshape(3, 4)), (_matrix(), np.ones((2, 4), F))],
    ),
    "augmented operators": (
        "def f(x, y):\n    x += y\n    x -= 1\n    x *= y\n    x /= 2\n    x //= 1.5\n    x %= 3\n    x **= 2\n"
        "    return x\n",
        [(_matrix(), np.full(4, 2, F)), (_matrix(), np.array([[2]])), (np.arange(3), np.ones(3, F))],
    ),
    "grows in place": (
        "def f(x, y):\n    x += y\n    return x\n",
        [
            (np.ones(4, F), np.ones((3, 4), F)),
            (np.array(1, F), np.ones(1, F)),
            (np.array(1, F), np.ones((2, 0), F)),
            (np.ones((1, 4), F), np.ones((3, 4), F)),
            (np.arange(3), np.ones(3)),
        ],
    ),
    "masks": (
        "def f(x, n: int):\n    m = (x > n) & (x < 4) | ~(x != 0)\n"
        "    return torch.where(m, x, -1.0), x.masked_fill(m, 9), m.any(), m.all(), m.sum()\n",
        [(_matrix(), 0), (np.arange(6), 2)],
    ),
    "a view is no copy": (
        "def f(x, n: int):\n    y = x.t().t()\n    z = x.t() if n else x\n    y += 1\n    z[0] = 0\n"
        "    return x, y, z\n",
        [(_matrix(), 0), (_matrix(), 1)],
    ),
    "the loop writes its argument": (
        "def f(x, n: int):\n    for i in range(n):\n        row = x[i]\n        row += i\n"
        "        x[i, i] = row.sum()\n    return x[n - 1]\n",
        [(_matrix(), 3), (_matrix(), 4), (_matrix(), 0)],
    ),
    "sum of items": (
        "def f(x):\n    s = 0.0\n    for i in range(x.shape[0]):\n        s += float(x[i])\n    return s\n",
        [(np.arange(7, dtype=F),), (np.arange(7),), (_matrix(),)],
    ),
    "matmul": (
        "def f(x, y):\n    return x @ y, torch.matmul(x, y) * 2, x @ y.t().t() + 1\n",
        [
            (_matrix(), _matrix().T.copy()),
            (_matrix(), np.ones(4, F)),
            (np.ones(3, F), _matrix()),
            (np.ones(4, F), np.ones(4, F)),
            (_matrix(), _matrix()),
            (np.ones((2, 3, 4), F), np.ones((4, 5), F)),
            (np.arange(4).reshape(2, 2), np.arange(4).reshape(2, 2)),
            (_matrix(), np.ones((4, 0), F)),
            (np.array(1, F), _matrix()),
            (_matrix(), np.ones((4, 2))),
        ],
    ),
    "reductions in a loop": (
        """
def f(x, n: int):
    for i in range(n):
        x = x - x.mean(0, keepdim=True)
        x = x / (x.abs().max() + 1.0)
        v, k = x.max(1)
        x[:, 0] = v + k
    return x, x.argmax(), x.amax(1), x.sum((0, 1))
""",
        [(_matrix(), 3)],
    ),
    "constant tensors": (
        "def f(x):\n    c = torch.tensor(2.0)\n    d = torch.tensor([1, 2, 3, 4])\n    d[0] = 7\n"
        "    return x * c + d, c, d\n",
        [(_matrix(),)],
    ),
    "nothing but effects": (
        "def f(x, y) -> None:\n    x.add_(y)\n    y.mul_(x)\n    x.fill_(3).sub_(y)\n",
        [(_matrix(), _matrix()), (np.arange(3), np.arange(3))],
    ),
    "out of range": (
        "def f(x, i: int):\n    return x[i], x[i - 1:], x.select(0, i), x.sum(i)\n",
        [(_matrix(), 0), (_matrix(), 1), (_matrix(), 3), (_matrix(), -4)],
    ),
    "steps and bounds": (
        "def f(x, i: int, j: int):\n    return x[i:j], x[:, i:j:2], x[-2:], x[100:], x[:-100], x[i:j, ..., None]\n",
        [(_matrix(), 0, 2), (_matrix(), -1, 9), (_matrix(), 2, 1)],
    ),
    "unused results": (
        "def f(x, y):\n    x + y\n    z = x * y\n    return x\n",
        [(_matrix(), _matrix()), (_matrix(), np.ones(3, F))],
    ),
    "unrolled": (
        "def f(x):\n    for i in range(4):\n        x = x * (i + 1) + x[0] if i != 2 else x - 1\n    return x\n",
        [(_matrix(),)],
    ),
    "default tensors of shapes": (
        "def f(x, dim: int = 0, keep: bool = False):\n    return x.sum(dim, keepdim=keep), x.max(dim, keep)\n",
        [(_matrix(),), (_matrix(), 1), (_matrix(), 1, True), (_matrix(), -1, True), (_matrix(), 2)],
    ),
    "readonly constants stay": (
        "def f(x, n: int):\n    z = torch.zeros(4)\n    for i in range(n):\n        z += x[i % 3]\n    return z\n",
        [(_matrix(), 5), (_matrix(), 0)],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_case(agree: Agree, name: str) -> None:
    source, sets = CASES[name]
    ulps = 4 if "exp" in source or "matmul" in source else 0
    for args in sets:
        agree(source, *args, ulps=ulps)


def test_arguments_that_share_memory(agree: Agree) -> None:
    base = np.arange(10, dtype=F)
    source = "def f(x, y):\n    x += 1\n    y *= 2\n    x[0] = y[0]\n    return x + y\n"
    agree(source, base[:5], base[2:7])
    agree(source, base, base)
    agree(source, base[::-1], base)


def test_strides_of_every_kind(agree: Agree) -> None:
    base = np.arange(24, dtype=F).reshape(4, 6)
    source = (
        "def f(x, y):\n    z = x * y + 1\n    x -= y\n    return z, x.sum(0), x.t().reshape(-1), x[::2], x.flatten()\n"
    )
    for x in (
        base,
        base[::-1],
        base[:, ::-1],
        base[::2, ::3],
        base.T,
        base[1:, 1:].T,
        base[:, :1],
        base[:0],
        base[:, 3],
    ):
        agree(source, x, base.ravel()[7:8])


def test_broadcast_memory_refuses_writes(agree: Agree) -> None:
    found = agree("def f(x):\n    y = x.expand(3, 4)\n    y += 1\n    return y\n", np.ones(4, F))
    assert found.error is not None
    assert found.error[0] is RuntimeError


def test_readonly_arrays_refuse_writes(agree: Agree) -> None:
    x = np.ones(4, F)
    x.flags.writeable = False
    for body in ("x += 1", "x[0] = 2", "x.zero_()", "x[1:] *= 2"):
        found = agree(f"def f(x):\n    {body}\n    return x\n", x)
        assert found.error is not None
        assert found.error[0] is RuntimeError


def test_messages_are_those_of_pytorch(agree: Agree) -> None:
    x, y = np.ones((2, 3), F), np.ones((2, 4), F)
    expected = {
        "x + y": "The size of tensor a (3) must match the size of tensor b (4) at non-singleton dimension 1",
        "x @ y": "mat1 and mat2 shapes cannot be multiplied (2x3 and 2x4)",
        "x.view(4, 2)": "shape '[4, 2]' is invalid for input of size 6",
        "x[2]": "index 2 is out of bounds for dimension 0 with size 2",
        "x.sum(2)": "Dimension out of range (expected to be in range of [-2, 1], but got 2)",
        "x.item()": "a Tensor with 6 elements cannot be converted to Scalar",
        "x.expand(2, 4)": "The expanded size of the tensor (4) must match the existing size (3) at non-singleton "
        "dimension 1.",
    }
    for expression, message in expected.items():
        found = agree(f"def f(x, y):\n    return {expression}\n", x, y)
        assert found.error is not None, expression
        assert found.error[1] == message, expression


ARRAYS = (
    "x + y",
    "y + x",
    "x * y",
    "y - x",
    "x < y",
    "x == y",
    "y != x",
    "x @ y",
    "y @ x",
    "x ** y",
    "y // x",
    "x & y",
)


@pytest.mark.parametrize("expression", ARRAYS)
@pytest.mark.parametrize("dtype", [np.int64, np.float32, np.bool_])
def test_an_operator_takes_an_array_as_a_tensor(expression: str, dtype: type) -> None:
    x: Any = tscript.tensor([1, 2])
    y: Any = np.array([1, 1], dtype)
    results = []
    for second in (y, tscript.from_numpy(y)):
        try:
            results.append(eval(expression, {"x": x, "y": second}))
        except RuntimeError as error:
            results.append(str(error))
    found, expected = results
    assert type(found) is type(expected)
    if not isinstance(expected, str):
        assert (found.dtype, found.tolist()) == (expected.dtype, expected.tolist())


def test_operators_over_an_empty_dimension(agree: Any) -> None:
    for expression in ("x.log_softmax(0)", "x.softmax(0)", "x.log_softmax(-1)", "x.softmax(1)", "x.logsumexp(0)"):
        for shape in ((0,), (0, 3), (3, 0)):
            agree(f"def f(x: Tensor) -> Tensor:\n    return {expression}\n", np.ones(shape, np.float32))


@tscript.script
def twice_in_lists(x: tscript.Tensor, held: list[tscript.Tensor]) -> list[tscript.Tensor]:
    y = x.reshape(-1)
    held.append(y)
    held.append(y)
    held.append(x)
    return [y, y, x]


@pytest.mark.parametrize("make", [tscript.zeros, np.zeros])
def test_a_tensor_that_comes_out_twice_is_one_object(make: Any) -> None:
    for _ in range(2):  # through the session, then through the stub
        held: list[Any] = []
        x = make((1, 2))
        first, second, same = twice_in_lists(x, held)
        assert type(first) is type(x)
        assert first is second
        assert first is not x and same is x
        assert held[0] is held[1]
        assert held[2] is x
