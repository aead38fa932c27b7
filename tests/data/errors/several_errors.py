def f(x: float, n: int) -> int:
    a = missing_one
    b = a + missing_two
    c = a + 1
    if n > missing_three:
        d = 1
    else:
        d = 2
    while missing_four:
        n += 1
    for i in range(missing_five):
        n += i
    return d + n + x[0]
