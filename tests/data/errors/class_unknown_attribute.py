class Point:
    def __init__(self, x: int, y: int):
        self.x = x
        self.y = y

    def grow(self) -> None:
        self.total = self.x + self.y


def f(n: int) -> int:
    p = Point(n, 2)
    p.z = 3
    p.grow()
    return p.xx
