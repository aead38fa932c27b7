"""Conversion of values by their types: calls of conversion kernels in stubs."""

from __future__ import annotations

from tscript.abi.helpers import FAIL
from tscript.abi.layout import MARSHAL
from tscript.abi.python import OBJECT_BODY
from tscript.abi.signature import SCALARS
from tscript.abi.symbols import MARSHAL_END, OBJECT_IN, OBJECT_OUT
from tscript.backend.llvm.types import llvm_type, narrowed, widened
from tscript.backend.stubs.state import NATIVE, Marshal, Stub
from tscript.types import DType, machine_type


def begin_marshal(stub: Stub, seen: int) -> None:
    """Reserve memory for the table of Python objects of the call, whose other tensors come as `Seen` says."""
    room = stub.text.alloca(f"[{MARSHAL.size} x i8], align 16", "marshal")
    stub.text.line(f"store [{MARSHAL.offsets['first'] // 8} x i64] zeroinitializer, ptr {room}")
    if seen:
        stub.text.line(f"store i64 {seen}, ptr {stub.at(room, MARSHAL.offsets['seen'])}")
    stub.marshal = Marshal(room, stub.text.alloca("i64", "said"))


def end_marshal(stub: Stub, is_called: bool) -> str:
    """Write changes back to Python objects, if the code was called, and free the table. Returns an i64 that is not 0 if
    that failed; None if no value is converted.
    """
    if stub.marshal is None:
        return ""
    room, failed = stub.marshal
    arguments = (f"ptr {stub.context}", f"ptr {room}", f"i64 {int(is_called)}", f"ptr {failed}")
    stub.call("i32", MARSHAL_END, *arguments, hint="status")
    return stub.text.let(f"load i64, ptr {failed}", "failed")


def unbox_object(stub: Stub, item: str, box: str) -> list[str]:
    """The leaves of a value, each with its LLVM type."""
    text = stub.text
    frame = text.alloca(f"[{len(item) - 1} x i64]", "frame")
    info, label = _type_info(stub), stub.constant()
    room, failed = _marshal(stub)
    text.line(f"store i64 0, ptr {failed}")
    status = stub.call(
        "i32",
        OBJECT_IN,
        *(f"ptr {stub.context}", f"ptr {room}", f"ptr {box}", f"ptr {info}", f"ptr {label}", f"ptr {frame}"),
        *(f"i64 {int(item[0] == 'M')}", f"ptr {failed}"),
        hint="status",
    )
    raised, fine = text.fresh_label("raised"), text.fresh_label("converted")
    text.branch_if(stub.is_zero(status), fine, raised)
    text.label(raised)
    stub.call("ptr", FAIL, f"ptr {stub.context}", f"i32 {status}")
    stub.can_fail = True
    text.branch("refused")
    text.label(fine)
    said = text.let(f"load i64, ptr {failed}", "said")
    stub.refuse_if(text.let(f"icmp ne i64 {said}, 0", "failed"))
    leaves = []
    for i, leaf in enumerate(item[2:-1]):
        if leaf in SCALARS:
            leaves.append(f"{NATIVE[leaf]} {_narrow(stub, stub.at(frame, 16 + 8 * i), SCALARS[leaf])}")
            continue
        native = NATIVE[leaf]
        leaves.append(f"{native} " + text.let(f"load {native}, ptr {stub.at(frame, 16 + 8 * i)}", "leaf"))
    return leaves


def _narrow(stub: Stub, cell: str, dtype: DType) -> str:
    """The NumPy scalar in a cell, in the form of memory."""
    text = stub.text
    wide = "double" if dtype.is_floating_point else "i64"
    found = narrowed(text, text.let(f"load {wide}, ptr {cell}", "leaf"), dtype)
    return text.let(f"zext i1 {found} to i8") if llvm_type(machine_type(dtype)) == "i1" else found


def box_object(stub: Stub, item: str, cells: str) -> str:
    """The Python form of a result in cells, whose leaves the code has written; null with an exception set."""
    text = stub.text
    for i, leaf in enumerate(item[2:-1]):
        if leaf in SCALARS:
            place = stub.at(cells, 8 * i)
            value = text.let(f"load {NATIVE[leaf]}, ptr {place}", "leaf")
            dtype = SCALARS[leaf]
            if NATIVE[leaf] != llvm_type(machine_type(dtype)):
                value = text.let(f"trunc i8 {value} to i1")
            wide, native = widened(text, value, dtype)
            text.line(f"store {native} {wide}, ptr {place}")
    out = text.alloca("ptr", "object")
    text.line(f"store ptr null, ptr {out}")
    info = _type_info(stub)
    room, _ = _marshal(stub)
    arguments = (f"ptr {stub.context}", f"ptr {room}", f"ptr {info}", f"ptr {cells}", f"ptr {out}")
    stub.call("i32", OBJECT_OUT, *arguments, hint="status")
    return text.let(f"load ptr, ptr {out}", "box")


def _type_info(stub: Stub) -> str:
    """The next constant, which is the address of a `TypeInfo` as the bits of a float."""
    return stub.text.let(f"load ptr, ptr {stub.at(stub.constant(), OBJECT_BODY)}", "info")


def _marshal(stub: Stub) -> Marshal:
    assert stub.marshal is not None
    return stub.marshal
