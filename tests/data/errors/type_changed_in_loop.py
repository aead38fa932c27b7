def f(n: int) -> float:
    total = 0
    for i in range(n):
        total = total + 0.5
    return total
