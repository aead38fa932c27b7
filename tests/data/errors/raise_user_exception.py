class BadInput(Exception):
    pass


def f(n: int) -> int:
    if n < 0:
        raise BadInput("negative")
    return n
