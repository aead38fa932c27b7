"""The error bounds and special values that `tscript.dialect.vector_math` states, measured on compiled vector code."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from decimal import Decimal, localcontext
from functools import cache
from typing import Any

import numpy as np
import pytest

from tscript.backend.llvm.effort import Effort
from tscript.backend.llvm.target import Target
from tscript.backend.loader.optimise import compile_text
from tscript.backend.loader.session import Session
from tscript.backend.nodes.loops import Array, LoopSpec, emit_loop
from tscript.backend.nodes.steps import Steps
from tscript.dialect import ByType, f32, f64, vector_angles, vector_math
from tscript.dialect.memory_model import bind
from tscript.pipeline import Compiler
from tscript.types import DType, dtypes, machine_type

F32, F64 = dtypes.float32, dtypes.float64
HOST = Target.host()
WITHOUT_FMA = replace(HOST, cpu="x86-64-v2", features="+sse4.2,+ssse3,+popcnt", is_host=False)
TARGETS = [HOST, WITHOUT_FMA] if HOST.architecture == "x86_64" else [HOST]
COUNT = 20_000
LONG = np.longdouble
SPECIAL: tuple[float, ...] = (0.0, -0.0, 1.0, -1.0, 0.5, 2.0, 3.0, -2.0, -3.0, 2.5, 100.0, -100.0, 1e3, -1e3)
SPECIAL += (1e30, -1e30, 1e-30, 1e-40)
SPECIAL += (-1e-40, 5e-324, 1e-310, math.inf, -math.inf, math.nan)

Function = Callable[..., Any]
Range = tuple[float, float]

REFERENCE: dict[str, Function] = {
    "exp": np.exp,
    "expm1": np.expm1,
    "tanh": np.tanh,
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "log": np.log,
    "log1p": np.log1p,
    "log2": np.log2,
    "log10": np.log10,
    "sin": np.sin,
    "cos": np.cos,
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "reciprocal": lambda x: 1 / x,
    "pow": np.power,
}
UNIFORM: dict[str, Sequence[Range]] = {
    "exp": [(-1, 1), (-87, 88)],
    "expm1": [(-1e-3, 1e-3), (-2, 2), (-20, 88)],
    "tanh": [(-1e-3, 1e-3), (-1, 1), (-12, 12)],
    "sigmoid": [(-5, 5), (-87, 87)],
    "log": [(0.5, 2)],
    "log1p": [(-1e-3, 1e-3), (-0.999, 3)],
    "log2": [(0.5, 2)],
    "log10": [(0.5, 2)],
    "sin": [(-1e-2, 1e-2), (-10, 10), (-1e6, 1e6), (-1e9, 1e9)],
    "cos": [(-10, 10), (-1e6, 1e6), (-1e9, 1e9)],
}
POSITIVE = ("log", "log1p", "log2", "log10", "rsqrt", "reciprocal")
"""Also measured over all magnitudes."""

BOUNDS: dict[str, tuple[float, float]] = {
    "exp": (1.0, 1.0),
    "expm1": (1.9, 1.9),
    "tanh": (2.6, 2.6),
    "sigmoid": (2.5, 2.5),
    "log": (0.8, 0.9),
    "log1p": (1.5, 1.5),
    "log2": (0.6, 1.0),
    "log10": (0.6, 1.0),
    "sin": (1.6, 2.4),
    "cos": (1.6, 2.4),
    "erf": (1.3, 0.9),
    "pow": (0.6, 0.9),
    "rsqrt": (1.5, 1.5),
    "reciprocal": (0.5, 0.5),
}
"""ULP of f32 and of f64, as the docstrings say."""


@cache
def compiler() -> Compiler:
    return Compiler()


@cache
def session() -> Session:
    return Session(HOST)


@cache
def native(name: str, dtype: DType, target: Target = HOST) -> Function:
    """`vector_math.<name>` over arrays of `dtype`, as the loop of a fused group computes it."""
    graph = compiler().bodies.scalar_graph((vector_math.MATH | vector_angles.ANGLES)[name], (machine_type(dtype),))
    steps = Steps()
    arity = len(graph.body.params)
    inputs = tuple(Array(p.type, steps.input(p.type, True)) for p in graph.body.params)
    result = steps.inline(graph, [i.value for i in inputs])
    spec = LoopSpec(steps, inputs, (Array(graph.result, result),), ())
    declarations: dict[str, str] = {}
    loop = emit_loop("@loop", spec, target, declarations).replace("define internal", "define")
    head = f'target triple = "{target.triple}"\ntarget datalayout = "{target.data_layout}"\n'
    library = session().load(
        compile_text("\n".join([head, *declarations.values(), loop, ""]), target, effort=Effort.LIGHT)
    )
    function = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64)(
        library.address("loop")
    )

    def call(*arrays: Any) -> Any:
        out = np.empty_like(arrays[0])
        task = (ctypes.c_int64 * (2 * arity + 2))()
        for i, array in enumerate([*arrays, out]):
            task[2 * i], task[2 * i + 1] = array.ctypes.data, -1
        function(None, ctypes.addressof(task), 0, out.size)
        return out

    return call


def ulp(found: Any, exact: Any) -> Any:
    """Distance in units in the last place of the rounded exact result."""
    rounded = exact.astype(found.dtype)
    regular = np.isfinite(rounded) & np.isfinite(found) & (np.abs(rounded) >= np.finfo(found.dtype).tiny)
    same = (found == rounded) | (np.isnan(found) & np.isnan(rounded)) | (np.abs(rounded) < np.finfo(found.dtype).tiny)
    assert (regular | same).all()
    distance = np.abs(found.astype(LONG) - exact) / np.spacing(np.abs(rounded)).astype(LONG)
    return np.where(regular, distance, 0)


def magnitudes(rng: np.random.Generator, low: float, high: float) -> Any:
    return np.exp(rng.uniform(math.log(low), math.log(high), COUNT))


needs_long_double = pytest.mark.skipif(
    bool(np.finfo(LONG).nmant <= 52), reason="the reference needs more precision than f64"
)


@needs_long_double
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("target", TARGETS, ids=["host", "without-fma"][: len(TARGETS)])
@pytest.mark.parametrize("dtype", [F32, F64], ids=str)
@pytest.mark.parametrize("name", [n for n in REFERENCE if n != "pow"])
def test_error_bounds(name: str, dtype: DType, target: Target) -> None:
    rng = np.random.default_rng(1)
    samples = [rng.uniform(low, high, COUNT) for low, high in UNIFORM.get(name, ())]
    if name in POSITIVE:
        samples.append(magnitudes(rng, 1e-37, 1e37))
    for sample in samples:
        x = sample.astype(dtype.name)
        worst = ulp(native(name, dtype, target)(x), REFERENCE[name](x.astype(LONG))).max()
        assert worst <= BOUNDS[name][dtype is F64]


def worst_of_bits(name: str, start: int, stop: int, step: int) -> float:
    """The greatest error over the floats of 32 bits whose bits are in a range, in ULP."""
    x = np.arange(start, stop, step, np.uint64).astype(np.uint32).view(np.float32)
    return float(ulp(native(name, F32)(x), REFERENCE[name](x.astype(np.float64))).max())


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", [n for n in REFERENCE if n != "pow"])
def test_error_bounds_over_all_exponents(name: str) -> None:
    """Of one float32 in 20,011: each exponent, denormals, infinities and NaN are among them."""
    assert worst_of_bits(name, 7, 1 << 32, 20_011) <= BOUNDS[name][0]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", [n for n in REFERENCE if n != "pow"])
def test_error_bounds_over_a_hundred_million_floats(name: str) -> None:
    """Of one float32 in 41; all of them, with a step of 1, take half an hour for each function."""
    size = 41 << 20
    assert max(worst_of_bits(name, i, min(i + size, 1 << 32), 41) for i in range(0, 1 << 32, size)) <= BOUNDS[name][0]


@needs_long_double
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("target", TARGETS, ids=["host", "without-fma"][: len(TARGETS)])
@pytest.mark.parametrize("dtype", [F32, F64], ids=str)
def test_error_bound_of_pow(dtype: DType, target: Target) -> None:
    rng = np.random.default_rng(2)
    for x, y in (
        (magnitudes(rng, 1e-9, 1e9), rng.uniform(-4, 4, COUNT)),
        (rng.uniform(0.5, 2, COUNT), rng.uniform(-100, 100, COUNT)),
        (rng.uniform(0.99, 1.01, COUNT), rng.uniform(-5000, 5000, COUNT)),
        (-magnitudes(rng, 1e-3, 1e3), rng.integers(-9, 9, COUNT)),
    ):
        a, b = x.astype(dtype.name), y.astype(dtype.name)
        exact = np.power(a.astype(LONG), b.astype(LONG))
        assert ulp(native("pow", dtype, target)(a, b), exact).max() <= BOUNDS["pow"][dtype is F64]


def erf_series(x: float) -> Decimal:
    """erf(x) to some 40 digits, by its Taylor series."""
    with localcontext() as context:
        context.prec = 70
        pi = Decimal("3.14159265358979323846264338327950288419716939937510582097494459230781640628620899862803")
        value = Decimal(x)
        term = total = value
        n = 0
        while abs(term) > abs(total) * Decimal("1e-45"):
            n += 1
            term = -term * value * value / n
            total += term / (2 * n + 1)
        return 2 * total / pi.sqrt()


@pytest.mark.parametrize("target", TARGETS, ids=["host", "without-fma"][: len(TARGETS)])
@pytest.mark.parametrize("dtype", [F32, F64], ids=str)
def test_error_bound_of_erf(dtype: DType, target: Target) -> None:
    rng = np.random.default_rng(3)
    samples = [rng.uniform(low, high, 60) for low, high in ((-4, 4), (-1, 1), (0.8, 1.3), (1.2, 3.0), (0, 1e-3))]
    x = np.concatenate(samples).astype(dtype.name)
    for argument, found in zip(x.tolist(), native("erf", dtype, target)(x), strict=True):
        distance = abs(Decimal(float(found)) - erf_series(argument)) / Decimal(float(np.spacing(abs(found))))
        assert distance <= BOUNDS["erf"][dtype is F64]


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("target", TARGETS, ids=["host", "without-fma"][: len(TARGETS)])
@pytest.mark.parametrize("dtype", [F32, F64], ids=str)
@pytest.mark.parametrize("name", list(BOUNDS))
def test_special_values(name: str, dtype: DType, target: Target) -> None:
    special = np.array(SPECIAL).astype(dtype.name)
    if name == "pow":
        args = [a.ravel() for a in np.meshgrid(special, special)]
    else:
        args = [special]
    if name == "erf":
        exact = np.array([math.erf(x) for x in special.tolist()])
    else:
        exact = REFERENCE[name](*(a.astype(LONG) for a in args))
    wanted = exact.astype(dtype.name)
    found = native(name, dtype, target)(*args)
    nan = np.isnan(wanted)
    np.testing.assert_array_equal(np.isnan(found), nan)
    np.testing.assert_array_equal(np.signbit(found[~nan]), np.signbit(wanted[~nan]))
    np.testing.assert_array_equal(np.isinf(found[~nan]), np.isinf(wanted[~nan]))
    if name == "sigmoid":  # which is 0 where exp(-x) overflows
        wanted = np.where(wanted < np.finfo(dtype.name).tiny, 0, wanted)
    np.testing.assert_array_max_ulp(found[~nan & np.isfinite(wanted)], wanted[~nan & np.isfinite(wanted)], 3)


@pytest.mark.parametrize("dtype", [F32, F64], ids=str)
def test_exact_results(dtype: DType) -> None:
    powers = np.arange(-30, 30)
    assert (native("log2", dtype)(np.exp2(powers).astype(dtype.name)) == powers).all()
    tens = np.arange(0, 11 if dtype is F32 else 16)
    assert (native("log10", dtype)((10.0**tens).astype(dtype.name)) == tens).all()
    x = np.arange(1, 50).astype(dtype.name)
    for exponent in (0.0, 1.0, 2.0, 3.0):
        assert (native("pow", dtype)(x, np.full_like(x, exponent)) == x**exponent).all()


@pytest.mark.parametrize("dtype", [F32, F64], ids=str)
def test_a_result_does_not_depend_on_its_place(dtype: DType) -> None:
    x = np.random.default_rng(4).uniform(0.1, 9, 37).astype(dtype.name)
    for name in BOUNDS:
        args = [x, x] if name == "pow" else [x]
        whole = native(name, dtype)(*args)
        alone = [native(name, dtype)(*(a[i : i + 1] for a in args))[0] for i in range(37)]
        assert whole.tobytes() == np.array(alone).tobytes()


@pytest.mark.parametrize("name", list(BOUNDS))
def test_under_cpython(name: str) -> None:
    for dtype in (F32, F64):
        function = vector_math.MATH[name]
        if isinstance(function, ByType):
            function = function.by_dtype[dtype]
        for x in (0.3, 0.9, 2.5):
            arg = np.dtype(dtype.name).type(x)
            args = (arg, arg) if name == "pow" else (arg,)
            found = bind(function, T=f32 if dtype is F32 else f64)(*args)
            array = native(name, dtype)(*(np.array([a]) for a in args))[0]
            assert math.isclose(found, array, rel_tol=1e-6 if dtype is F32 else 1e-14)


def test_table_is_complete() -> None:
    assert set(vector_math.MATH) == set(BOUNDS)
