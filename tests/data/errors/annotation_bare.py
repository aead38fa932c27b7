from typing import Callable, Literal, Optional, Union


def f(a: list, b: dict[str], c: Literal[1.5], d: Optional, e: Union, g: tuple, h: set, i: list[int, str]) -> int:
    return 1
