"""Python values as cells and heap objects, and calls of kernels on them: under CPython over checked memory, and
natively."""

# mypy: disable-error-code="attr-defined"

from __future__ import annotations

import contextlib
import ctypes
import inspect
import struct
from collections.abc import Iterator
from functools import cache
from typing import Any, get_args

from tscript.abi import exceptions
from tscript.abi.cells import cells_of, itemsize_of, kind_of, parts_of
from tscript.abi.kinds import TypeKind
from tscript.abi.layout import (
    CONTEXT,
    DELETED,
    DICT_STRUCT,
    ENUM_VALUES,
    LIST_FROZEN,
    LIST_STRUCT,
    MAX_DEPTH,
    OBJECT_STRUCT,
    STR_STRUCT,
    TYPEINFO,
    Struct,
)
from tscript.abi.strings import str_object
from tscript.abi.symbols import kernel_symbol, type_symbol
from tscript.dialect import Object, PointerTo, Thrown, b8, f64, i32, i64, memory_model, pointer_cast
from tscript.runtime.kernels.strings import char_at
from tscript.runtime.session.build import kernels
from tscript.runtime.session.process import current
from tscript.runtime.values.typeinfo import references_of, strings_of_members
from tscript.types import (
    STR,
    ClassType,
    DictType,
    EnumType,
    ListType,
    OptionalType,
    SetType,
    StructType,
    TupleType,
    Type,
    is_heap,
)

CTYPES = {i64: ctypes.c_int64, i32: ctypes.c_int32, f64: ctypes.c_double, b8: ctypes.c_uint8}


@cache
def hints_of(name: str) -> tuple[list[Any], list[Any]]:
    """The types of a kernel's parameters and of its results."""
    kernel = kernels()[name]
    hints = inspect.get_annotations(kernel, eval_str=True)
    result = hints["return"]
    results = [] if result is None else list(get_args(result)) or [result]
    return [hints[p] for p in inspect.signature(kernel).parameters], results


def float_cell(x: float) -> int:
    """The bits of a float as an int."""
    found: int = struct.unpack("<q", struct.pack("<d", x))[0]
    return found


def cell_float(cell: int) -> float:
    """The float with these bits."""
    found: float = struct.unpack("<d", struct.pack("<q", cell))[0]
    return found


