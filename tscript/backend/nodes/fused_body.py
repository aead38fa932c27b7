"""A function of a fused group while it is emitted: fields of tensors, calls of kernels, errors, results."""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence

from tscript.abi import symbols
from tscript.abi.layout import CONTEXT, MUCH_WORK, STORAGE, TENSOR_STRUCT
from tscript.backend.llvm.constants import Constants
from tscript.backend.llvm.machine import load
from tscript.backend.llvm.text import LIKELY, UNLIKELY, Text
from tscript.backend.llvm.types import made_of_parts
from tscript.backend.nodes.fused_group import Group, Input, Output, element_of, known_dtype
from tscript.backend.nodes.steps import Id
from tscript.ir.graph import Value
from tscript.types import BOOL, C128, COMPLEX, TensorType


class FusedBody:
    """One of the functions of a group.

    Attributes:
        made: The tensors allocated so far, by value.
        owned: References to release when an error leaves the function.
        borrowed_copies: References to release when the work is done.
    """

    data_offset = TENSOR_STRUCT.offsets["data"]

    def __init__(self, group: Group, constants: Constants, declarations: dict[str, str]) -> None:
        self.group = group
        self.constants = constants
        self.text = Text(declarations)
        self.made: dict[Value, str] = {}
        self.owned: list[str] = []
        self.borrowed_copies: list[str] = []
        self.late: list[Callable[[], None]] = []
        self.left = list(group.reuse)

    def at(self, base: str, offset: int) -> str:
        """An address so many bytes further."""
        return self.text.let(f"getelementptr i8, ptr {base}, i64 {offset}") if offset else base

    def field(self, tensor: str, name: str, type: str) -> str:
        """Load a field of a `TensorImpl`."""
        return self.text.let(f"load {type}, ptr {self.at(tensor, TENSOR_STRUCT.offsets[name])}", name)

    def size(self, tensor: str, dim: int) -> str:
        """Load a size."""
        return self.text.let(f"load i64, ptr {self.at(tensor, TENSOR_STRUCT.size + 8 * dim)}", "size")

    def scalar(self, scalar: Input) -> str:
        """The value of a number or a 0-d tensor, in a register."""
        if isinstance(scalar.type, TensorType):
            return load(self.text, element_of(scalar), self.field(scalar.name, "data", "ptr"))
        if scalar.type == BOOL:
            return self.text.let(f"icmp ne i8 {scalar.name}, 0")
        if scalar.type == COMPLEX:
            return made_of_parts(self.text, scalar.name, f"{scalar.name}.1", C128, 1)
        return scalar.name

    def replaced(self, output: Output, candidates: Container[Id] | None = None) -> str:
        """A tensor that a result may be, with its elements read before those of the result are written; empty if there
        is none. Its elements are among `candidates` if these are given."""
        dtype, rank = output.type.dtype, output.type.rank
        fitting = [
            given
            for given in self.left
            if isinstance(given.type, TensorType)
            and given.type.dtype == dtype
            and (given.rank == rank or given.rank is None or rank is None)
            and (candidates is None or given.value in candidates)
        ]
        if not fitting:
            return ""
        if len(self.group.allocated) > 1:
            fitting = fitting[:1]
        self.left = [given for given in self.left if given not in fitting]
        best = fitting[0].name
        for given in fitting[1:]:  # smaller ones are broadcast
            larger = self.text.let(
                f"icmp ugt i64 {self.field(given.name, 'numel', 'i64')}, {self.field(best, 'numel', 'i64')}"
            )
            best = self.text.let(f"select i1 {larger}, ptr {given.name}, ptr {best}")
        return best

    # Calls and errors

    def call(self, kernel: str, args: Sequence[str], result: bool = False) -> str:
        """Call a function of the native library and leave on an error. Gives the tensor it returns, owned."""
        text = self.text
        out = [f"ptr {text.slot('ptr', 0)}"] if result else []
        everything = ["ptr %ctx", *args, *out]
        symbol = symbols.kernel_symbol(kernel)
        text.declare_function(symbol, "i32", [a.split()[0] for a in everything], "nounwind")
        status = text.let(f"call i32 @{symbol}({', '.join(everything)})", "status")
        fine, failed = text.fresh_label("fine"), text.fresh_label("failed")
        good = text.let(f"icmp eq i32 {status}, 0")
        text.terminate(f"br i1 {good}, label %{fine}, label %{failed}{LIKELY}")
        owned = list(self.owned)

        def leave() -> None:
            text.label(failed)
            assert self.group.span is not None
            self.call_surely("append_site", [f"ptr {self.constants.site(self.group.span)}"])
            for reference in reversed(owned):
                self.release(reference)
            text.terminate(f"ret i32 {status}")

        self.late.append(leave)
        text.label(fine)
        return text.let(f"load ptr, ptr {out[0].split()[1]}") if result else ""

    def call_surely(self, kernel: str, args: Sequence[str]) -> None:
        """Call a function of the native library that cannot fail."""
        symbol = symbols.kernel_symbol(kernel)
        everything = ["ptr %ctx", *args]
        self.text.declare_function(symbol, "i32", [a.split()[0] for a in everything], "nounwind")
        self.text.line(f"call i32 @{symbol}({', '.join(everything)})")

    def count_work(self, elements: str, grain: int) -> None:
        """Note so much work of the call, and offer the GIL to others when it is some ten microseconds.

        Args:
            elements: How many of them are computed next, without a division among threads.
            grain: How many take ten microseconds; a power of two.
        """
        text = self.text
        place = self.at("%ctx", CONTEXT.offsets["work"])
        units = text.let(f"shl i64 {elements}, {(MUCH_WORK // grain).bit_length() - 1}")
        work = text.let(f"add i64 {text.let(f'load i64, ptr {place}', 'work')}, {units}")
        text.line(f"store i64 {work}, ptr {place}")
        much, little = text.fresh_label("much"), text.fresh_label("little")
        is_much = text.let(f"icmp sgt i64 {work}, {MUCH_WORK}")
        text.terminate(f"br i1 {is_much}, label %{much}, label %{little}{UNLIKELY}")
        text.label(much)
        offer = text.declare_function(symbols.LET_OTHERS_RUN, "void", ["ptr"])
        text.line(f"call void {offer}(ptr %ctx)")
        text.branch(little)
        text.label(little)

    def call_for_int(self, kernel: str, args: Sequence[str]) -> str:
        """Call a function of the native library that cannot fail and returns an int."""
        out = self.text.slot("i64", 0)
        self.call_surely(kernel, [*args, f"ptr {out}"])
        return self.text.let(f"load i64, ptr {out}")

    def table(self, pointers: Sequence[str]) -> str:
        """Pointers in an array on the stack."""
        array = self.text.alloca(f"[{len(pointers)} x ptr]", "table")
        for i, pointer in enumerate(pointers):
            self.text.line(f"store ptr {pointer}, ptr {self.at(array, 8 * i)}")
        return array

    def release(self, reference: str) -> None:
        """One reference less."""
        self._count(symbols.TENSOR_RELEASE, reference)

    def retain(self, reference: str) -> None:
        """One reference more."""
        self._count(symbols.TENSOR_RETAIN, reference)

    def _count(self, symbol: str, reference: str) -> None:
        self.text.declare_function(symbol, "i32", ["ptr", "ptr"])
        self.text.line(f"call i32 @{symbol}(ptr %ctx, ptr {reference})")

    def allocate(self, output: Output, rank: str, sizes: str, over: str = "") -> None:
        """A new tensor for a result, or the one `over` if the result may be that."""
        code = known_dtype(output.type).code
        given = [f"i32 {code}", f"i64 {rank}", f"ptr {sizes}"]
        if over:
            found = self.call("tensor_alloc_over", [*given, f"ptr {over}"], result=True)
        else:
            found = self.call("tensor_alloc", given, result=True)
        self.made[output.value] = found
        self.owned.append(found)

    def finish(self) -> None:
        """Record the write, store the results, return; then emit the error exits."""
        text, group = self.text, self.group
        for copy in self.borrowed_copies:
            self.release(copy)
        if group.written is not None:
            storage = self.field(group.written[0].name, "storage", "ptr")
            version = self.at(storage, STORAGE.offsets["version"])
            before = text.let(f"load i64, ptr {version}")
            text.line(f"store i64 {text.let(f'add i64 {before}, 1')}, ptr {version}")
        for number, output in enumerate(group.outputs):
            if group.is_written(output):
                assert group.written is not None
                result = group.written[0].name
                self.retain(result)
            else:
                result = self.made[output.value]
            text.line(f"store ptr {result}, ptr %out{number}")
        text.terminate("ret i32 0")
        for leave in self.late:
            leave()
