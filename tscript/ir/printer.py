"""IR as text. `tscript.ir.parser` reads it back without loss.

A value is printed by its name hint, made unique in its graph by a number after a dot (``%x``, ``%x.1``), and by a
number alone if it has no hint; a label by its hint and a number (``L0``). The same graph always gives the same text.
With ``spans=True`` each line ends with its place in the source, innermost first for inlined code: ``%1: int =
add.int(%x, %y) @ "model.py":7:5-7:10 in helper <- "model.py":20:9-20:18 in main`` (lines and columns from 1, the end
exclusive).

A program begins with ``program @main`` and then has its graphs; see `print_graph` for the rest of the syntax.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import zip_longest
from typing import Any, Protocol

from tscript.definitions.shared import Shared
from tscript.definitions.values import plain_default
from tscript.diagnostics import UNKNOWN, Span
from tscript.ir.nodes import (
    REQUIRED,
    Block,
    Break,
    Call,
    Closure,
    Const,
    Continue,
    For,
    Fork,
    Fused,
    Handler,
    If,
    Invoke,
    Label,
    Loop,
    Node,
    Op,
    ParallelCall,
    Param,
    Raise,
    Return,
    SetSlot,
    Throw,
    Try,
    Unreachable,
    Value,
    Yield,
)
from tscript.types import DType, EnumMember, Type
from tscript.types.options import Option

_PLAIN_NAME = re.compile(r"[^\W\d]\w*(\.\w+)*")
_DECIMAL = 1 << 128


def print_string(text: str) -> str:
    r"""A string literal in ASCII.

    Example:
        >>> print_string('say "é"')
        '"say \\"\\xe9\\""'
    """
    return '"' + text.encode("unicode_escape").decode("ascii").replace('"', '\\"') + '"'


@lru_cache(1024)
def _name(text: str) -> str:
    return text if _PLAIN_NAME.fullmatch(text) else print_string(text)


def print_constant(value: object, handles: list[object] | None = None) -> str:
    """A constant in IR text.

    Args:
        value: As in `Const`.
        handles: Where tensors and `Shared` containers are collected: each is printed as ``tensor`` or ``shared`` and
            its position among those in this list.

    Example:
        >>> from tscript.types import dtypes
        >>> print_constant((1, 2.0, "a", b"a", None, dtypes.float32))
        '(1, 2.0, "a", bytes("a"), None, dtype.float32)'
    """
    match value:
        case None | bool():
            return str(value)
        case int():
            value = int(value)
            return str(value) if -_DECIMAL < value < _DECIMAL else hex(value)
        case float():
            return "-nan" if value != value and math.copysign(1, value) < 0 else float.__repr__(value)
        case complex():
            return f"complex({print_constant(value.real)}, {print_constant(value.imag)})"
        case str():
            return print_string(value)
        case bytes():
            return f"bytes({print_string(value.decode('latin-1'))})"
        case DType():
            return f"dtype.{value.name}"
        case Option():
            return f"option({print_string(f'{value.space}.{value.name}')})"
        case Type():
            return f"type({value})"
        case EnumMember():
            return f"member({value.type}, {print_string(value.name)})"
        case tuple():
            inner = ", ".join([print_constant(v, handles) for v in value])
            return f"({inner},)" if len(value) == 1 else f"({inner})"
    handles = [] if handles is None else handles
    if not any(known is value for known in handles):
        handles.append(value)
    alike = [known for known in handles if isinstance(known, Shared) == isinstance(value, Shared)]
    return (
        f"{'shared' if isinstance(value, Shared) else 'tensor'} "
        f"{next(i for i, known in enumerate(alike) if known is value)}"
    )


_file = lru_cache(256)(print_string)


def print_span(span: Span, file_name: Callable[[str], str] = str) -> str:
    """A span in IR text; `file_name` names its files."""
    frames = []
    for s in span.frames():
        inside = f" in {_name(s.function)}" if s.function else ""
        place = f"{s.line}:{s.col + 1}-{s.end_line}:{s.end_col + 1}"
        frames.append(f"{_file(file_name(s.source.name))}:{place}{inside}")
    return "@ " + " <- ".join(frames)


class PrintedGraph(Protocol):
    """The data that is printed of a graph."""

    name: str
    params: tuple[Param, ...]
    result: Type
    body: Block
    span: Span
    fastmath: bool


class PrintedProgram(Protocol):
    """The data that is printed of a program."""

    main: str

    @property
    def graphs(self) -> Mapping[str, PrintedGraph]:
        """Its graphs by name."""


class Names:
    """The printed names of the values and labels of one graph.

    A value that the graph does not define (which only happens in broken IR) gets a name with a question mark.
    """

    __slots__ = ("_counts", "_labels", "_next", "_taken", "_values")

    def __init__(self, graph: PrintedGraph | None = None) -> None:
        self._values: dict[Value, str] = {}
        self._labels: dict[Label, str] = {}
        self._taken: set[str] = set()
        self._counts: dict[str, int] = {}
        self._next = 0
        if graph is not None:
            for param, value in zip(graph.params, graph.body.params, strict=False):
                self._values[value] = _name(param.name)
                self._taken.add(param.name)
            self._add_block(graph.body)

    def value(self, value: Value) -> str:
        """``%name``."""
        return "%" + (self._values.get(value) or f"{value.name}?")

    def label(self, label: Label) -> str:
        """The label's name."""
        return self._labels.get(label) or f"{label.name}?"

    def _add_block(self, block: Block) -> None:
        for value in block.params:
            self._add(value)
        for node in block.nodes:
            for value in node.outputs:
                self._add(value)
            if isinstance(node, (Loop, For, Try)) and node.label not in self._labels:
                hint = re.sub(r"\W", "_", node.label.name).rstrip("0123456789") or "L"
                self._labels[node.label] = f"{hint}{len(self._labels)}"
            for inner in node.blocks:
                self._add_block(inner)

    def _add(self, value: Value) -> None:
        if value in self._values:
            return
        hint = value.name
        if not hint:
            name = str(self._next)
            self._next += 1
        else:
            hint = re.sub(r"\W", "_", hint)
            if hint[0].isdigit():
                hint = "_" + hint
            name = hint
            if name in self._taken:
                count = self._counts.get(hint, 0)
                while name in self._taken:
                    count += 1
                    name = f"{hint}.{count}"
                self._counts[hint] = count
            self._taken.add(name)
        self._values[value] = name


