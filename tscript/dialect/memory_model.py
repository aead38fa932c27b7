"""Checked memory: what pointers of the low-level dialect are under CPython.

Every allocation is a `Region` of bytes with a fake address. A `Pointer` knows its region, so reading outside it, using
it after it was freed or through a wrong struct is an error with a message instead of a crash. Kernels run over it in
their tests exactly as written.

Example:
    >>> from tscript.dialect import f32
    >>> p = allocate(16, f32)
    >>> p[1] = 2.5
    >>> float((p + 1)[0])
    2.5
"""

from __future__ import annotations

import inspect
import struct
import types
from bisect import bisect_right
from collections.abc import Callable, Sequence
from contextvars import ContextVar
from functools import cache
from operator import attrgetter
from typing import Any

from tscript.abi.layout import STRUCTS
from tscript.abi.sizes import sizeof
from tscript.abi.tables import TABLES
from tscript.arrays import np
from tscript.definitions.opdef import OpDef
from tscript.dialect import machine
from tscript.dialect.names import ByType, PointerTo, TypeName, TypeVariable
from tscript.types import U8, PtrType, StructType, Type, dtype_of, dtypes, machine_type


class MemoryFault(Exception):
    """An access that native code would have crashed or corrupted memory with."""


class Region:
    """One allocation."""

    __slots__ = ("address", "data", "freed", "name")

    def __init__(self, address: int, data: bytearray, name: str) -> None:
        self.address = address
        self.data = data
        self.freed = False
        self.name = name


