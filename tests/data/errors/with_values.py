def f(x: int, s: str) -> int:
    with s as t:
        pass
    with open("file") as g:
        pass
    with x, s:
        pass
    return 1
