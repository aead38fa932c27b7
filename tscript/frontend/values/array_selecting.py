"""Arrays by masks and index arrays: ``a[a > 0]``, ``a[order]``, ``a[rows, columns] = v``. What is read is a copy."""

from __future__ import annotations

from collections.abc import Sequence

from tscript.diagnostics import Span
from tscript.frontend.diagnostics import errors
from tscript.frontend.lowering.arguments import call_function
from tscript.frontend.lowering.function import FunctionLowering
from tscript.frontend.lowering.subscripts import Slice
from tscript.frontend.lowering.tuples import make_tuple
from tscript.frontend.values import tensor_indexing
from tscript.frontend.values.array_literals import empty
from tscript.frontend.values.array_promotion import apply, array_type, as_array, as_dtype, as_scalar
from tscript.frontend.values.array_shape_errors import NOT_AT, check_broadcast, check_indices
from tscript.frontend.values.tensor_indexing import At, Many, New, Part
from tscript.ir.graph import Value
from tscript.operators.python.functions import array_selection
from tscript.types import INT, ArrayType, DType, dtypes


class Selection:
    """A part of an array that masks or index arrays choose.

    Attributes:
        array: The array after the other parts of the index.
        dim: The first dimension that is indexed.
        chosen: The index arrays, of which each is for one dimension, or the only mask.
    """

    def __init__(self, lowering: FunctionLowering, array: Value, parts: Sequence[Part], rest: int, span: Span) -> None:
        self.lowering, self.span = lowering, span
        self.chosen: list[Value] = []
        self.dim = -1
        kept: list[Part] = []
        place = 0
        for part in parts:
            if isinstance(part, Many):
                if self.dim < 0:
                    self.dim = place
                elif self.dim + len(self.chosen) != place:
                    raise self._refused("index arrays on both sides of another part")
                self.chosen.append(part.array)
                place += 1
                kept.append(whole(lowering, span))
            else:
                place += not isinstance(part, At)
                kept.append(part)
        if rest >= 0 and len(parts) > rest:
            raise self._refused("'...' before an index array")
        if len(self.chosen) > 1 or not self._is_mask(self.chosen[0]):
            self.array = as_array(tensor_indexing.view(lowering, array, kept, []))
            self.chosen = [self._positions(v, self.dim + k) for k, v in enumerate(self.chosen)]
        elif len(kept) > 1 and rank_of(self.chosen[0]) == 1:
            self.array = as_array(tensor_indexing.view(lowering, array, kept, []))
            self.chosen = [self._positions(self.chosen[0], self.dim)]
        elif len(kept) > 1:
            raise self._refused("a mask of several dimensions beside other parts")
        else:
            self.array = array

    def _refused(self, what: str) -> Exception:
        instead = "take the parts one after the other: a[:, i][j]"
        return self.lowering.failure(errors.UnsupportedIndex(self.span, "ndarray", what, instead))

    @staticmethod
    def _is_mask(array: Value) -> bool:
        return dtype_of(array) is dtypes.bool_

    def _positions(self, array: Value, dim: int) -> Value:
        if not self._is_mask(array):
            return as_dtype(self.lowering, array, dtypes.int64, self.span)
        if rank_of(array) != 1:
            raise self._refused("a mask of several dimensions beside other parts")
        size, axis = self._size(self.array, dim), self.lowering.const(dim, INT, self.span)
        return call_function(self.lowering, array_selection.places, [array, size, axis], self.span)

    def _size(self, array: Value, dim: int) -> Value:
        return self.lowering.apply("size", [array, self.lowering.const(dim, INT, self.span)], self.span)

    def _product(self, found: Sequence[Value]) -> Value:
        out = self.lowering.const(1, INT, self.span)
        for size in found:
            out = self.lowering.apply("mul", [out, size], self.span)
        return out

    def _shaped(self, array: Value, shape: Sequence[Value]) -> Value:
        return apply(self.lowering, "reshape", [array, make_tuple(self.lowering, shape, self.span)], self.span)

    def _broadcast(self) -> list[Value]:
        """The index arrays in one shape."""
        if len(self.chosen) == 1:
            return self.chosen
        total = self.chosen[0]
        for other in self.chosen[1:]:
            check_indices(self.lowering, self.sizes(total), self.sizes(other), self.span)
            total = apply(self.lowering, "add", [total, other], self.span)
        shape = make_tuple(self.lowering, self.sizes(total), self.span)
        return [apply(self.lowering, "broadcast_to", [v, shape], self.span) for v in self.chosen]

    def sizes(self, array: Value) -> list[Value]:
        """The size of each dimension."""
        return [self._size(array, dim) for dim in range(rank_of(array))]

    @property
    def is_mask(self) -> bool:
        """Whether it is one mask over the first dimensions."""
        return self._is_mask(self.chosen[0])

    def read(self) -> Value:
        """A copy of the elements."""
        lowering, span, array = self.lowering, self.span, self.array
        if self.is_mask:
            return self._masked()
        if rank_of(array) == 1 and rank_of(self.chosen[0]) == 1:
            return call_function(lowering, array_selection.take, [array, self.chosen[0]], span)
        found, sizes = self._broadcast(), self.sizes(array)
        first, count = self.dim, len(found)
        lead, middle, trail = sizes[:first], sizes[first : first + count], sizes[first + count :]
        shape = self.sizes(found[0])
        number = self._product(shape)
        blocks = self._shaped(array, [self._product(lead), self._product(middle), self._product(trail)])
        flat = [self._shaped(v, [number]) for v in found]
        places = call_function(
            lowering, array_selection.place_of, [flat[0], middle[0], lowering.const(first, INT, span)], span
        )
        for i in range(1, count):
            axis = lowering.const(first + i, INT, span)
            places = call_function(lowering, array_selection.place_in, [places, flat[i], middle[i], axis], span)
        out = empty(lowering, [self._product(lead), number, self._product(trail)], dtype_of(array), span)
        call_function(lowering, array_selection.take_blocks, [blocks, places, out], span)
        return self._shaped(out, [*lead, *shape, *trail])

    def _masked(self) -> Value:
        lowering, span, array, mask = self.lowering, self.span, self.array, self.chosen[0]
        call_function(lowering, array_selection.check_mask, [array, mask], span)
        if rank_of(array) == 1:
            return call_function(lowering, array_selection.compress, [array, mask], span)
        sizes = self.sizes(array)
        number = self._product(sizes[: rank_of(mask)])
        trail = sizes[rank_of(mask) :]
        flat = self._shaped(mask, [number])
        if not trail:
            return call_function(lowering, array_selection.compress, [self._shaped(array, [number]), flat], span)
        rows = self._shaped(array, [number, self._product(trail)])
        out = call_function(lowering, array_selection.compress_rows, [rows, flat], span)
        return self._shaped(out, [self._size(out, 0), *trail])

    def write(self, value: Value) -> None:
        """Set the elements."""
        lowering, span = self.lowering, self.span
        dtype = dtype_of(self.array)
        if not isinstance(value.type, ArrayType):
            value = as_scalar(lowering, value, dtype, span)
        else:
            value = apply(lowering, "clone", [as_dtype(lowering, value, dtype, span)], span)  # it may overlap
        if self.is_mask:
            call_function(lowering, array_selection.check_mask, [self.array, self.chosen[0]], span)
            rest = rank_of(self.array) - rank_of(self.chosen[0])
            if isinstance(value.type, ArrayType) and rank_of(value) > rest:
                if rank_of(value) != 1 + rest:
                    raise self._refused("a value of other dimensions than the elements of the mask")
                call_function(lowering, array_selection.put_masked, [self.array, self.chosen[0], value], span)
                return
            call_function(lowering, array_selection.put_mask, [self.array, self.chosen[0], value], span)
            return
        found = self._broadcast()
        count, first = len(found), self.dim
        if count > 2:
            raise self._refused("more than two index arrays on the left")
        array = self.array
        if first:
            order = [*range(first, first + count), *range(first), *range(first + count, rank_of(array))]
            dims = make_tuple(lowering, [lowering.const(d, INT, span) for d in order], span)
            array = apply(lowering, "permute", [array, dims], span)
            if isinstance(value.type, ArrayType) and rank_of(value) > 0:
                raise self._refused("an array as the value behind another part")
        shape = self.sizes(found[0])
        number = self._product(shape)
        flat = [self._shaped(v, [number]) for v in found]
        if not isinstance(value.type, ArrayType):
            function = array_selection.fill_at if count == 1 else array_selection.fill_at_pairs
            call_function(lowering, function, [array, *flat, value], span)
            return
        trail = self.sizes(array)[count:]
        target = make_tuple(lowering, [*shape, *trail], span)
        check_broadcast(lowering, self.sizes(value), [*shape, *trail], NOT_AT, span)
        spread = apply(lowering, "broadcast_to", [value, target], span)
        function = array_selection.put_at if count == 1 else array_selection.put_at_pairs
        call_function(lowering, function, [array, *flat, self._shaped(spread, [number, *trail])], span)


def rank_of(array: Value) -> int:
    """Its number of dimensions."""
    rank = array_type(array).rank
    assert rank is not None
    return rank


def dtype_of(array: Value) -> DType:
    """Its dtype."""
    dtype = array_type(array).dtype
    assert dtype is not None
    return dtype


def whole(lowering: FunctionLowering, span: Span) -> Slice:
    """The part ``:`` of an index."""
    none = lowering.constant(None, span)
    return Slice(none, none, lowering.const(1, INT, span), span)


def selection(
    lowering: FunctionLowering, array: Value, before: Sequence[Part], after: Sequence[Part], span: Span
) -> Selection | None:
    """What an index with masks or index arrays chooses; None of any other index."""
    parts = [*before, *after]
    if not any(isinstance(part, Many) for part in parts):
        return None
    if after:
        taken = sum(rank_of(p.array) if isinstance(p, Many) and dtype_of(p.array) is dtypes.bool_ else 1
                    for p in parts if not isinstance(p, New))  # fmt: skip
        parts = [*before, *(whole(lowering, span) for _ in range(rank_of(array) - taken)), *after]
    return Selection(lowering, array, parts, -1, span)
