"""Tier 3: errors of groups whose shapes do not go together."""

from __future__ import annotations

from tscript.abi import exceptions
from tscript.abi.layout import MAX_ERROR_ARGS
from tscript.abi.rows import CAPACITY, MEMBERS, TENSORS, WRITTEN
from tscript.dialect import Object, Ptr, Thrown, i64, pointer_cast, stack, u8
from tscript.runtime.kernels.raising import with_argument
from tscript.runtime.kernels.rows import shape_of
from tscript.runtime.kernels.writer import begin_writer, put_char, put_int, put_utf8, put_word, word, written

RUNTIME_ERROR = exceptions.number_of("RuntimeError")
VALUE_ERROR = exceptions.number_of("ValueError")
COMMA = word(", ")
OPEN = word("(")
BETWEEN = word(",")
CLOSE = word(")")
PLACE = ord("%")


def put_shape(w: Ptr[i64], plan: Ptr[i64], shape: Ptr[i64]) -> None:
    """Write the sizes of a shape, separated by commas."""
    skipped = plan[CAPACITY] - shape[0]
    for i in range(shape[0]):
        if i > 0:
            put_word(w, COMMA)
        put_int(w, shape[1 + skipped + i])


def raise_stored(
    program: Ptr[i64], plan: Ptr[i64], before: Ptr[u8], between: Ptr[u8], behind: Ptr[u8], hidden: Ptr[u8]
) -> None:
    """Raise RuntimeError: the tensor that the last member writes in place has another shape than the value.

    Args:
        program, plan: See `tscript.abi.rows`.
        before, between, behind: The parts of the message around the two shapes.
        hidden: The message if these have too many sizes.
    """
    own = shape_of(plan, program[WRITTEN])
    stored = shape_of(plan, program[TENSORS] + program[MEMBERS] - 1)
    w = stack(4, i64)
    begin_writer(w)
    if own[0] + stored[0] > MAX_ERROR_ARGS:
        put_utf8(w, hidden)
    else:
        put_utf8(w, before)
        put_shape(w, plan, own)
        put_utf8(w, between)
        put_shape(w, plan, stored)
        put_utf8(w, behind)
    raise Thrown(with_argument(RUNTIME_ERROR, pointer_cast(written(w), Object)))


def put_array_shape(w: Ptr[i64], plan: Ptr[i64], shape: Ptr[i64]) -> None:
    """Write a shape as NumPy's errors show it."""
    put_word(w, OPEN)
    skipped = plan[CAPACITY] - shape[0]
    for i in range(shape[0]):
        if i > 0:
            put_word(w, BETWEEN)
        put_int(w, shape[1 + skipped + i])
    if shape[0] == 1:
        put_word(w, BETWEEN)
    put_word(w, CLOSE)


def raise_array_shapes(plan: Ptr[i64], message: Ptr[u8], shapes: Ptr[i64]) -> None:
    """Raise ValueError: the shapes of arrays do not go together.

    Args:
        plan: See `tscript.abi.rows`.
        message: ASCII; each ``%`` stands for a shape.
        shapes: The numbers of the shapes in the plan, in order; negative: a number, which has no dimensions.
    """
    w = stack(4, i64)
    begin_writer(w)
    at = 0
    k = 0
    while message[at] != 0:
        if message[at] != PLACE:
            put_char(w, i64(message[at]))
        elif shapes[k] < 0:
            put_word(w, OPEN)
            put_word(w, CLOSE)
            k = k + 1
        else:
            put_array_shape(w, plan, shape_of(plan, shapes[k]))
            k = k + 1
        at = at + 1
    raise Thrown(with_argument(VALUE_ERROR, pointer_cast(written(w), Object)))
