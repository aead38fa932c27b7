def f(n: int) -> int:
    if n > 3:
        a = one
    elif two:
        a = three
    else:
        while four:
            a = five
    for i in range(six):
        n += seven if eight else nine
    return n
