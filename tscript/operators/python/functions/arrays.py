"""Functions of NumPy that are no operators: making, joining and comparing arrays."""

# mypy: disable-error-code="no-untyped-def,no-untyped-call,no-any-return"

from __future__ import annotations

from tscript.definitions.language import generic, np

# ---- lists


@generic
def size_in(xs) -> int:
    """The length of the lists in a list."""
    return len(xs[0]) if len(xs) > 0 else 0


@generic
def size_in_rows(xs) -> int:
    """The length of the lists in the lists of a list."""
    return size_in(xs[0]) if len(xs) > 0 else 0


@generic
def fill_from_list(out, xs) -> None:
    """Copy the numbers of nested lists."""
    if len(xs) != out.shape[0]:
        raise ValueError("setting an array element with a sequence. The requested array has an inhomogeneous shape")
    if out.ndim == 1:
        for i in range(len(xs)):
            out[i] = xs[i]
    else:
        for i in range(len(xs)):
            fill_from_list(out[i], xs[i])


@generic
def check_rows(xs) -> None:
    """Raise where arrays of a list cannot be the rows of one."""
    if len(xs) == 0:
        raise ValueError("no array can be made of an empty list of arrays: it does not say their sizes")
    same = xs[0].ndim
    for x in xs:
        same = min(same, common_sizes(xs[0], x))
    if same < xs[0].ndim:
        refuse_rows(xs[0], len(xs), same)


@generic
def check_two_rows(first, other, rows) -> None:
    """The same of the first and another array of several."""
    same = common_sizes(first, other)
    if same < first.ndim:
        refuse_rows(first, rows, same)


@generic
def common_sizes(x, y) -> int:
    """In how many dimensions from the first one on two arrays have the same size."""
    for dim in range(x.ndim):
        if x.shape[dim] != y.shape[dim]:
            return dim
    return x.ndim


@generic
def refuse_rows(first, rows, same) -> None:
    """Raise NumPy's error of rows that differ behind some dimensions."""
    sizes = [str(size) for size in [rows, *first.shape]][: same + 1]
    shape = "(" + ", ".join(sizes) + ("," if same == 0 else "") + ")"
    raise ValueError(
        "setting an array element with a sequence. The requested array has an inhomogeneous shape after "
        f"{same + 1} dimensions. The detected shape was {shape} + inhomogeneous part."
    )


# ---- joining lists of arrays


@generic
def check_joined(xs, axis: int) -> None:
    """Raise where arrays differ in a size besides that of the axis along which they are joined."""
    if len(xs) == 0:
        raise ValueError("need at least one array to concatenate")
    for i in range(1, len(xs)):
        for dim in range(xs[0].ndim):
            first = xs[0].shape[dim]
            other = xs[i].shape[dim]
            if dim != axis and first != other:
                raise ValueError(
                    "all the input array dimensions except for the concatenation axis must match exactly, but along "
                    f"dimension {dim}, the array at index 0 has size {first} and the array at index {i} has size "
                    f"{other}"
                )


@generic
def check_stacked(xs, axis: int) -> None:
    """Raise where arrays differ in a size."""
    if len(xs) == 0:
        raise ValueError("need at least one array to stack")
    for x in xs:
        if x.shape != xs[0].shape:
            raise ValueError("all input arrays must have the same shape")


# ---- making


@generic
def arange_end(start, stop, step):
    """Where ``np.arange`` ends: at once if the step leads away."""
    if step == 0:
        raise ZeroDivisionError("division by zero")
    if (stop < start) if step > 0 else (start < stop):
        return start + (stop - stop)
    return stop + (start - start)


@generic
def linspace(start, stop, num, endpoint):
    """``np.linspace(start, stop, num, endpoint)``"""
    if num < 0:
        raise ValueError(f"Number of samples, {num}, must be non-negative.")
    out = np.empty(num, np.float64)
    first = float(start)
    delta = float(stop) - first
    steps = num - 1 if endpoint else num
    step = delta / steps if steps > 0 else 0.0
    for i in range(num):
        out[i] = i * step + first if step != 0.0 or steps <= 0 else i / steps * delta + first
    if endpoint and num > 1:
        out[num - 1] = float(stop)
    return out


@generic
def fill_diagonal(out, k) -> None:
    """Ones on a diagonal."""
    for i in range(out.shape[0]):
        if 0 <= i + k < out.shape[1]:
            out[i, i + k] = 1


@generic
def trapezoid(y, x):
    """``np.trapezoid(y, x)``"""
    total = 0.0
    for i in range(1, y.shape[0]):
        total += (x[i] - x[i - 1]) * (y[i] + y[i - 1]) / 2.0
    return total


@generic
def trapezoid_of_steps(y, dx):
    """``np.trapezoid(y, dx=dx)``"""
    total = 0.0
    for i in range(1, y.shape[0]):
        total += dx * (y[i] + y[i - 1]) / 2.0
    return total


@generic
def tile(a, count):
    """``np.tile(a, count)`` of one dimension."""
    n = a.shape[0]
    out = np.empty(n * max(count, 0), a.dtype)
    for k in range(count):
        for i in range(n):
            out[k * n + i] = a[i]
    return out


