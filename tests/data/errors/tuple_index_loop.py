def f(t: tuple[int, str]) -> int:
    n = 0
    for i in range(2):
        n += t[i]
    return n
