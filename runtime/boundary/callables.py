"""`Callables`: the native callables, and the rows of their signature tables."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from tscript.abi.boundary import PY_CALLABLE
from tscript.abi.signature import Signature, parse_signature
from tscript.runtime.boundary.native.keys import MAX_WORDS, Flag, Tag
from tscript.runtime.boundary.native_module import NativeModule
from tscript.runtime.boundary.row_check import check
from tscript.runtime.boundary.stubs import Stubs
from tscript.runtime.boundary.type_objects import make_callable_type
from tscript.types import OPTIONS
from tscript.types.dtypes import DType

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


KEYED: tuple[type, ...] = (DType, *OPTIONS.values())
"""Classes whose objects keys know by their addresses."""


class Callables:
    """Makes native callables.

    Args:
        module: The boundary module.
        stubs: The stubs that rows use.

    Attributes:
        type: The base type of callables; `new_type` makes others.
    """

    def __init__(self, module: NativeModule, stubs: Stubs) -> None:
        self._module = module
        self._stubs = stubs
        self._types: list[object] = []
        self._names: dict[str, str] = {}
        module.set_pointer("tsb_required", REQUIRED)
        for number, kind in enumerate(KEYED):
            module.set_pointer("tsb_kinds", kind, number)
        obj, ptr, i64, i32 = ctypes.py_object, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int
        bind = module.bind
        self._new = bind("tsb_callable_new", obj, obj, i64, ctypes.c_char_p, i64, obj, ptr, ptr)
        self._add = bind("tsb_callable_add", i32, obj, ctypes.POINTER(i64), i64, ptr, ptr, ptr, ptr, obj)
        self._shape = bind("tsb_callable_shape", i32, obj, i64, ctypes.c_char_p, ptr, ptr)
        self._use_python = bind("tsb_callable_use_python", None, obj, i64)
        self._key = bind("tsb_callable_key", i64, obj, obj, ctypes.POINTER(i64))
        self._count = bind("tsb_callable_count", i64, obj)
        self._swap = bind("tsb_callable_swap", i64, obj, ptr, ptr)
        self._publish = bind("tsb_publish", None, ptr, i64)
        self.type: Any = self.new_type("tscript.NativeFunction", "A function that runs native code.")

    def new_type(self, name: str, doc: str) -> Any:
        """A further type of native callables.

        Args:
            name: Dotted name, ``tscript.ScriptFunction``.
            doc: Its documentation. Attributes, methods and properties can be set on the type.
        """
        made = make_callable_type(self._module.addresses, name, doc)
        self._types.append(made)
        return made

    def is_callable(self, thing: object) -> bool:
        """Whether `thing` is an object that `new` made."""
        return type(thing) in self._types

    def new(
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
            variadic: Whether more arguments than `nparams` are taken, without `names` fewer, too; they follow the last
                parameter's flag.
            type: What `new_type` made; `type` otherwise.

        Raises:
            ValueError: Lengths do not agree.
            TypeError: `type` is not a callable type of this boundary, or `miss` cannot be called.
        """
        kind = self.type if type is None else type
        if kind not in self._types:
            raise TypeError(f"{kind!r} is not a type that new_type made")
        if not callable(miss):
            raise TypeError(f"miss must be callable, not {miss!r}")
        if variadic and nparams == 0:
            raise ValueError("a variadic callable needs at least one parameter")
        of = _Shape(nparams, flags, names, defaults)
        made = self._new(kind, nparams, of.flags, int(variadic), miss, _address(of.names), _address(of.defaults))
        made.__name__ = made.__qualname__ = name
        return made

    def set_parameters(
        self,
        function: Any,
        nparams: int,
        flags: Sequence[int],
        *,
        names: Sequence[str] = (),
        defaults: Sequence[object] = (),
    ) -> None:
        """Give a callable that has no rows other parameters; see `new`.

        Raises:
            ValueError: Lengths do not agree, or it has rows.
            TypeError: `function` is not a native callable.
        """
        if self.row_count(function):
            raise ValueError(f"{function!r} has rows")
        of = _Shape(nparams, flags, names, defaults)
        self._shape(function, nparams, of.flags, _address(of.names), _address(of.defaults))

    def use_python(self, function: Any, is_python: bool) -> None:
        """Let calls run the Python function that a callable has as `PYTHON_FUNCTION`, or native code again.

        Raises:
            TypeError: `function` is not a native callable.
        """
        self._require(function)
        self._use_python(function, is_python)

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
        is_bare = variadic and not _field(function, "names")
        if not is_bare and (len(args) < nparams or (len(args) > nparams and not variadic) or names):
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
            unit: Address of what callbacks need (`tscript.abi.boundary.UNIT`), which `keepalive` keeps; 0: never
                observed.
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
        check(found, key, kept)
        if not code:
            raise ValueError("the address of the code is null")
        stub = stub or self._stubs.stub(found)
        words = (ctypes.c_int64 * max(1, len(key)))(*key)
        held = (keepalive, kept, tuple(o for o in objects if type(o) in KEYED), _classes_in(objects, key))
        return bool(self._add(function, words, len(key), stub, code, id(kept) if kept else None, unit or None, held))

    def swap_code(self, function: Any, old: int, code: int) -> int:
        """Let the rows of `function` with `old` code run other code that is the same function. Calls that run go on, so
        both stay loaded as long as `function` lives.

        Returns:
            How many rows there were.
        """
        self._require(function)
        return int(self._swap(function, old, code))

    def publish(self, address: int, value: int) -> None:
        """Store a word that threads without the GIL read, behind all that was stored before."""
        self._publish(address, value)

    def _require(self, function: object) -> None:
        if not self.is_callable(function):
            raise TypeError(f"not a native callable: {function!r}")


def _classes_in(objects: Iterable[object], key: Sequence[int]) -> frozenset[type]:
    """The classes of values, those in containers among them, that a key may know by their addresses."""
    words, found = {*key}, set[type]()
    pending: list[Any] = [*objects]
    seen = set[int]()  # a container may hold itself
    while pending:
        value = pending.pop()
        cls = type(value)
        if cls in (dict, list, tuple, set):
            if id(value) not in seen:
                seen.add(id(value))
                pending += [*value, *value.values()] if cls is dict else value
        elif id(cls) in words:
            found.add(cls)
    return frozenset(found)


class _Shape:
    """Parameters of a callable as native code takes them."""

    def __init__(self, nparams: int, flags: Sequence[int], names: Sequence[str], defaults: Sequence[object]) -> None:
        if nparams < 0 or len(flags) > nparams:
            raise ValueError(f"{len(flags)} flags for {nparams} parameters")
        for what, given in (("names", names), ("defaults", defaults)):
            if len(given) not in (0, nparams):
                raise ValueError(f"{len(given)} {what} for {nparams} parameters")
        self.flags = bytes(flags).ljust(max(1, nparams), b"\0")
        self.names = tuple(map(sys.intern, names))
        self.defaults = tuple(defaults)


def _address(items: tuple[object, ...]) -> int | None:
    """The address of a tuple; None for an empty one."""
    return id(items) if items else None


def _field(function: object, name: str) -> int:
    """A field of a native callable, as a number."""
    return ctypes.c_int64.from_address(id(function) + PY_CALLABLE.offsets[name]).value
