def f(d: dict[str, int], n: int) -> int:
    d.get(n)
    d.pop(n)
    d.add(3)
    d.has_key("a")
    x = d.get("a", "b")
    d.setdefault("a", "b")
    d.update(3)
    return d.get("a")
