def f(x: float) -> int:
    total = 0
    for i in range(x):
        total += i
    for i in range(1, 2, 3, 4):
        total += i
    return total
