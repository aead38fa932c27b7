def f(n: int) -> str:
    a = "{} {}".format(n)
    b = "{name}".format(n)
    c = "{0} {}".format(n, n)
    d = "{".format(n)
    e = "{5}".format(n)
    g = "{0.size}".format(n)
    h = "{0[1]}".format(n)
    return "{!z}".format(n)
