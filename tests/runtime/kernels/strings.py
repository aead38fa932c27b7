"""Two ways to run a kernel of texts on Python's str, bytes and lists of them: under CPython over checked memory, and
compiled.

Both check that what was allocated is given back, on errors too, and that no argument gains or loses a reference.
"""

# mypy: disable-error-code="attr-defined, assignment, union-attr, misc"

from __future__ import annotations

import ctypes
import functools
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from tests.runtime.kernels.heap_values import ModelHeap, thrown
from tscript.abi.layout import CONTEXT, LIST_STRUCT, MAX_DEPTH, NONE_INT, STR_STRUCT
from tscript.abi.symbols import kernel_symbol, type_symbol
from tscript.dialect import List, PointerTo, Str, Thrown, b8, f64, i32, i64, memory_model, u8
from tscript.runtime.kernels.memory import heap_allocate, heap_free
from tscript.runtime.kernels.strings import one_char
from tscript.runtime.session.build import kernels
from tscript.runtime.session.process import current
from tscript.runtime.values.errors import unicode_error
from tscript.types import BYTES, STR, ListType, StructType

_HEADER = STR_STRUCT.ctype
_LIST = LIST_STRUCT.ctype
_CODECS = {1: "latin-1", 2: "utf-16-le", 4: "utf-32-le"}

ALPHABETS = (
    "abAB zZ09_-.\t\n,",
    "aA\u00e9\u00df \u00c5\u00b5\u00a0\u00aa\u00bd\x85\u00ff,",
    "aA \u03a3\u03c3\u0130\u01c5\u0149\u2028\u3000\u0660\u0345\ufb03\u1e9e\u02b0'",
    "aZ \U0001f600\U00010400\U0001d7d8\ud800\udfff\u00e9\U0010ffff",
)

texts = st.one_of(*(st.text(st.sampled_from(a), max_size=14) for a in ALPHABETS), st.text(max_size=10))
"""Texts of every width, with many of the characters that some method treats as special."""
short_texts = st.one_of(*(st.text(st.sampled_from(a), max_size=2) for a in ALPHABETS))
binaries = st.one_of(st.binary(max_size=14), st.text(st.sampled_from("abAB \n\r\t,0\x0b"), max_size=14).map(str.encode))
small_ints = st.one_of(st.none(), st.integers(-12, 20), st.sampled_from([-(2**63) + 1, 2**63 - 1]))

examples = settings(deadline=None, max_examples=50, suppress_health_check=[HealthCheck.too_slow])
"""How many cases the tests of texts draw."""


class Outcome:
    """What a call gave: a value with its type, or the class and message of an exception."""

    def __init__(self, run: Callable[[], Any]) -> None:
        try:
            value = run()
            self.found: Any = (type(value), value)
        except UnicodeError as error:
            made = error if len(error.args) == 5 else unicode_error(str(error.args[0]).format(*error.args[1:]))
            self.found = (type(made).__name__, str(made))
        except (ArithmeticError, LookupError, ValueError, TypeError, MemoryError) as error:
            template, *values = error.args or ("",)
            message = str(template).format(*values) if values else str(error)
            self.found = (type(error).__name__, message)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Outcome) and self.found == other.found

    def __repr__(self) -> str:
        return repr(self.found)


def text_image(value: str | bytes, info: int) -> bytes:
    """The bytes of a str or bytes in memory, with one reference."""
    if isinstance(value, bytes):
        width, widest, data = 1, max(value, default=0), value
    else:
        widest = max(map(ord, value), default=0)
        width = 1 if widest < 256 else 2 if widest < 65536 else 4
        data = value.encode(_CODECS[width], "surrogatepass")
        if width == 2:
            data = b"".join(ord(c).to_bytes(2, "little") for c in value)
    head = _HEADER(refcount=1, typeinfo=info, length=len(value), hash=0, width=width, ascii=widest < 128)
    return bytes(head) + data + bytes(width)


def text_value(image: bytes, is_bytes: bool) -> str | bytes:
    """The str or bytes whose memory this is; its header must be true to it."""
    head = _HEADER.from_buffer_copy(image)
    width, n = head.width, head.length
    data = image[STR_STRUCT.size : STR_STRUCT.size + n * width]
    assert image[STR_STRUCT.size + n * width :][:width] == bytes(width)
    codes = np.frombuffer(data, {1: "u1", 2: "<u2", 4: "<u4"}[width])
    widest = int(codes.max(initial=0))
    assert bool(head.ascii) == (widest < 128)
    assert width == (1 if widest < 256 else 2 if widest < 65536 else 4)
    return data if is_bytes else "".join(map(chr, codes.tolist()))


@functools.cache
def hints_of(name: str) -> tuple[list[Any], Any]:
    """The annotations of a kernel's parameters, and of its result."""
    kernel = kernels()[name]
    hints = inspect.get_annotations(kernel, eval_str=True)
    return [hints[p] for p in inspect.signature(kernel).parameters], hints.get("return")


