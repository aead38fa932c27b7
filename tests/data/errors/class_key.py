class K:
    def __init__(self, k: int):
        self.k = k

    def __eq__(self, other: "K") -> bool:
        return self.k == other.k

    def __hash__(self) -> int:
        return self.k


def f(n: int) -> int:
    return {K(n): 1}[K(n)]
