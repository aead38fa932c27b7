def f(n: int) -> int:
    r = range(n)
    return len(r)
