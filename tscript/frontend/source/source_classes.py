"""Definitions of classes of a module that is read and not run.

Only constants are evaluated. A placeholder replaces the Python class, so that enums and named tuples have members and
names for the interpreter and for results.
"""

from __future__ import annotations

import abc
import ast
import collections
import dataclasses
import enum
import functools
import typing
from collections.abc import Iterator
from dataclasses import MISSING, replace
from functools import partial
from pathlib import Path
from typing import Any

from tscript.abi.exceptions import EXCEPTIONS, is_exception
from tscript.abi.placeholders import dress
from tscript.frontend.source.annotations import annotation_type
from tscript.frontend.source.class_fields import finish
from tscript.frontend.source.class_table import ClassTable
from tscript.frontend.source.classes import (
    REFUSED,
    ClassDefinition,
    ClassSymbol,
    FieldSpec,
    Method,
    adopted,
    class_definition,
    symbol_of,
)
from tscript.frontend.source.constants import NotConstant
from tscript.frontend.source.exception_bases import main_base
from tscript.frontend.source.functions import PythonFunction
from tscript.frontend.source.marks import without_body
from tscript.frontend.source.modules import SourceClass
from tscript.frontend.source.object_types import TypeContext
from tscript.frontend.source.open_tuples import open_tuple
from tscript.frontend.source.private_names import mangled
from tscript.frontend.source.resolver import Resolver
from tscript.frontend.source.symbols import ExceptionSymbol, NamespaceSymbol, Symbol, UnknownSymbol
from tscript.parsing import with_parts
from tscript.types import NONE, ClassInfo, ClassType, EnumInfo, EnumType, NamedTupleInfo, TupleType, Type, leaves_open

_IGNORED: frozenset[Any] = frozenset({object, abc.ABC, typing.Generic, typing.Protocol})
_ENUMS: dict[Any, str] = {enum.Enum: "", enum.IntEnum: "int", enum.StrEnum: "str"}
_NAMED_TUPLE: Any = collections.namedtuple
_HARMLESS: frozenset[Any] = frozenset(
    {typing.final, typing.overload, abc.abstractmethod, getattr(typing, "override", None)}
)
_OPTIONS = {"init": True, "repr": True, "eq": True, "order": False, "frozen": False, "unsafe_hash": False}


def read_source_class(table: ClassTable, text: SourceClass, resolver: Resolver) -> ClassDefinition | Symbol:
    """The definition of a class, or an `UnknownSymbol` with the reason why it cannot be compiled."""
    return _Reader(table, text, resolver).read()


class _Refused(Exception):
    """A class that cannot be compiled: the reason and the help."""


