"""Definitions of modules: networks and their parts, of PyTorch or of `tscript.nn`.

The attributes of a module are known when it is compiled, so each combination of their types has a class of its own: its
attributes are those of the instance, its methods those that the class of the module has. Calls of ``super()`` go along
the method resolution order of that class: each class in it has a definition, and all have one type.
"""

from __future__ import annotations

import ast
import typing
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import CodeType, FunctionType
from typing import Any

from tscript.frontend.source.class_places import place_of
from tscript.frontend.source.class_reading import UNSEEN, hints, read_members
from tscript.frontend.source.class_table import ClassTable
from tscript.frontend.source.classes import ClassDefinition, Members
from tscript.frontend.source.functions import PythonFunction
from tscript.frontend.source.marks import mark_of
from tscript.frontend.source.object_types import TypeContext
from tscript.frontend.source.resolver import Resolver
from tscript.late import dataclass
from tscript.types import ClassInfo, ClassType, Type

_COMPILED_DUNDERS = frozenset({"__call__", "__len__", "__iter__", "__getitem__", "__contains__"})
"""Special methods of modules that compiled code uses. Others belong to Python."""

ALWAYS = "forward"
"""The method that is compiled in any case."""

_OF_BASE = frozenset({"_get_name"})
"""Methods of ``Module`` that compiled code may call."""


@dataclass(frozen=True, slots=True)
class ModuleFacts:
    """What is known of a module when it is compiled.

    Attributes:
        source: Its class.
        base: The class ``Module`` that it derives from.
        classes: Those that it gets its methods from, nearest first.
        fields: Types of the attributes that may change.
        constants: Other attributes.
        members: What it holds, if it is a list or dict of modules or parameters.
    """

    source: type
    base: type
    classes: tuple[type, ...]
    fields: Mapping[str, Type]
    constants: Mapping[str, object]
    members: Members | None = None


def read_module(table: ClassTable, made: type, facts: ModuleFacts, resolver: Resolver) -> ClassDefinition:
    """The definition of a module.

    Args:
        table: The classes of the process.
        made: The Python class that stands for modules with these facts.
        facts: They.
        resolver: Resolves names.
    """
    info = ClassInfo(table.unique_name(facts.source.__module__, facts.source.__qualname__), made, is_module=True)
    type = ClassType(info)
    info.fields.update(facts.fields)
    definition = ClassDefinition(facts.base.__name__, type, python=made, is_final=True, place=place_of(facts.base))
    read_members(table, definition, {n: v for n, v in vars(facts.base).items() if n in _OF_BASE})
    for cls in reversed(facts.classes):
        definition = ClassDefinition(cls.__name__, type, definition, python=made, is_final=True)
        definition.place = place_of(cls)
        unseen = {n for n in vars(cls) if n in UNSEEN or (n[:2] == n[-2:] == "__" and n not in _COMPILED_DUNDERS)}
        read_members(table, definition, {n: v for n, v in vars(cls).items() if n not in unseen})
    for name in facts.fields:
        definition.methods.pop(name, None)
        definition.constants.pop(name, None)
    definition.constants.update(facts.constants)
    definition.members = facts.members
    definition.is_module = True
    table.add(definition)
    return definition


def declared_attributes(classes: Sequence[type], resolver: Resolver) -> tuple[dict[str, Type], frozenset[str]]:
    """The types that classes of a module declare for its attributes, in their bodies or in ``__init__``, and names of
    constants: ``Final``, or listed in ``__constants__``."""
    types: dict[str, Type] = {}
    constants: set[str] = set()
    for cls in reversed(classes):
        holder = ClassDefinition(cls.__name__, ClassType(ClassInfo(cls.__name__, cls)), python=cls, place=place_of(cls))
        types |= hints(cls, holder, resolver)
        constants |= set(vars(cls).get("__constants__", ()))
        constants |= {n for n, a in vars(cls).get("__annotations__", {}).items() if _is_final(a)}
        init = vars(cls).get("__init__")
        if isinstance(init, FunctionType):
            types |= _assigned_with_types(init, resolver)
    return types, frozenset(constants)


def _is_final(annotation: object) -> bool:
    if isinstance(annotation, str):
        return annotation.partition("[")[0].rpartition(".")[2] == "Final"
    return annotation is typing.Final or typing.get_origin(annotation) is typing.Final


