"""Nests of loops that a program begins with, for calls that go on in other code in the middle of them."""

from __future__ import annotations

import random
from collections.abc import Callable

from tests.fuzz.kinds import BOOL, FLOAT, INT, Kind
from tests.fuzz.statements import Lines, indented

_RESULTS = {INT: "{c} + 1", FLOAT: "{t}", BOOL: "{c} > 3"}


def nests(choices: random.Random, fresh: Callable[[str], str], result: Kind) -> Lines:
    """One or two nests over lists of floats, with counters, handlers of exceptions and early ends.

    Args:
        choices: Draws them.
        fresh: Makes names.
        result: Of the function.
    """
    xs, ys, t, c, told = (fresh(name) for name in ("xs", "ys", "t", "c", "told"))
    lines = [
        f"{xs} = [0.5 * k - {choices.randint(0, 5)}.5 for k in range({choices.randint(1, 9)})]",
        f"{ys} = [1.25 * k for k in range({choices.randint(1, 7)})]",
        f"{t} = 0.0",
        f"{c} = 0",
        f"{told} = ''",
    ]
    names = {"xs": xs, "ys": ys, "t": t, "c": c, "told": told}
    for _ in range(choices.randint(1, 2)):
        lines += _nest(choices, fresh, names, result)
    return [*lines, f"print({t}, {c}, {told})"]


def _nest(choices: random.Random, fresh: Callable[[str], str], names: dict[str, str], result: Kind) -> Lines:
    xs, ys, t, c, told = (names[name] for name in ("xs", "ys", "t", "c", "told"))
    a, b, d, x = (fresh(name) for name in ("a", "b", "d", "x"))

    def some(*forms: Lines, most: int = 2) -> Lines:
        return [line for form in choices.sample(forms, choices.randint(0, most)) for line in form]

    leaving = [f"if {c} == {choices.randint(20, 90)}:", f"    return {_RESULTS.get(result, '').format(**names)}"]
    early: list[Lines] = [leaving] if result in _RESULTS else []
    inner = [
        f"{t} += {x} * {ys}[{d}]",
        f"{c} += {d} % 3",
        *some(
            [f"if {t} > {choices.randint(3, 40)}.0:", f"    {t} *= 0.25"],
            [f"if {c} % 7 == 3:", "    continue"],
            [f"if {t} < -20.0:", "    break"],
            [f"{told} = {told}[-3:] + str({d})"],
            *early,
        ),
    ]
    bound = choices.choice((f"len({ys})", f"len({ys}), 0, -1", f"0, len({ys}), 2", str(choices.randint(1, 9))))
    middle = [
        f"{x} = {xs}[{b}]",
        *some([f"while {c} > 40:", f"    {c} -= 7", f"    {told} += 'w'"], *early, most=1),
        f"for {d} in range({bound}):",
        *indented(inner),
        *some(
            [f"{ys}[{b} % len({ys})] = {t} * 0.125"],
            [f"if {c} == {choices.randint(5, 30)}:", f"    raise ValueError(str({t}))"],
            [f"while {c} > 30:", f"    {c} -= 11", f"    if {c} == 9:", "        break"],
        ),
    ]
    over = [f"for {b} in range(len({xs})):", *indented(middle)]
    if choices.random() < 0.6:
        caught = choices.choice(("(IndexError, ValueError)", "IndexError", "ValueError"))
        e = fresh("e")
        over = ["try:", *indented(over), f"except {caught} as {e}:", f"    {t} -= 1.5", f"    {told} += str({e})"]
        over += choices.choice(([], ["finally:", f"    {c} += 1"]))
    return [f"for {a} in range({choices.randint(1, 5)}):", *indented(over)]
