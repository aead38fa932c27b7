def f(s: str, b: bytes) -> str:
    c = s + b
    d = s == b
    e = b.decode("utf-8", 3)
    g = b"a" in s
    return b
