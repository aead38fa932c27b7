def f(n: int):
    if n > 3:
        return n
    return str(n)
