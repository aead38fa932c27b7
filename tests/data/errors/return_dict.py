def f(xs: list[float]) -> dict[str, int]:
    return {"a": "b"}
