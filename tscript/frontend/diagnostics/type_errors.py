"""The frontend's errors about types: TS2xx. See `tscript.frontend.diagnostics.errors`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from tscript.definitions.opdef import OpDef
from tscript.diagnostics import Note, Span, diagnostic
from tscript.frontend.diagnostics.errors import FrontendError
from tscript.ir.graph import Const, Op, Value
from tscript.types import TensorType

KNOWN_TYPES = (
    "types are int, float, bool, str, None, Tensor, np.ndarray, list[...], dict[..., ...], set[...] and tuple[...]; "
    "a parameter without annotation takes the type of its argument"
)
"""The help where an annotation is not a type."""

INDEXED = "lists, tuples, dicts, strings, tensors and shapes can be indexed"
"""The help where a value without elements is indexed."""


@diagnostic
class OperatorRefused(FrontendError):
    """No overload of an operator or function takes the arguments."""

    code: ClassVar[str] = "TS201"
    python: ClassVar[type[Exception]] = TypeError
    title: ClassVar[str] = "{summary}"
    help: ClassVar[str] = "{instead}"

    summary: str
    instead: str = ""
    overloads: tuple[str, ...] = ()

    def places(self) -> Sequence[Note]:
        """The overloads, each with why it was refused."""
        return [Note(None, text) for text in self.overloads]


@diagnostic
class TypeChanged(FrontendError):
    """A name changes its type in a branch or loop."""

    code: ClassVar[str] = "TS202"
    python: ClassVar[type[Exception]] = TypeError
    title: ClassVar[str] = "'{name}' changes its type from {before} to {after} in {where}"
    label: ClassVar[str] = "{after} here"
    help: ClassVar[str] = "{instead}"

    name: str
    before: str
    after: str
    where: str
    instead: str
    other: Span

    def places(self) -> Sequence[Note]:
        """Where the other type came from."""
        return [Note(self.other, f"{self.before} here")]


@diagnostic
class BranchTypes(FrontendError):
    """A name gets different types in two branches and is used afterwards."""

    code: ClassVar[str] = "TS203"
    python: ClassVar[type[Exception]] = TypeError
    title: ClassVar[str] = "'{name}' is {first} or {second}, depending on the branch"
    label: ClassVar[str] = "{second} here"
    help: ClassVar[str] = "{instead}"

    name: str
    first: str
    second: str
    instead: str
    other: Span
    use: Span

    def places(self) -> Sequence[Note]:
        """The other branch and the use."""
        return [Note(self.other, f"{self.first} here"), Note(self.use, "used here")]


@diagnostic
class ReturnType(FrontendError):
    """A returned value is not of the declared type."""

    code: ClassVar[str] = "TS204"
    python: ClassVar[type[Exception]] = TypeError
    title: ClassVar[str] = "'{name}' is declared to return {declared}, but this returns {found}"
    label: ClassVar[str] = "{found}"
    help: ClassVar[str] = "{instead}"

    name: str
    declared: str
    found: str
    instead: str
    declaration: Span

    def places(self) -> Sequence[Note]:
        """The annotation."""
        return [Note(self.declaration, f"declared as {self.declared} here")]


@diagnostic
class ReturnTypesDiffer(FrontendError):
    """Two returns of a function without annotation give different types."""

    code: ClassVar[str] = "TS205"
    python: ClassVar[type[Exception]] = TypeError
    title: ClassVar[str] = "'{name}' returns {first} in one place and {second} in another"
    label: ClassVar[str] = "{second} here"
    help: ClassVar[str] = "{instead}"

    name: str
    first: str
    second: str
    instead: str
    other: Span

    def places(self) -> Sequence[Note]:
        """The first return."""
        return [Note(self.other, f"{self.first} here")]


@diagnostic
class MissingReturn(FrontendError):
    """A function that returns a value may reach its end without ``return``."""

    code: ClassVar[str] = "TS206"
    python: ClassVar[type[Exception]] = TypeError
    title: ClassVar[str] = "'{name}' returns {declared}, but may reach its end without returning"
    help: ClassVar[str] = "add a 'return' or 'raise' at the end"

    name: str
    declared: str


@diagnostic
class DeclaredType(FrontendError):
    """A value is assigned to a name annotated with another type."""

    code: ClassVar[str] = "TS207"
    python: ClassVar[type[Exception]] = TypeError
    title: ClassVar[str] = "'{name}' is declared as {declared}, but assigned {found}"
    label: ClassVar[str] = "{found}"
    help: ClassVar[str] = "{instead}"

    name: str
    declared: str
    found: str
    instead: str


@diagnostic
class UnknownAnnotation(FrontendError):
    """An annotation is not a type."""

    code: ClassVar[str] = "TS208"
    python: ClassVar[type[Exception]] = TypeError
    title: ClassVar[str] = "{what} is not a type"
    help: ClassVar[str] = "{instead}"

    what: str
    instead: str = KNOWN_TYPES


@diagnostic
class UnsupportedAnnotation(FrontendError):
    """The language does not support a type of Python."""

    code: ClassVar[str] = "TS209"
    python: ClassVar[type[Exception]] = TypeError
    title: ClassVar[str] = "{what} cannot be compiled"
    help: ClassVar[str] = "{instead}"

    what: str
    instead: str


@diagnostic
class DefaultType(FrontendError):
    """A default is not of the parameter's type."""

    code: ClassVar[str] = "TS210"
    python: ClassVar[type[Exception]] = TypeError
    title: ClassVar[str] = "the default of '{name}' is {found}, but '{name}' is {declared}"
    help: ClassVar[str] = "{instead}"

    name: str
    declared: str
    found: str
    instead: str


