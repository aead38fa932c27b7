def f(n: int) -> int:
    class Point:
        x = 3
    return n
