def f(xs: list[int]) -> int:
    d = {xs: 1}
    s = {[1, 2], [3]}
    e: dict[list[int], int] = {}
    return len(s)
