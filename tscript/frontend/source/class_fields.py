"""The fields of a class of instances: those its body declares, and those that ``__init__`` assigns."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from tscript.abi.exceptions import exception_flags, is_exception
from tscript.abi.layout import CLASS_EQ, CLASS_FROZEN, CLASS_ORDER, CLASS_OWN_EQ, CLASS_OWN_KEYS, CLASS_REPR
from tscript.frontend.diagnostics import class_errors
from tscript.frontend.source.class_places import class_span
from tscript.frontend.source.classes import ClassDefinition, Method
from tscript.frontend.source.hashing import is_native
from tscript.frontend.source.opened import open_parameters
from tscript.frontend.source.resolver import Resolver
from tscript.frontend.source.unset import find_unset
from tscript.types import (
    NEVER,
    NONE,
    OPEN,
    ClassType,
    DictType,
    ListType,
    SetType,
    Type,
    completed,
    is_complete,
    leaves_open,
)
from tscript.types.opened import has_unknown, with_rank


def finish(definition: ClassDefinition, declared: Mapping[str, Type], resolver: Resolver) -> None:
    """Find the fields of a class of instances, and its special methods.

    Args:
        definition: With methods, constants and bases; its type is known.
        declared: The types declared in its body.
        resolver: For lowering ``__init__``.
    """
    info, base = definition.info, definition.base
    special = frozenset() if base is None else base.info.special
    generated = {
        n for n in ("__eq__", "__repr__", "__lt__", "__le__", "__gt__", "__ge__") if definition.is_generated(n)
    }
    own = {n for n in definition.methods if n.startswith("__") and n != "__init__"}
    if definition.options is not None:
        for spec in definition.fields or ():
            if spec.only_init is None and spec.name in declared:
                info.fields[spec.name] = declared[spec.name]
    else:
        for name, type in declared.items():
            if name not in definition.constants and name not in definition.methods:
                info.fields.setdefault(name, type)
    info.open = frozenset(name for name, type in info.fields.items() if leaves_open(type))
    init = definition.method("__init__")
    if init is not None and init[0] is definition:
        _discover(definition, declared, resolver)
    elif definition.options is not None and (post := definition.method("__post_init__")) is not None:
        _discover(definition, declared, resolver, post[1])
    info.open = frozenset()  # for classes with attributes of their own class
    info.open = frozenset(name for name, type in info.fields.items() if leaves_open(type))
    unset = find_unset(definition)
    info.late = unset.late if base is None else unset.late | base.info.late
    definition.preset = unset.preset
    if unset.refused and not definition.problems:
        assert base is not None and definition.place is not None
        first = [d for d in base.bases if unset.refused[0] in d.info.fields][-1].name
        problem = f"of {first} may be read before '__init__' of {first} has assigned it"
        instead = f"call 'super().__init__(...)' at the beginning of '__init__' of {definition.name}"
        at = class_span(definition.place, definition.name)
        definition.problems.append(class_errors.FieldNotSet(at, unset.refused[0], problem, instead))
    special = frozenset((special - generated) | own)
    flags = exception_flags(info) if info.base is not None and is_exception(definition.type) else 0
    for name, flag in (("__eq__", CLASS_EQ), ("__repr__", CLASS_REPR), ("__lt__", CLASS_ORDER)):
        source = definition.generator(name)
        if source is None or name in special:
            continue
        if _is_native(definition, source, name):
            flags |= flag
        else:
            special |= {name}
    if definition.frozen:
        flags |= CLASS_FROZEN
    if not is_native(definition, flags):
        flags |= CLASS_OWN_KEYS
    if "__eq__" in special:
        flags |= CLASS_OWN_EQ
    info.flags, info.special = flags, special
    definition.is_reading = False
    _look_for_late(definition)


def _is_native(definition: ClassDefinition, source: ClassDefinition, name: str) -> bool:
    """Whether a generated special method uses all fields, as the native library does."""
    specs = [f for f in source.fields or () if f.only_init is None]
    used = [f.name for f in specs if (f.repr if name == "__repr__" else f.compare)]
    if name == "__repr__" and definition.python is not None:
        if definition.python.__qualname__ != definition.name or source is not definition:
            return False
    return used == list(definition.info.fields) and not definition.info.late


def _look_for_late(definition: ClassDefinition) -> None:
    for name in (*definition.methods, *definition.constants):
        for base in list(definition.bases)[1:]:
            if name in base.assumed:
                definition.late = (
                    f"{definition.name} was defined after code that takes a {base.name} was compiled, and it overrides "
                    f"'{name}': define it before the first call of the function"
                )


_EXAMPLES: dict[type[Type], str] = {ListType: "list[int]", SetType: "set[int]", DictType: "dict[str, int]"}


def _discover(
    definition: ClassDefinition,
    declared: Mapping[str, Type],
    resolver: Resolver,
    method: Method | None = None,
) -> None:
    """Add the attributes that ``__init__`` assigns."""
    found = method or definition.methods["__init__"]
    assigned = resolver.assigned(definition, found, declared)
    problems = assigned.problems
    if problems and (unknown := _partly_open(found, resolver)):
        again = resolver.assigned(definition, found, declared, dict.fromkeys(unknown))
        if not again.problems:
            assigned, problems = again, []
            for name in _stored(found.function().tree):
                if name not in again.values and definition.method(name) is None:
                    definition.info.fields.setdefault(name, declared.get(name, OPEN))
    failed = bool(problems)
    for name, value in assigned.values.items():
        if name not in definition.info.fields:
            from tscript.types.inference import is_open

            if value.type == NONE or is_open(value.type):
                if not failed:
                    example = "Optional[int]" if value.type == NONE else _EXAMPLES[type(value.type)]
                    problems.append(class_errors.FieldTypeUnknown(value.span, definition.name, name, example))
                definition.poisoned.add(name)
            else:
                definition.info.fields[name] = value.type
    for node in ast.walk(found.function().tree) if found._function is not None else ():
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and problems:
            if node.attr not in definition.info.fields:
                definition.poisoned.add(node.attr)
    definition.problems += problems


def _partly_open(method: Method, resolver: Resolver) -> list[str]:
    """The parameters that are declared, but leave something to the call."""
    return [name for name, type in open_parameters(method.function(), resolver).items() if type != OPEN]


def _stored(tree: ast.FunctionDef) -> Iterator[str]:
    """The attributes that a method assigns to its first parameter."""
    arguments = [*tree.args.posonlyargs, *tree.args.args]
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and isinstance(node.value, ast.Name):
            if arguments and node.value.id == arguments[0].arg:
                yield node.attr


def settle(definition: ClassDefinition, given: Mapping[str, Type]) -> None:
    """Give open attributes of a class the types that they have in an instance, in the classes around it too.

    Arrays of which the instance has none, because a container is empty or an attribute None, are taken to have one
    dimension, until code needs another number (`tscript.frontend.guessing`).

    Args:
        definition: The class of the instance.
        given: Types of attributes, by name; `NEVER`: there is no value yet.

    Raises:
        TypeError: One is not what is declared.
    """
    if not isinstance(definition.type, ClassType):
        return
    for name in definition.info.open & given.keys():
        declared = definition.info.fields[name]
        is_said = leaves_open(declared) and given[name] not in (NEVER, NONE)
        found = completed(declared, given[name]) if is_said else declared
        if found is None:
            raise TypeError(f"its attribute '{name}' must be a {declared}, not {given[name]}")
        is_guess = not is_said or not is_complete(declared, found)
        found = with_rank(declared, given[name] if is_said else NEVER, 1) if is_guess else found
        if leaves_open(found) or has_unknown(found):
            continue
        for each in family(definition, name):
            each.info.fields[name] = found
            each.info.open -= {name}
            if is_guess and leaves_open(declared):
                each.info.guessed[name] = declared


def family(definition: ClassDefinition, name: str) -> list[ClassDefinition]:
    """The classes that share an attribute: the first that has it, and those that derive from it."""
    root = [d for d in definition.bases if name in d.info.fields][-1]
    return [root, *root.known_derived]
