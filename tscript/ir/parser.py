"""Parses the text that `tscript.ir.printer` writes, from untrusted files.

Invalid text raises only `IRSyntaxError`, with line, column and what was expected. Length, nesting and the depth of
types and constants are limited; nothing is evaluated. The parser only checks the form: names are defined once and
before their uses, labels enclose their exits. The verifier checks everything else, above all types and visibility: run
`tscript.ir.verifier.verify` on untrusted IR.

White space and ``# comments`` are allowed between all tokens.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Protocol

from tscript.abi.exceptions import is_exception
from tscript.definitions.opdef import OpDef
from tscript.definitions.values import typed_default
from tscript.diagnostics import SourceFile, Span
from tscript.ir.graph import (
    REQUIRED,
    Block,
    Break,
    Call,
    Closure,
    Const,
    Continue,
    Division,
    For,
    Fork,
    Fused,
    Graph,
    Handler,
    If,
    Invoke,
    Label,
    Loop,
    Node,
    Op,
    ParallelCall,
    Param,
    Program,
    Raise,
    Return,
    SetSlot,
    Throw,
    Try,
    Unreachable,
    Value,
    Yield,
)
from tscript.ir.reader import Reader
from tscript.late import replace
from tscript.types import ClassType, Type

MAX_NESTING = 200
"""The maximum nesting of blocks."""


class OperatorLookup(Protocol):
    """The interface of an operator table for the parser; a dict is one."""

    def __getitem__(self, name: str, /) -> OpDef:
        """The operator of a qualified `name`; raises `KeyError` if there is none."""


class _Parser(Reader):
    """One program or graph being parsed."""

    __slots__ = ("depth", "labels", "names", "portable", "table")

    def __init__(
        self,
        text: str,
        table: OperatorLookup,
        sources: Mapping[str, SourceFile],
        handles: Sequence[object],
        classes: Mapping[str, Type],
        portable: bool = False,
    ) -> None:
        super().__init__(text, sources, handles, classes)
        self.portable = portable
        self.table = table
        self.depth = 0
        self.names: dict[str, Value] = {}
        self.labels: dict[str, Label] = {}

    # Values

    def define(self, name: str, value: Value, at: int | None = None) -> None:
        if name in self.names:
            raise self.error(f"expected a new name, found {name}, which is defined above", at)
        self.names[name] = value

    def use(self) -> Value:
        token = self.tokens[self.at]
        value = self.names.get(token)
        if value is None:
            if token[:1] == "%" and len(token) > 1:
                raise self.expected("a value that is defined above", self.at)
            raise self.expected("a value", self.at)
        self.at += 1
        return value

    def uses(self) -> list[Value]:
        """Values in parentheses."""
        self.expect("(")
        out: list[Value] = []
        if self.accept(")"):
            return out
        while True:
            out.append(self.use())
            if self.accept(")"):
                return out
            if not self.accept(","):
                raise self.expected("',' or ')'", self.at)

    def uses_if_any(self) -> list[Value]:
        return self.uses() if self.tokens[self.at] == "(" else []

    def typed(self) -> tuple[str, Type]:
        """``%name: type``."""
        name = self.value_name()
        self.expect(":")
        return name, self.type()

    def carried(self) -> tuple[list[Value], list[Value]]:
        """`` (%i: int = %a, …)`` or nothing: parameters and initial values."""
        if not self.accept("("):
            return [], []
        pending: list[tuple[int, str, Type]] = []
        inits: list[Value] = []
        while not self.accept(")"):
            if pending:
                self.expect(",")
            pending.append((self.at, *self.typed()))
            self.expect("=")
            inits.append(self.use())
        params = []
        for at, name, type in pending:
            params.append(Value(type, self.hint(name)))
            self.define(name, params[-1], at)
        return params, inits

    # Nodes

    def block(self, params: Sequence[Value] = ()) -> Block:
        """The content between braces; the opening one is taken already."""
        if self.depth >= MAX_NESTING:
            raise self.error(f"expected at most {MAX_NESTING} blocks inside each other")
        self.depth += 1
        out = Block(params)
        nodes, tokens = out.nodes, self.tokens
        while True:
            token = tokens[self.at]
            if token == "}":
                self.at += 1
                break
            first = self.at
            outputs: list[tuple[str, Type]] = []
            if token[:1] == "%":
                outputs.append(self.typed())
                while self.accept(","):
                    outputs.append(self.typed())
                self.expect("=")
            start = self.at
            word = self.word("a statement")
            statement = _STATEMENTS.get(word)
            if statement is not None:
                node = statement(self, [t for _, t in outputs])
            else:
                node = self.application(word, [t for _, t in outputs])
            if len(node.outputs) != len(outputs):
                raise self.error(f"expected {len(node.outputs)} results of {word}, found {len(outputs)}", start)
            for (name, _), value in zip(outputs, node.outputs, strict=True):
                value.name = self.hint(name)
                self.define(name, value, first)
            nodes.append(node)
        self.depth -= 1
        return out

    def application(self, name: str, types: list[Type]) -> Op:
        start = self.at - 1
        try:
            op = self.table[name]
        except KeyError:
            raise self.expected("a statement or an operator", start) from None
        if self.portable and not op.portable:
            raise self.error(
                f"the operator {name} is one that the compiler makes for itself: no file may have it", start
            )
        return Op(op, self.uses(), self.only(types, start), self.span())

    def only(self, types: list[Type], start: int | None = None) -> Type:
        if len(types) != 1:
            raise self.error(f"expected one result, found {len(types)}", start)
        return types[0]

    def const(self, types: list[Type]) -> Const:
        type = self.only(types)
        return Const(self.constant(), type, self.span())

    def call(self, types: list[Type]) -> Call:
        type = self.only(types)
        callee = self.graph_name()
        return Call(callee, self.uses(), type, self.span())

    def parallel(self, types: list[Type]) -> ParallelCall:
        type = self.only(types)
        callee, inputs = self.graph_name(), self.uses()
        self.expect("work")
        work = self.take()
        if not work.isdecimal() or not 1 <= int(work) < 1 << 31:
            raise self.expected("the work of one iteration")
        join = self.graph_name() if self.accept("join") else ""
        shared: list[tuple[int, str]] = []
        while self.accept("shared"):
            kind, position = self.take(), self.take()
            if not position.isdecimal():
                raise self.expected("the position of an argument")
            shared.append((int(position), kind))
        return ParallelCall(callee, join, int(work), inputs, type, self.span(), shared)

    def fork(self, types: list[Type]) -> Fork:
        type = self.only(types)
        callee = self.graph_name()
        return Fork(callee, self.uses(), type, self.span())

    def closure(self, types: list[Type]) -> Closure:
        type = self.only(types)
        callee = self.graph_name()
        return Closure(callee, self.uses(), type, self.span())

    def invoke(self, types: list[Type]) -> Invoke:
        type = self.only(types)
        return Invoke(self.uses(), type, self.span())

    def if_(self, types: list[Type]) -> If:
        cond = self.use()
        self.expect("{")
        span = self.span()
        then = self.block()
        self.expect("else")
        self.expect("{")
        return If(cond, then, self.block(), types, span)

    def label(self) -> tuple[str, Label]:
        name = self.word("a label")
        if name in self.labels:
            raise self.error(f"expected a new label, found {name}, which is the label of a loop around")
        return name, Label(name.rstrip("0123456789"))

    def body(self, name: str, label: Label, params: Sequence[Value]) -> tuple[Block, Span]:
        self.expect("{")
        span = self.span()
        self.labels[name] = label
        block = self.block(params)
        del self.labels[name]
        return block, span

    def loop(self, types: list[Type]) -> Loop:
        name, label = self.label()
        params, inits = self.carried()
        body, span = self.body(name, label, params)
        return Loop(label, inits, body, types, span)

    def for_(self, types: list[Type]) -> For:
        division = Division(self.tokens[self.at - 1])
        name, label = self.label()
        at = self.at
        counter_name, counter_type = self.typed()
        self.expect("in")
        self.expect("range")
        bounds = self.uses()
        if len(bounds) != 3:
            raise self.error(f"expected start, stop and step, found {len(bounds)} values")
        counter = Value(counter_type, self.hint(counter_name))
        self.define(counter_name, counter, at)
        carried, inits = self.carried()
        if len(types) != len(inits):
            raise self.error(f"expected {len(inits)} results of for, found {len(types)}")
        body, span = self.body(name, label, [counter, *carried])
        start, stop, step = bounds
        node = For(label, start, stop, step, inits, body, span, division)
        for output, type in zip(node.outputs, types, strict=True):
            output.type = type
        return node

    def fused(self, types: list[Type]) -> Fused:
        params, inputs = self.carried()
        reuse = self.uses() if self.accept("over") else []
        self.expect("{")
        span = self.span()
        node = Fused(inputs, self.block(params), types, span)
        node.reuse = tuple(reuse)
        return node

    def try_(self, types: list[Type]) -> Try:
        name, label = self.label()
        inits = self.uses_if_any()
        body, span = self.body(name, label, ())
        handlers: list[Handler] = []
        while self.accept("except"):
            handlers.append(self.handler(len(inits)))
        if not handlers:
            raise self.expected("except")
        return Try(label, inits, body, handlers, types, span)

    def handler(self, slots: int) -> Handler:
        classes: list[ClassType] = []
        while not classes or self.accept(","):
            start = self.at
            type = self.type()
            if not is_exception(type):
                raise self.expected("a class of exceptions", start)
            assert isinstance(type, ClassType)
            classes.append(type)
        caught = (self.at, *self.typed()) if self.accept("as") else None
        found: list[tuple[int, str, Type]] = []
        if self.accept("("):
            while not self.accept(")"):
                if found:
                    self.expect(",")
                found.append((self.at, *self.typed()))
        if len(found) != slots:
            raise self.error(f"expected {slots} slots, found {len(found)}")
        params = []
        for at, name, type in (*found, *([] if caught is None else [caught])):
            params.append(Value(type, self.hint(name)))
            self.define(name, params[-1], at)
        self.expect("{")
        return Handler(classes, self.block(params))

    def set_slot(self, types: list[Type]) -> SetSlot:
        label = self.target()
        start = self.at
        index = self.take()
        if not (index.isdecimal() and index.isascii() and len(index) < 10):
            raise self.expected("the number of a slot", start)
        start = self.at
        values = self.uses()
        if len(values) != 1:
            raise self.error(f"expected one value, found {len(values)}", start)
        return SetSlot(label, int(index), values[0], self.span())

    def throw(self, types: list[Type]) -> Throw:
        return Throw(self.use(), self.span())

    def yield_(self, types: list[Type]) -> Yield:
        values: list[Value] = []
        if self.tokens[self.at] in self.names and self.tokens[self.at + 1] != ":":
            values.append(self.use())
            while self.accept(","):
                values.append(self.use())
        return Yield(values, self.span())

    def target(self) -> Label:
        name = self.word("a label")
        label = self.labels.get(name)
        if label is None:
            raise self.expected("the label of a loop around")
        return label

    def break_(self, types: list[Type]) -> Break:
        return Break(self.target(), self.uses_if_any(), self.span())

    def continue_(self, types: list[Type]) -> Continue:
        return Continue(self.target(), self.uses_if_any(), self.span())

    def return_(self, types: list[Type]) -> Return:
        return Return(self.use(), self.span())

    def raise_(self, types: list[Type]) -> Raise:
        exception = self.word("the name of an exception")
        message = self.string(self.take()) if self.tokens[self.at][:1] == '"' else None
        return Raise(exception, message, self.uses_if_any(), self.span())

    def unreachable(self, types: list[Type]) -> Unreachable:
        return Unreachable(self.span())

    # Graphs

    def graph(self) -> Graph:
        self.names.clear()
        self.labels.clear()
        name = self.graph_name()
        self.expect("(")
        params: list[Param] = []
        printed: list[tuple[int, str]] = []
        keyword_only = False
        while not self.accept(")"):
            if params or keyword_only:
                self.expect(",")
            variadic = False
            if not keyword_only and self.accept("*"):
                keyword_only = True
                variadic = self.tokens[self.at].startswith("%")
                if not variadic:
                    continue
            if params and not (keyword_only or params[0].positional_only) and self.accept("/"):
                params = [replace(p, positional_only=True) for p in params]
                continue
            at = self.at
            value_name, type = self.typed()
            default = typed_default(self.constant(), type) if self.accept("=") else REQUIRED
            text = self.string(value_name[1:]) if value_name[1] == '"' else value_name[1:]
            params.append(Param(text, type, default, keyword_only and not variadic, variadic=variadic))
            printed.append((at, value_name))
        self.expect("->")
        result = self.type()
        fastmath = self.accept("fastmath")
        self.expect("{")
        graph = Graph(name, params, result, self.span(), fastmath)
        for (at, value_name), value in zip(printed, graph.body.params, strict=True):
            self.define(value_name, value, at)
        graph.body.nodes = self.block().nodes
        return graph

    def program(self) -> Program:
        main = self.graph_name() if self.accept("program") else None
        graphs: dict[str, Graph] = {}
        while self.tokens[self.at]:
            self.expect("graph")
            start = self.at
            graph = self.graph()
            if graph.name in graphs:
                raise self.error("expected a new name of a graph, found one that is defined above", start)
            graphs[graph.name] = graph
        if not graphs:
            raise self.expected("a graph", self.at)
        if main is None:
            main = next(iter(graphs))
        elif main not in graphs:
            raise self.error(f"expected a graph named {main}, the program's entry, found none", len(self.tokens) - 1)
        return Program(main, list(graphs.values()))


_STATEMENTS: dict[str, Callable[[_Parser, list[Type]], Node]] = {
    "const": _Parser.const,
    "call": _Parser.call,
    "parallel": _Parser.parallel,
    "fork": _Parser.fork,
    "closure": _Parser.closure,
    "invoke": _Parser.invoke,
    "if": _Parser.if_,
    "loop": _Parser.loop,
    **{division.value: _Parser.for_ for division in Division},
    "fused": _Parser.fused,
    "try": _Parser.try_,
    "set": _Parser.set_slot,
    "yield": _Parser.yield_,
    "break": _Parser.break_,
    "continue": _Parser.continue_,
    "return": _Parser.return_,
    "raise": _Parser.raise_,
    "throw": _Parser.throw,
    "unreachable": _Parser.unreachable,
}


def parse_program(
    text: str,
    table: OperatorLookup,
    *,
    sources: Mapping[str, SourceFile] | None = None,
    handles: Sequence[object] = (),
    classes: Mapping[str, Type] = MappingProxyType({}),
    portable: bool = False,
) -> Program:
    """The program that `print_program` wrote.

    Args:
        text: Of an entire program. Without the line ``program @main`` the first graph is the entry.
        table: The operators by their qualified names.
        sources: Files that places may name, where their texts are known.
        handles: The tensors that constants may name by number.
        classes: Classes, enums and named tuples by name, besides the builtin exceptions and `torch.iinfo`.
        portable: Whether operators that are not `OpDef.portable` are refused: True for what comes from a file.

    Raises:
        IRSyntaxError: The text is not a program, or has an operator that it may not have.

    Example:
        >>> from tscript.dialect import machine
        >>> table = {op.name: op for op in machine.LEAVES}
        >>> program = parse_program("graph @f(%x: int) -> int { %0: int = machine.neg(%x) return %0 }", table)
        >>> print(program.entry)
        graph @f(%x: int) -> int {
          %0: int = machine.neg(%x)
          return %0
        }
    """
    parser = _Parser(text, table, sources or {}, handles, classes, portable)
    try:
        return parser.program()
    except RecursionError:  # the caller is itself deep in the stack
        raise parser.error("expected fewer blocks inside each other") from None


def parse_graph(
    text: str,
    table: OperatorLookup,
    *,
    sources: Mapping[str, SourceFile] | None = None,
    handles: Sequence[object] = (),
) -> Graph:
    """The graph that `print_graph` wrote; arguments and errors as for `parse_program`."""
    parser = _Parser(text, table, sources or {}, handles, {})
    parser.expect("graph")
    try:
        graph = parser.graph()
    except RecursionError:
        raise parser.error("expected fewer blocks inside each other") from None
    if parser.tokens[parser.at]:
        raise parser.expected("nothing behind the graph", parser.at)
    return graph
