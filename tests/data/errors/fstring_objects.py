def f(xs: list[int], n: int | None, x) -> str:
    return f"{xs:>10} {n:d} {x:.3f}"
