"""The program of `test_wrong_calls`: makes a slice of the calls, and prints those that did not end in order."""

from __future__ import annotations

import faulthandler
import random
import resource
import signal
import sys
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np

import tscript
from tests.operators.test_samples import found_in, to_tensor
from tests.samples.base import Call, Name, Samples, T
from tests.samples.table import SAMPLES
from tscript.diagnostics import CompileError, InternalError

HUGE = (1 << 31, 1 << 62, -(1 << 62), (1 << 63) - 1, -(1 << 63), 1 << 64)

DTYPES = ("int64", "bool", "float32", "float64", "float16", "complex64", "uint16", "int32")

OUT_OF_ORDER = (InternalError, CompileError, AssertionError, SystemError, RecursionError, UnboundLocalError)
"""What no operator raises, whatever it is given, but for `EXPECTED`."""

EXPECTED = {"nn.functional.embedding": AssertionError, "_assert": AssertionError}
"""Operators that raise such an error, as PyTorch's do."""

SECONDS = 60
"""Of the processor, for one call, what it compiles included."""

MEMORY = 16 << 30


class Hang(Exception):
    """A call takes longer than any should."""


def other_tensors(t: T) -> Iterator[Any]:
    """Tensors of other shapes and dtypes, indices out of range, and what is no tensor."""
    shape = tuple(t.shape)
    shapes: list[tuple[int, ...]] = [(), (2, *shape), (0, *shape[1:]), (0,), (1, 2, 1, 2, 1, 2)]
    if shape:
        shapes += [shape[1:], (*shape[:-1], 0), (shape[0] + 1, *shape[1:]), (*shape[:-1], shape[-1] + 1)]
    for other in shapes:
        yield T(*other, dtype=t.dtype, low=t.low, high=t.high)
    for dtype in DTYPES:
        if dtype != t.dtype:
            yield T(*shape, dtype=dtype, low=t.low, high=t.high)
    if t.dtype in ("int64", "int32"):
        for index in (1 << 30, -(1 << 30)):
            yield T(*shape, dtype=t.dtype, values=[index] * int(np.prod(shape)) if shape else index)
    yield from (None, 2, "abc", [1, 2])


def other_values(value: Any) -> Iterator[Any]:
    """Values of other types, out of range, of other lengths."""
    if isinstance(value, T):
        yield from other_tensors(value)
    elif isinstance(value, bool):
        yield from (None, 3, "x")
    elif isinstance(value, int):
        yield from (-1, 0, 1, -7, 100, *HUGE, None, 1.5, "x", (1, 2), (), float("nan"), True)
    elif isinstance(value, float):
        yield from (-1.0, 0.0, float("nan"), float("inf"), 1e308, None, "x", 1j)
    elif isinstance(value, str):
        yield from ("nosuch", "", 3, None)
    elif value is None:
        yield from (3, "x", (1, 2))
    elif isinstance(value, Name):
        yield from (None, "x", 3, Name("complex64"), Name("float16"), Name("uint16"), Name("bool"))
    elif isinstance(value, tuple | list):
        kind = type(value)
        yield from (kind(), None, 2, "x")
        if value:
            *front, last = value
            for ending in ((), (last, last), (last, *value), (None,), ("x",), (0.5,)):
                yield kind((*front, *ending))
        for i, element in enumerate(value):
            for other in other_values(element):
                yield kind((*value[:i], other, *value[i + 1 :]))


def changed(call: Call) -> Iterator[Call]:
    """The call with one argument changed, left out, or with one more."""
    for i, argument in enumerate(call.args):
        for other in other_values(argument):
            yield Call(*call.args[:i], other, *call.args[i + 1 :], **call.kwargs)
    for name, argument in call.kwargs.items():
        for other in other_values(argument):
            yield Call(*call.args, **{**call.kwargs, name: other})
    if call.args:
        yield Call(*call.args[:-1], **call.kwargs)
    yield Call(*call.args, 3, **call.kwargs)
    yield Call(*call.args, **call.kwargs, nosuch=3)


def made(samples: Samples, call: Call) -> None:
    """Make a call."""
    tensors = [to_tensor(*a) for a in call.arrays(samples.dtypes[0], samples.path)]
    args, kwargs = call.filled(tensors, lambda name: getattr(tscript, name))
    if samples.path.startswith("Tensor."):
        found = getattr(args[0], samples.path.removeprefix("Tensor."))
        if not samples.attribute:
            found(*args[1:], **kwargs)
        return
    found_in(tscript, samples.path)(*args, **kwargs)


def stopped(*_: object) -> None:
    raise Hang


def main(number: int, slices: int, limit: int) -> None:
    warnings.simplefilter("ignore")
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    signal.signal(signal.SIGPROF, stopped)
    faulthandler.enable()
    calls = [(s, call) for s in SAMPLES.values() for own in s.calls for call in changed(own)]
    random.Random(5).shuffle(calls)
    chosen = calls[number::slices][:limit]
    for samples, call in chosen:
        faulthandler.dump_traceback_later(4 * SECONDS, exit=True)
        signal.setitimer(signal.ITIMER_PROF, SECONDS)
        try:
            made(samples, call)
        except (*OUT_OF_ORDER, Hang) as error:
            if not isinstance(error, EXPECTED.get(samples.path, ())):
                print(f"{samples.path}{call!r}: {type(error).__name__}: {str(error)[:300]}")
        except Exception:  # noqa: BLE001 - refused in order
            pass
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
            faulthandler.cancel_dump_traceback_later()
    print(len(chosen), "calls of", len(calls))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
