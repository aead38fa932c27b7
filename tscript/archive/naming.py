"""What an archive calls classes: names that depend on what is in it, and not on what its process made before.

In a process the second class of a name has a number, ``model.2.Net``. In an archive the first class of a name that
occurs has none, whatever number it has in the process.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from tscript.types import Type

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[@%]?[\w.]+')
"""Texts, and what may be the name of a class: those of values and graphs begin with a sign."""

_NUMBER = re.compile(r"\.\d+(?=\.)")


def plain(text: str) -> str:
    """Names of classes without numbers.

    Example:
        >>> plain("list[model.2.Net]")
        'list[model.Net]'
    """
    return _NUMBER.sub("", text)


class Names:
    """The names of the classes of one archive."""

    def __init__(self) -> None:
        self._names: dict[Type, str] = {}
        self._taken: set[str] = set()

    def keep(self, types: Mapping[str, Type]) -> None:
        """Leave classes the names that they have in an archive that they came from."""
        for name, type in types.items():
            if self._names.setdefault(type, name) == name:
                self._taken.add(name)

    def of(self, type: Type) -> str:
        """The name of a class."""
        found = self._names.get(type)
        if found is None:
            above, _, name = plain(str(type)).rpartition(".")
            found, number = f"{above}.{name}", 1
            while found in self._taken:
                number += 1
                found = f"{above}.{number}.{name}"
            self._names[type] = found
            self._taken.add(found)
        return found

    def others(self, types: Sequence[Type]) -> dict[str, str]:
        """The names of those classes that have another one in the process, by that."""
        named = ((str(type), self.of(type)) for type in types)
        return {there: name for there, name in named if there != name}


def in_text(text: str, others: Mapping[str, str]) -> str:
    """IR, or a type, with other names of classes.

    Args:
        text: The text.
        others: The names to write, by those in the text.

    Example:
        >>> in_text('%0: list[m.2.P] = call @m.2.P("m.2.P", m.2.P.RED)', {"m.2.P": "m.P"})
        '%0: list[m.P] = call @m.2.P("m.2.P", m.P.RED)'
    """

    def name(found: re.Match[str]) -> str:
        token = found.group()
        if token in others:
            return others[token]
        above, dot, last = token.rpartition(".")
        return f"{others[above]}.{last}" if dot and above in others else token

    return _TOKEN.sub(name, text) if others else text


def in_default(item: Any, others: Mapping[str, str]) -> Any:
    """A default as `value_json` made it, with other names of classes."""
    tag, value = item
    if tag == "tuple":
        return [tag, [in_default(v, others) for v in value]]
    return [tag, [others.get(value[0], value[0]), value[1]]] if tag == "member" else item


def in_class(spec: Mapping[str, Any], others: Mapping[str, str]) -> dict[str, Any]:
    """What an archive says of a class, with other names of classes."""
    out = {**spec, "name": others.get(spec["name"], spec["name"])}
    if spec.get("base"):
        out["base"] = others.get(spec["base"], spec["base"])
    if "fields" in spec:
        out["fields"] = [[name, in_text(type, others)] for name, type in spec["fields"]]
    return out
