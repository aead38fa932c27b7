def f(n: int) -> int:
    label = 0
    for i in range(n):
        label = "step"
    return label