class _Writer:
    """Collects the lines of one text."""

    __slots__ = ("file_name", "handles", "lines", "names", "spans")

    def __init__(self, names: Names, spans: bool, handles: list[object], file_name: Callable[[str], str] = str) -> None:
        self.names = names
        self.spans = spans
        self.file_name = file_name
        self.handles = handles
        self.lines: list[str] = []

    def values(self, values: Iterable[Value]) -> str:
        return ", ".join([self.names.value(v) for v in values])

    def typed(self, values: Iterable[Value]) -> str:
        return ", ".join([f"{self.names.value(v)}: {v.type}" for v in values])

    def carried(self, params: Sequence[Value], inits: Sequence[Value]) -> str:
        """`` (%i: int = %a, …)``, or nothing."""
        if not params and not inits:
            return ""
        parts = [
            (self.typed([p]) if p is not None else "%?") + " = " + (self.names.value(v) if v is not None else "%?")
            for p, v in zip_longest(params, inits)
        ]
        return f" ({', '.join(parts)})"

    def place(self, span: Span) -> str:
        if not self.spans or span is UNKNOWN or (span.line == 1 and span == UNKNOWN):
            return ""
        return f"  {print_span(span, self.file_name)}"

    def head(self, node: Node) -> str:
        """`node` without its blocks."""
        text = _HEADS[type(node)](self, node)
        return f"{self.typed(node.outputs)} = {text}" if node.outputs else text

    def block(self, block: Block, indent: str) -> None:
        for node in block.nodes:
            head, place = self.head(node), self.place(node.span)
            if isinstance(node, If):
                self.lines.append(f"{indent}{head} {{{place}")
                self.block(node.then, indent + "  ")
                self.lines.append(f"{indent}}} else {{")
                self.block(node.orelse, indent + "  ")
                self.lines.append(f"{indent}}}")
            elif isinstance(node, Try):
                self.lines.append(f"{indent}{head} {{{place}")
                self.block(node.body, indent + "  ")
                for handler in node.handlers:
                    self.lines.append(f"{indent}}} {self.handler(node, handler)} {{")
                    self.block(handler.block, indent + "  ")
                self.lines.append(f"{indent}}}")
            elif blocks := node.blocks:
                self.lines.append(f"{indent}{head} {{{place}")
                self.block(blocks[0], indent + "  ")
                self.lines.append(f"{indent}}}")
            else:
                self.lines.append(f"{indent}{head}{place}")

    def handler(self, node: Try, handler: Handler) -> str:
        """``except KeyError, IndexError as %e: LookupError (%x: int)``."""
        slots, caught = node.slots(handler), node.caught(handler)
        text = f"except {', '.join(map(str, handler.classes))}"
        text += "" if caught is None else f" as {self.typed([caught])}"
        return text + (f" ({self.typed(slots)})" if slots else "")

    def graph(self, graph: PrintedGraph) -> None:
        params = []
        slash = star = False
        for p in graph.params:
            if slash and not p.positional_only:
                params.append("/")
            slash = p.positional_only
            if p.keyword_only and not star:
                params.append("*")
                star = True
            default = "" if p.default is REQUIRED else f" = {print_constant(plain_default(p.default), self.handles)}"
            params.append(f"{'*' if p.variadic else ''}%{_name(p.name)}: {p.type}{default}")
            star = star or p.variadic
        if slash:
            params.append("/")
        rule = " fastmath" if graph.fastmath else ""
        head = f"graph @{_name(graph.name)}({', '.join(params)}) -> {graph.result}{rule} {{"
        self.lines.append(head + self.place(graph.span))
        self.block(graph.body, "  ")
        self.lines.append("}")


