def f(x: int) -> str:
    a = type(x)
    b = x.__class__
    c = id(x)
    d = x.__dict__
    return type(x).__name__
