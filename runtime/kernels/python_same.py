"""Tier 3: whether a native value and a Python object are still the same."""

from __future__ import annotations

from tscript.dialect import (
    Marshal,
    Object,
    Ptr,
    Str,
    TypeInfo,
    Void,
    address,
    b8,
    bitcast,
    f64,
    i64,
    pointer,
    pointer_cast,
    stack,
    symbol,
    u8,
)
from tscript.runtime.kernels import kinds
from tscript.runtime.kernels import python_api as api
from tscript.runtime.kernels.marshal import find_native
from tscript.runtime.kernels.objects import cells_behind
from tscript.runtime.kernels.python_scalars import number_in


def same(m: Ptr[Marshal], o: Ptr[Void], info: Ptr[TypeInfo], cells: Ptr[i64]) -> b8:
    """Whether a Python object is what a value would be in Python, or as good as it. Runs no code of the user's."""
    kind = info.kind
    if kind == kinds.INT:
        number = stack(1, i64)
        if not api.is_int(o):
            return False
        return api.read_int(o, number) and number[0] == cells[0]
    if kind == kinds.FLOAT:
        if address(api.type_of(o)) == address(symbol("PyFloat_Type", Void)):
            return bitcast(api.read_float(o), i64) == cells[0]
        real = stack(1, f64)
        return number_in(o, real) and bitcast(real[0], i64) == cells[0]
    if kind == kinds.BOOL:
        truth_of = symbol("_Py_FalseStruct", Void)
        if cells[0] != 0:
            truth_of = symbol("_Py_TrueStruct", Void)
        return address(o) == address(truth_of)
    if kind == kinds.NONE:
        return api.is_none(o)
    if kind >= kinds.FIRST_HEAP or kind == kinds.OBJECT:
        return same_object(m, o, cells[0])
    if kind == kinds.OPTIONAL:
        value = info.parts[0]
        if value.kind >= kinds.FIRST_HEAP:
            return same_object(m, o, cells[0])
        if cells[0] == 0:
            return api.is_none(o)
        return same(m, o, value, cells + 1)
    if kind == kinds.TUPLE:
        return same_tuple(m, o, info, cells)
    if kind == kinds.COMPLEX:
        if not api.is_complex(o):
            return False
        return pointer_cast(o, i64)[2] == cells[0] and pointer_cast(o, i64)[3] == cells[1]
    if kind == kinds.ENUM:
        return address(info.objects) != 0 and api.tuple_items(info.objects)[cells[0]] == address(o)
    if kind == kinds.DTYPE:
        return address(api.type_of(o)) == api.python_word(api.DTYPE_TYPE) and i64(api.unbox_dtype(o)) == cells[0]
    if kind == kinds.LATE:
        return cells[0] != 0 and same(m, o, info.parts[0], cells + 1)
    return False


def same_tuple(m: Ptr[Marshal], o: Ptr[Void], info: Ptr[TypeInfo], cells: Ptr[i64]) -> b8:
    """`same` for a tuple."""
    if not api.is_tuple(o):
        return False
    if api.sequence_size(o) != info.count:
        return False
    at = cells
    for k in range(info.count):
        part = info.parts[k]
        if not same(m, pointer(api.tuple_items(o)[k], Void), part, at):
            return False
        at = at + part.cells
    return True


def same_object(m: Ptr[Marshal], o: Ptr[Void], cell: i64) -> b8:
    """`same` for a heap object or None."""
    if cell == 0:
        return api.is_none(o)
    native = pointer(cell, Object)
    info = native.typeinfo
    if address(info) == 0:
        if address(api.type_of(o)) == api.python_word(api.TENSOR_TYPE):
            return pointer_cast(o, i64)[2] == cell
        return api.is_given(pointer(cell, Void), o) != 0
    kind = info.kind
    if kind == kinds.STR:
        return same_str(o, pointer(cell, Str))
    if kind == kinds.BYTES:
        return same_bytes(o, pointer(cell, Str))
    if kind < kinds.FIRST_HEAP:
        return exact_kind(o, kind) and same(m, o, info, cells_behind(native))
    found = find_native(m, cell)
    if found < 0:
        return False
    return address((m.entries + found).object) == address(o)


def is_own(o: Ptr[Void], info: Ptr[TypeInfo]) -> b8:
    """Whether the numbers of a Python value that fits a type have exactly the declared types, not narrower ones."""
    kind = info.kind
    if kind == kinds.FLOAT:
        return not api.is_int(o)
    if kind == kinds.INT:
        return not api.is_bool(o)
    if kind == kinds.OPTIONAL:
        return api.is_none(o) or is_own(o, info.parts[0])
    if kind == kinds.TUPLE and api.is_tuple(o):
        for k in range(info.count):
            if not is_own(pointer(api.tuple_items(o)[k], Void), info.parts[k]):
                return False
    return True


def exact_kind(o: Ptr[Void], kind: i64) -> b8:
    """Whether an object is a number of this very kind, when it is about numbers: where any may be, 1 and True
    differ."""
    if kind == kinds.INT:
        return not api.is_bool(o)
    if kind == kinds.FLOAT:
        return not api.is_int(o)
    return True


def same_str(o: Ptr[Void], text: Ptr[Str]) -> b8:
    """`same` for a str."""
    if not api.is_str(o):
        return False
    if pointer_cast(o, i64)[2] != text.length or api.width_of(o) != i64(text.width):
        return False
    return same_memory(api.characters(o), pointer_cast(text + 1, u8), text.length * i64(text.width))


def same_bytes(o: Ptr[Void], text: Ptr[Str]) -> b8:
    """`same` for bytes."""
    if not api.has_flag(o, api.BYTES_FLAG):
        return False
    if api.sequence_size(o) != text.length:
        return False
    return same_memory(api.bytes_data(o), pointer_cast(text + 1, u8), text.length)


def same_memory(a: Ptr[Void], b: Ptr[Void], nbytes: i64) -> b8:
    """Whether two pieces of memory hold the same bytes."""
    words = pointer_cast(a, i64)
    others = pointer_cast(b, i64)
    for k in range(nbytes // 8):
        if words[k] != others[k]:
            return False
    at = nbytes & -8
    while at < nbytes and a[at] == b[at]:
        at = at + 1
    return at == nbytes
