"""Native structs: the layout every layer agrees on. Pure data.

Each `Struct` lists its fields in order; offsets follow the C rules. Generated code, the low-level dialect (attribute
access on a ``Ptr`` to the struct), ctypes views of the runtime and the checked memory of kernels under CPython all read
these tables. A change here changes `OBJECT_VERSION`.

Heap objects begin with ``{i64 refcount, ptr typeinfo}``. A tensor's ``sizes`` and ``strides`` (in elements) follow its
header in the same block: ``i64 sizes[ndim]``, then ``i64 strides[ndim]``.
"""

from __future__ import annotations

from tscript.abi.boundary import BOUNDARY
from tscript.abi.fields import Struct

ABI_VERSION = 1
"""Part of every cache key and of the names of native symbols."""

OBJECT_VERSION = 4
"""Part of every native object in an archive: grows with changes of what the code of functions knows of structs. Objects
of another version are compiled anew."""

MAX_RANK = 64
MAX_ERROR_ARGS = 6
MAX_TRACE = 32
ALIGNMENT = 64
"""Of every block of tensor data, in bytes."""

NONE_INT = -(2**63)
"""Stands for None where a kernel takes an optional int (slice bounds, `dim`)."""


STORAGE = Struct(
    "Storage",
    """
        refcount: int
        typeinfo: Ptr[u8]
        data: Ptr[u8]
        nbytes: int
        version: int  # grows with every in-place write
        owner: Ptr[u8]  # PyObject* that keeps foreign data alive, or null
        flags: int
        layouts: int  # address of what kernels laid out of a constant, or 0
    """,
)
"""A piece of memory. Own data lies in the same block, `STORAGE.size` (64) bytes behind its start; foreign data is kept
alive by `owner`."""

STORAGE_READONLY = 1

STORAGE_SEEN = 2
"""Flag: a callback may still look at its elements where a result could take its memory."""

STORAGE_CONSTANT = 4
"""Flag: it holds a constant of code, so its elements never change, and kernels keep what they lay out of them."""

STORAGE_PASSING = 8
"""Flag: such a constant is one for the time of a loop, and is laid out at its second use. `version` counts them."""

TENSOR_STRUCT = Struct(
    "TensorImpl",
    """
        refcount: int
        typeinfo: Ptr[u8]
        storage: Ptr[Storage]
        data: Ptr[u8]  # first element: storage.data + offset in bytes
        dtype: i32  # DType.code
        ndim: i32
        numel: int
        pyobject: Ptr[u8]  # the Python wrapper, borrowed, or null
        flags: int
    """,
)
"""A tensor: 64 bytes of header, then sizes and strides."""

TENSOR_CONTIGUOUS = 1
"""Flag: row-major without gaps (empty and one-element tensors too). Kept true by every kernel that makes a tensor."""

TENSOR_GIVEN = 2
"""Flag: it was made of a Python object as that stands, which owns its storage; what is handed back is that object."""

TENSOR_PARAMETER = 4
"""Flag: it is a parameter of modules. Only Python reads this flag and those below (`tscript.runtime.values.roles`)."""

TENSOR_WANTS_GRADIENT = 8
"""Flag: its `requires_grad` is True, which says nothing else: no gradients are computed."""

TENSOR_BUFFER = 16
"""Flag: it is a buffer of modules."""

TENSOR_TRANSIENT = 32
"""Flag: the buffer is no part of the state of its module."""

TENSOR_ROLE = TENSOR_PARAMETER | TENSOR_WANTS_GRADIENT | TENSOR_BUFFER | TENSOR_TRANSIENT
"""What only the tensor itself is: views of it have none of these flags."""

LOADED = Struct(
    "Loaded",
    """
        references: int  # values that need the object (functions, futures, exceptions), and one more
        count: int  # of `texts`
        texts: Ptr[Ptr[Str]]  # its constant texts, whose references are counted too
    """,
)
"""What the loader asks before it frees a loaded object: whether native values refer to its code or data. In the
object's own data, at the symbol `tscript.abi.symbols.LOADED`; objects that are never freed have none."""

