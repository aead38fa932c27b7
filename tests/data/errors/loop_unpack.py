def f(xs: list[int], d: dict[str, int]) -> int:
    for a, b in xs:
        pass
    for i, j, k in enumerate(xs):
        pass
    for a, b, c in d.items():
        pass
    return 1
