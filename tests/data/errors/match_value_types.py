def f(x: int | str | None) -> int:
    match x:
        case int(size=r):
            return r
        case str(a, b):
            return 2
    return 0
