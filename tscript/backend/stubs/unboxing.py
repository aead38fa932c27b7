"""Unboxing of arguments: a function for each letter of a parameter."""

from __future__ import annotations

from collections.abc import Callable

from tscript.abi.helpers import ARRAY_DONE, ARRAY_IN, RETAIN, SCALAR_IN, TORCH_IN, UNBOX_DTYPE, UNBOX_FUTURE, UNBOX_INT
from tscript.abi.python import OBJECT_BODY
from tscript.abi.signature import SCALARS, Item, Signature, is_object, letters
from tscript.backend.stubs.objects import unbox_object
from tscript.backend.stubs.state import NATIVE, Stub


def unbox(stub: Stub, item: Item, box: str, position: int) -> list[str]:
    """The native arguments for the object `box`, each with its LLVM type.

    Args:
        stub: The stub, which does it.
        item: What it is.
        box: The object.
        position: Of the argument in the call, for errors.
    """
    if not isinstance(item, str):
        elements = ((inner, stub.item(box, index, "element")) for index, inner in enumerate(item))
        return [native for inner, element in elements for native in unbox(stub, inner, element, position)]
    if is_object(item):
        return unbox_object(stub, item, box)
    if item in SCALARS:
        place = stub.text.alloca(NATIVE[item], "scalar")
        stub.call("void", SCALAR_IN, f"ptr {box}", f"ptr {place}")
        return [f"{NATIVE[item]} " + stub.text.let(f"load {NATIVE[item]}, ptr {place}", "scalar")]
    return _BY_LETTER[item](stub, box, position)


def begin_arrays(stub: Stub, signature: Signature) -> None:
    """Reserve places for the tensors over arrays."""
    for item in signature.parameters:
        for letter in letters(item):
            if letter in "AH":
                stub.arrays.append(stub.text.alloca("ptr", "array"))
                stub.text.line(f"store ptr null, ptr {stub.arrays[-1]}")
    stub.unmade = iter(stub.arrays)


def end_arrays(stub: Stub) -> None:
    """Drop the tensors over arrays that were made."""
    for place in stub.arrays:
        stub.call("void", ARRAY_DONE, "ptr " + stub.text.let(f"load ptr, ptr {place}", "array"))


def _unbox_nothing(stub: Stub, box: str, position: int) -> list[str]:
    return []


def _unbox_float(stub: Stub, box: str, position: int) -> list[str]:
    return ["double " + stub.text.let(f"load double, ptr {stub.at(box, OBJECT_BODY)}", "f")]


def _unbox_tensor(stub: Stub, box: str, position: int) -> list[str]:
    return ["ptr " + stub.text.let(f"load ptr, ptr {stub.at(box, OBJECT_BODY)}", "impl")]


def _unbox_array(stub: Stub, box: str, position: int) -> list[str]:
    return _unbox_by(stub, ARRAY_IN, box)


def _unbox_torch(stub: Stub, box: str, position: int) -> list[str]:
    return _unbox_by(stub, TORCH_IN, box)


def _unbox_by(stub: Stub, helper: str, box: str) -> list[str]:
    """A tensor over the memory of an object: one for each object."""
    text, place = stub.text, next(stub.unmade)
    done = text.fresh_label("shared")
    for earlier, where in stub.shared:
        again, other = text.fresh_label("again"), text.fresh_label("other")
        text.branch_if(text.let(f"icmp eq ptr {box}, {earlier}", "same"), again, other)
        text.label(again)
        impl = text.let(f"load ptr, ptr {where}", "impl")
        stub.call("void", RETAIN, f"ptr {impl}")
        text.line(f"store ptr {impl}, ptr {place}")
        text.branch(done)
        text.label(other)
    impl = stub.call("ptr", helper, f"ptr {box}")
    text.line(f"store ptr {impl}, ptr {place}")
    stub.refuse_if(text.let(f"icmp eq ptr {impl}, null", "failed"))
    text.branch(done)
    text.label(done)
    stub.shared.append((box, place))
    return ["ptr " + text.let(f"load ptr, ptr {place}", "impl")]


def _unbox_future(stub: Stub, box: str, position: int) -> list[str]:
    future = stub.call("ptr", UNBOX_FUTURE, f"ptr {box}")
    stub.refuse_if(stub.text.let(f"icmp eq ptr {future}, null", "failed"))
    return [f"ptr {future}"]


def _unbox_bool(stub: Stub, box: str, position: int) -> list[str]:
    true = stub.text.let(f"icmp eq ptr {box}, {stub.text.declare_global('_Py_TrueStruct')}", "true")
    return ["i8 " + stub.text.let(f"zext i1 {true} to i8", "b")]


def _unbox_int(stub: Stub, box: str, position: int) -> list[str]:
    slot = stub.text.alloca("i64", "int")
    failed = stub.call("i32", UNBOX_INT, f"ptr {box}", f"ptr {slot}", f"i64 {position + 1}")
    stub.refuse_if(stub.text.let(f"icmp ne i32 {failed}, 0", "failed"))
    return ["i64 " + stub.text.let(f"load i64, ptr {slot}", "i")]


def _unbox_int_as_float(stub: Stub, box: str, position: int) -> list[str]:
    text = stub.text
    value = stub.call("double", "PyLong_AsDouble", f"ptr {box}", hint="w")
    doubtful = text.let(f"fcmp oeq double {value}, -1.0", "doubtful")
    look, fine = text.fresh_label("look"), text.fresh_label("fine")
    text.branch_if(doubtful, look, fine)
    text.label(look)
    error = stub.call("ptr", "PyErr_Occurred", hint="error")
    stub.can_fail = True
    text.branch_if(text.let(f"icmp ne ptr {error}, null", "failed"), "refused", fine)
    text.label(fine)
    return [f"double {value}"]


def _unbox_dtype(stub: Stub, box: str, position: int) -> list[str]:
    code = stub.call("i32", UNBOX_DTYPE, f"ptr {box}")
    stub.refuse_if(stub.text.let(f"icmp slt i32 {code}, 0", "failed"))
    return [f"i32 {code}"]


_BY_LETTER: dict[str, Callable[[Stub, str, int], list[str]]] = {
    "_": _unbox_nothing,
    "f": _unbox_float,
    "T": _unbox_tensor,
    "A": _unbox_array,
    "H": _unbox_torch,
    "F": _unbox_future,
    "b": _unbox_bool,
    "i": _unbox_int,
    "w": _unbox_int_as_float,
    "d": _unbox_dtype,
}
