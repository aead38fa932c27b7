def f(xs: list[int], s: str) -> int:
    s()
    d = {"a": 1}
    d("a")
    return xs(0)
