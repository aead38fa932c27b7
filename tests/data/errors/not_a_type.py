import math
import tscript


def g(n: int) -> int:
    return n


def f(a: g, b: math, c: tscript.relu, d: 3.5, e: "a b"):
    return a
