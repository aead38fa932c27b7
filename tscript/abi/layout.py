"""Native structs: the layout every layer agrees on. Pure data.

Each `Struct` lists its fields in order; offsets follow the C rules. Generated code, the low-level dialect (attribute
access on a ``Ptr`` to the struct), ctypes views of the runtime and the checked memory of kernels under CPython all read
these tables. A change here changes `OBJECT_VERSION`.

Heap objects begin with ``{i64 refcount, ptr typeinfo}``. A tensor's ``sizes`` and ``strides`` (in elements) follow its
header in the same block: ``i64 sizes[ndim]``, then ``i64 strides[ndim]``.
"""

from __future__ import annotations

from enum import IntEnum

from tscript.abi.boundary import BOUNDARY
from tscript.abi.fields import BYTES, Field, Struct, scalar_size
from tscript.types import F64, I32, I64, U8, PtrType, StructType, Type

ABI_VERSION = 1
"""Part of every cache key and of the names of native symbols."""

OBJECT_VERSION = 3
"""Part of every native object in an archive: grows with changes of what the code of functions knows of structs. Objects
of another version are compiled anew."""

MAX_RANK = 64
MAX_ERROR_ARGS = 6
MAX_TRACE = 32
ALIGNMENT = 64
"""Of every block of tensor data, in bytes."""

NONE_INT = -(2**63)
"""Stands for None where a kernel takes an optional int (slice bounds, `dim`)."""


class FutureState(IntEnum):
    """How far a forked call is."""

    PENDING = 0
    """In the queue: whoever takes it out runs it."""
    RUNNING = 1
    DONE = 2


def sizeof(type: Type) -> int:
    """Bytes of a machine type, pointer or struct in memory."""
    match type:
        case PtrType():
            return 8
        case StructType():
            return STRUCTS[type.name].size
        case _:
            return scalar_size(type)


STORAGE = Struct(
    "Storage",
    (
        Field("refcount", I64),
        Field("typeinfo", BYTES),
        Field("data", BYTES),
        Field("nbytes", I64),
        Field("version", I64),  # grows with every in-place write
        Field("owner", BYTES),  # PyObject* that keeps foreign data alive, or null
        Field("flags", I64),
        Field("reserved", I64),
    ),
)
"""A piece of memory. Own data lies in the same block, `STORAGE.size` (64) bytes behind its start; foreign data is kept
alive by `owner`."""

STORAGE_READONLY = 1

TENSOR_STRUCT = Struct(
    "TensorImpl",
    (
        Field("refcount", I64),
        Field("typeinfo", BYTES),
        Field("storage", PtrType(StructType("Storage"))),
        Field("data", BYTES),  # first element: storage.data + offset in bytes
        Field("dtype", I32),  # DType.code
        Field("ndim", I32),
        Field("numel", I64),
        Field("pyobject", BYTES),  # the Python wrapper, borrowed, or null
        Field("flags", I64),
    ),
)
"""A tensor: 64 bytes of header, then sizes and strides."""

TENSOR_CONTIGUOUS = 1
"""Flag: row-major without gaps (empty and one-element tensors too). Kept true by every kernel that makes a tensor."""

LOADED = Struct(
    "Loaded",
    (
        Field("references", I64),  # values that need the object (functions, futures, exceptions), and one more
        Field("count", I64),  # of `texts`
        Field("texts", PtrType(PtrType(StructType("Str")))),  # its constant texts, whose references are counted too
    ),
)
"""What the loader asks before it frees a loaded object: whether native values refer to its code or data. In the
object's own data, at the symbol `tscript.abi.symbols.LOADED`; objects that are never freed have none."""

IMMORTAL = 1 << 40
"""References of constant texts to which no value refers."""

SITE = Struct(
    "Site",
    (
        Field("file", BYTES),  # NUL-terminated UTF-8
        Field("function", BYTES),
        Field("exception", BYTES),  # name of the builtin class; null for a call site
        Field("message", BYTES),  # format string over the arguments; null: no argument
        Field("line", I32),
        Field("col", I32),
        Field("caller", PtrType(StructType("Site"))),  # for inlined code
        Field("number", I64),  # of the class (`tscript.abi.exceptions`)
        Field("owner", PtrType(StructType("Loaded"))),  # of the object that contains the code; null in kernels
    ),
)
"""A place in scripted source that can raise: constant data of the object that contains the code."""

