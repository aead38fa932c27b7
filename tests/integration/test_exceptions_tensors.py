"""Exceptions that hold tensors: in attributes and arguments, raised, caught, returned, by Python, by compiled code and
by tasks."""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import gc
from collections.abc import Callable
from typing import Any

import pytest

import tscript
from tscript import Tensor


class Bad(Exception):
    def __init__(self, x: Tensor):
        super().__init__("bad")
        self.x = x


class Held(ValueError):
    def __init__(self, x: Tensor | None, xs: list[Tensor]):
        super().__init__(x, xs)
        self.x = x
        self.xs = xs


class Kept(LookupError):
    def __init__(self, x: Tensor, n: int):
        self.x = x
        self.n = n


class Base(ValueError):
    pass


class Derived(Base):
    def __init__(self, x: Tensor, n: int):
        super().__init__("derived", n, x)
        self.x = x


def of_a_base_without_init(x: Tensor):
    raise Derived(x, 2)


def one_argument(x: Tensor):
    raise ValueError(x)


def two_arguments(x: Tensor):
    raise ValueError(x, 3)


def none_beside(x: Tensor):
    nothing: Tensor | None = None
    raise ValueError(nothing, x)


def an_attribute(x: Tensor):
    raise Bad(x)


def attributes_of_several_types(x: Tensor):
    if x.sum() > 100:
        raise Held(None, [x, x])
    raise Held(x, [x + 1])


def arguments_by_default(x: Tensor):
    raise Kept(x, 3)


def a_shape(x: Tensor):
    raise ValueError(x.shape, x.shape[0])


def caught(x: Tensor):
    try:
        raise Bad(x)
    except Bad as e:
        e.x.add_(1)
        return e.x, str(e), repr(e)


def texts(x: Tensor):
    try:
        raise ValueError(x, 2)
    except ValueError as e:
        return str(e), repr(e), len(e.args)


def an_argument_again(x: Tensor) -> Tensor:
    try:
        one_argument(x)
    except ValueError as e:
        found = e.args[0]
        if isinstance(found, Tensor):  # type: ignore[misc]
            found.mul_(3)
            return found
    return x


def returned(x: Tensor):
    return Bad(x)


def returned_in_a_list(x: Tensor):
    return [ValueError(x), ValueError(x, "a"), ValueError((x, [x]))]


def raised_again(x: Tensor):
    try:
        an_attribute(x)
    except Bad as e:
        e.x *= 2
        raise


def with_a_cause(x: Tensor):
    try:
        an_attribute(x)
    except Bad as e:
        raise ValueError("later", e.x) from e


def a_failed_assert(x: Tensor):
    if x.sum() < 100:
        raise AssertionError(x)  # pytest changes asserts


def _task(x: Tensor) -> Tensor:
    if x.sum() < 100:
        raise Bad(x)
    return x


def of_a_task(x: Tensor) -> Tensor:
    task = tscript.fork(_task, x)
    try:
        return tscript.wait(task)
    except Bad as e:
        return e.x


def of_a_task_in_python(x: Tensor) -> Tensor:
    return tscript.wait(tscript.fork(_task, x))


@tscript.ignore
def _python(x: Tensor) -> int:
    raise Bad(x)


@tscript.ignore
def _python_argument(x: Tensor) -> int:
    raise ValueError(x)


def of_python(x: Tensor) -> Tensor:
    try:
        _python(x)
    except Bad as e:
        e.x += 1
        return e.x
    return x


def of_python_again(x: Tensor):
    try:
        _python(x)
    except Bad:
        raise


def an_argument_of_python(x: Tensor):
    try:
        _python_argument(x)
    except ValueError as e:
        found = e.args[0]
        if isinstance(found, Tensor):  # type: ignore[misc]
            found += 1
        return str(e), len(e.args)
    return "", 0


CASES: tuple[Callable[[Tensor], Any], ...] = (
    of_a_base_without_init, one_argument, two_arguments, none_beside, an_attribute, attributes_of_several_types,
    arguments_by_default, a_shape, caught, texts,
    an_argument_again, returned, returned_in_a_list, raised_again, with_a_cause, a_failed_assert, of_a_task,
    of_a_task_in_python,
    of_python, of_python_again, an_argument_of_python,
)  # fmt: skip


def described(value: Any, x: Tensor) -> object:
    """A value; of tensors also whether they are `x` itself."""
    if isinstance(value, Tensor):  # type: ignore[misc]
        return value is x, value.tolist(), value.dtype
    if isinstance(value, BaseException):
        inside = [described(v, x) for v in (*value.args, *vars(value).values())]
        return type(value), inside, str(value), described(value.__cause__, x)
    if isinstance(value, list | tuple):
        return [described(v, x) for v in value]
    return value


def outcome(function: Any, number: float) -> object:
    x = tscript.tensor([number, 2.0])
    try:
        found = function(x)
    except (ValueError, Bad, LookupError, AssertionError) as error:
        found = error
    return described(found, x), x.tolist()


@pytest.mark.parametrize("function", CASES, ids=lambda f: f.__name__)
def test_they_are_what_python_makes_of_them(function: Callable[[Tensor], Any]) -> None:
    scripted = tscript.script(function)
    for number in (1.0, 200.0) if function is attributes_of_several_types else (1.0,):
        assert outcome(scripted, number) == outcome(function, number)


def test_they_let_go_of_their_tensors() -> None:
    # What Python raised and compiled code caught is kept for a while, to be itself when it is raised again: not here.
    functions = [tscript.script(f) for f in CASES if "python" not in f.__name__ or "task" in f.__name__]

    def run() -> int:
        for function in functions:
            outcome(function, 1.0)
        gc.collect()
        return tscript.memory_stats()["live_blocks"]

    run()
    before = run()
    for _ in range(5):
        after = run()
    assert after == before


def test_an_archive_keeps_their_classes(tmp_path: Any) -> None:
    tscript.save(tscript.script(caught), tmp_path / "f.tscript")
    loaded = tscript.load(tmp_path / "f.tscript")
    tensor, *said = loaded(tscript.tensor([1.0]))
    assert tensor.tolist() == [2.0]
    assert said == ["bad", "Bad('bad')"]
