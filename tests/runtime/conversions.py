"""Calls of native code written in Python, for tests of conversions: what it is given and gives back are native
values."""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Callable
from typing import Any

from tscript.abi.layout import CONTEXT, SITE
from tscript.abi.signature import Signature
from tscript.abi.signature_types import object_item
from tscript.abi.status import Status
from tscript.abi.symbols import kernel_symbol
from tscript.runtime.session.process import current
from tscript.types import Type, parse_type

_NATIVE: dict[str, Any] = {
    "p": ctypes.c_void_p,
    "i": ctypes.c_int64,
    "f": ctypes.c_double,
    "b": ctypes.c_uint8,
    "d": ctypes.c_int32,
}

Change = Callable[..., None]


def kernel(name: str, *args: Any) -> None:
    """Call a kernel with addresses and numbers."""
    types = [ctypes.c_int64 if isinstance(a, int) else ctypes.c_void_p for a in args]
    context = CONTEXT.ctype(depth=2000)
    function = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p, *types)(current().library.address(kernel_symbol(name)))
    assert function(ctypes.addressof(context), *args) == 0, name


def cells(*values: int) -> Any:
    """Values in a row."""
    return (ctypes.c_int64 * max(1, len(values)))(*values)


@functools.cache
def _site() -> Any:
    texts = [ctypes.create_string_buffer(t) for t in (b"file.py", b"f", b"ValueError", b"no")]
    site = SITE.ctype(*map(ctypes.addressof, texts), 1, 0, None)
    site.texts = texts
    return site


def call(
    type: Type | str,
    value: object,
    change: Change | None = None,
    *,
    mutable: bool = True,
    fails: bool = False,
    result: Type | str | None = None,
    make: Callable[..., tuple[int, ...]] | None = None,
) -> Any:
    """Pass a value to native code.

    Args:
        type: Of the parameter.
        value: The argument.
        change: What native code does with the leaves of the argument.
        mutable: Whether that is seen.
        fails: Whether it raises ValueError in the end.
        result: Type of the result; that of the parameter when left out.
        make: Gives the leaves of the result, which are the caller's; left out, the argument is the result.
    """
    runtime = current()
    taken = parse_type(type) if isinstance(type, str) else type
    given = taken if result is None else parse_type(result) if isinstance(result, str) else result
    item, out = object_item(taken, mutable), object_item(given)
    signature = Signature((item,), out)
    leaves, outs = str(item)[2:-1], str(out)[2:-1]
    errors: list[Exception] = []

    def run(context: int, *args: Any) -> int:
        try:
            mine, places = args[: len(leaves)], args[len(leaves) :]
            if change is not None:
                change(*mine)
            if fails:
                found = CONTEXT.ctype.from_address(context)
                found.ntrace, found.nargs, found.trace[0] = 1, 0, ctypes.addressof(_site())
                return int(Status.RAISED)
            if make is not None:
                values = make(*mine)
            else:
                values = mine
                for leaf, value in zip(leaves, mine, strict=True):
                    if leaf == "p" and value:
                        kernel("object_retain", ctypes.c_void_p(value))
            for leaf, value, place in zip(outs, values, places, strict=True):
                _NATIVE[leaf].from_address(place).value = value
        except Exception as error:  # noqa: BLE001
            errors.append(error)
        return 0

    types = [*(_NATIVE[leaf] for leaf in leaves), *(ctypes.c_void_p for _ in outs)]
    code = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p, *types)(run)
    address = ctypes.cast(code, ctypes.c_void_p).value
    assert address is not None
    constants = runtime.conversion.constants(signature, [taken], given, "f", ["xs"])
    found = runtime.native.stubs.invoke(signature, address, value, constants=constants)
    if errors:
        raise errors[0]
    return found
