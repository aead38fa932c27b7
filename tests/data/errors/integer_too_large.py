def f(n: int) -> int:
    return n + 36893488147419103232
