from dataclasses import dataclass


@dataclass(frozen=True)
class Point:
    x: int


class Circle:
    def __init__(self, r: float):
        self.r = r

    @property
    def area(self) -> float:
        return 3.14 * self.r * self.r

    def grow(self) -> None:
        self.r *= 2.0


def f(n: int) -> float:
    p = Point(n)
    p.x = 3
    c = Circle(1.0)
    c.area = 2.0
    c.grow = 3
    return c.area
