"""Random calls of eager operators, whose code is one for tensors of all ranks: against the interpreter, which knows the
ranks of a call. Tensors have ranks from 0 to 5, dtypes that are mixed, and memory that is strided, shared or expanded.
Half of the calls are samples of operators (`tests/samples/`) with other tensors and numbers in them.
"""

from __future__ import annotations

import random
import re
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import tscript
from tests.fuzz.execute import Failure, last_lines
from tests.fuzz.memory import array_of, tensor_of
from tests.samples.base import Name, Samples, T
from tests.samples.table import SAMPLES
from tscript.definitions.absent import MISSING
from tscript.definitions.opdef import OperatorTypeError, natural
from tscript.definitions.values import cast, is_bfloat16, numpy_dtype, widen
from tscript.diagnostics import CompileError, InternalError
from tscript.ir.interpreter import interpret
from tscript.operators.table import TABLE
from tscript.runtime.session.eager import operator_program
from tscript.runtime.session.eager_forms import Form, forms, operator_names
from tscript.runtime.session.process import current
from tscript.runtime.values.arguments import describe
from tscript.types import BOOL, DTYPE, FLOAT, INT, NONE, TensorType, TupleType, Type, dtypes

RANDOM = (
    "rand", "dropout", "alpha_dropout", "feature_", "bernoulli", "multinomial", "normal", "log_normal", "poisson",
    "cauchy", "svd_lowrank", "pca_lowrank", "svd", "linalg_svd", "linalg_cholesky_ex",
    "train_dropout",
    "geometric", "empty", "new_empty", "exponential", "uniform", "rrelu",
)  # fmt: skip
"""Beginnings of the names of operators whose results nobody knows, or whose signs are free."""

OTHERS = (
    "storage_offset", "as_strided", "tensor_of_", "index_read", "index_write", "index_fill_parts", "scatter_write"
)  # fmt: skip
"""The same of those that the interpreter takes for others: its tensors are arrays, or arguments belong together."""

UNFILLED = re.compile(r"(?<![\w\]])\?")
"""A place of a message that nothing was put into; behind a type it is a part of a schema."""

SIZES = (1, 2, 3, 5, 7)
INEXACT = {
    "float16": 2e-2, "bfloat16": 2e-2, "float32": 2e-5, "float64": 1e-11, "complex64": 2e-5, "complex128": 1e-11,
}  # fmt: skip
"""How far results may be from each other: the interpreter's functions are NumPy's."""


@dataclass(frozen=True, slots=True)
class EagerCall:
    """A call.

    Attributes:
        name: Plain operator name.
        args, kwargs: The arguments, with arrays in place of tensors.
    """

    name: str
    args: tuple[Any, ...]
    kwargs: dict[str, Any]

    def __str__(self) -> str:
        shown = [_shown(a) for a in self.args] + [f"{k}={_shown(v)}" for k, v in self.kwargs.items()]
        return f"{self.name}({', '.join(shown)})"


def _shown(value: Any) -> str:
    if isinstance(value, tuple):
        return f"({', '.join(map(_shown, value))})"
    if not isinstance(value, np.ndarray):
        return repr(value)
    memory = " of a view" if value.base is not None else ""
    return f"<{value.dtype} {value.shape} strides {value.strides}{memory} {value.tolist()}>"


