def f(xs: list[int]) -> int:
    s = set()
    s.add(xs)
    t = {(xs, 1)}
    d = {}
    d[{1}] = 3
    return len(s)
