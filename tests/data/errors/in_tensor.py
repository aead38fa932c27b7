def f(x) -> bool:
    return 3 in x
