"""What the families of int operators share: an int is 64 bits wide, and a result that does not fit is an
`OverflowError`.

The operators whose names begin with ``wrapping_`` compute modulo 2**64 and never overflow: what programs ask for by
name, what the compiler uses where it has proved that nothing overflows, and what the operators of archives from before
ints were checked are read as.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tscript.definitions.define import scalar
from tscript.definitions.opdef import OVERFLOWS, RAISES, OpDef
from tscript.dialect.limits import MAX_INT, MIN_INT
from tscript.late import replace


def too_large(operation: str, function: str = "") -> str:
    """The message of the `OverflowError` of an operation; ``{0}`` and ``{1}`` are its operands, `function` is what
    wraps instead."""
    instead = f"tscript.{function} for arithmetic modulo 2**64, or float" if function else "float, or plain Python"
    return f"int overflow: {operation} does not fit 64 bits; use {instead}"


def wrap64(value: int) -> int:
    """An int modulo 2**64, as a signed 64-bit one."""
    return (value + 2**63) % 2**64 - 2**63


def exact(function: Callable[..., int], message: str) -> Callable[..., int]:
    """The meaning of an operator on ints: an `OverflowError` with `message`, which shows the operands, beyond 64
    bits."""

    def semantics(*args: int) -> int:
        found = function(*args)
        if not MIN_INT <= found <= MAX_INT:
            raise OverflowError(message.format(*args))
        return found

    return semantics


def wrapped(function: Callable[..., int]) -> Callable[..., int]:
    """The meaning of an operator on ints that computes modulo 2**64."""
    return lambda *args: wrap64(function(*args))


def checked(
    schema: str,
    body: Callable[..., Any],
    meaning: Callable[..., int],
    message: str,
    doc: str,
    *,
    earlier: str = "",
    others: bool = False,
    names: str = "",
) -> OpDef:
    """An operator that raises `OverflowError` since its second version; before, it wrapped, as `earlier` does.

    `others` says that it raises for other reasons as well.
    """
    op = scalar(schema, body, doc, meaning=exact(meaning, message), raises=True, names=names)
    earlier = earlier or f"wrapping_{op.name}"
    return replace(op, effects=RAISES if others else OVERFLOWS, earlier=(earlier,))
