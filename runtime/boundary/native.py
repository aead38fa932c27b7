"""`Boundary`: where Python objects meet native code. The Python half of the module that `entry_text` writes.

    >>> native = Boundary(load, Errors(), Futures())
    >>> def miss(fn, args, kwargs):
    ...     native.add_row(fn, native.key_of(fn, args), "ff:f", compile_for(args), keepalive)
    ...     return fn(*args, **kwargs)
    >>> f = native.new_callable("f", 2, b"", miss)
    >>> f(2.0, 3.0)             # the first call misses, later ones run the native code at once

A process needs one `Boundary`; it is never unloaded. Its methods are called with the GIL held and are safe to call from
several threads.
"""

from __future__ import annotations

import ctypes
import struct
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Protocol

from tscript.abi.boundary import PY_CALLABLE
from tscript.abi.dispatch import END, DispatchKind
from tscript.abi.layout import CONTEXT, MARSHAL, MAX_DEPTH, NO_STACK, TENSOR_STRUCT, TYPEINFO, TypeKind
from tscript.abi.signature import Item, Signature, is_object, parse_signature
from tscript.abi.symbols import kernel_symbol
from tscript.backend.llvm.effort import Effort
from tscript.backend.llvm.target import Target
from tscript.operators.python.python_calls import PREFIX
from tscript.runtime.boundary import entry_tensor, entry_text
from tscript.runtime.boundary.keys import MAX_WORDS, Flag, Tag
from tscript.runtime.boundary.module import exports as dialect_symbols
from tscript.runtime.boundary.native_types import check_interpreter, make_callable_type, make_tensor_type
from tscript.runtime.boundary.stubs import HELPERS, OBJECT_KERNELS, fork_module, stubs_module
from tscript.runtime.values.errors import Errors, trace_through
from tscript.runtime.values.futures import Future, Futures
from tscript.runtime.values.strings import text_at
from tscript.runtime.values.tracebacks import Refused, tells
from tscript.types.dtypes import BY_CODE, DTYPES, DType

Miss = Callable[[Any, tuple[Any, ...], dict[str, Any]], Any]
"""``miss(callable, args, kwargs)``: what runs when no row fits a call. Its result is the call's result."""


