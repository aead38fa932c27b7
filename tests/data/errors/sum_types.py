def f(n: int) -> float:
    return sum((n, 0.5))
