"""From a Python object behind a global name to its symbol.

`NameResolver` implements `tscript.frontend.source.resolver.Resolver` over an operator table. Objects
of `torch` are recognised by their `__module__` and `__name__` alone, so torch need not be installed, and is not
imported.
"""

from __future__ import annotations

import ast
import enum
import math
import sys
import types
from abc import ABC, abstractmethod
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import tscript.dialect as dialect
from tscript.abi.exceptions import EXCEPTIONS
from tscript.arrays import is_array, np
from tscript.definitions.language import Generic
from tscript.definitions.opdef import OpDef
from tscript.definitions.python_functions import PythonFunctions
from tscript.definitions.shared import LRU_CACHE
from tscript.definitions.table import OperatorTable
from tscript.definitions.values import constant_type, is_bfloat16
from tscript.diagnostics.suggest import close_matches
from tscript.dialect import linkage
from tscript.frontend.diagnostics import elsewhere
from tscript.frontend.source import numpy_names, vectorized
from tscript.frontend.source.class_table import ClassTable
from tscript.frontend.source.classes import (
    ClassDefinition,
    ClassSymbol,
    MemberSymbol,
    Method,
    MethodSymbol,
    class_definition,
    enum_member,
    members_of_enum,
    symbol_of,
)
from tscript.frontend.source.constants import NotConstant
from tscript.frontend.source.descriptions import shown_symbol
from tscript.frontend.source.functions import (
    Cache,
    FunctionSymbol,
    IgnoredSymbol,
    PythonFunction,
    VectorizedSymbol,
    cached_function,
)
from tscript.frontend.source.marks import is_interface, mark_of, without_body
from tscript.frontend.source.modules import ROOTS, SourceClass, SourceMember
from tscript.frontend.source.resolver import Assigned
from tscript.frontend.source.source_modules import SourceEnvironment
from tscript.frontend.source.stored import Stored
from tscript.frontend.source.symbols import (
    BroadcastingSymbol,
    ByTypeSymbol,
    ConstantSymbol,
    ContainerSymbol,
    ExceptionSymbol,
    InterfaceSymbol,
    LeafSymbol,
    ModuleSymbol,
    NamespaceSymbol,
    NumpySymbol,
    ObjectSymbol,
    OperatorSymbol,
    PointerSymbol,
    PythonSymbol,
    Symbol,
    TypeSymbol,
    TypeVariableSymbol,
    UnknownSymbol,
    VariableSymbol,
)
from tscript.frontend.source.vectorized import symbol_of_function
from tscript.frontend.source.vocabulary import (
    ASSERTS,
    INNER,
    JIT,
    KNOWN,
    MODES,
    OPS,
    PRANGE,
    TASKS,
    TYPES,
    UNWRAP,
    Vocabulary,
)
from tscript.frontend.source.written_library import HANDLED, WRITTEN
from tscript.ir.analysis import builtin_exception
from tscript.late import replace
from tscript.operators.python.functions.optionals import unwrap_optional
from tscript.operators.python.wrapping import FUNCTIONS
from tscript.room import with_room
from tscript.types import OPTIONS, TENSOR, ArrayType, DType, EnumType, PtrType, ScalarType, TupleType, Type, dtypes
from tscript.types.inference import weaken
from tscript.types.options import Device

BUILTINS: frozenset[Any] = frozenset(
    {abs, bool, divmod, float, int, isinstance, len, max, min, pow, range, round, str, tuple, type(None), type}
)
"""Builtins with a symbol of their own; the others are refused by name."""


MATH_BUILTINS: frozenset[Any] = frozenset(
    {math.comb, math.dist, math.frexp, math.fsum, math.gcd, math.hypot, math.lcm, math.modf, math.perm, math.prod}
)
"""Functions of `math` that are not operators."""


