from os.path import *


def f(x: float) -> float:
    return splitext(x)
