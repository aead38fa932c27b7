"""What a sample of an operator is: a call with placeholders for tensors, and what NumPy gives for it.

Each family of operators has a module here with its `SAMPLES`; `tests.samples.table` collects them. The tests in
`tests/operators/test_samples.py` run each call in all ways there are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any
from zlib import crc32

import numpy as np

FLOATS = ("float32", "float64")
INTS = ("int64", "int32", "int16", "int8", "uint8")
NUMBERS = (*FLOATS, *INTS)
ALL = (*NUMBERS, "bool")
"""Tuples of dtypes that a first call is run with."""

HALVES = ("float16", "bfloat16")
WIDE = ("uint16", "uint32", "uint64")
COMPLEX = ("complex64", "complex128")

Array = np.ndarray[Any, Any]

_UNSET: Any = object()


@dataclass(frozen=True)
class Name:
    """A name of the library as an argument: ``Name("float64")`` is `tscript.float64`."""

    name: str


class T:
    """A tensor as an argument, with random elements.

    Args:
        shape: Its sizes; none for a tensor without dimensions.
        dtype: Its dtype; left out, that which the call is run with.
        low, high: Bounds of its elements: by default -3 and 3, and from 0 where the dtype has no negative numbers.
        values: Its elements, instead.
        layout: How it lies in memory: ``c`` contiguous, ``t`` as the transpose of a contiguous tensor, ``s`` as every
            other column of one, ``r`` (arrays only) with its last dimension reversed, as PyTorch has no such tensors.
    """

    def __init__(
        self,
        *shape: int,
        dtype: str | None = None,
        low: float | None = None,
        high: float | None = None,
        values: Sequence[Any] | float | None = None,
        layout: str = "c",
    ) -> None:
        assert layout in "ctsr"
        self.shape, self.dtype, self.low, self.high, self.values, self.layout = shape, dtype, low, high, values, layout

    def array(self, swept: str, seed: str) -> tuple[Array, str]:
        """Its elements, of a dtype that NumPy has, and the dtype of the tensor."""
        dtype = self.dtype or swept
        stored = "float32" if dtype == "bfloat16" else dtype
        if self.values is not None:
            whole = np.array(self.values)
            if stored.startswith("uint"):
                whole = np.abs(whole)
            made = whole.astype(stored)
            return self._laid_out(made.reshape(self.shape) if self.shape else made), dtype
        random = np.random.default_rng(crc32(f"{seed} {self.shape} {dtype}".encode()))
        low = -3.0 if self.low is None else self.low
        high = 3.0 if self.high is None else self.high
        if stored == "bool":
            return self._laid_out(random.integers(0, 2, self.shape).astype(bool)), dtype
        if np.dtype(stored).kind in "iu":
            bottom = int(np.ceil(max(low, 0) if stored.startswith("uint") and self.low is None else low))
            made = random.integers(bottom, max(int(np.ceil(high)), bottom + 1), self.shape)
        else:
            made = random.uniform(low, high, self.shape)
            if np.dtype(stored).kind == "c":
                made = made + 1j * random.uniform(low, high, self.shape)
        found = np.asarray(made).astype(stored)
        if dtype == "bfloat16":
            found = (found.view(np.uint32) & np.uint32(0xFFFF0000)).view(np.float32)
        return self._laid_out(found), dtype

    def _laid_out(self, array: Array) -> Array:
        if self.layout == "t" and array.ndim > 1:
            return np.array(array.T, order="C").T
        if self.layout == "s" and array.ndim:
            wide = np.zeros((*array.shape[:-1], 2 * array.shape[-1]), array.dtype)
            wide[..., ::2] = array
            return wide[..., ::2]
        if self.layout == "r" and array.ndim:
            return np.array(array[..., ::-1])[..., ::-1]
        return array


class Call:
    """Arguments of a call; each `T` in them, also in lists and tuples, is a tensor."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self.args, self.kwargs = args, kwargs

    def arrays(self, swept: str, seed: str) -> list[tuple[Array, str]]:
        """The tensors among the arguments, from the left."""
        return [t.array(swept, f"{seed}{i}") for i, t in enumerate(self.tensors())]

    def tensors(self) -> Iterator[T]:
        """The placeholders, from the left."""
        for value in (*self.args, *self.kwargs.values()):
            yield from _placeholders(value)

    def filled(self, tensors: Sequence[Any], name: Callable[[str], Any]) -> tuple[list[Any], dict[str, Any]]:
        """The arguments, with values in place of the placeholders, and what `name` makes of each `Name`."""
        rest = iter(tensors)
        args = [_filled(a, rest, name) for a in self.args]
        return args, {k: _filled(v, rest, name) for k, v in self.kwargs.items()}

    def text(self, first: int) -> tuple[str, ...]:
        """The source of each argument: the tensors are ``a0``, ``a1`` …, from the number `first` on."""
        numbers = iter(range(first, first + 1000))
        named = ((f"{k}=", v) for k, v in self.kwargs.items())
        return tuple(prefix + _text(v, numbers) for prefix, v in (*(("", a) for a in self.args), *named))

    def __repr__(self) -> str:
        return f"({', '.join(self.text(0))})"


