from tscript.dialect import i64


def f(x: i64) -> i64:
    try:
        return x
    except ValueError:
        return x
