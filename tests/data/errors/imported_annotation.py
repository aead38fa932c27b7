from fractions import Fraction
from pathlib import Path

Third = Fraction(1, 3)


def f(a: Path, b: Third, c: Fraction):
    return a
