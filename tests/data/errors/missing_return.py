def f(n: int) -> int:
    if n > 3:
        return n
