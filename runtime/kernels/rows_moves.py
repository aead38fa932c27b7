"""Tier 3: elements of fused groups between arrays of any layout and buffers. See `tscript.abi.rows`."""

# mypy: disable-error-code="no-any-return"
from __future__ import annotations

from tscript.abi.rows import ARRAY_HEAD, BUFFER, DONE, ITEMSIZE, MINOR, POINTER, REPEATED_FROM
from tscript.dialect import Ptr, T, c128, i8, i16, i32, i64, pointer


def move_elements(to: Ptr[T], step_to: i64, source: Ptr[T], step: i64, n: i64) -> None:
    """Copy `n` elements; steps in elements."""
    if step_to == 1 and step == 1:
        for i in range(n):
            to[i] = source[i]
        return
    if step_to == 1:
        for i in range(n):
            to[i] = source[i * step]
        return
    for i in range(n):
        to[i * step_to] = source[i * step]


def move(to: i64, step_to: i64, source: i64, step: i64, n: i64, itemsize: i64) -> None:
    """Copy `n` elements of `itemsize` bytes between two addresses; steps in bytes, multiples of `itemsize`."""
    if itemsize == 4:
        move_elements(pointer(to, i32), step_to // 4, pointer(source, i32), step // 4, n)
    elif itemsize == 8:
        move_elements(pointer(to, i64), step_to // 8, pointer(source, i64), step // 8, n)
    elif itemsize == 16:
        move_elements(pointer(to, c128), step_to // 16, pointer(source, c128), step // 16, n)
    elif itemsize == 1:
        move_elements(pointer(to, i8), step_to, pointer(source, i8), step, n)
    else:
        move_elements(pointer(to, i16), step_to // 2, pointer(source, i16), step // 2, n)


def move_short_elements(
    to: Ptr[T], row_to: i64, step_to: i64, source: Ptr[T], row: i64, step: i64, rows: i64, n: i64
) -> None:
    """Copy `rows` rows of `n` elements; distances of rows and of elements in elements."""
    for r in range(rows):
        for i in range(n):
            to[r * row_to + i * step_to] = source[r * row + i * step]


def move_short(
    to: i64, row_to: i64, step_to: i64, source: i64, row: i64, step: i64, rows: i64, n: i64, itemsize: i64
) -> None:
    """As `move`, for `rows` short rows; distances in bytes."""
    if itemsize == 4:
        move_short_elements(
            pointer(to, i32), row_to // 4, step_to // 4, pointer(source, i32), row // 4, step // 4, rows, n
        )
    elif itemsize == 8:
        move_short_elements(
            pointer(to, i64), row_to // 8, step_to // 8, pointer(source, i64), row // 8, step // 8, rows, n
        )
    elif itemsize == 16:
        move_short_elements(
            pointer(to, c128), row_to // 16, step_to // 16, pointer(source, c128), row // 16, step // 16, rows, n
        )
    elif itemsize == 1:
        move_short_elements(pointer(to, i8), row_to, step_to, pointer(source, i8), row, step, rows, n)
    else:
        move_short_elements(
            pointer(to, i16), row_to // 2, step_to // 2, pointer(source, i16), row // 2, step // 2, rows, n
        )


def fill_buffer(plan: Ptr[i64], array: Ptr[i64], inner: i64, count: i64) -> None:
    """Gather the next `count` elements of an array into its buffer."""
    minor = plan[MINOR]
    itemsize = array[ITEMSIZE]
    stride = array[ARRAY_HEAD + inner]
    if minor == 0:
        move(array[BUFFER], itemsize, array[POINTER] + plan[DONE] * stride, stride, count, itemsize)
    else:
        source = array[POINTER] + plan[DONE] // minor * stride
        if stride != 0 or array[REPEATED_FROM] != source:
            array[REPEATED_FROM] = source
            step = array[ARRAY_HEAD + inner + 1]
            move_short(array[BUFFER], minor * itemsize, itemsize, source, stride, step, count // minor, minor, itemsize)


def empty_buffer(plan: Ptr[i64], array: Ptr[i64], inner: i64, count: i64) -> None:
    """Scatter the `count` elements that were computed from the buffer of an array."""
    write_run(plan, array, inner, array[POINTER], plan[DONE], count, array[BUFFER])


def write_run(plan: Ptr[i64], array: Ptr[i64], inner: i64, start: i64, done: i64, count: i64, results: i64) -> None:
    """Write `count` elements of a row that begins at `start`, behind the first `done`, from the address `results`."""
    minor = plan[MINOR]
    itemsize = array[ITEMSIZE]
    stride = array[ARRAY_HEAD + inner]
    if minor == 0:
        move(start + done * stride, stride, results, itemsize, count, itemsize)
    else:
        to = start + done // minor * stride
        step = array[ARRAY_HEAD + inner + 1]
        move_short(to, stride, step, results, minor * itemsize, itemsize, count // minor, minor, itemsize)
