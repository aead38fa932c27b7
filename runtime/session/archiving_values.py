"""Values of classes that archives keep: constants, defaults, and the functions that constructors of dataclasses are."""

from __future__ import annotations

import ast
import enum
from collections.abc import Mapping
from dataclasses import MISSING
from typing import TYPE_CHECKING, Any

from tscript.archive import ArchiveError
from tscript.archive.classes import ABSTRACT, CONSTANTS, CONSTRUCTOR, ONLY_INIT, python_of
from tscript.archive.naming import Names
from tscript.ir.signatures import value_json
from tscript.late import dataclass, replace
from tscript.types import ClassType, EnumMember, EnumType, TupleType, Type, leaves_open

if TYPE_CHECKING:
    from tscript.frontend.source.classes import ClassDefinition, FieldSpec
    from tscript.frontend.source.functions import PythonFunction

_EMPTY = {list: "list", dict: "dict", set: "set"}

_MADE, _RESULT = "factory", "result"
"""Names in functions that are written here."""


@dataclass(frozen=True)
class Keeper:
    """Says what an archive keeps of the values of its classes.

    Attributes:
        names: What the archive calls classes; None: as the process does.
        known: The classes of the archive by these names.
    """

    names: Names | None
    known: Mapping[str, Type]

    def said(self, type: Type, spec: Mapping[str, Any]) -> dict[str, Any]:
        """What is said of the values of a class: constants, defaults, and which methods are abstract.

        Args:
            type: The class.
            spec: What is said of it without these.
        """
        from tscript.frontend.source.classes import class_definition

        definition = class_definition(type)
        python = python_of(type)
        if definition is None:
            return {}
        is_archived = python is not None and "__tscript_archived__" in vars(python)
        out: dict[str, Any] = {}
        if "defaults" not in spec and (defaults := self._defaults(definition)):
            out["defaults"] = defaults
        if isinstance(type, ClassType):
            kept: list[list[Any]] = []
            for name, value in (vars(python) if is_archived else definition.constants).items():
                if name not in type.info.fields and not name.startswith("_"):
                    kept += [] if (item := self.item(value)) is None else [[name, item]]
            if kept and CONSTANTS not in spec:
                out[CONSTANTS] = kept
            abstract = sorted(getattr(python, "__abstractmethods__", ())) if is_archived else definition.abstract
            if abstract and ABSTRACT not in spec:
                out[ABSTRACT] = abstract
            if only := [f.name for f in definition.fields or () if f.only_init is not None]:
                out[ONLY_INIT] = only
        return out

    def item(self, value: Any) -> list[Any] | None:
        """What an archive says for a constant; None if it cannot keep it."""
        if isinstance(value, ast.expr):
            member = self._member(value)
            try:
                value = ast.literal_eval(value) if member is None else member
            except (ValueError, TypeError):
                return None
        elif isinstance(value, enum.Enum):
            type = next((t for t in self.known.values() if python_of(t) is value.__class__), None)
            if not isinstance(type, EnumType):
                return None
            value = EnumMember(type, value.name)
        try:
            item = value_json(value)
        except ArchiveError:
            return None
        return (
            [item[0], [self.names.of(value.type), value.name]] if isinstance(value, EnumMember) and self.names else item
        )

    def _member(self, value: ast.expr) -> EnumMember | None:
        """The member of an enum that an expression of a text names."""
        if isinstance(value, ast.Attribute) and isinstance(value.value, ast.Name):
            for type in self.known.values():
                if isinstance(type, EnumType) and type.info.name.rpartition(".")[2] == value.value.id:
                    return EnumMember(type, value.attr) if value.attr in type.info.members else None
        return None

    def _defaults(self, definition: ClassDefinition) -> list[list[Any]]:
        """Defaults of the attributes of a dataclass or named tuple, as far as an archive can keep them."""
        out: list[list[Any]] = []
        for field in definition.fields or ():
            if (kind := empty(field)) is not None:
                out.append([field.name, [kind, None]])
            elif field.default is not MISSING and (item := self.item(field.default)) is not None:
                out.append([field.name, item])
        return out


