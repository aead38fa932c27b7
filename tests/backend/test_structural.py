"""Tuples and sizes: elements, lengths, bounds."""

from __future__ import annotations

import numpy as np
import pytest

from tscript.backend.emitters import MAKERS, VIEWS
from tscript.backend.nodes import classes, containers, exceptions, native, structural, unions
from tscript.operators.python.references import ALIAS_NAMES, ALIASES, is_alias
from tscript.operators.table import TABLE

OPS = tuple(TABLE[n] for n in ("getitem.tuple", "getitem.Size", "len.tuple"))
PICK = """
graph @f(%a: tuple[float, bool], %b: tuple[float, bool], %c: tuple[float, bool], %i: int) -> tuple[float, bool] {
  %t: tuple[tuple[float, bool], tuple[float, bool], tuple[float, bool]] = tuple.make(%a, %b, %c)
  %r: tuple[float, bool] = getitem.tuple(%t, %i)
  return %r
}
"""


def test_any_index_of_a_tuple(agree):
    elements = ((1.5, True), (2.5, False), (3.5, True))
    agree(PICK, *((*elements, i) for i in (0, 1, 2, -1, -3, 3, -4, 2**63 - 1, -(2**63))), ops=OPS)


def test_constant_indices_and_lengths(agree):
    agree(
        """
        graph @f(%t: tuple[int, float, bool]) -> tuple[bool, int, int] {
          %last: int = const -1
          %zero: int = const 0
          %a: bool = getitem.tuple(%t, %last)
          %b: int = getitem.tuple(%t, %zero)
          %n: int = len.tuple(%t)
          %r: tuple[bool, int, int] = tuple.make(%a, %b, %n)
          return %r
        }
        """,
        ((7, 2.5, True),),
        ops=OPS,
    )


def test_what_owns_nothing_is_known_to_the_counts():
    assert {*VIEWS} == ALIASES | {TABLE[name] for name in ALIAS_NAMES}
    assert not any(is_alias(op) for op in MAKERS)


def test_sizes(native, level):
    program = native.program(
        """
        graph @f(%s: Size, %i: int) -> tuple[int, int] {
          %a: int = getitem.Size(%s, %i)
          %n: int = len.tuple(%s)
          %r: tuple[int, int] = tuple.make(%a, %n)
          return %r
        }""",
        *OPS,
    )
    function = native.compile(program, level)
    size = native.heap.of(np.array([4, 5, 6], np.int64))
    assert [function(size, i) for i in (0, 2, -1, -3)] == [(4, 3), (6, 3), (6, 3), (4, 3)]
    for i in (3, -4):
        with pytest.raises(IndexError, match=r"^tuple index out of range$"):
            function(size, i)
    native.heap.release(size)


def test_tensors_out_of_tuples_stay_alive(native, level):
    program = native.program(
        """
        graph @f(%a: Tensor, %b: Tensor, %i: int) -> Tensor {
          %t: tuple[Tensor, Tensor] = tuple.make(%a, %b)
          %r: Tensor = getitem.tuple(%t, %i)
          return %r
        }""",
        *OPS,
    )
    function = native.compile(program, level)
    a, b = (native.heap.of(np.array([v])) for v in (1.0, 2.0))
    assert [function(a, b, i) for i in (0, 1, -1)] == [a, b, b]
    with pytest.raises(IndexError):
        function(a, b, 2)
    assert (native.heap.count(a), native.heap.count(b)) == (2, 3)
    for tensor in (a, a, b, b, b):
        native.heap.release(tensor)


def test_what_has_an_emitter_of_its_own_is_an_operator():
    modules = (structural, unions, classes, containers, exceptions, native)
    tables = [vars(module).get(name, {}) for module in modules for name in ("VIEWS", "MAKERS", "IN_PLACE")]
    names = [name for table in tables for name in table]
    assert len(names) > 40
    assert [name for name in names if name not in TABLE] == []
