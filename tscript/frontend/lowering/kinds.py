"""`Kind`: the operations of one kind of value, as one record; `Kinds`: the table from a type to its kind.

Each file of `tscript.frontend.values` exports its kind, and `tscript.frontend.language` makes the table. `L` is the
class that lowers a function; all operations get its instance.
"""

from __future__ import annotations

import ast
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Generic, TypeVar

from tscript.definitions.opdef import OpDef
from tscript.diagnostics import Span
from tscript.frontend.lowering.frames import LoopExits
from tscript.frontend.source.classes import ClassDefinition
from tscript.ir.graph import Value
from tscript.late import dataclass
from tscript.types import DictType, ListType, OptionalType, SetType, Type

L = TypeVar("L")

Body = Callable[[Value], None]
"""Lowers the body for one element."""


@dataclass(slots=True)
class Run:
    """How to lower a loop over a source.

    Attributes:
        assigned: Names that the body assigns.
        span: The loop.
        orelse: What runs when the source is exhausted.
        breaks: Whether a ``break`` in the body leaves the loop.
        leaves: Whether a ``break`` or ``continue`` in it belongs to the loop.
        exits: Those of a loop around, which a ``break`` leaves.
        name: Hint for the element.
        targets: Names that the element itself is assigned to.
    """

    assigned: dict[str, ast.AST]
    span: Span
    orelse: Sequence[ast.stmt] = ()
    breaks: bool = False
    leaves: bool = False
    exits: LoopExits | None = None
    name: str = ""
    targets: Collection[str] = ()


class LoopSource(ABC, Generic[L]):
    """An iterable."""

    @abstractmethod
    def run(self, lowering: L, body: Body, run: Run) -> None:
        """Lower a loop over it."""


Pattern = tuple[Value, Callable[[], list[Value]]]
"""Whether a sequence has the number of elements that a pattern needs, and what lowers these elements."""


