"""The C functions of libm that scalar operators call, as names of the dialect.

The symbols are found in the process, so they are the ones CPython's own `math` calls and give the same digits. On
values they do what C does: no exceptions, infinities and NaN instead. On NumPy arrays they go element by element.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from tscript.arrays import np
from tscript.definitions.opdef import OpDef
from tscript.dialect import Intrinsic
from tscript.dialect.machine import extern
from tscript.types import F64, I32


def _quiet(
    function: Callable[..., float], overflow: Callable[..., float], pole: Callable[..., float]
) -> Callable[..., Any]:
    def call(*args: Any) -> Any:
        if isinstance(args[0], np.ndarray):
            return np.frompyfunc(call, len(args), 1)(*args).astype(np.float64)
        try:
            return function(*args)
        except OverflowError:
            return overflow(*args)
        except ValueError:
            return pole(*args)

    return call


def _nan(*args: float) -> float:
    return math.nan


def _infinity(*args: float) -> float:
    return math.inf


def _signed_infinity(x: float, *rest: float) -> float:
    return math.copysign(math.inf, x)


def _log_pole(x: float) -> float:
    return -math.inf if x == 0 else math.nan


def _log1p_pole(x: float) -> float:
    return -math.inf if x == -1 else math.nan


def _atanh_pole(x: float) -> float:
    return math.copysign(math.inf, x) if abs(x) == 1 else math.nan


def _pow_overflow(a: float, b: float) -> float:
    return math.copysign(math.inf, -1.0 if a < 0 and b % 2 == 1 else 1.0)


def _pow_pole(a: float, b: float) -> float:
    if a != 0.0:
        return math.nan
    return math.copysign(math.inf, a) if b % 2 == 1 else math.inf


def _function(
    name: str,
    parameters: int = 1,
    overflow: Callable[..., float] = _infinity,
    pole: Callable[..., float] = _nan,
    run: Callable[..., float] | None = None,
) -> Intrinsic:
    value = _quiet(run or getattr(math, name), overflow, pole)
    return Intrinsic(extern(name, (F64,) * parameters, F64, value), value)


def _logb(x: float) -> float:
    return float(math.frexp(x)[1] - 1) if x else -math.inf


exp = _function("exp")
exp2 = _function("exp2")
expm1 = _function("expm1")
log = _function("log", pole=_log_pole)
log2 = _function("log2", pole=_log_pole)
log10 = _function("log10", pole=_log_pole)
log1p = _function("log1p", pole=_log1p_pole)
sin = _function("sin")
cos = _function("cos")
tan = _function("tan")
asin = _function("asin")
acos = _function("acos")
atan = _function("atan")
atan2 = _function("atan2", 2)
sinh = _function("sinh", overflow=_signed_infinity)
cosh = _function("cosh")
tanh = _function("tanh")
asinh = _function("asinh")
acosh = _function("acosh")
atanh = _function("atanh", pole=_atanh_pole)
erf = _function("erf")
erfc = _function("erfc")
fmod = _function("fmod", 2)
pow = _function("pow", 2, _pow_overflow, _pow_pole)
remainder = _function("remainder", 2)
cbrt = _function("cbrt")
nextafter = _function("nextafter", 2)
logb = _function("logb", run=_logb)
ldexp = Intrinsic(extern("ldexp", (F64, I32), F64, math.ldexp), _quiet(math.ldexp, _signed_infinity, _nan))

EXTERNS: tuple[OpDef, ...] = tuple(
    function.op
    for function in (
        exp, exp2, expm1, log, log2, log10, log1p, sin, cos, tan, asin, acos, atan, atan2, sinh, cosh, tanh,
        asinh, acosh, atanh, erf, erfc, fmod, pow, remainder, cbrt, nextafter, logb, ldexp,
    )
)  # fmt: skip
"""All of them."""
