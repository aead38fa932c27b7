"""`Kind`: what values of one kind can do, as one record; `Kinds`: the table from a type to its kind.

Each file of `tscript.frontend.values` exports its kind, `tscript.frontend.language` makes the table. `L` is what lowers a
function, which all of them are handed.
"""

from __future__ import annotations

import ast
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from tscript.diagnostics import Span
from tscript.frontend.lowering.frames import LoopExits
from tscript.frontend.source.classes import ClassDefinition
from tscript.ir.graph import Value
from tscript.operators.core.opdef import OpDef
from tscript.types import DictType, ListType, SetType, Type

L = TypeVar("L")

Body = Callable[[Value], None]
"""Lowers what is done with one element."""


@dataclass(slots=True)
class Run:
    """How a source is run.

    Attributes:
        assigned: Names that the body assigns.
        span: The loop.
        orelse: What runs when the source is used up.
        breaks: Whether a ``break`` in the body leaves the loop.
        leaves: Whether a ``break`` or ``continue`` in it belongs to the loop.
        exits: Those of a loop around, which a ``break`` leaves.
        name: Hint for the element.
    """

    assigned: dict[str, ast.AST]
    span: Span
    orelse: Sequence[ast.stmt] = ()
    breaks: bool = False
    leaves: bool = False
    exits: LoopExits | None = None
    name: str = ""


class LoopSource(ABC, Generic[L]):
    """What a loop goes over."""

    @abstractmethod
    def run(self, lowering: L, body: Body, run: Run) -> None:
        """Lower a loop over it."""


@dataclass(frozen=True, slots=True)
class Kind(Generic[L]):
    """What values of one kind can do. A capability that is None is absent; others report by themselves what they do not
    take.

    Attributes:
        truth: Their truth, a `bool`.
        attribute: ``x.name``, with the expression of ``x`` where there is one; None where there is no such attribute.
        method: ``x.name(...)``.
        methods: Those of its methods whose arguments are no plain values; None: the operator of the same name does it
            after all.
        length: ``len(x)``; None where a class has no ``__len__``.
        as_string: Their string form by a special method, ``__str__`` or ``__repr__``; None where the native library
            has it.
        formatted: Their string form by a format spec.
        item: ``x[index]``; None where the class of `x` has no ``__getitem__``.
        set_item: ``x[index] = value``, the container before the value; whether there is such a thing.
        delete_item: ``del x[index]``; whether there is such a thing.
        view: A part of a tensor by an index, which is written in place.
        set_attribute: ``x.name = value``.
        source: What a loop over them goes over, None where a class has no ``__iter__``.
        parts: The values that they are unpacked into, of this number.
        parts_around: The same with a star: those before it, a list, and those behind.
        call: ``x(...)``.
        invoke: The same with values.
        plain: Members of an enum as the numbers or strings that they are.
        converted: One of another type where that need not be written; None where it is not.
        beside: One as the operand of arithmetic, beside a value of a type.
        arithmetic: A binary operator, by name, of which one operand is of this kind; None for others.
        unary: A unary operator by name; None where the operator of the table does it.
        percent: ``x % values`` that makes a string.
        operator: An operator of the table that asks the classes of what is in a container; None for all others.
        filled: A new container with what a literal puts into it, where it asks their classes; None where not.
        construct: ``C(...)`` of a class.
        of_class: What a class itself can do.
    """

    truth: Callable[[L, Value, Span], Value]
    attribute: Callable[[L, Value, str, Span, ast.expr | None], Value | None]
    method: Callable[[L, ast.Call, Value], Value]
    methods: Mapping[str, Callable[[L, ast.Call, Value], Value | None]] = field(default_factory=dict)
    length: Callable[[L, Value, Span], Value | None] | None = None
    as_string: Callable[[L, Value, str, Span], Value | None] | None = None
    formatted: Callable[[L, Value, Value, Span], Value] | None = None
    item: Callable[[L, Value, ast.Subscript], Value | None] | None = None
    set_item: Callable[[L, ast.Subscript, Value, Value], bool] | None = None
    delete_item: Callable[[L, ast.Subscript, Value], bool] | None = None
    view: Callable[[L, Value, ast.expr], Value] | None = None
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
    operator: Callable[[L, OpDef, Sequence[Value], Span], Value | None] | None = None
    filled: Callable[[L, DictType | SetType, Sequence[Value], Span], Value | None] | None = None
    construct: Callable[[L, ast.Call, ClassDefinition], Value] | None = None
    of_class: KindOfClass[L] | None = None


@dataclass(frozen=True, slots=True)
class KindOfClass(Generic[L]):
    """What a class that source names can do by itself.

    Attributes:
        source: What a loop over it goes over.
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
        rows: Of tuples of any length.
        other: Of all others.
    """

    classes: Mapping[type[Type], Kind[L]]
    simple: Mapping[Type, Kind[L]]
    rows: Kind[L]
    other: Kind[L]

    def of(self, type: Type) -> Kind[L]:
        """The kind of a type."""
        if isinstance(type, ListType) and type.frozen:
            return self.rows
        return self.classes.get(type.__class__) or self.simple.get(type, self.other)
