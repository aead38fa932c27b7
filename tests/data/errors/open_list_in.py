def f() -> bool:
    xs = []
    return 3 in xs
