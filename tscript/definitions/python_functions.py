"""Functions of the user's that stay in Python (``@tscript.ignore``), as operators."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any
from weakref import ReferenceType, WeakValueDictionary, ref

from tscript.abi.dispatch import PREFIX
from tscript.definitions.opdef import Arg, Effects, OpDef, OperatorTypeError, PythonCall
from tscript.definitions.schema import Parameter, Schema
from tscript.definitions.shared import Shared
from tscript.types import BOOL, BYTES, DTYPE, FLOAT, INT, NONE, STR, DType, TupleType, Type, passes_as

CALLS = Effects(raises=True, world=True)


def python_function(
    name: str, function: Callable[..., object], parameters: Sequence[tuple[str, Type]], result: Type
) -> OpDef:
    """The operator that calls a Python function with values of these types.

    Args:
        name: Unique in the process; the operator's is `PREFIX` and this.
        function: Takes one Python value for each parameter.
        parameters: Names and types.
        result: The declared type of what it returns, which is checked.
    """

    def rule(args: Sequence[Arg]) -> Type:
        for arg, (parameter, wanted) in zip(args, parameters, strict=True):
            if not passes_as(arg.type, wanted):
                raise OperatorTypeError(f"'{parameter}' must be {wanted}, not {arg.type}")
        return result

    schema = Schema(PREFIX + name, "", tuple(Parameter(n, "Any") for n, _ in parameters), "Any")
    return OpDef(schema, rule, function, PythonCall(function), CALLS, f"The Python function {name}.")


_BESIDE = "__tscript_beside__"
"""The attribute of one of Python's caches with what compiled code keeps beside it."""

_DIRECT = "__tscript_direct__"
"""The attribute of an operator's function with its entry in `PythonFunctions.direct`."""


Direct = tuple[Callable[..., object], Callable[[object], object]]
"""A function, and what makes a value of the declared type of what it returned."""


class PythonFunctions:
    """The functions of the user's that stay in Python and that compiled code of this process calls, by operator name.

    They are kept by the code that calls them.

    Args:
        direct: As the attribute; left out, a new one.

    Attributes:
        direct: Those that take arguments by position and give a number or nothing, by operator name, with what makes a
            value of their declared type of what they returned, or raises.
        tell_beside: Told of caches that compiled code keeps beside Python's.

    Example:
        >>> from tscript.types import INT
        >>> functions = PythonFunctions()
        >>> op = functions.operator("half", lambda x: x // 2, [("x", INT)], INT)
        >>> op.name, functions[op.name].semantics(9)
        ('python::half', 4)
    """

    def __init__(self, direct: dict[str, Direct] | None = None) -> None:
        self._by_name: dict[str, ReferenceType[OpDef]] = {}
        self._by_function: WeakValueDictionary[tuple[object, ...], OpDef] = WeakValueDictionary()
        self.direct = {} if direct is None else direct
        self.tell_beside: Callable[[Any, Shared, Shared, bool], None] | None = None
        self._lock = threading.Lock()

    def beside(self, cache: Any, is_in_front: bool) -> tuple[Shared, Shared]:
        """What compiled code keeps beside one of Python's caches; the same each time, and as long as that is there.

        Args:
            cache: What `functools.lru_cache` has made.
            is_in_front: Whether `cache` is asked for what is not kept.
        """
        with self._lock:
            found: tuple[Shared, Shared] | None = vars(cache).get(_BESIDE)
            if found is None:
                found = Shared(), Shared()
                setattr(cache, _BESIDE, found)
                if self.tell_beside is not None:
                    self.tell_beside(cache, *found, is_in_front)
            return found

    def __getitem__(self, name: str) -> OpDef:
        found = self._by_name[name]()
        if found is None:
            raise KeyError(name)
        return found

    def add(self, op: OpDef) -> None:
        """Make an operator known; again: one that was taken for gone."""
        name = op.name

        def gone(at: ReferenceType[OpDef]) -> None:
            if self._by_name.get(name) is at:
                del self._by_name[name]
                self.direct.pop(name, None)

        self._by_name[name] = ref(op, gone)
        direct = getattr(op.semantics, _DIRECT, None)
        if direct is not None:
            self.direct[name] = direct

    def operator(
        self,
        name: str,
        function: Callable[..., object],
        parameters: Sequence[tuple[str, Type]],
        result: Type,
        *,
        variadic: bool = False,
        keywords: Sequence[str] = (),
    ) -> OpDef:
        """The operator that calls a function with values of these types; the same one each time.

        Args:
            name: The function's.
            function: Takes one Python value for each parameter.
            parameters: Names and types.
            result: The declared type of what it returns, which is checked.
            variadic: Whether the last parameter that may be given by position is ``*args``.
            keywords: The last parameters, which are given by name.
        """
        key = (function, tuple(parameters), result)
        found = self._by_function.get(key)
        if found is None:
            name = name.replace("._", "__")  # behind a dot stands an overload, which begins with a letter
            unique, n = name, 1
            while PREFIX + unique in self._by_name:
                n += 1
                unique = f"{name}_{n}"

            def semantics(*args: object) -> object:
                positional = len(args) - len(keywords)
                plain = list(args[:positional])
                if variadic:
                    rest = plain.pop()
                    assert isinstance(rest, tuple)
                    plain += rest
                named = dict(zip(keywords, args[positional:], strict=True))
                return conformed(function(*plain, **named), result, name)

            call: Any = semantics
            if result in (INT, FLOAT, BOOL, NONE) and not variadic and not keywords:
                setattr(call, _DIRECT, (function, lambda value: conformed(value, result, name)))
            found = self._by_function[key] = python_function(unique, call, parameters, result)
            self.add(found)
        return found


def conformed(value: object, type: Type, name: str) -> object:
    """What a Python function returned, as a value of its declared type; containers and objects are checked when they
    are converted.

    Raises:
        TypeError: It is none.
    """
    if isinstance(type, TupleType) and type.named is None:
        if isinstance(value, tuple) and len(value) == len(type.elements):
            return tuple(conformed(v, t, name) for v, t in zip(value, type.elements, strict=True))
    elif type == FLOAT and isinstance(value, int):
        return float(value)
    elif type == INT and isinstance(value, bool):
        return int(value)
    elif type not in _CLASSES or isinstance(value, _CLASSES[type]):
        return value
    raise TypeError(f"{name}() is declared to return {type}, and returned {_shown(value)}")


def _shown(value: object) -> str:
    return "None" if value is None else f"a value of type {type(value).__name__}"


_CLASSES: dict[Type, type] = {
    INT: int,
    FLOAT: float,
    BOOL: bool,
    NONE: type(None),
    STR: str,
    BYTES: bytes,
    DTYPE: DType,
}
