"""`OperatorIndex`: the names of all operators, without their definitions."""

from __future__ import annotations

from collections.abc import Mapping

from tscript.late import dataclass


@dataclass(frozen=True, slots=True)
class OperatorIndex:
    """The names of operators that belong to groups.

    Attributes:
        visible: Qualified names of user-visible operators, in resolution order.
        group_of: The number of the group of each operator, by qualified name; the visible ones first.
        paths: See `tscript.definitions.operator_names.OperatorNames`.
    """

    visible: tuple[str, ...]
    group_of: Mapping[str, int]
    paths: Mapping[str, str]


def read_index(names: str, hidden: str, paths: str) -> OperatorIndex:
    """The index of three texts of words.

    Args:
        names: Qualified names; a ``|`` stands before each group but the first.
        hidden: The same of operators that nobody calls by name.
        paths: Paths, those of each plain name behind ``name:``.

    Example:
        >>> read_index("abs neg | relu", "| hidden", "relu: torch.relu").group_of
        {'abs': 0, 'neg': 0, 'relu': 1, 'hidden': 1}
    """
    group_of: dict[str, int] = {}
    visible = 0
    for text in (names, hidden):
        group = 0
        for word in text.split():
            if word == "|":
                group += 1
            else:
                group_of[word] = group
        visible = visible or len(group_of)
    called: dict[str, str] = {}
    plain = ""
    for word in paths.split():
        if word[-1] == ":":
            plain = word[:-1]
        else:
            called[word] = plain
    return OperatorIndex(tuple(group_of)[:visible], group_of, called)