CONTEXT = Struct(
    "Context",
    (
        Field("depth", I64),  # remaining call depth; a recursive call below zero raises RecursionError
        Field("thread_state", BYTES),  # PyThreadState* while the GIL is released, else null
        Field("ntrace", I64),
        Field("nargs", I64),
        Field("kinds", I64),  # 2 bits per argument: 0 int, 1 float (its bits), 2 dtype code
        Field("args", I64, MAX_ERROR_ARGS),
        Field("trace", PtrType(StructType("Site")), MAX_TRACE),  # innermost first
        Field("countdown", I64),  # calls of recursive functions until the next safepoint; any start value will do
        Field("observer", PtrType(StructType("ThreadState"))),  # set where operators are observed, and in tasks
        Field("stack", I64),  # address below which no function of unknown depth begins; `NO_STACK`: not asked for yet
        Field("at", PtrType(StructType("Site"))),  # in the checked mode the operation that runs, or null
    ),
)
"""The hidden first argument of every native function. Lives on the entry wrapper's stack; only `depth`, `thread_state`,
`ntrace` and `stack` need to be set before a call."""

MAX_DEPTH = 2000

NO_STACK = -1
"""As an unsigned address, above every stack: who looks first asks ``ts_stack_limit_v1`` for the limit of the thread."""

FUTURE = Struct(
    "Future",
    (
        Field("refcount", I64),
        Field("typeinfo", BYTES),
        Field("state", I64),  # one of `FutureState`; changed under the pool's lock
        Field("status", I64),  # the task's status once it is done
        Field("run", BYTES),  # i32 (Context *, Future *): takes the arguments, leaves the results; null: no task
        Field("kinds", PtrType(U8)),  # the results: signature letters, NUL, their type as text, NUL
        Field("nbytes", I64),  # of the whole block
        Field("next", PtrType(StructType("Future"))),  # neighbours in the queue while the task is pending
        Field("previous", PtrType(StructType("Future"))),
        Field("waiters", PtrType(StructType("Waiter"))),  # threads that sleep until it is done
        Field("generation", I64),  # how often the process had forked
        Field("debug_info", I64),  # token of the debug info the task runs with
        Field("waited", I64),  # whether somebody has seen how it ended
        Field("code", BYTES),  # of a call forked from Python: what `run` calls
        Field("unit", PtrType(StructType("Unit"))),  # and what callbacks need of it, or null
        Field("site", PtrType(StructType("RecordSite"))),  # of the call, or null: it is not observed
        Field("error", PtrType(StructType("PyObject"))),  # the exception and its traceback, for `Status.PYTHON`
        Field("traceback", PtrType(StructType("PyObject"))),
        Field("owner", PtrType(StructType("Loaded"))),  # of the object with the task's code, or null
        Field("record", I64, 3 + MAX_ERROR_ARGS + MAX_TRACE),  # `Context` from `ntrace` to `trace`, for `Status.RAISED`
    ),
)
"""A forked call. Behind it lie cells of eight bytes: one for each leaf of the result, then one for each leaf of the
arguments. The task owns one reference until it is done."""


WAITER = Struct("Waiter", (Field("next", PtrType(StructType("Waiter"))), Field("lock", BYTES)))
"""A thread that sleeps, in a list of such: it has its lock twice, and whoever gives it back wakes the thread."""


class TypeKind(IntEnum):
    """What the values of a type are, and how they lie in cells of eight bytes.

    A value is a row of cells, one after the other: an ``int``, a ``bool`` (0 or 1), the bits of a ``float``, the code
    of a dtype or the number of an enum's member takes one, ``None`` none, a tuple (also a named one) those of its
    elements. What lives on the heap is one cell, its address.
    """

    NONE = 0
    INT = 1
    FLOAT = 2
    BOOL = 3
    COMPLEX = 4
    """Two cells: real and imaginary part."""
    DTYPE = 5
    ENUM = 6
    """The number of the member; `names` holds the name and the value's repr of each, in turn."""
    TUPLE = 7
    """`parts` are the elements; `names` the fields of a named one, else null."""
    OPTIONAL = 8
    """Of a heap value: its address or 0. Of anything else: 0 or 1, then the cells of the value (zeros without one)."""
    OBJECT = 9
    """Of a union, or anything: the address of a heap object, whose header tells its type; 0 is None. Values that do not
    live on the heap are in an `OBJECT_STRUCT` whose type is theirs."""
    LATE = 10
    """A field that may be read before it is set: 0 or 1, then the cells of what `parts` names (zeros before). Only
    fields are of this kind."""
    STR = 16
    BYTES = 17
    LIST = 18
    DICT = 19
    SET = 20
    CLASS = 21
    """Instance of a class: `parts` are its fields, those of its bases first."""
    CALLABLE = 22
    FUTURE = 23
    TENSOR = 24