class NameResolver(ABC):
    """The resolver over an operator table. Keeps the functions it has read, so use one per compilation.

    Args:
        table: The operators; the whole vocabulary when left out.
        table_with: Asked for the table again when it lacks a namespace of custom operators.
        functions: Functions that stay in Python; keeps them.
        keeps_caches: See `Resolver`.
        classes: The classes of the process; new ones when left out.
    """

    def __init__(
        self,
        table: OperatorTable | None = None,
        table_with: Callable[[str], OperatorTable] | None = None,
        functions: PythonFunctions | None = None,
        keeps_caches: bool = False,
        classes: ClassTable | None = None,
    ) -> None:
        if table is None:
            from tscript.operators.table import TABLE

            table = TABLE
        self._vocabulary = Vocabulary(table, table_with)
        self._functions: dict[Callable[..., Any], PythonFunction] = {}
        self._unused: dict[PythonFunction, PythonFunction] = {}
        self._own_caches: dict[PythonFunction, PythonFunction] = {}
        self.keeps_caches = keeps_caches
        self.classes = ClassTable() if classes is None else classes
        self._containers: dict[int, tuple[object, Symbol]] = {}
        self._tensors: dict[int, tuple[object, np.ndarray[Any, Any]]] = {}
        self.python = PythonFunctions() if functions is None else functions

    @property
    def table(self) -> OperatorTable:
        """See `Resolver`."""
        return self._vocabulary.table

    def function(self, fn: Callable[..., Any]) -> PythonFunction:
        """See `Resolver`."""
        found = self._functions.get(fn)
        if found is None:
            found = self._functions[fn] = PythonFunction.from_callable(fn)
        return found

    def know(self, functions: Mapping[types.FunctionType, PythonFunction]) -> None:
        """Use these for functions that were read before."""
        for fn, function in functions.items():
            self._functions[fn] = function

    def symbol(self, value: object) -> Symbol:
        """See `Resolver`."""
        handler = _BY_CLASS.get(type(value))
        if handler is not None:
            return handler(self, value)
        return self._by_nature(value)

    def member(self, owner: Symbol, name: str) -> Symbol | None:
        """See `Resolver`."""
        match owner:
            case NamespaceSymbol() if name == UNWRAP and owner.path.endswith(".jit"):
                return FunctionSymbol(self.function(unwrap_optional))
            case NamespaceSymbol():
                found = self._vocabulary.at(f"{owner.path}.{name}")
                if isinstance(found, UnknownSymbol) and isinstance(
                    inner := _inside(owner.path, name), types.ModuleType
                ):
                    return self.symbol(inner)  # written in Python: ``nn.utils.rnn``
                return found
            case ModuleSymbol():
                if name in owner.members:
                    return self.symbol(owner.members[name])
                inner = _inside(owner.name, name)  # imported when it is asked for
                if isinstance(inner, types.ModuleType):
                    return self.symbol(inner)
                return _unknown_member(f"{owner.name}.{name}", name, owner.members)
            case ClassSymbol():
                return self._class_member(owner.definition, name)
            case FunctionSymbol(PythonFunction(stored=Stored(members=members))) if name in members:
                return self.symbol(members[name])
            case NumpySymbol(path) if name in vectorized.METHODS and "." not in path:
                return NumpySymbol(f"{path}.{name}")
            case VectorizedSymbol(elements, ""):
                return vectorized.member(elements, name)
            case ExceptionSymbol() if (
                owner.type is not None and (definition := class_definition(owner.type)) is not None
            ):
                return self._class_member(definition, name)
        return None

    def class_symbol(self, cls: type) -> Symbol:
        """See `Resolver`."""
        known = self.classes.known(cls)
        if known is not None and known.symbol is not None:
            return known.symbol
        own = getattr(cls, "__tscript_definition__", None)
        if own is not None and (made := own(self.classes)) is not None:
            return symbol_of(made)
        from tscript.frontend.source.class_reading import read_class

        read = with_room(read_class, self.classes, cls, self)
        if not isinstance(read, UnknownSymbol):
            return symbol_of(read)
        self.classes.know(cls, read)
        return read

    def _source_class(self, cls: SourceClass) -> Symbol:
        """The symbol of a class of a file that is not run."""
        if cls.symbol is None and cls.module.is_interface(cls):
            cls.symbol = InterfaceSymbol(cls.tree.name)
        if cls.symbol is None:
            from tscript.frontend.source.source_classes import read_source_class

            read = with_room(read_source_class, self.classes, cls, self)
            cls.symbol = read if isinstance(read, Symbol) else symbol_of(read)
        found: Symbol = cls.symbol
        return found

    @abstractmethod
    def assigned(
        self,
        definition: ClassDefinition,
        method: Method,
        declared: Mapping[str, Type],
        given: Mapping[str, Type | None] = types.MappingProxyType({}),
    ) -> Assigned:
        """See `Resolver`."""

    def _class_member(self, definition: ClassDefinition, name: str) -> Symbol:
        """The symbol of ``Class.name``."""
        if isinstance(definition.type, EnumType):
            member = enum_member(definition, name)
            if member:
                return MemberSymbol(definition, member)
        found = definition.method(name)
        if found is not None:
            return MethodSymbol(*found)
        constant = definition.constant(name)
        if constant is not None:
            return self.class_constant(*constant)
        known = [*definition.names(), *members_of_enum(definition)]
        close = close_matches(name, known)
        instead = f"did you mean '{definition.name}.{close[0]}'?" if close else ""
        if name in known:
            instead = "it is an attribute of instances: read it from an instance"
        if name == "apply" and definition.method("forward") is not None:
            instead = f"no gradients are computed: call '{definition.name}.forward(None, ...)'"
        members = list(members_of_enum(definition))
        if members and not close:
            instead = f"its members are {', '.join(members)}"
        return UnknownSymbol(f"{definition.name}.{name}", instead)

    def class_constant(self, definition: ClassDefinition, value: object) -> Symbol:
        """The symbol of a class attribute that is not a function."""
        if isinstance(value, ast.expr):
            assert definition.place is not None
            environment: Any = definition.place.environment
            try:
                value = environment.constant(value)
            except NotConstant as reason:
                return UnknownSymbol("computed when the class is made", f"write a constant; this is {reason}")
        return self.symbol(value)

    def names(self, owner: Symbol) -> Iterable[str]:
        """See `Resolver`."""
        match owner:
            case NamespaceSymbol():
                return self._vocabulary.names(owner.path)
            case ModuleSymbol():
                return list(owner.members)
        return ()

    # One function per class of value

    def _itself(self, value: Symbol) -> Symbol:
        return value

    def _namespace(self, value: NamespaceSymbol) -> Symbol:
        return self._vocabulary.at(value.path)

    def _constant(self, value: object) -> Symbol:
        return ConstantSymbol(value)

    def _tuple(self, value: tuple[object, ...]) -> Symbol:
        found: list[object] = []
        types: list[Type] = []
        is_typed = False
        for element in value:
            symbol = self.symbol(element)
            if isinstance(symbol, ContainerSymbol | MemberSymbol) and type(value) is tuple:
                return self._container(value)
            if not isinstance(symbol, ConstantSymbol):
                what = symbol.what if isinstance(symbol, UnknownSymbol) else shown_symbol(symbol)
                return UnknownSymbol(f"a tuple with {what}", "pass it as an argument")
            found.append(symbol.value)
            is_typed = is_typed or symbol.type is not None
            types.append(weaken(constant_type(symbol.value)) if symbol.type is None else symbol.type)
        named = None if type(value) is tuple else self._class(type(value))
        if isinstance(named, ClassSymbol) and isinstance(named.definition.type, TupleType):
            whole: Type | None = named.definition.type
            info = named.definition.type.named
            if info is not None and info.typed is not None:
                whole = info.typed(tuple(types))
            if whole is None:
                return UnknownSymbol(f"a {type(value).__name__} of other types than declared", "pass it as an argument")
            return ConstantSymbol(tuple(found), whole)
        return ConstantSymbol(tuple(found), TupleType(tuple(types)) if is_typed else None)

    def _container(self, value: Any) -> Symbol:
        """A list, dict or set, as it is when a compilation first reads it."""
        kind = next((k for k in (list, dict, set, tuple) if isinstance(value, k)), set)
        known = self._containers.get(id(value))
        if known is not None:
            return known[1]
        elements = [part for item in value.items() for part in item] if kind is dict else list(value)
        what = f"a {kind.__name__}"
        if _length(value) > MAX_CONSTANT_ELEMENTS:
            return UnknownSymbol(f"{what} of more than {MAX_CONSTANT_ELEMENTS:,} elements", _LONG)
        self._containers[id(value)] = value, UnknownSymbol(f"{what} that holds itself", _HELP[dict])
        parts: list[Symbol] = []
        for part in elements:
            symbol = self.symbol(part)
            if not isinstance(symbol, ConstantSymbol | ContainerSymbol | MemberSymbol):
                held = symbol.what if isinstance(symbol, UnknownSymbol) else shown_symbol(symbol)
                parts.clear()
                found: Symbol = UnknownSymbol(f"{what} with {held}", _HELP[dict])
                break
            parts.append(symbol)
        else:
            found = ContainerSymbol(kind, tuple(parts))
        self._containers[id(value)] = value, found
        return found

    def _python_function(self, value: PythonFunction) -> Symbol:
        environment = value.environment
        mark = environment.mark(value.tree) if isinstance(environment, SourceEnvironment) else ""
        return self._marked(value, mark)

    def _marked(self, function: PythonFunction, mark: str) -> Symbol:
        """A function with a mark for the compiler."""
        if mark == "ignore":
            return IgnoredSymbol(function)
        if mark != "unused":
            return symbol_of_function(function)
        if function not in self._unused:
            self._unused[function] = without_body(function)
        return FunctionSymbol(self._unused[function])

    def _function(self, value: types.FunctionType) -> Symbol:
        if (written := WRITTEN.get(value)) is not None:
            return FunctionSymbol(self.function(written))
        if value in HANDLED:  # `warnings.warn` is written in Python in some releases
            return PythonSymbol(value)
        root, _, _ = (value.__module__ or "").partition(".")
        if root == numpy_names.NUMPY and (path := numpy_names.path_of(value)) is not None:
            return numpy_names.at(path)
        scripted = getattr(value, "__tscript_function__", None)
        if isinstance(scripted, PythonFunction):
            return symbol_of_function(scripted)
        if value.__module__ == "torch.nn.modules.utils":  # ``_pair`` and others like it, whatever their names are
            return FunctionSymbol(self.function(value))
        if vars(value).get("__script_if_tracing_wrapper"):
            return self.symbol(vars(value)["__original_fn"])
        if root in ROOTS and value.__name__ == UNWRAP:
            return FunctionSymbol(self.function(unwrap_optional))
        path = f"{value.__module__}.{value.__name__}".removeprefix("tscript.")
        if root == "tscript" and path in KNOWN:
            return self._vocabulary.at(f"tscript.{path}")
        own = {*TASKS, *JIT, *KNOWN, *FUNCTIONS, *ASSERTS, PRANGE}
        if root == "torch" or (root == "tscript" and value.__name__ in own):
            found = self._vocabulary.operator(root, value.__name__)
            ours = _written_for(value) if isinstance(found, UnknownSymbol) else None
            return found if ours is None else self.symbol(ours)
        return self._marked(self.function(value), mark_of(value))

    def _cached(self, value: Any) -> Symbol:
        """A `functools.lru_cache` of a function. It is called in Python, so that all callers share its cache."""
        found = self._functions.get(value)
        if found is None:
            inner = cached_function(value)
            if inner is None:
                what = f"a functools.lru_cache of a {type(value.__wrapped__).__name__}"
                return UnknownSymbol(what, "put it around a function that is written with 'def'")
            found = self._functions[value] = replace(self.function(inner), callable=value)
        return FunctionSymbol(self.own_cache(found, in_front=True))

    def own_cache(self, function: PythonFunction, *, in_front: bool = False) -> PythonFunction:
        """See `Resolver`."""
        known = self._own_caches.get(function)
        if known is None:
            python: Any = function.callable
            cache = Cache(function, **python.cache_parameters())
            if not self.keeps_caches:
                held, state = self.python.beside(python, in_front)
                cache = replace(cache, held=held, state=state, python=python, is_in_front=in_front)
            known = self._own_caches[function] = replace(function, cache=cache)
        return known

    def _module(self, value: types.ModuleType) -> Symbol:
        name = value.__name__
        root, _, path = name.partition(".")
        if root in ROOTS and (not path or path in INNER or path == OPS):
            return NamespaceSymbol(name)
        if root == numpy_names.NUMPY and (not path or path in numpy_names.NAMESPACES):
            return NamespaceSymbol(name)
        return ModuleSymbol(name, vars(value))

    def _class(self, value: type) -> Symbol:
        if value in BUILTINS:
            return PythonSymbol(value)
        if value is OrderedDict:
            return PythonSymbol(dict)
        if value in HANDLED:
            return PythonSymbol(value)
        root = value.__module__.partition(".")[0]
        if root == numpy_names.NUMPY and (path := numpy_names.path_of(value)) is not None:
            return numpy_names.at(path)
        if value.__module__ in ("typing", "collections.abc", "numbers"):
            return PythonSymbol(value)
        if value.__module__ == "builtins":
            if issubclass(value, BaseException):
                found = builtin_exception(value.__name__) or EXCEPTIONS.get(value.__name__)
                return (
                    ExceptionSymbol(value.__name__)
                    if found
                    else UnknownSymbol(f"the exception {value.__name__}", "raise an exception that takes one message")
                )
            return PythonSymbol(value)
        if is_interface(value):
            return InterfaceSymbol(value.__name__)
        if value.__module__.partition(".")[0] in ROOTS and value.__name__ in TYPES:
            return TypeSymbol(TYPES[value.__name__], value.__name__)
        if value.__module__.partition(".")[0] == "torch" and type(value).__name__ in ("tensortype", "_ParameterMeta"):
            return TypeSymbol(TENSOR, f"torch.{value.__name__}")  # what its elements are is not part of a type
        if value.__module__.partition(".")[0] in ROOTS and value.__name__ in MODES:
            return self._vocabulary.at(f"torch.{value.__name__}")
        if value.__module__.partition(".")[0] in ROOTS and value.__name__ in TASKS:
            return TASKS[value.__name__]
        return self.class_symbol((_written_for(value) if issubclass(value, tuple) else None) or value)

    def _builtin(self, value: types.BuiltinFunctionType) -> Symbol:
        module = value.__module__ or ""
        if module == "builtins" or value is open or value in HANDLED:
            return PythonSymbol(value)
        if module == "math":
            return PythonSymbol(value) if value in MATH_BUILTINS else self._vocabulary.math(value.__name__)
        if (written := WRITTEN.get(value)) is not None:
            return FunctionSymbol(self.function(written))
        root = module.partition(".")[0]
        if root in ROOTS:
            return self._vocabulary.operator(root, value.__name__)
        if (path := numpy_names.path_of(value)) is not None:
            return numpy_names.at(path)
        return UnknownSymbol(f"the builtin {module}.{value.__name__}", "")

    def _leaf(self, value: dialect.Intrinsic | dialect.MemoryIntrinsic | linkage.CFunction) -> Symbol:
        return LeafSymbol(value.op)

    def _variable(self, value: linkage.Global) -> Symbol:
        variable = linkage.variable_of(value)
        return VariableSymbol(variable.symbol, variable.type)

    def _generic(self, value: Generic) -> Symbol:
        return PythonSymbol(value)

    def _opdef(self, value: OpDef) -> Symbol:
        return LeafSymbol(value)

    def _by_type(self, value: dialect.ByType) -> Symbol:
        return ByTypeSymbol(value.by_dtype)

    def _type_name(self, value: dialect.TypeName) -> Symbol:
        return TypeSymbol(value.type, str(value.type))

    def _type_variable(self, value: dialect.TypeVariable) -> Symbol:
        return TypeVariableSymbol(value.name)

    def _pointer_to(self, value: dialect.PointerTo) -> Symbol:
        return pointer_to(self.symbol(value.pointee))

    def _pointer(self, value: object) -> Symbol:
        return PointerSymbol()

    def _by_nature(self, value: object) -> Symbol:
        """The symbol of an object whose class has no entry of its own."""
        qualified = getattr(value, "_qualified_op_name", None)
        if isinstance(qualified, str) and type(value).__module__ == "torch._ops":
            space, _, plain = qualified.partition("::")
            return self._vocabulary.at(f"torch.{plain}" if space == "aten" else f"torch.{OPS}.{space}.{plain}")
        operator = getattr(value, "__tscript_operator__", None)
        if isinstance(operator, str) and any(op.library is not None for op in self.table.overloads(operator)):
            return OperatorSymbol(operator, operator)
        namespace = getattr(value, "__tscript_namespace__", None)
        if isinstance(namespace, str):
            return NamespaceSymbol(f"tscript.{OPS}.{namespace}")
        scripted = getattr(value, "__tscript_function__", None)
        if isinstance(scripted, PythonFunction):
            return symbol_of_function(scripted)
        if getattr(value, "__tscript_named__", False) is True:
            made = self._class(type(value))
            if isinstance(made, ClassSymbol):
                return ObjectSymbol(value, made.definition.type)
        held = getattr(value, "__tscript_functions__", None)
        if isinstance(held, Mapping):
            return ModuleSymbol("of the archive", held)
        inner = getattr(value, "__wrapped__", None)
        if isinstance(inner, types.FunctionType) and inner.__module__ in ROOTS and inner.__name__ in TASKS:
            return TASKS[inner.__name__]
        match value:
            case type():
                return self._class(value)
            case types.ModuleType():
                return self._module(value)
            case types.GenericAlias() | types.UnionType():
                return PythonSymbol(value)
            case Type():
                return TypeSymbol(value, str(value))
            case Symbol():
                return value
            case SourceClass():
                return self._source_class(value)
            case SourceMember():
                owner = self.symbol(value.owner)
                return self.member(owner, value.name) or owner
            case enum.Enum():
                found = self._class(type(value))
                if isinstance(found, ClassSymbol):
                    return MemberSymbol(found.definition, value.name)
                return found
            case _ if isinstance(value, np.generic) and value.dtype.name in dtypes.BY_NAME:
                return ConstantSymbol(value.item(), ScalarType(dtypes.BY_NAME[value.dtype.name]))
            case bool() | int():
                return ConstantSymbol(int(value))
            case float():
                return ConstantSymbol(float(value))
            case str():
                return ConstantSymbol(str(value))
            case bytes():
                return ConstantSymbol(bytes(value))
            case complex():
                return ConstantSymbol(complex(value))
            case tuple():
                return self._tuple(value)
            case OrderedDict() | frozenset():
                return self._container(value)
            case _ if is_array(value):
                return self._tensor(value, "an ndarray")
        kind = type(value)
        if kind.__module__.startswith(numpy_names.NUMPY) and (path := numpy_names.path_of(value)) is not None:
            return numpy_names.at(path)
        if kind.__module__ == "typing" or getattr(value, "__module__", None) == "typing":
            return PythonSymbol(value)
        root = kind.__module__.partition(".")[0]
        if root == "tscript" and kind.__name__ == "Tensor":
            return self._tensor(value, "a Tensor")
        if root in ROOTS and kind.__name__ == "BroadcastingListCls":
            return BroadcastingSymbol()
        if root == "torch" and kind.__name__ in ("dtype", "layout", "memory_format"):
            return self._vocabulary.at(str(value))
        if root == "torch" and kind.__name__ == "device":
            return ConstantSymbol(Device(str(value)))
        name = getattr(value, "__name__", None)
        module = (getattr(value, "__module__", None) or "").partition(".")[0]
        if module in ROOTS and isinstance(name, str) and callable(value):
            return self._vocabulary.operator(module, name)
        return UnknownSymbol(
            f"a {kind.__name__}" if kind.__name__[0] not in "aeiou" else f"an {kind.__name__}",
            _HELP.get(kind) or _help_of_class(kind),
        )

    def _tensor(self, value: Any, what: str) -> Symbol:
        """A tensor or array of the process: its memory, not a copy of it."""
        found = self._tensors.get(id(value))
        if found is None:
            array = (np.asarray(value) if is_array(value) else value._raw_array()).view()
            array.flags.writeable = False
            found = self._tensors[id(value)] = (value, array)
        array = found[1]
        dtype = dtypes.bfloat16 if is_bfloat16(array) else dtypes.BY_NAME.get(array.dtype.name)
        if dtype is None or not array.dtype.isnative or _is_masked(value):
            known = ", ".join(d.name for d in dtypes.DTYPES)
            return UnknownSymbol(f"{what} of {array.dtype}", f"make it one of these first: {known}")
        if not array.flags.aligned or any(s % dtype.itemsize for s in array.strides):
            return UnknownSymbol(f"{what} whose elements are not aligned", "make it a copy first: '.copy()'")
        return ConstantSymbol(array, ArrayType(dtype, array.ndim) if is_array(value) else None)