def _const(w: _Writer, node: Const) -> str:
    return f"const {print_constant(node.value, w.handles)}"


def _op(w: _Writer, node: Op) -> str:
    return f"{node.op.name}({w.values(node.inputs)})"


def _call(w: _Writer, node: Call) -> str:
    return f"call @{_name(node.callee)}({w.values(node.inputs)})"


def _parallel(w: _Writer, node: ParallelCall) -> str:
    join = f" join @{_name(node.join)}" if node.join else ""
    shared = "".join(f" shared {kind} {position}" for position, kind in node.shared)
    return f"parallel @{_name(node.callee)}({w.values(node.inputs)}) work {node.work}{join}{shared}"


def _fork(w: _Writer, node: Fork) -> str:
    return f"fork @{_name(node.callee)}({w.values(node.inputs)})"


def _closure(w: _Writer, node: Closure) -> str:
    return f"closure @{_name(node.callee)}({w.values(node.inputs)})"


def _invoke(w: _Writer, node: Invoke) -> str:
    return f"invoke({w.values(node.inputs)})"


def _if(w: _Writer, node: If) -> str:
    return f"if {w.values(node.inputs)}"


def _loop(w: _Writer, node: Loop) -> str:
    return f"loop {w.names.label(node.label)}{w.carried(node.body.params, node.inputs)}"


def _for(w: _Writer, node: For) -> str:
    counter, carried = node.body.params[:1], node.body.params[1:]
    head = f"{node.division.value} {w.names.label(node.label)} {w.typed(counter)} in range({w.values(node.inputs[:3])})"
    return head + w.carried(carried, node.inputs[3:])


