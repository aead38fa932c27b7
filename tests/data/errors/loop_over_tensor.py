def f(x):
    total = 0.0
    for row in x:
        total += 1.0
    return total