def pointer_to(pointee: Symbol) -> Symbol:
    """The symbol of ``Ptr[pointee]``."""
    if isinstance(pointee, TypeSymbol):
        found = PtrType(pointee.type)
        return TypeSymbol(found, str(found))
    return PointerSymbol(pointee)


def _inside(module: str, name: str) -> object:
    """What a module that is imported has under a name; None if there is nothing."""
    return getattr(sys.modules.get(module), name, None)


def _unknown_member(path: str, name: str, names: Iterable[str]) -> UnknownSymbol:
    close = close_matches(name, list(names))
    owner = path.rpartition(".")[0]
    return UnknownSymbol(path, f"did you mean '{owner}.{close[0]}'?" if close else "")


MAX_CONSTANT_ELEMENTS = 4096
"""The maximum number of elements of a list, dict or set of the module, with those inside."""

_LONG = "pass it as an argument, or make it a tensor"


def _length(value: object) -> int:
    """The number of elements of a container, with those inside; counting stops where it is too large."""
    count, pending, seen = 0, [value], {id(value)}
    while pending and count <= MAX_CONSTANT_ELEMENTS:
        inner: Any = pending.pop()
        count += len(inner)
        values = inner.values() if isinstance(inner, dict) else inner
        for part in values if len(inner) <= MAX_CONSTANT_ELEMENTS else ():
            if isinstance(part, list | dict | set | tuple) and id(part) not in seen:
                seen.add(id(part))
                pending.append(part)
    return count


