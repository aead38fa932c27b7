def f(n: int) -> int:
    xs = []
    return max(xs)
