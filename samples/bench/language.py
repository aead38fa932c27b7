"""The language without tensors: numbers, lists, strings and dicts, as CPython, tscript and Numba run the same
functions."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from harness import Call, Row, interleave
from peers import numba

import tscript

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from wordcount import count_words, load_text

TEXT_BYTES = 10_000_000


def mandelbrot(n: int, most: int) -> int:
    """Steps that n x n points take to escape."""
    total = 0
    for i in range(n):
        for j in range(n):
            cr = -2.0 + 2.5 * j / n
            ci = -1.25 + 2.5 * i / n
            zr = 0.0
            zi = 0.0
            k = 0
            while k < most and zr * zr + zi * zi <= 4.0:
                t = zr * zr - zi * zi + cr
                zi = 2.0 * zr * zi + ci
                zr = t
                k += 1
            total += k
    return total


def nbody(steps: int, bodies: int) -> float:
    """Energy of bodies that move around each other, after `steps` steps; positions and speeds are lists of floats."""
    x = [float(i % 7) * 1.5 - 3.0 for i in range(bodies)]
    y = [float(i % 5) * 2.5 - 4.0 for i in range(bodies)]
    z = [float(i % 3) * 3.5 - 2.0 for i in range(bodies)]
    vx = [0.01 * float(i) for i in range(bodies)]
    vy = [-0.02 * float(i) for i in range(bodies)]
    vz = [0.03 * float(i) for i in range(bodies)]
    mass = [1.0 + 0.1 * float(i) for i in range(bodies)]
    for _ in range(steps):
        for i in range(bodies):
            for j in range(i + 1, bodies):
                dx = x[i] - x[j]
                dy = y[i] - y[j]
                dz = z[i] - z[j]
                squared = dx * dx + dy * dy + dz * dz + 0.01
                force = 0.001 / (squared * math.sqrt(squared))
                vx[i] -= dx * mass[j] * force
                vy[i] -= dy * mass[j] * force
                vz[i] -= dz * mass[j] * force
                vx[j] += dx * mass[i] * force
                vy[j] += dy * mass[i] * force
                vz[j] += dz * mass[i] * force
        for i in range(bodies):
            x[i] += 0.001 * vx[i]
            y[i] += 0.001 * vy[i]
            z[i] += 0.001 * vz[i]
    energy = 0.0
    for i in range(bodies):
        energy += 0.5 * mass[i] * (vx[i] * vx[i] + vy[i] * vy[i] + vz[i] * vz[i])
    return energy


def sieve(n: int) -> int:
    """How many primes there are below n."""
    composite = [0] * n
    count = 0
    for i in range(2, n):
        if composite[i] == 0:
            count += 1
            for j in range(i * i, n, i):
                composite[j] = 1
    return count


def matmul(n: int) -> float:
    """The trace of a product of two n x n matrices, which are lists of rows."""
    a = [[float(i - j) / n for j in range(n)] for i in range(n)]
    b = [[float(i + j) / n for j in range(n)] for i in range(n)]
    c = [[0.0 for _ in range(n)] for _ in range(n)]
    for i in range(n):
        for j in range(n):
            total = 0.0
            for k in range(n):
                total += a[i][k] * b[k][j]
            c[i][j] = total
    trace = 0.0
    for i in range(n):
        trace += c[i][i]
    return trace


def collatz(n: int) -> int:
    """The number below n with the longest way to 1."""
    best = 1
    longest = 0
    for start in range(1, n):
        steps = 0
        at = start
        while at != 1:
            at = at // 2 if at % 2 == 0 else 3 * at + 1
            steps += 1
        if steps > longest:
            longest = steps
            best = start
    return best


def edit_distance(a: str, b: str) -> int:
    """How many letters to insert, remove or change to get from `a` to `b`."""
    previous = [j for j in range(len(b) + 1)]  # noqa: C416 - Numba knows no list(range(n))
    for i in range(len(a)):
        current = [i + 1]
        letter = a[i]
        for j in range(len(b)):
            change = previous[j] + (0 if letter == b[j] else 1)
            current.append(min(change, previous[j + 1] + 1, current[j] + 1))
        previous = current
    return previous[-1]


def sums(n: int, times: int) -> int:
    """Sums of n ints that a loop adds up; the list changes a little each time."""
    xs = [i * 37 % 1009 for i in range(n)]
    found = 0
    for _ in range(times):
        total = 0
        for x in xs:
            total += x
        found ^= total
        xs[0] = found & 7
    return found


def wrapping_sums(n: int, times: int) -> int:
    """`sums` modulo 2**64: what a loop without any check takes."""
    xs = [i * 37 % 1009 for i in range(n)]
    found = 0
    for _ in range(times):
        total = 0
        for x in xs:
            total = tscript.wrapping_add(total, x)
        found ^= total
        xs[0] = found & 7
    return found


def products(n: int, times: int) -> int:
    """Sums of the products of two lists of n ints."""
    a = [i * 37 % 1009 for i in range(n)]
    b = [i * 31 % 997 for i in range(n)]
    found = 0
    for _ in range(times):
        found ^= sum(a[i] * b[i] for i in range(n))
        a[0] = found & 7
    return found


def wrapping_products(n: int, times: int) -> int:
    """`products` modulo 2**64."""
    a = [i * 37 % 1009 for i in range(n)]
    b = [i * 31 % 997 for i in range(n)]
    found = 0
    for _ in range(times):
        total = 0
        for i in range(n):
            total = tscript.wrapping_add(total, tscript.wrapping_mul(a[i], b[i]))
        found ^= total
        a[0] = found & 7
    return found


def tokenize(text: str) -> dict[str, int]:
    """How many tokens of each kind there are in a JSON text, and how many keys and numbers differ."""
    kinds = {"mark": 0, "text": 0, "number": 0, "word": 0}
    texts: dict[str, int] = {}
    numbers: list[float] = []
    i = 0
    n = len(text)
    while i < n:
        c = text[i]
        start = i
        if c in " \n\t\r":
            i += 1
        elif c in "{}[]:,":
            kinds["mark"] += 1
            i += 1
        elif c == '"':
            i += 1
            while text[i] != '"':
                i += 2 if text[i] == "\\" else 1
            i += 1
            kinds["text"] += 1
            found = text[start + 1 : i - 1]
            texts[found] = texts.get(found, 0) + 1
        elif c == "-" or c.isdigit():
            while i < n and (text[i].isdigit() or text[i] in "+-.eE"):
                i += 1
            kinds["number"] += 1
            numbers.append(float(text[start:i]))
        elif c.isalpha():
            while i < n and text[i].isalpha():
                i += 1
            if text[start:i] not in ("true", "false", "null"):
                raise ValueError(f"unknown word at {start}")
            kinds["word"] += 1
        else:
            raise ValueError(f"unknown character at {i}")
    kinds["different texts"] = len(texts)
    kinds["different numbers"] = len(set(numbers))
    return kinds


def json_text(records: int) -> str:
    """A JSON text to tokenize."""
    rows = [
        f'{{"id": {i}, "name": "row \\"{i % 97}\\"", "values": [{i * 0.5}, -{i}, 1e-{i % 9}], "valid": '
        f"{'true' if i % 2 == 0 else 'false'}}}"
        for i in range(records)
    ]
    return "[\n" + ",\n".join(rows) + "\n]"


def long_text() -> str:
    """The book of the samples, again and again: ten megabytes."""
    book = load_text()
    return book * (TEXT_BYTES // len(book.encode()) + 1)


def variants(function: Callable[..., Any], *args: Any, with_numba: bool = True) -> dict[str, Call]:
    """The function as each engine has it that accepts it."""
    engines: dict[str, Callable[[Any], Any]] = {"tscript": tscript.script}
    if numba is not None and with_numba:
        engines["Numba"] = numba.njit
    refusals = (tscript.CompileError,) if numba is None else (tscript.CompileError, numba.core.errors.NumbaError)
    found: dict[str, Call] = {}
    expected = function(*args)
    for name, compiled in engines.items():
        try:
            call = compiled(function)
            result = call(*args)
        except refusals as error:
            print(f"{name} refuses {function.__name__}: {str(error).strip().splitlines()[0]}", file=sys.stderr)
            continue
        if result != expected and not (isinstance(expected, float) and math.isclose(result, expected)):
            raise SystemExit(f"{name}: {function.__name__} gives {result}, CPython {expected}")
        found[name] = (call, args)
    return {**found, "CPython": (function, args)}


def run() -> list[Row]:
    """Time all of it."""
    book = load_text()
    a, b = book[200_000:200_600], book[300_000:300_600]
    wraps: dict[str, Call] = {
        "sums": (tscript.script(wrapping_sums), (10_000, 200)),
        "products": (tscript.script(wrapping_products), (10_000, 200)),
    }
    workloads: dict[str, dict[str, Call]] = {
        "mandelbrot 128 x 128": variants(mandelbrot, 128, 100),
        "n-body, lists of floats": variants(nbody, 200, 8),
        "sieve to 300,000, list[int]": variants(sieve, 300_000),
        "matmul 64 x 64, list[list[float]]": variants(matmul, 64),
        "collatz to 10,000": variants(collatz, 10_000),
        "edit distance, 600 letters": variants(edit_distance, a, b),
        "200 sums of 10,000 ints": {**variants(sums, 10_000, 200), "without checks": wraps["sums"]},
        "200 sums of 10,000 products": {**variants(products, 10_000, 200), "without checks": wraps["products"]},
        "word count, 10 MB": variants(count_words, long_text(), with_numba=False),
        "JSON tokenizer, 1 MB": variants(tokenize, json_text(13_000), with_numba=False),
    }
    return [interleave(name, calls, rounds=5) for name, calls in workloads.items()]
