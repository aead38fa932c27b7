def f(a: int, b: int, c: int, d: int):
    assert a > 0, f"{a} {b} {c} {d} {a} {b} {c}"
    return a
