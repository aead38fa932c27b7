class Point:
    def __init__(self, x: int, y: int) -> None:
        self.x = x
        self.y = y

    def norm(self) -> int:
        return self.x * self.x + self.y * self.z


def f(n: int) -> int:
    p = Point(n, n)
    p.w = 3
    p.x = "a"
    a = p.nrom()
    b = p.norm
    c = p.xx
    d = Point(n)
    e = Point(n, "a")
    g = Point.scale(n)
    del p.x
    return p + p
