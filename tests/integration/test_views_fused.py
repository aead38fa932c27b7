"""Views of what groups compute: results, strides, errors and bits are those of the operators one by one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import tscript
from tests.integration.test_reuse_buffers import N, buffers
from tscript import Tensor


def transposed(x: Tensor, y: Tensor) -> Tensor:
    return (x * 2).t() + y


def there_and_back(x: Tensor, y: Tensor) -> Tensor:
    z = (x * 2 + 1).t()
    z = (z * 3).t() - y
    return (z - 1).permute(1, 0) * 0.5


def with_a_vector(x: Tensor, v: Tensor) -> Tensor:
    return (x + v).t() * 2 - 1


def outer(x: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
    return (v * 2)[:, None] - v, (v + 1).unsqueeze(0) * x


def costly(v: Tensor) -> Tensor:
    return tscript.exp(v)[:, None] * v


def slices(x: Tensor) -> Tensor:
    return (x * 3)[1:] - (x * 3)[:-1]


def parts(x: Tensor, y: Tensor) -> Tensor:
    return (x - y)[:, 1:] * 2 + (x * y)[:, :-1]


def rows(x: Tensor, v: Tensor) -> Tensor:
    return (x * 2)[0] + v


def out_of_range(x: Tensor, y: Tensor) -> Tensor:
    return (x + y) * (x * 2)[7]


def reshaped(x: Tensor) -> Tensor:
    return (x * 2).reshape(-1) + 1


def viewed(x: Tensor) -> Tensor:
    return (x - 1).view(x.shape[0] * x.shape[1]) * 2


def flattened(x: Tensor, y: Tensor) -> Tensor:
    return (x + y).flatten() * 2


def seen(x: Tensor) -> tuple[Tensor, Tensor]:
    z = (x * 2).t()
    return z, z + 1


def written(x: Tensor, y: Tensor) -> Tensor:
    z = (x * 2).t()
    z += 1
    y += (x * 3).t()
    return z * 2


def kept(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    z = x * 2 + y
    return z, z.t() - 1


def reduced(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    z = (x * 2).t()
    return (z - y).sum(-1), (z * y).sum()


def normalised(x: Tensor, y: Tensor) -> Tensor:
    z = (x + y).t()
    return z - z.amax(-1, keepdim=True)


def cast(x: Tensor) -> Tensor:
    return (x * 2).t().float()


ONE: list[Callable[..., Any]] = [slices, reshaped, viewed, seen, cast]
TWO: list[Callable[..., Any]] = [
    transposed, there_and_back, parts, out_of_range, flattened, written, kept, reduced, normalised,
]  # fmt: skip
WITH_VECTOR: list[Callable[..., Any]] = [with_a_vector, outer, rows]
COMPILED: dict[str, Any] = {f.__name__: tscript.script(f) for f in [*ONE, *TWO, *WITH_VECTOR, costly]}
SHAPES = [(4, 4), (4, 5), (1, 5), (4, 1), (1, 1), (0, 5), (4, 0), (70, 70)]


def outcome(function: Callable[..., Any], *args: Tensor) -> Any:
    given = [a.clone() for a in args]
    try:
        found = function(*given)
    except (IndexError, RuntimeError) as error:
        return f"{type(error).__name__}: {error}"
    results = found if isinstance(found, tuple) else (found,)
    return [(t.shape, t.stride(), t.dtype, t.numpy().tobytes()) for t in (*results, *given)]


def check(name: str, *args: Tensor) -> None:
    compiled = COMPILED[name]
    assert outcome(compiled, *args) == outcome(compiled.__wrapped__, *args)


def numbers(shape: tuple[int, ...], seed: int = 0) -> Tensor:
    return tscript.tensor(np.random.default_rng(seed).standard_normal(shape).astype("float32"))


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("function", ONE, ids=lambda f: f.__name__)
def test_one_tensor(function: Any, shape: tuple[int, int]) -> None:
    x = numbers(shape)
    for t in (x, x.t(), x[::2], x[:, ::2], x[:1]):
        check(function.__name__, t)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("function", TWO, ids=lambda f: f.__name__)
def test_two_tensors(function: Any, shape: tuple[int, int]) -> None:
    x = numbers(shape)
    for other in (shape, shape[::-1], (1, shape[1]), (shape[0], 1), (3, 5)):
        for y in (numbers(other, 1), numbers(other[::-1], 1).t()):
            check(function.__name__, x, y)
            check(function.__name__, y, x)


@pytest.mark.parametrize("function", WITH_VECTOR, ids=lambda f: f.__name__)
@pytest.mark.parametrize("length", [1, 4, 5])
def test_a_vector(function: Any, length: int) -> None:
    for shape in SHAPES:
        check(function.__name__, numbers(shape), numbers((length,), 1))
    check("costly", numbers((length,)))


def test_results_that_are_arguments_too() -> None:
    x = numbers((5, 5))
    check("transposed", x, x)
    check("written", x, x)
    y = x.clone()
    COMPILED["written"](y, y)
    z = x.clone()
    COMPILED["written"].__wrapped__(z, z)
    assert y.numpy().tobytes() == z.numpy().tobytes()


STEPS = [
    *("{} * 2", "{} + x", "y - {}", "{}.t()", "{}.permute(1, 0)", "{}[1:]", "{}[:, :-1]", "{}[:, None][:, 0]", "-{}"),
    *("({} + v).t()", "{}.exp()", "{} + {}.t()", "{}.reshape({}.shape[1], {}.shape[0])", "{}.unsqueeze(1).squeeze(1)"),
]


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.integers(0, len(STEPS) - 1), min_size=2, max_size=9), st.data())
def test_random_chains(tmp_path_factory: pytest.TempPathFactory, steps: list[int], data: st.DataObject) -> None:
    lines = [
        "import tscript",
        "from tscript import Tensor",
        "def f(x: Tensor, y: Tensor, v: Tensor):",
        "    z0 = x * 3",
    ]
    for n, step in enumerate(steps):
        operand = f"z{data.draw(st.integers(0, n)) if data.draw(st.integers(0, 3)) == 0 else n}"
        lines.append(f"    z{n + 1} = {STEPS[step].replace('{}', operand)}")
    shown = data.draw(st.sets(st.integers(0, len(steps)), min_size=1, max_size=2))
    lines.append(f"    return {', '.join(f'z{n}' for n in sorted(shown | {len(steps)}))}")
    path = tmp_path_factory.mktemp("chain") / "chain.py"
    path.write_text("\n".join(lines))
    space: dict[str, Any] = {}
    exec(compile(path.read_text(), str(path), "exec"), space)
    compiled = tscript.script(space["f"])
    for shape in ((5, 5), (4, 6), (1, 5)):
        args = numbers(shape), numbers(shape, 1), numbers(shape[-1:], 2)
        assert outcome(compiled, *args) == outcome(space["f"], *args)


def strided(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    return x.transpose(-1, -2) * 2 + y, x.transpose(-1, -2).abs()


@pytest.mark.parametrize("shape", [(300, 270), (257, 600), (2, 300, 40), (3, 40, 513), (2, 2, 33, 300)])
def test_transposed_tensors_are_read_in_tiles(shape: tuple[int, ...]) -> None:
    x = numbers(shape)
    turned = (*shape[:-2], shape[-1], shape[-2])
    compiled = tscript.script(strided)
    for y in (
        numbers(turned, 1),
        numbers(turned[-1:], 1),
        numbers((turned[-2], 1), 1),
        numbers(shape, 1).transpose(-1, -2),
    ):
        found, wanted = compiled(x, y), np.swapaxes(x.numpy(), -1, -2)
        assert np.array_equal(found[0].numpy(), wanted * np.float32(2) + y.numpy())
        assert np.array_equal(found[1].numpy(), np.abs(wanted))
        again = numbers(turned, 2)
        before = again.numpy().copy()
        again += x.transpose(-1, -2)
        assert np.array_equal(again.numpy(), before + wanted)


def turns(x: Tensor, y: Tensor, n: int) -> Tensor:
    for _ in range(n):
        x = (x * 1.5 + y).t()
        x = (x - 0.25).permute(1, 0) * y
        x = ((x.t() * 0.5).t() + y).abs()
    return x


def steps(x: Tensor, y: Tensor, n: int) -> Tensor:
    for _ in range(n):
        x = (x * 1.5 + y).t()
        x = (x - 0.25).t() * y
        x = (x.unsqueeze(0) * y)[0] + 0.5
        x = (x * 0.5).reshape(-1).view(y.shape) - (y * 2).permute(1, 0).t()
    return x


def test_views_between_operators_keep_nothing() -> None:
    side = round(N**0.5)
    assert buffers(tscript.script(turns), numbers((side, side)), numbers((side, side), 1), 3) == 1
    assert buffers(tscript.script(steps), numbers((side, side)), numbers((side, side), 1), 3) <= 2
    compiled = tscript.script(steps)
    for shape in ((5, 5), (7, 7)):
        args = numbers(shape), numbers(shape, 1)
        assert outcome(lambda x, y: compiled(x, y, 3), *args) == outcome(lambda x, y: steps(x, y, 3), *args)
