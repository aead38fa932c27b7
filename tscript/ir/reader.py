"""`Reader`: the tokens of IR text, and its names, strings, types, constants and places."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence

from tscript.abi.exceptions import EXCEPTIONS
from tscript.definitions.dtype_limits import LIMITS
from tscript.definitions.shared import Shared
from tscript.diagnostics import UNKNOWN, SourceFile, Span
from tscript.types import EnumMember, EnumType, Type, TypeLimitError, dtypes, parse_type
from tscript.types.base import MAX_LEVELS
from tscript.types.options import option_named

MAX_LENGTH = 1 << 24
"""The maximum number of characters of a text."""
MAX_DEPTH = MAX_LEVELS
"""The maximum nesting of brackets in a type or constant."""
MAX_FRAMES = 100
"""The maximum number of inlined calls of one place."""


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


class Reader:
    """The tokens of one text, and the names, types, constants and places that they make up."""

    __slots__ = ("at", "classes", "handles", "shared", "sources", "spans", "text", "tokens", "types")

    def __init__(
        self, text: str, sources: Mapping[str, SourceFile], handles: Sequence[object], classes: Mapping[str, Type]
    ) -> None:
        self.text = text
        self.sources = dict(sources)
        self.handles = handles
        self.shared: dict[int, Shared] = {}
        self.classes = {**EXCEPTIONS, **LIMITS, **classes}
        self.at = 0
        self.types: dict[str, Type] = {}
        self.spans: dict[tuple[str, ...], Span] = {}
        if len(text) > MAX_LENGTH:
            raise IRSyntaxError(f"expected at most {MAX_LENGTH} characters, found {len(text)}", 1, 1)
        known: dict[str, str] = {}  # one object for what occurs often: a token is far larger than its characters
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
        if token == "option":
            self.expect("(")
            option = option_named(self.string(self.take()))
            self.expect(")")
            if option is None:
                raise self.error("expected the name of a device, a layout or a memory format")
            return option
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
