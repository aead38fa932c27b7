def f(a: float):
    assert a > 0.0, f"found {a:.2f}"
    return a
