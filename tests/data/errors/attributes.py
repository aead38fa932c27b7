def f(xs: list[int], s: str, n: int, t: tuple[int, int]) -> int:
    a = xs.length
    b = s.len
    c = n.size
    d = t.x
    e = xs.append
    return s.size()
