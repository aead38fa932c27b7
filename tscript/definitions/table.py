"""`OperatorTable`: a set of operators, and how names reach them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from itertools import chain
from typing import TypeVar, overload

from tscript.definitions.opdef import OpDef
from tscript.definitions.operator_index import OperatorIndex
from tscript.definitions.operator_names import OperatorNames

R = TypeVar("R")
T = TypeVar("T")

Group = Callable[[], tuple[Sequence[OpDef], Sequence[OpDef]]]
"""Imports the operators of a group: those that users can name, and those that nobody calls by name."""


def first_kind(op: OpDef) -> str:
    """The kind of the first parameter; empty where there is none that takes arguments by position."""
    parameters = op.schema.parameters
    return parameters[0].kind if parameters and not parameters[0].keyword_only else ""


class _Grouped(Mapping[str, OpDef]):
    """Operators by name. A group is imported when one of its operators is asked for."""

    def __init__(self, groups: Sequence[Group], index: OperatorIndex) -> None:
        self._groups = groups
        self._index = index
        self._found: dict[str, OpDef] = {}

    def __getitem__(self, name: str) -> OpDef:
        found = self._found.get(name)
        if found is None:
            for operators in self._groups[self._index.group_of[name]]():
                self._found.update((op.name, op) for op in operators)
            found = self._found[name]
        return found

    def __contains__(self, name: object) -> bool:
        return name in self._index.group_of

    def __iter__(self) -> Iterator[str]:
        return iter(self._index.group_of)

    def __len__(self) -> int:
        return len(self._index.group_of)


class _Extended(Mapping[str, OpDef]):
    """Operators by name, and one more."""

    def __init__(self, operators: Mapping[str, OpDef], op: OpDef) -> None:
        self._base: Mapping[str, OpDef] = operators._base if isinstance(operators, _Extended) else operators
        self._added: dict[str, OpDef] = {**(operators._added if isinstance(operators, _Extended) else {}), op.name: op}

    def __getitem__(self, name: str) -> OpDef:
        return self._added.get(name) or self._base[name]

    def __contains__(self, name: object) -> bool:
        return name in self._added or name in self._base

    def __iter__(self) -> Iterator[str]:
        return chain(self._base, self._added)

    def __len__(self) -> int:
        return len(self._base) + len(self._added)


class _AsOf(Mapping[str, OpDef]):
    """Operators by name, in earlier versions."""

    def __init__(self, operators: Mapping[str, OpDef], versions: Mapping[str, int]) -> None:
        self._operators = operators
        self._versions = versions

    def __getitem__(self, name: str) -> OpDef:
        op = self._operators[name]
        version = self._versions.get(name, 1)
        return self._operators[op.earlier[version - 1]] if version < op.version else op

    def __contains__(self, name: object) -> bool:
        return name in self._operators

    def __iter__(self) -> Iterator[str]:
        return iter(self._operators)

    def __len__(self) -> int:
        return len(self._operators)


class OperatorTable:
    """An immutable set of operators.

    Attributes:
        names: Plain names of user-visible operators (``add``), sorted.
        called: How users' names reach them.

    Example:
        >>> from tscript.operators.table import TABLE
        >>> TABLE["add.int"].name, [op.name for op in TABLE.overloads("size")]
        ('add.int', ['size', 'size.int'])
        >>> TABLE.function("torch.special.expit"), TABLE.function("torch.linalg.relu")
        ('sigmoid', None)
    """

    __slots__ = ("_by_name", "_kinds", "_overloads", "called", "names")

    def __init__(self, operators: Iterable[OpDef], *, hidden: Iterable[OpDef] = ()) -> None:
        """Gather `operators` (user-visible, in resolution order) and `hidden` ones (known by qualified name only).

        Raises:
            ValueError: Two operators have one qualified name, or one path.
        """
        visible = tuple(operators)
        by_name: dict[str, OpDef] = {}
        paths: dict[str, str] = {}
        for op in (*visible, *hidden):
            if op.name in by_name:
                raise ValueError(f"two operators are named {op.name}")
            by_name[op.name] = op
        for op in visible:
            name = op.schema.name
            for path in op.names.paths:
                if paths.setdefault(path, name) != name:
                    raise ValueError(f"two operators are called {path}: {paths[path]} and {name}")
        self._fill({op.name: first_kind(op) for op in visible}, by_name, OperatorNames(paths))

    @classmethod
    def of_groups(cls, groups: Sequence[Group], index: OperatorIndex) -> OperatorTable:
        """A table that imports operators when they are asked for: `index` says which group each one is in."""
        found = object.__new__(cls)
        found._fill(index.kinds, _Grouped(groups, index), OperatorNames(index.paths))
        return found

    def _fill(self, kinds: Mapping[str, str], by_name: Mapping[str, OpDef], called: OperatorNames) -> None:
        self._kinds, self._by_name, self.called = kinds, by_name, called
        overloads: dict[str, list[str]] = {}
        for name in kinds:
            overloads.setdefault(name.partition(".")[0], []).append(name)
        self._overloads: Mapping[str, Sequence[str]] = overloads
        self.names: tuple[str, ...] = tuple(sorted(overloads))

    @property
    def operators(self) -> tuple[OpDef, ...]:
        """The user-visible operators, in resolution order."""
        return tuple(self._by_name[name] for name in self._kinds)

    @property
    def paths(self) -> Mapping[str, str]:
        """See `OperatorNames`."""
        return self.called.paths

    @property
    def methods(self) -> Mapping[str, str]:
        """See `OperatorNames`."""
        return self.called.methods

    @property
    def functions(self) -> Mapping[str, str]:
        """See `OperatorNames`."""
        return self.called.functions

    @property
    def math(self) -> Mapping[str, str]:
        """See `OperatorNames`."""
        return self.called.math

    def function(self, path: str) -> str | None:
        """See `OperatorNames`."""
        return self.called.function(path)

    def homes(self, name: str) -> tuple[str, ...]:
        """See `OperatorNames`."""
        return self.called.homes(name)

    def extended(self, op: OpDef) -> OperatorTable:
        """This table with one more operator, a new one: tables never change.

        Raises:
            ValueError: There is an operator of that name.
        """
        if op.name in self:
            raise ValueError(f"there is an operator {op.name} already")
        found = copy(self)
        found._by_name = _Extended(self._by_name, op)
        found._kinds = {**self._kinds, op.name: first_kind(op)}
        found._overloads = {**self._overloads, op.schema.name: [*self._overloads.get(op.schema.name, ()), op.name]}
        found.names = tuple(sorted(found._overloads))
        return found

    def as_of(self, versions: Mapping[str, int]) -> OperatorTable:
        """This table for a program that was written with these `versions` of operators, all others being in their
        first: names of operators that mean something else by now are those of what still means the same.

        Raises:
            KeyError: An operator has no such version yet.
        """
        for name, version in versions.items():
            if name not in self._by_name or version > self._by_name[name].version:
                raise KeyError(f"it uses version {version} of the operator {name!r}")
        found = copy(self)
        found._by_name = _AsOf(self._by_name, versions)
        return found

    def of_kind(self, kind: str) -> Iterator[OpDef]:
        """The user-visible operators whose overload is named after a kind of their first parameter: ``upper.str``,
        ``index.list_from``."""
        for name in self._kinds:
            if name.partition(".")[2].partition("_")[0] == kind:
                yield self._by_name[name]

    def namespace(self, name: str) -> tuple[str, ...]:
        """The names of the operators in a namespace, ``("f", "g")`` for ``mylib::f`` and ``mylib::g``; empty when there
        is none."""
        start = f"torch.ops.{name}."
        own = [path.removeprefix(start) for path in self.paths if path.startswith(start)]
        return (*own, *(n.partition("::")[2] for n in self.names if n.startswith(f"{name}::")))

    def of_namespace(self, space: str, name: str) -> str:
        """The plain name of an operator in a namespace, whether a program defines it or it is built in.

        Example:
            >>> from tscript.operators.table import TABLE
            >>> TABLE.of_namespace("torchvision", "nms"), TABLE.of_namespace("mylib", "f")
            ('torchvision_nms', 'mylib::f')
        """
        return self.function(f"torch.ops.{space}.{name}") or f"{space}::{name}"

    def __getitem__(self, qualified_name: str) -> OpDef:
        """The operator with this qualified name; ``add.Tensor`` finds ``add``, whose overload has no name.

        Raises:
            KeyError: There is none.
        """
        found = self._by_name.get(qualified_name)
        if found is None and qualified_name.endswith(".Tensor"):
            found = self._by_name.get(qualified_name.removesuffix(".Tensor"))
        if found is None:
            raise KeyError(f"there is no operator {qualified_name!r}")
        return found

    def __iter__(self) -> Iterator[OpDef]:
        """All operators, those that nobody can name too."""
        return map(self._by_name.__getitem__, self._by_name)

    def __contains__(self, qualified_name: object) -> bool:
        return qualified_name in self._by_name

    def has_overloads(self, name: str) -> bool:
        """Whether there are operators with this plain name."""
        return name in self._overloads or name in self._by_name

    def is_visible(self, op: OpDef) -> bool:
        """Whether users can name an operator."""
        return op.name in self._overloads.get(op.schema.name, ())

    def candidates(self, name: str, takes: Callable[[str], bool]) -> Iterator[OpDef]:
        """The `overloads`, without those whose first parameter is of a kind that does not take the first argument. Each
        is imported when the one before it was tried."""
        if name in self._overloads:
            for qualified in self._overloads[name]:
                if takes(self._kinds[qualified]):
                    yield self._by_name[qualified]
        else:
            yield from self.overloads(name)

    def overloads(self, name: str) -> tuple[OpDef, ...]:
        """The user-visible operators with this plain name, in the order in which they are tried. If there is none, the
        one with this name that only bodies call: compiled code that does not know a dtype looks it up, too."""
        if name in self._overloads:
            return tuple([self._by_name[qualified] for qualified in self._overloads[name]])
        return (self._by_name[name],) if name in self._by_name else ()


class ByOperator(Mapping[OpDef, R]):
    """Something for each of some operators.

    An operator is looked up by its name, and has an entry if it is the one of the table. So the operators that have
    entries are not imported.

    Args:
        entries: By qualified name.
        table: What the names mean.
    """

    __slots__ = ("_entries", "_table")

    def __init__(self, entries: Mapping[str, R], table: OperatorTable) -> None:
        self._entries = entries
        self._table = table

    def __getitem__(self, op: OpDef) -> R:
        if op not in self:
            raise KeyError(op)
        return self._entries[op.name]

    def __contains__(self, op: object) -> bool:
        return (
            isinstance(op, OpDef) and op.name in self._entries and op.name in self._table and self._table[op.name] is op
        )

    @overload
    def get(self, key: OpDef, /) -> R | None: ...
    @overload
    def get(self, key: OpDef, /, default: R | T) -> R | T: ...
    def get(self, key: OpDef, /, default: object = None) -> object:
        """The entry of an operator; the default where it has none."""
        return self._entries[key.name] if key.name in self._entries and key in self else default

    def __iter__(self) -> Iterator[OpDef]:
        return (self._table[name] for name in self._entries if name in self._table)

    def __len__(self) -> int:
        return sum(name in self._table for name in self._entries)