class EagerCalls:
    """Draws calls.

    Args:
        choices: The source of randomness.
    """

    def __init__(self, choices: random.Random) -> None:
        self.choices = choices
        self._shape: tuple[int, ...] = ()
        self._is_special = True
        self._arrays: list[np.ndarray[Any, Any]] = []

    def call(self) -> EagerCall:
        """A call; many are refused."""
        if self.choices.random() < 0.5:
            return self._sample()
        form = self._form()
        rank = self.choices.randint(0, 5)
        sizes = (*SIZES, 0) if self.choices.random() < 0.15 else SIZES[: self.choices.randint(1, 5)]
        self._shape = tuple(self.choices.choice(sizes) for _ in range(rank))
        self._arrays = []
        # infinities as ints are the processor's where the interpreter runs
        self._is_special = not any(a.type == DTYPE for a in form.arguments) and form.name not in ("to", "type_as")
        values = [a.constant if a.constant is not MISSING else self._value(a.type) for a in form.arguments]
        split = len(values) - len(form.names)
        return EagerCall(form.name, tuple(values[:split]), dict(zip(form.names, values[split:], strict=True)))

    def _sample(self) -> EagerCall:
        """A sample with other memory, dtypes, sizes or numbers in it."""
        pick = self.choices
        name, samples = pick.choice(_SAMPLED)
        call = pick.choice(samples.calls)
        self._arrays = []
        dtype = pick.choice(samples.dtypes) if pick.random() < 0.8 else pick.choice(_ALL_DTYPES).name
        bold = pick.random() < 0.5
        args = tuple(self._changed(a, dtype, bold) for a in call.args)
        return EagerCall(name, args, {k: self._changed(v, dtype, bold) for k, v in call.kwargs.items()})

    def _changed(self, value: Any, dtype: str, bold: bool) -> Any:
        """An argument of a sample, or another one in its place, more often in a `bold` call."""
        pick = self.choices
        odd = bold and pick.random() < 0.25
        if isinstance(value, T):
            return self._filled(value, dtype, odd)
        if isinstance(value, Name):
            return getattr(tscript, value.name)
        if isinstance(value, tuple | list):
            items = [self._changed(v, dtype, bold) for v in value]
            if odd:
                items = pick.choice((items[1:], [*items, *items[:1]], items[::-1]))
            return tuple(items)
        if odd and isinstance(value, int):
            return not value if isinstance(value, bool) else pick.choice((0, 1, -1, 2, value + 1, value - 1, 9))
        if odd and isinstance(value, float):
            return pick.choice((0.0, -1.0, 0.5, 2.0, float("nan"), float("inf"), -value))
        return value

    def _filled(self, place: T, dtype: str, odd: bool) -> np.ndarray[Any, Any]:
        pick = self.choices
        if odd:
            shape = place.shape
            changed = (shape[1:], (1, *shape), (0, *shape[1:]), (*shape[:-1], 1), shape[::-1], (), (*shape, 2))
            if pick.random() < 0.5:
                place = T(*pick.choice(changed), dtype=place.dtype, low=place.low, high=place.high)
            else:
                place = T(*shape, dtype=pick.choice(_ALL_DTYPES).name, low=place.low, high=place.high)
        array, wanted = place.array(dtype, str(pick.random()))
        known = dtypes.BY_NAME[wanted]
        if array.dtype != numpy_dtype(known):
            with np.errstate(all="ignore"):
                array = cast(array, known)
        found = self._laid_out(array)
        self._arrays.append(found)
        return found

    def _laid_out(self, array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        """The same elements, in memory of another form."""
        pick = self.choices
        if not array.ndim or not array.size or pick.random() < 0.5:
            return array
        match pick.randint(0, 3):
            case 0:
                return np.flip(np.flip(array).copy())
            case 1:
                order = pick.sample(range(array.ndim), array.ndim)
                return array.transpose(order).copy().transpose(np.argsort(order))
            case 2:
                wide = np.zeros((*array.shape[:-1], 2 * array.shape[-1]), array.dtype)
                wide[..., ::2] = array
                return wide[..., ::2]
        whole = np.zeros(array.size + 3, array.dtype)
        whole[2:-1] = array.ravel()
        return whole[2:-1].reshape(array.shape)

    def _form(self) -> Form:
        while True:
            name = self.choices.choice(_NAMES)
            found = _FORMS.get(name)
            if found is None:
                found = _FORMS[name] = forms(name)
            if found:
                return self.choices.choice(found)

    def _value(self, type: Type) -> Any:
        pick = self.choices
        if isinstance(type, TensorType):
            dtype = type.dtype
            if pick.random() < 0.2:
                dtype = pick.choice(_ALL_DTYPES)
            assert dtype is not None
            return self._tensor(numpy_dtype(dtype), type.rank)
        if isinstance(type, TupleType):
            return tuple(self._value(t) for t in type.elements)
        if type == INT:
            return pick.choice((0, 1, -1, 1, 2, -2, 3, 0))
        if type == FLOAT:
            return pick.choice((0.5, 1.0, -2.0, 0.0, 2.5, 1e-3))
        if type == BOOL:
            return pick.random() < 0.5
        return None if type == NONE else "none"

    def _tensor(self, dtype: np.dtype[Any], rank: int | None) -> np.ndarray[Any, Any]:
        """A new array of any memory, or another view of one that is there."""
        pick = self.choices
        same = [a for a in self._arrays if a.dtype == dtype and (rank is None or a.ndim == rank)]
        if same and pick.random() < 0.15:
            found = pick.choice(same)
            return found if pick.random() < 0.5 else found[..., ::-1] if found.ndim else found
        shape = () if rank == 0 else self._another_shape()
        count = int(np.prod(shape, dtype=int))
        numbers = [pick.choice((0, 1, -1, 2, 3, -3, 1.5, 0.25, -2.5, 7)) for _ in range(min(64, 2 * count + 1))]
        if dtype.kind == "f" and self._is_special and pick.random() < 0.1:
            numbers[0] = pick.choice((float("nan"), float("inf"), -0.0))
        with np.errstate(all="ignore"):
            known = dtypes.bfloat16 if dtype.names else dtypes.BY_NAME[dtype.name]
            made = np.resize(cast(np.array(numbers, np.float64), known), (2 * count + 8,))
        found = made[:count].reshape(shape)
        if shape and pick.random() < 0.5:
            order = pick.sample(range(len(shape)), len(shape))
            turned = made[:count].reshape([shape[d] for d in order])
            found = turned.transpose(np.argsort(order))
            if pick.random() < 0.4:
                found = found[tuple(slice(None, None, -1) if pick.random() < 0.3 else slice(None) for _ in shape)]
            elif pick.random() < 0.4 and count:
                step = np.resize(made, (*shape[:-1], 2 * shape[-1]))
                found = step[..., ::2]
            elif pick.random() < 0.3:
                found = np.broadcast_to(found[..., :1], shape)
        self._arrays.append(found)
        return found

    def _another_shape(self) -> tuple[int, ...]:
        pick = self.choices
        shape = self._shape
        if self._arrays and pick.random() < 0.4:
            shape = tuple(n if pick.random() < 0.7 else 1 for n in shape)[pick.randint(0, len(shape)) :]
        if pick.random() < 0.05:
            shape = (*shape, pick.choice(SIZES))
        return shape[-5:]


def _sampled() -> list[tuple[str, Samples]]:
    """Samples, with the plain names of their operators."""
    names = {path: op.schema.name for op in TABLE.operators for path in op.names.paths}
    found = [(names.get(p if p.startswith("Tensor.") else f"torch.{p}", ""), s) for p, s in SAMPLES.items()]
    return [(n, s) for n, s in found if n in _NAMES and s.calls and not s.random]


_ALL_DTYPES = tuple(dtypes.BY_NAME[n] for n in sorted(dtypes.BY_NAME) if n == dtypes.BY_NAME[n].name)
_NAMES = [n for n in operator_names() if not n.startswith((*RANDOM, *OTHERS))]
_FORMS: dict[str, list[Form]] = {}
_SAMPLED = _sampled()


def fresh(value: Any, known: dict[int, tuple[Any, Any]]) -> Any:
    """A copy of an argument, with memory of the same form; what shares memory does so in copies."""
    if isinstance(value, tuple):
        return tuple(fresh(v, known) for v in value)
    if not isinstance(value, np.ndarray):
        return value
    base = value
    while isinstance(base.base, np.ndarray):
        base = base.base
    if id(base) not in known:
        known[id(base)] = base, base.copy()
    copy = known[id(base)][1]
    if not value.size:
        return np.zeros(value.shape, value.dtype)
    offset = value.__array_interface__["data"][0] - base.__array_interface__["data"][0]
    return np.ndarray(value.shape, value.dtype, copy, offset, value.strides)


def tensors(value: Any, kept: Callable[[], bool] = lambda: False) -> Any:
    """Tensors in place of arrays but those that are kept; a 0-d array would be a number."""
    if isinstance(value, tuple):
        return tuple(tensors(v, kept) for v in value)
    if not isinstance(value, np.ndarray):
        return value
    made = tensor_of(value)
    return value if value.ndim and not is_bfloat16(value) and kept() else made


def plain(value: Any) -> Any:
    """Arrays in place of tensors, tuples in place of lists."""
    if isinstance(value, tuple | list):
        return tuple(map(plain, value))
    return array_of(value) if isinstance(value, tscript.Tensor) else value


class EagerExecutor:
    """Runs calls."""

    def __init__(self) -> None:
        self.raised = 0
        self.ran = 0

    def check(self, call: EagerCall) -> list[Failure]:
        """What goes wrong with a call."""
        runtime = current()
        known: dict[int, tuple[Any, Any]] = {}
        args, kwargs = fresh(call.args, known), {k: fresh(v, known) for k, v in call.kwargs.items()}
        memory = [copy for _, copy in known.values()]
        other: dict[int, tuple[Any, Any]] = {}
        args2, kwargs2 = fresh(call.args, other), {k: fresh(v, other) for k, v in call.kwargs.items()}
        memory2 = [copy for _, copy in other.values()]
        try:
            pick = random.Random(str(call))
            share = pick.choice((0.0, 0.5, 1.0))
            given = tensors((args2, tuple(kwargs2.values())), lambda: pick.random() < share)
        except TypeError:  # memory that no tensor has: NumPy's strides of 0 and below
            return []
        try:
            wanted = self._interpreted(call.name, args, kwargs)
        except InternalError as error:
            return [Failure("internal", f"interpreter {call.name}", f"{call}\n{last_lines(error)}")]
        try:
            found: Any = plain(runtime.eager.of(call.name)(*given[0], **dict(zip(kwargs2, given[1], strict=True))))
        except (InternalError, CompileError) as error:
            return [Failure("internal", call.name, f"{call}\n{last_lines(error)}")]
        except Exception as error:  # noqa: BLE001 - whatever it raises
            found = error
        self.ran += 1
        if isinstance(wanted, NotImplementedError):
            return []
        if isinstance(wanted, Exception) or isinstance(found, Exception):
            self.raised += 1
            sizes = isinstance(wanted, ValueError) and "negative dimensions" in str(wanted)  # NumPy's error
            if (kind_of(wanted) != kind_of(found) and not sizes) or UNFILLED.search(str(found)):
                return [Failure("exception", call.name, f"{call}\ninterpreter: {wanted!r}\neager: {found!r}")]
            return []
        # what is given as int is computed as float32, whatever it is written to
        loosest = INEXACT["float32"] if "out" in call.kwargs else 0.0
        differs = difference(wanted, found, loosest)
        if differs:
            return [Failure(differs, call.name, f"{call}\ninterpreter: {_shown(wanted)}\neager: {_shown(found)}")]
        for one, two in zip(memory, memory2, strict=True):
            if difference(one, two, loosest):
                return [Failure("memory", call.name, f"{call}\ninterpreter: {_shown(one)}\neager: {_shown(two)}")]
        return []

    def _interpreted(self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        values = [*args, *kwargs.values()]
        compiler = current().compiler
        try:
            described = [describe(tensors(v), tscript.Tensor, static_bool=True) for v in values]
            program, _ = operator_program(TABLE, name, described, tuple(kwargs))
            compiler.specialise(program, [p.type for p in program.entry.params], {})
            dynamic = [v for v, d in zip(values, described, strict=True) if d.constant is MISSING]
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                return interpret(program, tuple(dynamic), bodies=compiler.bodies.lower_body, step_limit=300_000)
        except InternalError:
            raise
        except Exception as error:  # noqa: BLE001 - what the call raises
            return error


def kind_of(result: Any) -> str:
    """The class of an exception as users see it."""
    if not isinstance(result, Exception):
        return "a result"
    return type(natural(result) if isinstance(result, OperatorTypeError) else result).__name__


def difference(wanted: Any, found: Any, loosest: float = 0.0) -> str:
    """In what two results differ; empty when they do not.

    Args:
        wanted, found: The results.
        loosest: How far floats may be from each other anyway.
    """
    if isinstance(wanted, tuple | list) or isinstance(found, tuple):
        if not (isinstance(wanted, tuple | list) and isinstance(found, tuple) and len(wanted) == len(found)):
            return "form"
        return next(filter(None, map(difference, wanted, found)), "")
    if not isinstance(wanted, np.ndarray) or not isinstance(found, np.ndarray):
        is_nan = wanted != wanted and found != found
        return "" if is_nan or (type(wanted) is type(found) and wanted == found) else "number"
    if wanted.dtype != found.dtype:
        return "dtype"
    if wanted.shape != found.shape:
        return "shape"
    bound = max(INEXACT.get("bfloat16" if is_bfloat16(wanted) else wanted.dtype.name, 0.0), loosest)
    wanted, found = widen(wanted), widen(found)
    with np.errstate(all="ignore"):
        near = np.allclose(wanted, found, rtol=bound, atol=bound, equal_nan=True) if bound else (wanted == found).all()
    return "" if near else "values"


def eager_call(seed: int) -> EagerCall:
    """The call of a seed."""
    return EagerCalls(random.Random(seed)).call()


__all__ = ["EagerCall", "EagerCalls", "EagerExecutor", "difference", "eager_call"]
