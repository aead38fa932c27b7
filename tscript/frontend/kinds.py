"""`KINDS`: the kind of each type of the language. The operations of a kind are imported when a value is of it."""

from __future__ import annotations

from tscript.frontend.lowering.function import FunctionLowering
from tscript.frontend.lowering.kinds import Kind, Kinds
from tscript.once import LateTable
from tscript.types import (
    ANY,
    BOOL,
    BYTES,
    COMPLEX,
    DTYPE,
    FLOAT,
    GENERATOR,
    INT,
    NONE,
    OPTIONS,
    STR,
    ArrayType,
    CallableType,
    ClassType,
    DictType,
    EnumType,
    FutureType,
    ListType,
    OptionalType,
    ScalarType,
    SetType,
    SizeType,
    TensorType,
    TupleType,
    UnionType,
)


def _tensor() -> Kind[FunctionLowering]:
    from tscript.frontend.values.tensors import TENSOR_KIND

    return TENSOR_KIND


def _array() -> Kind[FunctionLowering]:
    from tscript.frontend.values.arrays import ARRAY_KIND

    return ARRAY_KIND


def _scalar() -> Kind[FunctionLowering]:
    from tscript.frontend.values.scalars import SCALAR_KIND

    return SCALAR_KIND


def _generator() -> Kind[FunctionLowering]:
    from tscript.frontend.values.generators import GENERATOR_KIND

    return GENERATOR_KIND


def _list() -> Kind[FunctionLowering]:
    from tscript.frontend.values.lists import LIST

    return LIST


def _dict() -> Kind[FunctionLowering]:
    from tscript.frontend.values.dicts import DICT

    return DICT


def _set() -> Kind[FunctionLowering]:
    from tscript.frontend.values.sets import SET

    return SET


def _tuple() -> Kind[FunctionLowering]:
    from tscript.frontend.values.tuples import TUPLE

    return TUPLE


def _shape() -> Kind[FunctionLowering]:
    from tscript.frontend.values.shapes import SHAPE

    return SHAPE


def _instance() -> Kind[FunctionLowering]:
    from tscript.frontend.values.objects import INSTANCE

    return INSTANCE


def _enum() -> Kind[FunctionLowering]:
    from tscript.frontend.values.enums import ENUM

    return ENUM


def _optional() -> Kind[FunctionLowering]:
    from tscript.frontend.values.unions import OPTIONAL

    return OPTIONAL


def _union() -> Kind[FunctionLowering]:
    from tscript.frontend.values.unions import UNION

    return UNION


def _callable() -> Kind[FunctionLowering]:
    from tscript.frontend.values.callables import CALLABLE

    return CALLABLE


def _future() -> Kind[FunctionLowering]:
    from tscript.frontend.values.others import FUTURE

    return FUTURE


def _number() -> Kind[FunctionLowering]:
    from tscript.frontend.values.numbers import NUMBER_KIND

    return NUMBER_KIND


def _complex() -> Kind[FunctionLowering]:
    from tscript.frontend.values.numbers import COMPLEX_KIND

    return COMPLEX_KIND


def _string() -> Kind[FunctionLowering]:
    from tscript.frontend.values.strings import STRING

    return STRING


def _bytes() -> Kind[FunctionLowering]:
    from tscript.frontend.values.strings import BYTES_KIND

    return BYTES_KIND


def _none() -> Kind[FunctionLowering]:
    from tscript.frontend.values.dtypes import NONE_KIND

    return NONE_KIND


def _anything() -> Kind[FunctionLowering]:
    from tscript.frontend.values.others import ANYTHING

    return ANYTHING


def _dtype() -> Kind[FunctionLowering]:
    from tscript.frontend.values.dtypes import DTYPE_KIND

    return DTYPE_KIND


def _option() -> Kind[FunctionLowering]:
    from tscript.frontend.values.options import OPTION_KIND

    return OPTION_KIND


def _row() -> Kind[FunctionLowering]:
    from tscript.frontend.values.lists import ROW

    return ROW


def _other() -> Kind[FunctionLowering]:
    from tscript.frontend.values.others import OTHER

    return OTHER


KINDS: Kinds[FunctionLowering] = Kinds(
    classes=LateTable(
        {
            TensorType: _tensor,
            ArrayType: _array,
            ScalarType: _scalar,
            ListType: _list,
            DictType: _dict,
            SetType: _set,
            TupleType: _tuple,
            SizeType: _shape,
            ClassType: _instance,
            EnumType: _enum,
            OptionalType: _optional,
            UnionType: _union,
            CallableType: _callable,
            FutureType: _future,
        }
    ),
    simple=LateTable(
        {
            INT: _number,
            FLOAT: _number,
            BOOL: _number,
            COMPLEX: _complex,
            STR: _string,
            BYTES: _bytes,
            GENERATOR: _generator,
            NONE: _none,
            ANY: _anything,
            DTYPE: _dtype,
            **dict.fromkeys(OPTIONS, _option),
        }
    ),
    rows=_row,
    other=_other,
)
