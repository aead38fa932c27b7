"""`OperatorTable`: a set of operators, and how names reach them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from copy import copy

from tscript.definitions.opdef import OpDef
from tscript.definitions.operator_names import OperatorNames


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

    __slots__ = ("_by_name", "_overloads", "called", "names", "operators")

    def __init__(self, operators: Iterable[OpDef], *, hidden: Iterable[OpDef] = ()) -> None:
        """Gather `operators` (user-visible, in resolution order) and `hidden` ones (known by qualified name only).

        Raises:
            ValueError: Two operators have one qualified name, or one path.
        """
        self.operators: tuple[OpDef, ...] = tuple(operators)
        self._by_name: dict[str, OpDef] = {}
        self._overloads: dict[str, tuple[OpDef, ...]] = {}
        paths: dict[str, str] = {}
        for op in (*self.operators, *hidden):
            if op.name in self._by_name:
                raise ValueError(f"two operators are named {op.name}")
            self._by_name[op.name] = op
        for op in self.operators:
            name = op.schema.name
            self._overloads[name] = (*self._overloads.get(name, ()), op)
            for path in op.names.paths:
                if paths.setdefault(path, name) != name:
                    raise ValueError(f"two operators are called {path}: {paths[path]} and {name}")
        self.names: tuple[str, ...] = tuple(sorted(self._overloads))
        self.called = OperatorNames(paths)

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
        if op.name in self._by_name:
            raise ValueError(f"there is an operator {op.name} already")
        found = object.__new__(OperatorTable)
        found.operators = (*self.operators, op)
        found._by_name = {**self._by_name, op.name: op}
        found._overloads = {**self._overloads, op.schema.name: (*self.overloads(op.schema.name), op)}
        found.names = tuple(sorted(found._overloads))
        found.called = self.called
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
        found._by_name = dict(self._by_name)
        for name, op in self._by_name.items():
            version = versions.get(name, 1)
            if version < op.version:
                found._by_name[name] = self._by_name[op.earlier[version - 1]]
        return found

    def namespace(self, name: str) -> tuple[str, ...]:
        """The plain names of the operators in a namespace, ``("f", "g")`` for ``mylib::f`` and ``mylib::g``; empty when
        there is none."""
        return tuple(n.partition("::")[2] for n in self.names if n.startswith(f"{name}::"))

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
        return iter(self._by_name.values())

    def __contains__(self, qualified_name: object) -> bool:
        return qualified_name in self._by_name

    def overloads(self, name: str) -> tuple[OpDef, ...]:
        """The user-visible operators with this plain name, in the order in which they are tried; empty if none."""
        return self._overloads.get(name, ())
