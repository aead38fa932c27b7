"""What archives keep of classes beyond their attributes: methods, properties, and defaults of the constructor.

A method that compiles is a function of the archive, whose first parameter is the instance; the class names it. Static
methods, class methods and the constructor are functions that call them. Those that leave types to their calls, and
those that call what stays in Python, are left out; the class names them, so that errors can.
"""

from __future__ import annotations

import ast
import enum
import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tscript.abi.exceptions import is_exception
from tscript.archive import ArchiveError, EntryPoint
from tscript.archive.classes import CONSTRUCTOR, KINDS, MODULE, SPECIAL
from tscript.archive.naming import Names
from tscript.diagnostics import CompileError
from tscript.ir.signatures import value_json
from tscript.late import replace
from tscript.runtime.session.linker import python_calls
from tscript.runtime.session.scripted import Scripted, ScriptFunctions
from tscript.types import ClassType, EnumMember, EnumType, TupleType, Type

if TYPE_CHECKING:
    from tscript.frontend.source.classes import ClassDefinition, Method
    from tscript.frontend.source.functions import PythonFunction

ABSENT = "absent"
"""Where the manifest lists the methods of a class that it has no code for."""

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
        if instance is None:
            return self.function
        if self.__name__ in SPECIAL and (wanted := self._wanted()) is not None:
            return lambda other: self.function(instance, other) if isinstance(other, wanted) else NotImplemented
        return types.MethodType(self.function, instance)

    def _wanted(self) -> type | None:
        """The class of the other operand, where it has to be an instance: others are for Python to decide about."""
        params = self.entry().params
        other = params[1].type if len(params) == 2 else None
        python: type | None = other.info.python if isinstance(other, ClassType) else None
        return python if self.__name__ not in _TAKE_ARGUMENTS else None

    def __call__(self, instance: object) -> Any:
        """The value of the property of this name."""
        return self.function(instance)


_TAKE_ARGUMENTS = ("__call__", "__getitem__", "__contains__", "__delitem__")
"""Special methods whose argument is no operand."""


class _Constructor:
    """`__init__` of a class that came in an archive: compiled code makes an instance, the new one gets its attributes.

    Args:
        method: The function that makes one.
    """

    def __init__(self, method: ArchivedMethod) -> None:
        self.method = method

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        return self if instance is None else lambda *args, **kwargs: self(instance, *args, **kwargs)

    def __call__(self, instance: Any, *args: Any, **kwargs: Any) -> None:
        """Give an instance the attributes of one that is made of these arguments."""
        for name, value in vars(self.method.function(*args, **kwargs)).items():
            object.__setattr__(instance, name, value)


def has_own_constructor(cls: Any) -> bool:
    """Whether the ``__init__`` of a class was written out, so that its parameters need not be the attributes."""
    init = getattr(cls, CONSTRUCTOR, None)
    archived = "__tscript_archived__" in vars(cls)
    return isinstance(init, _Constructor) or not (archived or hasattr(cls, "__dataclass_fields__"))


class _Absent:
    """A method that an archive has no code for.

    Args:
        name: Its name.
        owner: That of its class.
    """

    def __init__(self, name: str, owner: str) -> None:
        self.name, self._owner = name, owner

    def __get__(self, instance: object, owner: type | None = None) -> Any:
        what = (
            f"the archive has no code of {self._owner}.{self.name}(): it does not compile by itself, its parameters "
            "are not annotated, or it calls what stays in Python; import the class before the archive is loaded"
        )
        if self.name not in SPECIAL:
            raise AttributeError(what)

        def refuse(*args: object) -> Any:
            raise TypeError(what)

        return refuse


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
        for key in dict.fromkeys(KINDS.values()):
            for name, (function, _) in spec.get(key, {}).items():
                if not _is_attached(vars(cls).get(name)):
                    method = ArchivedMethod(name, lambda n=function: entry(n), make)  # type: ignore[misc]
                    type.__setattr__(cls, name, _ATTRIBUTES[key](method))
                    if name == "__eq__" and "__hash__" not in spec[key]:
                        cls.__hash__ = None
        for name in spec.get(ABSENT, ()):
            if isinstance(name, str) and (name in SPECIAL or not name.startswith("__")) and name not in vars(cls):
                type.__setattr__(cls, name, _Absent(name, cls.__name__))


def _of_class(method: ArchivedMethod) -> Any:
    """A function of the class, which takes no instance."""
    return _Constructor(method) if method.__name__ == CONSTRUCTOR else _OfClass(method)


