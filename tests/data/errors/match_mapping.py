def f(d: dict[str, int]) -> int:
    match d:
        case {"a": n, **rest}:
            return n
    return 0