FIRST_HEAP_KIND = TypeKind.STR
"""Values of this kind and those above live on the heap."""

TYPEINFO = Struct(
    "TypeInfo",
    (
        Field("drop", BYTES),  # void (object): the last reference is gone
        Field("kind", I64),  # `TypeKind`
        Field("cells", I64),  # of one value
        Field("count", I64),  # of `parts`; members of an enum
        Field("parts", PtrType(PtrType(StructType("TypeInfo")))),  # elements; key and value; fields
        Field("names", PtrType(BYTES)),  # of fields and members, of dtypes by code: NUL-terminated UTF-8
        Field("name", BYTES),  # the type as text, NUL-terminated UTF-8
        Field("base", PtrType(StructType("TypeInfo"))),  # of a class, or null
        Field("python", BYTES),  # PyObject* of the class, enum or named tuple, or null
        Field("counted", I64),  # cells of a value that are addresses of heap objects, or 0
        Field("flags", I64),  # of a class: `CLASS_...`; of a list: `LIST_FROZEN`; of an enum: `ENUM_VALUES`
        Field("references", PtrType(I64)),  # the numbers of these cells
        Field("objects", BYTES),  # PyObject* of a tuple: names of fields as strings, members of an enum; or null
        Field("members", PtrType(I64)),  # the values of an IntEnum's or StrEnum's members, of the type `parts[0]`
        Field("values", I64),  # how many heap objects are of the type; `NOT_COUNTED` where it is never freed
    ),
)
"""A type at run time, one for each type and process, freed with the classes in it. Its symbol is
`tscript.abi.symbols.type_symbol`. What a heap object's `typeinfo` points to. Tensors, storages and sizes have none:
their layout is known everywhere."""

NOT_COUNTED = -1

CLASS_EQ = 1
"""Flag: instances are equal when their fields are (a dataclass); otherwise when they are the same."""
CLASS_FROZEN = 2
CLASS_ORDER = 4
CLASS_REPR = 8
"""Flag: the repr is ``Name(field=..., ...)``."""
CLASS_EXCEPTION = 16
CLASS_OWN_KEYS = 32
"""Flag: instances have a ``__hash__`` or ``__eq__`` that only compiled code knows, so it finds them in dicts and sets
by itself. To the native library each is a key of its own."""
CLASS_OWN_EQ = 64
"""Flag: only compiled code knows which instances are equal."""

LIST_FROZEN = 1
"""Flag: it is a ``tuple[T, ...]``."""

ENUM_VALUES = 1
"""Flag: members are ints or strings besides (IntEnum, StrEnum)."""

TENSOR_SIZE = 1
"""Flag: it is a `Size`, to Python a tuple of ints."""

STR_STRUCT = Struct(
    "Str",
    (
        Field("refcount", I64),
        Field("typeinfo", PtrType(StructType("TypeInfo"))),
        Field("length", I64),  # code points
        Field("hash", I64),  # 0: not computed yet
        Field("width", I32),  # bytes of a code point: 1, 2 or 4, the least that all of them fit into
        Field("ascii", I32),  # whether all are below 128
    ),
)
"""A str, or bytes (then `width` is 1): the code points follow, then one that is 0. Never changed."""

LIST_STRUCT = Struct(
    "List",
    (
        Field("refcount", I64),
        Field("typeinfo", PtrType(StructType("TypeInfo"))),
        Field("length", I64),
        Field("capacity", I64),  # elements there is room for
        Field("data", PtrType(I64)),  # a block of the heap, `capacity` times the element's cells; null without room
        Field("cells", I64),  # of one element
    ),
)

DICT_STRUCT = Struct(
    "Dict",
    (
        Field("refcount", I64),
        Field("typeinfo", PtrType(StructType("TypeInfo"))),
        Field("length", I64),  # entries that are there
        Field("used", I64),  # entries in `entries`, deleted ones included
        # What `used` may grow to before the table is made again: less than there is room for once entries were given
        # up.
        Field("capacity", I64),
        Field("entries", PtrType(I64)),  # in order of insertion: hash, cells of the key, cells of the value
        Field("index", PtrType(I32)),  # 2^k slots: number of an entry, -1 empty, -2 deleted
        Field("mask", I64),  # slots - 1
        Field("stride", I64),  # cells of an entry
        Field("version", I64),  # grows with each key that comes or goes
        # How often entries got other places, from 1. 0: it came from Python, and keys with a hash of their own were not
        # asked.
        Field("moves", I64),
    ),
)
"""A dict, or a set, whose values have no cells. The hash of a deleted entry is `DELETED`."""

