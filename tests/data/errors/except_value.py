def f(x: int) -> int:
    try:
        return 10 // x
    except x:
        return 0
