def f(n: int) -> int:
    for i in range(n):
        last = None if i > 9 else i
    return 0 if last is None else last
