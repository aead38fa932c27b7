def f(d: dict[str, int], k: str) -> int:
    return d.get(k) + 1
