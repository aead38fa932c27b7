def f(n: int) -> int:
    print(n, sep=3)
    print(n, edn="")
    print(n, file=3)
    return n
