def f(n: int) -> int:
    break
    return n