class _Marker:
    """An object that stands for something, keyed by identity."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return self.name


REQUIRED = _Marker("REQUIRED")
"""In `defaults`: the parameter has no default."""
ABSENT = _Marker("ABSENT")
"""A default that says 'not given'; in a key it is an object like any other, and its letter is ``_``."""


_CONVERSION = ctypes.PYFUNCTYPE(ctypes.c_int)
"""A kernel of conversions, whatever its arguments are."""


class Loader(Protocol):
    """Compiles LLVM text and loads it."""

    def __call__(
        self,
        text: Callable[[], str],
        exports: Sequence[str],
        imports: Mapping[str, int],
        *,
        effort: Effort = Effort.FULL,
        name: str = "",
    ) -> tuple[Mapping[str, int], object]:
        """The addresses of `exports`, and what keeps them valid.

        Args:
            text: Writes an LLVM module without triple and data layout.
            exports: Symbols it defines.
            imports: Addresses of symbols it declares; all others come from the process.
            effort: How much LLVM is asked to do.
            name: With the sources of the compiler and the runtime it says what the text is, so that a kept object is
                found without it; empty: only the text says that.
        """


class Boundary:
    """The boundary of this process.

    Args:
        load: Compiles and loads the boundary module and stubs.
        errors: Gives the exceptions that native code leaves.
        futures: Makes the Python objects of futures.
        target: What they are for.

    Attributes:
        Tensor: The tensor type.
        Callable: The base callable type; `new_callable_type` makes others.
        symbols: Addresses of the runtime symbols that native code may reference (``ts_safepoint_v1`` …).

    Raises:
        UnsupportedInterpreterError: The running Python is not one it knows.
    """

    def __init__(self, load: Loader, errors: Errors, futures: Futures, target: Target) -> None:
        self._interpreter = check_interpreter()
        self._load = load
        self._errors = errors
        common = [parse_signature(s) for s in entry_text.COMMON_SIGNATURES]
        exports = {*entry_text.EXPORTS, *entry_text.INTERNALS, *dialect_symbols(), *(s.symbol for s in common)}
        text = partial(entry_text.boundary_text, self._interpreter, common, target)
        self._addresses, keepalive = load(text, sorted(exports), {}, name=f"boundary {self._interpreter}")
        # Objects whose deallocation runs code of the module may die after everything else at interpreter shutdown.
        _leak(keepalive)
        self.symbols: Mapping[str, int] = {name: at for name, at in self._addresses.items() if name.startswith("ts_")}
        self._stubs: dict[Signature, int] = {s: self._addresses[s.symbol] for s in common}
        self._fork_stubs: dict[Signature, int] = {}
        self._held: list[object] = []
        self._kernel: Callable[[str], int] | None = None
        self._names: dict[str, str] = {}
        self._conversions: dict[str, Callable[..., int]] = {}
        self.set_pointer("tsb_required", REQUIRED)
        self.set_pointer("tsb_refused", Refused)
        for i, kind in enumerate((DType, _Marker)):
            self.set_pointer("tsb_kinds", kind, i)
        for dtype in DTYPES:
            self.set_pointer("tsb_dtypes", dtype, dtype.code)
        self.set_pointer("tsb_raise_hook", errors.exception_of)
        self.set_pointer("tsb_dispatch_hook", self._dispatch)
        self.set_pointer("tsb_future_hook", futures.adopt)
        self.set_pointer("tsb_trace_hook", trace_through)
        self._operators: Callable[[str, tuple[Any, ...]], object] | None = None
        self.Tensor: Any = make_tensor_type(self._addresses, "tscript.Tensor", "A multi-dimensional array of numbers.")
        self.set_pointer("tsb_tensor_type", self.Tensor)
        self.Callable: Any = self.new_callable_type("tscript.NativeFunction", "A function that runs native code.")
        self.set_numbers((int, float))
        self._bind_functions()

    def _bind_functions(self) -> None:
        obj, ptr, i64, i32 = ctypes.py_object, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int
        bind = self._bind
        self._new = bind("tsb_callable_new", obj, obj, i64, ctypes.c_char_p, i64, obj, ptr, ptr)
        self._add = bind("tsb_callable_add", i32, obj, ctypes.POINTER(i64), i64, ptr, ptr, ptr, ptr, obj)
        self._key = bind("tsb_callable_key", i64, obj, obj, ctypes.POINTER(i64))
        self._count = bind("tsb_callable_count", i64, obj)
        self._wrap = bind("tsb_wrap", obj, ptr)
        self._wrap_borrowed = bind("tsb_wrap_borrowed", obj, ptr)
        self.retain = bind("tsb_retain", None, ptr)
        self._invoke = bind("tsb_invoke", obj, ptr, ptr, obj, ptr, ptr)
        self._slot_set = bind("tsb_slot_set", None, i64, obj, i32)

    def _bind(self, symbol: str, result: Any, *parameters: Any) -> Callable[..., Any]:
        return ctypes.PYFUNCTYPE(result, *parameters)(self._addresses[symbol])

    def internal(self, symbol: str) -> int:
        """Address of a symbol of the boundary module that the Python half uses."""
        return self._addresses[symbol]

    def set_pointer(self, symbol: str, value: object, index: int = 0) -> None:
        """Store a reference to `value` in a global of the module; it is kept alive for ever."""
        _leak(value)
        ctypes.c_void_p.from_address(self._addresses[symbol] + 8 * index).value = id(value)

    # -- settings ---------------------------------------------------------------------------------------------------

    def set_release(self, address: int) -> None:
        """Say what drops a reference of a native tensor: the address of ``ts_tensor_release_v1(ctx, tensor)``."""
        ctypes.c_void_p.from_address(self._addresses["tsb_release"]).value = address

    def set_numbers(self, types: tuple[type, ...]) -> None:
        """Say which types (and their subclasses) number slots take as the other operand besides tensors.

        Args:
            types: Usually ``(int, float, numpy.generic)``.
        """
        self.set_pointer("tsb_numbers", types)

    def set_slot(self, name: str, function: Callable[..., object]) -> None:
        """Put a callable behind a special method of `Tensor`, in its native slot.

        Args:
            name: One of `entry_tensor.SLOTS`: ``__add__``, ``__iadd__``, ``__neg__``, ``__eq__``, ``__getitem__`` …
                Reflected forms share the slot of the plain one: ``1.0 + x`` calls the function with ``(1.0, x)``.
            function: A native callable (fast) or any other.

        Raises:
            KeyError: There is no such slot.
            TypeError: `function` cannot be called.
        """
        if name not in entry_tensor.SLOTS:
            raise KeyError(f"tensors have no slot {name!r}")
        if not callable(function):
            raise TypeError(f"a slot needs a callable, not {function!r}")
        _leak(function)
        self._slot_set(entry_tensor.SLOTS.index(name), function, self.is_callable(function))

    def set_dispatch(self, run: Callable[[str, tuple[Any, ...]], object]) -> None:
        """Say what runs an operator whose dtypes native code did not know: ``run(operator name, arguments)``."""
        self._operators = run

    def set_fetch(self, fetch: Callable[[int, BaseException], None]) -> None:
        """Say what makes a Python exception one of native code: ``fetch(address of the context, exception)``."""
        self.set_pointer("tsb_fetch_hook", fetch)

    def set_kernels(self, address: Callable[[str], int]) -> None:
        """Say what gives the addresses of the kernels that convert values by their types (`stubs.OBJECT_KERNELS`)."""
        self._kernel = address

    # -- callables --------------------------------------------------------------------------------------------------

    def new_callable_type(self, name: str, doc: str) -> Any:
        """A further type of native callables.

        Args:
            name: Dotted name, ``tscript.ScriptFunction``.
            doc: Its documentation. Attributes, methods and properties can be set on the type.
        """
        made = make_callable_type(self._addresses, name, doc)
        self._held.append(made)
        return made

    def is_callable(self, thing: object) -> bool:
        """Whether `thing` is an object that `new_callable` made."""
        return type(thing) in self._held

    def new_callable(
        self,
        name: str,
        nparams: int,
        flags: Sequence[int],
        miss: Miss,
        *,
        names: Sequence[str] = (),
        defaults: Sequence[object] = (),
        variadic: bool = False,
        type: type | None = None,
    ) -> Any:
        """A callable without rows: every call misses until `add_row`.

        Args:
            name: Its ``__name__`` and ``__qualname__``.
            nparams: Number of positional parameters.
            flags: A `Flag` for each parameter; missing ones are `Flag.DYNAMIC`.
            miss: What runs when no row fits. It gets the call as it was written: positional arguments as a tuple,
                keywords as a dict.
            names: Names of all parameters; with them calls with keywords are put in order natively. A variadic callable
                without names takes keywords as further arguments, their names in the key.
            defaults: For all parameters a default or `REQUIRED`; left-out arguments take them natively.
            variadic: Whether more arguments than `nparams` are taken; they follow the last parameter's flag.
            type: What `new_callable_type` made; `Callable` otherwise.

        Raises:
            ValueError: Lengths do not agree.
            TypeError: `type` is not a callable type of this boundary, or `miss` cannot be called.
        """
        kind = self.Callable if type is None else type
        if kind not in self._held:
            raise TypeError(f"{kind!r} is not a type that new_callable_type made")
        if not callable(miss):
            raise TypeError(f"miss must be callable, not {miss!r}")
        if nparams < 0 or len(flags) > nparams:
            raise ValueError(f"{len(flags)} flags for {nparams} parameters")
        if variadic and nparams == 0:
            raise ValueError("a variadic callable needs at least one parameter")
        for what, given in (("names", names), ("defaults", defaults)):
            if len(given) not in (0, nparams):
                raise ValueError(f"{len(given)} {what} for {nparams} parameters")
        flag_bytes = bytes(flags).ljust(max(1, nparams), b"\0")
        interned = tuple(map(sys.intern, names))
        filled = tuple(defaults)
        made = self._new(
            kind,
            nparams,
            flag_bytes,
            int(variadic),
            miss,
            id(interned) if interned else None,
            id(filled) if filled else None,
        )
        made.__name__ = made.__qualname__ = name
        return made

    def key_of(self, function: Any, args: Sequence[object], names: Sequence[str] = ()) -> tuple[int, ...] | None:
        """The key words of a call of `function` with these arguments.

        Args:
            function: A native callable.
            args: All in place: keywords put where they belong, defaults filled in. For a variadic callable without
                names of its own: as in the call, keyword arguments last.
            names: Names of the last arguments, for such a callable.

        Returns:
            The words, or None when an argument has no key: such calls always miss.

        Raises:
            TypeError: `function` is not a native callable.
        """
        self._require(function)
        nparams, variadic = _field(function, "nparams"), _field(function, "variadic")
        if len(args) < nparams or (len(args) > nparams and not variadic):
            return None
        if names and (not variadic or _field(function, "names")):
            return None
        row = tuple(args)
        if list in map(type, row):
            flags = ctypes.string_at(_field(function, "flags"), max(1, nparams))
            row = tuple(
                tuple(a) if type(a) is list and flags[min(i, nparams - 1)] & Flag.LIST else a for i, a in enumerate(row)
            )
        words = (ctypes.c_int64 * MAX_WORDS)()
        found = self._key(function, row, words)
        if found < 0 or found + len(names) >= MAX_WORDS:
            return None
        if not names:
            return tuple(words[:found])
        # Kept for ever: the key knows names by their addresses.
        kept = [self._names.setdefault(name, sys.intern(name)) for name in names]
        return (*words[:found], Tag.KEYWORDS | len(kept) << 8, *map(id, kept))

    def row_count(self, function: Any) -> int:
        """How many rows `function` has."""
        self._require(function)
        return int(self._count(function))

    def add_row(
        self,
        function: Any,
        key: Sequence[int],
        signature: Signature | str,
        code: int,
        keepalive: object = None,
        constants: Sequence[object] = (),
        objects: Sequence[object] = (),
        unit: int = 0,
        *,
        stub: int = 0,
    ) -> bool:
        """Let calls with this key run native code.

        Args:
            function: A native callable.
            key: What `key_of` gave.
            signature: How arguments reach the code, one item for each argument.
            code: Address of a function in the native calling convention.
            keepalive: Held as long as `function`; must keep the code loaded.
            constants: What letters stand for that take one, in order; see `tscript.abi.signature`.
            objects: The arguments of the call, of which those that the key knows by identity are kept alive.
            unit: Address of what callbacks need (`entry_record.UNIT`), which `keepalive` keeps; 0: never observed.
            stub: Address of the stub to use; that of `signature` when left out.

        Returns:
            False when the key had a row already; that one stays.

        Raises:
            TypeError: `function` is not a native callable.
            ValueError: The signature does not fit the key or the constants, or is not one.
        """
        self._require(function)
        found = parse_signature(signature) if isinstance(signature, str) else signature
        kept = tuple(constants)
        _check(found, key, kept)
        if not code:
            raise ValueError("the address of the code is null")
        stub = stub or self.stub(found)
        words = (ctypes.c_int64 * max(1, len(key)))(*key)
        held = (keepalive, kept, tuple(o for o in objects if type(o) in (DType, _Marker)))
        return bool(self._add(function, words, len(key), stub, code, id(kept) if kept else None, unit or None, held))

    def _require(self, function: object) -> None:
        if not self.is_callable(function):
            raise TypeError(f"not a native callable: {function!r}")

    # -- stubs ------------------------------------------------------------------------------------------------------

    def stub(self, signature: Signature | str) -> int:
        """The address of the stub of `signature`; compiled once."""
        wanted = parse_signature(signature) if isinstance(signature, str) else signature
        if wanted not in self._stubs:
            module = stubs_module([wanted], self._interpreter.tuple_items)
            used = {name: self._addresses[name] for name in module.externals if name in HELPERS}
            if wanted.has_objects:
                if self._kernel is None:
                    raise ValueError(f"nothing converts the values of the signature {wanted}")
                used |= {name: self._kernel(name) for name in OBJECT_KERNELS}
            addresses, keepalive = self._load(lambda: module.text, (wanted.symbol,), used, effort=module.effort)
            _leak(keepalive)
            self._stubs.setdefault(wanted, addresses[wanted.symbol])
        return self._stubs[wanted]

    def fork_stub(self, signature: Signature, imports: Mapping[str, int]) -> int:
        """The address of the fork stub of `signature`; compiled once.

        Args:
            imports: Addresses of the runtime symbols it uses.
        """
        if signature not in self._fork_stubs:
            module = fork_module(signature, self._interpreter.tuple_items)
            known = {**{name: self._addresses[name] for name in HELPERS}, **imports}
            used = {name: known[name] for name in module.externals if name in known}
            addresses, keepalive = self._load(lambda: module.text, (signature.fork_symbol,), used, effort=module.effort)
            _leak(keepalive)
            self._fork_stubs.setdefault(signature, addresses[signature.fork_symbol])
        return self._fork_stubs[signature]

    @tells
    def invoke(
        self,
        signature: Signature | str,
        code: int,
        *args: object,
        constants: Sequence[object] = (),
        unit: int = 0,
        stub: int = 0,
    ) -> Any:
        """Run native code once, outside any table.

        Args:
            signature: How `args` reach the code.
            code: Address of a function in the native calling convention; the caller keeps it loaded.
            args: One for each parameter, of exactly the types the signature names.
            constants: As for `add_row`.
            unit: As for `add_row`.
            stub: Address of the stub to use; that of `signature` when left out.

        Raises:
            TypeError: The arguments do not fit the signature.
        """
        found = parse_signature(signature) if isinstance(signature, str) else signature
        if len(args) != len(found.parameters):
            raise TypeError(f"{found} takes {len(found.parameters)} arguments, {len(args)} were given")
        for position, (item, value) in enumerate(zip(found.parameters, args, strict=True), 1):
            if not self._fits(item, value):
                raise TypeError(f"argument {position} of {found} cannot be {type(value).__name__}: {value!r}")
        if not code:
            raise ValueError("the address of the code is null")
        kept = tuple(constants)
        if found.has_objects and len(kept) < found.constants:
            raise ValueError(f"the signature {found} needs {found.constants} constants, {len(kept)} were given")
        return self._invoke(stub or self.stub(found), code, args, id(kept) if kept else None, unit or None)

    def _fits(self, item: Item, value: object) -> bool:
        kind = type(value)
        match item:
            case "f":
                return kind is float
            case "i" | "w":
                return kind is int or kind is bool
            case "b":
                return kind is bool
            case "d":
                return kind is DType
            case "T":
                return kind is self.Tensor
            case "F":
                return isinstance(value, Future)
            case "_":
                return True
        if is_object(item):
            return True
        if not isinstance(value, tuple) or kind is not tuple or len(value) != len(item):
            return False
        return all(self._fits(i, v) for i, v in zip(item, value, strict=True))

    # -- tensors ----------------------------------------------------------------------------------------------------

    def wrap(self, impl: int) -> Any:
        """The Python tensor of a native one, whose reference it takes over; the same object while one lives.

        Args:
            impl: Address of a `TensorImpl`.

        Raises:
            SystemError: The address is null.
        """
        return self._wrap(impl)

    def wrap_borrowed(self, impl: int) -> Any:
        """Like `wrap`, for a native tensor that stays the caller's."""
        return self._wrap_borrowed(impl)

    def impl_of(self, tensor: Any) -> int:
        """Address of the `TensorImpl` of a Python tensor, which keeps it alive.

        Raises:
            TypeError: It is not a tensor.
        """
        if type(tensor) is not self.Tensor:
            raise TypeError(f"expected a tensor, found {type(tensor).__name__}")
        return int(tensor._impl)

    # -- dispatch ---------------------------------------------------------------------------------------------------

    def _dispatch(self, context: int, name: int, count: int, kinds: int, values: int, out: int) -> None:
        """Runs an operator for native code: reads its arguments, writes the leaves of the result behind `out`."""
        if self._operators is None:
            raise SystemError("no operators are known at run time")
        given = self.values(kinds, count, values)
        wanted = given[-1] if given and isinstance(given[-1], _Result) else None
        result = self._operators(ctypes.string_at(name).decode(), given[:-1] if wanted else given)
        if wanted is not None:
            called = ctypes.string_at(name).decode().removeprefix(PREFIX)
            self.from_python(result, wanted.info, out, f"the result of {called}()")
            return
        owned: list[int] = []
        described = list(self._cells(result, owned))
        cells = [cell for _, cell in described]
        _expect(kinds + count, [kind for kind, _ in described], name)
        # Nothing is written or retained before all of the result is known to fit.
        for impl in owned:
            self.retain(impl)
        for i, cell in enumerate(cells):
            ctypes.c_int64.from_address(out + 8 * i).value = cell

    def to_python(self, info: int, cells: int) -> object:
        """The native value of the type at `info` whose cells are at `cells`, as a Python object."""
        if TYPEINFO.ctype.from_address(info).kind == TypeKind.STR:
            return text_at(ctypes.c_int64.from_address(cells).value)
        with Conversions(self) as conversions:
            return conversions.to_python(info, cells)

    def from_python(self, value: object, info: int, cells: int, label: str) -> None:
        """Write a Python object to cells as a value of the type at `info`.

        Raises:
            TypeError, OverflowError: It is none; the message begins with `label`.
        """
        with Conversions(self) as conversions:
            found = conversions.from_python(value, info, label)
            conversions.keep()
        ctypes.memmove(cells, found, ctypes.sizeof(found))

    def convert(self, kernel: str, *args: Any) -> None:
        """Call a kernel of conversions; a Python exception that it sets stays set."""
        assert self._kernel is not None
        context = CONTEXT.ctype()
        context.depth, context.stack = MAX_DEPTH, NO_STACK
        function = self._conversions.get(kernel)
        if function is None:
            function = self._conversions[kernel] = _CONVERSION(self._kernel(kernel_symbol(kernel)))
        passed = [ctypes.c_int64(a) if isinstance(a, int) else a for a in args]
        if function(ctypes.byref(context), *passed):
            raise self._errors.exception_of(ctypes.addressof(context))

    def values(self, kinds: int, count: int, cells: int) -> tuple[object, ...]:
        """Native values as Python objects.

        Args:
            kinds: Address of `count` bytes, a `DispatchKind` each.
            cells: Address of as many 64-bit values.
        """
        words = struct.unpack(f"{count}q", ctypes.string_at(cells, 8 * count))
        entries = iter(list(zip(ctypes.string_at(kinds, count), words, strict=True)))
        return tuple([self._argument(kind, value, entries) for kind, value in entries])

    def _argument(self, kind: int, value: int, rest: Iterator[tuple[int, int]]) -> object:
        match DispatchKind(kind):
            case DispatchKind.NONE:
                return None
            case DispatchKind.INT:
                return value
            case DispatchKind.FLOAT:
                return ctypes.c_double.from_buffer(ctypes.c_int64(value)).value
            case DispatchKind.BOOL:
                return value != 0
            case DispatchKind.TENSOR:
                return self.wrap_borrowed(value)
            case DispatchKind.DTYPE:
                return BY_CODE[value]
            case DispatchKind.STR:
                return ctypes.string_at(value).decode()
            case DispatchKind.SIZE:
                return self.size(value)
            case DispatchKind.OBJECT:
                return ctypes.cast(value, ctypes.py_object).value
            case DispatchKind.VALUE:
                return self.to_python(value, next(rest)[1])
            case DispatchKind.RESULT:
                return _Result(value)
            case DispatchKind.TUPLE:
                return tuple(self._argument(*next(rest), rest) for _ in range(value))

    def size(self, impl: int) -> tuple[int, ...]:
        """The ints of a native Size."""
        header = TENSOR_STRUCT.ctype.from_address(impl)
        return tuple((ctypes.c_int64 * header.numel).from_address(header.data)) if header.numel else ()

    def _cells(self, result: object, owned: list[int]) -> Iterator[tuple[DispatchKind, int]]:
        """The leaves of a result as kinds and 64-bit values; tensors among them are added to `owned`."""
        match result:
            case None:
                return
            case tuple():
                for element in result:
                    yield from self._cells(element, owned)
            case bool():
                yield DispatchKind.BOOL, int(result)
            case int():
                if not -(2**63) <= result < 2**63:
                    raise OverflowError("the int does not fit into 64 bits")
                yield DispatchKind.INT, result
            case float():
                yield DispatchKind.FLOAT, ctypes.c_int64.from_buffer(ctypes.c_double(result)).value
            case DType():
                yield DispatchKind.DTYPE, result.code
            case _:
                impl = self.impl_of(result)
                owned.append(impl)
                yield DispatchKind.TENSOR, impl


