def f(x, n=3, name: int = "a", t: tuple[int, int] = (1, 2.5)):
    return x
