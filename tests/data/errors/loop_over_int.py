def f(n: int) -> int:
    total = 0
    for i in n:
        total += i
    return total
