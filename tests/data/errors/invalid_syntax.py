def f(n: int) -> int:
    return n +
