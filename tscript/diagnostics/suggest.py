"""Suggestions for misspelt names."""

from __future__ import annotations

from collections.abc import Iterable


def close_matches(name: str, names: Iterable[str]) -> list[str]:
    """The one of `names` that is `name` misspelt, in a list; empty when none is near enough to be meant.

    A letter that is wrong, missing, too many or swapped with the next one counts as one mistake. Names of up to two
    letters may differ in case only, others by one mistake, or one for every four letters.

    Example:
        >>> close_matches("lenght", ["length", "left"]), close_matches("argsort", ["short"])
        (['length'], [])
    """
    best: tuple[int, str] | None = None
    for candidate in names:
        if candidate.lower() == name.lower() and candidate != name:
            return [candidate]
        shorter, longer = sorted((len(name), len(candidate)))
        allowed = 0 if longer <= 2 else max(1, shorter // 4)
        if candidate == name or abs(len(candidate) - len(name)) > allowed:
            continue
        found = distance(name, candidate, allowed)
        if found <= allowed and (best is None or found < best[0]):
            best = found, candidate
    return [] if best is None else [best[1]]


def meant(name: str, names: Iterable[str]) -> str:
    """The name that was probably meant; empty when none is near."""
    close = close_matches(name, list(names))
    return close[0] if close else ""


def distance(first: str, second: str, most: int) -> int:
    """The number of mistakes between two strings (restricted Damerau-Levenshtein distance); more than `most` are not
    counted.

    Example:
        >>> distance("valeu", "value", 2), distance("a", "abcd", 1)
        (1, 2)
    """
    before: list[int] = []
    row = list(range(len(second) + 1))
    for i, a in enumerate(first, 1):
        last, before, row = before, row, [i]
        for j, b in enumerate(second, 1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (a != b))
            if i > 1 and j > 1 and a == second[j - 2] and b == first[i - 2]:
                cost = min(cost, last[j - 2] + 1)
            row.append(cost)
        if min(row) > most:
            return most + 1
    return min(row[-1], most + 1)
