def f(len: int, xs: list[int]) -> int:
    return len(xs)
