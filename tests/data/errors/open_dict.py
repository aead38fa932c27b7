def f(n: int):
    d = {}
    s = set()
    k = d.get("a")
    for x in s:
        print(x)
    return d
