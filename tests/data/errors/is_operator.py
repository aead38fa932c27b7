def f(n: int) -> bool:
    return n is 3
