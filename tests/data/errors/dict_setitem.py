def f(d: dict[str, int], n: int) -> int:
    d[n] = 3
    d["a"] = "b"
    d["b"] = 1.5
    return d[n]
