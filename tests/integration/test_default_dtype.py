"""`set_default_dtype`: what new floats are, eager and compiled, one default after the other."""

# mypy: ignore-errors
from __future__ import annotations

import threading

import numpy as np
import pytest

import tscript
from tscript import Tensor
from tscript.types import dtypes

DEFAULTS = (tscript.float64, tscript.float16, tscript.bfloat16, tscript.float32)

EAGER = {
    "tensor": lambda t: t.tensor(1.5),
    "tensor of a list": lambda t: t.tensor([0.1, 2]),
    "tensor of nothing": lambda t: t.tensor([]),
    "tensor of complex": lambda t: t.tensor([1j, 2]),
    "zeros": lambda t: t.zeros(2),
    "ones": lambda t: t.ones(2, 0),
    "empty": lambda t: t.empty(2).zero_(),
    "full": lambda t: t.full((2,), 0.1),
    "full int": lambda t: t.full((2,), 3),
    "eye": lambda t: t.eye(2),
    "arange": lambda t: t.arange(0.5, 3.0),
    "arange int": lambda t: t.arange(3),
    "linspace": lambda t: t.linspace(0, 1, 7),
    "logspace": lambda t: t.logspace(0, 1, 3),
    "scalar_tensor": lambda t: t.scalar_tensor(0.1),
    "hann_window": lambda t: t.hann_window(4),
    "fftfreq": lambda t: t.fft.fftfreq(5),
    "quotient": lambda t: t.arange(1, 4) / 3,
    "sum with a float": lambda t: t.arange(3) + 0.1,
    "product with a float of halves": lambda t: t.ones(3, dtype=t.float16) * 0.1,
    "sum with a complex number": lambda t: t.arange(3) + 1j,
    "complex beside float32": lambda t: t.ones(3, dtype=t.float32) + 1j,
    "complex beside float32, without dimensions": lambda t: t.ones((), dtype=t.float32) + 1j,
    "sqrt": lambda t: t.sqrt(t.arange(4)),
    "sigmoid of bools": lambda t: t.sigmoid(t.tensor([True, False])),
    "where": lambda t: t.where(t.tensor([True, False]), 0.1, 2),
    "fill": lambda t: t.zeros(2).fill_(0.1),
    "logit": lambda t: t.logit(t.tensor([0, 1])),
    "empty_strided": lambda t: t.empty_strided((2, 2), (1, 2)).zero_(),
}


@pytest.fixture(autouse=True)
def restored():
    yield
    tscript.set_default_dtype(tscript.float32)


def under(default, function):
    """What a function gives under a default dtype."""
    tscript.set_default_dtype(default)
    return function()


@pytest.mark.parametrize("name", EAGER)
def test_eager_operators_against_torch(name: str) -> None:
    torch = pytest.importorskip("torch")
    for default in DEFAULTS:
        if name in ("fftfreq", "logspace") and default.is_half:
            continue  # PyTorch computes these in steps that round
        found = under(default, lambda: EAGER[name](tscript))
        torch.set_default_dtype(getattr(torch, default.name))
        try:
            want = EAGER[name](torch)
        except (RuntimeError, NotImplementedError):  # PyTorch has complex32
            continue
        finally:
            torch.set_default_dtype(torch.float32)
        if want.dtype == torch.complex32:
            continue
        assert str(found.dtype).partition(".")[2] == str(want.dtype).partition(".")[2], default
        wide = tscript.complex128 if found.is_complex() else tscript.float64
        np.testing.assert_allclose(
            found.to(wide).numpy(),
            want.to(getattr(torch, wide.name)).numpy(),
            rtol={8: 1e-15, 4: 1e-6, 2: 1e-2}[default.itemsize],
        )


@tscript.script
def made(x: Tensor, values: list[float], n: int) -> Tensor:
    return tscript.zeros(n) + x / 3 + tscript.tensor(values) + tscript.tensor([0.1, 0.2, 0.3])[:n] * tscript.ones(())


def test_compiled_code_is_that_of_the_default_dtype() -> None:
    x, values = tscript.arange(3), [0.1, 0.2, 0.3]
    for _ in range(2):
        for default in DEFAULTS:
            found = under(default, lambda: made(x, values, 3))
            assert found.dtype is default
            if default in (tscript.float32, tscript.float64):
                t = np.dtype(default.name).type
                third = np.arange(3).astype(t) / t(3)
                np.testing.assert_array_equal(found.numpy(), third + np.array(values, t) + np.array(values, t))


def test_default_dtype_in_a_function() -> None:
    @tscript.script
    def same(x: Tensor) -> bool:
        return x.dtype == tscript.get_default_dtype()

    x = tscript.ones(2, dtype=tscript.float64)
    for default in DEFAULTS:
        assert under(default, lambda: same(x)) == (default is tscript.float64)
        assert tscript.get_default_dtype() is default


def test_every_way_of_running_agrees(agree) -> None:
    def function(x: Tensor, values: list[float]) -> Tensor:
        return tscript.full((3,), 0.1) * tscript.linspace(0, 1, 3) + x / 7 + tscript.tensor(values)

    tscript.set_default_dtype(tscript.float64)
    assert agree(function, np.arange(3), [0.1, 0.2, 0.3]).value.dtype == np.float64


def test_rows_are_found_again() -> None:
    x = tscript.arange(3)
    for default in (tscript.float64, tscript.float32):
        under(default, lambda: tscript.true_divide(x, 2))
    rows = made_rows()
    for default in (tscript.float64, tscript.float32):
        assert under(default, lambda: tscript.true_divide(x, 2)).dtype is default
    assert made_rows() == rows


def made_rows() -> int:
    from tscript.runtime.session.process import current

    return current().native.callables.row_count(current().eager.of("true_divide"))


def test_it_belongs_to_all_threads() -> None:
    tscript.set_default_dtype(tscript.float64)
    found = []
    thread = threading.Thread(target=lambda: found.append(tscript.ones(1).dtype))
    thread.start()
    thread.join()
    assert found == [tscript.float64]


def test_archives(tmp_path) -> None:
    """Native code of another default dtype is not used."""

    @tscript.script
    def third(n: int) -> Tensor:
        return tscript.ones(n) / 3

    tscript.set_default_dtype(tscript.float64)
    third(2)
    path = tmp_path / "third.tsa"
    tscript.save(third, path)
    loaded = tscript.load(path, trust_native=True)
    assert loaded(2).dtype is tscript.float64
    assert under(tscript.float32, lambda: loaded(2)).dtype is tscript.float32


def test_tensors_are_shown_without_it() -> None:
    @tscript.script
    def shown(x: Tensor) -> str:
        return f"{x}"

    for default in DEFAULTS:
        tscript.set_default_dtype(default)
        for dtype in (*DEFAULTS, tscript.complex64, tscript.complex128, tscript.int64, tscript.int32):
            for x in (tscript.ones(2, dtype=dtype), tscript.ones(0, dtype=dtype)):
                assert shown(x) == repr(x)
                without = (default, tscript.int64, dtypes.complex_dtype(default)) if x.numel() else (default,)
                assert ("dtype" in repr(x)) == (dtype not in without)


@pytest.mark.parametrize("value", [tscript.int64, tscript.complex64, "float32", None])
def test_refused(value: object) -> None:
    with pytest.raises(TypeError, match="only floating-point types are supported as the default type"):
        tscript.set_default_dtype(value)
    assert tscript.get_default_dtype() is tscript.float32
