def f(n: int) -> int:
    xs: list[str] = [n]
    d: dict[str, int] = {n: n}
    s: set[int] = {"a"}
    t: tuple[int, str] = (1, 2)
    o: int | None = "a"
    u: int | str = 1.5
    v: list[int] = (1, 2)
    return 1