IMMORTAL = 1 << 40
"""References of constant texts to which no value refers."""

SITE = Struct(
    "Site",
    """
        file: Ptr[u8]  # NUL-terminated UTF-8
        function: Ptr[u8]
        exception: Ptr[u8]  # name of the builtin class; null for a call site
        message: Ptr[u8]  # format string over the arguments; null: no argument
        line: i32
        col: i32
        caller: Ptr[Site]  # for inlined code
        number: int  # of the class (`tscript.abi.exceptions`)
        owner: Ptr[Loaded]  # of the object that contains the code; null in kernels
    """,
)
"""A place in scripted source that can raise: constant data of the object that contains the code."""

OBJECT_RAISED = -1
"""`Site.number` where an exception object is raised: it is in ``Context.args[0]``, and owned by it."""

CONTEXT = Struct(
    "Context",
    f"""
        depth: int  # remaining call depth; a recursive call below zero raises RecursionError
        thread_state: Ptr[u8]  # PyThreadState* while the GIL is released, else null
        ntrace: int
        nargs: int
        kinds: int  # 2 bits per argument: 0 int, 1 float (its bits), 2 dtype code
        args: int * {MAX_ERROR_ARGS}
        trace: Ptr[Site] * {MAX_TRACE}  # innermost first
        countdown: int  # calls of recursive functions until the next safepoint; any start value will do
        observer: Ptr[ThreadState]  # set where operators are observed, and in tasks
        stack: int  # address below which no function of unknown depth begins; `NO_STACK`: not asked for yet
        at: Ptr[Site]  # in the checked mode the operation that runs, or null
        work: int  # done since the GIL was offered to others, in units of which `MUCH_WORK` take some ten microseconds
    """,
)
"""The hidden first argument of every native function. Lives on the entry wrapper's stack; only `depth`, `thread_state`,
`ntrace`, `stack` and `work` need to be set before a call."""

MUCH_WORK = 1 << 16
"""`Context.work` from which a call offers the GIL to others."""

OFFERED = -1 << 62
"""`Context.work` of a call that has given the GIL away."""

MAX_DEPTH = 2000

NO_STACK = -1
"""As an unsigned address, above every stack: who looks first asks ``ts_stack_limit_v1`` for the limit of the thread."""

FUTURE = Struct(
    "Future",
    f"""
        refcount: int
        typeinfo: Ptr[u8]
        state: int  # one of `FutureState`; changed under the pool's lock
        status: int  # the task's status once it is done
        run: Ptr[u8]  # i32 (Context *, Future *): takes the arguments, leaves the results; null: no task
        kinds: Ptr[u8]  # the results: signature letters, NUL, their type as text, NUL
        nbytes: int  # of the whole block
        next: Ptr[Future]  # neighbours in the queue while the task is pending
        previous: Ptr[Future]
        waiters: Ptr[Waiter]  # threads that sleep until it is done
        generation: int  # how often the process had forked
        debug_info: int  # token of the debug info the task runs with
        waited: int  # whether somebody has seen how it ended
        code: Ptr[u8]  # of a call forked from Python: what `run` calls
        unit: Ptr[Unit]  # and what callbacks need of it, or null
        site: Ptr[RecordSite]  # of the call, or null: it is not observed
        error: Ptr[PyObject]  # the exception and its traceback, for `Status.PYTHON`
        traceback: Ptr[PyObject]
        owner: Ptr[Loaded]  # of the object with the task's code, or null
        record: int * {3 + MAX_ERROR_ARGS + MAX_TRACE}  # `Context` from `ntrace` to `trace`, for `Status.RAISED`
    """,
)
"""A forked call. Behind it lie cells of eight bytes: one for each leaf of the result, then one for each leaf of the
arguments. The task owns one reference until it is done."""


WAITER = Struct(
    "Waiter",
    """
        next: Ptr[Waiter]
        lock: Ptr[u8]
    """,
)
"""A thread that sleeps, in a list of such: it has its lock twice, and whoever gives it back wakes the thread."""