class AddressSpace:
    """All regions of one test; addresses are multiples of 64 and never reused.

    Attributes:
        functions: C functions by symbol: what tests put in their place.
        frame: Where the frame of the running function lies.
        thread: The number of the running thread; 0: there are no such numbers.
        cycles: What the processor has counted; each look at it is one more.
    """

    def __init__(self) -> None:
        self.regions: list[Region] = []
        self.next = 1 << 20
        self.symbols: dict[str, Region] = {}
        self.functions: dict[str, Callable[..., Any]] = {}
        self._code: dict[int, Callable[..., Any]] = {}
        self._addresses: dict[Callable[..., Any], Pointer] = {}
        self.context: Pointer | None = None
        self.frame = 1 << 40
        self.thread = 0
        self.cycles = 0

    def allocate(self, nbytes: int, name: str = "") -> Region:
        """A region of `nbytes`, filled with 0xCD so that reading before writing shows."""
        region = Region(self.next, bytearray(b"\xcd" * nbytes), name)
        self.next += (nbytes // 64 + 2) * 64
        self.regions.append(region)
        return region

    def find(self, address: int) -> tuple[Region | None, int]:
        """The region `address` lies in (its end included) and the offset there."""
        at = bisect_right(self.regions, address, key=attrgetter("address")) - 1
        if at >= 0 and address <= self.regions[at].address + len(self.regions[at].data):
            return self.regions[at], address - self.regions[at].address
        return None, address

    def function_at(self, address: int) -> Callable[..., Any]:
        """The function whose address this is."""
        if address not in self._code:
            raise MemoryFault(f"a call of {address:#x}, where no function lies")
        return self._code[address]

    def address_of(self, function: Callable[..., Any]) -> Any:
        """The fake address of a function."""
        found = self._addresses.get(function)
        if found is None:
            found = self._addresses[function] = Pointer(self.allocate(0, function.__name__), 0, U8)
            self._code[to_address(found)] = function
        return found


_spaces: ContextVar[AddressSpace] = ContextVar("address space")


def space() -> AddressSpace:
    """The address space in use."""
    try:
        return _spaces.get()
    except LookupError:
        return reset()


def reset() -> AddressSpace:
    """Start over with an empty address space; give it to inspect what leaks."""
    fresh = AddressSpace()
    _spaces.set(fresh)
    return fresh


def _struct_format(type: Type) -> str:
    if isinstance(type, PtrType):
        return "<q"
    dtype = dtype_of(type)
    assert dtype is not None, type
    return {
        "u8": "<B", "i8": "<b", "i16": "<h", "i32": "<i", "i64": "<q", "f32": "<f", "f64": "<d", "b8": "<?",
        "u16": "<H", "u32": "<I", "u64": "<Q", "f16": "<e", "bf16": "<H",
    }[dtype.machine]  # fmt: skip


class Pointer:
    """A typed pointer into a region; null when `region` is None."""

    __slots__ = ("_offset", "_region", "_type")

    def __init__(self, region: Region | None, offset: int, type: Type) -> None:
        object.__setattr__(self, "_region", region)
        object.__setattr__(self, "_offset", offset)
        object.__setattr__(self, "_type", type)

    _region: Region | None
    _offset: int
    _type: Type

    def _at(self, offset: int, nbytes: int) -> Region:
        region = self._region
        if region is None:
            raise MemoryFault(f"access through a null pointer of type Ptr[{self._type}]")
        if region.freed:
            raise MemoryFault(f"use of freed memory {region.name}")
        if offset < 0 or offset + nbytes > len(region.data):
            raise MemoryFault(f"access of {nbytes} bytes at {offset} outside of {region.name}[{len(region.data)}]")
        return region

    def _read(self, offset: int, type: Type) -> Any:
        form = _struct_format(type)
        region = self._at(offset, struct.calcsize(form))
        value = struct.unpack_from(form, region.data, offset)[0]
        if isinstance(type, PtrType):
            return from_address(value, type.pointee)
        if dtype_of(type) is dtypes.bfloat16:
            return struct.unpack("<f", struct.pack("<I", value << 16))[0]
        return np.float32(value) if form == "<f" else value

    def _write(self, offset: int, type: Type, value: Any) -> None:
        form = _struct_format(type)
        region = self._at(offset, struct.calcsize(form))
        if isinstance(type, PtrType):
            value = to_address(value)
        else:
            with np.errstate(all="ignore"):
                value = machine.wrap(value, type)
        if dtype_of(type) is dtypes.bfloat16:
            value = machine.half_bits(value, dtypes.bfloat16)
        struct.pack_into(form, region.data, offset, value)

    def __getitem__(self, index: int) -> Any:
        return self._read(self._offset + int(index) * sizeof(self._type), self._type)

    def __setitem__(self, index: int, value: Any) -> None:
        self._write(self._offset + int(index) * sizeof(self._type), self._type, value)

    def __add__(self, n: int) -> Pointer:
        return Pointer(self._region, self._offset + int(n) * sizeof(self._type), self._type)

    def _field(self, name: str) -> tuple[int, Type, int]:
        if not isinstance(self._type, StructType):
            raise MemoryFault(f"Ptr[{self._type}] has no field {name!r}")
        layout = STRUCTS[self._type.name]
        found = layout.field(name)
        return self._offset + layout.offsets[name], found.type, found.count

    def __getattr__(self, name: str) -> Any:
        offset, type, count = self._field(name)
        return Pointer(self._region, offset, type) if count > 1 else self._read(offset, type)

    def __setattr__(self, name: str, value: Any) -> None:
        offset, type, _ = self._field(name)
        self._write(offset, type, value)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Pointer) and to_address(self) == to_address(other)

    def __hash__(self) -> int:
        return hash(to_address(self))

    def __repr__(self) -> str:
        return f"<Ptr[{self._type}] {to_address(self):#x}>"


def to_address(p: Pointer) -> int:
    """The fake address of `p`; 0 for null."""
    return 0 if p._region is None else p._region.address + p._offset


def from_address(address: int, to: Type) -> Pointer:
    """A pointer to `to` at a fake address."""
    region, offset = space().find(address) if address else (None, 0)
    return Pointer(region, offset, to)


def annotated_type(name: Any) -> Type:
    """The type a dialect annotation stands for."""
    match name:
        case TypeName():
            return name.type
        case PointerTo():
            return PtrType(annotated_type(name.pointee))
        case Type():
            return name
    raise MemoryFault(f"{name!r} is not bound to a type; instantiate the kernel with `bind`")


