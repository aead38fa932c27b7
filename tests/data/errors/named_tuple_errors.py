from typing import NamedTuple


class Point(NamedTuple):
    x: int
    y: int = 0


def f(n: int) -> int:
    p = Point(n)
    p.x = 3
    a = p.z
    b = Point("a")
    c = Point()
    d = p[2]
    x, y, z = p
    return p
