"""Local names: what each is bound to at a point, which names a piece of source assigns, and how types compare.

A scope is a dict from name to `Bound`, or to why reading the name is an error. Branches work on copies; afterwards the
copies are merged (`tscript.frontend.lowering.control`).
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

from tscript.diagnostics import Span
from tscript.ir.graph import Value
from tscript.types import (
    ANY,
    BOOL,
    BYTES,
    FLOAT,
    INT,
    NONE,
    STR,
    TENSOR,
    CallableType,
    DictType,
    FutureType,
    ListType,
    OptionalType,
    PtrType,
    SetType,
    SizeType,
    TensorType,
    TupleType,
    Type,
    UnionType,
    members_of,
    union,
)


@dataclass(frozen=True, slots=True, eq=False)
class Bound:
    """A name with a value; `span` is the assignment.

    Attributes:
        origin: What the name was bound to before a condition said more of its type; None when none did.
    """

    value: Value
    span: Span
    origin: Bound | None = None

    @property
    def base(self) -> Bound:
        """The binding without what conditions said."""
        return self.origin or self


@dataclass(frozen=True, slots=True, eq=False)
class Poisoned:
    """A name whose assignment was an error already reported; reading it is silent."""


@dataclass(frozen=True, slots=True, eq=False)
class PartlyBound:
    """A name assigned on some ways to this point only.

    Attributes:
        span: The assignment.
        in_loop: Whether it stands in a loop that may not have run, rather than in a branch.
    """

    span: Span
    in_loop: bool


@dataclass(frozen=True, slots=True, eq=False)
class Conflicting:
    """A name with different types from two branches."""

    first: Bound
    second: Bound


@dataclass(frozen=True, slots=True, eq=False)
class LocalFunction:
    """A name that stands for a function inside the function; compared by identity.

    Attributes:
        node: Its definition.
        span: Where it stands.
    """

    node: ast.FunctionDef | ast.Lambda
    span: Span


Place = tuple[Value, str]
"""An attribute, or an attribute of an attribute: what a name is bound to, and the dotted names behind it."""


@dataclass(frozen=True, slots=True, eq=False)
class Facts:
    """What conditions and assignments have said of attributes; stands in a scope by the name `FACTS`.

    Attributes:
        types: The types that they have, where narrower than their classes say.
    """

    types: Mapping[Place, Type]

    def together(self, other: Facts) -> Facts:
        """What holds where two ways meet."""
        both = [place for place in self.types if place in other.types]
        return Facts({place: union([self.types[place], other.types[place]]) for place in both})

    def without(self, name: str) -> Facts:
        """What is still known when attributes of this name, or all if it is empty, may have changed."""
        return Facts({p: t for p, t in self.types.items() if name and name not in p[1].split(".")})


Binding = Bound | Poisoned | PartlyBound | Conflicting | LocalFunction | Facts
Scope = dict[str, Binding]
POISONED = Poisoned()

FACTS = "attributes "
"""What a scope keeps of attributes is called; no name is."""

NOTHING = Facts({})


def facts_in(scope: Scope) -> Facts:
    """What is known of attributes at a point."""
    found = scope.get(FACTS)
    return found if isinstance(found, Facts) else NOTHING


def meet(scopes: Sequence[Scope]) -> Facts:
    """What is known of attributes where several ways meet."""
    return reduce(Facts.together, map(facts_in, scopes)) if scopes else NOTHING


def weaken(type: Type) -> Type:
    """The type as the language sees it: all tensors have one type."""
    match type:
        case TensorType():
            return TENSOR
        case TupleType():
            return TupleType(tuple(weaken(e) for e in type.elements), type.named)
        case FutureType():
            return FutureType(weaken(type.value))
        case OptionalType():
            return OptionalType(weaken(type.value))
    return type


def shown(type: Type) -> str:
    """A type as messages call it; a class by its own name."""
    return _MODULES.sub("", _written(weaken(type)))


_MODULES = re.compile(r"(?:\w+\.)+(?=\w)")
"""What stands before the name of a class."""


def _written(type: Type) -> str:
    """A type as annotations write it."""
    match type:
        case ListType():
            return f"tuple[{_written(type.element)}, ...]" if type.frozen else f"list[{_written(type.element)}]"
        case SetType():
            return f"set[{_written(type.element)}]"
        case DictType():
            return f"dict[{_written(type.key)}, {_written(type.value)}]"
        case TupleType(named=None) if type.elements:
            return f"tuple[{', '.join(map(_written, type.elements))}]"
        case OptionalType():
            return f"{_written(type.value)} | None"
        case UnionType():
            return " | ".join(map(_written, type.members))
        case CallableType():
            return f"Callable[[{', '.join(map(_written, type.parameters))}], {_written(type.result)}]"
    return str(type)


def article(type: Type) -> str:
    """A type with its article: ``an int``, ``a Tensor``, ``None``."""
    text = shown(type)
    if text in ("None", "Any", "bytes"):
        return text
    return f"an {text}" if text[0] in "aeiouAEIO" else f"a {text}"


_MACHINE_NAMES: dict[Type, str] = {INT: "i64", FLOAT: "f64", BOOL: "b8"}


def machine_name(type: Type) -> str:
    """A type as the low-level dialect writes it."""
    if isinstance(type, PtrType):
        return f"Ptr[{machine_name(type.pointee)}]"
    return _MACHINE_NAMES.get(type, str(type))


def machine_article(type: Type) -> str:
    """A type as the low-level dialect writes it, with its article."""
    text = machine_name(type)
    return f"an {text}" if text[0] in "if" and text != "float" else f"a {text}"


def same_type_help(name: str, first: Type, second: Type, begins: object = None) -> str:
    """What to do when `name` has two types in two places; `begins` is the constant that it has in the first of them."""
    if {first, second} == {INT, FLOAT}:
        if type(begins) is int:
            return f"begin with a float: '{name} = {float(begins)}'"
        return f"declare it where it begins: '{name}: float = ...'"
    if TENSOR in (weaken(first), weaken(second)):
        return "make both tensors, or both numbers: float(x) and int(x) convert a tensor of one element"
    return f"use another name for the value of the other type, or convert it so that '{name}' has one type"


def conversion_help(found: Type | Value, wanted: Type) -> str:
    """How a value, or one of type `found`, becomes one of type `wanted`; empty when nothing general can be said."""
    if isinstance(found, Value):
        if isinstance(found.constant, str) and wanted in (INT, FLOAT):
            return ""
        found = found.type
    if wanted == BOOL and found == TENSOR:
        return "ask whether all elements are true: bool(x.all()), or of one element: bool(x)"
    if wanted in (INT, FLOAT, BOOL) and found in (INT, FLOAT, BOOL, TENSOR):
        return f"convert it: {wanted}(...)"
    if wanted == TENSOR and found in (INT, FLOAT, BOOL):
        return "make a tensor of it: tscript.tensor(...)"
    if isinstance(found, OptionalType) and found.value == wanted:
        return "it may be None: test it first, with 'is not None'"
    if found == ANY or (isinstance(found, UnionType | OptionalType) and wanted in members_of(found)):
        return f"it may be something else: test it first, with 'isinstance(..., {shown(wanted)})'"
    if wanted == STR and found in (INT, FLOAT, BOOL):
        return "make a str of it: str(...)"
    if found == STR and wanted in (INT, FLOAT):
        return f"read a number from it: {wanted}(...)"
    if {found, wanted} == {STR, BYTES}:
        return "encode it: .encode()" if found == STR else "decode it: .decode()"
    if found == NONE:
        return f"give {article(wanted)}, or say that it may be None: '{shown(wanted)} | None'"
    if isinstance(wanted, ListType) and not wanted.frozen and isinstance(found, ListType | SetType | TupleType):
        return _elements_help(found, wanted)
    if isinstance(found, SizeType) and wanted == INT:
        return "take one of its sizes: x.shape[0]"
    if isinstance(found, TupleType) and wanted in found.elements:
        return f"take the element that is meant: ...[{found.elements.index(wanted)}]"
    return ""


def _elements_help(found: ListType | SetType | TupleType, wanted: ListType) -> str:
    """How a list, set or tuple becomes a list of another type."""
    held = found.elements[:1] if isinstance(found, TupleType) else (found.element,)
    if held == (wanted.element,):
        return "make a list of it: list(...)"
    if wanted.element in (INT, FLOAT, STR) and held and held[0] in (INT, FLOAT, BOOL, STR):
        return f"convert the elements: [{wanted.element}(x) for x in ...]"
    return ""


def assigned_names(nodes: Iterable[ast.AST], walrus: bool = True) -> dict[str, ast.AST]:
    """The local names that statements or targets assign anywhere inside, each with the first node that does.

    Args:
        nodes: What to look into.
        walrus: Whether expressions may hold a ``:=``; looking for it costs most of the time.
    """
    found: dict[str, ast.AST] = {}
    for node in nodes:
        if walrus:
            for inner in ast.walk(node):
                if isinstance(inner, ast.NamedExpr):
                    found.setdefault(inner.target.id, inner.target)
        _collect(node, found)
    return found


def _collect(node: ast.AST, found: dict[str, ast.AST]) -> None:
    handler = _COLLECT.get(type(node))
    if handler is not None:
        handler(node, found)


def _name(node: ast.Name, found: dict[str, ast.AST]) -> None:
    if not isinstance(node.ctx, ast.Load):
        found.setdefault(node.id, node)


def _elements(node: ast.Tuple | ast.List, found: dict[str, ast.AST]) -> None:
    for element in node.elts:
        _collect(element, found)


def _starred(node: ast.Starred, found: dict[str, ast.AST]) -> None:
    _collect(node.value, found)


def _assignment(node: ast.Assign, found: dict[str, ast.AST]) -> None:
    for target in node.targets:
        _collect(target, found)


def _target(node: ast.AnnAssign | ast.AugAssign, found: dict[str, ast.AST]) -> None:
    _collect(node.target, found)


def _branches(node: ast.If | ast.While, found: dict[str, ast.AST]) -> None:
    for statement in (*node.body, *node.orelse):
        _collect(statement, found)


def _loop(node: ast.For | ast.AsyncFor, found: dict[str, ast.AST]) -> None:
    for inner in (node.target, *node.body, *node.orelse):
        _collect(inner, found)


def _with(node: ast.With | ast.AsyncWith, found: dict[str, ast.AST]) -> None:
    for item in node.items:
        if item.optional_vars is not None:
            _collect(item.optional_vars, found)
    for statement in node.body:
        _collect(statement, found)


def _try(node: ast.Try | ast.TryStar, found: dict[str, ast.AST]) -> None:
    for part in (*node.handlers, *node.body, *node.orelse, *node.finalbody):
        _collect(part, found)


def _handler(node: ast.ExceptHandler, found: dict[str, ast.AST]) -> None:
    if node.name is not None:
        found.setdefault(node.name, node)
    for statement in node.body:
        _collect(statement, found)


def _match(node: ast.Match, found: dict[str, ast.AST]) -> None:
    for case in node.cases:
        _pattern(case.pattern, found)
        for statement in case.body:
            _collect(statement, found)


def _pattern(node: ast.pattern, found: dict[str, ast.AST]) -> None:
    for inner in ast.walk(node):
        if isinstance(inner, ast.MatchAs | ast.MatchStar) and inner.name is not None:
            found.setdefault(inner.name, inner)


def _definition(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef, found: dict[str, ast.AST]) -> None:
    found.setdefault(node.name, node)


def _import(node: ast.Import | ast.ImportFrom, found: dict[str, ast.AST]) -> None:
    for alias in node.names:
        found.setdefault(alias.asname or alias.name.partition(".")[0], node)


_COLLECT: dict[type[ast.AST], Callable[[Any, dict[str, ast.AST]], None]] = {
    ast.Name: _name,
    ast.Tuple: _elements,
    ast.List: _elements,
    ast.Starred: _starred,
    ast.Assign: _assignment,
    ast.AnnAssign: _target,
    ast.AugAssign: _target,
    ast.If: _branches,
    ast.While: _branches,
    ast.For: _loop,
    ast.AsyncFor: _loop,
    ast.With: _with,
    ast.AsyncWith: _with,
    ast.Try: _try,
    ast.TryStar: _try,
    ast.ExceptHandler: _handler,
    ast.Match: _match,
    **dict.fromkeys(ast.pattern.__subclasses__(), _pattern),
    ast.FunctionDef: _definition,
    ast.AsyncFunctionDef: _definition,
    ast.ClassDef: _definition,
    ast.Import: _import,
    ast.ImportFrom: _import,
}
"""What assigns names. Targets and statements only: expressions assign by ``:=`` alone."""
