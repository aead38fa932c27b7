from typing import Any


def f(x: Any):
    return x