class _Reader:
    def __init__(self, table: ClassTable, text: SourceClass, resolver: Resolver) -> None:
        self.table = table
        self.text = text
        self.tree = text.tree
        self.resolver = resolver
        assert text.environment is not None
        environment: Any = text.environment
        self.environment = environment
        source = text.module.source
        stub = ast.FunctionDef(self.tree.name, ast.arguments([], [], None, [], [], None, []), [], [])
        ast.copy_location(stub, self.tree)
        self.place = PythonFunction(
            self.tree.name, self.tree.name, stub, source, text.module.lines, 0, self.environment
        )
        self.module = Path(source.name).stem

    def read(self) -> ClassDefinition | Symbol:
        try:
            return self._read()
        except _Refused as refused:
            what, instead = refused.args
            return UnknownSymbol(f"the class {self.tree.name}, {what},", instead)

    def constant(self, node: ast.expr) -> object:
        """The object of an expression. Raises `_Refused`."""
        try:
            return self.environment.constant(node)
        except (NotConstant, KeyError) as reason:
            raise _Refused(f"in which '{ast.unparse(node)}' is {reason}", "write a constant") from None

    def _read(self) -> ClassDefinition | Symbol:
        bases = [b for b in map(self.constant, (self._plain(b) for b in self.tree.bases)) if not _in(b, _IGNORED)]
        if self.tree.keywords:
            raise _Refused("which has a metaclass or arguments", "leave them out")
        if len(bases) > 1:
            if all(_in(b, {int, str}) or _in(b, _ENUMS) for b in bases):
                return self._enum("int" if int in bases else "str")
            if (made := self._several(bases)) is not None:
                return made
            raise _Refused("which derives from several classes", "derive from one, and keep an instance of the other")
        if not bases:
            return self._class(None)
        base = bases[0]
        if isinstance(base, NamespaceSymbol) and base.path.partition(".")[2] == "autograd.Function":
            return self._class(None)  # its static methods can be called
        if _in(base, _ENUMS):
            return self._enum(_ENUMS[base])
        if base is typing.NamedTuple:
            return self._named_tuple()
        if isinstance(base, type) and issubclass(base, BaseException):
            return self._exception(base)
        if isinstance(base, SourceClass):
            found = self.resolver.symbol(base)
            if isinstance(found, ExceptionSymbol) and found.type is not None:
                return self._class(class_definition(found.type))
            if isinstance(found, ClassSymbol):
                return self._class(found.definition)
            raise _Refused(f"whose base is {getattr(found, 'what', 'no class')}", "derive from a class of the file")
        raise _Refused(f"which derives from {getattr(base, '__name__', 'another class')}", "keep one in an attribute")

    def _several(self, bases: list[Any]) -> ClassDefinition | Symbol | None:
        """An exception class with several bases; None if they cannot be combined."""
        found: list[ClassDefinition | ClassInfo] = []
        for base in bases:
            symbol = self.resolver.symbol(base)
            if not isinstance(symbol, ExceptionSymbol):
                return None
            definition = None if symbol.type is None else class_definition(symbol.type)
            found.append(EXCEPTIONS[symbol.name].info if definition is None else definition)
        if (chosen := main_base(found)) is None:
            return None
        base, beside = chosen
        return self._class(None, base) if isinstance(base, ClassInfo) else self._class(base, beside=beside)

    @staticmethod
    def _plain(base: ast.expr) -> ast.expr:
        """``Generic`` of ``Generic[T]``."""
        return base.value if isinstance(base, ast.Subscript) else base

    def _exception(self, base: Any) -> ClassDefinition | Symbol:
        """A class of exceptions that derives from one of Python's."""
        found = self.resolver.symbol(base)
        if isinstance(found, UnknownSymbol):
            raise _Refused(f"which derives from {base.__name__}", "derive it from an exception that can be raised")
        assert isinstance(found, ExceptionSymbol)
        if found.type is not None:
            return self._class(class_definition(found.type))
        return self._class(None, EXCEPTIONS[base.__name__].info)

    # Members

    def _functions(self, definition: ClassDefinition) -> Iterator[ast.stmt]:
        """Add the functions of the body; returns the other statements."""
        for statement in self.tree.body:
            match statement:
                case ast.FunctionDef():
                    self._function(definition, statement)
                case ast.Pass() | ast.Expr(value=ast.Constant()):
                    pass
                case ast.Assign(targets=[ast.Name(id="__slots__" | "__match_args__")]):
                    pass
                case ast.Assign() | ast.AnnAssign(target=ast.Name()):
                    yield statement
                case _:
                    what = f"which has {type(statement).__name__.lower()} statements in its body"
                    raise _Refused(what, "write only functions, attributes and constants there")

    def _function(self, definition: ClassDefinition, tree: ast.FunctionDef) -> None:
        name = tree.name
        if name in REFUSED:
            what, instead = REFUSED[name]
            raise _Refused(f"which defines {what}", instead)
        kind, abstract = "method", False
        for decorator in tree.decorator_list:
            if (
                isinstance(decorator, ast.Attribute)
                and decorator.attr == "setter"
                and isinstance(decorator.value, ast.Name)
            ):
                owner = definition.methods.get(decorator.value.id)
                if owner is not None:
                    owner.setter = self._method(definition, tree, "method", False)
                    return
            if self.environment.cache(decorator) is not None:
                continue
            found = self.constant(decorator)
            if found is property:
                kind = "property"
            elif found is staticmethod:
                kind = "static"
            elif found is classmethod:
                kind = "class"
            elif found is abc.abstractmethod:
                abstract = True
            elif (
                not _in(found, _HARMLESS)
                and not self.environment.is_script(decorator)
                and not self.environment.mark(tree)
            ):
                what = f"whose '{name}' has the decorator '{ast.unparse(decorator)}'"
                raise _Refused(what, "leave the decorator out")
        definition.methods[mangled(self.tree.name, name)] = self._method(definition, tree, kind, abstract)

    def _method(self, definition: ClassDefinition, tree: ast.FunctionDef, kind: str, abstract: bool) -> Method:
        def read() -> PythonFunction:
            plain = with_parts(tree, decorator_list=[])
            function = replace(self.place, name=tree.name, qualname=f"{self.tree.name}.{tree.name}", tree=plain)
            made = adopted(definition, without_body(function) if mark == "unused" else function, kind)
            return made if sizes is None else made.with_cache(*sizes)

        sizes = next(filter(None, map(self.environment.cache, tree.decorator_list)), None)
        mark = self.environment.mark(tree)
        return Method(mangled(self.tree.name, tree.name), kind, read, is_abstract=abstract, mark=mark)

    def _annotation(self, definition: ClassDefinition, node: ast.expr) -> Type | None:
        context = TypeContext(self.resolver, definition.problems.append, is_open=True)
        return annotation_type(context, self.place, node)

    def _is_class_variable(self, node: ast.expr) -> bool:
        inner = node.value if isinstance(node, ast.Subscript) else node
        try:
            found = self.environment.constant(inner)
            return found is typing.ClassVar or (inner is node and found is typing.Final)
        except (NotConstant, KeyError):
            return False

    # Classes

    def _class(
        self, base: ClassDefinition | None, builtin: ClassInfo | None = None, beside: ClassInfo | None = None
    ) -> ClassDefinition | Symbol:
        known: Symbol | None = self.text.symbol
        if known is not None:  # its base has been read since, and its derived classes with it
            return known
        name = self.table.unique_name(self.module, self.tree.name)
        info = ClassInfo(name, None, builtin if base is None else base.info, beside=beside)
        definition = ClassDefinition(
            self.tree.name, ClassType(info), base, place=self.place, is_reading=True, text=True
        )
        self._decorators(definition)
        if definition.options is not None and is_exception(definition.type):
            raise _Refused("an exception that is a dataclass", "write '__init__'")
        annotated: list[ast.AnnAssign] = []
        for statement in list(self._functions(definition)):
            if isinstance(statement, ast.AnnAssign):
                assert isinstance(statement.target, ast.Name)
                if self._is_class_variable(statement.annotation):
                    if statement.value is not None:
                        definition.constants[statement.target.id] = statement.value
                    continue
                annotated.append(statement)
                if definition.options is None and statement.value is not None:
                    definition.constants[statement.target.id] = statement.value
            elif isinstance(statement, ast.Assign):
                for target in statement.targets:
                    if isinstance(target, ast.Name):
                        definition.constants[target.id] = statement.value
        self.table.add(definition)
        self.text.symbol = symbol_of(definition)
        declared: dict[str, Type] = {}
        own: list[FieldSpec] = []
        for statement in annotated:
            assert isinstance(statement.target, ast.Name)
            field = statement.target.id
            spec = self._field(field, statement.value)
            annotation = statement.annotation
            if isinstance(annotation, ast.Subscript) and self._is(annotation.value, dataclasses.InitVar):
                spec.only_init = self._annotation(definition, annotation.slice) or NONE
            else:
                found = self._annotation(definition, annotation)
                if found is not None:
                    declared[field] = found
                else:
                    definition.poisoned.add(field)
            own.append(spec)
        if definition.options is not None or (base is not None and base.fields is not None):
            inherited = [] if base is None else list(base.fields or [])
            specs = {s.name: s for s in inherited}
            if definition.options is not None:
                specs |= {s.name: s for s in own}
            definition.fields = list(specs.values())
        definition.frozen = (definition.options or {}).get("frozen", base is not None and base.frozen)
        info.fields.update({} if info.base is None else info.base.fields)
        above: list[Any] = [info.base.python if info.base is not None and info.base.python else object]
        above += [] if info.beside is None else [info.beside.python]
        made: Any = type(self.tree.name, tuple(above), {})
        made.__module__ = self.module
        self.table.stand_in(definition, made)
        finish(definition, declared, self.resolver)
        if not is_exception(definition.type):
            dress(made, info)
        for other in self.text.module.deriving:
            if other.symbol is None:
                self.environment.known(other)
                self.resolver.symbol(other)
        return definition

    def _is(self, node: ast.expr, wanted: object) -> bool:
        try:
            return self.environment.constant(node) is wanted
        except (NotConstant, KeyError):
            return False

    def _decorators(self, definition: ClassDefinition) -> None:
        for decorator in self.tree.decorator_list:
            called = decorator.func if isinstance(decorator, ast.Call) else decorator
            if self.environment.is_script(decorator):
                continue
            found = self.constant(called)
            if found is dataclasses.dataclass:
                options = dict(_OPTIONS)
                for keyword in decorator.keywords if isinstance(decorator, ast.Call) else ():
                    if keyword.arg is not None:
                        options[keyword.arg] = bool(self.constant(keyword.value))
                definition.options = options
            elif found is functools.total_ordering:
                definition.total_order = True
            elif found is typing.final:
                definition.is_final = True
            else:
                raise _Refused(f"which has the decorator '{ast.unparse(decorator)}'", "leave the decorator out")

    def _field(self, name: str, value: ast.expr | None) -> FieldSpec:
        spec = FieldSpec(name, MISSING, MISSING)
        if value is None:
            return spec
        if not (isinstance(value, ast.Call) and self._is(value.func, dataclasses.field)):
            spec.default = value
            return spec
        for keyword in value.keywords:
            match keyword.arg:
                case "default":
                    spec.default = keyword.value
                case "default_factory":
                    spec.factory = keyword.value
                case "hash" if self.constant(keyword.value) is not None:
                    spec.hash = bool(self.constant(keyword.value))
                case "init" | "repr" | "compare" | "kw_only":
                    setattr(spec, keyword.arg, bool(self.constant(keyword.value)))
        return spec

    # Enums and named tuples

    def _enum(self, kind: str) -> ClassDefinition:
        name = self.table.unique_name(self.module, self.tree.name)
        definition = ClassDefinition(self.tree.name, NONE, place=self.place, text=True)
        members: list[tuple[str, object]] = []
        for statement in self._functions(definition):
            if not isinstance(statement, ast.Assign) or not isinstance(statement.targets[0], ast.Name):
                raise _Refused("an enum with attributes besides its members", "give each member a value")
            member = statement.targets[0].id
            value = statement.value
            if isinstance(value, ast.Call) and self._is(value.func, enum.auto):
                numbers = [v for _, v in members if isinstance(v, int)]
                members.append((member, member.lower() if kind == "str" else max(numbers, default=0) + 1))
            else:
                members.append((member, self.constant(value)))
        if not members:
            raise _Refused("an enum without members", "give it members")
        base: Any = {"": enum.Enum, "int": enum.IntEnum, "str": enum.StrEnum}[kind]
        try:
            made = base(self.tree.name, members, module=self.module)
        except (TypeError, ValueError) as error:
            raise _Refused(f"whose members do not fit: {error}", "give each a value of its kind") from None
        definition.type = EnumType(EnumInfo(name, {m.name: m.value for m in made}, made, kind))
        definition.python = made
        self.table.add(definition)
        self.text.symbol = symbol_of(definition)
        return definition

    def _named_tuple(self) -> ClassDefinition:
        name = self.table.unique_name(self.module, self.tree.name)
        definition = ClassDefinition(self.tree.name, NONE, place=self.place, text=True)
        types: dict[str, Type] = {}
        specs: list[FieldSpec] = []
        for statement in list(self._functions(definition)):
            if not isinstance(statement, ast.AnnAssign) or not isinstance(statement.target, ast.Name):
                raise _Refused("a named tuple with attributes besides its fields", "annotate each field")
            found = self._annotation(definition, statement.annotation)
            types[statement.target.id] = NONE if found is None else found
            specs.append(
                FieldSpec(statement.target.id, MISSING if statement.value is None else statement.value, MISSING)
            )
        made: Any = _NAMED_TUPLE(self.tree.name, list(types), module=self.module)
        info, declared = NamedTupleInfo(name, tuple(types), {}, made), tuple(types.values())
        definition.type = TupleType(declared, info)
        definition.fields, definition.python = specs, made
        if any(map(leaves_open, declared)):
            open_tuple(self.table, definition, info, declared, partial(self._complete, specs))
        else:
            self.table.add(definition)
        self.text.symbol = symbol_of(definition)
        return definition

    def _complete(self, specs: list[FieldSpec], definition: ClassDefinition) -> None:
        """Add fields and functions to a named tuple."""
        definition.fields = specs
        for _ in self._functions(definition):
            pass


def _in(value: object, table: Any) -> bool:
    try:
        return value in table
    except TypeError:
        return False