DELETED = NONE_INT

OBJECT_STRUCT = Struct(
    "Object",
    (
        Field("refcount", I64),
        Field("typeinfo", PtrType(StructType("TypeInfo"))),
    ),
)
"""An instance of a class, or a value that does not live on the heap where an object is wanted: its cells follow."""

CALLABLE_STRUCT = Struct(
    "Callable",
    (
        Field("refcount", I64),
        Field("typeinfo", PtrType(StructType("TypeInfo"))),
        Field("code", BYTES),  # i32 (ctx, object, arguments ..., outs ...), in the native calling convention
        Field("environment", PtrType(StructType("Object"))),  # a boxed tuple of what it holds, or null
        Field("owner", PtrType(StructType("Loaded"))),  # of the object with the code, or null
    ),
)
"""A function as a value."""

MARSHAL_ENTRY = Struct(
    "MarshalEntry",
    (
        Field("object", BYTES),  # PyObject*, owned
        Field("native", PtrType(StructType("Object"))),  # owned
        Field("info", PtrType(StructType("TypeInfo"))),  # the type it was converted to
        Field("mutable", I64),  # whether native code may have changed it, so that it is compared when the call ends
        Field("version", I64),  # of a dict or set that came from Python, when it came
    ),
)
"""An object that has both a Python and a native form during one call."""

MARSHAL_FIRST = 4
"""Entries that need no memory of their own, nor indexes."""

