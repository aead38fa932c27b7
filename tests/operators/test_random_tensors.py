"""The numbers of random tensors: those of the published generator, one stream however it is drawn, distributions."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tscript
from tscript import Tensor
from tscript.operators.tensor.random_tensors import philox


@pytest.mark.parametrize(
    ("key", "counter", "expected"),
    [
        (0, 0, (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)),
        (2**64 - 1, 2**128 - 1, (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD)),
        (0x299F31D0A4093822, 0x0370734413198A2E85A308D3243F6A88, (0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1)),
    ],
)
def test_blocks_are_those_that_random123_publishes(key: int, counter: int, expected: tuple[int, ...]) -> None:
    """https://github.com/DEShawResearch/random123, ``kat_vectors``: philox4x32, 10 rounds."""
    low, high = (np.array([part % 2**64], np.uint64) for part in (counter, counter >> 64))
    assert tuple(philox(key, low, high)[0]) == expected


def test_native_code_draws_the_same_blocks() -> None:
    seed = 0x123456789ABCDEF
    tscript.manual_seed(seed)
    found = [
        tscript.rand(11).numpy(),
        tscript.rand(5, dtype=tscript.float64).numpy(),
        tscript.randint(1 << 40, (3,)).numpy(),
    ]
    words = philox(seed, np.arange(8).astype(np.uint64))
    np.testing.assert_array_equal(found[0], (words[:3].ravel()[:11] >> 8).astype(np.float32) * np.float32(2**-24))
    doubles = ((words[3:6, ::2] >> 5) * 2.0**26 + (words[3:6, 1::2] >> 6)).ravel() * 2.0**-53
    np.testing.assert_array_equal(found[1], doubles[:5])
    whole = (words[6:, ::2] << np.uint64(32) | words[6:, 1::2]) >> np.uint64(1)
    np.testing.assert_array_equal(found[2], (whole.ravel()[:3] % (1 << 40)).astype(np.int64))


def test_threads_make_no_difference() -> None:
    made = []
    before = tscript.get_num_threads()
    try:
        for threads in (1, 2, 3):
            tscript.set_num_threads(threads)
            tscript.manual_seed(5)
            made.append(tscript.randn(300_001).numpy())
    finally:
        tscript.set_num_threads(before)
    np.testing.assert_array_equal(made[0], made[1])
    np.testing.assert_array_equal(made[0], made[2])


@tscript.script
def drawn_in_a_loop(n: int) -> tuple[Tensor, list[float], Tensor]:
    tscript.manual_seed(9)
    first = tscript.rand(n)
    tscript.rand(n)  # not used, and drawn all the same
    found: list[float] = []
    for _ in range(3):
        found.append(float(tscript.rand(1)))
    again = tscript.rand(n)
    return first, found, again


def test_each_call_of_compiled_code_draws() -> None:
    first, found, again = drawn_in_a_loop(4)
    tscript.manual_seed(9)
    assert first.tolist() == tscript.rand(4).tolist()
    tscript.rand(4)
    assert found == [tscript.rand(1).item() for _ in range(3)]
    assert len(set(found)) == 3
    assert again.tolist() == tscript.rand(4).tolist() != first.tolist()


