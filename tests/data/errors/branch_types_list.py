def f(n: int) -> int:
    if n > 3:
        xs = [n]
    else:
        xs = {n}
    return len(xs)