def allocate(nbytes: int, to: Any, name: str = "heap") -> Pointer:
    """`nbytes` of fresh memory as a pointer to `to`."""
    return Pointer(space().allocate(nbytes, name), 0, annotated_type(to))


def free(p: Pointer) -> None:
    """Give memory back; later use faults."""
    if p._region is None:
        return
    if p._region.freed or p._offset:
        raise MemoryFault("free of memory that is not allocated")
    p._region.freed = True


def _stack(n: int, to: Any) -> Pointer:
    return allocate(n * sizeof(annotated_type(to)), to, "stack")


@cache
def _table(name: str) -> bytes:
    """What lies at a symbol: a table of constants, or zeros."""
    return TABLES[name]() if name in TABLES else bytes(1 << 16)


def _symbol(name: str, to: Any) -> Pointer:
    region = space().symbols.get(name)
    if region is None:
        table = _table(name)
        region = space().symbols[name] = space().allocate(len(table), name)
        region.data[:] = table
    return Pointer(region, 0, annotated_type(to))


def _field_address(p: Pointer, name: str) -> Pointer:
    offset, type, _ = p._field(name)
    return Pointer(p._region, offset, type)


def data_at(symbol: str, size: int, initial: bytes = b"") -> Region:
    """The memory of a global variable, which begins as `initial` and zeros."""
    region = space().symbols.get(symbol)
    if region is None:
        region = space().symbols[symbol] = space().allocate(size, symbol)
        region.data[:] = initial.ljust(size, b"\0")
    return region


def _text(value: str) -> Pointer:
    data = value.encode() + b"\0"
    return Pointer(data_at(f"text {value}", len(data), data), 0, U8)


def call(symbol: str, args: Sequence[Any]) -> Any:
    """Call what a test put in the place of a C function; without a symbol, the function at the address that is
    first."""
    if not symbol:
        return space().function_at(to_address(args[0]))(*args[1:])
    if symbol not in space().functions:
        raise MemoryFault(f"a call of {symbol}, which has no model here")
    return space().functions[symbol](*args)


def _context() -> Pointer:
    current = space()
    if current.context is None:
        current.context = allocate(STRUCTS["Context"].size, StructType("Context"), "context")
    return current.context


def _memcpy(to: Pointer, source: Pointer, nbytes: int) -> None:
    if nbytes:
        a, b = to._at(to._offset, nbytes), source._at(source._offset, nbytes)
        a.data[to._offset : to._offset + nbytes] = b.data[source._offset : source._offset + nbytes]


def _memset(to: Pointer, byte: int, nbytes: int) -> None:
    if nbytes:
        to._at(to._offset, nbytes).data[to._offset : to._offset + nbytes] = bytes([byte]) * nbytes


def _count_cycle() -> int:
    space().cycles += 1
    return space().cycles


def _atomic_add(p: Pointer, v: int) -> int:
    before: int = p[0]
    p[0] = before + v
    return before


def _atomic_cas(p: Pointer, expected: int, new: int) -> bool:
    if p[0] != expected:
        return False
    p[0] = new
    return True


def _atomic_store(p: Pointer, v: int) -> None:
    p[0] = v


def _bitcast(x: Any, to: Any) -> Any:
    target = dtype_of(annotated_type(to))
    assert target is not None
    source = np.asarray(x & 0xFFFF_FFFF_FFFF_FFFF if isinstance(x, int) and x.bit_length() > 63 else x)
    if source.dtype.itemsize != target.itemsize:
        kind = "f" if source.dtype.kind == "f" else "i"
        source = source.astype(f"{kind}{target.itemsize}")
    found = source.view(target.name)[()]
    return found.item() if target.itemsize == 8 else found


