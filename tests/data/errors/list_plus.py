def f(xs: list[int], ys: list[str], n: int) -> list[int]:
    a = xs + n
    b = xs + ys
    c = xs * ys
    d = xs - xs
    e = xs < ys
    g = xs & xs
    return [1, 2] + (1, 2)
