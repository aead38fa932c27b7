def f(n: int):
    text = f"{n} items"
    return n
