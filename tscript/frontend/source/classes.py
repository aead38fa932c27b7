"""Classes, enums and named tuples as the frontend sees them: `ClassDefinition`.

A definition comes from a Python class (`tscript.frontend.source.class_reading`) or from the text of a module that is
never run (`tscript.frontend.source.source_classes`). It lives as long as its Python class and its type, which refer to
it.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import fields as fields_of
from typing import Any
from weakref import ReferenceType, ref

from tscript.abi.cells import parts_of
from tscript.abi.exceptions import is_exception
from tscript.diagnostics import CompileError, Diagnostic
from tscript.frontend.source.functions import Environment, PythonFunction
from tscript.frontend.source.symbols import ExceptionSymbol, Symbol
from tscript.late import dataclass, field, replace
from tscript.parsing import with_parts
from tscript.types import (
    GENERATOR,
    ArrayType,
    ClassInfo,
    ClassType,
    Declared,
    EnumType,
    ScalarType,
    TensorType,
    TupleType,
    Type,
)

PythonClass = type

GENERATED = frozenset(
    {
        *("__init__", "__repr__", "__eq__", "__lt__", "__le__", "__gt__", "__ge__", "__hash__"),
        *("__setattr__", "__delattr__", "__match_args__", "__replace__", "__getstate__", "__setstate__"),
    }
)
"""Methods that `dataclasses.dataclass` may add to a class."""

REFUSED: dict[str, tuple[str, str]] = {
    "__new__": ("'__new__'", "do it in '__init__', or in a class method"),
    "__getattr__": ("'__getattr__'", "attributes are known when code is compiled: assign them in '__init__'"),
    "__getattribute__": ("'__getattribute__'", "write properties"),
    "__setattr__": ("'__setattr__'", "write properties with setters"),
    "__delattr__": ("'__delattr__'", "set the attribute to None"),
    "__del__": ("'__del__'", "write a method and call it when the instance is no longer needed, or write '__exit__'"),
    "__get__": ("a descriptor", "write a property"),
    "__set__": ("a descriptor", "write a property"),
}
"""Special methods that compiled code does not support."""


@dataclass(frozen=True, slots=True)
class ClassSymbol(Symbol):
    """A class, an enum or a named tuple."""

    definition: ClassDefinition = field(hash=False)


def symbol_of(definition: ClassDefinition) -> Symbol:
    """The symbol of a class with a definition."""
    type = definition.type
    if isinstance(type, ClassType) and is_exception(type):
        return ExceptionSymbol(definition.name, type)
    return ClassSymbol(definition)


@dataclass(frozen=True, slots=True)
class MemberSymbol(Symbol):
    """A member of an enum, by name."""

    definition: ClassDefinition = field(hash=False)
    member: str


@dataclass(frozen=True, slots=True)
class MethodSymbol(Symbol):
    """A function of a class, named by the class: ``Point.origin``."""

    definition: ClassDefinition = field(hash=False)
    method: Method = field(hash=False)


@dataclass(eq=False, slots=True)
class FieldSpec:
    """A field of a dataclass or a named tuple.

    Attributes:
        name: Its name.
        default: A constant object or an expression (`ast.expr`); `MISSING` without one.
        factory: What makes the default: an object, or an expression that is called; `MISSING` without one.
        init, repr, compare, kw_only, hash: As `dataclasses.field` has them.
        only_init: It is an `InitVar`, with this type.
    """

    name: str
    default: object
    factory: object
    init: bool = True
    repr: bool = True
    compare: bool = True
    kw_only: bool = False
    only_init: Type | None = None
    hash: bool | None = None


@dataclass(eq=False, slots=True)
class Method:
    """A function in a class.

    Attributes:
        name: Its name.
        kind: ``method``, ``static``, ``class`` or ``property``.
        read: Gives the function.
        setter: Gives that of a property, if it has one.
        is_abstract: Whether derived classes have to define it.
        mark: Its mark for the compiler: ``ignore``, ``unused``, ``export``, or empty.
        is_cached: Whether `functools.lru_cache` is around it.
    """

    name: str
    kind: str
    read: Callable[[], PythonFunction]
    setter: Method | None = None
    is_abstract: bool = False
    mark: str = ""
    is_cached: bool = False
    _function: PythonFunction | None = None

    def function(self) -> PythonFunction:
        """The function; the same one each time.

        Raises:
            CompileError: Its source cannot be read.
        """
        if self._function is None:
            self._function = _raising(self.read()) if self.is_abstract else self.read()
        return self._function


@dataclass(frozen=True, slots=True)
class Members:
    """What a list or dict of modules or parameters holds.

    Attributes:
        names: Names of the attributes, in order.
        is_mapping: Whether it is a dict, so that a loop over it is one over the names.
    """

    names: tuple[str, ...]
    is_mapping: bool = False


@dataclass(eq=False, slots=True, weakref_slot=True)
class ClassDefinition:
    """A class.

    Attributes:
        name: Its plain name.
        type: Its type.
        base: The definition of the class it derives from.
        methods: Its own functions, by name.
        constants: Its own other attributes: objects, or expressions of a text (`ast.expr`).
        fields: Of a dataclass or named tuple, in order, those of its bases too; None for other classes.
        python: The Python class.
        place: A placeholder function with the place of the class and the names around it.
        assumed: Names that compiled code assumed not to be overridden.
        problems: Why it cannot be used.
        is_final: Nothing derives from it.
        is_reading: Its fields are being found.
        late: Why instances are refused: the class overrides a name that older code assumed not to be overridden.
        text: It was read from source, without running it.
        frozen: It is a frozen dataclass.
        options: Of its own ``@dataclass``; None when it has none.
        total_order: `functools.total_ordering` gives it the comparisons it does not define.
        poisoned: Fields whose type is not known because of an error.
        has_no_hash: The class object declares that its instances have no hash.
        is_made: It is an exception class of which compiled code makes instances.
        preset: Attributes that new instances get from the class, because something may read them early.
        is_module: It stands for modules (`tscript.frontend.source.module_reading`): calls of them call ``forward``.
        members: What it holds, if it stands for lists or dicts of modules.
        maker: The function that makes its instances, of a class that came in an archive with a constructor.
    """

    name: str
    type: Type
    base: ClassDefinition | None = None
    methods: dict[str, Method] = field(default_factory=dict)
    constants: dict[str, object] = field(default_factory=dict)
    fields: list[FieldSpec] | None = None
    python: PythonClass | None = None
    place: PythonFunction | None = None
    _derived: list[ReferenceType[ClassDefinition]] = field(default_factory=list)
    assumed: set[str] = field(default_factory=set)
    problems: list[Diagnostic] = field(default_factory=list)
    is_final: bool = False
    is_reading: bool = False
    late: str = ""
    text: bool = False
    frozen: bool = False
    options: dict[str, bool] | None = None
    total_order: bool = False
    poisoned: set[str] = field(default_factory=set)
    is_made: bool = False
    has_no_hash: bool = False
    preset: tuple[str, ...] = ()
    is_module: bool = False
    members: Members | None = None
    maker: Method | None = None

    @property
    def info(self) -> ClassInfo:
        """Of a class of instances."""
        assert isinstance(self.type, ClassType)
        return self.type.info

    @property
    def bases(self) -> Iterator[ClassDefinition]:
        """The class itself and all it derives from, nearest first."""
        at: ClassDefinition | None = self
        while at is not None:
            yield at
            at = at.base

    @property
    def derived(self) -> list[ClassDefinition]:
        """Classes known to derive from it directly."""
        return [other for at in self._derived if (other := at()) is not None]

    @property
    def known_derived(self) -> Iterator[ClassDefinition]:
        """All classes known to derive from it, the most derived ones first."""
        for other in self.derived:
            yield from other.known_derived
            yield other

    def add_derived(self, other: ClassDefinition) -> None:
        """A class derives from it."""
        self._derived = [ref(d) for d in self.derived if d is not other] + [ref(other)]

    def method(self, name: str) -> tuple[ClassDefinition, Method] | None:
        """A function of that name, and the class that has it; None when there is none, or the nearest is something
        else."""
        if name == "__call__" and self.is_module:
            name = "forward"
        for definition in self.bases:
            if name in definition.methods:
                return definition, definition.methods[name]
            if name in definition.constants or definition.is_generated(name):
                return None
        return None

    def constant(self, name: str) -> tuple[ClassDefinition, object] | None:
        """An attribute of the class of that name, and the class that has it."""
        for definition in self.bases:
            if name in definition.constants:
                return definition, definition.constants[name]
            if name in definition.methods:
                return None
        return None

    def is_generated(self, name: str) -> bool:
        """Whether ``@dataclass`` generates the special method for this class."""
        options = self.options
        if options is None or name in self.methods:
            return False
        if name == "__init__":
            return options["init"]
        if name == "__repr__":
            return options["repr"]
        if name == "__eq__":
            return options["eq"]
        return options["order"] and name in ("__lt__", "__le__", "__gt__", "__ge__")

    def generator(self, name: str) -> ClassDefinition | None:
        """The dataclass whose generated special method instances have; None if the method is written by hand or
        missing."""
        for definition in self.bases:
            if name in definition.methods:
                return None
            if definition.is_generated(name):
                return definition
        return None

    @property
    def abstract(self) -> list[str]:
        """Names of methods that are still abstract."""
        names = {n for d in self.bases for n, m in d.methods.items() if m.is_abstract}
        return sorted(n for n in names if (found := self.method(n)) is not None and found[1].is_abstract)

    def names(self) -> Iterable[str]:
        """All attributes, for suggestions."""
        own = list(self.type.info.fields) if isinstance(self.type, ClassType) else [f.name for f in self.fields or ()]
        return [*own, *(n for d in self.bases for n in (*d.methods, *d.constants) if not n.startswith("__"))]


@dataclass(frozen=True, eq=False, slots=True)
class ClassFunction(PythonFunction):
    """A function of a class.

    Attributes:
        owner: The class.
    """

    owner: ClassDefinition = field(kw_only=True, repr=False)


def owner_of(function: PythonFunction) -> ClassDefinition | None:
    """The class whose function it is."""
    return function.owner if isinstance(function, ClassFunction) else None


def _raising(function: PythonFunction) -> PythonFunction:
    """An abstract method without a body of its own as one that raises `NotImplementedError`."""
    tree = function.tree
    if any(
        not isinstance(s, ast.Pass) and not (isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant))
        for s in tree.body
    ):
        return function
    body = ast.copy_location(ast.Raise(ast.copy_location(ast.Name("NotImplementedError", ast.Load()), tree)), tree)
    return replace(function, tree=with_parts(tree, body=[body]))


def _owned(function: PythonFunction, definition: ClassDefinition) -> ClassFunction:
    """A function as one of a class."""
    kept = {f.name: getattr(function, f.name) for f in fields_of(PythonFunction)}
    return ClassFunction(**kept, owner=definition)


class ClassEnvironment:
    """The names around a function of a class: those of its module, and the class itself."""

    __slots__ = ("_inner", "_own")

    def __init__(self, inner: Environment, own: dict[str, object]) -> None:
        self._inner = inner
        self._own = own

    def lookup(self, name: str) -> object:
        """See `Environment`."""
        try:
            return self._inner.lookup(name)
        except KeyError:
            return self._own[name]

    def names(self) -> Iterable[str]:
        """See `Environment`."""
        return [*self._own, *self._inner.names()]

    def constant(self, node: ast.expr) -> object:
        """See `SourceEnvironment`."""
        inner: Any = self._inner
        return inner.constant(node)


class BoundEnvironment(ClassEnvironment):
    """The same where some names come before those of the module: ``cls``."""

    __slots__ = ()

    def lookup(self, name: str) -> object:
        """See `Environment`."""
        return self._own[name] if name in self._own else self._inner.lookup(name)


def adopted(definition: ClassDefinition, function: PythonFunction, kind: str) -> PythonFunction:
    """A function of a class as one that knows its class; that of a class method has no first parameter."""
    target: object = definition.python or symbol_of(definition)
    environment: Environment = ClassEnvironment(function.environment, {definition.name: target, "Self": target})
    tree = function.tree
    if kind == "class":
        arguments = tree.args
        first = arguments.posonlyargs or arguments.args
        if first:
            environment = BoundEnvironment(environment, {first[0].arg: target})
            rest = ast.arguments(
                arguments.posonlyargs[1:],
                arguments.args if arguments.posonlyargs else arguments.args[1:],
                arguments.vararg,
                arguments.kwonlyargs,
                arguments.kw_defaults,
                arguments.kwarg,
                arguments.defaults,
            )
            tree = with_parts(tree, args=rest)
    return _owned(replace(function, environment=environment, tree=tree), definition)


def plain_function(function: PythonFunction) -> PythonFunction:
    """A function without its decorators."""
    return replace(function, tree=with_parts(function.tree, decorator_list=[]))


def method_function(method: Method, report: Callable[[Diagnostic], None]) -> PythonFunction | None:
    """The function of a method; None after an error has been reported."""
    try:
        return method.function()
    except CompileError as error:
        for diagnostic in error.diagnostics:
            report(diagnostic)
        return None


def defines(type: Type, names: Iterable[str]) -> bool:
    """Whether values of a type are, or hold, instances of a class that defines one of some special methods itself."""
    return _defines(type, frozenset(names), set())


DEFINITION = "definition"
"""The key of the definition in the origin of a type."""


def class_definition(type: Type) -> ClassDefinition | None:
    """The definition behind a type, or None."""
    declared = declaration(type)
    found: ClassDefinition | None = None if declared is None else declared.made.get(DEFINITION)
    return found


def is_loaded_module(type: Type) -> bool:
    """Whether it is the type of modules of an archive, whose functions have no source."""
    definition = class_definition(type)
    return definition is not None and definition.place is None and isinstance(type, ClassType) and type.info.is_module


def declaration(type: Type) -> Declared | None:
    """The origin of the type of a class, enum or named tuple; None for others."""
    match type:
        case ClassType() | EnumType():
            return type.info
        case TupleType():
            return type.named
    return None


_COMPARISONS = frozenset(("__eq__", "__lt__", "__gt__", "__le__", "__ge__"))


def _defines(type: Type, names: frozenset[str], seen: set[Type]) -> bool:
    if type in seen:
        return False
    seen.add(type)
    if (isinstance(type, ArrayType | ScalarType) or type == GENERATOR) and "__repr__" in names:
        return True  # NumPy's
    if isinstance(type, TensorType):  # whose comparisons may have no truth value
        return not names.isdisjoint(_COMPARISONS)
    if isinstance(type, ClassType):
        if "__repr__" in names and is_exception(type):
            return True
        definition = class_definition(type)
        classes = [type.info, *(d.info for d in definition.known_derived)] if definition is not None else [type.info]
        return any(
            c.special & names or (c.flags and any(_defines(f, names, seen) for f in c.fields.values())) for c in classes
        )
    if isinstance(type, EnumType):
        definition = class_definition(type)
        return definition is not None and any(n in definition.methods for n in names)
    if isinstance(type, TupleType) and type.named is not None:
        definition = class_definition(type)
        if definition is not None and any(n in definition.methods for n in names):
            return True
    return any(_defines(part, names, seen) for part in parts_of(type))


def matched_names(type: Type) -> Sequence[str]:
    """The attributes that positional patterns match: ``__match_args__``."""
    definition = class_definition(type)
    if definition is None:
        return ()
    if definition.fields is not None:
        return [f.name for f in definition.fields if f.init and not f.kw_only and f.only_init is None]
    return getattr(definition.python, "__match_args__", ())


def members_of_enum(definition: ClassDefinition) -> Iterable[str]:
    """Names of the members of an enum, aliases too."""
    return definition.python.__members__ if isinstance(definition.type, EnumType) and definition.python else ()  # type: ignore[attr-defined]


def enum_member(definition: ClassDefinition, name: str) -> str:
    """The name of the member for a name, which may be an alias; empty if there is none."""
    found = getattr(definition.python, "__members__", {}).get(name)
    return "" if found is None else str(found.name)
