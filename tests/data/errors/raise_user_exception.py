class BadInput(ValueError, KeyError):
    def __init__(self, code: int) -> None:
        self.code = code


def f(n: int) -> int:
    if n < 0:
        raise BadInput(n)
    return n
