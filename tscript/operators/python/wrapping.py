"""Arithmetic modulo 2**64 by name, for hashes and generators of random numbers: `tscript.wrapping_add` and its kin.

Called from Python they give what they give in compiled code. Results are signed, as all ints of compiled code are;
arguments may be given as unsigned constants too.
"""

from __future__ import annotations

from operator import index


def _signed(value: int) -> int:
    return (value + 2**63) % 2**64 - 2**63


def _operand(value: int) -> int:
    value = index(value)
    if not -(2**63) <= value < 2**64:
        raise OverflowError(f"the integer {value} does not fit into 64 bits")
    return value


def wrapping_add(a: int, b: int) -> int:
    """The sum of two ints modulo 2**64, as a signed int of 64 bits.

    Args:
        a, b: Ints from -2**63 to 2**64 - 1. In compiled code those above 2**63 - 1 are constants.

    Raises:
        OverflowError: An argument has more than 64 bits.

    Example:
        >>> import tscript
        >>> tscript.wrapping_add(2**63 - 1, 1)
        -9223372036854775808
    """
    return _signed(_operand(a) + _operand(b))


def wrapping_sub(a: int, b: int) -> int:
    """The difference of two ints modulo 2**64, as a signed int of 64 bits.

    Args:
        a, b: As of `wrapping_add`.

    Raises:
        OverflowError: An argument has more than 64 bits.

    Example:
        >>> import tscript
        >>> tscript.wrapping_sub(0, -(2**63))
        -9223372036854775808
    """
    return _signed(_operand(a) - _operand(b))


def wrapping_mul(a: int, b: int) -> int:
    """The product of two ints modulo 2**64, as a signed int of 64 bits.

    Args:
        a, b: As of `wrapping_add`.

    Raises:
        OverflowError: An argument has more than 64 bits.

    Example:
        >>> import tscript
        >>> @tscript.script
        ... def mixed(h: int) -> int:
        ...     return tscript.wrapping_mul(h, 0x9E3779B97F4A7C15)
        >>> mixed(3), tscript.wrapping_mul(3, 0x9E3779B97F4A7C15)
        (-2691343689449507777, -2691343689449507777)
    """
    return _signed(_operand(a) * _operand(b))


def wrapping_shl(a: int, b: int) -> int:
    """``a << b`` modulo 2**64, as a signed int of 64 bits.

    Args:
        a: As of `wrapping_add`.
        b: How far, not negative; from 64 on the result is 0.

    Raises:
        OverflowError: `a` has more than 64 bits.
        ValueError: `b` is negative.

    Example:
        >>> import tscript
        >>> tscript.wrapping_shl(3, 62)
        -4611686018427387904
    """
    return _signed(_operand(a) << min(_operand(b), 64))


FUNCTIONS = frozenset({"wrapping_add", "wrapping_sub", "wrapping_mul", "wrapping_shl"})
"""Their names, which are those of their operators as well."""
