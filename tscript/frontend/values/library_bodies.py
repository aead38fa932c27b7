"""Builtins that are written in the language itself: what they call is compiled, and they run as plain Python too.

`tscript.frontend.values.library` says which of them stands for what. Each has CPython's meaning, messages included;
what does not fit 64 bits is an `OverflowError`. Where only the way to a result may not fit, they compute modulo 2**64.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from tscript.operators.python.wrapping import wrapping_add, wrapping_mul, wrapping_sub

if TYPE_CHECKING:
    Tensor = Any
    Size = Any
else:  # what the compiler takes for types
    from tscript import types

    Size, Tensor = types.SIZE, types.TENSOR

# ---- complex


def complex_add(a: complex, b: complex) -> complex:
    """``a + b``"""
    return complex(a.real + b.real, a.imag + b.imag)


def complex_sub(a: complex, b: complex) -> complex:
    """``a - b``"""
    return complex(a.real - b.real, a.imag - b.imag)


def complex_mul(a: complex, b: complex) -> complex:
    """``a * b``"""
    return complex(a.real * b.real - a.imag * b.imag, a.real * b.imag + a.imag * b.real)


def complex_div(a: complex, b: complex) -> complex:
    """``a / b``"""
    if abs(b.real) >= abs(b.imag):
        if b.real == 0.0:
            raise ZeroDivisionError("complex division by zero")
        ratio = b.imag / b.real
        denominator = b.real + b.imag * ratio
        return complex((a.real + a.imag * ratio) / denominator, (a.imag - a.real * ratio) / denominator)
    if abs(b.imag) >= abs(b.real):
        ratio = b.real / b.imag
        denominator = b.real * ratio + b.imag
        return complex((a.real * ratio + a.imag) / denominator, (a.imag * ratio - a.real) / denominator)
    return complex(math.nan, math.nan)


def complex_neg(a: complex) -> complex:
    """``-a``"""
    return complex(-a.real, -a.imag)


def complex_conjugate(a: complex) -> complex:
    """``a.conjugate()``"""
    return complex(a.real, -a.imag)


def complex_abs(a: complex) -> float:
    """``abs(a)``"""
    out = math.hypot(a.real, a.imag)
    if math.isinf(out) and math.isfinite(a.real) and math.isfinite(a.imag):
        raise OverflowError("absolute value too large")
    return out


def complex_truth(a: complex) -> bool:
    """``bool(a)``"""
    return a.real != 0.0 or a.imag != 0.0


def _is_infinite(a: complex) -> bool:
    return math.isinf(a.real) or math.isinf(a.imag)


def complex_pow(a: complex, b: complex) -> complex:
    """``a ** b``"""
    if b.imag == 0.0 and abs(b.real) <= 100.0 and b.real == math.floor(b.real):
        n = int(abs(b.real))
        out = complex(1.0, 0.0)
        power = a
        mask = 1
        while n >= mask:
            if n & mask:
                out = complex_mul(out, power)
            mask <<= 1
            power = complex_mul(power, power)
        if b.real <= 0.0:
            if out.real == 0.0 and out.imag == 0.0:
                raise ZeroDivisionError("0.0 to a negative or complex power")
            out = complex_div(complex(1.0, 0.0), out)
        if _is_infinite(out):
            raise OverflowError("complex exponentiation")
        return out
    if a.real == 0.0 and a.imag == 0.0:
        if b.imag != 0.0 or b.real < 0.0:
            raise ZeroDivisionError("0.0 to a negative or complex power")
        return complex(0.0, 0.0)
    try:
        size = math.hypot(a.real, a.imag)
        length = math.pow(size, b.real)
        angle = math.atan2(a.imag, a.real)
        phase = angle * b.real
        if b.imag != 0.0:
            length /= math.exp(angle * b.imag)
            phase += b.imag * math.log(size)
        out = complex(length * math.cos(phase), length * math.sin(phase))
    except OverflowError:
        raise OverflowError("complex exponentiation") from None
    if _is_infinite(out):
        raise OverflowError("complex exponentiation")
    return out


def complex_parsed(text: str) -> complex:
    """``complex(text)``"""
    body = text.strip()
    if body.startswith("(") and body.endswith(")"):
        body = body[1:-1].strip()
    refused = "complex() arg is a malformed string"
    if not body or any(c.isspace() for c in body):
        raise ValueError(refused)
    split = 0
    for i in range(len(body) - 1, 0, -1):
        if body[i] in "+-" and body[i - 1] not in "eE":
            split = i
            break
    try:
        if body[-1] not in "jJ":
            return complex(float(body), 0.0)
        real = float(body[:split]) if split else 0.0
        rest = body[split:-1]
        if rest in ("", "+", "-"):
            return complex(real, -1.0 if rest == "-" else 1.0)
        return complex(real, float(rest))
    except ValueError:
        raise ValueError(refused) from None


# ---- ints


def bit_length(n: int) -> int:
    """``n.bit_length()``"""
    if n == -(2**63):
        return 64
    rest = -n if n < 0 else n
    out = 0
    while rest:
        rest >>= 1
        out += 1
    return out


def bit_count(n: int) -> int:
    """``n.bit_count()``"""
    if n == -(2**63):
        return 1
    rest = -n if n < 0 else n
    out = 0
    while rest:
        rest &= rest - 1
        out += 1
    return out


def to_bytes(n: int, length: int = 1, byteorder: str = "big", *, signed: bool = False) -> bytes:
    """``n.to_bytes(length, byteorder, signed=signed)``"""
    if byteorder != "big" and byteorder != "little":
        raise ValueError("byteorder must be either 'little' or 'big'")
    if length < 0:
        raise ValueError("length argument must be non-negative")
    if n < 0 and not signed:
        raise OverflowError("can't convert negative int to unsigned")
    if length < 8:
        bits = 8 * length - (1 if signed else 0)
        fits = n == 0 or (n == -1 and signed) if bits <= 0 else n >> bits == 0 or (n >> bits == -1 and signed)
        if not fits:
            raise OverflowError("int too big to convert")
    found = [n >> min(8 * i, 63) & 255 for i in range(length)]
    if byteorder == "big":
        found.reverse()
    return bytes(found)


def from_bytes(data: bytes, byteorder: str = "big", *, signed: bool = False) -> int:
    """``int.from_bytes(data, byteorder, signed=signed)``"""
    if byteorder != "big" and byteorder != "little":
        raise ValueError("byteorder must be either 'little' or 'big'")
    found = list(data)
    if byteorder == "little":
        found.reverse()
    negative = signed and len(found) > 0 and found[0] >= 128
    out = -1 if negative else 0
    for byte in found:
        if not -(1 << 55) <= out < 1 << 55:
            raise OverflowError("Python int too large to convert to 64 bits")
        out = out << 8 | byte
    return out


def int_ratio(n: int) -> tuple[int, int]:
    """``n.as_integer_ratio()``"""
    return n, 1


def in_range(n: int, start: int, stop: int, step: int) -> bool:
    """``n in range(start, stop, step)``"""
    if step == 0:
        raise ValueError("range() arg 3 must not be zero")
    if step > 0:
        return start <= n < stop and n % step == start % step
    return stop < n <= start and n % step == start % step


def float_in_range(x: float, start: int, stop: int, step: int) -> bool:
    """``x in range(start, stop, step)``"""
    n = int(x) if -9223372036854775808.0 <= x < 9223372036854775808.0 else 0
    return in_range(n, start, stop, step) and n == x


def range_length(start: int, stop: int, step: int) -> int:
    """``len(range(start, stop, step))``"""
    if step == 0:
        raise ValueError("range() arg 3 must not be zero")
    if start >= stop if step > 0 else start <= stop:
        return 0
    length = wrapping_sub(stop, start)
    if step != 1:
        last = wrapping_sub(stop, 1 if step > 0 else -1)
        less = last % step < start % step if step > 0 else last % step > start % step
        length = wrapping_add(wrapping_sub(last // step, start // step), 0 if less else 1)
    if length <= 0:
        raise OverflowError("Python int too large to convert to C ssize_t")
    return length


def range_item(start: int, stop: int, step: int, index: int) -> int:
    """``range(start, stop, step)[index]``"""
    length = range_length(start, stop, step)
    if not -length <= index < length:
        raise IndexError("range object index out of range")
    return wrapping_add(start, wrapping_mul(index if index >= 0 else index + length, step))


# ---- floats


def frexp(x: float) -> tuple[float, int]:
    """``math.frexp(x)``"""
    if x == 0.0 or not math.isfinite(x):
        return x, 0
    low, high = -1074, 1025
    size = abs(x)
    while high - low > 1:  # 2 ** low <= size < 2 ** high
        middle = (low + high) // 2
        if middle < 1024 and math.ldexp(1.0, middle) <= size:
            low = middle
        else:
            high = middle
    half = -(high // 2)
    return math.ldexp(math.ldexp(x, half), -high - half), high


def modf(x: float) -> tuple[float, float]:
    """``math.modf(x)``"""
    if math.isinf(x):
        return math.copysign(0.0, x), x
    if x != x:
        return x, x
    part = math.fmod(x, 1.0)
    return math.copysign(part, x), math.copysign(x - part, x)


def is_whole(x: float) -> bool:
    """``x.is_integer()``"""
    return math.isfinite(x) and math.fmod(x, 1.0) == 0.0


def float_ratio(x: float) -> tuple[int, int]:
    """``x.as_integer_ratio()``"""
    if math.isinf(x):
        raise OverflowError("cannot convert Infinity to integer ratio")
    if x != x:
        raise ValueError("cannot convert NaN to integer ratio")
    part, exponent = frexp(x)
    while part != math.floor(part):
        part *= 2.0
        exponent -= 1
    numerator = int(part)
    if exponent > 0:
        if exponent > 62 or bit_length(numerator) + exponent > 63:
            raise OverflowError("Python int too large to convert to 64 bits")
        return numerator << exponent, 1
    if exponent < -62:
        raise OverflowError("Python int too large to convert to 64 bits")
    return numerator, 1 << -exponent


def float_hex(x: float) -> str:
    """``x.hex()``"""
    if not math.isfinite(x):
        return str(x)
    sign = "-" if math.copysign(1.0, x) < 0.0 else ""
    if x == 0.0:
        return sign + "0x0.0p+0"
    part, exponent = frexp(abs(x))
    shift = 1 - max(-1021 - exponent, 0)
    part = math.ldexp(part, shift)
    exponent -= shift
    digits = "0123456789abcdef"
    out = sign + "0x" + digits[int(part)] + "."
    part -= math.floor(part)
    for _ in range(13):
        part *= 16.0
        out += digits[int(part)]
        part -= math.floor(part)
    return f"{out}p{exponent:+d}"


def float_from_hex(text: str) -> float:
    """``float.fromhex(text)``"""
    refused = "invalid hexadecimal floating-point string"
    body = text.strip().lower()
    negative = body.startswith("-")
    if body[:1] in ("-", "+"):
        body = body[1:]
    if body in ("inf", "infinity", "nan"):
        special = float(body)
        return -special if negative else special
    body = body.removeprefix("0x")
    digits, mark, power = body.partition("p")
    shift = 0
    if mark:
        unsigned = power[1:] if power[:1] in ("-", "+") else power
        if not (unsigned.isascii() and unsigned.isdigit()):
            raise ValueError(refused)
        shift = int(power) if len(unsigned) < 10 else (-1000000000 if power[0] == "-" else 1000000000)
    before, _, behind = digits.partition(".")
    whole = before + behind
    if not whole:
        raise ValueError(refused)
    mantissa, rest = 0, False
    shift -= 4 * len(behind)
    for c in whole:
        digit = "0123456789abcdef".find(c)
        if digit < 0:
            raise ValueError(refused)
        if mantissa < 1 << 57:
            mantissa = mantissa << 4 | digit
        else:
            rest = rest or digit > 0
            shift += 4
    if rest:
        mantissa |= 1
    try:
        found = math.ldexp(float(mantissa), max(-5000, min(5000, shift)))
    except OverflowError:
        raise OverflowError("hexadecimal value too large to represent as a float") from None
    return -found if negative else found


# ---- math


def comb(n: int, k: int) -> int:
    """``math.comb(n, k)``"""
    if n < 0:
        raise ValueError("n must be a non-negative integer")
    if k < 0:
        raise ValueError("k must be a non-negative integer")
    if k > n:
        return 0
    if k > n - k:
        k = n - k
    out = 1
    for i in range(k):
        factor, divisor = n - i, i + 1
        common = math.gcd(out, divisor)
        out //= common
        factor //= divisor // common
        out *= factor
    return out


def perm(n: int, k: int) -> int:
    """``math.perm(n, k)``"""
    if n < 0:
        raise ValueError("n must be a non-negative integer")
    if k < 0:
        raise ValueError("k must be a non-negative integer")
    if k > n:
        return 0
    out = 1
    for i in range(k):
        out *= n - i
        if out == 0:
            break
    return out


def prod_ints(xs: list[int], start: int) -> int:
    """``math.prod(xs, start=start)``"""
    for x in xs:
        start *= x
    return start


def prod_floats(xs: list[float], start: float) -> float:
    """``math.prod(xs, start=start)``"""
    for x in xs:
        start *= x
    return start


def fsum(xs: list[float]) -> float:
    """``math.fsum(xs)``"""
    partials: list[float] = []
    special, infinite = 0.0, 0.0
    for given in xs:
        x = given
        count = 0
        for j in range(len(partials)):
            y = partials[j]
            if abs(x) < abs(y):
                x, y = y, x
            high = x + y
            low = y - (high - x)
            if low != 0.0:
                partials[count] = low
                count += 1
            x = high
        del partials[count:]
        if x != 0.0:
            if not math.isfinite(x):
                if math.isfinite(given):
                    raise OverflowError("intermediate overflow in fsum")
                if math.isinf(given):
                    infinite += given
                special += given
                partials.clear()
            else:
                partials.append(x)
    if special != 0.0:
        if infinite != infinite:
            raise ValueError("-inf + inf in fsum")
        return special
    n = len(partials)
    if n == 0:
        return 0.0
    n -= 1
    high = partials[n]
    low = 0.0
    while n > 0:
        n -= 1
        x, y = high, partials[n]
        high = x + y
        low = y - (high - x)
        if low != 0.0:
            break
    if n > 0 and ((low < 0.0 and partials[n - 1] < 0.0) or (low > 0.0 and partials[n - 1] > 0.0)):
        y = low * 2.0
        x = high + y
        if y == x - high:
            high = x
    return high


def hypot(xs: list[float]) -> float:
    """``math.hypot(*xs)``: the squares scaled, added in double length, the root corrected once, as CPython does."""
    largest, is_nan = 0.0, False
    for given in xs:
        x = abs(given)
        is_nan = is_nan or x != x
        if x > largest:
            largest = x
    if math.isinf(largest):
        return largest
    if is_nan:
        return math.nan
    if largest == 0.0 or len(xs) <= 1:
        return largest
    exponent = frexp(largest)[1]
    total, first, second, third = 1.0, 0.0, 0.0, 0.0
    if exponent < -1023:
        for given in xs:
            x = abs(given) / largest
            x = x * x
            before = total
            total += x
            first += (before - total) + x
        return largest * math.sqrt(total - 1.0 + first)
    scale = math.ldexp(1.0, -exponent)
    for given in xs:
        x = abs(given) * scale
        t = x * 134217729.0
        high = t - (t - x)
        low = x - high
        x = high * high
        before = total
        total += x
        first += (before - total) + x
        x = 2.0 * high * low
        before = total
        total += x
        second += (before - total) + x
        third += low * low
    h = math.sqrt(total - 1.0 + (first + second + third))
    x = h
    t = x * 134217729.0
    high = t - (t - x)
    low = x - high
    x = -high * high
    before = total
    total += x
    first += (before - total) + x
    x = -2.0 * high * low
    before = total
    total += x
    second += (before - total) + x
    x = -low * low
    before = total
    total += x
    third += (before - total) + x
    x = total - 1.0 + (first + second + third)
    return (h + x / (2.0 * h)) / scale


def dist(p: list[float], q: list[float]) -> float:
    """``math.dist(p, q)``"""
    if len(p) != len(q):
        raise ValueError("both points must have the same number of dimensions")
    return hypot([abs(a - b) for a, b in zip(p, q)])  # noqa: B905 - the lengths are equal


# ---- texts


def starts_with_any(text: str, prefixes: tuple[str, ...], start: int | None, end: int | None) -> bool:
    """``text.startswith(prefixes, start, end)``"""
    return any(text.startswith(prefix, start, end) for prefix in prefixes)


def ends_with_any(text: str, suffixes: tuple[str, ...], start: int | None, end: int | None) -> bool:
    """``text.endswith(suffixes, start, end)``"""
    return any(text.endswith(suffix, start, end) for suffix in suffixes)


def bytes_start_with_any(text: bytes, prefixes: tuple[bytes, ...], start: int | None, end: int | None) -> bool:
    """``text.startswith(prefixes, start, end)``"""
    return any(text.startswith(prefix, start, end) for prefix in prefixes)


def bytes_end_with_any(text: bytes, suffixes: tuple[bytes, ...], start: int | None, end: int | None) -> bool:
    """``text.endswith(suffixes, start, end)``"""
    return any(text.endswith(suffix, start, end) for suffix in suffixes)


def make_table(old: str, new: str) -> dict[int, int]:
    """``str.maketrans(old, new)``"""
    if len(old) != len(new):
        raise ValueError("the first two maketrans arguments must have equal length")
    out: dict[int, int] = {}
    for i in range(len(old)):
        out[ord(old[i])] = ord(new[i])
    return out


def make_table_without(old: str, new: str, gone: str) -> dict[int, int | None]:
    """``str.maketrans(old, new, gone)``"""
    if len(old) != len(new):
        raise ValueError("the first two maketrans arguments must have equal length")
    out: dict[int, int | None] = {}
    for i in range(len(old)):
        out[ord(old[i])] = ord(new[i])
    for c in gone:
        out[ord(c)] = None
    return out


def _key(text: str) -> int:
    if len(text) != 1:
        raise ValueError("string keys in translate table must be of length 1")
    return ord(text)


def table_of_texts(given: dict[str, str]) -> dict[int, str]:
    """``str.maketrans(given)``"""
    return {_key(k): v for k, v in given.items()}


def table_of_some_texts(given: dict[str, str | None]) -> dict[int, str | None]:
    """``str.maketrans(given)``"""
    return {_key(k): v for k, v in given.items()}


def translate_points(text: str, table: dict[int, int]) -> str:
    """``text.translate(table)``"""
    return "".join([chr(table.get(ord(c), ord(c))) for c in text])


def translate_some_points(text: str, table: dict[int, int | None]) -> str:
    """``text.translate(table)``"""
    out: list[str] = []
    for c in text:
        if ord(c) in table:
            point = table[ord(c)]
            if point is not None:
                out.append(chr(point))
        else:
            out.append(c)
    return "".join(out)


def translate_texts(text: str, table: dict[int, str]) -> str:
    """``text.translate(table)``"""
    return "".join([table.get(ord(c), c) for c in text])


def translate_some_texts(text: str, table: dict[int, str | None]) -> str:
    """``text.translate(table)``"""
    out: list[str] = []
    for c in text:
        if ord(c) in table:
            found = table[ord(c)]
            if found is not None:
                out.append(found)
        else:
            out.append(c)
    return "".join(out)


# ---- bytes


def zero_bytes(count: int) -> bytes:
    """``bytes(count)``"""
    if count < 0:
        raise ValueError("negative count")
    return b"\0" * count


def bytes_from_hex(text: str) -> bytes:
    """``bytes.fromhex(text)``"""
    out: list[int] = []
    at = 0
    while at < len(text):
        if text[at] in " \t\n\r\x0b\x0c":
            at += 1
            continue
        high = "0123456789abcdef".find(text[at].lower()) if text[at].isascii() else -1
        if high < 0:
            raise ValueError(f"non-hexadecimal number found in fromhex() arg at position {at}")
        at += 1
        low = "0123456789abcdef".find(text[at].lower()) if at < len(text) and text[at].isascii() else -1
        if low < 0:
            raise ValueError(f"non-hexadecimal number found in fromhex() arg at position {at}")
        at += 1
        out.append(high << 4 | low)
    return bytes(out)


def hex_with(data: bytes, separator: str) -> str:
    """``data.hex(separator)``"""
    if len(separator) != 1:
        raise ValueError("sep must be length 1.")
    return separator.join([f"{byte:02x}" for byte in data])


# ---- tensors


def _check_rank(x: Tensor, rank: int) -> None:
    if x.dim() != rank:
        raise TypeError(f"tolist() of a tensor with {x.dim()} dimensions gives no list with {rank} of them")


def float_items(x: Tensor) -> list[float]:
    """``x.tolist()`` of floats."""
    _check_rank(x, 1)
    if not x.is_floating_point():
        raise TypeError("tolist() of a tensor of ints gives no list of floats")
    return [float(y) for y in x]


def int_items(x: Tensor) -> list[int]:
    """``x.tolist()`` of ints."""
    _check_rank(x, 1)
    if x.is_floating_point():
        raise TypeError("tolist() of a tensor of floats gives no list of ints")
    return [int(y) for y in x]


def float_rows(x: Tensor) -> list[list[float]]:
    """``x.tolist()`` of two dimensions of floats."""
    _check_rank(x, 2)
    return [float_items(y) for y in x]


def int_rows(x: Tensor) -> list[list[int]]:
    """``x.tolist()`` of two dimensions of ints."""
    _check_rank(x, 2)
    return [int_items(y) for y in x]


def float_blocks(x: Tensor) -> list[list[list[float]]]:
    """``x.tolist()`` of three dimensions of floats."""
    _check_rank(x, 3)
    return [float_rows(y) for y in x]


def int_blocks(x: Tensor) -> list[list[list[int]]]:
    """``x.tolist()`` of three dimensions of ints."""
    _check_rank(x, 3)
    return [int_rows(y) for y in x]


def sizes_of(x: Size) -> list[int]:
    """``list(x)`` of a shape."""
    return [n for n in x]  # noqa: C416


def has_kind(items: list[int | float | bool], kind: int) -> bool:
    """Whether a float is among some numbers (`kind` 2), or an int (1)."""
    for item in items:
        if isinstance(item, float):
            if kind == 2:
                return True
        elif kind == 1 and not isinstance(item, bool):
            return True
    return False


def floats_of(items: list[int | float | bool]) -> list[float]:
    """``[float(x) for x in items]``"""
    return [float(item) for item in items]


def ints_of(items: list[int | float | bool]) -> list[int]:
    """``[int(x) for x in items]``"""
    return [int(item) for item in items]
