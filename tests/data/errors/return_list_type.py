def f(n: int) -> list[int]:
    return [1.5, 2.5]
