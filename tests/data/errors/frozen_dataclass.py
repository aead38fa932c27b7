from dataclasses import dataclass


@dataclass(frozen=True)
class Point:
    x: int
    y: int


@dataclass
class Line:
    a: Point


def f(n: int) -> int:
    p = Point(n, n)
    p.x = 3
    q = Point(n)
    r = Point(n, z=3)
    s = {Line(p): 3}
    return p.x
