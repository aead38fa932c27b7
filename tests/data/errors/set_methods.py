def f(s: set[int], xs: list[str]) -> int:
    s.add("a")
    s.append(3)
    s.discard("a")
    s.update(xs)
    t = s | xs
    u = s + s
    return s[0]
