import tscript


@tscript.ignore
def silent(n: int):
    return n


@tscript.ignore
def host(n: int) -> str:
    return undefined


@tscript.jit.unused
def left_out(n: int) -> str:
    yield undefined


def f(n: int) -> int:
    silent(n)
    host("a")
    left_out(n, n)
    tscript.annotate(list[int], "a")
    tscript.annotate(list[int])
    if not tscript.is_scripting():
        return undefined
    return host(n)
