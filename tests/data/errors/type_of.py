def f(x: int) -> bool:
    return type(x) is int
