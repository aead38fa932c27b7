def first(xs: list, n):
    return xs[0] + n


def total(xs, start=0):
    for x in xs:
        start += x
    return start


def f(n: int, s: str):
    a = first([n], s)
    b = total(n)
    c = total([n], s)
    d = first(n, n)
    return total([n], 1.5) + missing
