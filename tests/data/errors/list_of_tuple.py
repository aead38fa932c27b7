def f(n: int) -> list[tuple[int, str]]:
    out = []
    out.append((n, "a"))
    out.append((n, 3))
    out.append(n)
    return out
