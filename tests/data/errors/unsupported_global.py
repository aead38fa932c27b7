WEIGHTS = [1.0, 2.0]


class Config:
    limit = 3


def f(x: float) -> float:
    WEIGHTS.append(x)
    y = WEIGHTS[0]
    return x + Config.limit
