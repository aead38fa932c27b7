def f(n: int) -> int:
    assert (n, "message")
    assert n > 3, missing
    return n
