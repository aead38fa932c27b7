from typing import Optional


def f(x: Optional[int], y: int | None = None, z: "int | float" = 1):
    return x
