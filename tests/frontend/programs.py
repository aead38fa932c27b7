"""Functions of the language for the tests: each is run as plain Python and as IR, with the same result."""

# mypy: ignore-errors

from __future__ import annotations

import math
from math import pi
from typing import Tuple

SCALE = 3
RATE = 0.25
PAIR = (2, 5)
NAME = "relu"
DEBUG = False


def arithmetic(a: int, b: int) -> tuple[int, int, int, int]:
    return a + b * 2, a - b, a // b, a % b


def division(a: int, b: int) -> float:
    return a / b


def float_math(x: float) -> float:
    return math.sqrt(x * x + 1) - math.floor(x) + pi / 2


def bits(a: int, b: int) -> int:
    return (a & b) | (a ^ 3) + (a << 2) - (b >> 1) + ~a + -b + +a


def power(a: int) -> int:
    return a**3


def chained(a: int, b: int, c: int) -> bool:
    return a < b <= c != 5


def short_circuit(a: int, b: int) -> int:
    return (a and b) or 7


def short_circuit_guards(a: int, b: int) -> bool:
    return (b != 0 and a // b > 1) or a == 3


def mixed_condition(a: int, x: float) -> int:
    if (a and x > 0.5) or not a:
        return 1
    return 0


def ternary(a: int) -> int:
    return a * 2 if a > 3 else -a if a < 0 else 5


def if_elif_else(a: int) -> int:
    if a > 10:
        y = 1
        z = a
    elif a > 5:
        y = 2
        z = 0
    else:
        y = 3
        z = -a
    return y * 100 + z


def branch_leaves(a: int) -> int:
    if a > 3:
        y = a * 2
    else:
        return -1
    return y + 1


def rebinding(a: int) -> float:
    x = a
    x = x * 0.5
    x = x + 1
    return x


def declared_float(a: int) -> float:
    y: float = 1
    if a > 2:
        y = a
    return y / 2


def float_parameter(x: float, a: int) -> float:
    if a > 2:
        x = a
    return x / 2


def while_loop(n: int) -> int:
    total = 0
    while n > 0:
        total += n
        n -= 1
    return total


def while_else(n: int, stop: int) -> int:
    i = 0
    while i < n:
        if i == stop:
            break
        i += 1
    else:
        i = -1
    return i


def while_true(n: int) -> int:
    n = abs(n)
    while True:
        n = n * 3 // 2 + 1
        if n > 100:
            return n


def while_true_break(n: int) -> int:
    n = abs(n)
    while True:
        n = n * 2 + 1
        found = n
        if n > 50:
            break
    return found + n


def for_loop(n: int) -> int:
    total = 0
    for i in range(n):
        if i == 3:
            continue
        if i > 7:
            break
        total = total * 2 + i
    return total


def for_else(n: int, wanted: int) -> int:
    for i in range(2, n, 3):
        if i == wanted:
            found = i
            break
    else:
        found = -1
    return found


def for_else_without_break(n: int) -> int:
    total = 0
    for i in range(n):
        total += i
    else:
        total += 1000
    return total


def for_else_return(n: int) -> int:
    for i in range(n):
        if i * i > 20:
            return i
    else:
        return -1


def for_downwards(n: int, step: int) -> int:
    total = 0
    for i in range(n, 0, step):
        total = total * 10 + i
    return total


def loop_variable_after(n: int) -> int:
    i = -5
    for i in range(n):
        pass
    return i


def loop_variable_changed(n: int) -> int:
    total = 0
    for i in range(n):
        i = i * 2
        total += i
    return total


def nested_loops(n: int) -> int:
    total = 0
    for i in range(n):
        j = i
        while j > 0:
            if j == 4:
                break
            j -= 1
            for k in range(3):
                if k == j:
                    continue
                total += k
        else:
            total += 100
    return total


def break_in_else_of_inner(n: int) -> int:
    count = 0
    for i in range(n):
        for j in range(i):
            if j == 3:
                break
        else:
            count += 1
            if count > 2:
                break
    return count


def early_return(n: int) -> int:
    for i in range(n):
        for j in range(n):
            if i * j == 6:
                return i * 10 + j
    return -1


def unreachable_code(n: int) -> int:
    return n
    n = n + undefined_name  # noqa: F821
    return n


def pruned(n: int) -> int:
    if DEBUG:
        return missing_name  # noqa: F821
    return n if not DEBUG else other_missing_name  # noqa: F821


def tuples(a: int, b: float) -> tuple[float, int, bool]:
    t = (a, b, True)
    x, (y, z) = t[0], t[1:]
    return y, x, z


def tuple_operations(a: int) -> int:
    t = (a, 2) + (3,) * 2
    u = t[::-1]
    swapped, kept = u[0], u[-1]
    swapped, kept = kept, swapped
    if t == (5, 2, 3, 3) or a in PAIR:
        return len(t)
    return swapped - kept + t[PAIR[0] - 1]


def multiple_targets(a: int) -> int:
    x = y = (p, q) = (a, a + 1)
    return x[0] + y[1] + p * q


def old_tuple(t: Tuple[int, float]) -> float:
    a, b = t
    return a * b


def text_annotation(a: "int", b: "tuple[int, float]") -> "float":
    return a + b[1]


def constants(a: int) -> float:
    if NAME == "relu" and a > SCALE:
        return a * RATE
    return SCALE


def walrus(a: int) -> int:
    if (b := a * 2) > 10 and b < 20:
        return b + (c := b - 3) * c
    return b


def casts(x: float, a: int) -> float:
    return int(x) + float(a) + int(x > 1.0) + float("1e3") + int("12") + round(x) + abs(-a)


def extremes(a: int, b: int, c: int) -> int:
    return min(a, b) * 100 + max(a, b, c) * 10 + min((a, b, c))


def divmod_pow(a: int, b: int) -> int:
    q, r = divmod(a, b)
    return pow(a, 2) + q * 10 + r


def none_result(a: int) -> None:
    if a > 3:
        return
    a += 1


def none_tests(a: int) -> bool:
    nothing = None
    return nothing is None and a is not None and nothing != a


def assertion(a: int) -> int:
    assert a > 2, f"a is {a}, not {{more}} than 2"
    assert a < 100
    return a


def raising(a: int) -> int:
    if a == 1:
        raise ValueError("one")
    elif a == 2:
        raise IndexError(f"index {a} of {a * 2.5}")
    elif a == 3:
        raise KeyError
    elif a == 4:
        raise RuntimeError()
    elif a == 5:
        raise NotImplementedError("{braces}") from None
    return a


def factorial(n: int) -> int:
    return 1 if n <= 1 else n * factorial(n - 1)


def is_even(n: int) -> bool:
    return True if n == 0 else is_odd(n - 1)


def is_odd(n: int) -> bool:
    return False if n == 0 else is_even(n - 1)


def helper(a: int, b: float = 2, *, scale: int = 10) -> float:
    return (a - b) * scale


def calls(a: int) -> float:
    return helper(a) + helper(scale=a, b=a, a=1) + helper(True, 1.5)


def positional_only(a: int, /, b: int = 3) -> int:
    return a * b


def calls_positional_only(a: int) -> int:
    return positional_only(a) + positional_only(a, b=2)


def collatz(n: int) -> int:
    steps = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps


def gcd(a: int, b: int) -> int:
    while b:
        a, b = b, a % b
    return a


def prime_count(n: int) -> int:
    count = 0
    for i in range(2, n):
        for j in range(2, i):
            if j * j > i:
                count += 1
                break
            if i % j == 0:
                break
        else:
            count += 1
    return count


def shadowing(a: int) -> int:
    len = a * 2
    max = len + 1
    return max


def isinstance_tests(a: int, x: float, t: tuple[int, int]) -> tuple[bool, bool, bool, bool]:
    return isinstance(a, int), isinstance(x, int), isinstance(x, (int, float)), isinstance(t, tuple)


def inferred(a: int):
    if a > 3:
        return a, 1.5
    return 0, 2.5


def augmented(a: int) -> int:
    a += 2
    a *= 3
    a -= 1
    a //= 2
    a %= 50
    a **= 2
    a <<= 1
    a |= 1
    a ^= 2
    a &= 255
    a >>= 1
    return a
