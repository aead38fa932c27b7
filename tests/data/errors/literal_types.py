from typing import Literal


def g(mode: Literal["sum", "mean"]) -> int:
    return 1


def f(n: int) -> int:
    return g(n) + g("max")
