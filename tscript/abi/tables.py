"""Tables of constants that native code reads through symbols: what they are called and what is in them."""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping
from types import MappingProxyType

from tscript.abi.layout import ABI_VERSION
from tscript.abi.python import PYTHON

POWERS = f"ts_powers_v{ABI_VERSION}"
"""``i64[]``: 10^0 to 10^18 and a 0; then, from `POWERS_START` on, two for each k from `POWERS_LEAST` to `POWERS_MOST`:
the upper and the lower 63 bits of g, where 10^-k = b 2^r with 2^125 <= b < 2^126, and g = floor(b) + 1."""

POWERS_START = 20
POWERS_LEAST = -344
POWERS_MOST = 350


DECIMALS = f"ts_decimals_v{ABI_VERSION}"
"""``i64[]``: the zeros of all scripts behind ASCII, each followed by its nine other digits; then an int above all of
them."""


MESSAGES = f"ts_messages_v{ABI_VERSION}"
"""Parts of messages of errors, each with a 0 behind it; `MESSAGES_AT` says where they are."""

VERSION = f"ts_python_version_v{ABI_VERSION}"
"""``i64``: `tscript.abi.python.PYTHON` of the running Python."""

ZIGGURATS = f"ts_ziggurats_v{ABI_VERSION}"
"""See `tscript.abi.ziggurat`."""

LEGACY_RANDOM = f"ts_legacy_random_v{ABI_VERSION}"
"""``i64``: see `tscript.abi.legacy_random`."""

RANDOM_WORDS = f"ts_random_words_v{ABI_VERSION}"
"""``i64``: the address of the words of `tscript.abi.generator`."""

MESSAGES_AT: Mapping[str, int] = MappingProxyType({"float": 0, "int": 64, "spec": 128, "kind": 192, "step": 64})
"""``kind`` is the first of several, ``step`` bytes apart."""

_MESSAGES = (
    "could not convert string to float: ",
    "invalid literal for int() with base ",
    "Invalid format specifier '",
    *(f"' for object of type '{kind}'" for kind in ("int", "bool", "float", "complex", "str")),
)


def _scaled_power(k: int) -> int:
    """g of 10^-k."""
    power: int = 10 ** abs(k)
    if k <= 0:
        shift = power.bit_length() - 126
        return (power >> shift if shift > 0 else power << -shift) + 1
    shift = power.bit_length() + 125
    found = (1 << shift) // power
    return (found if found >> 125 else (2 << shift) // power) + 1


def powers() -> bytes:
    """The bytes of `POWERS`.

    Example:
        >>> struct.unpack_from("<3q", powers())
        (1, 10, 100)
    """
    words = [10**i for i in range(19)] + [0]
    for k in range(POWERS_LEAST, POWERS_MOST + 1):
        g = _scaled_power(k)
        words += [g >> 63, g & (1 << 63) - 1]
    return struct.pack(f"<{len(words)}q", *words)


def decimals() -> bytes:
    """The bytes of `DECIMALS`, as this Python knows the code points."""
    import unicodedata

    zeros = [c for c in range(128, 0x110000) if unicodedata.decimal(chr(c), None) == 0]
    return struct.pack(f"<{len(zeros) + 1}q", *zeros, 1 << 32)


def messages() -> bytes:
    """The bytes of `MESSAGES`.

    Example:
        >>> messages()[64:76]
        b'invalid lite'
    """
    return b"".join(text.encode().ljust(64, b"\0") for text in _MESSAGES)


def _ziggurats() -> bytes:
    from tscript.abi.ziggurat import ziggurats

    return ziggurats()


def _random_words() -> bytes:
    from tscript.abi.generator import address

    return struct.pack("<q", address())


def _legacy_random() -> bytes:
    from tscript.abi.legacy_random import legacy_state

    return struct.pack("<q", legacy_state())


TABLES: Mapping[str, Callable[[], bytes]] = MappingProxyType(
    {
        POWERS: powers,
        DECIMALS: decimals,
        MESSAGES: messages,
        VERSION: lambda: struct.pack("<q", PYTHON),
        ZIGGURATS: _ziggurats,
        LEGACY_RANDOM: _legacy_random,
        RANDOM_WORDS: _random_words,
    }
)
"""What makes each table, by symbol."""