@dataclass(frozen=True, slots=True)
class Kind(Generic[L]):
    """The operations of one kind of value. An operation that is None is absent; others report arguments that they do
    not take.

    Attributes:
        truth: Their truth, a `bool`.
        attribute: ``x.name``, with the expression of ``x`` where there is one; None where there is no such attribute.
        method: ``x.name(...)``.
        methods: Gives the methods whose arguments are not plain values. One returns None where the operator of the same
            name applies.
        length: ``len(x)``; None where a class has no ``__len__``.
        as_string: Their string form by a special method, ``__str__`` or ``__repr__``; None where the native library
            has it.
        formatted: Their string form by a format spec.
        item: ``x[index]``; None if the class of `x` has no ``__getitem__``.
        set_item: ``x[index] = value``, the container evaluated before the value; returns whether it is supported.
        augment: ``x op= value`` in place, where it is not the operator in place.
        augment_item: ``x[index] op= value``.
        delete_item: ``del x[index]``; returns whether it is supported.
        set_attribute: ``x.name = value``.
        source: The iterable for a loop over them; None if the class has no ``__iter__``.
        parts: The values that they are unpacked into, of this number.
        parts_around: The same with a star: those before it, a list, and those after it.
        call: ``x(...)``.
        invoke: The same with values.
        plain: Members of an IntEnum or StrEnum as numbers or strings.
        converted: The implicit conversion to another type; None if there is none.
        beside: The value as an operand of arithmetic with a value of another type.
        arithmetic: A binary operator, by name, of which one operand is of this kind; None for others.
        unary: A unary operator by name; None where the operator of the table does it.
        percent: ``x % values`` that makes a string.
        repeats: Whether ``n * x`` is ``x * n``.
        has_methods: Whether their class may define operators.
        precedence: The operands of an operator may be of two kinds. The kind with the higher precedence decides first.
        equal: ``left == right`` of which one is of this kind; None if the other kind or the table decides.
        negates_equal: Whether ``left != right`` is ``not left == right``.
        unequal: ``left != right`` where it is not; None if the other kind or the table decides.
        order: ``left < right`` and the like, by the name of the operator; None if the operator of the table applies.
        same: ``left is right``; None if the other kind decides.
        has_identity: Whether they have an identity, so that ``is`` has a meaning.
        contains: ``item in x``, with the container before the item; None if it cannot hold such an item.
        widened: A copy of a container with a wider type, for a comparison; None if the type is not wider.
        hash: ``hash(x)``; None if the operator of the table applies.
        instance: ``isinstance(x, T)``; without it, the type decides.
        one_of: Whether the value has one of some types, for kinds of values with several possible types.
        pattern: A sequence pattern: whether it matches, and the elements. The arguments are the number of elements, and
            whether there is a star. None if it never matches; without this operation, no sequence pattern matches.
        has_keys: Whether mapping patterns match.
        operator: An operator of the table that calls methods of the elements of a container; None for all others.
        filled: A new container with the elements of a literal, if that calls their methods; None otherwise.
        construct: ``C(...)`` of a class.
        of_class: The operations of a class itself.
    """

    truth: Callable[[L, Value, Span], Value]
    attribute: Callable[[L, Value, str, Span, ast.expr | None], Value | None]
    method: Callable[[L, ast.Call, Value], Value]
    methods: Callable[[], Mapping[str, Callable[[L, ast.Call, Value], Value | None]]] = dict
    length: Callable[[L, Value, Span], Value | None] | None = None
    as_string: Callable[[L, Value, str, Span], Value | None] | None = None
    formatted: Callable[[L, Value, Value, Span], Value] | None = None
    item: Callable[[L, Value, ast.Subscript], Value | None] | None = None
    set_item: Callable[[L, ast.Subscript, Value, Value], bool] | None = None
    augment: Callable[[L, ast.AugAssign, Value, Value], None] | None = None
    augment_item: Callable[[L, ast.AugAssign, ast.Subscript, Value], None] | None = None
    delete_item: Callable[[L, ast.Subscript, Value], bool] | None = None
    set_attribute: Callable[[L, Value, str, Value, Span, ast.expr], None] | None = None
    source: Callable[[L, Value, ast.expr], LoopSource[L] | None] | None = None
    parts: Callable[[L, Value, int, Span], list[Value]] | None = None
    parts_around: Callable[[L, Value, int, int, Span], list[Value]] | None = None
    call: Callable[[L, Value, ast.Call], Value] | None = None
    invoke: Callable[[L, Value, Sequence[Value], Span], Value] | None = None
    plain: Callable[[L, Value, Span], Value] | None = None
    converted: Callable[[L, Value, Type, Span], Value | None] | None = None
    beside: Callable[[L, Value, Type, Span], Value] | None = None
    arithmetic: Callable[[L, str, Value, Value, Span], Value | None] | None = None
    unary: Callable[[L, str, Value, Span], Value | None] | None = None
    percent: Callable[[L, Value, ast.expr, ast.BinOp], Value] | None = None
    repeats: bool = False
    has_methods: bool = False
    precedence: int = 0
    equal: Callable[[L, Value, Value, Span], Value | None] | None = None
    negates_equal: bool = False
    unequal: Callable[[L, Value, Value, Span], Value | None] | None = None
    order: Callable[[L, str, Value, Value, Span], Value | None] | None = None
    same: Callable[[L, Value, Value, Span], Value | None] | None = None
    has_identity: bool = False
    contains: Callable[[L, Value, Value, Span], Value | None] | None = None
    widened: Callable[[L, Value, Type, Span], Value | None] | None = None
    hash: Callable[[L, Value, Span], Value | None] | None = None
    instance: Callable[[L, Value, Type, Span], Value] | None = None
    one_of: Callable[[L, Value, Sequence[Type], Span], Value] | None = None
    pattern: Callable[[L, Value, int, bool, Span], Pattern | None] | None = None
    has_keys: bool = False
    operator: Callable[[L, OpDef, Sequence[Value], Span], Value | None] | None = None
    filled: Callable[[L, DictType | SetType, Sequence[Value], Span], Value | None] | None = None
    construct: Callable[[L, ast.Call, ClassDefinition], Value] | None = None
    of_class: KindOfClass[L] | None = None


@dataclass(frozen=True, slots=True)
class KindOfClass(Generic[L]):
    """The operations of a class object.

    Attributes:
        source: The iterable for a loop over it.
        item: ``C[name]``.
    """

    source: Callable[[ClassDefinition], LoopSource[L]]
    item: Callable[[L, ast.Subscript, ClassDefinition], Value]


@dataclass(frozen=True, slots=True)
class Kinds(Generic[L]):
    """The kind of each type.

    Attributes:
        classes: By the class of the type.
        simple: By the type, for those that have no parts.
        rows: Imports that of tuples of any length.
        other: Imports the kind of all other types.
    """

    classes: Mapping[type[Type], Kind[L]]
    simple: Mapping[Type, Kind[L]]
    rows: Callable[[], Kind[L]]
    other: Callable[[], Kind[L]]

    def of(self, type: Type) -> Kind[L]:
        """The kind of a type."""
        if isinstance(type, ListType) and type.frozen:
            return self.rows()
        return self.classes.get(type.__class__) or self.simple.get(type) or self.other()

    def deciding(self, first: Type, second: Type) -> tuple[Kind[L], ...]:
        """The kinds of the two operands of an operator, the one that decides first before the other."""
        a, b = self.of(first), self.of(second)
        if a is b:
            return (a,)
        return (a, b) if a.precedence >= b.precedence else (b, a)

    def has_identity(self, type: Type) -> bool:
        """Whether ``is`` means something for values of a type: they are objects of their own, or None."""
        return self.of(type.value if isinstance(type, OptionalType) else type).has_identity
