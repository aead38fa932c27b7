def f(xs: list[int]) -> int:
    xs.append("a")
    xs.insert("0", 3)
    xs.remove("a")
    xs.extend(["a"])
    xs.extend(3)
    return xs.index("b")
