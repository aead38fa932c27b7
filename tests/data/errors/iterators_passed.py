def g(xs: list[int]) -> int:
    return len(xs)


def f(n: int, d: dict[str, int]) -> int:
    a = g(range(n))
    b = g(x for x in range(n))
    c = [zip(d, d)]
    e = (d.items(), 1)
    return len(d.keys()) + g(reversed([1]))
