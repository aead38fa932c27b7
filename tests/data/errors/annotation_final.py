from typing import Annotated, ClassVar, Final


def f(n: Final, m: Annotated) -> int:
    x: Final = 4
    return x
