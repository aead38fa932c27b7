def f(x: int | None) -> int:
    return x + 1