class Conversions:
    """Values that are converted together: what two of them refer to is one object in both. They end with the block.

    Args:
        native: The boundary.
        marshal: Address of the `Marshal` of a call that goes on, whose arguments are the objects they were given as; 0:
            none.
    """

    def __init__(self, native: Boundary, marshal: int = 0) -> None:
        self._native = native
        self._own = MARSHAL.ctype()
        self._marshal = marshal or ctypes.addressof(self._own)
        self._frames: list[object] = []

    def __enter__(self) -> Conversions:
        return self

    def __exit__(self, *error: object) -> None:
        self._native.convert("marshal_end", ctypes.byref(self._own), 0, ctypes.byref(ctypes.c_int64()))

    def to_python(self, info: int, cells: int) -> object:
        """The native value of the type at `info` whose cells are at `cells`."""
        count = TYPEINFO.ctype.from_address(info).cells
        copy, out = (ctypes.c_int64 * max(count, 1))(), ctypes.c_void_p()
        ctypes.memmove(copy, cells, 8 * count)
        self._native.convert("retain_cells", info, copy)
        self._native.convert("object_out", self._marshal, info, copy, ctypes.byref(out))
        if not out.value:
            raise SystemError("a conversion failed without an exception")
        found = ctypes.cast(out.value, ctypes.py_object).value
        ctypes.pythonapi.Py_DecRef(out)
        return found

    def from_python(self, value: object, info: int, label: str) -> ctypes.Array[ctypes.c_int64]:
        """The cells of a Python object as a value of the type at `info`; they are released at the end.

        Raises:
            TypeError, OverflowError: It is none; the message begins with `label`.
        """
        count = TYPEINFO.ctype.from_address(info).cells
        frame, failed = (ctypes.c_int64 * (2 + count))(), ctypes.c_int64()
        self._frames.append(frame)
        given, text = ctypes.c_void_p(id(value)), ctypes.c_void_p(id(label))
        self._native.convert("object_in", self._marshal, given, info, text, frame, 0, ctypes.byref(failed))
        cells: ctypes.Array[ctypes.c_int64] = (ctypes.c_int64 * count).from_buffer(frame, 16)
        return cells

    def keep(self) -> None:
        """Let what came from Python be the caller's."""
        self._own.arguments = None


