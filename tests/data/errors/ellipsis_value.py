def f(n: int) -> int:
    x = [...]
    return n
