def f(x: int | str) -> int:
    return x + 1
