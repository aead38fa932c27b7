"""The life of a future, as plain Python over checked memory: what it begins with, and what it gives up."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.runtime.boundary.conftest import Python, str_at
from tests.runtime.boundary.pool.pool_model import NULL, Process, process, returns, zeros
from tscript.abi.kinds import TypeKind
from tscript.abi.layout import FUTURE
from tscript.abi.status import Status
from tscript.dialect import Future, Object, Ptr, TensorImpl, i64, pointer_cast
from tscript.dialect.memory_model import MemoryFault, allocate, space, to_address
from tscript.runtime.boundary.pool import futures, queue, task_errors


@pytest.fixture
def pool(python: Python) -> Process:
    return process(python)


def done(pool: Process, letters: str, *cells: int, status: int = 0) -> Any:
    """A future whose task has ended."""
    made = pool.native(returns(0), letters)
    for i, cell in enumerate(cells):
        pointer_cast(made + 1, i64)[i] = cell
    made.state, made.status = futures.DONE, status
    return made


def is_freed(p: Any) -> bool:
    freed: bool = p._region.freed
    return freed


def test_a_new_future(pool: Process) -> None:
    made = pool.native(returns(1), "if")
    assert (made.refcount, made.state, made.status, made.waited) == (1, futures.PENDING, 0, 0)
    assert made.nbytes == FUTURE.size + 16
    assert str_at(made.kinds) == "if"
    empty = ("waiters", "unit", "site", "error", "traceback", "owner")
    assert [to_address(getattr(made, name)) for name in empty] == [0] * len(empty)
    type = futures.TYPE
    assert to_address(made.typeinfo) == to_address(type)
    assert (type.kind, type.cells, str_at(type.name), type.counted) == (TypeKind.FUTURE, 1, "Future", 0)


def test_without_memory_there_is_none(pool: Process) -> None:
    pool.python.memory = 0
    out: Any = allocate(8, Ptr[Future], "out")
    status = futures.new_future(pool.context(), 1, 0, NULL, NULL, out)
    assert status == Status.RAISED


def test_the_last_reference_frees_it(pool: Process) -> None:
    made = done(pool, "i", 7)
    made.refcount = 2
    futures.release(made)
    assert not is_freed(made)
    futures.release(made)
    assert is_freed(made)
    assert pool.log == ["freed"]


def test_a_task_that_never_ran_has_no_results(pool: Process) -> None:
    made = pool.native(returns(1), "TO")  # its cells hold anything
    futures.release(made)
    assert is_freed(made)


def test_references_among_the_results_are_given_up(pool: Process) -> None:
    tensors = [zeros(TensorImpl, 64, "tensor") for _ in range(3)]
    for t in tensors:
        t.refcount = 2
    instance, o = zeros(Object, 64, "instance"), pool.python.instance()
    instance.refcount = 2
    o.refcount = 2
    a, b, c = map(to_address, tensors)
    made = done(pool, "(Ti(SFN)fbdX)O", a, 1, b, c, 2, 3, 4, to_address(instance), to_address(o))
    futures.release(made)
    assert [t.refcount for t in tensors] == [1, 1, 1]
    assert (instance.refcount, o.refcount) == (1, 1)


def test_the_code_of_a_task_is_needed_until_then(pool: Process) -> None:
    made = done(pool, "i", 1)
    made.owner, pool.owner.references = pool.owner, 2
    futures.release(made)
    assert pool.owner.references == 1


def test_what_native_code_raised_is_given_up(pool: Process) -> None:
    made = done(pool, "i", status=int(Status.RAISED))
    context = pool.context()
    pool.raises(context, made)
    task_errors.keep_record(context, made)
    assert pool.owner.references == 1
    made.waited = 1
    futures.release(made)
    assert (pool.owner.references, pool.lost) == (0, [])


def test_an_object_that_was_raised_is_given_up(pool: Process) -> None:
    made = done(pool, "i", status=int(Status.RAISED))
    error = zeros(Object, 64, "error")
    error.refcount = 2
    context = pool.context()
    context.ntrace = 1
    context.trace[0], context.args[0] = pool.site(number=-1), to_address(error)
    task_errors.keep_record(context, made)
    futures.release(made)
    assert (error.refcount, pool.owner.references) == (1, 0)
    assert len(pool.lost) == 1


def test_a_python_exception_is_given_up(pool: Process) -> None:
    alive = pool.python.alive
    made = done(pool, "i", status=int(Status.PYTHON))
    pool.fail_with("wrong")
    task_errors.keep_exception(made)
    futures.release(made)
    assert pool.python.alive == alive
    assert pool.lost == [to_address(made)]


def test_failures_that_somebody_saw_are_not_reported(pool: Process) -> None:
    made = done(pool, "i", status=int(Status.PYTHON))
    made.waited = 1
    futures.release(made)
    assert pool.lost == []


def _no_hook(pool: Process) -> None:
    futures.LOST_HOOK[0] = NULL


def _no_python(pool: Process) -> None:
    space().functions["Py_IsInitialized"] = lambda: 0


@pytest.mark.parametrize("without", [_no_hook, _no_python])
def test_nobody_is_told_without_python(pool: Process, without: Callable[[Process], None]) -> None:
    made = done(pool, "i", status=int(Status.PYTHON))
    without(pool)
    futures.release(made)
    assert pool.lost == []
    assert is_freed(made)


def test_reports_that_fail_are_unraisable(pool: Process) -> None:
    made = done(pool, "i", status=int(Status.PYTHON))
    space().functions["PyObject_CallOneArg"] = lambda hook, argument: pool.fail_with("refused")
    alive = pool.python.alive
    futures.release(made)
    assert ("unraisable", "refused") in pool.log
    assert pool.python.alive == alive
    assert pool.PyGILState_Check() == 1


def test_a_freed_future_is_never_touched(pool: Process) -> None:
    made = done(pool, "i", 1)
    futures.release(made)
    with pytest.raises(MemoryFault, match="freed"):
        futures.release(made)


def test_futures_know_the_process_they_were_made_in(pool: Process) -> None:
    queue.GENERATION[0] = 4
    assert pool.native(returns(1)).generation == 4