TYPEINFO = Struct(
    "TypeInfo",
    """
        drop: Ptr[u8]  # void (object): the last reference is gone
        kind: int  # `TypeKind`
        cells: int  # of one value
        itemsize: int  # bytes of one value as an element of a list (`tscript.abi.cells.itemsize_of`)
        count: int  # of `parts`; members of an enum
        parts: Ptr[Ptr[TypeInfo]]  # elements; key and value; fields
        names: Ptr[Ptr[u8]]  # of fields and members, of dtypes by code: NUL-terminated UTF-8
        name: Ptr[u8]  # the type as text, NUL-terminated UTF-8
        base: Ptr[TypeInfo]  # of a class, or null
        python: Ptr[u8]  # PyObject* of the class, enum or named tuple, or null
        counted: int  # cells of a value that are addresses of heap objects, or 0
        flags: int  # of a class: `CLASS_...`; of a list: `LIST_FROZEN`; of an enum: `ENUM_VALUES`; of others see there
        references: Ptr[int]  # the numbers of these cells
        objects: Ptr[u8]  # PyObject* of a tuple: names of fields as strings, members of an enum; or null
        members: Ptr[int]  # the values of an IntEnum's or StrEnum's members, of the type `parts[0]`
        values: int  # how many heap objects are of the type; `NOT_COUNTED` where it is never freed
    """,
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
CLASS_MODULE = 128
"""Flag: its tensors do not say what results are: those that it is called with do."""

LIST_FROZEN = 1
"""Flag: it is a ``tuple[T, ...]``."""

ENUM_VALUES = 1
"""Flag: members are ints or strings besides (IntEnum, StrEnum)."""
ENUM_PLAIN = 2
"""Flag: it is no enum of Python: devices, layouts, memory formats."""

TENSOR_ARRAY = 2
"""Flag of the type of an array: the bits from `TENSOR_FACTS` on are the code of its dtype and, 8 bits further, its
rank."""
TENSOR_FACTS = 8
TENSOR_KNOWN = 8
"""Flag of the type of a tensor whose dtype and rank are known, which stand as those of an array do."""
SCALAR_CODE = 1
"""Flags of the type of a NumPy scalar: the code of its dtype, and this; those of numbers of Python are 0."""
TENSOR_SIZE = 1
"""Flag: it is a `Size`, to Python a tuple of ints."""
TENSOR_GENERATOR = 4
"""Flag of the type of NumPy's generators of random numbers: tensors over their ``bitgen_t``."""

STR_STRUCT = Struct(
    "Str",
    """
        refcount: int
        typeinfo: Ptr[TypeInfo]
        length: int  # code points
        hash: int  # 0: not computed yet
        width: i32  # bytes of a code point: 1, 2 or 4, the least that all of them fit into
        ascii: i32  # whether all are below 128
    """,
)
"""A str, or bytes (then `width` is 1): the code points follow, then one that is 0. Never changed."""

LIST_STRUCT = Struct(
    "List",
    """
        refcount: int
        typeinfo: Ptr[TypeInfo]
        length: int
        capacity: int  # elements there is room for
        data: Ptr[int]  # a block of the heap, `capacity` elements of `itemsize` bytes; null without room
        itemsize: int  # bytes of one element: its cells, or one byte
    """,
)

DICT_STRUCT = Struct(
    "Dict",
    """
        refcount: int
        typeinfo: Ptr[TypeInfo]
        length: int  # entries that are there
        used: int  # entries in `entries`, deleted ones included
        # What `used` may grow to before the table is made again: less than there is room for once entries were given
        # up.
        capacity: int
        entries: Ptr[int]  # in order of insertion: hash, cells of the key, cells of the value
        index: Ptr[i32]  # 2^k slots: number of an entry, -1 empty, -2 deleted
        mask: int  # slots - 1
        stride: int  # cells of an entry
        version: int  # grows with each key that comes or goes
        # How often entries got other places, from 1. 0: it came from Python, and keys with a hash of their own were not
        # asked.
        moves: int
    """,
)
"""A dict, or a set, whose values have no cells. The hash of a deleted entry is `DELETED`."""

DELETED = NONE_INT

OBJECT_STRUCT = Struct(
    "Object",
    """
        refcount: int
        typeinfo: Ptr[TypeInfo]
    """,
)
"""An instance of a class, or a value that does not live on the heap where an object is wanted: its cells follow."""

CALLABLE_STRUCT = Struct(
    "Callable",
    """
        refcount: int
        typeinfo: Ptr[TypeInfo]
        code: Ptr[u8]  # i32 (ctx, object, arguments ..., outs ...), in the native calling convention
        environment: Ptr[Object]  # a boxed tuple of what it holds, or null
        owner: Ptr[Loaded]  # of the object with the code, or null
    """,
)
"""A function as a value."""

MARSHAL_ENTRY = Struct(
    "MarshalEntry",
    """
        object: Ptr[u8]  # PyObject*, owned
        native: Ptr[Object]  # owned
        info: Ptr[TypeInfo]  # the type it was converted to
        mutable: int  # whether native code may have changed it, so that it is compared when the call ends
        version: int  # of a dict or set that came from Python, when it came
    """,
)
"""An object that has both a Python and a native form during one call."""

MARSHAL_FIRST = 4
"""Entries that need no memory of their own, nor indexes."""

MARSHAL = Struct(
    "Marshal",
    f"""
        count: int
        capacity: int
        entries: Ptr[MarshalEntry]
        slots: Ptr[i32]  # null, or twice `capacity`: number of an entry or -1, by Python object and type
        natives: Ptr[i32]  # the same by native object; null until one is looked for
        indexed: int  # entries that `natives` has
        arguments: Ptr[int]  # the newest argument: address of the one before, its `TypeInfo`, its cells
        mutable: int  # of the argument that is being converted
        failed: Ptr[u8]  # PyObject* of the value that does not fit, owned, or null
        expected: Ptr[TypeInfo]  # what it should have been
        seen: int  # what tensors came as: bits of `tscript.abi.conversion.Seen`
        path: Ptr[u8]  # PyObject* of a list: where that is, innermost first; a `Step` and an object a level
        first: int * {MARSHAL_FIRST * MARSHAL_ENTRY.size // 8}  # the entries while there are few
    """,
)
"""What one call knows of the Python objects that it has native forms of. On the stack of the stub; zeros up to
`first`."""


SIZE_CLASSES = 256

PAGED_CLASSES = 29
"""Size classes, from the smallest, whose blocks come from pages: up to 8 KiB."""

PAGE_SHIFT = 16

PAGE_BYTES = 1 << PAGE_SHIFT
"""Bytes of a page of the heap."""

PAGE = Struct(
    "Page",
    """
        free: int  # address of a free block, whose first word is that of the next; 0: none
        used: int  # blocks in use
        least: int  # with fewer in use the page moves to another list
        fresh: int  # address of the first block that was never used; 0: none
        nbytes: int  # of a block
        next: int  # the neighbours in the list of a class, as addresses
        previous: int
        owner: int  # address of the heap that has it; of an empty page, whether it has memory
    """,
)
"""The description of a page of the heap (`runtime/kernels/memory_pages.py`): one line of the processor's cache."""

HEAP_SLOTS = 16
"""Heaps of threads that are found by the numbers of their threads, without a call."""

HEAP_SLOT_SHIFT = 12
"""Bits of such a number that say nothing."""

HEAP = Struct(
    "Heap",
    f"""
        thread: int  # the number of the thread that has it, where threads have numbers; or 0
        live_blocks: int  # that this thread made, less those that it freed
        live_bytes: int
        paged_bytes: int  # of these, the bytes of blocks in pages
        peak_bytes: int  # the most of `live_bytes` when a block that is in no page was made
        allocated_bytes: int  # of all blocks that are in no page
        pages: int * {PAGED_CLASSES}  # the first page of each class that has room, as an address
        apart: int * 5
        taken: int  # 1: a thread has this heap, or is at work on it
        returned: int  # address of the first block of it that another thread freed, which leads to others; 0: none
        next: int  # address of the next heap
        apart_too: int * 5
        lock: int
        cached_bytes: int
        empty: int  # address of the first empty page, which leads to others; 0: none
        kept_pages: int  # how many of these have memory
        least_cached: int  # the least of `cached_bytes` since `heap_decay` was done
        least_kept: int  # and of `kept_pages`
        decays: int  # 1 once `hook` was asked for, until it is over
        pages_in_use: int  # by classes
        cache_limit: int  # bytes kept for reuse; more goes back to the C library
        allocator: int  # address of the `ALLOCATOR` that new blocks come from; 0: the C library
        foreign_blocks: int  # blocks in use that come from an `ALLOCATOR`
        paged: int  # whether small blocks come from pages
        hook: Ptr[u8]  # int (void *): lets `heap_decay` be called from time to time; null: nobody does
        chunks: int  # how many there are
        chunk_table: int  # address of a hash table of their addresses
        chunk_room: int  # its length
        huge: int  # whether large blocks come in large pages where the system has them
        slots: int * {HEAP_SLOTS}  # addresses of heaps of threads, by the numbers of the threads
        caches: int  # kernels that are at work on a cache, each with its lock, while several threads run
        copying: int  # 1 while the process is copied: none of these begins
        free: int * {SIZE_CLASSES}  # heads of the free lists of larger blocks, as addresses
    """,
)
"""The allocator's state, at the symbol ``ts_heap_v1``; zero-initialised but for `cache_limit`.

What comes before `lock` belongs to one thread. The other threads have heaps of their own, which end there
(`OWN_HEAP_BYTES`); the rest is the process's.
"""

OWN_HEAP_BYTES = HEAP.offsets["lock"]

ALLOCATOR = Struct(
    "Allocator",
    """
        allocate: Ptr[u8]  # void *(int64 nbytes, int64 alignment, void *user)
        free: Ptr[u8]  # void (void *block, int64 nbytes, void *user)
        user: Ptr[u8]
        live_blocks: int
        live_bytes: int
        failures: int  # times it gave nothing that can be used
        misaligned: int  # whether that was an address that is no multiple of `ALIGNMENT`, the last time
    """,
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
    """
        name: Ptr[u8]  # NUL-terminated UTF-8, as all texts here
        overload: Ptr[u8]
        file: Ptr[u8]
        function: Ptr[u8]
        line: i32
        scope: i32
        num_inputs: i32
        num_members: i32
        members: Ptr[Ptr[u8]]  # names of the operators of a fused group
        module: Ptr[u8]  # where the module whose code it is stands in that of the function
        kinds: Ptr[u8]  # `DispatchKind` of each cell of the inputs, or null: the record says
        output_kinds: Ptr[u8]
        num_cells: i32
        num_output_cells: i32
        python: Ptr[u8]  # what Python records of this site have in common, made at the first one
    """,
)
"""A place that is observed: an operator in a function, a function, an eager operator, a user's range. Never freed."""

RECORD = Struct(
    "Record",
    f"""
        site: Ptr[RecordSite]
        id: int  # unique in the process
        sequence_nr: int
        thread_id: int  # as `threading.get_ident` says it
        kinds: Ptr[u8]
        inputs: Ptr[int]  # one cell for each of `kinds`; null when no callback asked
        num_cells: int
        output_kinds: Ptr[u8]
        outputs: Ptr[int]  # null while the operator runs, when it failed, and when no callback asked
        num_output_cells: int
        failed: int  # at exit: the operator raised
        next: Ptr[Record]  # the record opened before, or the next free one
        python: Ptr[u8]  # the Python record
        pythons: int  # of the callbacks, how many are Python's
        count: int  # callbacks whose enter ran
        callbacks: int * {MAX_ACTIVE}  # their addresses
        generations: int * {MAX_ACTIVE}
        contexts: int * {MAX_ACTIVE}  # what enter returned
        routes: int * {MAX_ACTIVE}  # `tscript.abi.record.Route` of each
    """,
)
"""One observed run of an operator, as callbacks get it. Its first fields, to `failed`, are those of the C header."""

CALLBACK = Struct(
    "Callback",
    """
        generation: int * 2  # odd while the slot is taken; grows with each use
        route: int  # `tscript.abi.record.Route`
        enter: Ptr[u8]  # a C function, or a Python object, or null
        exit: Ptr[u8]
        data: Ptr[u8]
        scopes: int  # one bit for each
        probability: float
        inverse: float  # 1 / log(1 - probability)
        version: int  # grows with each change of the probability
        needs: int  # 1 inputs, 2 outputs
        owner: Ptr[ThreadState]  # the only thread, or null
        owner_epoch: int
        order: int  # callbacks are called in the order they were registered, whatever slots they have
        granularity: int
        enabled: int
        faulted: int
        totals: int * 4  # events seen, sampled and dropped, of threads that are done with it
    """,
)
"""A registered callback."""

REGISTRY = Struct(
    "Registry",
    """
        generation: int * 2  # grows with each change; threads compare it with theirs
        count: int  # slots that were ever used
        seed: int * 2
        timing_gap: int  # events from one that `operator_stats` times to the next, on average
        tick_scale: float  # nanoseconds
        callbacks: Ptr[Callback]  # `MAX_CALLBACKS` slots
        threads: int * 2  # address of the newest `ThreadState`, 0: none
    """,
)
"""The callbacks of the process, at the symbol ``ts_registry_v1``."""

THREAD = Struct(
    "ThreadState",
    f"""
        countdown: int * {SCOPES}  # events of each scope until one is sampled
        refill: int * {SCOPES}  # what `countdown` was set to
        generation: int  # of the registry when `active` was made
        disabled: int
        guard: int  # above 0: nothing is observed (a callback runs, or an operator within an operator)
        section: int * 2  # odd while callbacks may be called; odd while the list of callbacks is being made
        open: Ptr[Record]  # records of operators that are running, innermost first
        free: Ptr[Record]
        granularity: int  # 1: some callback wants single operators instead of fused groups
        id: int
        number: int  # of this state in the process
        stack: int  # what `Context.stack` is in this thread; 0: not found out yet
        records: int  # made so far
        random: int
        debug_info: int
        epoch: int  # grows with each thread that uses this state
        alive: int * 2
        heap: int  # address of the heap of this thread; 0: it has not asked for one
        next: Ptr[ThreadState]
        statistics: Ptr[int]  # capacity and number of entries, then the addresses of `Statistic`s or 0
        timing: int  # events until `operator_stats` times one
        count: int  # active callbacks
        callbacks: Ptr[Callback] * {MAX_ACTIVE}
        generations: int * {MAX_ACTIVE}
        versions: int * {MAX_ACTIVE}
        scopes: int * {MAX_ACTIVE}
        seen: int * {MAX_ACTIVE}
        sampled: int * {MAX_ACTIVE}
        left: int * {MAX_ACTIVE * SCOPES}  # events until this callback is due, for each scope
    """,
)
"""What a thread knows of callbacks. Made at the thread's first use (``ts_thread_v1``), used again by later threads."""

HISTOGRAM = 40
"""Buckets of a histogram of durations: bucket i counts those from 2^i to below 2^(i+1) ns, the last all longer ones."""

STATISTIC = Struct(
    "Statistic",
    f"""
        site: Ptr[RecordSite]
        count: int
        timed: int
        total: int  # nanoseconds of the timed ones
        maximum: int
        histogram: int * {HISTOGRAM}
    """,
)
"""What `operator_stats` knows of one site in one thread."""

STRUCTS: dict[str, Struct] = {
    s.name: s
    for s in (
        *(STORAGE, TENSOR_STRUCT, LOADED, SITE, CONTEXT, PAGE, HEAP, ALLOCATOR, FUTURE, WAITER, TYPEINFO),
        *(STR_STRUCT, LIST_STRUCT, DICT_STRUCT, OBJECT_STRUCT, MARSHAL_ENTRY, MARSHAL),
        *(RECORD_SITE, RECORD, CALLBACK, REGISTRY, THREAD, STATISTIC),
        *BOUNDARY,
    )
}