class TextModel:
    """Runs kernels under CPython, in an address space of its own."""

    name = "model"

    def __init__(self) -> None:
        memory_model.reset()
        self.heap: Any = memory_model._symbol("ts_heap_v1", StructType("Heap"))
        infos = ModelHeap.__new__(ModelHeap)
        infos.infos = {}
        for type in (STR, BYTES):
            infos.info(type)
        infos.add_exceptions()

    def symbol(self, type: Any) -> Any:
        return memory_model._symbol(type_symbol(type), StructType("TypeInfo"))

    def put(self, value: Any) -> Any:
        match value:
            case str() | bytes():
                info = self.symbol(STR if isinstance(value, str) else BYTES)
                image = text_image(value, memory_model.to_address(info))
                block: Any = heap_allocate(len(image))
                block._region.data[block._offset : block._offset + len(image)] = image
                return memory_model.Pointer(block._region, block._offset, StructType("Str"))
            case list():
                block = heap_allocate(LIST_STRUCT.size)
                out: Any = memory_model.Pointer(block._region, block._offset, StructType("List"))
                out.refcount, out.length, out.capacity, out.itemsize = 1, len(value), len(value), 8
                out.typeinfo = self.symbol(ListType(STR if not value or isinstance(value[0], str) else BYTES))
                out.data = memory_model.from_address(0, i64.type)
                if value:
                    cells: Any = heap_allocate(8 * len(value))
                    out.data = memory_model.Pointer(cells._region, cells._offset, i64.type)
                for i, item in enumerate(value):
                    out.data[i] = memory_model.to_address(self.put(item))
                return out
            case complex():
                cells = memory_model.allocate(16, f64, "complex")
                cells[0], cells[1] = value.real, value.imag
                return cells
            case None:
                return memory_model.from_address(0, StructType("Str"))
        return value

    def drop(self, pointer: Any) -> None:
        if memory_model.to_address(pointer) == 0:
            return
        pointer.refcount = pointer.refcount - 1
        if pointer.refcount:
            return
        if pointer._type == StructType("List"):
            for i in range(pointer.length):
                self.drop(memory_model.from_address(pointer.data[i], StructType("Str")))
            if pointer.capacity:
                heap_free(pointer.data, 8 * pointer.capacity)
            heap_free(pointer, LIST_STRUCT.size)
        else:
            heap_free(pointer, STR_STRUCT.size + (pointer.length + 1) * pointer.width)

    def get(self, pointer: Any) -> Any:
        if pointer._type == StructType("List"):
            return [
                self.get(memory_model.from_address(pointer.data[i], StructType("Str"))) for i in range(pointer.length)
            ]
        is_bytes = pointer.typeinfo == self.symbol(BYTES)
        assert is_bytes or pointer.typeinfo == self.symbol(STR)
        return text_value(bytes(pointer._region.data[pointer._offset :]), is_bytes)

    def call(self, name: str, *args: Any, out: int = 0) -> Any:
        """The result of a kernel for these arguments; a tuple of `out` texts where that is not 0."""
        one_char(0)  # as any process has them
        hints, _ = hints_of(name)
        before = self.heap.live_blocks
        given = [
            self.put(a) if isinstance(h, PointerTo) else NONE_INT if a is None else a
            for h, a in zip(hints, args, strict=False)
        ]
        pointers = [g for g in given if isinstance(g, memory_model.Pointer) and memory_model.to_address(g)]
        held = [p for p in pointers if p._type != f64.type]
        cells: Any = memory_model.allocate(8 * max(out, 1), i64, "cells")
        try:
            with np.errstate(all="ignore"):
                found = memory_model.bind(kernels()[name])(*given, *([cells] if out else []))
            if out:
                pointers = [memory_model.from_address(cells[i], StructType("Str")) for i in range(out)]
                found = tuple(map(self.get, pointers))
                for p in pointers:
                    self.drop(p)
            elif isinstance(found, memory_model.Pointer):
                pointer = found
                found = self.get(pointer)
                self.drop(pointer)
            else:
                found = found if isinstance(found, bool | float) else int(found)
        except Thrown as error:
            raise thrown(error) from None
        finally:
            assert all(g.refcount == 1 for g in held), "a reference too many or too few"
            for g in held:
                self.drop(g)
            assert self.heap.live_blocks == before, "leak"
        return found


