def f(d: dict[str, int]) -> int:
    names = d.keys()
    numbers = d.values()
    pairs = d.items()
    return len(names)
