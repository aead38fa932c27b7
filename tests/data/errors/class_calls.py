from dataclasses import dataclass


@dataclass
class Point:
    x: int
    y: int = 0

    def move(self, by: int) -> None:
        self.x += by


class Plain:
    pass


def f(n: int) -> int:
    p = Point()
    q = Point(1, 2, 3)
    r = Point("1", z=3)
    s = Point(1)
    s.moved(3)
    s.move("a")
    t = Plain(1)
    return s.x + s.move
