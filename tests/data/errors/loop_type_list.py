def f(n: int) -> int:
    xs = [1]
    for i in range(n):
        xs = ["a"]
    if n > 3:
        xs = {}
    return len(xs)
