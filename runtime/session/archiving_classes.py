"""What archives keep of classes beyond their attributes: methods, properties, constructors, constants and defaults.

A method that compiles is a function of the archive, whose first parameter is the instance; the class names it. Static
methods, class methods and the constructor are functions that call them. Those that leave types to their calls, and
those that call what stays in Python, are left out; the class names them, so that errors can.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import MISSING
from typing import TYPE_CHECKING, Any

from tscript.archive import ArchiveError, EntryPoint
from tscript.archive.classes import ABSENT, CONSTRUCTOR, KINDS, SPECIAL, python_of
from tscript.archive.naming import Names
from tscript.diagnostics import CompileError
from tscript.late import replace
from tscript.runtime.session.archived_classes import held, without_code
from tscript.runtime.session.archiving_values import Keeper, constructor, empty, factory, makes_more
from tscript.runtime.session.linker import python_calls
from tscript.runtime.session.scripted import Scripted, ScriptFunctions
from tscript.types import ClassType, Type

if TYPE_CHECKING:
    from tscript.frontend.source.classes import ClassDefinition, Method
    from tscript.frontend.source.functions import PythonFunction
    from tscript.ir.graph import Program


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
    known: dict[str, Type] = {}
    found: list[tuple[str, str, str, EntryPoint]] = []
    while pending:
        name, type = pending.pop(0)
        spec = specs.get(name)
        if name in said or spec is None or (isinstance(type, ClassType) and type.info.is_module):
            continue
        more: dict[str, Any] = {}
        said[name], known[name] = more, type
        absent: list[str] = []
        for method, kind, made in sorted(_functions(type, scripts), key=_key):
            try:
                entry = made if isinstance(made, EntryPoint) else None if made is None else made.archived(method, names)
            except (CompileError, ArchiveError):
                entry = None
            if entry is None:
                absent += (method,) if kind in _NAMED and method != CONSTRUCTOR else ()
                continue
            found.append((name, method, kind, entry))
            pending += sorted(entry.types.items(), key=_key)
            specs |= {s["name"]: s for s in entry.classes if s["name"] not in specs}
        if absent:
            more[ABSENT] = absent
    keeper = Keeper(names, known)
    for name, type in known.items():
        said[name] |= keeper.said(type, specs[name])
    out = dict(entries)
    for name, method, kind, entry in sorted(found, key=lambda item: item[:3]):
        stem = f"{name.rpartition('.')[2]}_{method}"
        while stem in out:
            stem += "_"
        out[stem] = replace(entry, name=stem)
        said[name].setdefault(KINDS[kind], {})[method] = [stem, entry.ir_digest]
    if not any(said.values()):
        return out
    # Entry points of an archive and those made now may say different parts of one class.
    whole = {name: _said(specs[name], more) for name, more in said.items()}
    return {
        name: replace(entry, classes=tuple(whole.get(s["name"], s) for s in entry.classes))
        for name, entry in out.items()
    }


_NAMED = ("method", "property", "static")
"""The kinds of functions that a class names when it has no code for them."""


def _key(item: Sequence[Any]) -> Any:
    return item[0]


def _said(spec: Mapping[str, Any], more: Mapping[str, Any]) -> Mapping[str, Any]:
    """What is said of a class, with its methods as this archive calls them."""
    return {**{k: v for k, v in spec.items() if k not in (*KINDS.values(), ABSENT)}, **more}


def _functions(type: Type, scripts: ScriptFunctions) -> Iterator[tuple[str, str, EntryPoint | Scripted | None]]:
    """The names and kinds of the functions of a class that are kept, with what compiles them; None: nothing does."""
    from tscript.frontend.source.classes import class_definition

    python = python_of(type)
    if python is not None and "__tscript_archived__" in vars(python):
        yield from ((name, kind, method.entry()) for name, kind, method in held(python))
        yield from ((name, "method", None) for name in without_code(python))
        return
    definition = class_definition(type)
    if definition is None:
        return
    for name, method in _kept(definition).items():
        if method.is_abstract or method.is_cached or (name.startswith("__") and name not in (*SPECIAL, CONSTRUCTOR)):
            continue
        if name == CONSTRUCTOR and not isinstance(type, ClassType):
            continue
        kind = "static" if name == CONSTRUCTOR or method.kind == "class" else method.kind
        yield name, kind, _scripted(definition, method, scripts)
        if method.setter is not None:
            yield name, "setter", _scripted(definition, method.setter, scripts, f"{name} setter")
    for field in definition.fields or ():
        if field.factory is not MISSING and empty(field) is None:
            yield field.name, "factory", _generated(definition, f"{field.name} factory", factory, scripts, field)
    if isinstance(type, ClassType) and makes_more(definition):
        yield CONSTRUCTOR, "static", _generated(definition, CONSTRUCTOR, constructor, scripts)


def _kept(definition: ClassDefinition) -> dict[str, Method]:
    """The functions of a class by name; those that make instances of it, which its bases have, too."""
    found = dict(definition.methods)
    for base in list(definition.bases)[1:]:
        for name, method in base.methods.items():
            if (method.kind == "class" or name == CONSTRUCTOR) and definition.method(name) == (base, method):
                found.setdefault(name, method)
    return found


def _scripted(definition: ClassDefinition, method: Method, scripts: ScriptFunctions, key: str = "") -> Scripted | None:
    """A function of a class as one of its own; None if it does not compile by itself."""
    if method.mark in ("ignore", "unused"):
        return None
    from tscript.frontend.checking import lower_own_method

    compiler = scripts.linker.compiler
    takes_instance = method.kind in ("method", "property") and method.name != CONSTRUCTOR

    def make() -> tuple[PythonFunction, Program] | None:
        function = method.function()
        arguments = function.tree.args
        given = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs][
            method.kind in ("method", "property") :
        ]
        if arguments.vararg or arguments.kwarg or any(a.annotation is None for a in given):
            return None
        if takes_instance:
            return function, lower_own_method(definition, method, compiler.resolver())
        function = _calling(definition, method, function)
        return function, compiler.check(function)

    return _made(definition, key or method.name, make, scripts)


def _generated(
    definition: ClassDefinition,
    key: str,
    write: Callable[..., PythonFunction | None],
    scripts: ScriptFunctions,
    *args: object,
) -> Scripted | None:
    """A function that is written for a class; None if it does not compile."""

    def make() -> tuple[PythonFunction, Program] | None:
        function = write(definition, *args)
        return None if function is None else (function, scripts.linker.compiler.check(function))

    return _made(definition, key, make, scripts)


def _made(
    definition: ClassDefinition,
    key: str,
    make: Callable[[], tuple[PythonFunction, Program] | None],
    scripts: ScriptFunctions,
) -> Scripted | None:
    known = scripts.methods.get(definition, {}).get(key)
    if known is not None:
        return known
    try:
        found = make()
    except CompileError:
        return None
    if found is None or python_calls(found[1]):
        return None
    made = Scripted(scripts, key.partition(" ")[0], found[0])
    made.captured, made.header, made.versions, made.is_usual, made.program = None, None, None, True, found[1]
    scripts.methods.setdefault(definition, {})[key] = made
    return made


def _calling(definition: ClassDefinition, method: Method, function: PythonFunction) -> PythonFunction:
    """A function that calls the class, or a function of the class, with what it is called with."""
    tree = function.tree
    first = method.kind == "method"
    places = [*tree.args.posonlyargs, *tree.args.args][first:]
    args = ast.arguments(
        [], places, None, tree.args.kwonlyargs, tree.args.kw_defaults, None,
        tree.args.defaults[max(0, len(tree.args.defaults) - len(places)) :],
    )  # fmt: skip
    callee: ast.expr = ast.Name(definition.name, ast.Load())
    if method.name != CONSTRUCTOR:
        callee = ast.Attribute(callee, method.name, ast.Load())
    call = ast.Call(
        callee,
        [ast.Name(a.arg, ast.Load()) for a in places],
        [ast.keyword(a.arg, ast.Name(a.arg, ast.Load())) for a in tree.args.kwonlyargs],
    )
    fields = {n: getattr(tree, n) for n in tree._fields}
    made = ast.FunctionDef(
        **{**fields, "args": args, "body": [ast.Return(call)], "decorator_list": [], "returns": None}
    )
    ast.fix_missing_locations(ast.copy_location(made, tree))
    annotations = {n: a for n, a in function.annotations.items() if n != "return"}
    return replace(function, tree=made, annotations=annotations, callable=None, cache=None, calls=function)
