"""The Python half of conversions between Python objects and native values (`tscript.runtime.kernels.python_in`):
layouts of the running interpreter's objects, and hooks.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeVar

from tscript.abi.conversion import PythonWord, Step
from tscript.abi.layout import OBJECT_STRUCT
from tscript.abi.signature import Signature
from tscript.abi.signature_types import object_types
from tscript.arrays import Array, is_array
from tscript.definitions.values import SIMPLE_TYPES
from tscript.runtime.values.arguments import own_value
from tscript.runtime.values.futures import Future
from tscript.runtime.values.interpreter import layouts
from tscript.runtime.values.sharing import is_torch, plain_shared
from tscript.runtime.values.tracebacks import raises_user_errors
from tscript.runtime.values.typeinfo import TypeInfos
from tscript.types import (
    ANY,
    COMPLEX,
    FLOAT,
    INT,
    NONE,
    TENSOR,
    ArrayType,
    CallableType,
    ClassType,
    DictType,
    DType,
    EnumType,
    ListType,
    SetType,
    TensorType,
    TupleType,
    Type,
    UnionType,
    leaves_open,
    spoken,
)
from tscript.types.options import option_named

F = TypeVar("F", bound=Callable[..., Any])


class Hide(Protocol):
    """Makes native callables without frames of their own; the implementation is
    `tscript.runtime.boundary.hidden_functions`."""

    def __call__(self, function: F, /) -> F:
        """`function` as such a callable."""


class Functions(Protocol):
    """Function values at the boundary; `tscript.runtime.session.functions` is the implementation."""

    def native(self, value: object, type: CallableType) -> int:
        """Address of the native function of a Python object, with a reference; 0 if it is not a function."""

    def python(self, address: int, type: CallableType) -> object:
        """The Python form of a native function, which takes over a reference."""


class Conversion:
    """The Python side of conversions; one for each process.

    Args:
        tensor: The tensor type.
        types: The types of this process.
        hide: Makes native callables of the hooks that raise.
        exception: Returns the Python form of an exception object at an address with these arguments.

    Attributes:
        symbols: The symbols that kernels import.
        class_type: Returns the type of a Python class, enum or named tuple, or None.
        functions: Gives what converts functions in both directions.
    """

    def __init__(
        self, tensor: type, types: TypeInfos, hide: Hide, exception: Callable[[int, object], BaseException]
    ) -> None:
        self._tensor = tensor
        self._types = types
        self._classes: dict[type, int] = {}
        self.class_type: Callable[[type], Type | None] = self._known_class
        self.functions: Callable[[], Functions] | None = None
        self._depth_text = ctypes.create_string_buffer(b"the value is nested too deeply to be converted")
        self._words = (ctypes.c_int64 * len(PythonWord))()
        for word, value in layouts().items():
            self._words[word] = value
        self._words[PythonWord.DEPTH_TEXT] = ctypes.addressof(self._depth_text)
        self._kept = {
            PythonWord.CLASSES: self._classes,
            PythonWord.CLASS_HOOK: self._class_info,
            PythonWord.TYPE_HOOK: self._value_info,
            PythonWord.EXCEPTION_HOOK: exception,
            PythonWord.FAIL_HOOK: hide(self._refuse),
            PythonWord.RETURN_HOOK: hide(self._refuse_result),
            PythonWord.FUNCTION_IN_HOOK: self._function_in,
            PythonWord.FUNCTION_OUT_HOOK: self._function_out,
            PythonWord.OWN_HOOK: _own_address,
            PythonWord.TENSOR_TYPE: tensor,
            PythonWord.DTYPE_TYPE: DType,
            PythonWord.FUTURE_TYPE: Future,
        }
        for word, thing in self._kept.items():
            self._words[word] = id(thing)
        self.symbols = {"ts_python_v1": ctypes.addressof(self._words)}

    def constants(
        self, signature: Signature, parameters: Sequence[Type], result: Type, function: str, names: Sequence[str]
    ) -> tuple[object, ...]:
        """The constants of a row for values that are converted by their types.

        Args:
            signature: Of the row.
            parameters: Types of all its parameters.
            result: Type of the result.
            function: The name of the function in errors.
            names: Names of the parameters.
        """
        out: list[object] = []
        for position, type in object_types(parameters, signature.parameters):
            out += [self._constant(type), f"argument {names[position]!r} of {function}"]
        return (*out, *(self._constant(type) for _, type in object_types([result], [signature.result])))

    def _constant(self, type: Type) -> float:
        return ctypes.c_double.from_buffer(ctypes.c_int64(self._types.address(type))).value

    # -- types --------------------------------------------------------------------------------------------------------

    def _known_class(self, cls: type) -> Type | None:
        for type in self._types.known():
            if isinstance(type, ClassType | EnumType) and type.info.python is cls:
                return type
            if isinstance(type, TupleType) and type.named is not None and type.named.python is cls:
                return type
        return None

    def _class_info(self, cls: type) -> int:
        """The hook that returns the `TypeInfo` of a class."""
        found = self.class_type(cls)
        if found is None or leaves_open(found):
            return 0
        self._classes[cls] = address = self._types.address(found)
        return address

    def forget_classes(self) -> None:
        """Drop references to classes that were looked up, so that they can be freed."""
        self._classes.clear()

    def _value_info(self, value: object) -> int:
        """The hook that returns the `TypeInfo` for a value where any type is accepted."""
        found = self.type_of(value)
        return 0 if found is None else self._types.address(found)

    def type_of(self, value: object) -> Type | None:
        """The type of a Python value: of a container by its elements; None if the language has no such values."""
        return self._type_of(value, {})

    def _type_of(self, value: object, above: dict[int, object]) -> Type | None:
        cls = type(value)
        if (simple := SIMPLE_TYPES.get(cls)) is not None:
            return simple
        if cls is self._tensor or is_array(value) or is_torch(value):
            return TENSOR
        if (own := own_value(value)) is not value:
            return SIMPLE_TYPES[type(own)]
        if isinstance(value, list | dict | set | tuple):
            if id(value) in above:
                return ANY
            return self._container(value, {**above, id(value): value})
        if (found := self.class_type(cls)) is not None:
            return None if leaves_open(found) else found
        return next((t for base, t in SIMPLE_TYPES.items() if isinstance(value, base)), None)

    def _container(self, value: Any, above: dict[int, object]) -> Type | None:
        if isinstance(value, tuple):
            named = None if type(value) is tuple else self.class_type(type(value))
            if isinstance(named, TupleType) and named.named is not None and named.named.typed is not None:
                known = [self._type_of(e, above) for e in value]
                made: Type | None = None if None in known else named.named.typed(tuple(known))
                return made
            if named is not None:
                return None if leaves_open(named) else named
            elements = [self._type_of(e, above) for e in value]
            return None if None in elements else TupleType(tuple(e for e in elements if e is not None))
        if isinstance(value, dict):
            return DictType(self._common(value, above), self._common(value.values(), above))
        element = self._common(value, above)
        return ListType(element) if isinstance(value, list) else SetType(element)

    def _common(self, values: Any, above: dict[int, object]) -> Type:
        """The type of all elements, or `ANY`."""
        found: Type | None = None
        for value in values:
            type = self._type_of(value, above)
            if type is None or (found is not None and type != found):
                return ANY
            found = type
        return ANY if found is None or found == NONE else found

    # -- functions ----------------------------------------------------------------------------------------------------

    def _function_in(self, value: object, info: int) -> int:
        """The hook that returns the native form of a function."""
        type = self._types.type_at(info)
        assert isinstance(type, CallableType) and self.functions is not None
        return self.functions().native(value, type)

    def _function_out(self, address: int) -> object:
        """The hook that returns the Python form of a native function."""
        type = self._types.type_at(OBJECT_STRUCT.ctype.from_address(address).typeinfo)
        assert isinstance(type, CallableType) and self.functions is not None
        return self.functions().python(address, type)

    # -- errors --------------------------------------------------------------------------------------------------------

    @raises_user_errors
    def _refuse(self, label: str, expected: int, value: object, path: list[object]) -> None:
        """The hook that raises for an argument that does not fit its parameter."""
        type = self._types.type_at(expected)
        steps = list(zip(path[::2], path[1::2], strict=True))
        missing = ""
        if steps and steps[0][0] == Step.MISSING:
            missing = f"has no attribute {steps.pop(0)[1]!r}"
        where = " of ".join(map(_place, steps))
        subject = f"{label}: {where}" if where else label
        if missing:
            raise TypeError(f"{subject} {missing}")
        whole = isinstance(value, int) and not isinstance(value, bool)
        if whole and type == INT:
            raise OverflowError(f"{subject} does not fit into 64 bits")
        if isinstance(type, CallableType) and callable(value):
            raise TypeError(
                f"{subject} must be {spoken(type)}, not a plain Python function: decorate it with @tscript.script, "
                "or with @tscript.ignore to have it called in Python"
            )
        if whole and type in (FLOAT, COMPLEX):
            raise OverflowError(f"{subject} is too large for a float")
        if isinstance(value, tuple) and isinstance(type, TupleType) and type.named is None:
            raise TypeError(f"{subject} must have {_count(len(type.elements), 'element')}, not {len(value)}")
        if isinstance(type, ClassType) and type.info.is_module and (differs := self._other_types(type, value)):
            raise TypeError(f"{subject} must be the {_class_name(value)} that the code was compiled for: {differs}")
        if _is_defined_again(type, value):
            raise TypeError(
                f"{subject} must be of the class {_class_name(value)} that the function was compiled with. The class "
                "was defined again since then: decorate the function again (in a notebook, run its cell again)"
            )
        hint = ": give x.tolist()" if isinstance(type, ListType) and not steps and hasattr(value, "tolist") else ""
        raise TypeError(f"{subject} must be {_shown(type)}, not {_class_name(value)}{hint or _why_not(type, value)}")

    def _other_types(self, expected: ClassType, value: object) -> str:
        """Where a module has other types than the one that code was compiled for; nothing if it is another module."""
        found = self.class_type(type(value))
        if not _is_defined_again(expected, value) or not isinstance(found, ClassType) or not found.info.is_module:
            return ""
        known, now = expected.info.fields, found.info.fields
        if known.keys() != now.keys():
            return f"one has {', '.join(known) or 'no attributes'}, the other {', '.join(now) or 'none'}"
        for name, wanted in known.items():
            if now[name] != wanted:
                return (
                    f"its '{name}' is {now[name]}, and {wanted} there; convert the module it is part of, and not this "
                    "one alone, or set it by assignment"
                )
        return "its constants are others; assign the module before the one it is part of is scripted"

    @raises_user_errors
    def _refuse_result(self, address: int) -> None:
        """The hook that raises for a result that cannot be converted to Python."""
        raise TypeError(f"a value of type {self._types.type_at(address)} cannot be given to Python")


def _own_address(value: object) -> int:
    """The hook that returns our object for one of PyTorch, or for the name of a device, which lives as long as the
    process."""
    own = option_named(f"device.{value}") or value if isinstance(value, str) else own_value(value)
    return 0 if own is value else id(own)


def _why_not(expected: Type, value: object) -> str:
    """Why an array, or a tensor of PyTorch, is no tensor; how to make an instance of a class of an archive."""
    members = expected.members if isinstance(expected, UnionType) else (expected,)
    for member in (getattr(m, "value", m) for m in members):
        python: Any = getattr(getattr(member, "info", None) or getattr(member, "named", None), "python", None)
        if getattr(python, "__tscript_archived__", False):
            fields = getattr(python, "__match_args__", getattr(python, "_fields", None))
            if fields is None:
                return f": write a member, archive.{python.__name__}.NAME, of the loaded archive"
            given = ", ".join(f"{field}=…" for field in fields)
            return f": make one with the class of the loaded archive, archive.{python.__name__}({given})"
    arrays = [m for m in (getattr(m, "value", m) for m in members) if isinstance(m, ArrayType)]
    if arrays and is_array(value):
        return _why_no_array(arrays[0], value)
    if isinstance(expected, TensorType) and expected != TENSOR and hasattr(value, "dtype"):
        rank = getattr(value, "ndim", 0)
        return f": it has {value.dtype} and {_count(rank, 'dimension')}"
    if not any(TENSOR in (m, getattr(m, "value", None)) for m in members):
        return ""
    try:
        found = plain_shared(value)
    except TypeError as error:
        return f": {error}"
    return "" if found is value else ": pass x.view(np.ndarray)" if is_array(value) else ": pass x.detach()"


def _why_no_array(expected: ArrayType, value: Array) -> str:
    """Why an array is not the expected one."""
    try:
        plain_shared(value)
    except TypeError as error:
        return f": {error}"
    if expected.dtype is not None and value.dtype.name != expected.dtype.name:
        return f": its dtype is {value.dtype}, pass array.astype(np.{expected.dtype.name})"
    return f": it has {value.ndim} dimensions" if value.ndim != expected.rank else ": pass x.view(np.ndarray)"


def _is_defined_again(expected: Type, value: object) -> bool:
    """Whether a value is of another class that was defined at the same place as the expected one."""
    if not isinstance(expected, ClassType | EnumType):
        return False
    known, found = expected.info.python, type(value)
    if not isinstance(known, type) or issubclass(found, known):
        return False
    return (known.__module__, known.__qualname__) == (found.__module__, found.__qualname__)


def _place(step: tuple[object, object]) -> str:
    kind, thing = step
    match kind:
        case Step.ELEMENT:
            return f"element {thing}"
        case Step.KEY:
            return "a key"
        case Step.VALUE:
            return f"the value of key {thing!r}" if type(thing) in (str, int) else "a value"
    return f"attribute {thing!r}"


def _count(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


def _shown(type: Type) -> str:
    if isinstance(type, UnionType):
        return " or ".join(map(_shown, type.members))
    return "a value of the language" if type == ANY else spoken(type)


def _class_name(value: object) -> str:
    if is_torch(value):
        return f"torch.{type(value).__name__}"
    return "None" if value is None else type(value).__name__
