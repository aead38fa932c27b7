import tscript
from tscript import Tensor


@tscript.script
def scale(x: Tensor, by: float = 2.0) -> Tensor:
    """Multiply by a number."""
    return x * by


@tscript.script
def gauss(n: int, *, start: int = 1) -> int:
    total = 0
    for i in range(start, n + 1):
        total += i
    return total


@tscript.script
def pair(n: int, x: float) -> tuple[int, float]:
    assert n < 10, "too large"
    return n // 2, x / n
