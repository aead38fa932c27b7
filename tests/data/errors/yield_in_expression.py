def f(n: int) -> int:
    k = yield
    k = yield n
    return k
