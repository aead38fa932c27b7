"""Format strings that are known only when the program runs: ``text.format(…)``, ``text.format_map(…)`` and
``text % values``.

The values are a tuple, never an empty one: None stands for no value. Named values stand at its end, their names in a
list; or they are a dict. A field of a computed string is a position or a name; ``{0.real}`` and ``{0[1]}`` need the
types that only a literal shows.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call,no-any-return,operator"

from __future__ import annotations

from tscript.definitions.language import generic
from tscript.operators.python.formatting import PERCENT_FLOAT, PERCENT_INT, PERCENT_STR


def unsupported_spec(spec: str, name: str) -> None:
    """``format(value, spec)`` of a value of a class that takes no spec."""
    if spec != "":
        raise TypeError("unsupported format string passed to " + name + ".__format__")


# ---- fields in braces


def field_end(text: str, at: int) -> int:
    """Where the name of a field ends that begins at `at`: the place after its last character."""
    while at < len(text):
        c = text[at]
        if c == "{":
            raise ValueError("unexpected '{' in field name")
        if c == "}" or c == ":" or c == "!":
            return at
        if c == "[":
            while at < len(text) and text[at] != "]":
                at += 1
        else:
            at += 1
    raise ValueError("expected '}' before end of string")


def spec_end(text: str, at: int) -> int:
    """Where the spec of a field ends: at its brace."""
    depth = 1
    while at < len(text):
        if text[at] == "{":
            depth += 1
        elif text[at] == "}":
            depth -= 1
            if depth == 0:
                return at
        at += 1
    raise ValueError("unmatched '{' in format spec")


def field(text: str, at: int) -> tuple[str, str, str, int]:
    """The name, conversion and spec of the field that begins at `at`, and the place after it."""
    end = field_end(text, at)
    name, conversion = text[at:end], ""
    if text[end] == "}":
        return name, "", "", end + 1
    at = end + 1
    if text[end] == "!":
        if at >= len(text):
            raise ValueError("end of string while looking for conversion specifier")
        conversion = text[at]
        at += 1
        if at < len(text):
            if text[at] == "}":
                return name, conversion, "", at + 1
            if text[at] != ":":
                raise ValueError("expected ':' after conversion specifier")
            at += 1
    end = spec_end(text, at)
    return name, conversion, text[at:end], end + 1


def position(name: str, names: list[str], count: int, counter: list[int]) -> int:
    """The place of the value of a field among `count` values without names and those with `names`.

    Args:
        counter: The number of the next ``{}``, and 1 after a field without a number, 2 after one with a number.
    """
    end = 0
    while end < len(name) and name[end] != "." and name[end] != "[":
        end += 1
    first = name[:end]
    found = -1
    if first == "" or first.isdecimal():
        automatic = first == ""
        mode = 1 if automatic else 2
        if counter[1] != 0 and counter[1] != mode:
            if automatic:
                raise ValueError("cannot switch from manual field specification to automatic field numbering")
            raise ValueError("cannot switch from automatic field numbering to manual field specification")
        counter[1] = mode
        if automatic:
            found = counter[0]
            counter[0] += 1
        else:
            if len(first) > 18:
                raise ValueError("Too many decimal digits in format string")
            found = int(first)
        if count < 0:
            raise ValueError("Format string contains positional fields")
        if found >= count:
            raise IndexError("Replacement index " + str(found) + " out of range for positional args tuple")
    else:
        for i in range(len(names)):
            if names[i] == first:
                found = (count if count > 0 else 0) + i
    if end < len(name):
        raise NotImplementedError("the field '{" + name + "}' of a format string that is no literal: give its value")
    return found


@generic
def shown(value, conversion: str, spec: str) -> str:
    """A value as its field says."""
    if conversion == "":
        return format(value, spec)
    if conversion == "s":
        return format(str(value), spec)
    if conversion == "r":
        return format(repr(value), spec)
    if conversion == "a":
        return format(ascii(value), spec)
    point = ord(conversion)
    if 32 < point < 127:
        raise ValueError("Unknown conversion specifier " + conversion)
    raise ValueError("Unknown conversion specifier \\x" + format(point, "x"))


@generic
def field_shown(values, names: list[str], count: int, name: str, conversion: str, spec: str, state: list[int]) -> str:
    """The value of a field, formatted; `state` holds its position and what `position` counts."""
    if isinstance(values, dict):
        return shown(values[name], conversion, spec)
    for at, value in enumerate(values):
        if at == state[2]:
            return shown(value, conversion, spec)
    raise KeyError(name)


@generic
def filled(text: str, values, names: list[str], count: int, state: list[int], depth: int) -> str:
    """``text.format(…)``

    Args:
        values: All values in a tuple, those with names at the end; or a dict, as for `format_map`.
        names: The names.
        count: How many values have none; -1 where none may be asked for.
        state: What `position` counts, and the position that it found.
        depth: 2; 1 in a spec.
    """
    if depth == 0:
        raise ValueError("Max string recursion exceeded")
    parts: list[str] = []
    at = 0
    while at < len(text):
        start = at
        while at < len(text) and text[at] != "{" and text[at] != "}":
            at += 1
        if at > start:
            parts.append(text[start:at])
        if at == len(text):
            break
        brace = text[at]
        at += 1
        if at < len(text) and text[at] == brace:
            parts.append(brace)
            at += 1
        elif brace == "}":
            raise ValueError("Single '}' encountered in format string")
        elif at == len(text):
            raise ValueError("Single '{' encountered in format string")
        else:
            name, conversion, spec, at = field(text, at)
            state[2] = position(name, names, count, state)
            if isinstance(values, dict):
                if name not in values:
                    raise KeyError(name)
            elif state[2] < 0:
                raise KeyError(name)
            found = state[2]
            if "{" in spec:
                spec = filled(spec, values, names, count, state, depth - 1)
            state[2] = found
            parts.append(field_shown(values, names, count, name, conversion, spec, state))
    return "".join(parts)


# ---- fields after %


def flags_of(text: str) -> int:
    """The sum of flags."""
    out = 0
    for c in text:
        out |= 1 if c == "-" else 2 if c == "+" else 4 if c == " " else 8 if c == "#" else 16
    return out


def number_end(text: str, at: int) -> int:
    """The place after the digits that begin at `at`."""
    while at < len(text) and "0" <= text[at] <= "9":
        at += 1
    return at


def whole_number(digits: str, what: str) -> int:
    """A width or precision."""
    if len(digits) > 18:
        raise ValueError(what + " too big")
    return int(digits) if digits else 0


def refusal(letter: str, name: str) -> str:
    """What is said of a value of a class that a letter does not take."""
    if letter == "c":
        return "%c requires int or char"
    if letter in "eEfFgG":
        return "must be real number, not " + name
    if letter in "xXo":
        return "%" + letter + " format: an integer is required, not " + name
    return "%" + letter + " format: a real number is required, not " + name


@generic
def percent_shown(value, letter: str, flags: int, width: int | None, precision: int | None) -> str:
    """A value as ``%`` and a letter say."""
    code = ord(letter)
    if letter == "s":
        return PERCENT_STR(str(value), code, flags, width, precision)
    if letter == "r":
        return PERCENT_STR(repr(value), 115, flags, width, precision)
    if letter == "a":
        return PERCENT_STR(ascii(value), 115, flags, width, precision)
    if isinstance(value, str):
        if letter == "c":
            return PERCENT_STR(value, code, flags, width, precision)
    elif isinstance(value, (bool, int)):
        if letter in "eEfFgG":
            return PERCENT_FLOAT(float(value), code, flags, width, precision)
        return PERCENT_INT(int(value), code, flags, width, precision)
    elif isinstance(value, float):
        if letter in "eEfFgG":
            return PERCENT_FLOAT(value, code, flags, width, precision)
        if letter in "diu":
            if precision is None and abs(value) >= 2.0**63 and value - value == 0.0:
                return PERCENT_FLOAT(value, 102, flags & 23, width, 0)
            return PERCENT_INT(int(value), code, flags, width, precision)
    raise TypeError(refusal(letter, type(value).__name__))


@generic
def percent_at(values, at: int, count: int, letter: str, flags: int, width: int | None, precision: int | None) -> str:
    """The same of one of `values`."""
    for place, value in enumerate(values):
        if place == at and at < count:
            return percent_shown(value, letter, flags, width, precision)
    raise TypeError("not enough arguments for format string")


@generic
def int_at(values, at: int, count: int) -> int:
    """The number for a star."""
    for place, value in enumerate(values):
        if place == at and at < count:
            if isinstance(value, (bool, int)):
                return int(value)
            raise TypeError("* wants int")
    raise TypeError("not enough arguments for format string")


@generic
def named_shown(
    values, names: list[str], key: str, letter: str, flags: int, width: int | None, exact: int | None
) -> str:
    """The value with a name, as ``%`` and a letter say."""
    if isinstance(values, dict):
        return percent_shown(values[key], letter, flags, width, exact)
    for i in range(len(names)):
        if names[i] == key:
            return percent_at(values, i, len(names), letter, flags, width, exact)
    raise KeyError(key)


@generic
def percent(text: str, values, count: int, named, names: list[str], is_mapping: bool, leftover: bool) -> str:
    """``text % values``

    Args:
        values: The values in a tuple.
        count: How many there are.
        named: The values that have names: a dict, or a tuple with their `names`.
        is_mapping: Whether values may have names.
        leftover: Whether values may be left over.
    """
    parts: list[str] = []
    at, used = 0, 0
    while at < len(text):
        start = at
        while at < len(text) and text[at] != "%":
            at += 1
        if at > start:
            parts.append(text[start:at])
        if at == len(text):
            break
        at += 1
        key: str | None = None
        if at < len(text) and text[at] == "(":
            if not is_mapping:
                if type(values[0]).__name__ == "list" and leftover:
                    raise TypeError("list indices must be integers or slices, not str")
                raise TypeError("format requires a mapping")
            depth, at = 1, at + 1
            start = at
            while at < len(text) and depth > 0:
                depth += 1 if text[at] == "(" else -1 if text[at] == ")" else 0
                at += 1
            if depth > 0:
                raise ValueError("incomplete format key")
            key = text[start : at - 1]
        start = at
        while at < len(text) and text[at] in "-+ #0":
            at += 1
        flags = flags_of(text[start:at])
        width: int | None = None
        precision: int | None = None
        if at < len(text) and text[at] == "*":
            width = int_at(values, used, count)
            used, at = used + 1, at + 1
        else:
            start, at = at, number_end(text, at)
            if at > start:
                width = whole_number(text[start:at], "width")
        if at < len(text) and text[at] == ".":
            at += 1
            if at < len(text) and text[at] == "*":
                precision = int_at(values, used, count)
                used, at = used + 1, at + 1
            else:
                start, at = at, number_end(text, at)
                precision = whole_number(text[start:at], "precision")
        if at < len(text) and text[at] in "hlL":
            at += 1
        if at == len(text):
            raise ValueError("incomplete format")
        letter = text[at]
        if letter == "%" and text[at - 1] == "%":
            parts.append("%")
        elif letter not in "sradiuoxXeEfFgGc":
            shape = letter if 31 < ord(letter) < 128 else "?"
            place = " at index " + str(at)
            raise ValueError(
                "unsupported format character '" + shape + "' (0x" + format(ord(letter), "x") + ")" + place
            )
        elif key is None:
            parts.append(percent_at(values, used, count, letter, flags, width, precision))
            used += 1
        else:
            parts.append(named_shown(named, names, key, letter, flags, width, precision))
            used = count
        at += 1
    if used < count and not leftover:
        raise TypeError("not all arguments converted during string formatting")
    return "".join(parts)
