import math
import torch

LIMIT = 3


def f(values: list[int], count: int) -> int:
    a = valeus
    b = LIMTI
    c = math.sqr(2.0)
    d = torch.sigmiod
    e = lenn(values)
    values.apend(3)
    return f(cuont=3)
