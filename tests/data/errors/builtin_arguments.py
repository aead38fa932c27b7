def f(x, n: int) -> int:
    a = len(n)
    b = abs()
    c = max(x, x)
    d = min(n)
    return int(n, base=3)
