"""Every operator on its samples: as a function, as a method, in place, with ``out=``, scripted and in the interpreter,
against NumPy, and against PyTorch where that is installed."""

from __future__ import annotations

import linecache
import re
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any
from zlib import crc32

import numpy as np
import pytest

import tscript
from tests.samples.base import Array, Call, Samples
from tests.samples.table import FAMILIES, SAMPLED, SAMPLES
from tscript.definitions.names import Out
from tscript.definitions.opdef import Pointwise
from tscript.ir.interpreter import interpret
from tscript.operators.table import TABLE
from tscript.pipeline.bodies import Bodies
from tscript.runtime.session.scripted import scripted_of

BODIES = Bodies(TABLE).lower_body

EPSILON = {"float16": 1e-3, "bfloat16": 8e-3, "float64": 1e-12, "complex128": 1e-12}
"""How far elements may be from those of the reference, where the dtype has another precision than float32."""

every_operator = pytest.mark.parametrize("samples", [s for s in SAMPLES.values() if s.calls], ids=lambda s: s.path)


def some_operators(remainder: int) -> pytest.MarkDecorator:
    """Every operator; in a quick run every other one: half of them are scripted with known dtypes, half without."""
    parameters = [
        pytest.param(s, id=s.path, marks=[pytest.mark.slow] * (crc32(s.path.encode()) % 2 != remainder))
        for s in SAMPLES.values()
        if s.calls
    ]
    return pytest.mark.parametrize("samples", parameters)


def found_in(space: Any, path: str) -> Any:
    """What a dotted path means below a module."""
    for name in path.split("."):
        space = getattr(space, name)
    return space


def function_of(samples: Samples) -> Callable[..., Any]:
    """The operator as a function; a method takes its tensor first."""
    if samples.path.startswith("Tensor."):
        name = samples.path.removeprefix("Tensor.")
        if samples.attribute:
            return lambda x: getattr(x, name)
        return lambda x, *args, **kwargs: getattr(x, name)(*args, **kwargs)
    found: Callable[..., Any] = found_in(tscript, samples.path)
    return found


def to_tensor(array: Array, dtype: str) -> Any:
    """A tensor of the elements of an array, laid out as they are."""
    tensor = tscript.from_numpy(Copy.of(array))
    return tensor if str(tensor.dtype) == f"tscript.{dtype}" else tensor.to(getattr(tscript, dtype))


class Copy:
    """A copy of an array with the strides of the array."""

    @staticmethod
    def of(array: Array) -> Array:
        base = array if array.base is None else array.base
        if not isinstance(base, np.ndarray) or base is array:
            return np.array(array)
        own = base.copy(order="K")
        offset = array.__array_interface__["data"][0] - base.__array_interface__["data"][0]
        return np.ndarray(array.shape, array.dtype, own, offset, array.strides)


def leaves(value: Any) -> Iterator[Any]:
    """Tensors and numbers in tuples and lists."""
    if isinstance(value, tuple | list):
        for v in value:
            yield from leaves(v)
    else:
        yield value


def elements(value: Any) -> Array:
    """The elements of a tensor as NumPy has them; those of bfloat16 as float32."""
    if isinstance(value, tscript.Tensor):
        if str(value.dtype) == "tscript.bfloat16":
            value = value.float()
        return np.asarray(value.numpy())
    return np.asarray(value)


def compare(expected: Any, found: Any, samples: Samples, dtype: str) -> None:
    """What the reference gives, and what we give, are the same."""
    wanted, got = [*leaves(expected)], [*leaves(found)]
    assert len(wanted) == len(got), f"{len(got)} results, not {len(wanted)}"
    if samples.view is not None:
        for want, value in zip(wanted, got, strict=True):
            assert np.asarray(want).dtype == elements(value).dtype
            assert np.shape(want) == elements(value).shape
        wanted, got = viewed(samples, wanted), viewed(samples, got)
    for want, value in zip(wanted, got, strict=True):
        want, have = np.asarray(want), elements(value)
        assert have.shape == want.shape
        if samples.random:
            continue
        assert (have.dtype.kind in "biu") == (want.dtype.kind in "biu"), f"{have.dtype}, not {want.dtype}"
        if have.dtype.kind in "biuOU":
            np.testing.assert_array_equal(have, want)
            continue
        made = str(value.dtype).removeprefix("tscript.") if isinstance(value, tscript.Tensor) else dtype
        rtol = max(EPSILON.get(name, samples.rtol) for name in (dtype, made))
        np.testing.assert_allclose(have, want, rtol=rtol, atol=rtol * samples.atol / samples.rtol)


