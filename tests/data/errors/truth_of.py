from typing import Any


def f(x: Any) -> int:
    if x:
        return 1
    while f:
        pass
    return 0 if len else 1
