def f(n: int = 36893488147419103232, x: float = 36893488147419103232, pair: tuple[int, int] = (1, -36893488147419103232)):
    return n
