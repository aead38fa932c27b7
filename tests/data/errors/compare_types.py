def f(xs: list[int], s: str, n: int, d: dict[str, int]) -> bool:
    a = s == n
    b = xs == s
    c = d < d
    e = n < s
    g = None < n
    h = (1, 2) < 3
    return xs == d
