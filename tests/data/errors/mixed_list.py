def f(n: int) -> int:
    xs = [1, "two"]
    ys = [n, None, "a"]
    return len(xs)
