"""Complex numbers: signs, functions and `complex(text)`."""

from __future__ import annotations

import math


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
