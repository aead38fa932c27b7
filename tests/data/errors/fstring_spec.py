def f(n: int, s: str, x: float) -> str:
    a = f"{n:q}"
    b = f"{s:d}"
    c = f"{x:x}"
    d = f"{n:.3}"
    return f"{missing} {n!r:>10}"
