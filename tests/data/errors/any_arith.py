from typing import Any


def f(x: Any) -> int:
    y = x + 1
    z = x.upper()
    n: int = x
    q = x[0]
    return x
