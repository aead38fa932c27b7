"""Devices as numbers, in the language."""

from __future__ import annotations

from tscript.types.options import DEVICE_TYPES, INDICES


def device_type(number: int) -> str:
    """The type of a device, by its number."""
    return DEVICE_TYPES[number // INDICES]


def device_index(number: int) -> int | None:
    """The index of a device, by its number; None if it has none."""
    index = number % INDICES
    if index == 0:
        return None
    return index - 1


def device_name(name: str, index: int) -> str:
    """The name of a device of a type and with an index."""
    if ":" in name:
        raise RuntimeError(f"type (string) must not include an index because index was passed: {name}")
    if index < 0:
        raise RuntimeError(f"Device index must not be negative, got {index}")
    return f"{name}:{index}"


def device_number(text: str) -> int:
    """The number of a device by its name."""
    parts = text.split(":")
    at = -1
    for i in range(len(DEVICE_TYPES)):
        if DEVICE_TYPES[i] == parts[0]:
            at = i
    if at < 0:
        raise RuntimeError(f"Expected one of {', '.join(DEVICE_TYPES)} device type at start of device string: {text}")
    if len(parts) == 1:
        return at * INDICES
    digits = parts[1]
    if len(parts) > 2 or not (digits.isascii() and digits.isdigit()) or (len(digits) > 1 and digits[0] == "0"):
        raise RuntimeError(f"Invalid device string: '{text}'")
    if len(digits) > 2 or int(digits) > INDICES - 2:
        raise RuntimeError(f"Device index must be below {INDICES - 1}, got {digits}")
    return at * INDICES + 1 + int(digits)
