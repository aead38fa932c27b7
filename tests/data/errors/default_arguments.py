def f(a: int = 3, b: list[int] = [], c: str = 5, d: dict[str, int] = {}) -> int:
    return a
