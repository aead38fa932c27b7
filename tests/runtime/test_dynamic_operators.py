"""Operators on tensors of unknown dtype: compiled code calls what eager code calls, and gives the same."""

from __future__ import annotations

import threading
from typing import Any

import pytest

import tscript
from tscript import Tensor
from tscript.runtime.session.dispatch import DynamicOperators


@tscript.script
def numbers(xs: list[Tensor], n: int, f: float) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    return xs[0] * xs[1] + n, xs[0] - f, (xs[0] > n) & True, n - xs[0]


@tscript.script
def sizes(xs: list[Tensor], n: int) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    return xs[0].reshape(n, -1), xs[0].sum(0, keepdim=True), xs[0].permute(1, 0) + 1, xs[0].new_zeros(xs[1].shape)


@tscript.script
def several(xs: list[Tensor]) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    values, indices = xs[0].max(1)
    ordered, places = xs[1].sort(dim=0, descending=True)
    return values, indices, ordered, places


@tscript.script
def dtypes(xs: list[Tensor]) -> tuple[Tensor, Tensor, Tensor]:
    return xs[0].to(tscript.float64), tscript.zeros_like(xs[0], dtype=tscript.int32), xs[0].sum(dtype=tscript.float64)


@tscript.script
def words(xs: list[Tensor]) -> tuple[Tensor, Tensor]:
    return tscript.div(xs[0], 2, rounding_mode="floor"), tscript.nn.functional.mse_loss(
        xs[0].float(), xs[1].float(), reduction="sum"
    )


@tscript.script
def in_place(xs: list[Tensor]) -> int:
    xs[0].add_(1)
    xs[0][0] *= 2
    return xs[0].numel()


@tscript.script
def equations(xs: list[Tensor]) -> tuple[Tensor, Tensor, Tensor]:
    a = xs[0] @ xs[0].mT + tscript.eye(2, dtype=xs[0].dtype)
    b = tscript.linalg.cholesky(a)
    return b, tscript.linalg.solve(a, xs[0]), tscript.linalg.solve_triangular(b, xs[1], upper=False)


DTYPES = (tscript.float32, tscript.float64, tscript.int64, tscript.int16, tscript.float16, tscript.bfloat16)
CALLS: tuple[tuple[Any, tuple[Any, ...]], ...] = (
    (numbers, (2, 0.5)), (sizes, (3,)), (several, ()), (dtypes, ()), (words, ()),
)  # fmt: skip


def tensors(dtype: Any) -> list[Tensor]:
    return [tscript.arange(6).reshape(2, 3).to(dtype), (tscript.arange(6).reshape(2, 3).flip(1) - 2).to(dtype)]


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize(("function", "more"), CALLS, ids=[function.__name__ for function, _ in CALLS])
def test_results_are_those_of_python(function: Any, more: tuple[Any, ...], dtype: Any) -> None:
    expected = function.__wrapped__(tensors(dtype), *more)
    for _ in range(3):  # the first call goes another way than the next ones
        found = function(tensors(dtype), *more)
        assert [t.dtype for t in found] == [t.dtype for t in expected]
        assert [t.tolist() for t in found] == [t.tolist() for t in expected]


def test_changes_are_seen() -> None:
    eager: Any = getattr(in_place, "__wrapped__")
    for dtype in DTYPES:
        (xs, ys) = ([tscript.ones(3, dtype=dtype)] for _ in range(2))
        for _ in range(3):
            assert in_place(xs) == eager(ys) == 3
            assert xs[0].tolist() == ys[0].tolist()


def test_native_code_calls_them_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    for function, more in CALLS:
        function(tensors(tscript.float32), *more)

    def refused(self: Any, name: str, args: Any) -> object:
        raise AssertionError(f"{name} was run by Python")

    equations(tensors(tscript.float32))
    monkeypatch.setattr(DynamicOperators, "run", refused)
    equations(tensors(tscript.float64))
    for function, more in CALLS:
        function(tensors(tscript.float32), *more)
        function(tensors(tscript.int64), *more)


@tscript.script
def wrong(xs: list[Tensor]) -> Tensor:
    return xs[0] @ xs[1]


def test_errors_are_those_of_the_operator() -> None:
    assert wrong([tscript.ones(2, 3), tscript.ones(3, 2)]).tolist() == [[3, 3], [3, 3]]
    for _ in range(2):
        with pytest.raises(RuntimeError) as found:
            wrong([tscript.ones(2, 3), tscript.ones(2, 2)])
        with pytest.raises(RuntimeError) as expected:
            tscript.ones(2, 3) @ tscript.ones(2, 2)
        assert str(expected.value).partition("\n")[0] in str(found.value)
    assert wrong([tscript.ones(2, 3), tscript.ones(3, 1)]).tolist() == [[3], [3]]


def test_callbacks_see_them() -> None:
    numbers(tensors(tscript.float32), 2, 0.5)
    seen: list[str] = []
    handle = tscript.add_global_callback(lambda record: seen.append(record.name), scopes=["OPERATOR"])
    try:
        numbers(tensors(tscript.float32), 2, 0.5)
    finally:
        handle.remove()
    assert seen.count("mul") == 1 and "gt" in seen


def test_threads_run_them_at_the_same_time() -> None:
    expected = [t.tolist() for t in numbers(tensors(tscript.float64), 2, 0.5)]
    wrong: list[object] = []

    def work() -> None:
        for _ in range(200):
            found = [t.tolist() for t in numbers(tensors(tscript.float64), 2, 0.5)]
            if found != expected:
                wrong.append(found)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_no_tensor_is_left() -> None:
    for function, more in CALLS:
        function(tensors(tscript.float32), *more)
    before = tscript.memory_stats()
    for _ in range(50):
        for function, more in CALLS:
            function(tensors(tscript.float32), *more)
    assert tscript.memory_stats()["live_blocks"] <= before["live_blocks"]
