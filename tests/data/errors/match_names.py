def f(x: int | str) -> int:
    match x:
        case int() | str() as y:
            return y
    return 0
