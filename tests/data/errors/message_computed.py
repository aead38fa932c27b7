def f(x, n: int):
    if n < 0:
        raise ValueError("n is " + "negative")
    assert n > 3, x
    return x