RUN: dict[OpDef, Callable[..., Any]] = {
    machine.POINTER_CAST: lambda p, to: Pointer(p._region, p._offset, annotated_type(to)),
    machine.ADDRESS: to_address,
    machine.POINTER: lambda address, to: from_address(address, annotated_type(to)),
    machine.STACK: _stack,
    machine.SYMBOL: _symbol,
    machine.FIELD: _field_address,
    machine.CONTEXT: _context,
    machine.MEMCPY: _memcpy,
    machine.MEMSET: _memset,
    machine.PAUSE: lambda: None,
    machine.VECTOR_BYTES: lambda: 32,
    machine.ATOMIC_ADD: _atomic_add,
    machine.ATOMIC_ADD_RELAXED: _atomic_add,
    machine.ATOMIC_ADD_RELEASE: _atomic_add,
    machine.ATOMIC_CAS: _atomic_cas,
    machine.ATOMIC_LOAD: lambda p: p[0],
    machine.ATOMIC_STORE: _atomic_store,
    machine.ATOMIC_STORE_RELAXED: _atomic_store,
    machine.ATOMIC_RELEASE: _atomic_store,
    machine.ATOMIC_ACQUIRE: lambda p: p[0],
    machine.ATOMIC_RELAXED: lambda p: p[0],
    machine.FRAME_ADDRESS: lambda: space().frame,
    machine.COUNTER: _count_cycle,
    machine.THREAD_NUMBER: lambda: space().thread,
    machine.FUNCTION: lambda fn: space().address_of(fn),
    machine.TEXT: _text,
    machine.BITCAST: _bitcast,
    machine.MALLOC: lambda nbytes: allocate(nbytes, U8),
    machine.FREE: free,
}
"""The memory intrinsics under CPython."""


def bind(fn: Callable[..., Any], **bindings: Any) -> Callable[..., Any]:
    """A copy of a dialect function with its type variables bound, to run under CPython.

    The functions it calls are bound too: a callee's variables by the types of the pointers it is given, else as in the
    caller. So a kernel without type variables of its own may call generic functions.

    Example:
        >>> from tscript.dialect import T, f32
        >>> def half(x: T) -> T:
        ...     return x * T(0.5)
        >>> bind(half, T=f32)(3.0)
        1.5
    """
    return _Binder().bound(fn, bindings)


class _Binder:
    """Makes bound copies of functions, each once."""

    def __init__(self) -> None:
        self.made: dict[tuple[object, ...], Callable[..., Any]] = {}
        self.hints: dict[Callable[..., Any], list[Any]] = {}

    def bound(self, fn: Callable[..., Any], bindings: dict[str, Any]) -> Callable[..., Any]:
        key = (fn, *sorted(bindings.items(), key=lambda item: item[0]))
        if key in self.made:
            return self.made[key]
        assert isinstance(fn, types.FunctionType)
        scope = {**fn.__globals__, **bindings}
        closure = fn.__closure__ and tuple(types.CellType(self.name(c.cell_contents, bindings)) for c in fn.__closure__)
        copy = types.FunctionType(fn.__code__, scope, fn.__name__, fn.__defaults__, closure)
        self.made[key] = copy
        for name in fn.__code__.co_names:
            if name in fn.__globals__ and name not in bindings:
                scope[name] = self.name(scope[name], bindings)
        return copy

    def name(self, value: Any, bindings: dict[str, Any]) -> Any:
        """What a name of the dialect means inside a bound function."""
        match value:
            case types.FunctionType():
                return lambda *args: self.bound(value, {**bindings, **self.infer(value, args)})(*args)
            case ByType():
                return ByType({dtype: self.name(fn, bindings) for dtype, fn in value.by_dtype.items()})
            case TypeVariable():
                return bindings.get(value.name, value)
        return value

    def infer(self, fn: Callable[..., Any], args: tuple[Any, ...]) -> dict[str, Any]:
        """The bindings that the arguments of a call imply."""
        if fn not in self.hints:
            hints = inspect.get_annotations(fn, eval_str=True)
            self.hints[fn] = [hints.get(name) for name in inspect.signature(fn).parameters]
        found: dict[str, Any] = {}
        for hint, arg in zip(self.hints[fn], args, strict=False):
            match hint, arg:
                case PointerTo(TypeVariable(name)), Pointer():
                    found[name] = TypeName(arg._type)
                case TypeVariable(name), np.generic():
                    found[name] = TypeName(machine_type(dtypes.BY_NAME[arg.dtype.name]))
        return found