class _Result:
    """The type of the result of a dispatched call, among its arguments."""

    def __init__(self, info: int) -> None:
        self.info = info


def _expect(kinds: int, found: list[DispatchKind], name: int) -> None:
    """Refuse the result of an operator whose leaves are not of the kinds listed at the address `kinds`."""
    expected: list[int] = []
    while (kind := ctypes.c_uint8.from_address(kinds + len(expected)).value) != END:
        expected.append(kind)
    if expected != found:
        shown = [[DispatchKind(k).name for k in kinds_of] for kinds_of in (found, expected)]
        raise SystemError(f"{ctypes.string_at(name).decode()} returned {shown[0]}, native code expected {shown[1]}")


def _leak(thing: object) -> None:
    """One reference that is never given back."""
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(thing))


def _field(function: object, name: str) -> int:
    """A field of a native callable, as a number."""
    return ctypes.c_int64.from_address(id(function) + PY_CALLABLE.offsets[name]).value


def _check(signature: Signature, key: Sequence[int], constants: Sequence[object]) -> None:
    """Refuse a row whose stub would misread its arguments."""
    words = iter(key)
    for position, item in enumerate(signature.parameters, 1):
        if not _reads(item, words):
            raise ValueError(f"parameter {position} of the signature {signature} does not fit its key {tuple(key)}")
    rest = tuple(words)
    if rest and (rest[0] & 0xFF != Tag.KEYWORDS or len(rest) != 1 + (rest[0] >> 8)):
        raise ValueError(f"the signature {signature} has fewer parameters than its key")
    wanted = signature.constants
    if wanted > len(constants):
        raise ValueError(f"the signature {signature} needs {wanted} constants, {len(constants)} were given")


