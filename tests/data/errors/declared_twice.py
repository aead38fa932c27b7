def f(n: int) -> int:
    x: int = 1
    x = "a"
    return x
