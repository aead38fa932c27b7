"""Options for printing tensors, in Python and in scripted functions."""

from __future__ import annotations

import numpy as np
import pytest

import tscript
from tscript import Tensor


@tscript.script
def shown(x: Tensor) -> str:
    return f"{x}"


@tscript.script
def of_item(x: Tensor) -> str:
    return f"{x:.2f}"


@pytest.fixture(autouse=True)
def restored():
    yield
    tscript.set_printoptions(profile="default")


def draw(random: np.random.Generator) -> Tensor:
    names = ("float32", "float64", "float16", "bfloat16", "int64", "uint64", "bool", "complex64", "complex128")
    shape = tuple(random.integers(0 if random.random() < 0.1 else 1, 9, random.integers(0, 4)))
    values = random.choice([0.0, 1.0, np.inf, np.nan, 2.5, -3e-5, 7e9], shape) * random.choice([1.0, -1.0, 1e-3], shape)
    dtype = getattr(tscript, str(random.choice(names)))
    if dtype.is_complex:
        values = np.nan_to_num(values, posinf=9.0, neginf=-9.0)
        values = values + 1j * values[..., ::-1] if values.ndim else values * (1 + 2j)
    elif not dtype.is_floating_point:
        values = np.abs(np.nan_to_num(values, nan=1, posinf=5, neginf=3))
    return tscript.tensor(values).to(dtype)


def test_functions_print_as_python_does():
    random = np.random.default_rng(0)
    for _ in range(150):
        x = draw(random)
        tscript.set_printoptions(
            precision=int(random.choice([0, 2, 4, 9])),
            threshold=int(random.choice([4, 1000])),
            edgeitems=int(random.choice([0, 1, 3])),
            linewidth=int(random.choice([30, 80])),
            sci_mode=[None, True, False][random.integers(3)],
        )
        assert shown(x) == repr(x)


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"precision": 2}, "tensor([1.23, 2.00])"),
        ({"sci_mode": True}, "tensor([1.2346e+00, 2.0000e+00])"),
        ({"threshold": 1, "edgeitems": 0}, "tensor([...], size=(2,))"),
        ({"linewidth": 10}, "tensor([1.2346,\n        2.0000])"),
    ],
)
def test_each_option(options, text):
    with tscript.printoptions(**options):
        assert repr(tscript.tensor([1.23456, 2.0])) == text
    assert repr(tscript.tensor([1.5])) == "tensor([1.5000])"


def test_profiles():
    x = tscript.arange(2000)
    assert "..." in repr(x)
    tscript.set_printoptions(profile="full")
    assert "..." not in repr(x)
    assert tscript.get_printoptions()["threshold"] == float("inf")
    tscript.set_printoptions(profile="short")
    assert repr(tscript.tensor(1.256)) == "tensor(1.26)"


def test_bad_options():
    with pytest.raises(ValueError, match="there is no profile 'long'"):
        tscript.set_printoptions(profile="long")
    with pytest.raises(ValueError, match="must not be negative"):
        tscript.set_printoptions(precision=-1)
    with pytest.raises(ValueError, match="at most 100"):
        tscript.set_printoptions(precision=1000)
    with pytest.raises(TypeError, match="must be a number"):
        tscript.set_printoptions(linewidth="a")
    assert tscript.get_printoptions()["precision"] == 4


def test_numbers_of_tensors_without_a_known_dtype():
    big = tscript.tensor(np.array(2**63 + 5, np.uint64))
    assert of_item(tscript.tensor(1 + 2j)) == "1.00+2.00j"
    assert shown(big) == repr(big) == "tensor(9223372036854775813, dtype=tscript.uint64)"


def test_the_cache_of_memory_is_given_back():
    x = tscript.zeros(1 << 20)
    del x
    before = tscript.memory_stats()["cached_bytes"]
    tscript.empty_cache()
    assert before >= 1 << 22
    assert tscript.memory_stats()["cached_bytes"] <= before - (1 << 22)
