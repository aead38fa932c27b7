def f(x: int | str) -> int:
    if isinstance(x, float):
        return 3
    return x
