def f(xs: list[int]) -> int:
    numbered = enumerate(xs)
    back = reversed(xs)
    return len(numbered)