def viewed(samples: Samples, results: Sequence[Any]) -> list[Any]:
    """What of the results is compared."""
    assert samples.view is not None
    return [*leaves(samples.view(*map(elements, results)))]


def quiet(call: Callable[[], Any]) -> Any:
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        return call()


def numpy_name(name: str) -> Any:
    return getattr(np, "float32" if name == "float" else name, name)


def run(samples: Samples, function: Callable[..., Any], call: Call, dtype: str) -> Any:
    """What a function gives for a call, eagerly."""
    tensors = [to_tensor(*a) for a in call.arrays(dtype, samples.path)]
    args, kwargs = call.filled(tensors, lambda name: getattr(tscript, name))
    return function(*args, **kwargs)


def reference(samples: Samples, call: Call, dtype: str) -> Any:
    """What the reference gives for it; that of narrow floats is computed with more bits."""
    arrays = [a.astype(np.float32) if d == "float16" else a for a, d in call.arrays(dtype, samples.path)]
    args, kwargs = call.filled([Copy.of(a) for a in arrays], numpy_name)
    assert samples.reference is not None
    return quiet(lambda: samples.reference(*args, **kwargs))  # type: ignore[misc]


def check_eager(samples: Samples, *, every: bool) -> None:
    for call, dtype in samples.sampled(samples.dtypes[1:] if every else SAMPLED[samples.path]):
        try:
            found = run(samples, function_of(samples), call, dtype)
            if samples.reference is not None:
                compare(reference(samples, call, dtype), found, samples, dtype)
        except Exception as error:
            error.add_note(f"the call is {samples.path}{call!r} of {dtype}")
            raise


def test_every_operator_has_samples() -> None:
    missing = [
        op.name
        for op in TABLE.operators
        if not isinstance(op.implementation, Pointwise)  # `tests/integration/test_operators.py` has theirs
        and any(path.startswith(("torch.", "Tensor.")) for path in op.names.paths)
        and not any(path.removeprefix("torch.") in SAMPLES for path in op.names.paths)
        and not op.name.endswith(".inplace")  # `tests/operators/test_activations_inplace.py` has theirs
        and not (op.effects.writes and any(_plain(path) in SAMPLES for path in op.names.paths))
    ]
    assert not missing, f"write samples, in tests/samples, for {', '.join(missing)}"


def test_every_dtype_of_a_family_is_sampled() -> None:
    for family in FAMILIES:
        calls = [s for s in family.SAMPLES if s.calls]
        wanted = {dtype for s in calls for dtype in s.dtypes}
        assert wanted == {dtype for s in calls for dtype in (s.dtypes[0], *SAMPLED[s.path])}


def _plain(path: str) -> str:
    """The function that is meant by an operator in place."""
    return path.partition(".")[2].removesuffix("_")


@every_operator
def test_eager(samples: Samples) -> None:
    check_eager(samples, every=False)


@pytest.mark.slow
@every_operator
def test_eager_with_every_dtype(samples: Samples) -> None:
    check_eager(samples, every=True)