_LETTERS: dict[Tag, str] = {
    Tag.TENSOR: "T_",
    Tag.FLOAT: "f",
    Tag.INT: "iw",
    Tag.BOOL: "biw",
    Tag.OBJECT: "d_",
    Tag.STATIC_INT: "iw_",
    Tag.STATIC_BOOL: "biw_",
    Tag.STATIC_FLOAT: "f_",
    Tag.NONE: "_",
    Tag.ANY: "_OM",
}
"""Which letters read an argument of each kind safely, and lose nothing of it."""

_WHOLE = "_OM"
"""Letters that take an argument of any kind: not read, or converted as the type says."""

_WITH_VALUE = frozenset({Tag.OBJECT, Tag.STATIC_INT, Tag.STATIC_FLOAT})


def _reads(item: Item, words: Iterator[int]) -> bool:
    word = next(words, None)
    if word is None:
        return False
    tag = Tag(word & 0xFF)
    if tag is Tag.TUPLE:
        count = word >> 8
        inner: Sequence[Item] = [item[0]] * count if isinstance(item, str) and item[0] in _WHOLE else item
        if isinstance(inner, str) or len(inner) != count:
            return False
        return all(_reads(element, words) for element in inner)
    if tag in _WITH_VALUE:
        next(words, None)
    return isinstance(item, str) and (item[0] in _LETTERS.get(tag, "") or item[0] in _WHOLE[1:])