_PASS = "pass what is needed as an argument, or make it a number, string, dtype, tensor or tuple of those"
_HELP: dict[type, str] = {
    dict: "pass it as an argument, or write a function that returns it",
    types.MethodType: "call a plain function instead of a method",
    property: "call a plain function",
}

_HELP_BY_PATH = {
    "tscript.nn.scripting.freezing.FrozenModule": elsewhere.FROZEN,
    "tscript.nn.modules.module.Module": elsewhere.MODULE,
    "torch.nn.modules.module.Module": elsewhere.MODULE,
}
"""The help for instances of classes that this module does not import."""


def _help_of_class(kind: type) -> str:
    paths = (f"{cls.__module__}.{cls.__qualname__}" for cls in kind.__mro__)
    return next((_HELP_BY_PATH[path] for path in paths if path in _HELP_BY_PATH), _PASS)


_BY_CLASS: dict[type, Callable[[NameResolver, Any], Symbol]] = {
    bool: NameResolver._constant,
    int: NameResolver._constant,
    float: NameResolver._constant,
    str: NameResolver._constant,
    type(None): NameResolver._constant,
    DType: NameResolver._constant,
    **dict.fromkeys(OPTIONS.values(), NameResolver._constant),
    tuple: NameResolver._tuple,
    **dict.fromkeys((list, dict, set), NameResolver._container),
    PythonFunction: NameResolver._python_function,
    ClassSymbol: NameResolver._itself,
    types.FunctionType: NameResolver._function,
    LRU_CACHE: NameResolver._cached,
    types.BuiltinFunctionType: NameResolver._builtin,
    types.ModuleType: NameResolver._module,
    type: NameResolver._class,
    OpDef: NameResolver._opdef,
    Generic: NameResolver._generic,
    dialect.Intrinsic: NameResolver._leaf,
    dialect.MemoryIntrinsic: NameResolver._leaf,
    linkage.CFunction: NameResolver._leaf,
    linkage.Global: NameResolver._variable,
    dialect.ByType: NameResolver._by_type,
    dialect.TypeName: NameResolver._type_name,
    dialect.TypeVariable: NameResolver._type_variable,
    dialect.PointerTo: NameResolver._pointer_to,
    type(dialect.Ptr): NameResolver._pointer,
    NamespaceSymbol: NameResolver._namespace,
    ConstantSymbol: NameResolver._itself,
    UnknownSymbol: NameResolver._itself,
    TypeSymbol: NameResolver._itself,
    PythonSymbol: NameResolver._itself,
}


def _written_for(value: Any) -> Any:
    """What tscript has, written in Python, for a function or named tuple of PyTorch; None if that is not imported."""
    if value.__module__.partition(".")[0] != "torch":
        return None
    return getattr(sys.modules.get("tscript" + value.__module__.removeprefix("torch")), value.__name__, None)


def _is_masked(value: object) -> bool:
    """Whether it is a masked array, without the import of what makes them."""
    return any(cls.__name__ == "MaskedArray" and cls.__module__.startswith("numpy.ma") for cls in type(value).__mro__)