class Heap:
    """Where values are: `read`, `write` and `call` with plain addresses, and what follows from them."""

    @property
    def live(self) -> int:
        """Blocks in use."""
        raise NotImplementedError

    def memory(self, nbytes: int) -> int:
        """Some memory that is not counted."""
        raise NotImplementedError

    def read(self, address: int) -> int:
        """A cell."""
        raise NotImplementedError

    def write(self, address: int, value: int) -> None:
        """Set a cell."""
        raise NotImplementedError

    def data(self, address: int, nbytes: int) -> bytearray | memoryview:
        """Bytes of memory, to be read and written."""
        raise NotImplementedError

    def info(self, type: Type) -> int:
        """The address of a `TypeInfo`."""
        raise NotImplementedError

    def call(self, name: str, *args: Any) -> Any:
        """Call a kernel with addresses and numbers."""
        raise NotImplementedError

    def field(self, address: int, struct: Struct, name: str) -> int:
        """A field of eight bytes."""
        return self.read(address + struct.offsets[name])

    # Values

    def cells(self, type: Type, value: Any) -> list[int]:
        """A value as cells, which own what they refer to."""
        match type:
            case TupleType(elements=elements):
                return [c for t, v in zip(elements, value, strict=True) for c in self.cells(t, v)]
            case OptionalType(value=inner):
                if is_heap(inner):
                    return [0] if value is None else self.cells(inner, value)
                return [0] * cells_of(type) if value is None else [1, *self.cells(inner, value)]
            case EnumType(info=info):
                return [[*info.members].index(value.name)]
        match kind_of(type):
            case TypeKind.NONE:
                return []
            case TypeKind.INT | TypeKind.BOOL:
                return [int(value)]
            case TypeKind.FLOAT:
                return [float_cell(value)]
            case TypeKind.COMPLEX:
                return [float_cell(value.real), float_cell(value.imag)]
            case TypeKind.OBJECT:
                return [0 if value is None else self.boxed(self.type_of(value), value)]
        return [self.object(type, value)]

    def type_of(self, value: Any) -> Type:
        """The type that a value has where it may be any; tests put another function here."""
        raise NotImplementedError

    def boxed(self, type: Type, value: Any) -> int:
        """A value as it lies where any may be."""
        if is_heap(type):
            return self.object(type, value)
        row = self.cells(type, value)
        made: int = self.call("heap_allocate", OBJECT_STRUCT.size + 8 * len(row))
        for k, cell in enumerate([1, self.info(type), *row]):
            self.write(made + 8 * k, cell)
        return made

    def object(self, type: Type, value: Any) -> int:
        """A new heap object."""
        match type:
            case ListType(element=element):
                made = self.call("list_new", self.info(type), len(value))
                for v in value:
                    with self.held(element, v) as cells:
                        self.call("list_append", made, cells)
                return int(made)
            case DictType(key=key, value=inner):
                made = self.call("dict_new", self.info(type))
                for k, v in value.items():
                    with self.held(key, k) as a, self.held(inner, v) as b:
                        self.call("dict_setitem", made, a, b)
                return int(made)
            case SetType(element=element):
                made = self.call("dict_new", self.info(type))
                for v in value:
                    with self.held(element, v) as cells:
                        self.call("set_add", made, cells)
                return int(made)
            case ClassType(info=info):
                row = [c for n, t in info.fields.items() for c in self.cells(t, getattr(value, n))]
                made = self.call("heap_allocate", OBJECT_STRUCT.size + 8 * len(row))
                for k, cell in enumerate([1, self.info(type), *row]):
                    self.write(made + 8 * k, cell)
                return int(made)
        assert isinstance(value, str | bytes), type
        return self.text(type, value)

    def text(self, type: Type, value: str | bytes) -> int:
        """A str or bytes."""
        data = str_object(value, self.info(type), 1)
        made: int = self.call("heap_allocate", len(data))
        self.data(made, len(data))[:] = data
        return made

    @contextlib.contextmanager
    def held(self, type: Type, value: Any) -> Iterator[int]:
        """The address of a value's cells; what they refer to is released at the end."""
        cells = self.cells(type, value)
        at = self.memory(8 * max(1, len(cells)))
        for k, cell in enumerate(cells):
            self.write(at + 8 * k, cell)
        yield at
        self.release(type, at)

    def release(self, type: Type, at: int) -> None:
        """Drop the references of a value."""
        for k in references_of(type):
            self.call("object_release", self.read(at + 8 * k))

    def value(self, type: Type, at: int) -> Any:
        """The value in the cells at an address."""
        match type:
            case TupleType(elements=elements):
                out = []
                for t in elements:
                    out.append(self.value(t, at))
                    at += 8 * cells_of(t)
                return tuple(out)
            case OptionalType(value=inner):
                if self.read(at) == 0:
                    return None
                return self.value(inner, at if is_heap(inner) else at + 8)
        match kind_of(type):
            case TypeKind.NONE:
                return None
            case TypeKind.INT | TypeKind.ENUM:
                return self.read(at)
            case TypeKind.BOOL:
                return bool(self.read(at))
            case TypeKind.FLOAT:
                return cell_float(self.read(at))
        return self.loaded(type, self.read(at))

    def loaded(self, type: Type, at: int) -> Any:
        """The value of a heap object."""
        match type:
            case ListType(element=element):
                data, length = self.field(at, LIST_STRUCT, "data"), self.field(at, LIST_STRUCT, "length")
                width = self.field(at, LIST_STRUCT, "itemsize")
                assert length <= self.field(at, LIST_STRUCT, "capacity")
                if width == 1:
                    row = bytes(self.data(data, length)) if length else b""
                    found = [bool(byte) if kind_of(element) == TypeKind.BOOL else byte for byte in row]
                else:
                    found = [self.value(element, data + width * k) for k in range(length)]
                return tuple(found) if type.frozen else found
            case DictType(key=key, value=inner):
                skip = 8 * (1 + cells_of(key))
                return {self.value(key, e + 8): self.value(inner, e + skip) for e in self.entries(at)}
            case SetType(element=element):
                return {self.value(element, e + 8) for e in self.entries(at)}
        length = self.field(at, STR_STRUCT, "length")
        width = self.field(at, STR_STRUCT, "width") & 0xFFFFFFFF
        raw = bytes(self.data(at + STR_STRUCT.size, length * width))
        if kind_of(type) == TypeKind.BYTES:
            return raw
        return "".join(chr(int.from_bytes(raw[k : k + width], "little")) for k in range(0, len(raw), width))

    def entries(self, at: int) -> Iterator[int]:
        """The addresses of the entries of a dict or a set."""
        start, stride = self.field(at, DICT_STRUCT, "entries"), 8 * self.field(at, DICT_STRUCT, "stride")
        rows = [start + stride * k for k in range(self.field(at, DICT_STRUCT, "used"))]
        found = [row for row in rows if self.read(row) != DELETED]
        assert len(found) == self.field(at, DICT_STRUCT, "length")
        return iter(found)

    def out(self, type: Type, name: str, *args: Any) -> Any:
        """Call a kernel whose result goes to cells; gives the value."""
        at = self.memory(8 * max(1, cells_of(type)))
        self.call(name, *args, at)
        found = self.value(type, at)
        self.release(type, at)
        return found

    def owned(self, type: Type, address: int) -> Any:
        """The value of a heap object that is released."""
        found = self.loaded(type, address)
        self.call("object_release", address)
        return found


