def f(t: tuple[int, str], n: int) -> int:
    a = t + [1]
    b = t * n
    c = t[5]
    d = t.append(3)
    for x in t:
        n += x
    return t < 3