class _OfClass:
    """A static method or class method of a class that came in an archive.

    Args:
        method: The function that calls it.
    """

    def __init__(self, method: ArchivedMethod) -> None:
        self.method = method

    def __get__(self, instance: object, owner: type | None = None) -> Any:
        return self.method.function


_ATTRIBUTES: Mapping[str, Callable[[ArchivedMethod], Any]] = {
    "methods": lambda method: method,
    "properties": property,
    "functions": _of_class,
}
"""What a class has as an attribute, by where the manifest lists it."""


def _is_attached(value: object) -> bool:
    return _held(value) is not None


def _held(value: object) -> tuple[str, ArchivedMethod] | None:
    """The kind of an attribute that is a method of an archive, and that method."""
    match value:
        case ArchivedMethod():
            return "method", value
        case property(fget=ArchivedMethod() as method):
            return "property", method
        case _Constructor(method=method) | _OfClass(method=method):
            return "static", method
    return None


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
        more: dict[str, Any] = {}
        said[name] = more
        absent: list[str] = []
        for method, kind, made in sorted(_functions(type, scripts), key=_key):
            try:
                entry = made if isinstance(made, EntryPoint) else None if made is None else made.archived(method, names)
            except (CompileError, ArchiveError):
                entry = None
            if entry is None:
                absent += () if method == CONSTRUCTOR else (method,)
                continue
            found.append((name, method, kind, entry))
            pending += sorted(entry.types.items(), key=_key)
            specs |= {s["name"]: s for s in entry.classes if s["name"] not in specs}
        if absent:
            more[ABSENT] = absent
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
    return spec if more is None else {**{k: v for k, v in spec.items() if k not in (*KINDS.values(), ABSENT)}, **more}


def _python(type: Type) -> Any:
    if isinstance(type, TupleType):
        return None if type.named is None else type.named.python
    return type.info.python if isinstance(type, ClassType | EnumType) else None


def _functions(type: Type, scripts: ScriptFunctions) -> Iterator[tuple[str, str, EntryPoint | Scripted | None]]:
    """The names and kinds of the functions of a class that are kept, with what compiles them; None: nothing does."""
    from tscript.frontend.source.classes import class_definition

    python = _python(type)
    if python is not None and "__tscript_archived__" in vars(python):
        for name, value in vars(python).items():
            held = _held(value)
            if held is not None:
                yield name, held[0], held[1].entry()
            elif isinstance(value, _Absent):
                yield name, "method", None
        return
    definition = class_definition(type)
    if definition is None:
        return
    for name, method in _kept(definition).items():
        if method.is_abstract or method.is_cached or (name.startswith("__") and name not in (*SPECIAL, CONSTRUCTOR)):
            continue
        if name == CONSTRUCTOR and (not isinstance(type, ClassType) or is_exception(type)):
            continue
        found = None
        if method.mark not in ("ignore", "unused"):
            found = _scripted(definition, method, scripts)
        yield name, method.kind if name != CONSTRUCTOR else "static", found


def _kept(definition: ClassDefinition) -> dict[str, Method]:
    """The functions of a class by name; those that make instances of it, which its bases have, too."""
    found = dict(definition.methods)
    for base in list(definition.bases)[1:]:
        for name, method in base.methods.items():
            if (method.kind == "class" or name == CONSTRUCTOR) and definition.method(name) == (base, method):
                found.setdefault(name, method)
    return found


def _scripted(definition: ClassDefinition, method: Method, scripts: ScriptFunctions) -> Scripted | None:
    """A function of a class as one of its own; None if it does not compile by itself."""
    name = method.name
    known = scripts.methods.get(definition, {}).get(name)
    if known is not None:
        return known
    from tscript.frontend.checking import lower_own_method

    compiler = scripts.linker.compiler
    takes_instance = method.kind in ("method", "property") and name != CONSTRUCTOR
    try:
        function = method.function()
        arguments = function.tree.args
        given = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs][
            method.kind in ("method", "property") :
        ]
        if arguments.vararg or arguments.kwarg or any(a.annotation is None for a in given):
            return None
        if takes_instance:
            program = lower_own_method(definition, name, compiler.resolver())
        else:
            function = _calling(definition, method, function)
            program = compiler.check(function)
    except CompileError:
        return None
    if python_calls(program):
        return None
    made = Scripted(scripts, name, function)
    made.captured, made.header, made.versions, made.is_usual, made.program = None, None, None, True, program
    scripts.methods.setdefault(definition, {})[name] = made
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
