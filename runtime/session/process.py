"""`Runtime`: everything of which a process has one, in one object with one owner.

The compiler with its session and cache, the boundary to CPython, the native library and its state, the eager operators.
It is made at the first use of anything native (`current`) and lives as long as the process.
"""

from __future__ import annotations

import ctypes
import gc
import os
import re
import threading
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from tscript import ops
from tscript.abi.checked import IS_CHECKED
from tscript.abi.exceptions import EXCEPTIONS
from tscript.abi.layout import HEAP, OBJECT_VERSION
from tscript.abi.python import PYTHON
from tscript.abi.record import RecordScope
from tscript.abi.signature import Item, Signature, signature_of
from tscript.abi.symbols import EXCEPTION_TYPES, TENSOR_RELEASE, kernel_symbol, shared_symbol, tensor_symbol
from tscript.archive import NativeObject
from tscript.backend.llvm.effort import Effort
from tscript.backend.llvm.emitted import Emitted
from tscript.backend.loader.loaded import LoadedCode
from tscript.diagnostics import UNKNOWN
from tscript.ir.graph import Invoke, Op, Program, walk
from tscript.once import once
from tscript.operators.core.opdef import Native, OpDef, PythonCall
from tscript.operators.python.caches import Shared
from tscript.operators.python.exceptions import CHAIN
from tscript.operators.python.python_calls import PREFIX
from tscript.pipeline import Compiler
from tscript.runtime.boundary import pool_text
from tscript.runtime.boundary.native import Boundary
from tscript.runtime.session import blas
from tscript.runtime.session.build import KernelLibrary
from tscript.runtime.session.caches import Containers, numbered
from tscript.runtime.session.call import Specialisation
from tscript.runtime.session.checked import Checked
from tscript.runtime.session.errors import Caught
from tscript.runtime.session.functions import FunctionValues
from tscript.runtime.session.observation import Observation, Unit
from tscript.runtime.session.room import ENOUGH, Room, elsewhere
from tscript.runtime.session.usage import log_api_usage_once
from tscript.runtime.values.conversion import CONVERTERS, Conversion
from tscript.runtime.values.unicode import TextState
from tscript.types import BOOL, FLOAT, INT, DType, Type, dtypes, forget_types

if TYPE_CHECKING:
    from tscript.frontend import PythonFunction
    from tscript.operators.core.table import OperatorTable
    from tscript.runtime.session.allocators import Allocators
    from tscript.runtime.session.custom_ops import OperatorRegistry
    from tscript.runtime.session.pool import Pool

_DEFINITION = re.compile(r"^(define [^\n]*) \{\n(.*?^\}$)", re.MULTILINE | re.DOTALL)
_LEADS_ON = re.compile(r"call \w+ %\w+\(|@tsb_call\(|@run_row\(|@run\(")
"""A function of the boundary, and what in its body says that compiled code runs inside it."""

HEAP_CACHE_LIMIT = 1 << 30
"""Bytes of freed tensors that are kept for reuse."""


