def f(x: int) -> int:
    match x:
        case 1:
            y = 3
        case 2:
            y = 4
    return y
