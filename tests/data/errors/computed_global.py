import os

LIMIT = int(os.environ.get("LIMIT", "3"))


def f(n: int) -> int:
    return n + LIMIT
