"""Operators of lists. A ``tuple[T, ...]`` is a list that does not change and takes part in those that only read."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any

from tscript.abi.python import PYTHON
from tscript.arrays import np
from tscript.definitions.define import native
from tscript.definitions.opdef import RAISES, Arg, Effects, KernelBody, OpDef, OperatorTypeError
from tscript.definitions.tensor_printing import array_repr
from tscript.late import replace
from tscript.types import BOOL, FLOAT, INT, ListType, Type

CHANGES = Effects(raises=True, world=True)
"""What operators do that change a list, a dict or a set."""


def reads(schema: str, semantics: Callable[..., object], body: KernelBody, doc: str, **more: Any) -> OpDef:
    """An operator that reads a container: what it gives depends on when it runs."""
    return native(schema, semantics, body, doc, effects=RAISES, **more)


def changes(schema: str, semantics: Callable[..., object], body: KernelBody, doc: str, **more: Any) -> OpDef:
    """An operator that changes a container."""
    return native(schema, semantics, body, doc, effects=CHANGES, **more)


def _getitem(self: Sequence[Any], index: int) -> object:
    return self[index]


def _setitem(self: list[Any], index: int, item: object) -> None:
    self[index] = item


def _delitem(self: list[Any], index: int) -> None:
    del self[index]


def _slice(self: Sequence[Any], start: int | None, stop: int | None, step: int | None) -> object:
    return self[start:stop:step]


def _set_slice(self: list[Any], start: int | None, stop: int | None, step: int | None, other: list[Any]) -> None:
    self[start:stop:step] = other


def _delete_slice(self: list[Any], start: int | None, stop: int | None, step: int | None) -> None:
    del self[start:stop:step]


def _sort(self: list[Any], reverse: bool) -> None:
    self.sort(reverse=reverse)


def _sorted(self: Sequence[Any], reverse: bool) -> list[Any]:
    return sorted(self, reverse=reverse)


def _argsort(keys: Sequence[Any], reverse: bool) -> list[int]:
    return sorted(range(len(keys)), key=keys.__getitem__, reverse=reverse)


def _take(self: Sequence[Any], order: Sequence[int]) -> list[Any]:
    return [self[k] for k in order]


def _permute(self: list[Any], order: Sequence[int]) -> None:
    if sorted(order) != list(range(len(self))):
        raise ValueError("list modified during sort")
    self[:] = [self[k] for k in order]


def _reserve(self: list[Any], length: int) -> None:
    if length > _LARGEST // 8:
        raise MemoryError("cannot allocate a list of that many elements")


def _argmin(self: Sequence[Any]) -> int:
    return min(range(len(self)), key=self.__getitem__) if self else min(())


def _argmax(self: Sequence[Any]) -> int:
    return max(range(len(self)), key=self.__getitem__) if self else max(())


def _sum_ints(self: Sequence[int], start: int) -> int:
    found = sum(self, start)
    if not -(2**63) <= found < 2**63:
        raise OverflowError("int overflow: the sum does not fit 64 bits; use floats, or plain Python")
    return found


def _wrapping_sum(self: Sequence[int], start: int) -> int:
    return (sum(self, start) + 2**63) % 2**64 - 2**63


def _sum_floats(self: Sequence[float], start: float) -> float:
    return sum(self, start)


def _iadd(self: list[Any], other: Sequence[Any]) -> list[Any]:
    self += other
    return self


def _imul(self: list[Any], times: int) -> list[Any]:
    self *= times
    return self


def _index(self: Sequence[Any], item: object, start: int, stop: int) -> int:
    with np.printoptions(override_repr=array_repr):  # the message shows the item
        return self.index(item, start, stop)


def _of_numbers(result: Type, elements: tuple[Type, ...]) -> Callable[[Sequence[Arg]], Type]:
    def rule(args: Sequence[Arg]) -> Type:
        found = args[0].type
        if not isinstance(found, ListType) or found.element not in elements:
            raise OperatorTypeError(f"the sum of a {found} is not {'an int' if result == INT else 'a float'}")
        return result

    return rule


_LARGEST = sys.maxsize
_SUM_FLOATS = "sums.list_sum_floats_compensated" if PYTHON >= 312 else "sums.list_sum_floats"

_INDEX = "lists.list_index" if PYTHON >= 314 else "raising.list_index_shown"

OPERATORS: tuple[OpDef, ...] = (
    reads("len.list(list self) -> int", len, "lists.list_len", "The number of elements."),
    reads("getitem.list(list self, int index) -> T", _getitem, "lists.list_getitem", "An element."),
    changes("setitem.list(list self, int index, T item) -> None", _setitem, "lists.list_setitem", "Sets an element."),
    changes("delitem.list(list self, int index) -> None", _delitem, "lists.list_delitem", "Takes an element out."),
    reads(
        "slice.list(list self, int? start, int? stop, int? step) -> self",
        _slice,
        "slices.list_slice",
        "A list of a slice.",
    ),
    changes(
        "set_slice.list(list self, int? start, int? stop, int? step, list[T] other) -> None",
        _set_slice,
        "slices.list_set_slice",
        "Puts the elements of another list in the place of a slice.",
    ),
    changes(
        "delete_slice.list(list self, int? start, int? stop, int? step) -> None",
        _delete_slice,
        "slices.list_delete_slice",
        "Takes a slice out.",
    ),
    changes("append.list(list self, T item) -> None", list.append, "lists.list_append", "Adds an element at the end."),
    changes(
        "extend.list(list self, list[T] other) -> None",
        list.extend,
        "lists.list_extend",
        "Adds the elements of another list.",
    ),
    changes(
        "insert.list(list self, int index, T item) -> None", list.insert, "lists.list_insert", "Puts an element in."
    ),
    changes("pop.list(list self, int index=-1) -> T", list.pop, "lists.list_pop", "Takes an element out and gives it."),
    changes(
        "remove.list(list self, T item) -> None", list.remove, "lists.list_remove", "Takes the first equal element out."
    ),
    changes("clear.list(list self) -> None", list.clear, "lists.list_clear", "Takes all elements out."),
    changes(
        "reserve.list(list self, int length) -> None",
        _reserve,
        "lists.list_reserve",
        "Makes room for so many elements.",
    ),
    changes("reverse.list(list self) -> None", list.reverse, "lists.list_reverse", "Turns the order round."),
    changes(
        "sort.list(list self, *, bool reverse=False) -> None", _sort, "sorting.list_sort", "Sorts the elements, stably."
    ),
    changes(
        "iadd.list(list self, list[T] other) -> self",
        _iadd,
        "lists.list_iadd",
        "Adds the elements of another list in place.",
    ),
    changes("imul.list(list self, int times) -> self", _imul, "lists.list_imul", "Repeats the elements in place."),
    changes(
        "permute.list(list self, list[int] order) -> None",
        _permute,
        "sorting.list_permute",
        "Puts the elements into an order.",
    ),
    reads(
        f"index.list(list self, T item, int start=0, int stop={_LARGEST}) -> int",
        _index,
        _INDEX,
        "Where the first equal element is.",
    ),
    reads(
        f"tuple_index.list(list self, T item, int start=0, int stop={_LARGEST}) -> int",
        _index,
        "lists.tuple_index",
        "Where the first equal element of a tuple is.",
    ),
    reads(
        "count.list(list self, T item) -> int",
        lambda s, x: s.count(x),
        "lists.list_count",
        "The number of equal elements.",
    ),
    reads(
        "contains.list(list self, T item) -> bool", lambda s, x: x in s, "lists.list_contains", "Whether one is equal."
    ),
    reads("copy.list(list self) -> self", lambda s: s[:], "lists.list_copy", "A list of the same elements."),
    reads("add.list(list self, self other) -> self", lambda a, b: a + b, "lists.list_add", "The elements of both."),
    reads("mul.list(list self, int times) -> self", lambda s, n: s * n, "lists.list_mul", "The elements, repeated."),
    reads(
        "eq.list(list self, self other) -> bool",
        lambda a, b: a == b,
        "lists.list_eq",
        "Whether all elements are equal.",
    ),
    reads(
        "ne.list(list self, self other) -> bool", lambda a, b: a != b, "lists.list_ne", "Whether some are not equal."
    ),
    reads("lt.list(list self, self other) -> bool", lambda a, b: a < b, "lists.list_lt", "Whether it comes before."),
    reads(
        "le.list(list self, self other) -> bool",
        lambda a, b: a <= b,
        "lists.list_le",
        "Whether it does not come after.",
    ),
    reads("gt.list(list self, self other) -> bool", lambda a, b: a > b, "lists.list_gt", "Whether it comes after."),
    reads(
        "ge.list(list self, self other) -> bool",
        lambda a, b: a >= b,
        "lists.list_ge",
        "Whether it does not come before.",
    ),
    reads("to_list.list(list self) -> list[T]", list, "lists.list_convert", "The elements as a list.", typed=True),
    reads(
        "to_tuple.list(list self) -> tuple[T, ...]", tuple, "lists.list_convert", "The elements as a tuple.", typed=True
    ),
    reads(
        "sorted.list(list self, *, bool reverse=False) -> list[T]",
        _sorted,
        "sorting.list_sorted",
        "Sorted, stably.",
        typed=True,
    ),
    reads(
        "argsort.list(list keys, bool reverse=False) -> list[int]",
        _argsort,
        "sorting.list_argsort",
        "The numbers of the elements in the order of their keys.",
        typed=True,
    ),
    reads(
        "take.list(list self, list[int] order) -> list[T]",
        _take,
        "sorting.list_take",
        "The elements of these numbers.",
        typed=True,
    ),
    reads("argmin.list(list self) -> int", _argmin, "sorting.list_argmin", "Where the first least element is."),
    reads("argmax.list(list self) -> int", _argmax, "sorting.list_argmax", "Where the first greatest element is."),
    reads("min.list(list self) -> T", min, "sorting.list_min", "The first least element."),
    reads("max.list(list self) -> T", max, "sorting.list_max", "The first greatest element."),
    replace(
        reads(
            "sum.list_int(list self, int start=0) -> int",
            _sum_ints,
            "sums.list_sum_ints",
            "The sum of ints; OverflowError when it does not fit.",
            rule=_of_numbers(INT, (INT, BOOL)),
        ),
        earlier=("wrapping_sum.list_int",),
    ),
    reads(
        "sum.list_float(list self, float start=0.0) -> float",
        _sum_floats,
        _SUM_FLOATS,
        "The sum of floats.",
        rule=_of_numbers(FLOAT, (FLOAT,)),
    ),
)

HIDDEN: tuple[OpDef, ...] = (
    reads(
        "wrapping_sum.list_int(list self, int start=0) -> int",
        _wrapping_sum,
        "sums.list_sum_ints_wrapping",
        "The first version of `sum.list_int`.",
        rule=_of_numbers(INT, (INT, BOOL)),
    ),
)
"""What operators of old archives are read as."""