@some_operators(0)
def test_other_forms(samples: Samples) -> None:
    """The method, the in-place method, and ``out=``, which may be an argument."""
    call, dtype = samples.calls[0], samples.dtypes[0]
    name = samples.path.rpartition(".")[2]
    function = function_of(samples)
    found = run(samples, function, call, dtype)
    first_is_tensor = bool(call.args) and next(call.tensors(), None) is call.args[0]
    if first_is_tensor and not samples.attribute and f"Tensor.{name}" in _paths(samples):
        same(found, run(samples, lambda x, *a, **k: getattr(x, name)(*a, **k), call, dtype), samples)
    if samples.path.startswith(("Tensor.", "nn.", "masked.")) or samples.random:
        return
    in_place = f"{name}_"
    tensor = isinstance(found, tscript.Tensor)
    whole = tensor and first_is_tensor and tuple(found.shape) == call.args[0].array(dtype, "")[0].shape
    if whole and in_place in TABLE.methods and str(found.dtype) == f"tscript.{dtype}":
        kept: list[Any] = []

        def stored(x: Any, *args: Any, **kwargs: Any) -> Any:
            kept.append(x)
            return getattr(x, in_place)(*args, **kwargs)

        same(found, run(samples, stored, call, dtype), samples)
        same(found, kept[0], samples)
    if tensor and _has_out(samples):
        out = tscript.empty(found.shape, dtype=found.dtype)
        assert run(samples, lambda *a, **k: function(*a, **k, out=out), call, dtype) is out
        same(found, out, samples)
        if whole and str(found.dtype) == f"tscript.{dtype}":
            same(found, run(samples, lambda x, *a, **k: function(x, *a, **k, out=x), call, dtype), samples)


def _operators(samples: Samples) -> list[Any]:
    path = samples.path if samples.path.startswith("Tensor.") else f"torch.{samples.path}"
    return [op for op in TABLE.operators if path in op.names.paths]


def _paths(samples: Samples) -> set[str]:
    return {path for op in _operators(samples) for path in op.names.paths}


def _has_out(samples: Samples) -> bool:
    operators = _operators(samples)
    return bool(operators) and all(isinstance(op.names.out, Out) for op in operators)


def same(expected: Any, found: Any, samples: Samples) -> None:
    """Two of our results are the same, dtypes too."""
    pairs = [*zip(leaves(expected), leaves(found), strict=True)]
    if samples.view is not None:
        for want, value in pairs:
            assert value.dtype == want.dtype
            assert value.shape == want.shape
        wants, values = (viewed(samples, [pair[k] for pair in pairs]) for k in range(2))
        for want, value in zip(wants, values, strict=True):
            np.testing.assert_allclose(value, want, rtol=samples.rtol, atol=samples.atol)
        return
    for want, value in pairs:
        assert isinstance(value, tscript.Tensor) == isinstance(want, tscript.Tensor)
        if isinstance(want, tscript.Tensor):
            assert value.dtype == want.dtype
        have, wanted = elements(value), elements(want)
        assert have.shape == wanted.shape
        if samples.random:
            continue
        if have.dtype.kind in "biuOU":
            np.testing.assert_array_equal(have, wanted)
        else:
            np.testing.assert_allclose(have, wanted, rtol=4 * np.finfo(have.dtype).eps, atol=samples.atol / 10)


def method_text(samples: Samples, text: Sequence[str]) -> str:
    """The source of a call of a method, or of an attribute, from the texts of its tensor and the other arguments."""
    found = f"{text[0]}.{samples.path.removeprefix('Tensor.')}"
    return found if samples.attribute else f"{found}({', '.join(text[1:])})"


@some_operators(0)
def test_scripted(samples: Samples) -> None:
    """All calls, in one function."""
    if not samples.scripted:
        pytest.skip(samples.why)
    arrays: list[tuple[Array, str]] = []
    lines: list[str] = []
    expected: list[Any] = []
    dtype = samples.dtypes[0]
    for call in samples.calls:
        text = call.text(len(arrays))
        if samples.path.startswith("Tensor."):
            line = method_text(samples, text)
        else:
            line = f"torch.{samples.path}({', '.join(text)})"
        lines.append(f"    r{len(lines)} = {line}\n")
        arrays += call.arrays(dtype, samples.path)
        expected.append(run(samples, function_of(samples), call, dtype))
    params = ", ".join(f"a{i}" for i in range(len(arrays)))
    result = "".join(f"r{i}, " for i in range(len(lines)))
    function = compiled(f"def f({params}):\n{''.join(lines)}    return ({result})\n", samples.path)
    for want, found in zip(expected, function(*[to_tensor(*a) for a in arrays]), strict=True):
        same(want, found, samples)
    if any(d in ("bfloat16", "float16") for _, d in arrays):
        return
    given = {f"a{i}": Copy.of(a) for i, (a, _) in enumerate(arrays)}
    program = scripted_of(function).program
    interpreted = quiet(lambda: interpret(program, (), given, step_limit=1_000_000, bodies=BODIES))
    for want, found in zip(expected, _as_tensors(interpreted), strict=True):
        same(found, want, samples)