MARSHAL = Struct(
    "Marshal",
    (
        Field("count", I64),
        Field("capacity", I64),
        Field("entries", PtrType(StructType("MarshalEntry"))),
        Field("slots", PtrType(I32)),  # null, or twice `capacity`: number of an entry or -1, by Python object and type
        Field("natives", PtrType(I32)),  # the same by native object; null until one is looked for
        Field("indexed", I64),  # entries that `natives` has
        Field("arguments", PtrType(I64)),  # the newest argument: address of the one before, its `TypeInfo`, its cells
        Field("mutable", I64),  # of the argument that is being converted
        Field("failed", BYTES),  # PyObject* of the value that does not fit, owned, or null
        Field("expected", PtrType(StructType("TypeInfo"))),  # what it should have been
        Field("path", BYTES),  # PyObject* of a list: where that is, innermost first; a `Step` and an object a level
        Field("first", I64, MARSHAL_FIRST * MARSHAL_ENTRY.size // 8),  # the entries while there are few
    ),
)
"""What one call knows of the Python objects that it has native forms of. On the stack of the stub; zeros up to
`first`."""


class Step(IntEnum):
    """How a value that does not fit is reached, in `MARSHAL`'s path."""

    ELEMENT = 0
    KEY = 1
    VALUE = 2
    """The object is the key."""
    FIELD = 3
    MISSING = 4
    """There is no such field."""


class PythonWord(IntEnum):
    """The words at the symbol ``ts_python_v1``: layouts of the running interpreter's objects, and hooks."""

    INT_TAG = 0
    """Whether an int has a tag (CPython 3.12 and later) instead of a signed number of digits."""
    TUPLE_ITEMS = 1
    ASCII_DATA = 2
    """Offset of the characters of an ASCII str."""
    COMPACT_DATA = 3
    """Offset of those of any other one, or of their address in a str that is not compact."""
    KIND_SHIFT = 4
    """Where in the word at 32 the width of characters is; the flags compact and ascii follow its three bits."""
    CLASSES = 5
    """A dict: `TypeInfo` addresses by class."""
    CLASS_HOOK = 6
    """``class -> address of its TypeInfo``, or 0: the language does not know it. Fills `CLASSES`."""
    TYPE_HOOK = 7
    """``value -> address of the TypeInfo`` to convert it to, or 0."""
    EXCEPTION_HOOK = 8
    """``address of a native exception -> its Python form`` without attributes of its class and cause"""
    FAIL_HOOK = 9
    """``(label, address of the expected TypeInfo, value, path)``: raises what the value that does not fit calls for."""
    RETURN_HOOK = 10
    """``(address of a TypeInfo)``: raises, for a result that Python has no form of."""
    TENSOR_TYPE = 11
    DTYPE_TYPE = 12
    FUTURE_TYPE = 13
    DEPTH_TEXT = 14
    """The message for values that are nested too deeply, NUL-terminated."""
    FUNCTION_IN_HOOK = 15
    """``(value, address of the TypeInfo of a Callable) -> address of a native function``, owned; 0: it is none."""
    FUNCTION_OUT_HOOK = 16
    """``address of a native function -> its Python form``, which takes over a reference."""


SIZE_CLASSES = 256

HEAP = Struct(
    "Heap",
    (
        Field("lock", I64),
        Field("live_blocks", I64),
        Field("live_bytes", I64),
        Field("cached_bytes", I64),
        Field("cache_limit", I64),  # bytes kept for reuse; more goes back to the C library
        Field("allocator", I64),  # address of the `ALLOCATOR` that new blocks come from; 0: the C library
        Field("foreign_blocks", I64),  # blocks in use that come from an `ALLOCATOR`
        Field("caches", I64),  # kernels that are at work on a cache, each with its lock, while several threads run
        Field("copying", I64),  # 1 while the process is copied: none of these begins
        Field("free", I64, SIZE_CLASSES),  # heads of the free lists, as addresses
    ),
)
"""The allocator's state, one per process, at the symbol ``ts_heap_v1``; zero-initialised but for `cache_limit`."""

ALLOCATOR = Struct(
    "Allocator",
    (
        Field("allocate", BYTES),  # void *(int64 nbytes, int64 alignment, void *user)
        Field("free", BYTES),  # void (void *block, int64 nbytes, void *user)
        Field("user", BYTES),
        Field("live_blocks", I64),
        Field("live_bytes", I64),
        Field("failures", I64),  # times it gave nothing that can be used
        Field("misaligned", I64),  # whether that was an address that is no multiple of `ALIGNMENT`, the last time
    ),
)
"""Somebody else's allocator. One lives as long as the process: each of its blocks says whose it is."""

SCOPES = 8
"""Room for scopes of records; see `tscript.abi.record`."""

MAX_ACTIVE = 16
"""Callbacks that one thread runs at a time, at most."""

MAX_CALLBACKS = 256
"""Callbacks of a process at a time, at most."""

RECORD_SITE = Struct(
    "RecordSite",
    (
        Field("name", BYTES),  # NUL-terminated UTF-8, as all texts here
        Field("overload", BYTES),
        Field("file", BYTES),
        Field("function", BYTES),
        Field("line", I32),
        Field("scope", I32),
        Field("num_inputs", I32),
        Field("num_members", I32),
        Field("members", PtrType(BYTES)),  # names of the operators of a fused group
        Field("kinds", PtrType(U8)),  # `DispatchKind` of each cell of the inputs, or null: the record says
        Field("output_kinds", PtrType(U8)),
        Field("num_cells", I32),
        Field("num_output_cells", I32),
        Field("python", BYTES),  # what Python records of this site have in common, made at the first one
    ),
)
"""A place that is observed: an operator in a function, a function, an eager operator, a user's range. Never freed."""

RECORD = Struct(
    "Record",
    (
        Field("site", PtrType(StructType("RecordSite"))),
        Field("id", I64),  # unique in the process
        Field("sequence_nr", I64),
        Field("thread_id", I64),  # as `threading.get_ident` says it
        Field("kinds", PtrType(U8)),
        Field("inputs", PtrType(I64)),  # one cell for each of `kinds`; null when no callback asked
        Field("num_cells", I64),
        Field("output_kinds", PtrType(U8)),
        Field("outputs", PtrType(I64)),  # null while the operator runs, when it failed, and when no callback asked
        Field("num_output_cells", I64),
        Field("failed", I64),  # at exit: the operator raised
        Field("next", PtrType(StructType("Record"))),  # the record opened before, or the next free one
        Field("python", BYTES),  # the Python record
        Field("pythons", I64),  # of the callbacks, how many are Python's
        Field("count", I64),  # callbacks whose enter ran
        Field("callbacks", I64, MAX_ACTIVE),  # their addresses
        Field("generations", I64, MAX_ACTIVE),
        Field("contexts", I64, MAX_ACTIVE),  # what enter returned
        Field("routes", I64, MAX_ACTIVE),  # `tscript.abi.record.Route` of each
    ),
)
"""One observed run of an operator, as callbacks get it. Its first fields, to `failed`, are those of the C header."""

CALLBACK = Struct(
    "Callback",
    (
        Field("generation", I64, 2),  # odd while the slot is taken; grows with each use
        Field("route", I64),  # `tscript.abi.record.Route`
        Field("enter", BYTES),  # a C function, or a Python object, or null
        Field("exit", BYTES),
        Field("data", BYTES),
        Field("scopes", I64),  # one bit for each
        Field("probability", F64),
        Field("inverse", F64),  # 1 / log(1 - probability)
        Field("version", I64),  # grows with each change of the probability
        Field("needs", I64),  # 1 inputs, 2 outputs
        Field("owner", PtrType(StructType("ThreadState"))),  # the only thread, or null
        Field("owner_epoch", I64),
        Field("order", I64),  # callbacks are called in the order they were registered, whatever slots they have
        Field("granularity", I64),
        Field("enabled", I64),
        Field("faulted", I64),
        Field("totals", I64, 4),  # events seen, sampled and dropped, of threads that are done with it
    ),
)
"""A registered callback."""

REGISTRY = Struct(
    "Registry",
    (
        Field("generation", I64, 2),  # grows with each change; threads compare it with theirs
        Field("count", I64),  # slots that were ever used
        Field("seed", I64, 2),
        Field("timing_gap", I64),  # events from one that `operator_stats` times to the next, on average
        Field("tick_scale", F64),  # nanoseconds
        Field("callbacks", PtrType(StructType("Callback"))),  # `MAX_CALLBACKS` slots
        Field("threads", I64, 2),  # address of the newest `ThreadState`, 0: none
    ),
)
"""The callbacks of the process, at the symbol ``ts_registry_v1``."""

THREAD = Struct(
    "ThreadState",
    (
        Field("countdown", I64, SCOPES),  # events of each scope until one is sampled
        Field("refill", I64, SCOPES),  # what `countdown` was set to
        Field("generation", I64),  # of the registry when `active` was made
        Field("disabled", I64),
        Field("guard", I64),  # above 0: nothing is observed (a callback runs, or an operator within an operator)
        Field("section", I64, 2),  # odd while callbacks may be called; odd while the list of callbacks is being made
        Field("open", PtrType(StructType("Record"))),  # records of operators that are running, innermost first
        Field("free", PtrType(StructType("Record"))),
        Field("granularity", I64),  # 1: some callback wants single operators instead of fused groups
        Field("id", I64),
        Field("number", I64),  # of this state in the process
        Field("stack", I64),  # what `Context.stack` is in this thread; 0: not found out yet
        Field("records", I64),  # made so far
        Field("random", I64),
        Field("debug_info", I64),
        Field("epoch", I64),  # grows with each thread that uses this state
        Field("alive", I64, 2),
        Field("next", PtrType(StructType("ThreadState"))),
        Field("statistics", PtrType(I64)),  # capacity and number of entries, then the addresses of `Statistic`s or 0
        Field("timing", I64),  # events until `operator_stats` times one
        Field("count", I64),  # active callbacks
        Field("callbacks", PtrType(StructType("Callback")), MAX_ACTIVE),
        Field("generations", I64, MAX_ACTIVE),
        Field("versions", I64, MAX_ACTIVE),
        Field("scopes", I64, MAX_ACTIVE),
        Field("seen", I64, MAX_ACTIVE),
        Field("sampled", I64, MAX_ACTIVE),
        Field("left", I64, MAX_ACTIVE * SCOPES),  # events until this callback is due, for each scope
    ),
)
"""What a thread knows of callbacks. Made at the thread's first use (``ts_thread_v1``), used again by later threads."""

HISTOGRAM = 40
"""Buckets of a histogram of durations: bucket i counts those from 2^i to below 2^(i+1) ns, the last all longer ones."""

STATISTIC = Struct(
    "Statistic",
    (
        Field("site", PtrType(StructType("RecordSite"))),
        Field("count", I64),
        Field("timed", I64),
        Field("total", I64),  # nanoseconds of the timed ones
        Field("maximum", I64),
        Field("histogram", I64, HISTOGRAM),
    ),
)
"""What `operator_stats` knows of one site in one thread."""

STRUCTS: dict[str, Struct] = {
    s.name: s
    for s in (
        *(STORAGE, TENSOR_STRUCT, LOADED, SITE, CONTEXT, HEAP, ALLOCATOR, FUTURE, WAITER, TYPEINFO),
        *(STR_STRUCT, LIST_STRUCT, DICT_STRUCT, OBJECT_STRUCT, MARSHAL_ENTRY, MARSHAL),
        *(RECORD_SITE, RECORD, CALLBACK, REGISTRY, THREAD, STATISTIC),
        *BOUNDARY,
    )
}
