def f(n: int) -> int:
    xs = []
    xs.append(n)
    xs.append("a")
    return len(xs)
