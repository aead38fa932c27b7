"""Functions of NumPy that are no operators: sorting, searching and counting."""

# mypy: disable-error-code="no-untyped-def,no-untyped-call,no-any-return"

from __future__ import annotations

from tscript.definitions.language import generic, np

# ---- sorting


@generic
def comes_before(a, b) -> bool:
    """Whether `a` is sorted before `b`; nan comes last."""
    return bool(a < b or (b != b and a == a))


@generic
def quantile_rows(x, out, q) -> None:
    """``np.quantile(x, q, axis=1)`` of sorted rows of floats, by the method ``linear``."""
    if q < 0.0 or q > 1.0:
        raise ValueError("Quantiles must be in the range [0, 1]")
    n = x.shape[1]
    for i in range(x.shape[0]):
        if n == 0:
            out[i, 0] = np.nan
            continue
        place = q * (n - 1)
        low = int(place)
        high = min(low + 1, n - 1)
        t = place - low
        step = x[i, high] - x[i, low]
        found = x[i, high] - step * (1.0 - t) if t >= 0.5 else x[i, low] + step * t
        out[i, 0] = found if x[i, n - 1] == x[i, n - 1] else x[i, n - 1]


@generic
def median_rows(x, out) -> None:
    """``np.median(x, axis=1)`` of sorted rows of floats."""
    n = x.shape[1]
    for i in range(x.shape[0]):
        if n == 0:
            out[i, 0] = np.nan
        elif x[i, n - 1] != x[i, n - 1] or n % 2 == 1:
            out[i, 0] = x[i, n // 2] if x[i, n - 1] == x[i, n - 1] else x[i, n - 1]
        else:
            out[i, 0] = (x[i, n // 2 - 1] + x[i, n // 2]) / 2.0


@generic
def unique(x):
    """``np.unique(x)`` of sorted elements, and how often each is there; nan once."""
    n = x.shape[0]
    count = 0
    for i in range(n):
        if i == 0 or comes_before(x[i - 1], x[i]):
            count += 1
    out = np.empty(count, x.dtype)
    counts = np.zeros(count, np.int64)
    k = -1
    for i in range(n):
        if i == 0 or comes_before(x[i - 1], x[i]):
            k += 1
            out[k] = x[i]
        counts[k] += 1
    return out, counts


@generic
def least(x):
    """``min(x)`` of one dimension."""
    if x.shape[0] == 0:
        raise ValueError("min() iterable argument is empty")
    best = x[0]
    for i in range(1, x.shape[0]):
        if x[i] < best:
            best = x[i]
    return best


@generic
def greatest(x):
    """``max(x)`` of one dimension."""
    if x.shape[0] == 0:
        raise ValueError("max() iterable argument is empty")
    best = x[0]
    for i in range(1, x.shape[0]):
        if x[i] > best:
            best = x[i]
    return best


# ---- searching


@generic
def place_in(a, v, right) -> int:
    """``np.searchsorted(a, v)`` of a number."""
    low = 0
    high = a.shape[0]
    while low < high:
        middle = (low + high) // 2
        before = not comes_before(v, a[middle]) if right else comes_before(a[middle], v)
        if before:
            low = middle + 1
        else:
            high = middle
    return low


@generic
def places_in(a, v, right):
    """``np.searchsorted(a, v)`` of one dimension."""
    out = np.empty(v.shape[0], np.int64)
    for i in range(v.shape[0]):
        out[i] = place_in(a, v[i], right)
    return out


@generic
def interp_at(x, xp, fp):
    """``np.interp(x, xp, fp)`` of a number."""
    n = xp.shape[0]
    if n == 0:
        raise ValueError("array of sample points is empty")
    if n != fp.shape[0]:
        raise ValueError("fp and xp are not of the same length.")
    if x != x:
        return x
    if x > xp[n - 1]:
        return fp[n - 1]
    if x < xp[0]:
        return fp[0]
    j = place_in(xp, x, True) - 1
    if j == n - 1 or xp[j] == x:
        return fp[j]
    slope = (fp[j + 1] - fp[j]) / (xp[j + 1] - xp[j])
    found = slope * (x - xp[j]) + fp[j]
    if found != found:
        found = slope * (x - xp[j + 1]) + fp[j + 1]
        if found != found and fp[j] == fp[j + 1]:
            found = fp[j]
    return found


@generic
def interp(x, xp, fp):
    """``np.interp(x, xp, fp)`` of one dimension."""
    out = np.empty(x.shape[0], np.float64)
    for i in range(x.shape[0]):
        out[i] = interp_at(x[i], xp, fp)
    return out


# ---- counting


@generic
def bincount(x, least):
    """``np.bincount(x, minlength=least)``"""
    n = least
    for i in range(x.shape[0]):
        if x[i] < 0:
            raise ValueError("'list' argument must have no negative elements")
        if int(x[i]) >= n:
            n = int(x[i]) + 1
    out = np.zeros(n, np.int64)
    for i in range(x.shape[0]):
        out[x[i]] += 1
    return out


@generic
def bincount_of_weights(x, weights, least):
    """``np.bincount(x, weights, least)``"""
    if x.shape[0] != weights.shape[0]:
        raise ValueError("The weights and list don't have the same length.")
    n = least
    for i in range(x.shape[0]):
        if x[i] < 0:
            raise ValueError("'list' argument must have no negative elements")
        if int(x[i]) >= n:
            n = int(x[i]) + 1
    out = np.zeros(n, np.float64)
    for i in range(x.shape[0]):
        out[x[i]] += weights[i]
    return out


@generic
def histogram_between(a, bins, first, last):
    """``np.histogram(a, bins, (first, last))`` of one dimension."""
    if bins < 1:
        raise ValueError("`bins` must be positive, when an integer")
    if first > last:
        raise ValueError("max must be larger than min in range parameter.")
    low = first - 0.5 if first == last else first
    high = last + 0.5 if first == last else last
    edges = np.linspace(low, high, bins + 1)
    counts = np.zeros(bins, np.int64)
    for i in range(a.shape[0]):
        x = a[i]
        if x >= low and x <= high:
            k = int((x - low) / (high - low) * bins)
            if k == bins:
                k -= 1
            if x < edges[k]:
                k -= 1
            elif k != bins - 1 and x >= edges[k + 1]:
                k += 1
            counts[k] += 1
    return counts, edges


@generic
def histogram(a, bins):
    """``np.histogram(a, bins)`` of one dimension."""
    if a.shape[0] == 0:
        return histogram_between(a, bins, np.float64(0.0), np.float64(1.0))
    low = np.float64(np.min(a))
    high = np.float64(np.max(a))
    if not (np.isfinite(low) and np.isfinite(high)):
        raise ValueError(f"autodetected range of [{low}, {high}] is not finite")
    return histogram_between(a, bins, low, high)


@generic
def histogram_of_edges(a, edges):
    """``np.histogram(a, edges)`` of one dimension."""
    n = edges.shape[0] - 1
    counts = np.zeros(max(n, 0), np.int64)
    for i in range(a.shape[0]):
        if n > 0 and a[i] >= edges[0] and a[i] <= edges[n]:
            k = n - 1 if a[i] == edges[n] else place_in(edges, a[i], True) - 1
            counts[k] += 1
    return counts


@generic
def flatnonzero(x):
    """``np.flatnonzero(x)`` of one dimension."""
    count = 0
    for i in range(x.shape[0]):
        if x[i] != 0:
            count += 1
    out = np.empty(count, np.int64)
    k = 0
    for i in range(x.shape[0]):
        if x[i] != 0:
            out[k] = i
            k += 1
    return out
