def f(s: str, n: int) -> str:
    a = s.uper()
    b = s.replace(1, 2)
    c = s.split(3)
    d = s.join([1, 2])
    e = s.startswith(1)
    g = s.center("3")
    s[0] = "a"
    del s[0]
    h = s["a"]
    return s.encode("utf-8")