@generic
def repeat(a, count):
    """``np.repeat(a, count)`` of one dimension."""
    if count < 0:
        raise ValueError("repeats may not contain negative values.")
    out = np.empty(a.shape[0] * count, a.dtype)
    for i in range(a.shape[0]):
        for k in range(count):
            out[i * count + k] = a[i]
    return out


@generic
def roll_rows(x, out, shift) -> None:
    """``np.roll(x, shift, axis=1)``"""
    n = x.shape[1]
    for i in range(x.shape[0]):
        for j in range(n):
            out[i, (j + shift) % n] = x[i, j]


@generic
def flip_rows(x, out) -> None:
    """``np.flip(x, axis=1)``"""
    n = x.shape[1]
    for i in range(x.shape[0]):
        for j in range(n):
            out[i, n - 1 - j] = x[i, j]


@generic
def total(x):
    """``sum(x)`` of one dimension, from left to right."""
    found = np.zeros(1, x.dtype)[0]
    for i in range(x.shape[0]):
        found = found + x[i]
    return found


@generic
def check_exponents(x) -> None:
    """Integers have no negative powers."""
    if np.any(x < 0):
        raise ValueError("Integers to negative integer powers are not allowed.")


# ---- products


@generic
def outer(a, b):
    """``np.outer(a, b)``"""
    return a.ravel()[:, None] * b.ravel()[None, :]


@generic
def inner(a, b):
    """``np.inner(a, b)``"""
    if a.ndim == 1:
        return np.dot(a, b)
    return np.dot(a, b.T)


@generic
def trace(a):
    """``np.trace(a)``"""
    return np.sum(np.diagonal(a))


@generic
def norm(x):
    """``np.linalg.norm(x)``"""
    return np.sqrt(np.sum(np.square(x)))


# ---- comparisons


@generic
def clip(a, a_min, a_max):
    """``np.clip(a, a_min, a_max)``"""
    if a_min is None:
        return np.minimum(a, a_max)
    if a_max is None:
        return np.maximum(a, a_min)
    return np.minimum(np.maximum(a, a_min), a_max)


@generic
def isclose(a, b, rtol, atol, equal_nan):
    """``np.isclose(a, b, rtol, atol, equal_nan)``"""
    near = np.logical_and(np.isfinite(b), np.abs(a - b) <= atol + rtol * np.abs(b))
    both = np.logical_and(np.isnan(a), np.isnan(b))
    return np.logical_or(np.logical_or(near, a == b), np.logical_and(both, equal_nan))


@generic
def allclose(a, b, rtol, atol, equal_nan) -> bool:
    """``np.allclose(a, b, rtol, atol, equal_nan)``"""
    return bool(np.all(np.isclose(a, b, rtol, atol, equal_nan)))


@generic
def array_equal(a, b) -> bool:
    """``np.array_equal(a, b)``"""
    if a.ndim != b.ndim:
        return False
    for i in range(a.ndim):
        if np.shape(a)[i] != np.shape(b)[i]:
            return False
    return bool(np.all(a == b))


@generic
def round_to(a, decimals):
    """``np.round(a, decimals)`` of floats."""
    if decimals >= 0:
        factor = 10.0**decimals
        return np.rint(a * factor) / factor
    factor = 10.0 ** (-decimals)
    return np.rint(a / factor) * factor


# ---- cumulative


@generic
def cumsum_rows(x, out) -> None:
    """``np.cumsum(x, axis=1)``"""
    for i in range(x.shape[0]):
        if x.shape[1] > 0:
            total = x[i, 0]
            out[i, 0] = total
            for j in range(1, x.shape[1]):
                total = total + x[i, j]
                out[i, j] = total


@generic
def cumprod_rows(x, out) -> None:
    """``np.cumprod(x, axis=1)``"""
    for i in range(x.shape[0]):
        if x.shape[1] > 0:
            total = x[i, 0]
            out[i, 0] = total
            for j in range(1, x.shape[1]):
                total = total * x[i, j]
                out[i, j] = total


# ---- elements


@generic
def radians(x):
    """``np.radians(x)``"""
    return x * (np.pi / 180.0)


@generic
def degrees(x):
    """``np.degrees(x)``"""
    return x * (180.0 / np.pi)


@generic
def reciprocal(x):
    """``np.reciprocal(x)``"""
    return 1 / x


@generic
def hypot(x, y):
    """``np.hypot(x, y)``, without overflow."""
    a = np.abs(x * 1.0)
    b = np.abs(y * 1.0)
    high = np.maximum(a, b)
    low = np.minimum(a, b)
    ratio = low / np.where(high == 0.0, 1.0, high)
    found = high * np.sqrt(1.0 + ratio * ratio)
    return np.where(np.isinf(high), np.abs(high), found)


@generic
def copysign(x, y):
    """``np.copysign(x, y)``"""
    a = np.abs(x * 1.0)
    return np.where(np.logical_or(y < 0, np.logical_and(y == 0, 1.0 / (y * 1.0) < 0)), -a, a)


@generic
def fmax(x, y):
    """``np.fmax(x, y)``"""
    return np.where(np.isnan(x), y, np.where(np.isnan(y), x, np.maximum(x, y)))


@generic
def fmin(x, y):
    """``np.fmin(x, y)``"""
    return np.where(np.isnan(x), y, np.where(np.isnan(y), x, np.minimum(x, y)))
