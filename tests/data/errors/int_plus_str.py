def f(s: str, n: int) -> str:
    a = n + s
    b = s * s
    c = s - "a"
    d = -s
    e = s < n
    return s + n