class Runtime:
    """The native side of this process. Use `current` instead of making one."""

    def __init__(self) -> None:
        self.compiler = Compiler()
        self.eager: dict[str, Any] = {}
        self._heap = (ctypes.c_char * (HEAP.size + 64))()
        self.heap: Any = HEAP.ctype.from_address((ctypes.addressof(self._heap) + 63) & -64)
        self.heap.cache_limit = HEAP_CACHE_LIMIT
        self.caught = Caught()
        self.library = KernelLibrary(self.compiler)
        self.library.define({kernel_symbol("heap"): ctypes.addressof(self.heap)})
        self.checked = Checked(self) if IS_CHECKED else None
        if self.checked is not None:
            self.library.define(self.checked.symbols)
        self.compiling = threading.RLock()
        self.room = Room(lambda: ENOUGH)  # `current` sees to it that there is as much
        self.native = Boundary(self.load_text, self.compiler.target.triple.partition("-")[0])
        self.library.define(self.native.symbols)
        self.room = Room(ctypes.PYFUNCTYPE(ctypes.c_int64)(self.native.internal("ts_stack_left_v1")))
        self.library.room = self.room
        self.observation = Observation(self)
        self.library.define(self.observation.symbols)
        self.library.define(blas.addresses())
        self.library.provide([EXCEPTION_TYPES], self._exception_types)
        self.types = self.library.types
        self.conversion = Conversion(self.native, self.types)
        self.conversion.class_type = self.compiler.class_type
        self.library.define(self.conversion.symbols)
        self.conversion.functions = FunctionValues(self)
        self.containers = Containers(self)
        self.compiler.functions.tell_beside = self.containers.beside
        self.compiler.session.define({name: self.native.internal(name) for name in CONVERTERS})
        self.native.set_kernels(self.library.address)
        self.native.set_release(self.library.address(TENSOR_RELEASE))
        self.native.set_numbers((int, float, np.generic, np.ndarray))
        self.native.set_dispatch(self._dispatch)
        self.native.set_pointer("tsb_python_functions", self.compiler.functions.direct)
        self.library.provide(pool_text.EXPORTS, lambda: self.pool.symbols)
        self.texts = TextState()
        self.library.define(self.texts.symbols)
        self.compiler.table_with = self._table_with
        vars(ops)["__getattr__"] = self._namespace
        gc.callbacks.append(self._collecting)
        self._threads = 1
        self._interop_threads = 0
        wanted = os.environ.get("TSCRIPT_THREADS", "")
        if wanted.isdigit() and int(wanted) > 1:
            self.set_threads(int(wanted))

    def _collecting(self, phase: str, about: Mapping[str, int]) -> None:
        """Before Python looks for classes that are garbage, among others: let go of those that are only remembered."""
        if phase == "start" and about["generation"] == 2:
            self.conversion.forget_classes()
            forget_types()
            self.types.sweep()

    def _table_with(self, namespace: str) -> OperatorTable:
        """See `Compiler.table_with`."""
        return self.operators.table_with(namespace)

    def _exception_types(self) -> Mapping[str, int]:
        """The builtin classes of exceptions, by number, as native code finds them."""
        types = [self.library.types.address(t) for t in EXCEPTIONS.values()]
        made = self._exceptions = (ctypes.c_void_p * len(types))(*types)
        return {EXCEPTION_TYPES: ctypes.addressof(made)}

    def _namespace(self, name: str) -> object:
        """``tscript.ops.<name>``: a namespace of custom operators."""
        if name.startswith("_"):
            raise AttributeError(f"module {ops.__name__!r} has no attribute {name!r}")
        return self.operators.find(name)

    @property
    def threads(self) -> int:
        """How many threads a kernel may use."""
        return self._threads

    def set_threads(self, count: int) -> None:
        """Let kernels use up to `count` threads."""
        self._threads = count
        blas.set_num_threads(count)

    @once
    def pool(self) -> Pool:
        """The inter-op pool, made at the first fork."""
        from tscript.runtime.session.pool import Pool

        with _MAKING:
            if "pool" not in vars(self):
                vars(self)["pool"] = Pool(self, self.interop_threads)
            made: Pool = vars(self)["pool"]
            return made

    @property
    def interop_threads(self) -> int:
        """How many threads the inter-op pool may have."""
        if not self._interop_threads:
            from tscript.runtime.session.pool import default_threads

            self._interop_threads = default_threads()
        return self._interop_threads

    def set_interop_threads(self, count: int) -> None:
        """Let the inter-op pool have up to `count` threads."""
        self._interop_threads = count
        if "pool" in vars(self):
            self.pool.set_threads(count)

    @once
    def script_type(self) -> type:
        """The native type of scripted functions."""
        made: type = self.native.new_callable_type(
            "tscript.ScriptFunction", "A compiled function; see `tscript.script`."
        )
        return made

    @once
    def operators(self) -> OperatorRegistry:
        """What defines custom operators."""
        from tscript.runtime.session.custom_ops import OperatorRegistry

        return OperatorRegistry(self)

    @once
    def allocators(self) -> Allocators:
        """The custom allocators."""
        from tscript.runtime.session.allocators import Allocators

        return Allocators(self)

    def load_text(
        self, text: str, exports: Sequence[str], imports: Mapping[str, int], *, effort: Effort = Effort.FULL
    ) -> tuple[Mapping[str, int], object]:
        """See `tscript.runtime.boundary.native.Loader`."""
        target = self.compiler.target
        whole = f'target triple = "{target.triple}"\ntarget datalayout = "{target.data_layout}"\n{text}'
        # A profiler walks from compiled functions to Python through those of the boundary that lead there; helpers,
        # which return before that, are cheaper without.

        def with_attributes(found: re.Match[str]) -> str:
            attributes = target.attributes if _LEADS_ON.search(found[2]) else "nounwind"
            return f"{found[1]} {attributes} {{\n{found[2]}"

        whole = _DEFINITION.sub(with_attributes, whole)
        library = self.room.run(
            lambda: self.compiler.session.load(self.compiler.build(Emitted(whole, effort)), exports, imports)
        )
        return {name: library.address(name) for name in exports}, library

    def _dispatch(self, operator_name: str, args: tuple[Any, ...]) -> object:
        """Run an operator of compiled code whose dtypes or ranks were not known when it was compiled, or that is a
        Python function."""
        if operator_name.startswith(PREFIX):
            return self.compiler.functions[operator_name].semantics(*args)
        op = self.compiler.table[operator_name]
        if isinstance(op.implementation, PythonCall):
            return op.implementation.function(*args)
        from tscript.runtime.session.eager import operator
        from tscript.runtime.values.tensor import tensor

        schema = op.schema
        named = {p.name: a for p, a in zip(schema.parameters, args, strict=True) if p.keyword_only}
        found = operator(schema.name)(*args[: len(args) - len(named)], **named)
        if schema.result == "Scalar":  # code that does not know the dtype holds the number as a 0-d tensor
            return tensor(found, dtype=args[0].dtype)
        return found

    def link(
        self,
        program: Program,
        given: Sequence[Type],
        static: Sequence[bool] = (),
        *,
        site: int | Callable[[], int] = 0,
        again: Callable[[], Program] | None = None,
    ) -> Specialisation:
        """Optimise `program`, make native code, load it.

        Args:
            program: Specialised; it is changed.
            given: The types of the call's arguments, static ones included.
            static: Which of them are built in and are no parameters of the program.
            site: Address of the `RecordSite` of its calls, or what gives it; 0: they are not observed.
            again: Makes `program` anew, for observed variants; None when there is nothing in it to observe.
        """
        self.compiler.optimise(program)
        changes, calls = changes_objects(program), python_calls(program)
        compiled = self.compiler.native(program)
        code = self._load(
            compiled.object,
            compiled.symbol,
            compiled.externals,
            compiled.tensors,
            compiled.shared,
            _place(program),
            calls,
        )
        signature = _signature(compiled.types, given, static, compiled.result, changes)
        constants = self.conversion.constants(
            signature, given, compiled.result, f"{program.entry.name}()", parameter_names(program, static)
        )
        return self._specialisation(
            signature, code, compiled.symbol, constants, compiled.result, site, program.main, again
        )

    def _specialisation(
        self,
        signature: Signature,
        code: LoadedCode,
        symbol: str,
        constants: tuple[object, ...],
        result: Type,
        site: int | Callable[[], int],
        name: str,
        again: Callable[[], Program] | None,
    ) -> Specialisation:
        address = code.address(symbol)
        unit = None
        if site:
            unit = Unit(site, address, name, None if again is None else self._variant(name, again))
            code.use([unit], self._needed)  # tasks refer to it
        return Specialisation(signature, address, constants, unit, result, code)

    def _variant(self, name: str, again: Callable[[], Program]) -> Callable[[bool], tuple[int, LoadedCode]]:
        return lambda fuse: self.room.run(self._observed, name, again, fuse)

    def _observed(self, name: str, again: Callable[[], Program], fuse: bool) -> tuple[int, LoadedCode]:
        """The observed variant of a specialisation, with fused groups or single operators: its address and owner."""
        with self.observation.range(RecordScope.COMPILE, name), self.compiling:
            program = self.compiler.optimise(again(), fuse=fuse)
            calls = python_calls(program)
            compiled = self.compiler.native(program, observed=True)
            place = _place(program)
            where = place and f"{place}:observed"
            code = self._load(
                compiled.object, compiled.symbol, compiled.externals, compiled.tensors, compiled.shared, where, calls
            )
            if code.sites:
                self.observation.adopt(code.sites)
            return code.address(compiled.symbol), code

    def _load(
        self,
        data: bytes,
        symbol: str,
        externals: Sequence[str],
        tensors: Sequence[np.ndarray[Any, Any]],
        shared: Sequence[tuple[Shared, Type]] = (),
        place: str = "",
        calls: Sequence[OpDef] = (),
    ) -> LoadedCode:
        types = [self.library.type_of(name) for name in externals]
        imports = {
            name: self.library.address(name) for name, type in zip(externals, types, strict=True) if type is None
        }
        imports |= {n: self.types.address(type) for n, type in zip(externals, types, strict=True) if type is not None}
        # Arrays of the frontend and of archives are read-only, so tensors over them refuse to be written to.
        headers = [self.constant_tensor(a) for a in tensors]
        imports |= {tensor_symbol(i): self.native.impl_of(header) for i, header in enumerate(headers)}
        containers = [self.containers.of(one, type) for one, type in shared]
        imports |= {shared_symbol(i): container.address for i, container in enumerate(containers)}
        code = self.compiler.session.load(data, [symbol], imports, place, lasting=False)
        used = [t for t in (*types, *(type for _, type in shared)) if t is not None and t.owner is not None]
        code.use([*used, *calls], self._needed)
        for kept in (*headers, *containers):
            code.keep(kept)
        return code

    def _needed(self, thing: object) -> None:
        """Only native values need something that code uses."""
        if isinstance(thing, Type):
            self.types.add_again(thing)
        elif isinstance(thing, OpDef):
            self.compiler.functions.add(thing)

    def native_object(self, program: Program, tensors: Sequence[np.ndarray[Any, Any]] = ()) -> NativeObject:
        """Object code of a specialised `program` for this machine, to keep in an archive with these constant
        `tensors`."""
        from llvmlite import binding

        target = self.compiler.target
        compiled = self.compiler.native(self.compiler.optimise(program))
        llvm = ".".join(map(str, binding.llvm_version_info))
        return NativeObject(
            compiled.types, compiled.result, compiled.symbol, compiled.externals,
            target.triple, target.cpu, target.features, llvm, OBJECT_VERSION, compiled.object,
            tuple(next(i for i, known in enumerate(tensors) if known is t) for t in compiled.tensors),
            tuple((shared.number, type) for shared, type in compiled.shared if shared.number is not None),
            PYTHON,
        )  # fmt: skip

    def accepts(self, native: NativeObject) -> bool:
        """Whether object code of an archive runs here: same platform, ABI and Python, no CPU feature that is
        missing."""
        target = self.compiler.target
        needed = {f[1:] for f in native.features.split(",") if f.startswith("+")}
        fits = (native.triple, native.abi, native.python) == (target.triple, OBJECT_VERSION, PYTHON)
        return fits and needed <= target.enabled

    def load_native(
        self,
        native: NativeObject,
        given: Sequence[Type],
        tensors: Sequence[np.ndarray[Any, Any]],
        program: Callable[[], Program],
        *,
        name: str = "",
        site: int | Callable[[], int] = 0,
        again: Callable[[], Program] | None = None,
    ) -> Specialisation:
        """Load object code of an archive, of the function `name`, which has these constant `tensors`, and which
        `program` gives; `site` and `again` are as for `link`."""
        own = [tensors[i] for i in native.tensors]
        numbers = numbered(program()) if native.shared else {}
        containers = [(numbers[number], type) for number, type in native.shared]
        code = self._load(native.data, native.symbol, native.externals, own, containers)
        signature = _signature(native.types, given, (), native.result)
        names = [str(i) for i in range(1, len(given) + 1)]
        constants = self.conversion.constants(signature, given, native.result, f"{name}()", names)
        name = name or native.symbol
        return self._specialisation(signature, code, native.symbol, constants, native.result, site, name, again)

    def constant_tensor(self, value: Any) -> Any:
        """A tensor over an array that is a constant; any other value as it is."""
        if not isinstance(value, np.ndarray):
            return value
        return self.tensor_from_array(value, dtypes.BY_NAME[value.dtype.name])

    def tensor_from_array(self, array: np.ndarray[Any, Any], dtype: DType) -> Any:
        """A tensor over an array's memory, which it keeps alive. The strides must be multiples of the element size."""
        log_api_usage_once("tscript.tensor.create")
        ndim = array.ndim
        numbers = ctypes.c_int64 * max(1, ndim)
        sizes = numbers(*array.shape)
        strides = numbers(*(s // dtype.itemsize for s in array.strides))
        low = sum(min(0, s * (n - 1)) for s, n in zip(array.strides, array.shape, strict=True)) if array.size else 0
        high = sum(max(0, s * (n - 1)) for s, n in zip(array.strides, array.shape, strict=True)) if array.size else 0
        nbytes = high - low + dtype.itemsize if array.size else 0
        out = ctypes.c_void_p()
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(array))
        try:
            self.library.call(
                "tensor_from_memory", array.ctypes.data + low, nbytes, id(array), int(not array.flags.writeable),
                dtype.code, ndim, sizes, strides, -low, ctypes.byref(out),
            )  # fmt: skip
        except BaseException:
            ctypes.pythonapi.Py_DecRef(ctypes.py_object(array))
            raise
        assert out.value is not None
        return self.native.wrap(out.value)

    def cached(self, function: PythonFunction | None, maxsize: int | None, typed: bool) -> PythonFunction | None:
        """A function with a native cache around it; None when only Python can keep one: it returns lists, say."""
        can = function is not None and self.room.run(self.compiler.can_share_cache, function)
        return function.with_cache(maxsize, typed) if function is not None and can else None

    def live_blocks(self) -> int:
        """Native blocks in use: tensors and storages. Back to its former value when nothing leaks."""
        return int(self.heap.live_blocks)


_MAKING = threading.RLock()
"""Held while the runtime is made: threads may ask for it at the same time."""


@cache
def current() -> Runtime:
    """The runtime of this process, made at the first call.

    Raises:
        ImportError: This interpreter is not supported (`UnsupportedInterpreterError`).
    """
    with _MAKING:
        return _only()


@cache
def _only() -> Runtime:
    log_api_usage_once("tscript.runtime.start")
    from tscript.runtime.values.tensor import dress

    # Other threads may have little stack, which cannot be measured yet.
    runtime = Runtime() if threading.current_thread() is threading.main_thread() else elsewhere(Runtime)
    dress(runtime)
    return runtime


def _place(program: Program) -> str:
    """``file:line`` of a program's entry; empty if it comes from no file."""
    span = program.entry.span
    return "" if span is UNKNOWN else f"{span.source.name}:{span.line}"


def _signature(
    native: Sequence[Type], given: Sequence[Type], static: Sequence[bool], result: Type, changes: bool = True
) -> Signature:
    """How arguments of the `given` types reach code whose parameters are `native`."""
    flags = [*static, *[False] * len(given)][: len(given)]
    passed = iter(native)
    types = [g if is_static else next(passed) for g, is_static in zip(given, flags, strict=True)]
    found = signature_of(types, result, flags, [changes] * len(types))
    items: list[Item] = [
        "w" if item == "f" and t == FLOAT and g in (INT, BOOL) else item
        for item, t, g in zip(found.parameters, types, given, strict=True)
    ]
    return Signature(tuple(items), found.result)


def changes_objects(program: Program) -> bool:
    """Whether a program may change a list, a dict, a set or an instance that it is given."""
    return any(
        isinstance(n, Invoke)
        or (isinstance(n, Op) and n.op is CHAIN)
        or (isinstance(n, Op) and n.op.effects.world and isinstance(n.op.implementation, Native | PythonCall))
        for g in program.graphs.values()
        for n in walk(g.body)
    )


def python_calls(program: Program) -> list[OpDef]:
    """The operators of a program that call functions of the user's in Python."""
    nodes = (n for g in program.graphs.values() for n in walk(g.body))
    return list({n.op for n in nodes if isinstance(n, Op) and n.op.name.startswith(PREFIX)})


def parameter_names(program: Program, static: Sequence[bool]) -> list[str]:
    """A name for each argument of a call; those that are built in have none."""
    names = iter([v.name for v in program.entry.body.params])
    flags = [*static, *[False] * len(program.entry.body.params)]
    return ["" if is_static else next(names, "") for is_static in flags]
