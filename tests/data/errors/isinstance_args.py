def f(x: int | str) -> bool:
    a = isinstance(x)
    b = isinstance(x, 3)
    c = isinstance(x, Missing)
    d = isinstance(x, list[int])
    e = isinstance(x, [int, str])
    return isinstance(x, "int")
