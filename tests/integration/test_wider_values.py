"""Values of different types beside each other: containers that are compared, tuples of several lengths, what may be
anything; and too many indices."""

from __future__ import annotations

from typing import Any

import pytest

import tscript
from tests.integration.harness import function_of

BODIES = {
    "dicts": (
        "    d: dict[str, int | None] = {'a': 1}\n    e: dict[str, int] = {'a': 1}\n    f: dict[str, int] = {'a': 2}\n"
        "    return d != e, d == e, e == d, d != f, f != d\n"
    ),
    "lists": (
        "    xs: list[int | None] = [1]\n    ys: list[int] = [1]\n    zs: list[float] = [1.0, 2.0]\n"
        "    return xs != ys, ys == xs, xs == [2], ys == zs, zs[:1] != ys\n"
    ),
    "tuples": "    rows = [(1, 2), (1, 2, 3)]\n    return rows, sum([len(t) for t in rows]), rows[1][-1]\n",
    "anything": "    ys: list[Any] = [x, 1]\n    y = ys[0]\n    if isinstance(y, Tensor):\n        y = y + 1\n"
    "    return y\n",
    "anything in a loop": (
        "    ys: list[Any] = [1, x]\n    y = ys[0]\n    for i in range(2):\n        if isinstance(y, Tensor):\n"
        "            y = y + 1\n"
        "        else:\n            y = ys[1]\n    return y\n"
    ),
    "two indices": "    return x[:, 0]\n",
    "two numbers": "    return x[0, 0]\n",
    "behind an ellipsis": "    return x[..., 0, 1:]\n",
    "written": "    x[:, 0] = 1\n    return x\n",
}


def outcome(function: Any) -> object:
    try:
        found = function(tscript.tensor([1.0, 2.0]))
    except IndexError as error:
        return str(error)
    return found.tolist() if isinstance(found, tscript.Tensor) else found


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_what_python_gives(body: str) -> None:
    plain = function_of(f"from typing import Any\ndef f(x: Tensor):\n{body}")
    assert outcome(tscript.script(plain)) == outcome(plain)
