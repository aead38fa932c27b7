def f() -> float:
    a = int("twelve")
    return float("one")
