def f(n: int) -> int:
    d = {"a": 1, "b": "c"}
    e = {"a": 1, 2: 3}
    return len(d)
