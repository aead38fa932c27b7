def g(n: int):
    for i in range(n):
        yield i


def f(n: int) -> int:
    total = 0
    for x in g(n):
        total += x
    return total
