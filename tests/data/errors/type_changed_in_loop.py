def f(n: int) -> str:
    total = 0
    for i in range(n):
        total = str(total) + "0"
    return total