@dataclass(frozen=True, init=False)
class Wrong:
    """A call that raises.

    Attributes:
        error: The class of the exception.
        message: A part of its message.
        call: The call.
        torch: Whether PyTorch raises it, too.
    """

    error: type[Exception]
    message: str
    call: Call
    torch: bool

    def __init__(self, error: type[Exception], message: str, *args: Any, torch: bool = _UNSET, **kwargs: Any) -> None:
        object.__setattr__(self, "error", error)
        object.__setattr__(self, "message", message)
        object.__setattr__(self, "call", Call(*args, **kwargs))
        object.__setattr__(self, "torch", torch is _UNSET or torch)


@dataclass(frozen=True, init=False)
class Samples:
    """The samples of one operator.

    Attributes:
        path: Its name below ``torch``: ``cumsum``, ``nn.functional.pad``; ``Tensor.foo`` for what is only a method.
        reference: The same for arrays; None if `random`, or if torch alone is compared with (`why` says why).
        calls: The first is run with each of `dtypes` (some of them, in a quick run), the others with one. None for what
            is always refused.
        dtypes: The dtypes. A quick run takes the first, and some of the others (`tests.samples.table.sampled_dtypes`).
        wrong: Calls that raise.
        random: Whether the elements are random: only dtypes and shapes are compared.
        rtol, atol: How far floats of 32 bits may be from the reference; in other dtypes by their precision.
        torch: Whether PyTorch gives the same; False for what it does not have, or does otherwise.
        scripted: Whether scripted functions may call it so.
        attribute: Whether it is an attribute of tensors, and no method.
        view: What of the results, as arrays, is compared, where parts of them are free, as the signs of eigenvectors.
        why: Why `reference` is left out, or `torch` or `scripted` is False.
    """

    path: str
    reference: Callable[..., Any] | None
    calls: tuple[Call, ...]
    dtypes: tuple[str, ...] = FLOATS
    wrong: tuple[Wrong, ...] = ()
    random: bool = False
    rtol: float = 1e-5
    atol: float = 1e-6
    torch: bool = True
    scripted: bool = True
    attribute: bool = False
    view: Callable[..., Any] | None = None
    why: str = field(default="", compare=False)

    def __init__(
        self,
        path: str,
        reference: Callable[..., Any] | None,
        *calls: Call,
        dtypes: Sequence[str] = FLOATS,
        wrong: Sequence[Wrong] = (),
        random: bool = False,
        rtol: float = 1e-5,
        atol: float = 1e-6,
        torch: bool = True,
        scripted: bool = True,
        attribute: bool = False,
        view: Callable[..., Any] | None = None,
        why: str = "",
    ) -> None:
        assert calls or wrong, path
        assert random or why or (reference is not None and torch and scripted), f"{path}: say why"
        given = locals()
        for name in ("path", "reference", "random", "rtol", "atol", "torch", "scripted", "attribute", "view", "why"):
            object.__setattr__(self, name, given[name])
        object.__setattr__(self, "calls", tuple(calls))
        object.__setattr__(self, "dtypes", tuple(dtypes))
        object.__setattr__(self, "wrong", tuple(wrong))

    def sampled(self, others: Sequence[str]) -> Iterator[tuple[Call, str]]:
        """The calls of a run, each with the dtype of its tensors.

        Args:
            others: The dtypes that the first call is run with besides the first one.
        """
        for dtype in (self.dtypes[0], *others):
            yield self.calls[0], dtype
        for call in self.calls[1:]:
            yield call, self.dtypes[0]


def _placeholders(value: Any) -> Iterator[T]:
    if isinstance(value, T):
        yield value
    elif isinstance(value, tuple | list):
        for v in value:
            yield from _placeholders(v)


def _filled(value: Any, tensors: Iterator[Any], name: Callable[[str], Any]) -> Any:
    if isinstance(value, T):
        return next(tensors)
    if isinstance(value, Name):
        return name(value.name)
    if isinstance(value, tuple | list):
        return type(value)(_filled(v, tensors, name) for v in value)
    return value


def _text(value: Any, numbers: Iterator[int]) -> str:
    if isinstance(value, T):
        return f"a{next(numbers)}"
    if isinstance(value, Name):
        return f"torch.{value.name}"
    if isinstance(value, tuple | list):
        inner = ", ".join(_text(v, numbers) for v in value)
        return f"[{inner}]" if isinstance(value, list) else f"({inner}{',' * (len(value) == 1)})"
    if isinstance(value, float) and (value != value or value in (np.inf, -np.inf)):
        return f"float('{value}')"
    return repr(value)
