def f(s: str | None, xs: list[int] | None) -> str:
    n = len(s)
    xs.append(3)
    for x in xs:
        n += x
    n = xs[0]
    return s.upper()
