def f(x: int | str | list[int]) -> str:
    n = len(x)
    for y in x:
        n += 1
    z = x[0]
    x.foo = 3
    w = x.name
    return x.upper()
