def f(n: int) -> tuple[int, str]:
    if n > 3:
        return n
    if n > 2:
        return (n, n)
    return n, "a", 3
