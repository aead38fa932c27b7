def f(xs: list[int]) -> int:
    xs.append(1, 2)
    xs.append()
    xs.pop(1, 2)
    xs.insert(0)
    xs.extend(xs, xs)
    xs.sort(xs)
    xs.sort(cmp=3)
    return xs.count()
