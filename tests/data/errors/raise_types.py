def f(x: int) -> int:
    if x == 1:
        raise "message"
    if x == 2:
        raise int
    if x == 3:
        raise MissingError("a")
    if x == 4:
        raise ValueError("a", "b", "c") from 3
    if x == 5:
        raise ValueEror("a")
    return 1
