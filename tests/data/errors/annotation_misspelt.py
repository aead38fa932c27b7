def f(a: itn, b: lst[int], c: Tenser, d: flaot) -> strr:
    return 1
