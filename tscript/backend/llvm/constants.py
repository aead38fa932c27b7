"""Private constants of a module: strings and `Site`s, each once."""

from __future__ import annotations

import re
from functools import lru_cache

from tscript.abi.exceptions import number_of
from tscript.abi.layout import IMMORTAL, OBJECT_RAISED
from tscript.abi.places import portable
from tscript.abi.strings import str_parts
from tscript.abi.symbols import FRAMES, LOADED, SITES, type_symbol
from tscript.diagnostics import Span
from tscript.types import BYTES, STR

_SITE = "{ ptr, ptr, ptr, ptr, i32, i32, ptr, i64, ptr }"


class Constants:
    """Collects the constants of one module; `lines` are their definitions.

    Args:
        is_freed: Whether the object may be freed, and counts references to it for that.

    Attributes:
        lines: Definitions.
        owner: Its `Loaded`, or null.
        sites: Symbols of `RecordSite`s.
        frames: Bytes of frames that may be large, as estimated (`tscript.abi.symbols.FRAMES`).
    """

    __slots__ = ("_objects", "_sites", "_texts", "frames", "lines", "owner", "sites")

    def __init__(self, is_freed: bool = False) -> None:
        self.lines: list[str] = []
        self.owner = f"@{LOADED}" if is_freed else "null"
        self.sites: list[str] = []
        self.frames: list[int] = []
        self._texts: dict[str, str] = {}
        self._objects: dict[str | bytes, str] = {}
        self._sites: dict[tuple[Span, str | None, str | None], str] = {}

    def text(self, value: str) -> str:
        """Symbol of `value` as NUL-terminated UTF-8 (cut at a NUL of its own)."""
        found = self._texts.get(value)
        if found is None:
            found = self._texts[value] = self.data(value.encode("utf-8", "surrogatepass").split(b"\0")[0] + b"\0")
        return found

    def data(self, value: bytes) -> str:
        """Symbol of some bytes."""
        symbol = f"@text.{len(self.lines)}"
        self.lines.append(f'{symbol} = private unnamed_addr constant [{len(value)} x i8] c"{quoted(value)}", align 1')
        return symbol

    def str_object(self, value: str | bytes) -> str:
        """Symbol of `value` as a str or bytes of the language. It is in writable memory, where its references are
        counted."""
        found = self._objects.get(value)
        if found is None:
            width, ascii, data = str_parts(value)
            type = BYTES if isinstance(value, bytes) else STR
            head = f"i64 {IMMORTAL}, ptr {symbol_name(type_symbol(type))}, i64 {len(value)}, i64 0"
            found = self._objects[value] = f"@str.{len(self.lines)}"
            self.lines.append(
                f"{found} = private unnamed_addr global {{ i64, ptr, i64, i64, i32, i32, [{len(data)} x i8] }} "
                f'{{ {head}, i32 {width}, i32 {int(ascii)}, [{len(data)} x i8] c"{quoted(data)}" }}, align 16'
            )
        return found

    def site(self, span: Span, exception: str | None = None, message: str | None = None) -> str:
        """Symbol of the `Site` of `span`, preceded by those of the calls it was inlined by.

        Args:
            span: The place; its columns are counted from 0.
            exception: Name of the class raised there; None for a call site, or where an object is raised.
            message: Format string; None for an exception without an argument.
        """
        key = (span, exception, message)
        found = self._sites.get(key)
        if found is None:
            caller = "null" if span.caller is None else self.site(span.caller)
            fields = (
                f"ptr {self.text(portable(span.source.name))}",
                f"ptr {self.text(span.function)}",
                "ptr null" if exception is None else f"ptr {self.text(exception)}",
                "ptr null" if message is None else f"ptr {self.text(message)}",
                f"i32 {span.line}",
                f"i32 {span.col}",
                f"ptr {caller}",
                f"i64 {OBJECT_RAISED if exception is None else number_of(exception)}",
                f"ptr {self.owner}",
            )
            found = self._sites[key] = f"@site.{len(self._sites)}"
            self.lines.append(f"{found} = private unnamed_addr constant {_SITE} {{ {', '.join(fields)} }}")
        return found

    def loaded(self) -> tuple[str, ...]:
        """Definitions of the data about the object for the loader; none if it is never freed."""
        if self.owner == "null":
            return ()
        texts = ", ".join(f"ptr {symbol}" for symbol in self._objects.values())
        count = len(self._objects)
        sites = ", ".join([f"i64 {len(self.sites)}", *(f"ptr {symbol}" for symbol in self.sites)])
        kinds = ", ".join(["i64", *["ptr"] * len(self.sites)])
        frames = [f"i64 {n}" for n in (len(self.frames), *self.frames)]
        return (
            *([f"@{FRAMES} = global [{len(frames)} x i64] [ {', '.join(frames)} ]"] if self.frames else []),
            *([f"@{SITES} = global {{ {kinds} }} {{ {sites} }}"] if self.sites else []),
            *([f"@{LOADED}.texts = private constant [{count} x ptr] [ {texts} ]"] if count else []),
            f"{self.owner} = global {{ i64, i64, ptr }} "
            f"{{ i64 1, i64 {count}, ptr {f'@{LOADED}.texts' if count else 'null'} }}",
        )


_PLAIN_NAME = re.compile(r"[A-Za-z._$-][A-Za-z0-9._$-]*")
_PLAIN = frozenset(range(0x20, 0x7F)) - {ord('"'), ord("\\")}
_QUOTED = tuple(chr(b) if b in _PLAIN else f"\\{b:02X}" for b in range(256))


def quoted(data: bytes) -> str:
    r"""Bytes as they stand between the quotes of an LLVM string.

    Example:
        >>> quoted(b'a"\0')
        'a\\22\\00'
    """
    return "".join(map(_QUOTED.__getitem__, data))


@lru_cache(4096)
def symbol_name(name: str) -> str:
    """A global's name with its sign, quoted where LLVM wants it.

    Example:
        >>> symbol_name("ts_cumsum$f32_v1"), symbol_name("f<locals>")
        ('@ts_cumsum$f32_v1', '@"f<locals>"')
    """
    if _PLAIN_NAME.fullmatch(name):
        return f"@{name}"
    return f'@"{quoted(name.encode())}"'
