"""Parses the text that `tscript.ir.printer` writes, from untrusted files.

Invalid text raises only `IRSyntaxError`, with line, column and what was expected. Length, nesting and the depth of
types and constants are limited; nothing is evaluated. The parser only checks the form: names are defined once and
before their uses, labels enclose their exits. The verifier checks everything else, above all types and visibility: run
`tscript.ir.verifier.verify` on untrusted IR.

White space and ``# comments`` are allowed between all tokens.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Protocol

from tscript.abi.exceptions import EXCEPTIONS, is_exception
from tscript.diagnostics import UNKNOWN, SourceFile, Span
from tscript.ir.graph import (
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
    Graph,
    Handler,
    If,
    Invoke,
    Label,
    Loop,
    Node,
    Op,
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
from tscript.operators.core.opdef import OpDef
from tscript.operators.python.caches import Shared
from tscript.types import ClassType, EnumMember, EnumType, Type, TypeLimitError, dtypes, parse_type
from tscript.types.base import MAX_LEVELS

MAX_LENGTH = 1 << 24
"""The maximum number of characters of a text."""
MAX_NESTING = 200
"""The maximum nesting of blocks."""
MAX_DEPTH = MAX_LEVELS
"""The maximum nesting of brackets in a type or constant."""
MAX_FRAMES = 100
"""The maximum number of inlined calls of one place."""


class OperatorLookup(Protocol):
    """The interface of an operator table for the parser; a dict is one."""

    def __getitem__(self, name: str, /) -> OpDef:
        """The operator of a qualified `name`; raises `KeyError` if there is none."""


class IRSyntaxError(ValueError):
    """A text is not IR.

    Attributes:
        message: What was expected and what was found.
        line: From 1.
        column: From 1.
    """

    def __init__(self, message: str, line: int, column: int) -> None:
        super().__init__(f"line {line}, column {column}: {message}")
        self.message = message
        self.line = line
        self.column = column

    def __reduce__(self) -> tuple[object, ...]:
        return (IRSyntaxError, (self.message, self.line, self.column))


_STRING = r'"(?:[^"\\\n]|\\.)*"'
_WORD = r"[^\W\d]\w*(?:::[^\W\d]\w*)?(?:\.\w+)*"
_NUMBER = r"-?[0-9]+(?:\.[0-9]+)?(?:e[+-]?[0-9]+)?"
_TOKEN = re.compile(
    rf"""[ \t\r\n]+ | \#[^\n]*
    | ( {_STRING}
      | %(?:\w[\w.]*|{_STRING})
      | @(?:{_WORD}|{_STRING})
      | -> | <-
      | [0-9]+:[0-9]+-[0-9]+:[0-9]+
      | -?0x[0-9a-f]+ | {_NUMBER} | -(?:inf|nan)\b
      | {_WORD}
      | . )""",
    re.VERBOSE | re.DOTALL,
)
_NAME = re.compile(_WORD)
_INTEGER = re.compile(r"-?(?:0x[0-9a-f]+|[0-9]+)")
_FLOAT = re.compile(_NUMBER)
_PLACE = re.compile(r"([0-9]{1,9}):([0-9]{1,9})-([0-9]{1,9}):([0-9]{1,9})")
_HINT = re.compile(r"(.*?)(?:\.[0-9]+)?", re.DOTALL)
_ESCAPE = re.compile(r"\\(?:x([0-9a-f]{2})|u([0-9a-f]{4})|U([0-9a-f]{8})|(.))", re.DOTALL)
_ESCAPED = {"n": "\n", "r": "\r", "t": "\t", "\\": "\\", '"': '"'}
_WORDS: dict[str, object] = {
    "None": None,
    "True": True,
    "False": False,
    "inf": math.inf,
    "-inf": -math.inf,
    "nan": math.nan,
    "-nan": math.copysign(math.nan, -1.0),
}


class _Parser:
    """One text being read."""

    __slots__ = (
        "at", "classes", "depth", "handles", "labels", "names", "portable", "shared", "sources", "spans", "table",
        "text",
        "tokens", "types",
    )  # fmt: skip

    def __init__(
        self,
        text: str,
        table: OperatorLookup,
        sources: Mapping[str, SourceFile],
        handles: Sequence[object],
        classes: Mapping[str, Type],
        portable: bool = False,
    ) -> None:
        self.text = text
        self.portable = portable
        self.table = table
        self.sources = dict(sources)
        self.handles = handles
        self.shared: dict[int, Shared] = {}
        self.classes = {**EXCEPTIONS, **classes}
        self.at = 0
        self.depth = 0
        self.names: dict[str, Value] = {}
        self.labels: dict[str, Label] = {}
        self.types: dict[str, Type] = {}
        self.spans: dict[tuple[str, ...], Span] = {}
        if len(text) > MAX_LENGTH:
            raise IRSyntaxError(f"expected at most {MAX_LENGTH} characters, found {len(text)}", 1, 1)
        known: dict[str, str] = {}  # one object for frequent tokens: a token is far larger than its characters
        self.tokens: list[str] = [known.setdefault(m[1], m[1]) for m in _TOKEN.finditer(text) if m[1]]
        self.tokens.append("")

    # Tokens

    def error(self, message: str, at: int | None = None) -> IRSyntaxError:
        """The error for token `at`, by default the last one taken."""
        index = max(self.at - 1, 0) if at is None else at
        position = len(self.text)
        for match in _TOKEN.finditer(self.text):
            if match[1]:
                if index == 0:
                    position = match.start(1)
                    break
                index -= 1
        line = self.text.count("\n", 0, position) + 1
        return IRSyntaxError(message, line, position - self.text.rfind("\n", 0, position))

    def expected(self, what: str, at: int | None = None) -> IRSyntaxError:
        """`error` for a token that is not `what`."""
        found = self.tokens[max(self.at - 1, 0) if at is None else at]
        shown = found if len(found) <= 40 else found[:40] + "..."
        return self.error(f"expected {what}, found {shown if found else 'the end of the text'}", at)

    def take(self) -> str:
        token = self.tokens[self.at]
        if token:
            self.at += 1
            return token
        raise self.expected("more", self.at)

    def accept(self, token: str) -> bool:
        if self.tokens[self.at] == token:
            self.at += 1
            return True
        return False

    def expect(self, token: str) -> None:
        if self.tokens[self.at] != token:
            raise self.expected(repr(token), self.at)
        self.at += 1

    def word(self, what: str) -> str:
        token = self.tokens[self.at]
        if not _NAME.fullmatch(token):
            raise self.expected(what, self.at)
        self.at += 1
        return token

    def string(self, token: str) -> str:
        """The value of the string literal `token` (the last one taken)."""
        if len(token) < 2 or token[0] != '"' or token[-1] != '"':
            raise self.expected("a string")
        if "\\" not in token:
            return token[1:-1]

        def unescape(match: re.Match[str]) -> str:
            code = match[1] or match[2] or match[3]
            if code is not None:
                if int(code, 16) > 0x10FFFF:
                    raise self.error(f"expected a character, found {match[0]}")
                return chr(int(code, 16))
            if match[4] not in _ESCAPED:
                raise self.error(f"expected an escape sequence, found {match[0]}")
            return _ESCAPED[match[4]]

        return _ESCAPE.sub(unescape, token[1:-1])

    def name(self, what: str) -> str:
        """A plain or quoted name."""
        token = self.take()
        if token[0] == '"':
            return self.string(token)
        if not _NAME.fullmatch(token):
            raise self.expected(what)
        return token

    def graph_name(self) -> str:
        token = self.take()
        if token[0] != "@" or len(token) < 2:
            raise self.expected("the name of a graph")
        return self.string(token[1:]) if token[1] == '"' else token[1:]

    def value_name(self) -> str:
        token = self.take()
        if token[0] != "%" or len(token) < 2:
            raise self.expected("a value")
        return token

    def hint(self, name: str) -> str:
        """The name hint of a printed value name."""
        if name[1] == '"':
            return self.string(name[1:])
        if "0" <= name[1] <= "9":
            return ""
        match = _HINT.fullmatch(name, 1)
        return match[1] if match is not None else name[1:]

    # Types, constants, places

    def type(self) -> Type:
        start = self.at
        key = self.take()
        if self.tokens[self.at] == "[":
            depth = 0
            parts = [key]
            while True:
                token = self.take()
                parts.append(token)
                if token == "[":
                    depth += 1
                    if depth > MAX_DEPTH:
                        raise self.error(f"expected a type of at most {MAX_DEPTH} levels")
                elif token == "]":
                    depth -= 1
                    if depth == 0:
                        break
            key = "".join(parts)
        known = self.types.get(key)
        if known is None:
            try:
                known = self.types[key] = parse_type(key, self.classes)
            except TypeLimitError as error:
                raise self.error(str(error), start) from None
            except ValueError:
                raise self.expected("a type", start) from None
        return known

    def constant(self, depth: int = 0) -> object:
        token = self.take()
        if depth > MAX_DEPTH:
            raise self.error(f"expected a constant of at most {MAX_DEPTH} levels")
        if token in _WORDS:
            return _WORDS[token]
        if _INTEGER.fullmatch(token):
            try:
                return int(token, 16 if "x" in token else 10)
            except ValueError:
                raise self.error("expected an integer of fewer digits (or in hexadecimal)") from None
        if _FLOAT.fullmatch(token):
            return float(token)
        if token[0] == '"':
            return self.string(token)
        if token == "(":
            elements: list[object] = []
            while not self.accept(")"):
                elements.append(self.constant(depth + 1))
                if not self.accept(","):
                    self.expect(")")
                    if len(elements) == 1:
                        raise self.expected("',' behind the only element of a tuple")
                    break
            return tuple(elements)
        if token.startswith("dtype."):
            found = dtypes.BY_NAME.get(token[len("dtype.") :])
            if found is not None:
                return found
        if token == "type":
            self.expect("(")
            type = self.type()
            self.expect(")")
            return type
        if token == "complex":
            self.expect("(")
            parts = [self.constant(depth + 1), self.accept(",") and self.constant(depth + 1)]
            self.expect(")")
            real, imaginary = parts
            if not isinstance(real, float) or not isinstance(imaginary, float):
                raise self.error("expected two floats")
            return complex(real, imaginary)
        if token == "bytes":
            self.expect("(")
            characters = self.string(self.take())
            self.expect(")")
            try:
                return characters.encode("latin-1")
            except UnicodeEncodeError:
                raise self.error("expected characters that are bytes") from None
        if token == "member":
            self.expect("(")
            enum, name = self.type(), self.accept(",") and self.string(self.take())
            self.expect(")")
            if not isinstance(enum, EnumType) or name not in enum.info.members:
                raise self.error("expected an enum and the name of a member")
            return EnumMember(enum, str(name))
        if token == "shared":
            index = self.take()
            if not (index.isdecimal() and index.isascii() and len(index) < 10):
                raise self.expected("a number")
            return self.shared.setdefault(int(index), Shared(int(index)))
        if token == "tensor":
            index = self.take()
            if not (index.isdecimal() and index.isascii() and len(index) < 10 and int(index) < len(self.handles)):
                raise self.expected(f"the number of one of {len(self.handles)} tensors")
            return self.handles[int(index)]
        raise self.expected("a constant")

    def span(self) -> Span:
        """The place at the end of a line, if there is one."""
        if self.tokens[self.at] != "@":
            return UNKNOWN
        start = self.at
        frames: list[tuple[SourceFile, tuple[int, int, int, int], str]] = []
        while not frames or self.tokens[self.at] == "<-":
            self.at += 1
            source = self.source(self.string(self.take()))
            self.expect(":")
            place = _PLACE.fullmatch(self.take())
            if place is None:
                raise self.expected("line:column-line:column")
            line, column, end_line, end_column = map(int, place.groups())
            if 0 in (column, end_column):
                raise self.expected("columns from 1")
            function = self.name("the name of a function") if self.accept("in") else ""
            frames.append((source, (line, column - 1, end_line, end_column - 1), function))
            if len(frames) > MAX_FRAMES:
                raise self.error(f"expected at most {MAX_FRAMES} places")
        key = tuple(self.tokens[start : self.at])
        known = self.spans.get(key)
        if known is None:
            for source, numbers, function in reversed(frames):
                known = Span(source, *numbers, function, known)
            assert known is not None
            self.spans[key] = known
        return known

    def source(self, name: str) -> SourceFile:
        found = self.sources.get(name)
        if found is None:
            found = self.sources[name] = SourceFile(name)
        return found

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
        node = For(label, start, stop, step, inits, body, span)
        for output, type in zip(node.outputs, types, strict=True):
            output.type = type
        return node

    def fused(self, types: list[Type]) -> Fused:
        params, inputs = self.carried()
        self.expect("{")
        span = self.span()
        return Fused(inputs, self.block(params), types, span)

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
            default = self.constant() if self.accept("=") else REQUIRED
            text = self.string(value_name[1:]) if value_name[1] == '"' else value_name[1:]
            params.append(Param(text, type, default, keyword_only and not variadic, variadic=variadic))
            printed.append((at, value_name))
        self.expect("->")
        result = self.type()
        self.expect("{")
        graph = Graph(name, params, result, self.span())
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
    "fork": _Parser.fork,
    "closure": _Parser.closure,
    "invoke": _Parser.invoke,
    "if": _Parser.if_,
    "loop": _Parser.loop,
    "for": _Parser.for_,
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
        classes: Classes, enums and named tuples by name, besides the builtin exceptions.
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
