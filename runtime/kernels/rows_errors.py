"""Tier 3: the error of a group of unknown ranks that writes in place what has another shape."""

from __future__ import annotations

from tscript.abi import exceptions
from tscript.abi.layout import MAX_ERROR_ARGS
from tscript.abi.rows import CAPACITY, MEMBERS, TENSORS, WRITTEN
from tscript.dialect import Object, Ptr, Thrown, i64, pointer_cast, stack, u8
from tscript.runtime.kernels.raising import with_argument
from tscript.runtime.kernels.rows import shape_of
from tscript.runtime.kernels.writer import begin_writer, put_int, put_utf8, put_word, word, written

RUNTIME_ERROR = exceptions.number_of("RuntimeError")
COMMA = word(", ")


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
