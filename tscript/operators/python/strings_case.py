"""Operators on str and bytes: case, questions about all characters, layout, repr."""

from __future__ import annotations

from tscript.definitions.define import native
from tscript.definitions.opdef import PURE, RAISES, OpDef
from tscript.operators.python.strings import both, expanded, method


def _case(name: str, doc: str) -> tuple[OpDef, OpDef]:
    return both(f"{name}.str(str self) -> str", method(name), f"strings_case.str_{name}", doc)


def _asked(name: str, doc: str) -> tuple[OpDef, OpDef]:
    return both(f"{name}.str(str self) -> bool", method(name), f"strings_case.str_{name}", doc)


def _asked_of_str(name: str, doc: str) -> OpDef:
    return native(f"{name}.str(str self) -> bool", method(name), f"strings_case.str_{name}", doc, effects=PURE)


def _padded(name: str, doc: str) -> tuple[OpDef, OpDef]:
    return both(
        f"{name}.str(str self, int width, str fillchar=' ') -> str",
        method(name),
        f"strings_format.str_{name}",
        doc,
        RAISES,
        grows=True,
    )


OPERATORS: tuple[OpDef, ...] = (
    *_case("upper", "In upper case."),
    *_case("lower", "In lower case."),
    *_case("capitalize", "The first character in title case, the others in lower case."),
    *_case("title", "Each word capitalized."),
    *_case("swapcase", "Upper case for lower, and lower for upper."),
    native(
        "casefold.str(str self) -> str",
        str.casefold,
        "strings_case.str_casefold",
        "As texts are compared without case.",
        effects=PURE,
    ),
    *_asked("isalpha", "Whether all are letters."),
    *_asked("isdigit", "Whether all are digits."),
    *_asked("isalnum", "Whether all are letters or numbers."),
    *_asked("isspace", "Whether all are white space."),
    *_asked("isascii", "Whether all are ASCII."),
    *_asked("isupper", "Whether there is upper case, and no other."),
    *_asked("islower", "Whether there is lower case, and no other."),
    *_asked("istitle", "Whether each word is capitalized."),
    _asked_of_str("isdecimal", "Whether all are decimal digits."),
    _asked_of_str("isnumeric", "Whether all are numbers."),
    _asked_of_str("isidentifier", "Whether it is an identifier."),
    _asked_of_str("isprintable", "Whether all are printable."),
    *_padded("center", "With characters around it, `width` in all."),
    *_padded("ljust", "With characters behind it, `width` in all."),
    *_padded("rjust", "With characters before it, `width` in all."),
    *both(
        "zfill.str(str self, int width) -> str",
        method("zfill"),
        "strings_format.str_zfill",
        "With zeros behind the sign.",
        RAISES,
        grows=True,
    ),
    *both(
        "expandtabs.str(str self, int tabsize=8) -> str",
        expanded,
        "strings_format.str_expandtabs",
        "With spaces for tabs.",
        RAISES,
        grows=True,
    ),
    native("repr.str(str self) -> str", repr, "strings_format.str_repr", "Quoted as Python does.", effects=PURE),
    native("repr.bytes(bytes self) -> str", repr, "strings_format.str_repr", "Quoted as Python does.", effects=PURE),
    native(
        "ascii.str(str self) -> str",
        ascii,
        "strings_format.str_ascii",
        "Quoted, with escapes for what is not ASCII.",
        effects=PURE,
    ),
    native("ascii.bytes(bytes self) -> str", ascii, "strings_format.str_ascii", "Quoted as Python does.", effects=PURE),
)
"""Operators on str and bytes that users can name."""
