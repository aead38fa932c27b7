"""`Text`: the body of one LLVM function while it is written.

Instructions are appended as text, which costs a third of building `llvmlite.ir` objects. Names are `%hint.N`, unique in
the function. Allocas are kept apart and land in the entry block, where mem2reg finds them. What a function needs at
module level (declarations of functions and of globals) is collected in `declarations`, one dict for all functions of a
module.
"""

from __future__ import annotations

from collections.abc import Sequence

from tscript.backend.llvm.constants import symbol_name

UNLIKELY = ', !prof !{!"branch_weights", i32 1, i32 2000}'
LIKELY = ', !prof !{!"branch_weights", i32 2000, i32 1}'
"""Metadata of a conditional branch: whether its first label is rarely or nearly always taken."""

STRINGS = "string."
"""The prefix of symbols of constant strings, which are private to each module."""


class Text:
    """A function body under construction. The entry block is open at the start and is called ``entry``.

    Attributes:
        declarations: Module-level lines by the symbol they declare, as it is called outside LLVM text, in the order
            they were asked for; pass one dict to all functions of a module.
        features: What the processor has beyond its baseline, by LLVM's names, as far as the text may depend on it.
        block: Label of the block that lines are appended to, for phis.
        fast: Flags of arithmetic of floats, with a space in front.
        terminated: Whether the current block has ended (`terminate` was called); further lines would be unreachable.

    Example:
        >>> text = Text()
        >>> total = text.let("add i64 %a, %b", "sum")
        >>> text.terminate(f"ret i64 {total}")
        >>> print(text.function("define i64 @f(i64 %a, i64 %b)"))
        define i64 @f(i64 %a, i64 %b) {
        entry:
          %sum.0 = add i64 %a, %b
          ret i64 %sum.0
        }
    """

    __slots__ = ("_allocas", "_count", "_lines", "_slots", "block", "declarations", "fast", "features", "terminated")

    def __init__(
        self,
        declarations: dict[str, str] | None = None,
        features: frozenset[str] = frozenset(),
        fast: str = "",
    ) -> None:
        self.fast = fast
        self.declarations: dict[str, str] = {} if declarations is None else declarations
        self.features = features
        self.block = "entry"
        self.terminated = False
        self._lines: list[str] = []
        self._allocas: list[str] = []
        self._slots: dict[tuple[str, int], str] = {}
        self._count = 0

    def fresh(self, hint: str = "t") -> str:
        """A new value name such as ``%t.12``. `hint` must be a plain identifier; an empty one means ``t``."""
        n = self._count
        self._count = n + 1
        return f"%{hint or 't'}.{n}"

    def fresh_label(self, hint: str = "b") -> str:
        """A new block label, without its sign: ``loop.3``."""
        n = self._count
        self._count = n + 1
        return f"{hint}.{n}"

    def line(self, instruction: str) -> None:
        """Append one instruction."""
        self._lines.append("  " + instruction)

    def let(self, instruction: str, hint: str = "t") -> str:
        """Append ``name = instruction`` and give the new name."""
        n = self._count
        self._count = n + 1
        name = f"%{hint}.{n}"
        self._lines.append(f"  {name} = {instruction}")
        return name

    def label(self, name: str) -> None:
        """Begin the block `name` (without its sign). The block before it must have ended."""
        self._lines.append(name + ":")
        self.block = name
        self.terminated = False

    def terminate(self, instruction: str) -> None:
        """Append the instruction that ends the current block."""
        self._lines.append("  " + instruction)
        self.terminated = True

    def branch(self, label: str) -> None:
        """End the current block with a jump to `label`."""
        self.terminate(f"br label %{label}")

    def branch_if(self, condition: str, then: str, orelse: str) -> None:
        """End the current block with a jump on the i1 value `condition`."""
        self.terminate(f"br i1 {condition}, label %{then}, label %{orelse}")

    def alloca(self, type: str, hint: str = "slot", initial: str | None = None) -> str:
        """A stack slot of the LLVM type `type`, allocated in the entry block and set there to `initial` if given."""
        name = self.fresh(hint)
        self._allocas.append(f"  {name} = alloca {type}")
        if initial is not None:
            self._allocas.append(f"  store {type} {initial}, ptr {name}")
        return name

    def slot(self, type: str, index: int) -> str:
        """A stack slot that all calls of the function share: the out pointer number `index` for a result of `type`."""
        found = self._slots.get((type, index))
        if found is None:
            found = self._slots[type, index] = self.alloca(type, "out")
        return found

    def reserve(self) -> int:
        """Reserve a place in the current block that `fill` writes later: phis, whose operands are known after the
        loop."""
        self._lines.append("")
        return len(self._lines) - 1

    def fill(self, place: int, instructions: Sequence[str]) -> None:
        """Write instructions at a reserved place."""
        self._lines[place] = "\n".join(f"  {i}" for i in instructions)

    def declare(self, symbol: str, line: str) -> None:
        """Request a module-level line that declares `symbol`. The first line for a symbol is kept."""
        self.declarations.setdefault(symbol, line)

    def declare_function(self, symbol: str, result: str, parameters: Sequence[str], attributes: str = "") -> str:
        """Declare a function of another module: ``declare double @exp(double)``. Returns its name with its sign."""
        name = symbol_name(symbol)
        if symbol not in self.declarations:
            line = f"declare {result} {name}({', '.join(parameters)})"
            self.declarations[symbol] = f"{line} {attributes}" if attributes else line
        return name

    def declare_global(self, symbol: str, type: str = "i8") -> str:
        """Declare a global of another module: ``@_Py_NoneStruct = external global i8``. Returns its name with its
        sign."""
        name = symbol_name(symbol)
        self.declarations.setdefault(symbol, f"{name} = external global {type}")
        return name

    def function(self, head: str) -> str:
        """The complete function: `head` is everything before the brace."""
        return "\n".join([head + " {", "entry:", *self._allocas, *filter(None, self._lines), "}"])
