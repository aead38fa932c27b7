"""The vocabulary: every operator, gathered from the modules that define them, and how names reach them.

`TABLE` is what the frontend, the passes, the parser of IR and the docs look operators up in.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from copy import copy
from types import MappingProxyType

from tscript.ops import (
    activations,
    appending,
    caches,
    classes,
    conversions,
    creation,
    dicts,
    displays,
    divisors,
    exceptions,
    formatting,
    futures,
    indexing,
    iteration,
    linalg,
    lists,
    machine,
    numbers,
    objects,
    own_keys,
    pointwise,
    python,
    reductions,
    references,
    scalar_math,
    scalars,
    sets,
    shape,
    strings,
    strings_case,
    tensor_lists,
    unchecked,
    views,
)
from tscript.ops.opdef import OpDef


class OperatorTable:
    """An immutable set of operators.

    Attributes:
        names: Plain names of user-visible operators (``add``), sorted.
        methods: Names usable as tensor methods, to operator names: ``x.float()`` is ``to_float``, ``x.absolute()``
            is ``abs``.
        functions: Names usable as ``torch.<name>``, to operator names.
        math: Names of Python's `math` module to operator names: ``sqrt`` is ``math_sqrt``.

    Example:
        >>> TABLE["add.int"].name, [op.name for op in TABLE.overloads("size")]
        ('add.int', ['size', 'size.int'])
    """

    __slots__ = ("_by_name", "_overloads", "functions", "math", "methods", "names", "operators")

    def __init__(
        self,
        operators: Iterable[OpDef],
        *,
        methods: Mapping[str, str] | None = None,
        functions: Mapping[str, str] | None = None,
        math: Mapping[str, str] | None = None,
        hidden: Iterable[OpDef] = (),
    ) -> None:
        """Gather `operators` (user-visible, in resolution order) and `hidden` ones (known by qualified name only).

        Raises:
            ValueError: Two operators have one qualified name.
        """
        self.operators: tuple[OpDef, ...] = tuple(operators)
        self._by_name: dict[str, OpDef] = {}
        self._overloads: dict[str, tuple[OpDef, ...]] = {}
        for op in (*self.operators, *hidden):
            if op.name in self._by_name:
                raise ValueError(f"two operators are named {op.name}")
            self._by_name[op.name] = op
        for op in self.operators:
            name = op.schema.name
            self._overloads[name] = (*self._overloads.get(name, ()), op)
        self.names: tuple[str, ...] = tuple(sorted(self._overloads))
        self.methods: Mapping[str, str] = MappingProxyType(dict(methods or {}))
        self.functions: Mapping[str, str] = MappingProxyType(dict(functions or {}))
        self.math: Mapping[str, str] = MappingProxyType(dict(math or {}))

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
        found.methods, found.functions, found.math = self.methods, self.functions, self.math
        return found

    def as_of(self, versions: Mapping[str, int]) -> OperatorTable:
        """This table for a program that was written with these `versions` of operators, all others being in their first:
        names of operators that mean something else by now are those of what still means the same.

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


OPERATORS: tuple[OpDef, ...] = (
    *scalars.OPERATORS,
    *scalar_math.OPERATORS,
    *pointwise.OPERATORS,
    *activations.OPERATORS,
    *reductions.OPERATORS,
    *views.OPERATORS,
    *indexing.OPERATORS,
    *creation.OPERATORS,
    *linalg.OPERATORS,
    *shape.OPERATORS,
    *formatting.OPERATORS,
    *lists.OPERATORS,
    *dicts.OPERATORS,
    *sets.OPERATORS,
    *iteration.ENTRIES,
    *tensor_lists.OPERATORS,
    *numbers.OPERATORS,
    *objects.OPERATORS,
    *python.OPERATORS,
    *strings.OPERATORS,
    *strings_case.OPERATORS,
)
"""The operators users can name, in resolution order."""

HIDDEN: tuple[OpDef, ...] = (
    *machine.LEAVES,
    futures.WAIT,
    machine.TUPLE_MAKE,
    machine.TUPLE_GET,
    *caches.OPERATORS,
    *conversions.CONVERSIONS,
    *displays.DISPLAYS,
    *classes.CLASSES,
    *exceptions.EXCEPTION_OPERATORS,
    *divisors.OPERATORS,
    *iteration.ITERATION,
    *lists.HIDDEN,
    *own_keys.OPERATORS,
    python.FLUSH,
    *references.REFERENCES,
    *scalar_math.EXTERNS,
    *scalar_math.HIDDEN,
    *scalars.HIDDEN,
    *shape.HIDDEN,
    *strings.HIDDEN,
    *unchecked.OPERATORS,
    *appending.OPERATORS,
)
"""Operators that IR contains and nobody calls by name."""

FUNCTION_ALIASES: dict[str, str] = {
    "absolute": "abs",
    "subtract": "sub",
    "multiply": "mul",
    "divide": "div",
    "true_divide": "div",
    "negative": "neg",
    "greater": "gt",
    "greater_equal": "ge",
    "less": "lt",
    "less_equal": "le",
    "not_equal": "ne",
    "clip": "clamp",
    "concat": "cat",
    "concatenate": "cat",
    "swapaxes": "transpose",
    "swapdims": "transpose",
    "fix": "trunc",
    "logsigmoid": "log_sigmoid",
}
"""PyTorch's second names; the in-place ones follow (``multiply_``)."""

METHOD_ALIASES: dict[str, str] = {
    "float": "to_float",
    "double": "to_double",
    "int": "to_int",
    "long": "to_long",
    "short": "to_short",
    "bool": "to_bool",
    "char": "to_char",
    "byte": "to_byte",
    "ndimension": "dim",
    "nelement": "numel",
    "type": "to",
    "where": "where_of",
}
"""Methods whose name as an operator means Python's builtin (``float(x)``), or that have a second name."""


def _takes_tensor(op: OpDef) -> bool:
    return bool(op.schema.parameters) and op.schema.parameters[0].kind in ("Tensor", "Tensor[]")


def _methods(operators: Iterable[OpDef]) -> dict[str, str]:
    out = {
        op.schema.name: op.schema.name
        for op in operators
        if op.schema.parameters[:1] and op.schema.parameters[0].kind == "Tensor"
    }
    out = {name: name for name in out if name not in NOT_METHODS}
    for alias, name in FUNCTION_ALIASES.items():
        out |= {alias + tail: name + tail for tail in ("", "_") if name + tail in out}
    return out | METHOD_ALIASES


def _functions(operators: Iterable[OpDef]) -> dict[str, str]:
    visible = {op.schema.name for op in operators if _takes_tensor(op)} | {op.schema.name for op in creation.OPERATORS}
    out = {name: name for name in visible if name not in NOT_FUNCTIONS}
    for alias, name in FUNCTION_ALIASES.items():
        out |= {alias + tail: name + tail for tail in ("", "_") if name + tail in out}
    return out


NOT_METHODS = frozenset({"int", "float", "bool", "len", "getitem", *scalars.BUILTIN_ONLY})
"""Operators over tensors that are no tensor methods: Python's builtins."""

NOT_FUNCTIONS = frozenset(
    {*NOT_METHODS, "dtype", "size", "stride", "T", "mT", "tensor_of_ints", "tensor_of_floats", *METHOD_ALIASES.values()}
    - {"numel"}
)
"""Operators that are no function of the ``torch`` namespace."""

TABLE = OperatorTable(
    OPERATORS,
    methods=_methods(OPERATORS),
    functions=_functions(OPERATORS),
    math=scalar_math.MATH,
    hidden=HIDDEN,
)
"""The whole vocabulary."""