def _assigned_with_types(init: FunctionType, resolver: Resolver) -> dict[str, Type]:
    """The types in ``self.name: T = ...`` and ``self.name = Attribute(..., T)``."""
    from tscript.diagnostics import CompileError
    from tscript.frontend.source.annotations import annotation_type

    if "self" not in init.__code__.co_varnames[:1]:
        return {}
    try:
        function = PythonFunction.from_callable(init)
    except CompileError:
        return {}
    found: dict[str, Type] = {}
    context = TypeContext(resolver, lambda _: None)
    for node in ast.walk(function.tree):
        match node:
            case (
                ast.Assign(targets=[ast.Attribute(attr=name)], value=ast.Call() as call)
                | ast.AnnAssign(target=ast.Attribute(attr=name), value=ast.Call() as call)
            ) if _makes_attribute(call):
                declared = _type_argument(call)
            case ast.AnnAssign(target=ast.Attribute(attr=name), annotation=declared):
                pass
            case _:
                continue
        read = None if declared is None else annotation_type(context, function, declared)
        if read is not None:
            found[name] = read
    return found


def _makes_attribute(call: ast.Call) -> bool:
    """Whether it is ``Attribute(...)`` or ``torch.jit.Attribute(...)``."""
    match call.func:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name == "Attribute"
    return False


def _type_argument(call: ast.Call) -> ast.expr | None:
    """The type in ``Attribute(value, type)``."""
    by_name = (keyword.value for keyword in call.keywords if keyword.arg == "type")
    return call.args[1] if len(call.args) == 2 else next(by_name, None)


@dataclass(frozen=True, slots=True)
class Stored:
    """Names of attributes that methods assign which compiled code may call.

    Attributes:
        own: Those of ``self``.
        others: Those of anything else.
        methods: What each method assigns, and the names that it mentions, by its name; what is exported, or read from
            a text, is together with `ALWAYS`.
    """

    own: frozenset[str]
    others: frozenset[str]
    methods: Mapping[str, tuple[frozenset[str], frozenset[str]]]


def stored_attributes(classes: Iterable[type]) -> Stored:
    """The attributes that methods of these classes assign."""
    own: set[str] = set()
    others: set[str] = set()
    methods: dict[str, tuple[frozenset[str], frozenset[str]]] = {}
    for cls in classes:
        for name, value in vars(cls).items():
            function: Any = getattr(value, "fget", None) or getattr(value, "__func__", value)
            written = getattr(function, "__tscript_function__", None)
            code = getattr(function, "__code__", None)
            if isinstance(written, PythonFunction) and written.callable is None:
                found = [(variable == "self", stored) for variable, stored in _stored_in(written.tree)]
                mentioned: Iterable[str] = ()
                name = ALWAYS
            elif isinstance(code, CodeType) and (name[:2] != "__" or name in _COMPILED_DUNDERS):
                found = [(owner == code.co_varnames[:1], stored) for owner, stored in _stored(code)]
                mentioned = _names(code)
                name = ALWAYS if mark_of(function) == "export" else name
            else:
                continue
            for is_own, stored in found:
                (own if is_own else others).add(stored)
            before = methods.get(name, (frozenset(), frozenset()))
            methods[name] = before[0].union(stored for _, stored in found), before[1].union(mentioned)
    return Stored(frozenset(own), frozenset(others), methods)


def never_assigned(found: Iterable[Stored]) -> frozenset[str]:
    """The attributes that methods assign, but none that ``forward``, or what else is compiled in any case, leads to.

    Args:
        found: What all classes of a tree of modules assign.
    """
    everything = list(found)
    assigned: set[str] = set()
    called = {ALWAYS, *_COMPILED_DUNDERS}
    waiting = list(called)
    while waiting:
        name = waiting.pop()
        for each in everything:
            stored, mentioned = each.methods.get(name, (frozenset(), frozenset()))
            assigned |= stored
            waiting += mentioned - called
            called |= mentioned
    return frozenset(name for each in everything for stored, _ in each.methods.values() for name in stored) - assigned


def _names(code: CodeType) -> Iterator[str]:
    """The names of attributes and globals that code mentions, that of inner functions too."""
    yield from code.co_names
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from _names(inner)


def _stored_in(tree: ast.FunctionDef) -> Iterator[tuple[str, str]]:
    """Names of assigned attributes in a function that was read from a text, each with what it is an attribute of."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield getattr(node.value, "id", ""), node.attr


def _stored(code: CodeType) -> Iterator[tuple[tuple[str, ...], str]]:
    """Names of assigned attributes, each with the name of the variable whose attribute it is."""
    import dis

    before: tuple[str, ...] = ()
    for instruction in dis.get_instructions(code):
        if instruction.opname == "STORE_ATTR":
            yield before, instruction.argval
        found = instruction.argval
        before = (found,) if instruction.opname == "LOAD_FAST" else tuple(found[-1:]) if _loads_two(instruction) else ()
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from _stored(inner)


def _loads_two(instruction: Any) -> bool:
    """Whether an instruction loads two variables, as ``self.x = y`` does in newer interpreters."""
    return str(instruction.opname).startswith(("LOAD_FAST_LOAD_FAST", "LOAD_FAST_BORROW_LOAD_FAST"))