class ModelHeap(Heap):
    """Kernels under CPython over checked memory."""

    def __init__(self) -> None:
        memory_model.reset()
        self.heap = memory_model._symbol("ts_heap_v1", StructType("Heap"))
        memory_model._context().depth = MAX_DEPTH
        self.infos: dict[Type, int] = {}
        self.info(STR)
        self.add_exceptions()

    def add_exceptions(self) -> None:
        """Let kernels find the classes of the exceptions that they raise as objects."""
        table: Any = memory_model._symbol("ts_exception_types_v1", i64.type)
        for name in ("KeyError", "ValueError"):
            table[exceptions.number_of(name)] = self.info(exceptions.EXCEPTIONS[name])

    @property
    def live(self) -> int:
        return int(self.heap.live_blocks)

    def memory(self, nbytes: int) -> int:
        return memory_model.to_address(memory_model.allocate(nbytes, i64, "test"))

    def read(self, address: int) -> int:
        return int(memory_model.from_address(address, i64.type)[0])

    def write(self, address: int, value: int) -> None:
        memory_model.from_address(address, i64.type)[0] = value

    def data(self, address: int, nbytes: int) -> memoryview:
        region, offset = memory_model.space().find(address)
        assert region is not None
        assert not region.freed
        return memoryview(region.data)[offset : offset + nbytes]

    def info(self, type: Type) -> int:
        if type not in self.infos:
            region = memory_model.space().allocate(TYPEINFO.size, f"{type}")
            memory_model.space().symbols[type_symbol(type)] = region
            made = self.infos[type] = region.address
            parts = parts_of(type)
            base = type.info.base if isinstance(type, ClassType) else None
            flags = type.info.flags if isinstance(type, ClassType) else 0
            if isinstance(type, ListType) and type.frozen:
                flags = LIST_FROZEN
            if isinstance(type, EnumType) and type.info.kind:
                flags = ENUM_VALUES
            texts = names_of(type)
            fields = {
                "drop": 0,
                "kind": kind_of(type),
                "cells": cells_of(type),
                "itemsize": itemsize_of(type),
                "count": len(type.info.members) if isinstance(type, EnumType) else len(parts),
                "parts": self.row([self.info(p) for p in (*parts, *key_arguments(type))]),
                "names": self.row([self.bytes(t) for t in texts]) if texts else 0,
                "name": self.bytes(str(type)),
                "base": self.info(ClassType(base)) if base else 0,
                "python": 0,
                "counted": len(references_of(type)),
                "flags": flags,
                "references": self.row(references_of(type)),
                "members": self.members(type),
            }
            for name, value in fields.items():
                self.write(made + TYPEINFO.offsets[name], int(value))
        return self.infos[type]

    def members(self, type: Type) -> int:
        values = list(type.info.members.values()) if isinstance(type, EnumType) and type.info.kind else []
        return self.row([v if isinstance(v, int) else self.text(STR, v) for v in values])  # type: ignore[arg-type]

    def row(self, cells: list[int]) -> int:
        at = self.memory(8 * max(1, len(cells)))
        for k, cell in enumerate(cells):
            self.write(at + 8 * k, cell)
        return at

    def bytes(self, text: str) -> int:
        raw = text.encode("utf-8", "surrogatepass") + b"\0"
        at = self.memory(len(raw))
        self.data(at, len(raw))[:] = raw
        return at

    def call(self, name: str, *args: Any) -> Any:
        parameters, _ = hints_of(name)
        given = [
            memory_model.from_address(a, memory_model.annotated_type(h.pointee)) if isinstance(h, PointerTo) else a
            for h, a in zip(parameters, args, strict=True)
        ]
        try:
            found = kernels()[name](*given)
        except Thrown as error:
            raise thrown(error) from None
        return memory_model.to_address(found) if isinstance(found, memory_model.Pointer) else found


