class Counter:
    def __init__(self, n: int):
        if n > 0:
            self.count = n
        self.twice = self.count * 2


class Half:
    def __init__(self, n: int):
        if n > 0:
            self.count = n


def f(n: int) -> int:
    half = Half(n)
    return Counter(n).count + half.count
