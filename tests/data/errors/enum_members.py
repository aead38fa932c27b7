from enum import Enum


class Color(Enum):
    RED = 1
    GREEN = 2


def f(n: int) -> int:
    a = Color.BLUE
    b = Color["BLUE"]
    c = Color.RED + 1
    d = Color(n).nmae
    Color.RED = 3
    e = Color.RED < Color.GREEN
    return Color.RED
