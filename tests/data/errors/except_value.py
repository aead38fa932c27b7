def f(n: int) -> int:
    try:
        return 10 // n
    except n:
        return 0
