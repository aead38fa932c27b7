"""`Stub`: the state of a signature stub while it is emitted, and shared helpers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from tscript.abi.layout import CONTEXT, MAX_DEPTH, NO_STACK
from tscript.abi.mode import IS_CHECKED
from tscript.abi.signature import SCALARS
from tscript.backend.llvm.text import Text
from tscript.backend.llvm.types import memory_type
from tscript.types import machine_type

NATIVE = {
    "f": "double",
    "i": "i64",
    "b": "i8",
    "T": "ptr",
    "A": "ptr",
    "H": "ptr",
    "d": "i32",
    "w": "double",
    "S": "ptr",
    "F": "ptr",
    "p": "ptr",
    **{letter: memory_type(machine_type(dtype)) for letter, dtype in SCALARS.items()},
}
"""LLVM types of values in native code, by letter."""

_FRESH = (
    ("depth", f"i64 {MAX_DEPTH}"), ("thread_state", "ptr null"), ("ntrace", "i64 0"), ("stack", f"i64 {NO_STACK}"),
    ("work", "i64 0"),
    *([("at", "ptr null")] if IS_CHECKED else []),
)  # fmt: skip
"""The initial fields of a context."""


class Marshal(NamedTuple):
    """The table of Python objects of a call.

    Attributes:
        room: A `tscript.abi.layout.MARSHAL`.
        failed: Not 0 after a conversion that failed.
    """

    room: str
    failed: str


class Stub:
    """One stub.

    Args:
        declarations: Receives the module-level lines it needs, by symbol; one dict for all functions of a module.
        tuple_items: Offset of the first item of a Python tuple.

    Attributes:
        text: Its body.
        context: Its native context, once that has begun.
        marshal: Where values are converted by their types; None where there are none.
        can_fail: Whether a part of it leaves through the block ``refused``.
        constants: How many of the row's constants it has used.
        arrays: Where the tensors over arrays are that the call ends with; null before they are made.
        shared: The arrays, or tensors of PyTorch, that there are such tensors of, and where these are.
        unmade: Those that are not.
    """

    def __init__(self, declarations: dict[str, str], tuple_items: int) -> None:
        self.text = Text(declarations)
        self.tuple_items = tuple_items
        self.marshal: Marshal | None = None
        self.can_fail = False
        self.constants = 0
        self.context = ""
        self.arrays: list[str] = []
        self.shared: list[tuple[str, str]] = []
        self.unmade: Iterator[str] = iter(())

    def begin_context(self) -> str:
        """Allocate the native context on the stack."""
        self.context = self.text.alloca(f"[{CONTEXT.size} x i8], align 16", "context")
        for name, value in _FRESH:
            self.text.line(f"store {value}, ptr {self.at(self.context, CONTEXT.offsets[name])}")
        return self.context

    def at(self, base: str, offset: int) -> str:
        """An address so many bytes behind another."""
        return base if offset == 0 else self.text.let(f"getelementptr i8, ptr {base}, i64 {offset}", "at")

    def argument(self, position: int) -> str:
        """An argument of the call, borrowed."""
        return self.text.let(f"load ptr, ptr {self.at('%args', 8 * position)}", "arg")

    def item(self, items: str, index: int, hint: str) -> str:
        """An item of a Python tuple, borrowed."""
        return self.text.let(f"load ptr, ptr {self.at(items, self.tuple_items + 8 * index)}", hint)

    def next_constant(self) -> int:
        """The number of the next of the row's constants."""
        self.constants += 1
        return self.constants - 1

    def constant(self) -> str:
        """The next of the row's constants, borrowed."""
        return self.item("%constants", self.next_constant(), "constant")

    def call(self, result: str, symbol: str, *arguments: str, hint: str = "h") -> str:
        """Call a C function.

        Args:
            result: Its LLVM type.
            symbol: What the linker resolves.
            arguments: Each with its LLVM type.
            hint: For the name of the result.
        """
        name = self.text.declare_function(symbol, result, [argument.split(" ", 1)[0] for argument in arguments])
        call = f"call {result} {name}({', '.join(arguments)})"
        if result != "void":
            return self.text.let(call, hint)
        self.text.line(call)
        return ""

    def refuse_if(self, condition: str) -> None:
        """Leave with the exception that is set when the i1 `condition` holds."""
        self.can_fail = True
        following = self.text.fresh_label("fine")
        self.text.branch_if(condition, "refused", following)
        self.text.label(following)

    def is_zero(self, status: str) -> str:
        """Whether a status is that of success, as an i1."""
        return self.text.let(f"icmp eq i32 {status}, 0", "good")