def empty(field: FieldSpec) -> str | None:
    """The kind of empty container that an attribute has as a default."""
    factory = field.factory
    if isinstance(factory, ast.Name):
        return {kind.__name__: name for kind, name in _EMPTY.items()}.get(factory.id)
    return next((name for kind, name in _EMPTY.items() if factory is kind), None)


def makes_more(definition: ClassDefinition) -> bool:
    """Whether the constructor of a dataclass does more than to set its attributes to what it is given."""
    if definition.generator(CONSTRUCTOR) is None:
        return False
    fields = definition.fields or ()
    return definition.method("__post_init__") is not None or any(not f.init or f.only_init is not None for f in fields)


def constructor(definition: ClassDefinition) -> PythonFunction | None:
    """A function that makes an instance of what the constructor of a dataclass takes; it has no defaults of its own.

    None if a type is left to the call.
    """
    fields = [f for f in definition.fields or () if f.init]
    given = {f.name: f.only_init or definition.info.fields.get(f.name) for f in fields}
    if any(type is None or leaves_open(type) for type in given.values()):
        return None
    call = ast.Call(ast.Name(definition.name, ast.Load()), [], [ast.keyword(n, ast.Name(n, ast.Load())) for n in given])
    places = [_parameter(f.name) for f in fields if not f.kw_only]
    named = [_parameter(f.name) for f in fields if f.kw_only]
    arguments = ast.arguments([], places, None, named, [None for _ in named], None, [])
    return _written(definition, CONSTRUCTOR, arguments, call, {n: t for n, t in given.items() if t is not None}, {})


def factory(definition: ClassDefinition, field: FieldSpec) -> PythonFunction | None:
    """A function that makes the default of an attribute; None if its type is left to the call."""
    type = _field_type(definition.type, field.name)
    if type is None or leaves_open(type):
        return None
    made: Any = field.factory if isinstance(field.factory, ast.expr) else ast.Name(_MADE, ast.Load())
    more = {} if made is field.factory else {_MADE: field.factory}
    return _written(
        definition,
        f"_default_{field.name}",  # its own name may be that of the factory
        ast.arguments([], [], None, [], [], None, []),
        ast.Call(made, [], []),
        {_RESULT: type},
        more,
    )


def _parameter(name: str) -> ast.arg:
    return ast.arg(name, ast.Name(f"{name} type", ast.Load()))


def _written(
    definition: ClassDefinition,
    name: str,
    arguments: ast.arguments,
    value: ast.expr,
    named: Mapping[str, Type],
    more: Mapping[str, object],
) -> PythonFunction | None:
    """A function that returns a value, at the place of a class; None if that is not known.

    Args:
        definition: The class.
        name: The name of the function.
        arguments: What it takes.
        value: What it returns.
        named: The types of parameters, and of the result where it says one.
        more: What other names stand for.
    """
    from tscript.frontend.source.classes import BoundEnvironment, symbol_of
    from tscript.frontend.source.symbols import TypeSymbol

    place = definition.place
    if place is None:
        return None
    own: dict[str, object] = {f"{n} type": TypeSymbol(type, str(type)) for n, type in named.items()}
    own |= {definition.name: definition.python or symbol_of(definition), **more}
    returns = ast.Name(f"{_RESULT} type", ast.Load()) if _RESULT in named else None
    tree = ast.FunctionDef(name, arguments, [ast.Return(value)], [], returns)
    ast.fix_missing_locations(ast.copy_location(tree, place.tree))
    environment = BoundEnvironment(place.environment, own)
    return replace(
        place, name=name, qualname=name, tree=tree, annotations={}, callable=None, cache=None, environment=environment
    )


def _field_type(type: Type, name: str) -> Type | None:
    if isinstance(type, TupleType) and type.named is not None:
        return dict(zip(type.named.fields, type.elements, strict=True)).get(name)
    return type.info.fields.get(name) if isinstance(type, ClassType) else None


__all__ = ["Keeper", "constructor", "empty", "factory", "makes_more"]
