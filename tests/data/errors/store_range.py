def f(n: int) -> int:
    rs = [range(n)]
    return len(rs)
