def f(value: int) -> int:
    return valeu + scale
