def f(n: int):
    x = n if n > 3 else "a"
    y = n or "a"
    z = n and [1]
    return 1 if n else None
