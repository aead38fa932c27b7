def f(n: int, s: str, xs: list[int]) -> int:
    n += s
    s += n
    xs += n
    s -= s
    n /= 2
    return n
