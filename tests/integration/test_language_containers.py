"""Lists, tuples, dicts and sets do in scripted code what they do in Python, errors included."""

from __future__ import annotations

from typing import Any

import pytest

ROWS: list[tuple[str, str, list[tuple[Any, ...]]]] = [
    (
        'xs: list[int]',
        'return xs.index(9)',
        [([1],)],
    ),
    (
        'xs: list[tuple[int, str]]',
        'return xs.index((2, "a"))',
        [([(1, 'a')],)],
    ),
    (
        'xs: list[int]',
        'return xs.pop()',
        [([],), ([1],)],
    ),
    (
        'xs: list[int], i: int',
        'return xs.pop(i)',
        [([1], 3), ([1, 2], 0)],
    ),
    (
        'xs: list[int]',
        'xs[1:2] = [7, 8, 9]\n    xs[::2] = [0] * len(xs[::2])\n    del xs[0:4:2]\n    return xs',
        [([1, 2, 3],)],
    ),
    (
        'xs: list[int]',
        'xs[::2] = [1]\n    return xs',
        [([1, 2, 3],)],
    ),
    (
        'xs: list[int]',
        'xs[0:0] = range(3)\n    xs[:1] = (9, 8)\n    xs[len(xs):] = {5}\n    xs[:0] = [i for i in range(2)]\n'
        '    return xs',
        [([1, 2, 3],)],
    ),
    (
        'xs: list[int]',
        'xs[:0] = (i for i in range(2))\n    xs[:0] = map(abs, [-1])\n    return xs',
        [([1, 2, 3],)],
    ),
    (
        'xs: list[int]',
        'xs.extend(range(3))\n    xs.extend(x for x in [7])\n    xs.extend((1,))\n    xs.extend({2: 3})\n'
        '    xs.insert(0, 5)\n    xs.insert(-1, 6)\n    xs.append(1)\n    xs.reverse()\n    xs.sort()\n'
        '    xs.sort(reverse=True)\n    xs.sort(key=lambda x: -x)\n    return xs',
        [([1],)],
    ),
    (
        'xs: tuple[int, ...], ys: tuple[int, ...]',
        'return (xs < ys, xs == ys, xs + ys, xs * 2, xs[0], xs[1:], xs[::-1], len(xs), 1 in xs, xs.index(1), '
        'xs.count(1), sum(xs), max(xs), sorted(xs), list(xs), tuple(xs), bool(xs), hash(xs) == hash(ys))',
        [((1, 2), (1, 3))],
    ),
    (
        'xs: tuple[int, ...]',
        'a, b = xs\n    return a * b',
        [((1, 2),), ((1,),), ((1, 2, 3),)],
    ),
    (
        'xs: tuple[int, ...]',
        'return xs.index(9)',
        [((1, 2),)],
    ),
    (
        'xs: tuple[int, int, int]',
        'return (xs.index(2), xs.count(1), sum(xs), max(xs), sorted(xs), list(xs), tuple(xs), bool(xs), (0, '
        '*xs, 5), [*xs], {*xs})',
        [((1, 2, 1),)],
    ),
    (
        'xs: tuple[int, int, int], i: int',
        'return xs[i]',
        [((1, 2, 1), 1)],
    ),
    (
        'xs: list[int]',
        'a, *b, c = xs\n    return (a, b, c)',
        [([1, 2, 3, 4],), ([1],), ([1, 2],)],
    ),
    (
        'd: dict[str, int]',
        '(k, v), *r = d.items()\n    return (k, v, r)',
        [({'a': 1, 'b': 2},)],
    ),
    (
        'd: dict[str, int]',
        'a, b = d\n    return a + b',
        [({'a': 1, 'b': 2},)],
    ),
    (
        'xs: list[list[int]]',
        'return (xs == [[1], [2]], [1] in xs, xs.count([1]), xs[0] + xs[1], [x[:] for x in xs], xs.index([2]))',
        [([[1], [2]],)],
    ),
    (
        'd: dict[str, int]',
        'return (dict.fromkeys(["a", "b"], 0), dict.fromkeys("ab", 1), dict.fromkeys(d, 2), '
        'dict.fromkeys(range(2), 0.5))',
        [({'q': 1},)],
    ),
    (
        'd: dict[str, int], e: dict[str, int]',
        'return (d | e, e | d, d == e, d != e, "a" in d, "z" not in d, len(d), bool(d), d.get("a"), '
        'd.get("z"), d.get("z", 9), d.copy())',
        [({'a': 1}, {'a': 2, 'b': 3})],
    ),
    (
        'd: dict[str, int], e: dict[str, int]',
        'd |= e\n    d["c"] = 4\n    d.update(z=1)\n    d.update({"y": 2})\n    d.update([("w", 3)])\n'
        '    d["c"] += 1\n    x = d.pop("c")\n    y = d.pop("nope", -1)\n    z = d.setdefault("k", 5)\n'
        '    w = d.setdefault("k", 6)\n    it = d.popitem()\n    del d["a"]\n    return (d, x, y, z, w, it)',
        [({'a': 1}, {'a': 2, 'b': 3})],
    ),
    (
        'd: dict[str, int]',
        'return d["z"]',
        [({'a': 1},)],
    ),
    (
        'd: dict[tuple[int, str], int]',
        'return d[(5, "a")]',
        [({(1, 'b'): 1},)],
    ),
    (
        'd: dict[bool, int]',
        'return d[True]',
        [({},)],
    ),
    (
        'd: dict[str, int]',
        'del d["z"]\n    return d',
        [({'a': 1},)],
    ),
    (
        's: set[int]',
        's.remove(9)\n    return s',
        [({1},), ({9},)],
    ),
    (
        'd: dict[str, int]',
        'return d.get("z", None)',
        [({'a': 1},)],
    ),
    (
        'd: dict[str, list[int]]',
        'd.setdefault("a", []).append(1)\n    d["b"] = []\n    d["b"].append(2)\n    d.get("c", []).append(3)\n'
        '    return d',
        [({},)],
    ),
    (
        'd: dict[int, int]',
        'for k, v in d.items():\n        d.pop(k)\n    return d',
        [({1: 1, 2: 2},)],
    ),
    (
        's: set[int]',
        'for k in s:\n        s.add(k + 1)\n    return s',
        [({1},)],
    ),
    (
        'd: dict[str, int]',
        'return ([k for k in d.keys()], [v for v in d.values()], {v: k for k, v in d.items()}, {k for k in d}, '
        '[k + str(v) for k, v in d.items() if v], "a" in d.keys(), 1 in d.values(), ("a", 1) in d.items())',
        [({'a': 1},)],
    ),
    (
        'd: dict[str, int]',
        'return (sorted(d.items(), key=lambda kv: (-kv[1], kv[0])), max(d.items(), key=lambda kv: kv[1]), '
        'sum(d.values()), list(zip(d.keys(), d.values())), list(enumerate(d)), list(enumerate(d.items())), '
        '[i for i, (k, v) in enumerate(d.items())])',
        [({'a': 1, 'b': 5},)],
    ),
    (
        's: set[int], t: set[int]',
        'return (s | t, s & t, s - t, s ^ t, s <= t, s < t, s >= t, s > t, s == t, s != t, s.union(t, [9]), '
        's.intersection(t), s.difference(t, [1]), s.symmetric_difference(t), s.issubset(t), s.issuperset([1]), '
        's.isdisjoint(t), len(s), 1 in s, bool(s), s.copy(), sorted(s))',
        [({1, 2}, {2, 3})],
    ),
    (
        's: set[int], t: set[int]',
        's |= t\n    s &= {1, 2, 3}\n    s -= {1}\n    s ^= {7}\n    s.update([4], (5,))\n    s.discard(4)\n'
        '    s.add(9)\n    s.intersection_update([5, 9, 7])\n    s.difference_update({9})\n    return s',
        [({1, 2}, {2, 3})],
    ),
    (
        'x: int | None',
        'return (x or 3, x and 4, x if x else None, x is not None and x > 2, x is None or x < 2)',
        [(None,), (0,), (5,)],
    ),
    (
        'x: int | None, y: int | None',
        'return x or y',
        [(None, 3), (0, None), (2, None)],
    ),
    (
        'xs: list[int]',
        'return ([y for x in xs if (y := x * 2) > 2], [(z := x) for x in xs], (n := len(xs)) + n)',
        [([1, 2, 3],)],
    ),
    (
        'n: int',
        't = 0\n    for x in (1, 2, 3):\n        if x == 2:\n            continue\n        if x == n:\n'
        '            break\n        t += x\n    else:\n        t = -1\n    return t',
        [(3,), (9,)],
    ),
    (
        'n: int',
        't = 0\n    for x in {1, 2}:\n        t += x\n    else:\n        t += 10\n'
        '    for a, b in {1: 2}.items():\n        t += b\n        break\n    else:\n        t = -1\n'
        '    while t > 5:\n        t -= 3\n        if t == 6:\n            break\n    else:\n        t = -t\n'
        '    return t',
        [(3,)],
    ),
    (
        'xs: list[int | None]',
        'return ([x for x in xs if x is not None], [0 if x is None else x for x in xs], '
        'sum(x for x in xs if x is not None), xs.count(None), None in xs)',
        [([1, None, 3],)],
    ),
    (
        'x: int',
        'return (x, "a", [x], {"k": (x, 2.0)}, {x}, None, True)',
        [(3,)],
    ),
    (
        'xs: list[int]',
        'return [*xs, 5, *xs, *range(2), *{7}]',
        [([1, 2],)],
    ),
    (
        'xs: list[int]',
        'return {*xs, 5}',
        [([1, 2],)],
    ),
    (
        'a: int, b: int',
        'return (a if a > b else b, (a, b)[a > b], [a, b][0], not a, a and b, a or b)',
        [(1, 2), (0, 5)],
    ),
    (
        'a: int',
        'x = y = [a]\n    x.append(1)\n    return (x, y, x is y)',
        [(3,)],
    ),
    (
        'xs: list[int]',
        'return (list(zip(xs, range(3))), list(reversed(range(4))), list(enumerate(range(2, 9, 3))), '
        'range(5)[2], range(9, 0, -2)[-1])',
        [([1, 2],)],
    ),
    (
        'd: dict[str, int]',
        '(k, v), *r = d.items()\n    return (k, v, r)',
        [({'a': 1, 'b': 2},)],
    ),
    (
        'n: int',
        'a, b, c = range(n)\n    return a + b + c',
        [(3,), (2,)],
    ),
    (
        'xs: list[int | None]',
        'return sum(x for x in xs if x is not None)',
        [([1, None, 3],)],
    ),
    (
        'n: int, xs: list[int], d: dict[int, int]',
        'a: list[int | None] = list(xs)\n    b: set[int | None] = set(xs)\n    c: tuple[int | None, ...] = tuple(xs)\n'
        '    e: dict[int, int | None] = dict(d)\n    g: dict[int, int | None] = dict(zip(xs, xs))\n'
        '    g.update({n: n})\n'
        '    for t in (a, [None]):\n        a += t\n    return (a, b, c, e, g)',
        [(3, [1, 2, 1], {5: 6})],
    ),
    (
        'n: int, xs: list[int | None]',
        'a, *b = [n, *xs]\n    t = (n, n) if n > 2 else tuple([n] * n)\n'
        '    return (a, b, {n, *xs}, t, [tuple([n] * n), (1, 2)], ((n,) + tuple([]))[:3], [(), *[tuple([n])]])',
        [(3, [4, None]), (1, [])],
    ),
    (
        'xs: list[int], n: int',
        'a: list[int | str] = list(reversed(["a", n]))\n    b: dict[str, int | str] = dict(zip(["a", "b"], [n, "c"]))\n'
        '    c: list[tuple[int, int | str]] = list(enumerate([n, "a"]))\n'
        '    d: list[int | str] = list(["a", n])\n    e = []\n'
        '    for v in [n, "b", None, 2.5, True]:\n        e.append(str(v))\n'
        '    g = [isinstance(v, str) for v in reversed([n, "a"])]\n'
        '    return (a, b, c, d, e, g, [None, None] + xs.copy(), [None] * n + [1], [n].copy() + [None], '
        'xs + [None] * n)',
        [([1, 2], 3), ([], 0)],
    ),
    (
        'xs: list[str], n: int',
        'x = xs[0]\n    t = (x, n)\n    xs.clear()\n    xs.append("other" + str(n))\n    return t',
        [(['abc'], 1)],
    ),
]  # fmt: skip


@pytest.mark.parametrize(("parameters", "body", "calls"), ROWS)
def test_as_in_python(harness: Any, parameters: str, body: str, calls: list[tuple[Any, ...]]) -> None:
    harness.agree_all(f"def f({parameters}):\n    {body}\n", calls)
