def f(n: int) -> int:
    def fact(k: int):
        return 1 if k == 0 else k * fact(k - 1)
    return fact(n)
