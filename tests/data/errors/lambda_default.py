def f(xs: list[int]) -> list[int]:
    k = 3
    return sorted(xs, key=lambda x, k=k: x % k)
