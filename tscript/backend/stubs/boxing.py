"""Boxing of results: a function for each letter of a result."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from tscript.abi.helpers import (
    ARRAY_OUT,
    BOX_CONSTANT,
    BOX_DTYPE,
    BOX_FUTURE,
    BOX_SIZE,
    BOX_TENSOR,
    PACK,
    PACK_AS,
    SCALAR_OUT,
    TORCH_OUT,
    WRAP,
)
from tscript.abi.layout import MARSHAL
from tscript.abi.signature import CLASS, SCALARS, Item, is_object, letters
from tscript.backend.stubs.objects import box_object
from tscript.backend.stubs.state import NATIVE, Stub


def result_slots(stub: Stub, result: Item) -> tuple[list[str], list[str]]:
    """The stack slots for the result, one for each letter that has one, and all out pointers."""
    slots, pointers = [], []
    for leaf in letters(result):
        if leaf in NATIVE:
            slots.append(stub.text.alloca(NATIVE[leaf], "out"))
            pointers.append(f"ptr {slots[-1]}")
        elif is_object(leaf):
            count = len(leaf) - 3
            slots.append(_zeros(stub, max(1, count)))
            pointers += [f"ptr {stub.at(slots[-1], 8 * i)}" for i in range(count)]
    return slots, pointers


def _zeros(stub: Stub, words: int) -> str:
    found = stub.text.alloca(f"[{words} x i64]", "zeros")
    stub.text.line(f"store [{words} x i64] zeroinitializer, ptr {found}")
    return found


def box(stub: Stub, item: Item, slots: Iterator[str]) -> str:
    """An owned reference to the Python form of `item`, null with an exception set. Takes over owned tensors.

    Args:
        stub: The stub, which does it.
        item: What it is.
        slots: Where the values of its letters lie.
    """
    if not isinstance(item, str):
        name = None
        if item[:1] == (CLASS,):
            item, name = item[1:], stub.next_constant()
        boxes = stub.text.alloca(f"[{max(1, len(item))} x ptr]", "boxes")
        for index, inner in enumerate(item):
            made = box(stub, inner, slots)
            stub.text.line(f"store ptr {made}, ptr {stub.at(boxes, 8 * index)}")
        if name is not None:
            return stub.call("ptr", PACK_AS, f"ptr {boxes}", f"i64 {len(item)}", "ptr %constants", f"i64 {name}")
        return stub.call("ptr", PACK, f"ptr {boxes}", f"i64 {len(item)}")
    if item in _WITHOUT_VALUE:
        return _WITHOUT_VALUE[item](stub)
    if is_object(item):
        return box_object(stub, item, next(slots))
    if item in SCALARS:
        return stub.call("ptr", SCALAR_OUT, f"ptr {next(slots)}", f"i64 {SCALARS[item].code}", hint="box")
    return _BY_LETTER[item](stub, stub.text.let(f"load {NATIVE[item]}, ptr {next(slots)}", "value"))


def _box_none(stub: Stub) -> str:
    return _singleton(stub, stub.text.declare_global("_Py_NoneStruct"))


def _box_constant(stub: Stub) -> str:
    return stub.call("ptr", BOX_CONSTANT, "ptr %constants", f"i64 {stub.next_constant()}")


def _box_float(stub: Stub, value: str) -> str:
    return stub.call("ptr", "PyFloat_FromDouble", f"double {value}", hint="box")


def _box_int(stub: Stub, value: str) -> str:
    return stub.call("ptr", "PyLong_FromLongLong", f"i64 {value}", hint="box")


def _box_bool(stub: Stub, value: str) -> str:
    true, false = map(stub.text.declare_global, ("_Py_TrueStruct", "_Py_FalseStruct"))
    truth = stub.text.let(f"icmp ne i8 {value}, 0", "true")
    return _singleton(stub, stub.text.let(f"select i1 {truth}, ptr {true}, ptr {false}", "box"))


def _box_tensor(stub: Stub, value: str) -> str:
    """As a Tensor, or, where tensors are in other values too, as what those came as."""
    if stub.marshal is None:
        return stub.call("ptr", WRAP, f"ptr {value}")
    seen = stub.text.let(f"load i64, ptr {stub.at(stub.marshal.room, MARSHAL.offsets['seen'])}", "seen")
    return stub.call("ptr", BOX_TENSOR, f"ptr {value}", f"i64 {seen}")


def _box_array(stub: Stub, value: str) -> str:
    return stub.call("ptr", ARRAY_OUT, f"ptr {value}")


def _box_torch(stub: Stub, value: str) -> str:
    return stub.call("ptr", TORCH_OUT, f"ptr {value}")


def _box_future(stub: Stub, value: str) -> str:
    return stub.call("ptr", BOX_FUTURE, f"ptr {value}")


def _box_size(stub: Stub, value: str) -> str:
    return stub.call("ptr", BOX_SIZE, f"ptr {value}")


def _box_dtype(stub: Stub, value: str) -> str:
    return stub.call("ptr", BOX_DTYPE, f"i32 {value}")


def _singleton(stub: Stub, value: str) -> str:
    """A new reference to None, True or False."""
    stub.call("void", "Py_IncRef", f"ptr {value}")
    return value


_WITHOUT_VALUE: dict[str, Callable[[Stub], str]] = {"N": _box_none, "c": _box_constant}

_BY_LETTER: dict[str, Callable[[Stub, str], str]] = {
    "f": _box_float,
    "i": _box_int,
    "b": _box_bool,
    "T": _box_tensor,
    "A": _box_array,
    "H": _box_torch,
    "F": _box_future,
    "S": _box_size,
    "d": _box_dtype,
}
