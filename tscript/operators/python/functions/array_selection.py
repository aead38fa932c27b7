"""Reading and writing arrays by masks and index arrays."""

# mypy: disable-error-code="no-untyped-def,no-untyped-call,no-any-return"

from __future__ import annotations

from tscript.definitions.language import generic, np

# ---- masks


@generic
def check_size(n, m, axis) -> None:
    """A mask has the size of its dimension."""
    if n != m:
        raise IndexError(
            f"boolean index did not match indexed array along axis {axis}; size of axis is {n} but size of "
            f"corresponding boolean axis is {m}"
        )


@generic
def check_mask(x, mask) -> None:
    """A mask has the sizes of the first dimensions."""
    for dim in range(mask.ndim):
        check_size(np.shape(x)[dim], np.shape(mask)[dim], dim)


@generic
def places(mask, size, axis):
    """Where a mask of one dimension is true."""
    check_size(size, mask.shape[0], axis)
    return np.flatnonzero(mask)


@generic
def compress(x, mask):
    """``x[mask]`` of one dimension."""
    count = 0
    for i in range(mask.shape[0]):
        if mask[i]:
            count += 1
    out = np.empty(count, x.dtype)
    k = 0
    for i in range(mask.shape[0]):
        if mask[i]:
            out[k] = x[i]
            k += 1
    return out


@generic
def compress_rows(x, mask):
    """``x[mask]`` of the rows of two dimensions."""
    count = 0
    for i in range(mask.shape[0]):
        if mask[i]:
            count += 1
    out = np.empty((count, x.shape[1]), x.dtype)
    k = 0
    for i in range(mask.shape[0]):
        if mask[i]:
            for j in range(x.shape[1]):
                out[k, j] = x[i, j]
            k += 1
    return out


@generic
def put_mask(x, mask, value) -> None:
    """``x[mask] = value`` of a number, or of an array for each element."""
    for i in range(mask.shape[0]):
        if mask.ndim > 1:
            put_mask(x[i], mask[i], value)
        elif mask[i]:
            x[i] = value


@generic
def put_masked(x, mask, values) -> None:
    """``x[mask] = values``"""
    count = int(np.count_nonzero(mask))
    if len(values) != count and len(values) != 1:
        raise ValueError(
            f"NumPy boolean array indexing assignment cannot assign {len(values)} input values to the {count} output "
            "values where the mask is true"
        )
    put_from(x, mask, values, 0)


@generic
def put_from(x, mask, values, start) -> int:
    """The same for the values from a place on; the place behind the last one taken."""
    k = start
    for i in range(mask.shape[0]):
        if mask.ndim > 1:
            k = put_from(x[i], mask[i], values, k)
        elif mask[i]:
            x[i] = values[k if len(values) > 1 else 0]
            k += 1
    return k


# ---- index arrays


@generic
def take(x, at):
    """``x[at]`` of one dimension."""
    out = np.empty(at.shape[0], x.dtype)
    for i in range(at.shape[0]):
        out[i] = x[at[i]]
    return out


@generic
def place_of(at, size, axis):
    """The indices of a dimension as positions."""
    out = np.empty(at.shape[0], np.int64)
    for i in range(at.shape[0]):
        k = int(at[i])
        if k < -size or k >= size:
            raise IndexError(f"index {k} is out of bounds for axis {axis} with size {size}")
        out[i] = k + size if k < 0 else k
    return out


@generic
def place_in(places, at, size, axis):
    """Positions in the dimensions before, and indices of the next one, as positions in both."""
    found = place_of(at, size, axis)
    for i in range(found.shape[0]):
        found[i] += places[i] * size
    return found


@generic
def take_blocks(x, at, out) -> None:
    """``x[:, at, :]``"""
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            k = at[j]
            for m in range(out.shape[2]):
                out[i, j, m] = x[i, k, m]


@generic
def fill_at(x, at, value) -> None:
    """``x[at] = value`` of a number."""
    for i in range(at.shape[0]):
        x[at[i]] = value


@generic
def fill_at_pairs(x, rows, columns, value) -> None:
    """``x[rows, columns] = value`` of a number."""
    for i in range(rows.shape[0]):
        x[rows[i], columns[i]] = value


@generic
def put_at(x, at, values) -> None:
    """``x[at] = values``"""
    for i in range(at.shape[0]):
        x[at[i]] = values[i]


@generic
def put_at_pairs(x, rows, columns, values) -> None:
    """``x[rows, columns] = values``"""
    for i in range(rows.shape[0]):
        x[rows[i], columns[i]] = values[i]


@generic
def contains(x, value) -> bool:
    """``value in x``"""
    return bool(np.any(x == value))


# ---- slices


def from_the_end(at: int, size: int) -> int:
    """A bound of a slice with a negative step, counted in the dimension from its end."""
    place = at + size if at < 0 else at
    return size - 1 - max(min(place, size - 1), -1)


@generic
def to_list(a):
    """``a.tolist()``"""
    if a.ndim == 1:
        return [x.item() for x in a]
    return [to_list(row) for row in a]


# ---- indices


@generic
def indices_1(n):
    """``np.ndindex(n)``"""
    return [(i,) for i in range(n)]


@generic
def indices_2(n, m):
    """``np.ndindex(n, m)``"""
    return [(i, j) for i in range(n) for j in range(m)]


@generic
def indices_3(n, m, o):
    """``np.ndindex(n, m, o)``"""
    return [(i, j, k) for i in range(n) for j in range(m) for k in range(o)]


@generic
def enumerated_1(a):
    """``np.ndenumerate(a)``"""
    return [((i,), a[i]) for i in range(a.shape[0])]


@generic
def enumerated_2(a):
    """``np.ndenumerate(a)``"""
    return [((i, j), a[i, j]) for i in range(a.shape[0]) for j in range(a.shape[1])]


@generic
def enumerated_3(a):
    """``np.ndenumerate(a)``"""
    return [((i, j, k), a[i, j, k]) for i in range(a.shape[0]) for j in range(a.shape[1]) for k in range(a.shape[2])]
