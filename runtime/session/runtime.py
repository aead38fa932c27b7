"""`Runtime`: everything of which a process has one, in one object with one owner.

The compiler with its session and cache, the boundary to CPython, the native library and its state, the eager operators.
Each part gets those it uses as arguments; none calls `tscript.runtime.session.process.current`.
"""

from __future__ import annotations

import ctypes
import gc
import os
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any
from weakref import WeakValueDictionary

import numpy as np

from tscript import ops
from tscript.abi.helpers import CONVERTERS
from tscript.abi.lapack import LAPACK
from tscript.abi.layout import HEAP
from tscript.abi.mode import IS_CHECKED
from tscript.abi.symbols import (
    BLAS_SYMBOLS,
    EXCEPTION_TYPES,
    POOL_SYMBOLS,
    PYTHON_WORDS,
    TENSOR_FROM_ARRAY,
    TENSOR_RELEASE,
    TEXT_SYMBOLS,
    VIEW_AT,
    kernel_symbol,
)
from tscript.backend.llvm.target import Target
from tscript.backend.loader.loaded import LoadedCode, Store
from tscript.backend.loader.prebuilt import find
from tscript.once import once
from tscript.room import ENOUGH, Room
from tscript.runtime.boundary.boundary import Boundary
from tscript.runtime.boundary.hidden_functions import hidden
from tscript.runtime.session.build import BOUNDARY, KernelLibrary
from tscript.runtime.session.eager import EagerOperators
from tscript.runtime.session.keeper import HeapKeeper, cache_limit, total
from tscript.runtime.session.observation import Observation
from tscript.runtime.session.printing import Printing
from tscript.runtime.session.shipped import ShippedOperators
from tscript.runtime.session.team import Team
from tscript.runtime.session.tensors import Tensors
from tscript.runtime.session.watch import CompileWatch
from tscript.runtime.values.errors import Errors
from tscript.runtime.values.tensor import Dress
from tscript.types import forget_types
from tscript.types.dtypes import FIRST_DEFAULT, default_float, set_default_float

if TYPE_CHECKING:
    from tscript.backend.llvm.emitted import Emitted
    from tscript.definitions.python_functions import Direct
    from tscript.definitions.shared import Shared
    from tscript.definitions.table import OperatorTable
    from tscript.frontend import PythonFunction
    from tscript.pipeline import Compiler
    from tscript.runtime.session.allocators import Allocators
    from tscript.runtime.session.caches import Caches
    from tscript.runtime.session.checked import Checked
    from tscript.runtime.session.custom_ops import OperatorRegistry
    from tscript.runtime.session.dispatch import DynamicOperators
    from tscript.runtime.session.exceptions import Exceptions
    from tscript.runtime.session.faces import Faces
    from tscript.runtime.session.functions import FunctionValues
    from tscript.runtime.session.linker import Linker
    from tscript.runtime.session.pool import Pool
    from tscript.runtime.session.scripted import ScriptFunctions
    from tscript.runtime.session.statistics import Collector
    from tscript.runtime.session.tiers import Tiers
    from tscript.runtime.session.travelled import Travelled
    from tscript.runtime.values.conversion import Conversion
    from tscript.runtime.values.futures import Futures
    from tscript.runtime.values.typeinfo import TypeInfos
    from tscript.runtime.values.unicode import TextState
    from tscript.types import Type


SALT_SHIFT = 32
"""The codes of dtypes begin at this bit of the salt of keys, beyond what numbers of words need."""
TRACE_SHIFT, TRACES = 44, 1 << 18
"""The number of a trace begins at this bit of the salt, and comes again after so many."""


