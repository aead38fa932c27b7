"""Names of native symbols: pure functions, the same for those who define a function and those who call it.

Every name ends in the ABI version, so an object made for another version does not link.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tscript.abi.layout import ABI_VERSION
from tscript.types import DType, Type


def kernel_symbol(name: str, dtypes: Sequence[DType] = ()) -> str:
    """The symbol of a function of the native library.

    Args:
        name: Name of the dialect function.
        dtypes: What its type variables are bound to, in order; empty for a function that is not generic.

    Example:
        >>> from tscript.types import dtypes
        >>> kernel_symbol("transpose"), kernel_symbol("cumsum", [dtypes.float32, dtypes.int64])
        ('ts_transpose_v1', 'ts_cumsum$f32$i64_v1')
    """
    return f"ts_{name}{''.join(f'${d.machine}' for d in dtypes)}_v{ABI_VERSION}"


def split_kernel_symbol(symbol: str) -> tuple[str, tuple[str, ...]] | None:
    """The name and the machine names of the dtypes in a symbol of this ABI version, or None for any other symbol.

    Example:
        >>> split_kernel_symbol("ts_cumsum$f32$i64_v1")
        ('cumsum', ('f32', 'i64'))
        >>> split_kernel_symbol("exp") is None
        True
    """
    end = f"_v{ABI_VERSION}"
    if not (symbol.startswith("ts_") and symbol.endswith(end)):
        return None
    name, *machine = symbol[3 : -len(end)].split("$")
    return name, tuple(machine)


def type_symbol(type: Type) -> str:
    """The symbol of the `TypeInfo` of a type.

    Example:
        >>> from tscript.types import parse_type
        >>> type_symbol(parse_type("list[str]"))
        'ts_type:list[str]_v1'
    """
    return f"ts_type:{type}_v{ABI_VERSION}"


def runtime_symbols(symbols: Iterable[str]) -> tuple[str, ...]:
    """Those of `symbols` that the runtime of this ABI version gives: kernels, types, custom operators in C.

    Example:
        >>> runtime_symbols(["exp", "ts_transpose_v1", "tscript.tensor.0"])
        ('ts_transpose_v1',)
    """
    return tuple(s for s in symbols if s.startswith("ts_") and s.endswith(f"_v{ABI_VERSION}"))


def tensor_symbol(number: int) -> str:
    """The symbol of the header of a constant tensor: each object has its own, numbered from 0.

    Example:
        >>> tensor_symbol(0)
        'tscript.tensor.0'
    """
    return f"tscript.tensor.{number}"


def shared_symbol(number: int) -> str:
    """The symbol of a container that code shares with other code: each object numbers its own from 0.

    Example:
        >>> shared_symbol(0)
        'tscript.shared.0'
    """
    return f"tscript.shared.{number}"


def split_type_symbol(symbol: str) -> str | None:
    """The type, as text, in a symbol that `type_symbol` made for this ABI version, or None for any other symbol."""
    end = f"_v{ABI_VERSION}"
    return symbol[8 : -len(end)] if symbol.startswith("ts_type:") and symbol.endswith(end) else None


SCRIPTED = "tsf_"
"""How the symbols of scripted functions begin."""

UNIFORM = "tsu_"
"""How the symbols of uniform entries begin."""


def uniform_symbol(symbol: str) -> str:
    """The symbol of the uniform entry of a scripted function: ``i32 (ctx, i64 *cells)``, with cells for the results
    followed by those of the arguments, a leaf each.

    Example:
        >>> uniform_symbol("tsf_smooth")
        'tsu_smooth'
    """
    return UNIFORM + symbol.removeprefix(SCRIPTED)


INTERNAL = "tsg_"
"""How the symbols of the other graphs of a program begin: whatever a graph is called, in a file too, it is no kernel
then, nothing of libm, and nothing that the backend makes."""

LOADED = "tsd_loaded"
"""What an object that can be freed says of itself (`tscript.abi.layout.LOADED`)."""

SITES = "tsd_sites"
"""In objects of observed variants: how many `RecordSite`s there are, then the address of each, for which the loader
puts that of a copy that is never freed."""

TIER = "tsd_tier"
"""In quick code: how many more calls it waits for before it asks for better code, then the address of that, or 0; then
what `LAST_PLACE`, `TIME_LEFT`, `STAMP` and `CONTINUATIONS` say."""

LAST_PLACE = 16
"""Where it has the number, from 1, of the place that a call passed last at which a continuation may begin."""

TIME_LEFT = 24
"""Where it has the ticks (`tscript.backend.llvm.instructions.COUNTER`) that its calls may take before it asks."""

STAMP = 32
"""Where it has the tick at which a call began, or met a safepoint."""

CONTINUATIONS = 40
"""Where it begins to have the addresses of continuations, by the numbers of their places, or 0."""

CONTINUATION = "tsr_continuation"
"""The rest of a function from the safepoint of a loop on (`tscript.backend.llvm.continuation`)."""

FRAMES = "tsd_frames"
"""In objects with functions whose frames may be large: how many there are, then the bytes of each frame, which the
loader finds in the code."""

FRAME = ".frame."
"""How the symbol of such a function ends, before its number in that table. What it is called by looks at the stack
before the frame is there."""

TENSOR_ALLOC = kernel_symbol("tensor_alloc")
"""``(ctx, i32 dtype, i64 ndim, ptr sizes, ptr out)``: a contiguous tensor, not initialised."""
TENSOR_RETAIN = kernel_symbol("tensor_retain")
"""``(ctx, ptr tensor)``; cannot fail."""
TENSOR_FROM_ARRAY = kernel_symbol("tensor_from_array")
"""``(ctx, u8 *data, u8 *owner, i64 readonly, i64 dtype, i64 ndim, i64 *sizes, i64 *strides, tensor *out)``: a tensor
over a Python object that is an array."""
VIEW_AT = kernel_symbol("view_at")
"""``(ctx, tensor, i64 ndim, i64 *sizes, i64 *strides, i64 offset, tensor *out)``: a view of a tensor; the offset of its
first element is in elements."""
TENSOR_RELEASE = kernel_symbol("tensor_release")
"""``(ctx, ptr tensor)``; cannot fail."""
FUTURE_NEW = kernel_symbol("future_new")
"""``(ctx, i64 results, i64 arguments, ptr run, ptr kinds, ptr out)``: a `Future` with that many cells, not forked
yet."""
FORK = kernel_symbol("fork")
"""``(ctx, ptr future)``: hands its task to the pool; cannot fail."""
WAIT = kernel_symbol("wait")
"""``(ctx, ptr future)``: returns when its task is done, with the task's status and error."""
POOL_SYMBOLS = (FUTURE_NEW, FORK, WAIT)
"""What the module of the pool gives, which is loaded when one of them is first needed."""
BLAS_SYMBOLS = tuple(map(kernel_symbol, ("sgemm", "dgemm", "cgemm", "zgemm", "sgemv", "dgemv", "has_blas")))
"""Functions of the BLAS, and the byte that says whether they may be called."""
TEXT_SYMBOLS = tuple(map(kernel_symbol, ("unicode", "unicode_page", "characters", "hash_seed")))
"""The shared data of string kernels."""
PYTHON_WORDS = kernel_symbol("python")
"""What conversions know of Python (`tscript.abi.conversion.PythonWord`)."""
OBJECT_RETAIN = kernel_symbol("object_retain")
"""``(ctx, ptr object or null)``; cannot fail. For heap objects of every kind, tensors included."""
OBJECT_RELEASE = kernel_symbol("object_release")
"""``(ctx, ptr object or null)``; cannot fail."""
EXCEPTION_NEW = kernel_symbol("exception_new")
"""``(ctx, ptr type, ptr args, ptr out)``: an exception object."""
EXCEPTION_CHAIN = kernel_symbol("exception_chain")
"""``(ctx, ptr exception, ptr cause or null)``: sets the cause of an exception that has none."""
EXCEPTION_TAKE = kernel_symbol("exception_take")
"""``(ctx, ptr out)``: the exception in flight as an object."""
EXCEPTION_TYPES = kernel_symbol("exception_types")
"""An array of `TypeInfo` addresses: the builtin classes of exceptions, by number."""
EXCEPTION_IS = kernel_symbol("exception_is")
"""``(ctx, ptr type, ptr out)``: whether the exception in flight is an object of a class derived from one; cannot
fail."""
EXCEPTION_FETCH = kernel_symbol("exception_fetch")
"""``(ctx)``: makes the Python exception of the thread an exception in flight; gives the status that it has from then
on."""
STACK = kernel_symbol("stack_limit")
"""``(ctx, i64 end of the frame)``: 1 when the stack has no room left."""
VERIFY = kernel_symbol("verify")
"""``(ctx)``: looks at counts of references, in the checked mode."""
SAFEPOINT = kernel_symbol("safepoint")
"""``(ctx)``: releases the GIL the first time, looks at signals."""
HOT = kernel_symbol("hot")
"""``(ctx, ptr tier)``: quick code ran often enough to be compiled again; the status may be that of a signal."""
DISPATCH = kernel_symbol("dispatch")
"""``(ctx, ptr operator name, i64 count, ptr kinds, ptr values, ptr out)``: runs an operator whose dtypes the
compiler does not know. The arguments are `DispatchKind` bytes with one 64-bit value each; ``out`` has one 64-bit cell
for each leaf of the result (ints, bits of a double, 0 or 1, an owned tensor, a dtype code)."""
PARALLEL = kernel_symbol("parallel")
"""``(ctx, ptr run, ptr task, i64 n, i64 grain)``: calls ``run(ctx, task, begin, end)`` for ranges that make up 0 to n,
on several threads if that pays."""
LET_OTHERS_RUN = kernel_symbol("let_others_run")
"""``(ctx)``: releases the GIL if Python has another thread; no status."""
RELEASE_GIL = kernel_symbol("release_gil")
"""``(ctx)``: releases the GIL unless this call has done so before; the entry wrapper takes it back."""
OBJECT_IN = kernel_symbol("object_in")
"""``(ctx, ptr marshal, ptr object, ptr typeinfo, ptr label, ptr frame, i64 mutable, ptr out)``: a Python object as the
cells behind the two words of a frame; out is 0, or -1 with a Python exception set."""
OBJECT_OUT = kernel_symbol("object_out")
"""``(ctx, ptr marshal, ptr typeinfo, ptr cells, ptr out)``: the Python object of a value, whose references it takes
over; out is null with a Python exception set on failure."""
MARSHAL_END = kernel_symbol("marshal_end")
"""``(ctx, ptr marshal, i64 called, ptr out)``: writes back what the call changed and gives everything back; an
exception that is set stays. out is 0, or -1 with a Python exception set."""
OPERATOR_API = kernel_symbol("operator_api")
"""The table of functions that custom operators in C are given (``TsApi`` of ``tscript_ops.h``)."""
OPERATOR_FAILED = kernel_symbol("operator_failed")
"""``(ctx, ptr operator name, i32 status)``: the status to leave with for what a custom operator in C returned; 0 for
0."""
OPERATOR_DROP = kernel_symbol("operator_drop")
"""``(ctx, ptr tensor or null)``: releases what a custom operator in C gave; cannot fail."""
THREAD = kernel_symbol("thread")
"""``ptr ()``: the `ThreadState` of the calling thread."""
OBSERVER = kernel_symbol("observer")
"""``ptr ()``: the same, up to date with the registered callbacks."""
RECORD_BEGIN = kernel_symbol("record_begin")
"""``(ctx, ptr thread, ptr site, ptr inputs, ptr out)``: a callback is due; out is the `Record`, or null."""
RECORD_END = kernel_symbol("record_end")
"""``(ctx, ptr thread, ptr record, ptr outputs)``: the operator has succeeded."""

RECORD_UNWIND = kernel_symbol("record_unwind")
"""``(ctx, ptr thread, ptr record or null)``: ends the records that were begun after one; cannot fail."""


def operator_symbol(name: str) -> str:
    """The symbol of a custom operator in C.

    Example:
        >>> operator_symbol("mylib::scale.int")
        'ts_op$mylib$scale$int_v1'
    """
    return f"ts_op${name.replace('::', '$').replace('.', '$')}_v{ABI_VERSION}"
