class V:
    def __init__(self, k: int):
        self.k = k

    def __add__(self, other: "V") -> "V":
        return V(self.k + other.k)


def f(n: int) -> int:
    v = V(n)
    w = v + 1
    u = v - v
    print(v < v)
    print(sorted([v]))
    return len(v)
