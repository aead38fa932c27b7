def f(x, n: int) -> int:
    setattr(x, "scale", n)
    m = getattr(x, "scale")
    delattr(x, "scale")
    return vars(x)["scale"] + m