def _fused(w: _Writer, node: Fused) -> str:
    over = f" over ({w.values(node.reuse)})" if node.reuse else ""
    return f"fused{w.carried(node.body.params, node.inputs)}{over}"


def _try(w: _Writer, node: Try) -> str:
    return f"try {w.names.label(node.label)}" + (f" ({w.values(node.inputs)})" if node.inputs else "")


def _set_slot(w: _Writer, node: SetSlot) -> str:
    return f"set {w.names.label(node.label)} {node.index} ({w.values(node.inputs)})"


def _throw(w: _Writer, node: Throw) -> str:
    return f"throw {w.values(node.inputs)}"


def _yield(w: _Writer, node: Yield) -> str:
    return f"yield {w.values(node.inputs)}".rstrip()


def _exit(word: str) -> Callable[[_Writer, Break | Continue], str]:
    def head(w: _Writer, node: Break | Continue) -> str:
        return f"{word} {w.names.label(node.label)}" + (f" ({w.values(node.inputs)})" if node.inputs else "")

    return head


def _return(w: _Writer, node: Return) -> str:
    return f"return {w.values(node.inputs)}"


def _raise(w: _Writer, node: Raise) -> str:
    message = "" if node.message is None else f" {print_string(node.message)}"
    return f"raise {node.exception}{message}" + (f" ({w.values(node.inputs)})" if node.inputs else "")


def _unreachable(w: _Writer, node: Unreachable) -> str:
    return "unreachable"


_HEADS: dict[type[Node], Callable[[_Writer, Any], str]] = {
    Const: _const,
    Op: _op,
    Call: _call,
    ParallelCall: _parallel,
    Fork: _fork,
    Closure: _closure,
    Invoke: _invoke,
    If: _if,
    Loop: _loop,
    For: _for,
    Fused: _fused,
    Try: _try,
    SetSlot: _set_slot,
    Yield: _yield,
    Break: _exit("break"),
    Continue: _exit("continue"),
    Return: _return,
    Raise: _raise,
    Throw: _throw,
    Unreachable: _unreachable,
}


def print_node(node: Node, names: Names | None = None) -> str:
    """The first line of `node` in the text of the graph that `names` was made for."""
    return _Writer(names or Names(), False, []).head(node)


def print_graph(
    graph: PrintedGraph,
    *,
    spans: bool = False,
    handles: list[object] | None = None,
    file_name: Callable[[str], str] = str,
) -> str:
    """One graph as text.

    Args:
        graph: The graph; it need not be well-formed.
        spans: Whether to print the places in the source.
        handles: Where tensors among the constants are collected; the parser takes the list back.
        file_name: Names files in places.

    Example::

        graph @f(%x: Tensor, %n: int = 3) -> Tensor {
          %0: float = const 1.0
          %1: Tensor = add.Scalar(%x, %0)
          %2: int = loop L0 (%i: int = %n) {
            %3: bool = lt.int(%i, %n)
            if %3 {
              yield
            } else {
              break L0 (%i)
            }
            continue L0 (%i)
          }
          return %1
        }
    """
    writer = _Writer(Names(graph), spans, [] if handles is None else handles, file_name)
    writer.graph(graph)
    return "\n".join(writer.lines)


def print_program(
    program: PrintedProgram,
    *,
    spans: bool = False,
    handles: list[object] | None = None,
    file_name: Callable[[str], str] = str,
) -> str:
    """A program as text: ``program @main``, then its graphs. Arguments as for `print_graph`."""
    handles = [] if handles is None else handles
    graphs = [print_graph(g, spans=spans, handles=handles, file_name=file_name) for g in program.graphs.values()]
    return "\n\n".join([f"program @{_name(program.main)}", *graphs]) + "\n"
