from typing import Any


def f(x: Any, y: int | list[int] | dict[str, int]) -> int:
    if isinstance(y, list):
        return len(y)
    if isinstance(x, (list, dict)):
        return len(x)
    return 0
