def f(x: int) -> bool:
    kind = type(x)
    return kind is int
