def f(x: float) -> int:
    n: int = x * 2.0
    return n
