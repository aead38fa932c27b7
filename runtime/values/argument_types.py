"""`ArgumentTypes`: from a Python argument to the type of the language that a parameter without declared type takes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from types import BuiltinFunctionType, FunctionType
from typing import Any

from tscript.abi.python import PYTHON_FUNCTION
from tscript.arrays import Array, is_array, np
from tscript.definitions.values import SIMPLE_TYPES
from tscript.runtime.values.futures import Future
from tscript.runtime.values.own_generator import OwnGenerator
from tscript.runtime.values.sharing import is_torch, plain_array
from tscript.runtime.values.tracebacks import raises_user_errors
from tscript.types import (
    DTYPE,
    GENERATOR,
    NEVER,
    TENSOR,
    ArrayType,
    CallableType,
    ClassType,
    DictType,
    FutureType,
    KnownType,
    ListType,
    ScalarType,
    SetType,
    TupleType,
    Type,
    TypeLimitError,
    dtypes,
    leaves_open,
    union,
)

SIMPLE = SIMPLE_TYPES.keys() - {DTYPE}


class ArgumentTypes:
    """Gives Python values their types, as exactly as their classes say them.

    Args:
        tensor: The tensor type.
        class_type: Returns the type of a Python class, enum or named tuple, or None.
        function_type: Returns the type of a function, or None.
        settle: Gives open attributes of a class the types of an instance, by name, and returns the type of the class.
    """

    def __init__(
        self,
        tensor: type,
        class_type: Callable[[type], Type | None],
        function_type: Callable[[object], CallableType | None],
        settle: Callable[[Type, Mapping[str, Type]], Type],
    ) -> None:
        self._tensor = tensor
        self._class_type = class_type
        self._function_type = function_type
        self._settle = settle

    def of(self, value: Any) -> Type:
        """The type of a value: of a container by all its elements, and `NEVER` for those of an empty one.

        Raises:
            TypeError: The language has no such values; says which.
        """
        cls = type(value)
        if (simple := SIMPLE_TYPES.get(cls)) is not None:
            return simple
        if is_array(value):
            return _array(value)
        if cls is self._tensor or is_torch(value):
            return TENSOR
        if cls is tuple:
            return TupleType(tuple(map(self.of, value)))
        if cls is list:
            return ListType(self._common(value))
        if cls is dict:
            return DictType(self._common(value), self._common(value.values()))
        if cls is set:
            return SetType(self._common(value))
        if cls is Future:
            return self._future(value)
        return self._other(value)

    def depends_on_value(self, type: Type) -> bool:
        """Whether more than the class of a value says that it is of this type, so that calls cannot be told apart by
        classes."""
        if isinstance(type, TupleType) and type.named is not None and type.named.typed is not None:
            return True
        return isinstance(type, CallableType | FutureType | KnownType) or any(map(self.depends_on_value, type.made_of))

    def _common(self, values: Iterable[object]) -> Type:
        """The type of all of several values; several types are a union."""
        found: dict[Type, None] = {}
        last: type | None = None
        for value in values:
            cls = type(value)
            if cls is last and cls in SIMPLE:
                continue
            last = cls
            found[self.of(value)] = None
        return _joined(list(found))

    @raises_user_errors
    def _future(self, value: Future[Any]) -> Type:
        if value.type is None:
            raise TypeError("the Future of a plain Python function has no type that scripts know; fork a scripted one")
        return FutureType(value.type)

    @raises_user_errors
    def _other(self, value: Any) -> Type:
        """The type of an instance of another class: of the program's, or of one that is derived from a builtin."""
        if isinstance(value, np.generic) and value.dtype.name in dtypes.BY_NAME:
            return ScalarType(dtypes.BY_NAME[value.dtype.name])
        if isinstance(value, OwnGenerator):
            return GENERATOR
        if type(value).__name__ == "Generator" and type(value) is np.random.Generator:
            return GENERATOR
        found = self._class_type(type(value)) or self._function_type(value)
        if isinstance(found, TupleType) and found.named is not None and found.named.typed is not None:
            made: Type | None = found.named.typed(tuple(map(self.of, value)))
            if made is None:
                raise TypeError(f"its elements are no {', '.join(map(str, found.elements))}")
            return made
        if found is None:
            found = next((t for base, t in SIMPLE_TYPES.items() if isinstance(value, base)), None)
        if found is None and isinstance(value, self._tensor):
            found = TENSOR
        if found is None:
            found = known_type(value)
        if found is None:
            raise TypeError(_refusal(value))
        return self._settled(found, value) if leaves_open(found) else found

    def _settled(self, type: Type, value: Any) -> Type:
        """The type of an instance of a class that leaves types of attributes open."""
        names = sorted(type.info.open) if isinstance(type, ClassType) else []
        found = self._settle(type, {name: self.of(getattr(value, name)) for name in names if hasattr(value, name)})
        if leaves_open(found):
            said = f"nothing says the types of its attributes {', '.join(names)}: declare them in the class"
            raise TypeError(said)
        return found


def known_type(value: Any) -> KnownType | None:
    """The type of a function, or of a dtype as NumPy has it, which code is compiled for; None of anything else."""
    if isinstance(value, np.dtype):
        value = value.type
    if isinstance(value, type):
        return KnownType(value) if issubclass(value, np.generic) and value.__name__ in dtypes.BY_NAME else None
    is_function = isinstance(value, FunctionType | BuiltinFunctionType | np.ufunc) or hasattr(value, PYTHON_FUNCTION)
    return KnownType(value) if is_function and getattr(value, "__name__", "") != "<lambda>" else None


def _array(array: Array) -> ArrayType:
    dtype = dtypes.BY_NAME[plain_array(array).dtype.name]
    return ArrayType(dtype, array.ndim)


def _joined(types: list[Type]) -> Type:
    """One type for values of several types; containers that are empty take those of others."""
    if not types:
        return NEVER
    if len(types) > 1:
        types = _without_open(types)
    try:
        return union(types)
    except TypeLimitError as error:
        raise TypeError(str(error)) from None


def _without_open(types: list[Type]) -> list[Type]:
    """Types without those of empty containers, where there are others of their kind."""
    full = {type.__class__ for type in types if NEVER not in type.made_of}
    return [type for type in types if NEVER not in type.made_of or type.__class__ not in full]


def _refusal(value: object) -> str:
    cls = type(value)
    if hasattr(value, "__dlpack__"):
        return "wrap it with tscript.from_dlpack(…)"
    if getattr(value, "__name__", "") == "<lambda>":
        return "write the lambda as a function: 'def name(x): return ...'"
    if callable(value):
        return "decorate it with @tscript.script, or with @tscript.ignore to have it called in Python"
    return f"a {cls.__name__} is not a value of the language"
