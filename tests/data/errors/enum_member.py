from enum import Enum


class Color(Enum):
    RED = 1
    GREEN = 2


def f(n: float) -> str:
    a = Color(7)
    b = Color["BLUE"]
    c = Color("red")
    d = Color.REDD
    return a.name + b.name + c.nam