def thrown(error: Thrown) -> Exception:
    """The exception that a kernel raised as an object of checked memory, which is released."""
    (made,) = error.args
    number = made.typeinfo.flags >> exceptions.NUMBER_SHIFT
    text = kernels()["exception_str"](made)
    points = [char_at(text, i) for i in range(text.length)]
    for heap_object in (text, made):
        kernels()["object_release"](pointer_cast(heap_object, Object))
    names = [n for n in ("KeyError", "ValueError") if exceptions.number_of(n) == number]
    return {"KeyError": KeyError, "ValueError": ValueError}[names[0]]("".join(map(chr, points)))


def key_arguments(type: Type) -> list[Type]:
    """What is behind the parts of a dict or set: the type of the arguments of a KeyError."""
    match type:
        case DictType(key=key) | SetType(element=key):
            return [TupleType((key,))]
    return []


def names_of(type: Type) -> list[str]:
    """The texts in `TypeInfo.names`."""
    match type:
        case ClassType(info=info):
            return list(info.fields)
        case EnumType(info=info):
            return strings_of_members(info)
        case TupleType(named=named) if named is not None:
            return list(named.fields)
    return []


class NativeHeap(Heap):
    """Compiled kernels."""

    def __init__(self) -> None:
        self.runtime = current()
        self.kept: list[Any] = []

    @property
    def live(self) -> int:
        return int(self.runtime.live_blocks())

    def memory(self, nbytes: int) -> int:
        self.kept.append(ctypes.create_string_buffer(nbytes))
        return ctypes.addressof(self.kept[-1])

    def read(self, address: int) -> int:
        return ctypes.c_int64.from_address(address).value

    def write(self, address: int, value: int) -> None:
        ctypes.c_int64.from_address(address).value = value

    def data(self, address: int, nbytes: int) -> memoryview:
        return memoryview((ctypes.c_char * nbytes).from_address(address)).cast("B")

    def info(self, type: Type) -> int:
        return self.runtime.library.types.address(type)

    def call(self, name: str, *args: Any) -> Any:
        parameters, results = hints_of(name)
        given = [CTYPES.get(h, ctypes.c_void_p)(a) for h, a in zip(parameters, args, strict=True)]
        outs: list[Any] = [CTYPES.get(h, ctypes.c_void_p)() for h in results]
        context = CONTEXT.ctype()
        context.depth = MAX_DEPTH
        run = ctypes.PYFUNCTYPE(ctypes.c_int)(self.runtime.library.address(kernel_symbol(name)))
        if run(ctypes.byref(context), *given, *(ctypes.byref(o) for o in outs)):
            raise self.runtime.errors.exception_of(ctypes.addressof(context))
        found = [bool(o.value) if h is b8 else o.value or 0 for h, o in zip(results, outs, strict=True)]
        return tuple(found) if len(found) > 1 else found[0] if found else None


HEAPS = [ModelHeap, NativeHeap]
