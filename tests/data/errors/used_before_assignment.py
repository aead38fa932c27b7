def f(n: int) -> int:
    total = total + n
    return total
