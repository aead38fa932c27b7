def f(n: int) -> None:
    return n
