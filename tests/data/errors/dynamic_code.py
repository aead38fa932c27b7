def f(n: int) -> int:
    exec("n = 3")
    m = eval("n + 1")
    k = compile("n", "f", "eval")
    return globals()["n"] + locals()["m"] + __import__("os").getpid()
