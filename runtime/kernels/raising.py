"""Tier 3: exceptions that carry a value: the key that is not there, a message with a string in it."""

from __future__ import annotations

from tscript.abi import exceptions
from tscript.dialect import (
    List,
    Object,
    Ptr,
    Str,
    Thrown,
    TypeInfo,
    address,
    i64,
    pointer,
    pointer_cast,
    stack,
    symbol,
    u8,
)
from tscript.runtime.kernels.exceptions import KEY_ERROR, exception_blank
from tscript.runtime.kernels.lists import place_of
from tscript.runtime.kernels.number_errors import parse_float_error, parse_int_error
from tscript.runtime.kernels.objects import cells_behind, object_box
from tscript.runtime.kernels.representation import put_value
from tscript.runtime.kernels.writer import begin_writer, last_name, put_utf8, put_word, word, written

VALUE_ERROR = exceptions.number_of("ValueError")
IS_NOT = word(" is not")
IN_LIST = word(" in lis")
LIST_END = word("t")
ATTRIBUTE_ERROR = exceptions.number_of("AttributeError")
QUOTE = word("'")
OBJECT_HAS = word("' object")
NO = word(" has no ")
ATTRIBUTE = word("attribu")
OF_NAME = word("te '")


def with_argument(number: i64, args: Ptr[Object]) -> Ptr[Object]:
    """An exception of the builtin class of this number, with what `exception_new` calls `args`, which it takes over."""
    made = exception_blank(symbol("ts_exception_types_v1", Ptr[TypeInfo])[number])
    cells_behind(made)[0] = address(args)
    return made


def key_error(container: Ptr[TypeInfo], key: Ptr[i64]) -> None:
    """Raise ``KeyError(key)`` for a dict or set of this type; its last part is the type of a tuple of a key."""
    raise Thrown(with_argument(KEY_ERROR, object_box(container.parts[container.count], key)))


def raise_value_error(message: Ptr[Str]) -> None:
    """Raise ``ValueError(message)`` with a message that it takes over."""
    raise Thrown(with_argument(VALUE_ERROR, pointer_cast(message, Object)))


def float_error(text: Ptr[Str]) -> None:
    """Raise for ``float(text)`` of what is no float."""
    raise_value_error(parse_float_error(text))


def int_error(text: Ptr[Str], base: i64) -> None:
    """Raise for ``int(text, base)`` of what is no int."""
    raise_value_error(parse_int_error(text, base))


def field_error(self: Ptr[Object], number: i64) -> None:
    """Raise for a field that has not been set."""
    w = stack(4, i64)
    begin_writer(w)
    put_word(w, QUOTE)
    put_utf8(w, last_name(pointer_cast(self.typeinfo.name, u8)))
    put_word(w, OBJECT_HAS)
    put_word(w, NO)
    put_word(w, ATTRIBUTE)
    put_word(w, OF_NAME)
    put_utf8(w, pointer_cast(self.typeinfo.names[number], u8))
    put_word(w, QUOTE)
    raise Thrown(with_argument(ATTRIBUTE_ERROR, pointer_cast(written(w), Object)))


def item_error(self: Ptr[List], item: Ptr[i64]) -> None:
    """Raise for ``self.index(item)`` of what is not there, as CPython did before 3.14."""
    w = stack(4, i64)
    begin_writer(w)
    put_value(w, self.typeinfo.parts[0], item, pointer(0, i64))
    put_word(w, IS_NOT)
    put_word(w, IN_LIST)
    put_word(w, LIST_END)
    raise_value_error(written(w))


def list_index_shown(self: Ptr[List], item: Ptr[i64], start: i64, stop: i64) -> i64:
    """``self.index(item, start, stop)``, with the message of CPython before 3.14."""
    found = place_of(self, item, start, stop)
    if found < 0:
        item_error(self, item)
    return found
