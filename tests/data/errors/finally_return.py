def f(n: int) -> int:
    try:
        x = 10 // n
    finally:
        n = missing
    return x
