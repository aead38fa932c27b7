"""A program for `test_checked.py`: damages memory in ways that a bug would, and says what the checked mode found.

Each kind of damage is said as ``kind: first line of what was reported``, then ``ok``.
"""

from __future__ import annotations

import ctypes
import traceback
from collections.abc import Callable
from typing import Any

import tscript
from tscript import Tensor
from tscript.abi.layout import LIST_STRUCT, STR_STRUCT, TYPEINFO
from tscript.abi.strings import str_object
from tscript.abi.symbols import kernel_symbol
from tscript.runtime.session.process import current
from tscript.types import STR

RUNTIME = current()
LIBRARY = RUNTIME.library
assert RUNTIME.checked is not None
CHECKED = RUNTIME.checked


def allocate(nbytes: int) -> int:
    out = ctypes.c_void_p()
    LIBRARY.call("heap_allocate", nbytes, ctypes.byref(out))
    return int(out.value or 0)


def free(address: int, nbytes: int) -> None:
    LIBRARY.call("heap_free", ctypes.c_void_p(address), nbytes)


def release(address: int) -> None:
    LIBRARY.call("object_release", ctypes.c_void_p(address))


def new_text(text: str) -> int:
    data = str_object(text, LIBRARY.types.address(STR), 1)
    made = allocate(len(data))
    ctypes.memmove(made, data, len(data))
    return made


def put(address: int, value: int = 7) -> None:
    ctypes.c_uint8.from_address(address).value = value


def word(address: int) -> Any:
    return ctypes.c_int64.from_address(address)


def behind() -> None:
    block = allocate(100)
    put(block + 100)
    free(block, 100)


def before() -> None:
    block = allocate(100)
    put(block - 1)
    free(block, 100)


def twice() -> None:
    block = allocate(100)
    free(block, 100)
    free(block, 100)


def size() -> None:
    free(allocate(100), 5000)


def after() -> None:
    block = allocate(100)
    free(block, 100)
    put(block + 50)
    for _ in range(40):
        free(allocate(1 << 20), 1 << 20)


def released() -> None:
    text = new_text("a text")
    release(text)
    release(text)


def misaligned() -> None:
    release(new_text("a text") + 4)


def poison() -> None:
    release(-0x2222222222222223)


def plus(x: Tensor) -> Tensor:
    return x + 1.0


PLUS = tscript.script(plus)
"""Compiled while all is well."""
assert PLUS(tscript.ones(2)).tolist() == [2.0, 2.0]


def count() -> None:
    x = tscript.ones(2)
    header = word(RUNTIME.native.tensors.impl_of(x))
    kept, header.value = header.value, 0
    try:
        PLUS(x)
    except SystemError as error:
        names = [frame.name for frame in traceback.extract_tb(error.__traceback__)]
        assert "plus" in names, f"the operation is not named, only {names}"
    else:
        raise AssertionError("an object without references was used")
    finally:
        header.value = kept


def lost() -> None:
    """A list that has more references to a text than the text knows of."""
    items = ctypes.c_void_p()
    info = LIBRARY.address(f"ts_type:list[str]_v{kernel_symbol('').rpartition('v')[2]}")
    LIBRARY.call("list_new", ctypes.c_void_p(info), 2, ctypes.byref(items))
    made = LIST_STRUCT.ctype.from_address(items.value or 0)
    text = new_text("a text")
    word(made.data).value = word(made.data + 8).value = text
    made.length = 2
    CHECKED.verify()
    word(text).value = 2
    release(items.value or 0)


class Node:
    """A class whose values are counted."""

    def __init__(self) -> None:
        self.x = 0


def uncounted() -> None:
    """A type that could go while there are values of it."""
    made = ctypes.c_void_p()
    node = RUNTIME.compiler.class_type(Node)
    assert node is not None
    info = RUNTIME.types.address(node)
    LIBRARY.call("object_new", ctypes.c_void_p(info), 1, ctypes.byref(made))
    values = word(info + TYPEINFO.offsets["values"])
    values.value -= 1
    CHECKED.verify()
    values.value += 1
    release(made.value or 0)
    assert values.value == 0


KINDS: dict[str, Callable[[], None]] = {
    "behind": behind,
    "before": before,
    "twice": twice,
    "size": size,
    "after": after,
    "released": released,
    "misaligned": misaligned,
    "poison": poison,
    "count": count,
    "lost": lost,
    "uncounted": uncounted,
}


def main() -> None:
    assert STR_STRUCT.size
    for name, damage in KINDS.items():
        found = len(CHECKED.reports)
        damage()
        new = CHECKED.reports[found:]
        print(f"{name}: {new[0].splitlines()[0] if new else 'nothing'}", flush=True)
    assert PLUS(tscript.ones(2)).tolist() == [2.0, 2.0]
    print("ok")


if __name__ == "__main__":
    main()
