from dataclasses import dataclass


class K:
    def __init__(self, k: int):
        self.k = k

    def __eq__(self, other: "K") -> bool:
        return self.k == other.k


@dataclass
class D:
    k: int


def f(n: int) -> int:
    found: set[D] = set()
    return {K(n): 1}[K(n)] + len(found) + len({(D(n), 1)})
