def f(x: float) -> int:
    return x * 2.0
