def f(n: int) -> int:
    for i in range(n):
        last = i
    return last + i
