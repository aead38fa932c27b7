"""Tier 3: incomplete gamma functions, element by element, in float64."""

from __future__ import annotations

from typing import Final

from tscript.abi.layout import TENSOR_CONTIGUOUS
from tscript.dialect import Ptr, TensorImpl, address, b8, context, f64, fabs, function, i64, pointer, stack
from tscript.dialect import vector_math as vm
from tscript.dialect import vector_special as vs
from tscript.runtime.kernels import codes
from tscript.runtime.kernels.parallel import parallel
from tscript.runtime.kernels.tensor import begin_work, sizes_of, tensor_alloc

GRAIN: Final = 1 << 8
"""Elements that are worth another thread."""
STEPS: Final = 10000
"""Steps after which series and fractions are given up."""
TO, A, X, FULL, IS_UPPER = range(5)
TASK = 5


def incomplete(a: f64, x: f64, least: f64, is_upper: b8) -> f64:
    """The regularised incomplete gamma function, lower or upper, to a relative error of about `least`.

    Below `a` and below 1 by the series ``x ** a * exp(-x) / gamma(a + 1) * (1 + x / (a + 1) + x ** 2 / ((a + 1) * (a +
    2)) + ...)`` of the lower one, above by Legendre's continued fraction of the upper one, evaluated as Lentz does
    (Abramowitz and Stegun, 6.5.29 and 6.5.31).
    """
    infinite = f64(vm.INFINITY)
    if not (a >= 0.0) or not (x >= 0.0) or (a == 0.0 and x == 0.0) or (a == infinite and x == infinite):
        return infinite - infinite
    low = 1.0
    if a > 0.0 and (x == 0.0 or a == infinite):
        low = 0.0
    if a == 0.0 or x == 0.0 or a == infinite or x == infinite:
        if is_upper:
            return 1.0 - low
        return low
    factor = vm.exp(a * vm.log(x) - x - vs.lgamma(a))
    n = 0
    if x <= 1.0 or x <= a:
        term = 1.0 / a
        total = term
        while n < STEPS and term > total * least:
            n = n + 1
            term = term * x / (a + f64(n))
            total = total + term
        value = factor * total
    else:
        b = x + 1.0 - a
        c = 1.0e300
        d = 1.0 / b
        value = d
        change = 2.0
        while n < STEPS and fabs(change - 1.0) > least:
            n = n + 1
            step = (a - f64(n)) * f64(n)
            b = b + 2.0
            d = 1.0 / (step * d + b)
            c = b + step / c
            change = c * d
            value = value * change
        value = factor * value
        is_upper = not is_upper
    if not value <= 1.0:
        value = 1.0
    if is_upper:
        return 1.0 - value
    return value


def incomplete_some(task: Ptr[i64], begin: i64, end: i64) -> None:
    """Some elements."""
    to = pointer(task[TO], f64)
    a = pointer(task[A], f64)
    x = pointer(task[X], f64)
    least = 1.0e-10
    if task[FULL] != 0:
        least = 1.0e-16
    for i in range(begin, end):
        to[i] = incomplete(a[i], x[i], least, task[IS_UPPER] != 0)


def incomplete_gamma(a: Ptr[TensorImpl], x: Ptr[TensorImpl], is_full: b8, is_upper: b8) -> Ptr[TensorImpl]:
    """`incomplete` of contiguous tensors of float64 of one shape, for float32 or to the full precision.

    Raises RuntimeError for others.
    """
    ok = a.dtype == codes.FLOAT64 and x.dtype == codes.FLOAT64 and a.numel == x.numel
    if not ok or a.flags & TENSOR_CONTIGUOUS == 0 or x.flags & TENSOR_CONTIGUOUS == 0:
        raise RuntimeError("incomplete_gamma() takes contiguous tensors of float64 of one shape")
    out = tensor_alloc(a.dtype, i64(a.ndim), sizes_of(a))
    begin_work(out.numel * 64)
    task = stack(TASK, i64)
    task[TO] = address(out.data)
    task[A] = address(a.data)
    task[X] = address(x.data)
    task[FULL] = i64(is_full)
    task[IS_UPPER] = i64(is_upper)
    if out.numel > 2 * GRAIN:
        parallel(context(), function(incomplete_some), task, out.numel, GRAIN)
    else:
        incomplete_some(task, 0, out.numel)
    return out
