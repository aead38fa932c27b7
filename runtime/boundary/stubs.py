"""`Stubs`: the stubs of signatures, compiled once each, and calls through them."""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from tscript.abi.boundary import UNIFORM
from tscript.abi.python import TUPLE_ITEMS
from tscript.abi.signature import SCALARS, Item, Signature, is_object, letters, parse_signature
from tscript.abi.symbols import MARSHAL_END, OBJECT_IN, OBJECT_OUT, split_kernel_symbol
from tscript.arrays import np
from tscript.diagnostics.installation import has_compiler
from tscript.runtime.boundary.array_objects import ArrayObjects
from tscript.runtime.boundary.native_module import NativeModule, leak
from tscript.runtime.values.tracebacks import raises_user_errors
from tscript.types.dtypes import DType

if TYPE_CHECKING:
    from tscript.backend.llvm.emitted import Emitted


class _Description:
    """What the stub of uniform entries knows of a signature. It stays for ever, as rows refer to it.

    Attributes:
        constant: Its address, as the bits of a float.
    """

    def __init__(self, signature: Signature) -> None:
        self._text = ctypes.create_string_buffer(str(signature).encode())
        given = [letter for item in signature.parameters for letter in letters(item) if letter != "_"]
        objects = [len(letter) - 1 for letter in given if is_object(letter)]
        self._struct = UNIFORM.ctype()
        self._struct.text = ctypes.addressof(self._text)
        self._struct.results = sum(map(_cells, letters(signature.result)))
        self._struct.arguments = sum(map(_cells, given))
        self._struct.frames = sum(objects)
        self._struct.seen = signature.seen
        self._struct.converts = int(signature.has_objects)
        (self.constant,) = struct.unpack("d", struct.pack("P", ctypes.addressof(self._struct)))


def _cells(letter: str) -> int:
    """The cells of a value."""
    return len(letter) - 3 if is_object(letter) else int(letter not in "Nct")


class Stubs:
    """The stubs of a process.

    Args:
        module: The boundary module.
        tensor: The tensor type.
        arrays: Says which arrays they take.

    Attributes:
        kernel: Gives the addresses of the kernels that convert values by their types.
    """

    def __init__(self, module: NativeModule, tensor: type, arrays: ArrayObjects) -> None:
        self._module = module
        self._tensor = tensor
        self._arrays = arrays
        self._stubs: dict[Signature, int] = {}
        self._fork_stubs: dict[Signature, int] = {}
        self._descriptions: dict[Signature, _Description] = {}
        self._converts = False
        self.kernel: Callable[[str], int] | None = None
        obj, ptr = ctypes.py_object, ctypes.c_void_p
        self._invoke = module.bind("tsb_invoke", obj, ptr, ptr, obj, ptr, ptr)

    def stub(self, signature: Signature | str) -> int:
        """The address of the stub of `signature`; compiled once."""
        wanted = parse_signature(signature) if isinstance(signature, str) else signature
        if wanted not in self._stubs:
            if found := self._made(wanted.symbol):
                return self._stubs.setdefault(wanted, found)
            self._stubs.setdefault(wanted, self._load(partial(self._written, wanted), wanted.symbol, self._kernels))
        return self._stubs[wanted]

    def _written(self, wanted: Signature) -> Emitted:
        from tscript.backend.stubs.module import stubs_module

        return stubs_module([wanted], TUPLE_ITEMS, self._module.target)

    def _kernels(self, symbols: Iterable[str]) -> Mapping[str, int]:
        """The addresses of the kernels among symbols of the runtime."""
        kernels = [name for name in symbols if name not in self._module.addresses and split_kernel_symbol(name)]
        if kernels and self.kernel is None:
            raise ValueError("nothing converts the values of this signature")
        return {name: self.kernel(name) for name in kernels} if self.kernel else {}

    def _made(self, symbol: str) -> int:
        """The address of a stub that need not be compiled; 0: it has to be."""
        prebuilt = self._module.prebuilt
        if symbol in self._module.addresses:
            return self._module.addresses[symbol]
        return prebuilt.address(symbol) if prebuilt is not None and symbol in prebuilt else 0

    def has(self, signature: Signature) -> bool:
        """Whether there is a stub of `signature` that need not be compiled."""
        return signature in self._stubs or self._made(signature.symbol) != 0

    def serves(self, signature: Signature) -> bool:
        """Whether there is a stub of `signature`, or what compiles one is installed."""
        return self.has(signature) or has_compiler()

    def uniform(self, signature: Signature) -> tuple[int, float]:
        """The address of the stub of uniform entries, and the constant that it needs of a row, behind the others: what
        it knows of `signature`."""
        if signature.has_objects and not self._converts:
            if self.kernel is None:
                raise ValueError(f"nothing converts the values of the signature {signature}")
            for i, name in enumerate((OBJECT_IN, OBJECT_OUT, MARSHAL_END)):
                ctypes.c_void_p.from_address(self._module.address("tsb_conversions") + 8 * i).value = self.kernel(name)
            self._converts = True
        if signature not in self._descriptions:
            self._descriptions[signature] = _Description(signature)
        return self._module.address("tsb_uniform"), self._descriptions[signature].constant

    def fork_stub(self, signature: Signature, imports: Mapping[str, int]) -> int:
        """The address of the fork stub of `signature`; compiled once.

        Args:
            imports: Addresses of the runtime symbols it uses.
        """
        if signature not in self._fork_stubs:
            write = partial(self._fork_written, signature)
            self._fork_stubs.setdefault(signature, self._load(write, signature.fork_symbol, lambda _: imports))
        return self._fork_stubs[signature]

    def _fork_written(self, signature: Signature) -> Emitted:
        from tscript.backend.stubs.module import fork_module

        return fork_module(signature, TUPLE_ITEMS, self._module.target)

    def _load(
        self, write: Callable[[], Emitted], symbol: str, imports: Callable[[Sequence[str]], Mapping[str, int]]
    ) -> int:
        """The address of the one function that a module is for; it stays for ever."""

        def known(symbols: Sequence[str]) -> Mapping[str, int]:
            return {**self._module.addresses, **imports(symbols)}

        name = f"{symbol} {TUPLE_ITEMS}"
        addresses, keepalive = self._module.load(write, (symbol,), known, name=name, is_stub=True)
        leak(keepalive)
        return addresses[symbol]

    @raises_user_errors
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
            case str() if item in SCALARS:
                return isinstance(value, np.generic) and kind is np.dtype(SCALARS[item].name).type
            case "f":
                return kind is float
            case "i" | "w":
                return kind is int or kind is bool
            case "b":
                return kind is bool
            case "d":
                return kind is DType
            case "T":
                return kind is self._tensor
            case "A":
                return self._arrays.takes(value)
            case "H":
                return self._arrays.takes_torch(value)
            case "F":
                from tscript.runtime.values.futures import Future

                return isinstance(value, Future)
            case "_":
                return True
        if is_object(item):
            return True
        if not isinstance(value, tuple) or kind is not tuple or len(value) != len(item):
            return False
        return all(self._fits(i, v) for i, v in zip(item, value, strict=True))