class Runtime:
    """The native side of a process. `tscript.runtime.session.process.current` makes the only one.

    What runs eager operators of the prebuilt library is made at once, everything else when it is first needed.
    """

    def __init__(self) -> None:
        self._heap = (ctypes.c_char * (HEAP.size + 64))()
        self.heap: Any = HEAP.ctype.from_address((ctypes.addressof(self._heap) + 63) & -64)
        self.heap.cache_limit = cache_limit()
        self.heap.paged = 1
        self.heap.huge = os.environ.get("TSCRIPT_HUGE_PAGES") == "1"
        self.compiling = threading.RLock()
        self._making = threading.RLock()
        self.watch = CompileWatch()
        self._interop_threads = 0
        self._traces = self._tracing = 0
        self._make_boundary()
        self._make_library()
        self._make_operators()
        gc.callbacks.append(self._collecting)
        self.team = Team(self.native.module)
        self.printing = Printing(self.native.module)

    def _make_boundary(self) -> None:
        """What the native library needs: the boundary, and room to compile."""
        self.errors = Errors()
        self.room = Room(lambda: ENOUGH)  # the creator of a runtime ensures that there is enough
        self.target = Target.host()
        self.store = Store()
        self._converters: dict[str, int] = {}
        self._direct: dict[str, Direct] = {}
        self._called: dict[str, tuple[Any, tuple[str, ...]]] = {}
        self.prebuilt = None if IS_CHECKED else find(self.target.triple, self.target.features)
        if self.prebuilt is not None and os.environ.get("TSCRIPT_PERF_MAP") == "1":
            self.compiler.session.list_prebuilt(self.prebuilt)
        self.native = Boundary(self.load_module, self.errors, self._future, self.target, self.prebuilt)
        self.room = Room(ctypes.PYFUNCTYPE(ctypes.c_int64)(self.native.module.address("ts_stack_left_v1")))
        self._converters.update({name: self.native.module.address(name) for name in CONVERTERS})
        if "compiler" in vars(self):
            self.compiler.session.define(self._converters)

    def _make_library(self) -> None:
        """The native library, and the symbols of its kernels."""
        native = self.native
        library = self.library = KernelLibrary(lambda: self.compiler, self.errors, self.room, self.prebuilt)
        self.keeper = HeapKeeper(self.heap, self._decay)
        library.define({kernel_symbol("heap"): ctypes.addressof(self.heap)})
        library.define(native.symbols)
        self.checked: Checked | None = None
        if IS_CHECKED:
            from tscript.runtime.session.checked import Checked

            self.checked = Checked(self.heap, self.types, native.symbols["ts_concurrent_v1"], self._unfinished)
            library.define(self.checked.symbols)
        heap = ctypes.addressof(self.heap)
        self.observation = Observation(native, library, heap, self.compiling, self.store)
        library.define(self.observation.symbols)
        library.provide(BLAS_SYMBOLS, _blas_addresses)
        library.provide([LAPACK], _lapack_addresses)
        library.provide([EXCEPTION_TYPES], self._exception_types)
        library.provide([PYTHON_WORDS], lambda: self.conversion.symbols)
        library.provide(POOL_SYMBOLS, lambda: self.pool.symbols)
        library.provide(TEXT_SYMBOLS, lambda: self.texts.symbols)
        library.prepare = lambda: native.tensors.set_release(library.address(TENSOR_RELEASE))
        native.arrays.kernel = lambda: library.address(TENSOR_FROM_ARRAY)
        native.slots.kernel = lambda: library.address(VIEW_AT)
        self.errors.objects = lambda: self.exceptions
        native.set_fetch(self._fetch)
        native.set_kernels(library.address)
        native.slots.set_numbers((int, float, complex, np.generic, np.ndarray))

    def _make_operators(self) -> None:
        """The operators, and what compiled code calls back."""
        native = self.native
        self.tensors = Tensors(native.tensors, self.library, native.arrays)
        native.module.set_pointer("tsb_hot_hook", self._hot)
        native.module.set_pointer("tsb_python_functions", self._direct)
        native.module.set_pointer("tsb_operators", self._called)
        native.operators = self._dispatched
        shipped = None if self.prebuilt is None else ShippedOperators(self.prebuilt, self.observation)
        self.eager = EagerOperators(native, lambda: self.linker, self.compiling, self.room, self.watch, shipped)
        self.dress = Dress(native.Tensor, self.eager.of, lambda: self.eager.names.methods)
        vars(ops)["__getattr__"] = self._namespace

    @once
    def compiler(self) -> Compiler:
        """What compiles."""
        from tscript.pipeline import Compiler

        made = Compiler()
        made.target, made.store, made.symbols = self.target, self.store, self._converters
        made.table_with = self._table_with
        if self.prebuilt is not None:
            made.shipped = self.prebuilt.record
        made.direct, made.tell_beside = self._direct, self._beside
        return made

    def set_default_dtype(self, dtype: object) -> None:
        """Set the default dtype of this process; see `tscript.set_default_dtype`."""
        with self.compiling:
            set_default_float(dtype)
            self._salt_keys()
            self.printing.set_default_dtype(default_float())

    def _salt_keys(self) -> None:
        """Rows of calls that were made under another default dtype, or outside of a trace, are not found."""
        trace = self._traces if self._tracing else 0
        ctypes.c_int64.from_address(self.native.module.address("tsb_key_salt")).value = (
            (default_float().code ^ FIRST_DEFAULT.code) << SALT_SHIFT
        ) + (trace % TRACES << TRACE_SHIFT)

    @contextmanager
    def tracing(self) -> Iterator[None]:
        """While it lasts, all calls of native functions by Python come to their `Dispatcher`, which may record them."""
        with self.compiling:
            self._traces += 1
            self._tracing += 1
            self._salt_keys()
        try:
            yield
        finally:
            with self.compiling:
                self._tracing -= 1
                self._salt_keys()

    # Hooks that are set before there is what answers them.

    def _fetch(self, address: int, error: BaseException) -> None:
        self.exceptions.fetch(address, error)

    def _exception(self, address: int, given: object) -> BaseException:
        return self.exceptions.python(address, given)

    def _class_type(self, cls: type) -> Type | None:
        return self.compiler.class_type(cls)

    def _hot(self, cell: int) -> None:
        self.tiers.hot(cell)

    def _dispatched(self, name: str, args: tuple[object, ...]) -> object:
        return self._dynamic.run(name, args)

    def _future(self, address: int) -> object:
        return self.futures.adopt(address)

    @once
    def module_classes(self) -> WeakValueDictionary[object, type]:
        """The classes that stand for scripted modules, by what is known of these."""
        return WeakValueDictionary()

    @once
    def futures(self) -> Futures:
        """The futures of this process."""
        from tscript.runtime.values.futures import Futures

        return Futures()

    @once
    def tiers(self) -> Tiers:
        """Makes better code of what runs often."""
        from tscript.runtime.session.tiers import Tiers

        return Tiers(self.compiler, self.native.callables, self.observation, self.compiling)

    @once
    def linker(self) -> Linker:
        """Makes programs and the code of archives callable."""
        from tscript.runtime.session.containers import Containers
        from tscript.runtime.session.linker import Linker

        return Linker(
            self.compiler, self.native, self.library, self.conversion, self.tensors, Containers(self.library),
            self.observation, self.room, self.compiling, self.watch, lambda: self.tiers,
        )  # fmt: skip

    @property
    def types(self) -> TypeInfos:
        """Types at run time."""
        return self.library.types

    @once
    def exceptions(self) -> Exceptions:
        """Converts exception objects."""
        from tscript.runtime.session.exceptions import Exceptions

        return Exceptions(self.native.converter, self.library, lambda: self.compiler.classes)

    @once
    def conversion(self) -> Conversion:
        """Converts arguments and results by their types."""
        from tscript.runtime.values.conversion import Conversion

        hide = partial(hidden, self.native.callables)
        made = Conversion(self.native.Tensor, self.types, hide, self._exception)
        made.class_type = self._class_type
        made.functions = lambda: self.function_values
        return made

    @once
    def texts(self) -> TextState:
        """The shared data of string kernels."""
        from tscript.runtime.values.unicode import TextState

        return TextState()

    @once
    def travelled(self) -> Travelled:
        """The functions and classes that came in pickles."""
        from tscript.runtime.session.travelled import Travelled

        return Travelled()

    @once
    def collector(self) -> Collector:
        """Gathers statistics of operators."""
        from tscript.runtime.session.statistics import Collector

        return Collector(self.observation)

    @once
    def _dynamic(self) -> DynamicOperators:
        """Runs operators for compiled code."""
        from tscript.runtime.session.dispatch import DynamicOperators

        return DynamicOperators(self.compiler, self.eager, self.tensors, self._direct, self._called)

    def _collecting(self, phase: str, about: Mapping[str, int]) -> None:
        """Called before a garbage collection: drop references to classes that are only kept for later."""
        if phase == "start" and about["generation"] == 2:
            if "conversion" in vars(self):
                self.conversion.forget_classes()
            forget_types()
            self.library.sweep()

    def _table_with(self, namespace: str) -> OperatorTable:
        """See `Compiler.table_with`."""
        return self.operators.table_with(namespace)

    def _exception_types(self) -> Mapping[str, int]:
        """The builtin classes of exceptions, by number, as native code finds them."""
        from tscript.abi.exceptions import EXCEPTIONS

        types = [self.types.address(t) for t in EXCEPTIONS.values()]
        made = self._exceptions = (ctypes.c_void_p * len(types))(*types)
        return {EXCEPTION_TYPES: ctypes.addressof(made)}

    def _namespace(self, name: str) -> object:
        """``tscript.ops.<name>``: a namespace of custom operators."""
        if name.startswith("_"):
            raise AttributeError(f"module {ops.__name__!r} has no attribute {name!r}")
        return self.operators.find(name)

    @property
    def threads(self) -> int:
        """How many threads a loop may use."""
        return self.team.threads

    def set_threads(self, count: int) -> None:
        """Let loops use up to `count` threads."""
        self.team.set_threads(count)

    @once
    def pool(self) -> Pool:
        """The inter-op pool, made at the first fork."""
        from tscript.runtime.session.pool import Pool

        with self._making:
            if "pool" not in vars(self):
                found = Pool(
                    self.native, self.library, self.load_module, self.target, self.errors, self.interop_threads
                )
                found.connect(self.futures, self.types.address, lambda: self.compiler.classes, self.store.sweep)
                vars(self)["pool"] = found
            made: Pool = vars(self)["pool"]
            return made

    def _unfinished(self) -> int:
        """Tasks that are pending or running."""
        return self.pool.unfinished if "pool" in vars(self) else 0

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
    def faces(self) -> Faces:
        """Makes functions that users call."""
        from tscript.runtime.session.faces import Faces

        return Faces(self.native.callables)

    @once
    def caches(self) -> Caches:
        """The Python interface of caches of compiled code."""
        from tscript.runtime.session.caches import Caches

        return Caches(self.native.stubs, self.library, self.linker)

    def _beside(self, cache: object, held: Shared, state: Shared, is_in_front: bool) -> None:
        """See `Caches.beside`."""
        self.caches.beside(cache, held, state, is_in_front)

    @once
    def function_values(self) -> FunctionValues:
        """Function values that cross the boundary."""
        from tscript.runtime.session.functions import FunctionValues

        return FunctionValues(self.linker)

    @once
    def scripts(self) -> ScriptFunctions:
        """Makes scripted functions."""
        from tscript.runtime.session import script_type
        from tscript.runtime.session.disabling import Disabling
        from tscript.runtime.session.scripted import ScriptFunctions

        kind = self.native.callables.new_type("tscript.ScriptFunction", "A compiled function; see `tscript.script`.")
        script_type.dress(kind, self.faces)
        return ScriptFunctions(
            self.linker, lambda: self.caches, lambda: self.pool, kind, Disabling(self.native.callables)
        )

    @once
    def operators(self) -> OperatorRegistry:
        """What defines custom operators."""
        from tscript.runtime.session.custom_ops import OperatorRegistry

        return OperatorRegistry(self.compiler, self.library, self.eager, self.tensors, self.native.Tensor)

    @once
    def allocators(self) -> Allocators:
        """The custom allocators."""
        from tscript.runtime.session.allocators import Allocators

        return Allocators(self.heap)

    def load_module(
        self,
        write: Callable[[], Emitted],
        exports: Sequence[str],
        imports: Mapping[str, int] | Callable[[Sequence[str]], Mapping[str, int]],
        *,
        name: str = "",
        is_stub: bool = False,
    ) -> tuple[Mapping[str, int], object]:
        """See `tscript.runtime.boundary.native_module.Loader`."""
        compiler = self.compiler

        def load() -> LoadedCode:
            data, externals = compiler.stub(write, name) if is_stub else (compiler.module(write, name, *BOUNDARY), ())
            return compiler.session.load(data, exports, imports(externals) if callable(imports) else imports)

        with self.watch.progress("the runtime, once on each machine"):
            library = self.room.run(load)
        return {name: library.address(name) for name in exports}, library

    def cached(self, function: PythonFunction | None, maxsize: int | None, typed: bool) -> PythonFunction | None:
        """A function with a native cache; None if only Python can cache it, for example because it returns lists."""
        can = function is not None and self.room.run(self.compiler.can_share_cache, function)
        return function.with_cache(maxsize, typed) if function is not None and can else None

    def _decay(self, most: int) -> int:
        """See `HeapKeeper`."""
        gave = ctypes.c_int64()
        self.library.call("heap_decay", most, ctypes.byref(gave))
        return gave.value

    def live_blocks(self) -> int:
        """The number of native blocks in use: tensors and storages. It returns to its old value if nothing leaks."""
        return total(self.heap, "live_blocks")


def _lapack_addresses() -> Mapping[str, int]:
    from tscript.runtime.session import lapack

    return lapack.addresses()


def _blas_addresses() -> Mapping[str, int]:
    from tscript.runtime.session import blas

    return blas.addresses()
