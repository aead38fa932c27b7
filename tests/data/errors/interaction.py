def f(n: int) -> int:
    name = input("who? ")
    breakpoint()
    return open(name)
