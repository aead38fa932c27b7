"""The low-level dialect: what bodies of operators and kernels of the runtime are written in.

A dialect function is an ordinary Python function whose annotations are the names below. The frontend compiles it;
called directly it runs under CPython with the same meaning (over `Ptr`s into checked memory, and NumPy scalars for the
types narrower than Python's).

- Types: ``i8 i16 i32 i64 u8 u16 u32 u64 f16 bf16 f32 f64 c64 c128 b8`` (``int``, ``float`` and ``bool`` are i64, f64,
  b8), ``Ptr[T]``, structs of `tscript.abi` by name (``Ptr[TensorImpl]``), ``T``/``U``: type variables, instantiated per
  use.
- Statements: assignment, ``if``, ``while``, ``for … in range``, ``break``, ``continue``, ``return``,
  ``raise Name("message {0}", value …)`` with int and float values, ``raise Thrown(p)`` of an exception object.
- Arithmetic operators are the machine's: they wrap and never raise. ``/`` is for floats, ``//`` and ``%`` on integers
  are *truncating* (`machine.quot`, `machine.rem`): write floor division out. A literal takes the type of the other
  operand.
- ``p[i]`` loads and ``p[i] = v`` stores element i; ``p + n`` moves by n elements; ``p.name`` loads and ``p.name = v``
  stores a field of a struct; an array field (``ctx.args``) is a pointer to its first element.
- ``T(x)`` or ``f32(x)`` converts a number. The functions below are the leaf intrinsics.
- Calls: other dialect functions (inlined when small), externs.

Kernels have the native convention: a hidden context, a status, `raise`. Functions of the boundary to CPython have C's
(`tscript.dialect.linkage`): they are `exported` or `internal`, call C functions (`c_function`, also with variable
arguments) and through addresses (`c_signature`, `function`), and have global variables (`variable`, `external`). They
cannot raise. What they need besides: ``text("…")``, `frame_address`, `counter`, `unsigned_less`, `unsigned_shr`,
and loads and stores that other threads see in order: `atomic_acquire`, `atomic_relaxed`, `atomic_release`,
`atomic_store_relaxed`, `atomic_cas`, `atomic_add`, `atomic_add_relaxed`, `atomic_add_release`. ``stack(n, T)`` is
memory of the frame. In tests a C function is what the test put into ``memory_model.space().functions`` under its name.

Nothing is implicit: operands of one operation have one type, except literals.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar

from tscript.definitions.opdef import OpDef
from tscript.dialect import machine
from tscript.dialect.names import ByType as ByType
from tscript.dialect.names import PointerTo as PointerTo
from tscript.dialect.names import TypeName as TypeName
from tscript.dialect.names import TypeVariable as TypeVariable
from tscript.late import dataclass
from tscript.types import MACHINE, U8, StructType


class Thrown(Exception):
    """``raise Thrown(p)`` raises the exception object at `p`, a reference that goes with it."""


@dataclass(frozen=True, slots=True, eq=False)
class Intrinsic:
    """A leaf operator as a name of the dialect; the frontend reads `op`, CPython calls `run`."""

    op: OpDef
    run: Callable[..., Any]

    def __call__(self, *args: Any) -> Any:
        return self.run(*args)


def leaf(op: OpDef) -> Intrinsic:
    """A leaf operator as a body or a name of the dialect."""
    return Intrinsic(op, op.semantics)


select = leaf(machine.SELECT)
sqrt = leaf(machine.SQRT)
fabs = leaf(machine.FABS)
copysign = leaf(machine.COPYSIGN)
floor = leaf(machine.FLOOR)
ceil = leaf(machine.CEIL)
trunc = leaf(machine.TRUNC)
rint = leaf(machine.RINT)
fmuladd = leaf(machine.FMULADD)
scaled = leaf(machine.SCALED)
real = leaf(machine.REAL)
imag = leaf(machine.IMAG)
of_parts = leaf(machine.COMPLEX)
"""``of_parts(re, im)``: a complex number."""
quot = leaf(machine.QUOT)
"""Integer division towards zero, 0 for a zero divisor."""
rem = leaf(machine.REM)
"""Remainder of `quot`."""
divide = leaf(machine.DIV)
"""IEEE division, defined for zero."""
add_overflows = leaf(machine.ADD_OVERFLOWS)
"""Whether the sum of two ints does not fit 64 bits."""
sub_overflows = leaf(machine.SUB_OVERFLOWS)
mul_overflows = leaf(machine.MUL_OVERFLOWS)
unsigned_less = leaf(machine.UNSIGNED_LESS)
unsigned_shr = leaf(machine.UNSIGNED_SHR)
unsigned_high = leaf(machine.UNSIGNED_HIGH)
likely = leaf(machine.LIKELY)
fitting = leaf(machine.FITTING)
"""A float as an int, which must fit 64 bits: without the tests of ``i64(x)``."""


if TYPE_CHECKING:
    # To a type checker the names are what they are under CPython: ints, floats, bools; a type variable a number.

    class Struct(Any):  # type: ignore[misc]
        """Any struct."""

    i8: TypeAlias = int
    i16: TypeAlias = int
    i32: TypeAlias = int
    i64: TypeAlias = int
    u8: TypeAlias = int
    u16: TypeAlias = int
    u32: TypeAlias = int
    u64: TypeAlias = int
    f16: TypeAlias = float
    bf16: TypeAlias = float
    f32: TypeAlias = float
    f64: TypeAlias = float
    c64: TypeAlias = complex
    c128: TypeAlias = complex
    b8: TypeAlias = bool
    T: TypeAlias = float
    U: TypeAlias = float
    V: TypeAlias = float
    TensorImpl: TypeAlias = Struct
    Storage: TypeAlias = Struct
    Context: TypeAlias = Struct
    Site: TypeAlias = Struct
    Heap: TypeAlias = Struct
    Page: TypeAlias = Struct
    Allocator: TypeAlias = Struct
    RecordSite: TypeAlias = Struct
    Record: TypeAlias = Struct
    Callback: TypeAlias = Struct
    Registry: TypeAlias = Struct
    ThreadState: TypeAlias = Struct
    Statistic: TypeAlias = Struct
    TypeInfo: TypeAlias = Struct
    Str: TypeAlias = Struct
    List: TypeAlias = Struct
    Dict: TypeAlias = Struct
    Object: TypeAlias = Struct
    Loaded: TypeAlias = Struct
    Marshal: TypeAlias = Struct
    MarshalEntry: TypeAlias = Struct
    PyObject: TypeAlias = Struct
    PySized: TypeAlias = Struct
    PyFloat: TypeAlias = Struct
    Table: TypeAlias = Struct
    Entry: TypeAlias = Struct
    Row: TypeAlias = Struct
    Unit: TypeAlias = Struct
    PyCallable: TypeAlias = Struct
    PyTensor: TypeAlias = Struct
    PyArray: TypeAlias = Struct
    PyDescr: TypeAlias = Struct
    PyBuffer: TypeAlias = Struct
    Arrays: TypeAlias = Struct
    Slot: TypeAlias = Struct
    Future: TypeAlias = Struct
    Waiter: TypeAlias = Struct
    PyRecord: TypeAlias = Struct
    DebugToken: TypeAlias = Struct
    PyRange: TypeAlias = Struct
    Uniform: TypeAlias = Struct
    UniformCall: TypeAlias = Struct
    Void: TypeAlias = Struct
else:
    i8, i16, i32, i64 = (TypeName(MACHINE[name]) for name in ("i8", "i16", "i32", "i64"))
    u8, f32, f64, b8 = (TypeName(MACHINE[name]) for name in ("u8", "f32", "f64", "b8"))
    u16, u32, u64, f16, bf16 = (TypeName(MACHINE[name]) for name in ("u16", "u32", "u64", "f16", "bf16"))
    c64, c128 = (TypeName(MACHINE[name]) for name in ("c64", "c128"))
    TensorImpl = TypeName(StructType("TensorImpl"))
    Storage = TypeName(StructType("Storage"))
    Context = TypeName(StructType("Context"))
    Site = TypeName(StructType("Site"))
    Loaded = TypeName(StructType("Loaded"))
    Heap = TypeName(StructType("Heap"))
    Page = TypeName(StructType("Page"))
    Allocator = TypeName(StructType("Allocator"))
    RecordSite = TypeName(StructType("RecordSite"))
    Record = TypeName(StructType("Record"))
    Callback = TypeName(StructType("Callback"))
    Registry = TypeName(StructType("Registry"))
    ThreadState = TypeName(StructType("ThreadState"))
    Statistic = TypeName(StructType("Statistic"))
    TypeInfo = TypeName(StructType("TypeInfo"))
    Str = TypeName(StructType("Str"))
    List = TypeName(StructType("List"))
    Dict = TypeName(StructType("Dict"))
    Object = TypeName(StructType("Object"))
    Marshal = TypeName(StructType("Marshal"))
    MarshalEntry = TypeName(StructType("MarshalEntry"))
    PyObject = TypeName(StructType("PyObject"))
    PySized = TypeName(StructType("PySized"))
    PyFloat = TypeName(StructType("PyFloat"))
    Table = TypeName(StructType("Table"))
    Entry = TypeName(StructType("Entry"))
    Row = TypeName(StructType("Row"))
    Unit = TypeName(StructType("Unit"))
    PyCallable = TypeName(StructType("PyCallable"))
    PyTensor = TypeName(StructType("PyTensor"))
    PyArray = TypeName(StructType("PyArray"))
    PyDescr = TypeName(StructType("PyDescr"))
    PyBuffer = TypeName(StructType("PyBuffer"))
    Arrays = TypeName(StructType("Arrays"))
    Slot = TypeName(StructType("Slot"))
    Future = TypeName(StructType("Future"))
    Waiter = TypeName(StructType("Waiter"))
    PyRecord = TypeName(StructType("PyRecord"))
    DebugToken = TypeName(StructType("DebugToken"))
    PyRange = TypeName(StructType("PyRange"))
    Uniform = TypeName(StructType("Uniform"))
    UniformCall = TypeName(StructType("UniformCall"))
    Void = TypeName(U8)
    """What a pointer without a type points to: bytes."""


if not TYPE_CHECKING:
    T = TypeVariable("T")
    U = TypeVariable("U")
    V = TypeVariable("V")


class _PtrFactory:
    def __getitem__(self, pointee: Any) -> PointerTo:
        return PointerTo(pointee)


if TYPE_CHECKING:
    Pointee = TypeVar("Pointee")

    class Ptr(Any, Generic[Pointee]):  # type: ignore[misc]
        """A pointer to anything."""

        def __add__(self, n: Any) -> Any: ...
        def __sub__(self, n: Any) -> Any: ...
else:
    Ptr = _PtrFactory()


@dataclass(frozen=True, slots=True, eq=False)
class MemoryIntrinsic:
    """A leaf intrinsic that touches memory. The type argument, where there is one, comes last.

    Under CPython it works on the checked memory of `tscript.dialect.memory_model`.
    """

    op: OpDef

    def __call__(self, *args: Any) -> Any:
        from tscript.dialect import memory_model

        return memory_model.RUN[self.op](*args)


pointer_cast = MemoryIntrinsic(machine.POINTER_CAST)
"""``pointer_cast(p, T)``: the same address as ``Ptr[T]``."""
address = MemoryIntrinsic(machine.ADDRESS)
pointer = MemoryIntrinsic(machine.POINTER)
"""``pointer(address, T)``; ``pointer(0, T)`` is null."""
stack = MemoryIntrinsic(machine.STACK)
"""``stack(n, T)``: n elements on the stack."""
symbol = MemoryIntrinsic(machine.SYMBOL)
"""``symbol("ts_name_v1", T)``: address of a runtime symbol."""
context = MemoryIntrinsic(machine.CONTEXT)
field = MemoryIntrinsic(machine.FIELD)
"""``field(p, "name")``: the address of a field."""
memcpy = MemoryIntrinsic(machine.MEMCPY)
memset = MemoryIntrinsic(machine.MEMSET)
atomic_add = MemoryIntrinsic(machine.ATOMIC_ADD)
atomic_add_relaxed = MemoryIntrinsic(machine.ATOMIC_ADD_RELAXED)
"""``atomic_add_relaxed(p, v)``: adds in one piece, gives the value before, and orders nothing else."""
atomic_add_release = MemoryIntrinsic(machine.ATOMIC_ADD_RELEASE)
"""``atomic_add_release(p, v)``: the same, and what comes before it cannot pass."""
atomic_cas = MemoryIntrinsic(machine.ATOMIC_CAS)
atomic_load = MemoryIntrinsic(machine.ATOMIC_LOAD)
atomic_store = MemoryIntrinsic(machine.ATOMIC_STORE)
atomic_store_relaxed = MemoryIntrinsic(machine.ATOMIC_STORE_RELAXED)
"""``atomic_store_relaxed(p, v)``: a store in one piece, and no more."""
atomic_release = MemoryIntrinsic(machine.ATOMIC_RELEASE)
"""``atomic_release(p, v)``: a store that what comes before it cannot pass; cheaper than `atomic_store`."""
atomic_acquire = MemoryIntrinsic(machine.ATOMIC_ACQUIRE)
"""``atomic_acquire(p)``: a load that what comes behind it cannot pass."""
atomic_relaxed = MemoryIntrinsic(machine.ATOMIC_RELAXED)
"""``atomic_relaxed(p)``: a load in one piece, and no more."""
frame_address = MemoryIntrinsic(machine.FRAME_ADDRESS)
counter = MemoryIntrinsic(machine.COUNTER)
"""``counter()``: a clock for short times in a unit of its own: cycles on x86-64; 0 where there is none."""
thread_number = MemoryIntrinsic(machine.THREAD_NUMBER)
"""``thread_number()``: a number that no other running thread has; 0 on systems where finding it takes a call."""
vector_bytes = MemoryIntrinsic(machine.VECTOR_BYTES)
"""``vector_bytes()``: a constant, how wide the vector registers are that code for the target uses. It may choose how
work is laid out, and no result may depend on it."""
pause = MemoryIntrinsic(machine.PAUSE)
"""``pause()``: tells the processor that a loop waits."""
function = MemoryIntrinsic(machine.FUNCTION)
"""``function(f)``: the address of a dialect function in C's calling convention."""
text = MemoryIntrinsic(machine.TEXT)
"""``text("…")``: a constant string in UTF-8, NUL-terminated."""
bitcast = MemoryIntrinsic(machine.BITCAST)
"""``bitcast(x, i32)``: the bits of a float as an integer, and back."""
malloc = MemoryIntrinsic(machine.MALLOC)
free = MemoryIntrinsic(machine.FREE)