@some_operators(1)
def test_unknown_dtypes(samples: Samples) -> None:
    """In code that knows nothing about the tensors; operators are looked up as it runs."""
    if not samples.scripted:
        pytest.skip(samples.why)
    call, dtype = samples.calls[0], samples.dtypes[0]
    text = call.text(0)
    arrays = call.arrays(dtype, samples.path)
    if samples.path.startswith("Tensor."):
        result = method_text(samples, text)
    else:
        result = f"torch.{samples.path}({', '.join(text)})"
    named = "".join(f"    a{i} = xs[{i}]\n" for i in range(len(arrays)))
    function = compiled(f"def f(xs: list[torch.Tensor]):\n{named}    return {result}\n", samples.path)
    expected = run(samples, function_of(samples), call, dtype)
    same(expected, function([to_tensor(*a) for a in arrays]), samples)


def _as_tensors(value: Any) -> Any:
    if isinstance(value, tuple | list):
        return tuple(_as_tensors(v) for v in value)
    return tscript.from_numpy(np.array(value)) if isinstance(value, np.ndarray | np.generic) else value


def compiled(source: str, path: str) -> Any:
    """A scripted function of a source text."""
    file = f"<samples of {path}>"
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    namespace: dict[str, Any] = {"torch": tscript, "__name__": "samples"}
    exec(compile(source, file, "exec", dont_inherit=True), namespace)
    return tscript.script(namespace["f"])


@pytest.mark.parametrize(
    ("samples", "number"),
    [(s, i) for s in SAMPLES.values() for i in range(len(s.wrong))],
    ids=lambda v: v.path if isinstance(v, Samples) else str(v),
)
def test_errors(samples: Samples, number: int) -> None:
    wrong = samples.wrong[number]
    with pytest.raises(wrong.error) as raised:
        run(samples, function_of(samples), wrong.call, samples.dtypes[0])
    assert wrong.message in str(raised.value)


# ---- against PyTorch


def torch_arguments(torch: Any, call: Call, samples: Samples, dtype: str) -> tuple[Sequence[Any], dict[str, Any]]:
    tensors = []
    for array, d in call.arrays(dtype, samples.path):
        plain = array if all(s >= 0 for s in array.strides) else np.ascontiguousarray(array)
        tensors.append(torch.from_numpy(Copy.of(plain)).to(getattr(torch, d)))
    return call.filled(tensors, lambda name: getattr(torch, name))


@every_operator
def test_against_torch(samples: Samples) -> None:
    torch = pytest.importorskip("torch")
    if not samples.torch:
        pytest.skip(samples.why)
    theirs = found_in(torch, samples.path) if not samples.attribute else function_of(samples)
    for call, dtype in samples.sampled(SAMPLED[samples.path]):
        args, kwargs = torch_arguments(torch, call, samples, dtype)
        try:
            expected = quiet(lambda: theirs(*args, **kwargs))
        except RuntimeError as error:
            if dtype == samples.dtypes[0] or not re.search("not implemented|not support", str(error)):
                raise
            continue  # PyTorch lacks the dtype
        found = run(samples, function_of(samples), call, dtype)
        wanted = []
        for want, value in zip(leaves(expected), leaves(found), strict=True):
            if isinstance(want, torch.Tensor):
                assert isinstance(value, tscript.Tensor), f"{samples.path}{call!r}"
                assert str(value.dtype).removeprefix("tscript.") == str(want.dtype).removeprefix("torch."), call
                want = want.resolve_conj()
                want = (want.float() if want.dtype is torch.bfloat16 else want).numpy()
            wanted.append(want)
        compare(tuple(wanted), found, samples, dtype)
    for wrong in samples.wrong:
        if wrong.torch:
            args, kwargs = torch_arguments(torch, wrong.call, samples, samples.dtypes[0])
            with pytest.raises(wrong.error):
                theirs(*args, **kwargs)
