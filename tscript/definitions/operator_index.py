"""`OperatorIndex`: the names of all operators, without their definitions."""

from __future__ import annotations

from collections.abc import Mapping

from tscript.late import dataclass


@dataclass(frozen=True, slots=True)
class OperatorIndex:
    """The names of operators that belong to groups.

    Attributes:
        kinds: The qualified names of user-visible operators, in resolution order, and the kind of the first parameter
            of each, see `tscript.definitions.table.first_kind`.
        group_of: The number of the group of each operator, by qualified name; the visible ones first.
        paths: See `tscript.definitions.operator_names.OperatorNames`.
    """

    kinds: Mapping[str, str]
    group_of: Mapping[str, int]
    paths: Mapping[str, str]


def read_index(names: str, hidden: str, paths: str) -> OperatorIndex:
    """The index of three texts of words.

    Args:
        names: Qualified names, behind a ``:`` the kind of the first parameter; a ``|`` stands before each group but the
            first.
        hidden: The same, without kinds, of operators that nobody calls by name.
        paths: Paths, those of each plain name behind ``name:``.

    Example:
        >>> read_index("abs.int:int pi: | relu:Tensor", "| hidden", "relu: torch.relu").group_of
        {'abs.int': 0, 'pi': 0, 'relu': 1, 'hidden': 1}
    """
    group_of: dict[str, int] = {}
    kinds: dict[str, str] = {}
    group = 0
    for word in names.split():
        if word == "|":
            group += 1
        else:
            name, _, kind = word.partition(":")
            kinds[name], group_of[name] = kind, group
    group = 0
    for word in hidden.split():
        if word == "|":
            group += 1
        else:
            group_of[word] = group
    called: dict[str, str] = {}
    plain = ""
    for word in paths.split():
        if word[-1] == ":":
            plain = word[:-1]
        else:
            called[word] = plain
    return OperatorIndex(kinds, group_of, called)