def test_attention_drops_weights() -> None:
    q, value = tscript.zeros(1, 4), tscript.eye(1000)
    keys = tscript.zeros(1000, 4)
    attend = tscript.nn.functional.scaled_dot_product_attention
    assert attend(q, keys, value).count_nonzero().item() == 1000
    tscript.manual_seed(4)
    found = attend(q, keys, value, dropout_p=0.25)
    assert 690 < found.count_nonzero().item() < 810
    assert abs(float(found.sum()) - 1) < 0.1

    @tscript.script
    def twice(q: Tensor, keys: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
        first = tscript.nn.functional.scaled_dot_product_attention(q, keys, value, dropout_p=0.5)
        second = tscript.nn.functional.scaled_dot_product_attention(q, keys, value, dropout_p=0.5)
        return first, second

    first, second = twice(q, keys, value)
    assert not tscript.equal(first, second)


def test_iterations_that_draw_depend_on_each_other() -> None:
    @tscript.script
    def rows(n: int) -> Tensor:
        out = tscript.zeros(n)
        for i in tscript.prange(n):
            out[i] = tscript.rand(1)[0]
        return out

    with pytest.raises(tscript.CompileError, match="other iterations draw from"):
        rows(8)


def test_tasks_draw_numbers_of_their_own() -> None:
    @tscript.script
    def drawn(n: int) -> Tensor:
        return tscript.randint(1 << 50, (n,))

    futures = [tscript.fork(drawn, 100) for _ in range(20)]
    found = {x for future in futures for x in tscript.wait(future).tolist()}
    assert len(found) == 2000


def uniform(x: float) -> float:
    return x


def normal(x: float) -> float:
    return 0.5 * (1 + math.erf(x / math.sqrt(2)))


def exponential(x: float) -> float:
    return 1 - math.exp(-x)


def cauchy(x: float) -> float:
    return math.atan(x) / math.pi + 0.5


def log_normal(x: float) -> float:
    return normal(math.log(x)) if x > 0 else 0.0


@pytest.mark.parametrize(
    ("draw", "distribution"),
    [
        (lambda n: tscript.rand(n), uniform),
        (lambda n: tscript.rand(n, dtype=tscript.float64), uniform),
        (lambda n: tscript.empty(n).uniform_(), uniform),
        (lambda n: (tscript.empty(n).uniform_(-3, 5) + 3) / 8, uniform),
        (lambda n: tscript.randn(n), normal),
        (lambda n: tscript.randn(n, dtype=tscript.float64), normal),
        (lambda n: (tscript.normal(3.0, 2.0, (n,)) - 3) / 2, normal),
        (lambda n: tscript.view_as_real(tscript.randn(n // 2, dtype=tscript.complex64)).flatten() * 2**0.5, normal),
        (lambda n: tscript.empty(n).exponential_(2.0) * 2, exponential),
        (lambda n: tscript.empty(n).cauchy_(), cauchy),
        (lambda n: tscript.empty(n).log_normal_(0.0, 1.0), log_normal),
        (lambda n: tscript.randperm(n).float() / n, uniform),
        (lambda n: tscript.randint(0, 1 << 50, (n,)).double() / 2**50, uniform),
    ],
)
def test_distributions(draw: Callable[[int], Any], distribution: Callable[[float], float]) -> None:
    """By the statistic of Kolmogorov and Smirnov, which is above 2 / sqrt(n) once in 1,500 times; the seed is fixed."""
    n = 20_000
    tscript.manual_seed(1)
    found = np.sort(draw(n).double().numpy())
    expected = np.array([distribution(x) for x in found.tolist()])
    steps = np.arange(n + 1) / n
    assert max(np.abs(expected - steps[:-1]).max(), np.abs(expected - steps[1:]).max()) < 2 / math.sqrt(n)


@pytest.mark.parametrize(
    ("draw", "weights"),
    [
        (lambda n: tscript.randint(2, 7, (n,)) - 2, [0.2] * 5),
        (lambda n: tscript.bernoulli(tscript.full((n,), 0.3)).long(), [0.7, 0.3]),
        (lambda n: tscript.empty(n).bernoulli_(0.8).long(), [0.2, 0.8]),
        (lambda n: tscript.multinomial(tscript.tensor([1.0, 2.0, 0.0, 5.0]), n, True), [1 / 8, 2 / 8, 0, 5 / 8]),
        (lambda n: tscript.multinomial(tscript.tensor([[1.0, 3.0]]).expand(n, 2), 1).flatten(), [0.25, 0.75]),
        (lambda n: tscript.empty(n).geometric_(0.5).clamp(max=4).long() - 1, [1 / 2, 1 / 4, 1 / 8, 1 / 8]),
        (lambda n: tscript.nn.functional.dropout(tscript.ones(n), 0.25).ceil().long() // 2, [0.25, 0.75]),
        (lambda n: tscript.nn.functional.gumbel_softmax(tscript.zeros(n, 4), hard=True).argmax(1), [0.25] * 4),
    ],
)
def test_frequencies(draw: Callable[[int], Any], weights: list[float]) -> None:
    n = 20_000
    tscript.manual_seed(2)
    found = np.bincount(draw(n).numpy(), minlength=len(weights))
    assert len(found) == len(weights)
    for count, weight in zip(found, weights, strict=True):
        assert abs(count - n * weight) <= 4 * math.sqrt(n * weight * (1 - weight))


def test_draws_without_replacement_are_different() -> None:
    rows = tscript.multinomial(tscript.ones(50, 6), 6).sort(1).values
    assert rows.tolist() == [[0, 1, 2, 3, 4, 5]] * 50


def test_dropout_keeps_the_mean_or_the_tensor() -> None:
    x = tscript.ones(10_000)
    assert abs(float(tscript.nn.functional.dropout(x, 0.3).mean()) - 1) < 0.05
    assert tscript.nn.functional.dropout(x, 0.3, training=False) is x
    mapped = tscript.nn.functional.dropout2d(tscript.ones(50, 20, 3, 3), 0.5)
    assert set(mapped.sum((2, 3)).flatten().tolist()) == {0.0, 18.0}
    y = tscript.nn.functional.alpha_dropout(tscript.randn(20_000), 0.2, training=True)
    assert abs(float(y.mean())) < 0.05
    assert abs(float(y.std()) - 1) < 0.05
