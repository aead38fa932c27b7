"""Operators on str and bytes: signs, slices, searching, taking apart, codings. Case and layout:
`tscript.operators.python.strings_case`."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from typing import Any

from tscript.definitions.define import native
from tscript.definitions.opdef import PURE, RAISES, Effects, KernelBody, OpDef

_STR = re.compile(r"str(?![a-z])")


def both(
    schema: str,
    semantics: Callable[..., object],
    body: KernelBody,
    doc: str,
    effects: Effects = PURE,
    *,
    grows: bool = False,
) -> tuple[OpDef, OpDef]:
    """An operator on str and the same on bytes; in the schema of that on str every ``str`` becomes ``bytes``.

    Args:
        grows: Whether the result may be far larger than the arguments, so that it is not for the compiler to make.
    """
    other = _STR.sub("bytes", schema).replace("=' '", "=b' '")
    first, second = (native(s, semantics, body, doc, effects=effects, exact=not grows) for s in (schema, other))
    return first, second


def method(name: str) -> Callable[..., Any]:
    """A method of the first argument as a function of all of them.

    Example:
        >>> method("find")("abc", "c", None, None)
        2
    """

    def call(self: Any, *args: Any) -> Any:
        return getattr(self, name)(*args)

    return call


def sliced(self: Any, start: int | None, stop: int | None, step: int | None) -> Any:
    """``self[start:stop:step]``."""
    return self[start:stop:step]


def expanded(self: Any, tabsize: int) -> Any:
    """``self.expandtabs(tabsize)``, whose tab size is an int of C in CPython."""
    return self.expandtabs(max(-1, min(tabsize, 2**31 - 1)))


def _join(self: Any, items: Any) -> Any:
    return self.join(items)


_BETWEEN = "int? start=None, int? end=None"

OPERATORS: tuple[OpDef, ...] = (
    # signs
    *both("add.str(str a, str b) -> str", operator.add, "strings_concat.str_add", "Both texts joined."),
    *both("mul.str(str a, int b) -> str", operator.mul, "strings_concat.str_mul", "The text b times.", grows=True),
    *both(
        "mul.int_str(int a, str b) -> str", operator.mul, "strings_concat.int_mul_str", "The text a times.", grows=True
    ),
    *both("eq.str(str a, str b) -> bool", operator.eq, "strings_compare.str_equal", "Whether both texts are equal."),
    *both("ne.str(str a, str b) -> bool", operator.ne, "strings_compare.str_ne", "Whether the texts differ."),
    *both("lt.str(str a, str b) -> bool", operator.lt, "strings_compare.str_lt", "Whether a comes before b."),
    *both("le.str(str a, str b) -> bool", operator.le, "strings_compare.str_le", "Whether a does not come after b."),
    *both("gt.str(str a, str b) -> bool", operator.gt, "strings_compare.str_gt", "Whether a comes after b."),
    *both("ge.str(str a, str b) -> bool", operator.ge, "strings_compare.str_ge", "Whether a does not come before b."),
    *both(
        "contains.str(str self, str sub) -> bool",
        operator.contains,
        "strings_search.str_contains",
        "Whether the text holds another.",
    ),
    native(
        "contains.byte(bytes self, int value) -> bool",
        operator.contains,
        "strings_codec.bytes_contains",
        "Whether a byte is among them; ValueError when it is none.",
    ),
    native(
        "getitem.str(str self, int index) -> str",
        operator.getitem,
        "strings_slice.str_getitem",
        "One character; IndexError when there is none.",
    ),
    native(
        "getitem.bytes(bytes self, int index) -> int",
        operator.getitem,
        "strings_codec.bytes_getitem",
        "One byte; IndexError when there is none.",
    ),
    *both(
        "slice.str(str self, int? start=None, int? stop=None, int? step=None) -> str",
        sliced,
        "strings_slice.str_slice",
        "A slice; ValueError when the step is 0.",
        RAISES,
    ),
    *both("len.str(str a) -> int", len, "strings_slice.str_len", "Number of code points, or of bytes."),
    *both("bool.str(str a) -> bool", bool, "strings_slice.str_truth", "Whether the text is not empty."),
    # searching
    *both(
        f"find.str(str self, str sub, {_BETWEEN}) -> int",
        method("find"),
        "strings_search.str_find",
        "Where it first is, or -1.",
    ),
    *both(
        f"rfind.str(str self, str sub, {_BETWEEN}) -> int",
        method("rfind"),
        "strings_search.str_rfind",
        "Where it last is, or -1.",
    ),
    *both(
        f"index.str(str self, str sub, {_BETWEEN}) -> int",
        method("index"),
        "strings_search.str_index",
        "Where it first is; ValueError when it is not there.",
        RAISES,
    ),
    *both(
        f"rindex.str(str self, str sub, {_BETWEEN}) -> int",
        method("rindex"),
        "strings_search.str_rindex",
        "Where it last is; ValueError when it is not there.",
        RAISES,
    ),
    *both(
        f"count.str(str self, str sub, {_BETWEEN}) -> int",
        method("count"),
        "strings_search.str_count",
        "How often it is there without overlaps.",
    ),
    *both(
        f"startswith.str(str self, str prefix, {_BETWEEN}) -> bool",
        method("startswith"),
        "strings_search.str_startswith",
        "Whether the text begins with another.",
    ),
    *both(
        f"endswith.str(str self, str suffix, {_BETWEEN}) -> bool",
        method("endswith"),
        "strings_search.str_endswith",
        "Whether the text ends with another.",
    ),
    *both(
        "replace.str(str self, str old, str new, int count=-1) -> str",
        method("replace"),
        "strings_search.str_replace",
        "With `new` for each `old`, `count` of them when that is not negative.",
        RAISES,
        grows=True,
    ),
    *both(
        "removeprefix.str(str self, str prefix) -> str",
        method("removeprefix"),
        "strings_search.str_removeprefix",
        "Without a prefix, if it is there.",
    ),
    *both(
        "removesuffix.str(str self, str suffix) -> str",
        method("removesuffix"),
        "strings_search.str_removesuffix",
        "Without a suffix, if it is there.",
    ),
    # taking apart: new lists are never merged, so these are not pure
    *both(
        "split.str(str self, str? sep=None, int maxsplit=-1) -> list[str]",
        method("split"),
        "strings_split.str_split",
        "The pieces between separators, or between white space.",
        RAISES,
    ),
    *both(
        "rsplit.str(str self, str? sep=None, int maxsplit=-1) -> list[str]",
        method("rsplit"),
        "strings_split.str_rsplit",
        "The same, split from the right.",
        RAISES,
    ),
    *both(
        "splitlines.str(str self, bool keepends=False) -> list[str]",
        method("splitlines"),
        "strings_split.str_splitlines",
        "The lines.",
        RAISES,
    ),
    *both(
        "partition.str(str self, str sep) -> tuple[str, str, str]",
        method("partition"),
        "strings_strip.str_partition",
        "What is before the first separator, it, and what is behind.",
        RAISES,
    ),
    *both(
        "rpartition.str(str self, str sep) -> tuple[str, str, str]",
        method("rpartition"),
        "strings_strip.str_rpartition",
        "What is before the last separator, it, and what is behind.",
        RAISES,
    ),
    *both(
        "strip.str(str self, str? chars=None) -> str",
        method("strip"),
        "strings_strip.str_strip",
        "Without white space, or these characters, at both ends.",
    ),
    *both(
        "lstrip.str(str self, str? chars=None) -> str",
        method("lstrip"),
        "strings_strip.str_lstrip",
        "Without white space, or these characters, at the start.",
    ),
    *both(
        "rstrip.str(str self, str? chars=None) -> str",
        method("rstrip"),
        "strings_strip.str_rstrip",
        "Without white space, or these characters, at the end.",
    ),
    native(
        "join.str(str self, list[self] items) -> str",
        _join,
        "strings_join.str_join",
        "The texts with this one between them.",
    ),
    native("join.bytes(bytes self, list[self] items) -> bytes", _join, "strings_join.str_join", "The same of bytes."),
    # codings
    native(
        "encode.str(str self, str encoding='utf-8', str errors='strict') -> bytes",
        method("encode"),
        "strings_codec.str_encode",
        "As bytes, in UTF-8, ASCII or Latin-1.",
    ),
    native(
        "decode.bytes(bytes self, str encoding='utf-8', str errors='strict') -> str",
        method("decode"),
        "strings_codec.bytes_decode",
        "As a text, from UTF-8, ASCII or Latin-1.",
    ),
    native(
        "hex.bytes(bytes self) -> str",
        bytes.hex,
        "strings_codec.bytes_hex",
        "Two hexadecimal digits for each byte.",
        effects=PURE,
    ),
    *both("ord.str(str c) -> int", ord, "strings_codec.str_ord", "The code point of a character.", RAISES),
    *both(
        "hash.str(str self) -> int",
        hash,
        "strings_compare.str_hash",
        "Differs from process to process.",
        Effects(world=True),
    ),
    native("chr.int(int i) -> str", chr, "strings_codec.str_chr", "The character of a code point."),
)
"""Operators on str and bytes that users can name."""


def _character(text: str, index: int) -> str:
    if index < 0:
        raise IndexError("string index out of range")
    return text[index]


CHARACTER = native(
    "character.str(str self, int index) -> str",
    _character,
    "strings.str_char",
    "A character, counted from the front; IndexError when there is none.",
)
"""What loops over a str are made of."""


CODE_AT = native(
    "code_at.str(str self, int index) -> int",
    lambda text, index: ord(text[index]),
    "strings_slice.str_code_at",
    "The code point of a character; IndexError when there is none.",
    portable=False,
)


def _question(name: str) -> OpDef:
    return native(
        f"{name}.code(int code) -> bool",
        lambda code: method(name)(chr(code)),
        f"strings_case.code_{name}",
        f"`{name}` of the character with a code point.",
        effects=PURE,
        portable=False,
    )


CODE_QUESTIONS: tuple[OpDef, ...] = tuple(map(_question, ("isalnum", "isalpha", "isdigit", "isspace")))
"""What `tscript.passes.char_to_codepoint` makes of characters."""


def _next_piece(text: str, sep: str | None, position: int) -> tuple[int, str | None]:
    position = max(position, 0)
    if sep is None:
        rest = text[position:].lstrip()
        if not rest:
            return -1, None
        word = rest.split(None, 1)[0]
        return len(text) - len(rest) + len(word), word
    if not sep:
        raise ValueError("empty separator")
    if position > len(text):
        return -1, None
    at = text.find(sep, position)
    return (len(text) + 1, text[position:]) if at < 0 else (at + len(sep), text[position:at])


NEXT_PIECE = native(
    "next_piece.str(str self, str? sep, int position) -> tuple[int, Optional[str]]",
    _next_piece,
    "strings_pieces.str_next_piece",
    "The piece of `split` that begins at a position, and the position behind it; -1 and None when there is none.",
    effects=RAISES,
)
"""What loops over ``s.split()`` are made of: they make one word at a time."""

HIDDEN: tuple[OpDef, ...] = (CHARACTER, CODE_AT, *CODE_QUESTIONS, NEXT_PIECE)
