def lowest(xs: list[str]) -> int:
    return xs[0] + 1


def middle(d: dict[str, list[str]]) -> int:
    return lowest(d["a"])


def f(d: dict[str, list[str]]) -> int:
    return middle(d)
