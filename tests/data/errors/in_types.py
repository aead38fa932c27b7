def f(xs: list[int], s: str, n: int, d: dict[str, int]) -> bool:
    a = s in xs
    b = n in s
    c = n in d
    e = n in n
    return s not in xs
