def f(n: int) -> int:
    import math
    from math import gcd
    return gcd(n, 12)
