def f(xs: list[float]) -> list[int]:
    return xs
