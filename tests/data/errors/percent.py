def f(n: int, s: str) -> str:
    a = "%d %d" % n
    b = "%d" % s
    c = "%d" % (n, n)
    d = "%q" % n
    e = "%(name)s" % n
    g = "%" % n
    return s
