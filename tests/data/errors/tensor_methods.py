def f(x, s: str):
    a = x.append(1)
    b = x + s
    c = x[s]
    d = x.to("float32")
    e = x.reshape("a")
    return x @ 3
