def f(n: int) -> int:
    match n:
        case 0:
            return 1
    return n
