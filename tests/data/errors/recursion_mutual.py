def even(n: int):
    return True if n == 0 else odd(n - 1)


def odd(n: int):
    return False if n == 0 else even(n - 1)


def f(n: int) -> bool:
    return even(n)
