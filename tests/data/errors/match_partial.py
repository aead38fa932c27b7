def f(x: int) -> int:
    match x:
        case 1:
            y = None if x > 9 else x
        case 2:
            y = 4
    return 0 if y is None else y
