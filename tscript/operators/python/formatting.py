"""Operators between numbers and strings: `str`, `repr`, `format`, the pieces of ``%``, and `int` and `float` of a
string.

A constant format of ``%`` is parsed at compile time, others by `tscript.operators.python.functions.format_strings`.
Each value then goes through ``percent``, with the letter of its conversion as a code point, `FLAGS` added up, the width
(negative: to the left) and the precision.
"""

from __future__ import annotations

from collections.abc import Sequence

from tscript.definitions.define import native
from tscript.definitions.opdef import PURE, Arg, OpDef
from tscript.definitions.rules import tensor_of
from tscript.definitions.tensor_printing import element_repr, format_value, value_repr
from tscript.types import STR, Type

FLAGS: dict[str, int] = {"-": 1, "+": 2, " ": 4, "#": 8, "0": 16}
"""The flags of a conversion of ``%``."""

TOO_LARGE = "Python int too large to convert to 64 bits"


def _int_of(text: str, base: int) -> int:
    found = int(text, base)
    if not -(1 << 63) <= found < 1 << 63:
        raise OverflowError(TOO_LARGE)
    return found


def _percent(value: object, conversion: int, flags: int, width: int | None, precision: int | None) -> str:
    shown = "".join(flag for flag, bit in FLAGS.items() if flags & bit)
    options = [] if width is None else [width]
    options += [] if precision is None else [precision]
    text = f"%{shown}{'' if width is None else '*'}{'' if precision is None else '.*'}{chr(conversion)}"
    return text % (*options, value)


def _none(value: object) -> str:
    return "None"


def _of_tensor(args: Sequence[Arg]) -> Type:
    tensor_of(args[0])  # a number by now has operators of its own
    return STR


_TENSOR_REPRS = (
    ("Tensor", value_repr, "tensor_printing.tensor_repr", "a tensor"),
    ("item", element_repr, "tensor_printing.item_repr", "the only element, whose dtype is not known"),
)

_MODULES = {
    "int": "format_int",
    "float": "format_float",
    "bool": "format_int",
    "complex": "format_complex",
    "None": "format_int",
    "str": "format_str",
}
"""Where the kernels for values of a type are."""


def _numbers() -> tuple[OpDef, ...]:
    found: list[OpDef] = []
    for kind in ("int", "float", "bool", "complex", "None"):
        body = f"{_MODULES[kind]}.{kind.lower()}_repr"
        for name in ("str", "repr"):
            meaning = _none if kind == "None" else repr
            schema = f"{name}.{kind}({kind} self) -> str"
            found.append(native(schema, meaning, body, f"``{name}()`` of a value of this type.", effects=PURE))
    for kind in ("int", "float", "bool", "complex", "str"):
        schema = f"format.{kind}({kind} self, str spec) -> str"
        found.append(native(schema, format, f"{_MODULES[kind]}.{kind}_format", "``format(self, spec)``."))
    for name in ("str", "repr"):
        for kind, meaning, body, what in _TENSOR_REPRS:
            schema = f"{name}.{kind}(Tensor self) -> str"
            found.append(native(schema, meaning, body, f"``{name}()`` of {what}.", rule=_of_tensor))
    schema = "format.Tensor(Tensor self, str spec) -> str"
    found.append(
        native(schema, format_value, "tensor_printing.tensor_format", "``format(self, spec)``.", rule=_of_tensor)
    )
    return tuple(found)


def _percent_of(kind: str) -> OpDef:
    schema = f"percent.{kind}({kind} self, int conversion, int flags, int? width, int? precision) -> str"
    return native(schema, _percent, f"percent.{kind}_percent", "One value of the ``%`` operator.")


PERCENT_INT, PERCENT_FLOAT, PERCENT_STR = (_percent_of(kind) for kind in ("int", "float", "str"))

OPERATORS: tuple[OpDef, ...] = (
    *_numbers(),
    PERCENT_INT,
    PERCENT_FLOAT,
    PERCENT_STR,
    native("hex.int(int self) -> str", hex, "format_int.int_hex", "``hex(self)``.", effects=PURE),
    native("oct.int(int self) -> str", oct, "format_int.int_oct", "``oct(self)``.", effects=PURE),
    native("bin.int(int self) -> str", bin, "format_int.int_bin", "``bin(self)``.", effects=PURE),
    native(
        "int.str(str self, int base=10) -> int",
        _int_of,
        "parse.parse_int",
        "``int(self, base)``; OverflowError beyond 64 bits.",
    ),
    native("float.str(str self) -> float", float, "parse.parse_float", "``float(self)``."),
)
"""The operators between numbers and strings."""
