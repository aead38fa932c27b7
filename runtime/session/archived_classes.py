"""What archives keep of classes beyond their attributes: methods, properties, and defaults of the constructor.

A method that compiles is a function of the archive, whose first parameter is the instance; the class names it. Methods
of other kinds, those that leave types to their calls, and those that call what stays in Python are left out.
"""

from __future__ import annotations

import ast
import enum
import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tscript.archive import ArchiveError, EntryPoint
from tscript.archive.classes import MODULE
from tscript.archive.naming import Names
from tscript.diagnostics import CompileError
from tscript.ir.signatures import value_json
from tscript.late import replace
from tscript.runtime.session.linker import python_calls
from tscript.runtime.session.scripted import Scripted, ScriptFunctions
from tscript.types import ClassType, EnumMember, EnumType, TupleType, Type

if TYPE_CHECKING:
    from tscript.frontend.source.classes import ClassDefinition

KINDS = {"method": "methods", "property": "properties"}
"""Where the manifest lists what is kept of a class, by the kinds of its functions."""

_EMPTY = {list: "list", dict: "dict", set: "set"}


class ArchivedMethod:
    """A method of a class that came in an archive; compiled code that is made when it is first asked for.

    Args:
        name: Its name.
        entry: Returns the function of the archive.
        make: Makes the function that is called, of its name and of that.
    """

    def __init__(self, name: str, entry: Callable[[], EntryPoint], make: Callable[[str, EntryPoint], Any]) -> None:
        self.__name__ = name
        self.entry = entry
        self._make = make
        self._made: Any = None

    @property
    def function(self) -> Any:
        """The function; the same one each time."""
        if self._made is None:
            self._made = self._made or self._make(self.__name__, self.entry())
        return self._made

    def __get__(self, instance: object, owner: type | None = None) -> Any:
        return self.function if instance is None else types.MethodType(self.function, instance)

    def __call__(self, instance: object) -> Any:
        """The value of the property of this name."""
        return self.function(instance)


def attach(
    specs: Sequence[Mapping[str, Any]],
    classes: Mapping[str, Any],
    entry: Callable[[str], EntryPoint],
    make: Callable[[str, EntryPoint], Any],
) -> None:
    """Give classes that came in an archive the methods that it has for them.

    Args:
        specs: What the archive says of classes.
        classes: The Python classes, by their names in it.
        entry: Returns a function of the archive.
        make: Makes a function that can be called, of its name and of that.
    """
    for spec in specs:
        cls = classes.get(spec["name"])
        if spec["kind"] == MODULE or cls is None or "__tscript_archived__" not in vars(cls):
            continue
        for kind, key in KINDS.items():
            for name, (function, _) in spec.get(key, {}).items():
                if name not in vars(cls):
                    method = ArchivedMethod(name, lambda n=function: entry(n), make)  # type: ignore[misc]
                    type.__setattr__(cls, name, method if kind == "method" else property(method))


def with_classes(
    entries: Mapping[str, EntryPoint], scripts: ScriptFunctions, names: Names | None
) -> dict[str, EntryPoint]:
    """The entry points of an archive, with those that are methods of their classes, which are named where these are
    described.

    Args:
        entries: The others.
        scripts: The functions of the process.
        names: What the archive calls classes; None: as the process does.
    """
    specs = {spec["name"]: spec for entry in entries.values() for spec in entry.classes}
    pending = sorted({name: type for entry in entries.values() for name, type in entry.types.items()}.items(), key=_key)
    said: dict[str, dict[str, Any]] = {}
    found: list[tuple[str, str, str, EntryPoint]] = []
    while pending:
        name, type = pending.pop(0)
        spec = specs.get(name)
        if name in said or spec is None or (isinstance(type, ClassType) and type.info.is_module):
            continue
        said[name] = more = {}
        for method, kind, made in sorted(_functions(type, scripts), key=_key):
            try:
                entry = made if isinstance(made, EntryPoint) else made.archived(method, names)
            except (CompileError, ArchiveError):
                continue
            found.append((name, method, kind, entry))
            pending += sorted(entry.types.items(), key=_key)
            specs |= {s["name"]: s for s in entry.classes if s["name"] not in specs}
        if "defaults" not in spec and (defaults := _defaults(type, scripts, names)):
            more["defaults"] = defaults
    out = dict(entries)
    for name, method, kind, entry in sorted(found, key=lambda item: item[:2]):
        stem = f"{name.rpartition('.')[2]}_{method}"
        while stem in out:
            stem += "_"
        out[stem] = replace(entry, name=stem)
        said[name].setdefault(KINDS[kind], {})[method] = [stem, entry.ir_digest]
    if not any(said.values()):
        return out
    return {name: replace(entry, classes=tuple(_said(s, said) for s in entry.classes)) for name, entry in out.items()}