class TextNative:
    """Runs compiled kernels."""

    name = "native"

    def __init__(self) -> None:
        self.runtime = current()
        self.held: list[Any] = []

    def info(self, type: Any) -> int:
        return self.runtime.library.address(type_symbol(type))

    def put(self, value: Any) -> Any:
        """The address of a value in memory of its own; its tail ends where the memory does."""
        match value:
            case str() | bytes():
                image = text_image(value, self.info(STR if isinstance(value, str) else BYTES))
                memory = (ctypes.c_char * len(image)).from_buffer_copy(image)
            case list():
                cells = (ctypes.c_int64 * max(1, len(value)))(*map(self.put, value))
                self.held.append(cells)
                kind = ListType(STR if not value or isinstance(value[0], str) else BYTES)
                memory = _LIST(1, self.info(kind), len(value), len(value), ctypes.addressof(cells), 8)
            case complex():
                memory = (ctypes.c_double * 2)(value.real, value.imag)
            case None:
                return 0
        self.held.append(memory)
        return ctypes.addressof(memory)

    def drop(self, address: int, is_list: bool = False) -> None:
        count = ctypes.c_int64.from_address(address)
        count.value -= 1
        if count.value:
            return
        free = functools.partial(self.runtime.library.call, "heap_free")
        if is_list:
            head = _LIST.from_address(address)
            for i in range(head.length):
                self.drop(ctypes.c_int64.from_address(head.data + 8 * i).value)
            if head.capacity:
                free(ctypes.c_void_p(head.data), 8 * head.capacity)
            free(ctypes.c_void_p(address), LIST_STRUCT.size)
        else:
            text = _HEADER.from_address(address)
            free(ctypes.c_void_p(address), STR_STRUCT.size + (text.length + 1) * text.width)

    def get(self, address: int, is_list: bool = False) -> Any:
        if is_list:
            head = _LIST.from_address(address)
            return [self.get(ctypes.c_int64.from_address(head.data + 8 * i).value) for i in range(head.length)]
        text = _HEADER.from_address(address)
        is_bytes = text.typeinfo == self.info(BYTES)
        assert is_bytes or text.typeinfo == self.info(STR)
        return text_value(ctypes.string_at(address, STR_STRUCT.size + (text.length + 1) * text.width), is_bytes)

    def call(self, name: str, *args: Any, out: int = 0) -> Any:
        """See `TextModel.call`."""
        hints, result = hints_of(name)
        library = self.runtime.library
        address = library.address(kernel_symbol(name))
        self.get_infos()
        before = self.runtime.live_blocks()
        given = [
            self.put(a) if isinstance(h, PointerTo) else NONE_INT if a is None else a
            for h, a in zip(hints, args, strict=False)
        ]
        texts = [
            g for g, h in zip(given, hints, strict=False) if isinstance(h, PointerTo) and h.pointee is not f64 and g
        ]
        converted = [_ctype(h)(g) for h, g in zip(hints, given, strict=False)]
        cells = (ctypes.c_int64 * max(1, out))()
        if out:
            converted.append(ctypes.c_void_p(ctypes.addressof(cells)))
        place = None if result is None else _ctype(result)()
        context = CONTEXT.ctype()
        context.depth = MAX_DEPTH
        run = ctypes.PYFUNCTYPE(ctypes.c_int)(address)
        try:
            if run(ctypes.byref(context), *converted, *([] if place is None else [ctypes.byref(place)])):
                raise self.runtime.errors.exception_of(ctypes.addressof(context)).with_traceback(None)
            if out:
                found: Any = tuple(map(self.get, cells))
                for cell in cells:
                    self.drop(cell)
            elif isinstance(result, PointerTo):
                is_list = result.pointee is List
                found = self.get(place.value, is_list)
                self.drop(place.value, is_list)
            else:
                found = bool(place.value) if result is b8 else place.value
            return found
        finally:
            assert all(ctypes.c_int64.from_address(t).value == 1 for t in texts), "a reference too many or too few"
            self.held.clear()
            assert self.runtime.live_blocks() == before, "leak"

    @functools.cache
    def get_infos(self) -> None:
        """Build what dropping a result needs, before blocks are counted."""
        self.runtime.library.address(kernel_symbol("heap_free"))


def _ctype(hint: Any) -> Any:
    if isinstance(hint, PointerTo):
        return ctypes.c_void_p
    return {i32: ctypes.c_int32, i64: ctypes.c_int64, f64: ctypes.c_double, b8: ctypes.c_uint8, u8: ctypes.c_uint8}[
        hint
    ]


@functools.cache
def native() -> TextNative:
    """The machine that runs compiled kernels."""
    return TextNative()


def check(
    name: str, args: tuple[Any, ...], expected: Callable[..., Any], given: tuple[Any, ...] | None = None, out: int = 0
) -> None:
    """Both ways to run a kernel must do what Python does.

    Args:
        name: Of the kernel.
        args: Its arguments.
        expected: The same in Python, of `given`, or of `args` when that is left out.
        out: How many texts it gives as a tuple; 0: none.
    """
    wanted = Outcome(lambda: expected(*(args if given is None else given)))
    for machine in (TextModel(), native()):
        found = Outcome(lambda machine=machine: machine.call(name, *args, out=out))
        assert found == wanted, f"{machine.name}: {name}{args!r} gives {found}, Python {wanted}"


__all__ = ["Str", "binaries", "check", "native", "short_texts", "small_ints", "texts"]
