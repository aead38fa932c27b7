"""Random shapes, strides, dtypes and small programs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import tscript

Agree = Callable[..., Any]

bounded = settings(
    max_examples=25,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
    database=None,
)

DTYPES = st.sampled_from(["float32", "float64", "int64", "int32", "uint8", "bool"])


@st.composite
def arrays(draw: Any, shape: tuple[int, ...]) -> np.ndarray[Any, Any]:
    """An array that broadcasts to `shape`, over memory with any strides."""
    own = list(shape[draw(st.integers(0, len(shape))) :])
    for i in range(len(own)):
        if draw(st.integers(0, 4)) == 0:
            own[i] = 1
    steps = [draw(st.sampled_from([1, 1, 1, 2, -1])) for _ in own]
    order = draw(st.permutations(range(len(own))))
    whole = [own[i] * abs(steps[i]) + 1 for i in order]
    dtype = draw(DTYPES)
    values = (np.arange(int(np.prod(whole, dtype=int))) * 7 + draw(st.integers(0, 9))) % 11 - (
        0 if dtype == "uint8" else 4
    )
    base = values.reshape(whole).astype(dtype).transpose(np.argsort(order))
    index = []
    for n, step in zip(own, steps, strict=True):
        start = 0 if step > 0 else n
        stop = start + n * step
        index.append(slice(start, stop if stop >= 0 else None, step))
    found = base[tuple(index)]
    assert found.shape == tuple(own)
    return np.asarray(found)


SHAPES = st.lists(st.sampled_from([0, 1, 2, 3, 5, 17]), max_size=3).map(tuple)


@bounded
@given(data=st.data(), shape=SHAPES)
def test_broadcasting_and_strides(agree: Agree, data: Any, shape: tuple[int, ...]) -> None:
    x, y = data.draw(arrays(shape)), data.draw(arrays(shape))
    agree("def f(x, y):\n    z = x * 2 + y\n    return z, x < y, z.sum(), torch.where(x > 0, y, z)\n", x, y)


@bounded
@given(data=st.data(), shape=SHAPES, other=SHAPES)
def test_any_two_shapes(agree: Agree, data: Any, shape: tuple[int, ...], other: tuple[int, ...]) -> None:
    x, y = data.draw(arrays(shape)), data.draw(arrays(other))
    agree("def f(x, y):\n    return x * y + x\n", x, y)


@bounded
@given(data=st.data(), shape=SHAPES)
def test_in_place(agree: Agree, data: Any, shape: tuple[int, ...]) -> None:
    x, y = data.draw(arrays(shape)), data.draw(arrays(shape))
    agree("def f(x, y):\n    z = x + 1\n    x += y\n    x *= 2\n    y = y * x\n    return z, y, x\n", x, y)


INDICES = st.sampled_from([":", "0", "-1", "1:", "::2", ":-1", "None", "1:2", "i", "i:j", "j::3"])


@bounded
@given(
    data=st.data(),
    index=st.lists(INDICES, min_size=1, max_size=3),
    rest=st.booleans(),
    i=st.integers(-3, 3),
    j=st.integers(-3, 4),
)
def test_indexing(agree: Agree, data: Any, index: list[str], rest: bool, i: int, j: int) -> None:
    x = data.draw(arrays((3, 2, 5)))
    where = ", ".join([*index, "..."] if rest else index)
    agree(
        f"def f(x, i: int, j: int):\n    y = x[{where}]\n    x[{where}] = 1\n    y += y\n    return y, x.sum()\n",
        x,
        i,
        j,
        message=False,
    )


NAMES = ["a", "b", "c"]


@st.composite
def statements(draw: Any, depth: int, loop: bool) -> list[str]:
    """Statements over ints a, b, c."""
    out: list[str] = []
    expression = st.sampled_from(
        [
            "a + b",
            "b * 3 - c",
            "c // (b % 5 + 1)",
            "a % 7",
            "a if b > c else -b",
            "abs(a) & 63",
            "a ^ b | c",
            "max(a, c) - min(b, 9)",
        ]
    )
    condition = st.sampled_from(["a > b", "b % 2 == 0", "a < b <= c", "not c and a != 3", "a or b", "a & 1"])
    for _ in range(draw(st.integers(1, 3))):
        kind = draw(st.integers(0, 9 if depth else 4))
        if kind <= 4:
            out.append(
                f"{draw(st.sampled_from(NAMES))} {draw(st.sampled_from(['=', '=', '+=', '-=', '^=']))} "
                f"{draw(expression)}"
            )
        elif kind <= 6:
            out += [f"if {draw(condition)}:", *_indented(draw(statements(depth - 1, loop)))]
            if draw(st.booleans()):
                out += ["else:", *_indented(draw(statements(depth - 1, loop)))]
        elif kind <= 8:
            counter = f"i{depth}"
            head = draw(
                st.sampled_from(
                    [
                        f"for {counter} in range(a % 6)",
                        f"for {counter} in range(4, -3, -2)",
                        f"for {counter} in range(3)",
                    ]
                )
            )
            out += [f"{head}:", f"    a += {counter}", *_indented(draw(statements(depth - 1, True)))]
            if draw(st.booleans()):
                out += ["else:", *_indented(draw(statements(depth - 1, loop)))]
        else:
            leave = ["return a - b", "raise ValueError('left')"] + (["break", "continue"] if loop else [])
            out += [f"if {draw(condition)}:", f"    {draw(st.sampled_from(leave))}"]
    return out


def _indented(lines: list[str]) -> list[str]:
    return [f"    {line}" for line in lines]


@settings(bounded, max_examples=40)
@given(body=statements(3, False), a=st.integers(-20, 20), b=st.integers(-20, 20))
def test_programs_of_ints(agree: Agree, body: list[str], a: int, b: int) -> None:
    lines = "\n".join(_indented(["c = a - b", *body, "a &= 0xFFFFFFFF", "return a * 3 + b ^ c"]))
    agree(f"def f(a: int, b: int) -> int:\n{lines}\n", a, b, python=False)


TENSOR_STEPS = [
    "x = x + y", "y = x * 0.5", "x += 1", "y[0] = x[0]", "x[n % 2] += y[0]", "z = x.t().t()",
    "x = x.sum(0, keepdim=True) + y",
    "y = torch.where(x > y, x, y)", "z = y", "z -= 1", "x[1:] *= 2", "x = y - z", "y = y[0] + x", "x = x.clone()",
    "z = torch.zeros(2, 3) + n", "y = torch.cat([x[:1], y[1:]])", "x = x.permute(0, 1)", "x.mul_(y)",
    "y = x.expand(2, 3)",
]  # fmt: skip


DYNAMIC_STEPS = [
    "x = x + y", "y = x.sum(0)", "x = x.unsqueeze(0)", "y = y > 0", "x = x.to(torch.int64)", "z = x * 2 - y", "x += y",
    "x = y.t()",
    "y = y[0]", "x[0] = y", "x = x.reshape(-1)", "x = torch.tanh(x * 1.0)", "z = z + x.mean()", "y = x.max()",
    "x, y = y, x",
    "z, x = x, z.clone()", "x = torch.cat([x, y])", "y = torch.stack([x, x])", "x = x @ y", "y = x.shape[0] + y",
    "x = x[..., 0]",
    "n = x.dim() + n", "n += int(y.sum())", "x = g(x, y)", "y = g(y, n)", "z = h(x)[1]", "x = x.expand(2, 2, 3)",
    "y = y.squeeze()",
    "x = x / (y + 1)", "x //= 2", "y = -y", "z = x if n > 1 else y", "assert x.numel() < 10000, 'large'",
    "x = x.float()", "x = x[1:]",
    "y = y.view(-1)", "x = torch.where(y > 0, x, z)", "y = x.clone()", "y = x.argmax(0)", "n = n + int(y.max().item())",
    "y = y.sum().item() * x", "y = torch.zeros(x.shape)", "n = n + len(x)", "y = y.view(x.shape)",
    "z = x.reshape(y.size())",
]  # fmt: skip
CONDITIONS = ["n > 1", "x.dim() > 1", "y.sum() > 0", "n % 2 == 0", "x.dtype == torch.float32", "x.shape == y.shape"]


@st.composite
def tensor_statements(draw: Any, depth: int, steps: list[str], loop: bool = False) -> list[str]:
    """Statements over tensors x, y, z and the int n."""
    out: list[str] = []
    for _ in range(draw(st.integers(1, 4))):
        kind = draw(st.integers(0, 9 if depth else 5))
        if kind <= 5:
            out.append(draw(st.sampled_from(steps)))
        elif kind <= 7:
            out += [
                f"if {draw(st.sampled_from(CONDITIONS))}:",
                *_indented(draw(tensor_statements(depth - 1, steps, loop))),
            ]
            if draw(st.booleans()):
                out += ["else:", *_indented(draw(tensor_statements(depth - 1, steps, loop)))]
        elif kind == 8:
            times = draw(st.sampled_from(["n", "3", "x.dim()"]))
            out += [f"for i{depth} in range({times}):", *_indented(draw(tensor_statements(depth - 1, steps, True)))]
            if draw(st.integers(0, 3)) == 0:
                out += ["else:", "    y = y + 1"]
        else:
            leave = ["return x, n", "return y, n", "raise ValueError('stop')"] + (["break", "continue"] if loop else [])
            out += [f"if {draw(st.sampled_from(['n == 0', 'n > 4']))}:", f"    {draw(st.sampled_from(leave))}"]
    return out


HELPERS = "def g(a, b):\n    return a * b + 1\n\ndef h(a):\n    return 1, a.unsqueeze(-1)\n\n"


def _program_of_tensors(body: list[str]) -> str:
    lines = "\n".join(_indented(["z = x - 1", *body, "return x, n"]))
    return f"{HELPERS}def f(x, y, n: int):\n{lines}\n"


@settings(bounded, max_examples=40)
@given(body=tensor_statements(2, TENSOR_STEPS), n=st.integers(-1, 3))
def test_programs_of_tensors(agree: Agree, body: list[str], n: int) -> None:
    x = (np.arange(6, dtype=np.float32).reshape(2, 3) - 2) / 4
    agree(_program_of_tensors(body), x, x[::-1, ::-1] * 2, n)


SECOND = st.sampled_from(
    [
        np.arange(6, dtype=np.float32).reshape(2, 3),
        np.arange(3),
        np.array(1.5, np.float32),
        np.arange(6).reshape(2, 3) % 2 == 0,
    ]
)


@settings(bounded, max_examples=40)
@given(body=tensor_statements(3, DYNAMIC_STEPS), y=SECOND, n=st.integers(0, 3))
def test_programs_of_unknown_types(agree: Agree, body: list[str], y: np.ndarray[Any, Any], n: int) -> None:
    """dtypes and ranks that change in loops and branches: what is not known is dispatched at run time."""
    x = np.arange(6, dtype=np.float32).reshape(2, 3) - 2
    try:
        agree(_program_of_tensors(body), x, y, n, ulps=64, message=False)
    except tscript.CompileError:
        assume(False)