def _key(item: Sequence[Any]) -> Any:
    return item[0]


def _said(spec: Mapping[str, Any], said: Mapping[str, Mapping[str, Any]]) -> Mapping[str, Any]:
    """What is said of a class, with its methods as this archive calls them."""
    more = said.get(spec["name"])
    return spec if more is None else {**{k: v for k, v in spec.items() if k not in KINDS.values()}, **more}


def _python(type: Type) -> Any:
    if isinstance(type, TupleType):
        return None if type.named is None else type.named.python
    return type.info.python if isinstance(type, ClassType | EnumType) else None


def _functions(type: Type, scripts: ScriptFunctions) -> Iterator[tuple[str, str, EntryPoint | Scripted]]:
    """The names and kinds of the own methods and properties of a class that are kept, with what compiles them."""
    from tscript.frontend.source.classes import class_definition

    python = _python(type)
    if python is not None and "__tscript_archived__" in vars(python):
        for name, value in vars(python).items():
            kind, held = ("property", value.fget) if isinstance(value, property) else ("method", value)
            if isinstance(held, ArchivedMethod):
                yield name, kind, held.entry()
        return
    definition = class_definition(type)
    for name, method in {} if definition is None else definition.methods.items():
        if method.kind not in KINDS or name.startswith("__") or method.is_abstract or method.is_cached:
            continue
        assert definition is not None
        if method.mark not in ("ignore", "unused") and (found := _scripted(definition, name, scripts)) is not None:
            yield name, method.kind, found


def _scripted(definition: ClassDefinition, name: str, scripts: ScriptFunctions) -> Scripted | None:
    """A method as a function of its own; None if it does not compile by itself."""
    known = scripts.methods.get(definition, {}).get(name)
    if known is not None:
        return known
    from tscript.frontend.checking import lower_own_method

    compiler = scripts.linker.compiler
    try:
        function = definition.methods[name].function()
        arguments = function.tree.args
        given = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs][1:]
        if arguments.vararg or arguments.kwarg or any(a.annotation is None for a in given):
            return None
        program = lower_own_method(definition, name, compiler.resolver())
    except CompileError:
        return None
    if python_calls(program):
        return None
    made = Scripted(scripts, name, function)
    made.captured, made.header, made.versions, made.is_usual, made.program = None, None, None, True, program
    scripts.methods.setdefault(definition, {})[name] = made
    return made


def _defaults(type: Type, scripts: ScriptFunctions, names: Names | None) -> list[list[Any]]:
    """Defaults of the attributes of a dataclass or named tuple, as far as an archive can keep them."""
    from tscript.definitions.absent import MISSING
    from tscript.frontend.source.classes import class_definition

    definition = class_definition(type)
    out: list[list[Any]] = []
    for field in (definition.fields or ()) if definition is not None else ():
        factory = field.factory
        if isinstance(factory, ast.Name):
            factory = {kind.__name__: kind for kind in _EMPTY}.get(factory.id)
        if factory in _EMPTY:
            out.append([field.name, [_EMPTY[factory], None]])
        elif field.default is not MISSING:
            item = _default(field.default, _field_type(type, field.name), scripts, names)
            if item is not None:
                out.append([field.name, item])
    return out


def _field_type(type: Type, name: str) -> Type | None:
    if isinstance(type, TupleType) and type.named is not None:
        return dict(zip(type.named.fields, type.elements, strict=True)).get(name)
    return type.info.fields.get(name) if isinstance(type, ClassType) else None


def _default(value: Any, type: Type | None, scripts: ScriptFunctions, names: Names | None) -> list[Any] | None:
    if isinstance(value, ast.expr):
        if isinstance(value, ast.Attribute) and isinstance(type, EnumType) and value.attr in type.info.members:
            value = EnumMember(type, value.attr)
        else:
            try:
                value = ast.literal_eval(value)
            except ValueError:
                return None
    elif isinstance(type, EnumType) and isinstance(value, enum.Enum) and value.__class__ is type.info.python:
        value = EnumMember(type, value.name)
    try:
        item = value_json(value)
    except ArchiveError:
        return None
    return [item[0], [names.of(value.type), value.name]] if isinstance(value, EnumMember) and names else item
