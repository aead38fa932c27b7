def f(s: str, xs: list[int], t: tuple[int, str], x: float) -> str:
    a = xs[x]
    b = xs[1:x]
    c = s[x]
    d = xs[None]
    e = xs[0, 1]
    g = s[xs]
    return t["a"]