@diagnostic
class ConditionalTypes(FrontendError):
    """The two values of a conditional expression, or of ``and``/``or``, differ in type."""

    code: ClassVar[str] = "TS211"
    python: ClassVar[type[Exception]] = TypeError
    title: ClassVar[str] = "'{operator}' gives {first} or {second}, but must give one type"
    help: ClassVar[str] = "{instead}"

    operator: str
    first: str
    second: str
    instead: str


@diagnostic
class NoAttribute(FrontendError):
    """A value has no such attribute or method."""

    code: ClassVar[str] = "TS213"
    python: ClassVar[type[Exception]] = AttributeError
    title: ClassVar[str] = "{type} has no {kind} '{name}'"
    help: ClassVar[str] = "{instead}"

    type: str
    kind: str
    name: str
    instead: str


@diagnostic
class NotCallable(FrontendError):
    """A value that is not a function is called."""

    code: ClassVar[str] = "TS214"
    python: ClassVar[type[Exception]] = TypeError
    title: ClassVar[str] = "{what} cannot be called"
    help: ClassVar[str] = "{instead}"

    what: str
    instead: str


@diagnostic
class NotSubscriptable(FrontendError):
    """A value without elements is indexed."""

    code: ClassVar[str] = "TS215"
    python: ClassVar[type[Exception]] = TypeError
    title: ClassVar[str] = "{type} has no elements"
    help: ClassVar[str] = "{instead}"

    type: str
    instead: str = INDEXED


@diagnostic
class TupleIndexNotConstant(FrontendError):
    """A tuple is indexed with a computed value."""

    code: ClassVar[str] = "TS216"
    python: ClassVar[type[Exception]] = TypeError
    title: ClassVar[str] = "the index of a tuple must be a constant"
    label: ClassVar[str] = "not a constant int"
    help: ClassVar[str] = "its elements may differ in type: write an int literal, or use a list or a tuple[int, ...]"


@diagnostic
class TupleIndexRange(FrontendError):
    """The constant index of a tuple is out of range."""

    code: ClassVar[str] = "TS217"
    python: ClassVar[type[Exception]] = IndexError
    title: ClassVar[str] = "index {index} is out of range for a tuple of {length} elements"
    help: ClassVar[str] = "indices go from {low} to {high}"

    index: int
    length: int
    low: int
    high: int


@diagnostic
class UnpackCount(FrontendError):
    """A tuple is unpacked into the wrong number of names."""

    code: ClassVar[str] = "TS218"
    python: ClassVar[type[Exception]] = ValueError
    title: ClassVar[str] = "cannot unpack a tuple of {found} into {expected} names"
    help: ClassVar[str] = "it is a {type}"

    found: int
    expected: int
    type: str


@diagnostic
class NotUnpackable(FrontendError):
    """A value without elements is unpacked."""

    code: ClassVar[str] = "TS219"
    python: ClassVar[type[Exception]] = TypeError
    title: ClassVar[str] = "cannot unpack {type}"
    help: ClassVar[str] = "{instead}"

    type: str
    instead: str


@diagnostic
class RangeArgument(FrontendError):
    """An argument of ``range`` is not an int."""

    code: ClassVar[str] = "TS221"
    python: ClassVar[type[Exception]] = TypeError
    title: ClassVar[str] = "range() expects ints, found {found}"
    label: ClassVar[str] = "{found}"
    help: ClassVar[str] = "{instead}"

    found: str
    instead: str = "convert it: int(...)"


@diagnostic
class InvalidNumberString(FrontendError):
    """``int("x")`` or ``float("x")`` of a string literal that is not a number."""

    code: ClassVar[str] = "TS222"
    python: ClassVar[type[Exception]] = ValueError
    title: ClassVar[str] = "'{text}' is not {what}"
    help: ClassVar[str] = 'write a number as Python does, for instance "12" or "-inf"'

    text: str
    what: str


@diagnostic
class NoInPlace(FrontendError):
    """A tensor operator has no in-place form for an augmented assignment."""

    code: ClassVar[str] = "TS223"
    python: ClassVar[type[Exception]] = TypeError
    title: ClassVar[str] = "a Tensor has no in-place '{operator}='"
    help: ClassVar[str] = "make a new tensor: '{name} = {name} {operator} ...'"

    operator: str
    name: str


@diagnostic
class ConstantTensor(FrontendError):
    """Compiled code writes to a constant tensor."""

    code: ClassVar[str] = "TS224"
    python: ClassVar[type[Exception]] = TypeError
    title: ClassVar[str] = "'{name}' is a constant of compiled code and cannot be written to"
    help: ClassVar[str] = "take it as a parameter, or write to a copy: '{name}.clone()'"

    name: str

    @staticmethod
    def check(op: OpDef, inputs: Sequence[Value], span: Span) -> ConstantTensor | None:
        """The error if `op` writes to a constant, or to a view of one."""
        for position in op.effects.writes:
            value = inputs[position]
            while isinstance(value.node, Op) and value.node.op.effects.view_of is not None:
                value = value.node.inputs[value.node.op.effects.view_of]
            if isinstance(value.node, Const) and isinstance(value.type, TensorType):
                return ConstantTensor(span, value.name)
        return None
