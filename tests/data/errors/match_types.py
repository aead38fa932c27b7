def f(x: int) -> int:
    match x:
        case "a":
            return 1
        case [a, b]:
            return 2
        case {"a": 3}:
            return 3
        case str():
            return 4
        case float(y):
            return 5
    return 0
