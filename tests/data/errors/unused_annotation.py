def f(n: int) -> int:
    total: int
    return total
