"""Values of attributes in JSON that says what they are.

None, bools, texts, ints up to 2^53 and finite floats are themselves: a float has a point or an exponent, an int has
none. Everything else is an object with one key, which names what it is::

    {"int": "9007199254740993"}    {"float": "nan"}           {"complex": [1.0, {"float": "inf"}]}
    {"bytes": "AAE="}              {"list": [1, 2]}           {"tuple": ["a", 1]}
    {"set": [1, 2]}                {"dict": [["a", 1]]}       {"named": ["m.Point", [1.0, 2.0]]}
    {"enum": ["m.Color", "RED"]}   {"dtype": "float32"}       {"instance": ["m.Config", [["size", 3]]]}
    {"option": "device.cpu"}       {"tensor": 0}              {"module": 1}
"""

from __future__ import annotations

import binascii
import enum
import math
from collections.abc import Callable, Mapping
from typing import Any

from tscript.diagnostics.archives import ArchiveError
from tscript.ir.signatures import number_of, text_of
from tscript.types import OPTIONS, ClassType, DType, EnumType, TupleType, Type, dtypes
from tscript.types.options import Option, option_named
from tscript.types.parsing import shortened

MAX_LEVELS = 64
"""Values inside each other."""
EXACT = 1 << 53
"""Up to here every reader of JSON keeps ints as they are."""

_OPTIONS = tuple(OPTIONS.values())


class Encoding:
    """Values to JSON.

    Args:
        tensor: Returns the number of a tensor, or None if a value is none.
        module: The same of a module.
        class_type: Returns the type of a class.
        name: Returns what the archive calls a class.
    """

    def __init__(
        self,
        tensor: Callable[[object], int | None],
        module: Callable[[object], int | None],
        class_type: Callable[[type], Type | None],
        name: Callable[[Type], str] = str,
    ) -> None:
        self._tensor, self._module, self._class_type, self._name = tensor, module, class_type, name

    def json(self, value: Any, level: int = 0) -> Any:
        """A value.

        Raises:
            ArchiveError: No archive can keep it.
        """
        if level > MAX_LEVELS:
            raise ArchiveError(f"it has more than {MAX_LEVELS} levels")
        kind = type(value)
        if value is None or kind is bool or kind is str:
            return value
        if kind is int:
            return value if -EXACT <= value <= EXACT else {"int": str(value)}
        if kind is float:
            return _number(value)
        if kind is complex:
            return {"complex": [_number(value.real), _number(value.imag)]}
        if kind is bytes:
            return {"bytes": binascii.b2a_base64(value, newline=False).decode()}
        if kind is list:
            return {"list": [self.json(v, level + 1) for v in value]}
        if kind is tuple:
            return {"tuple": [self.json(v, level + 1) for v in value]}
        if kind is dict:
            return {"dict": [[self.json(k, level + 1), self.json(v, level + 1)] for k, v in value.items()]}
        if kind is set:
            return {"set": sorted((self.json(v, level + 1) for v in value), key=repr)}
        if kind is DType:
            return {"dtype": value.name}
        if isinstance(value, _OPTIONS):
            return {"option": f"{value.space}.{value.name}"}
        found = self._tensor(value)
        if found is not None:
            return {"tensor": found}
        found = self._module(value)
        return {"module": found} if found is not None else self._instance(value, level)

    def _instance(self, value: Any, level: int) -> Any:
        known = self._class_type(type(value))
        if isinstance(known, EnumType) and isinstance(value, enum.Enum):
            return {"enum": [self._name(known), value.name]}
        if isinstance(known, TupleType) and known.named is not None:
            return {"named": [self._name(known), [self.json(v, level + 1) for v in value]]}
        if isinstance(known, ClassType) and not isinstance(value, BaseException) and not known.info.late:
            fields = [[name, self.json(getattr(value, name), level + 1)] for name in known.info.fields]
            return {"instance": [self._name(known), fields]}
        raise ArchiveError(f"no archive can keep a {type(value).__name__}")


def _number(value: float) -> Any:
    return value if math.isfinite(value) else {"float": repr(value)}


class Decoding:
    """JSON to values.

    Args:
        types: The classes of the archive.
        tensor: Returns a tensor by its number.
        module: The same of a module.
    """

    def __init__(
        self, types: Mapping[str, Type], tensor: Callable[[int], object], module: Callable[[int], object]
    ) -> None:
        self._types, self._tensor, self._module = types, tensor, module

    def value(self, item: Any, level: int = 0) -> Any:
        """A value.

        Raises:
            ArchiveError: The JSON says none.
        """
        if level > MAX_LEVELS:
            raise ArchiveError(f"more than {MAX_LEVELS} values lie in each other")
        if item is None or isinstance(item, bool | int | float):
            return item
        if isinstance(item, str):
            return text_of(item)
        if not isinstance(item, dict) or len(item) != 1:
            raise ArchiveError(f"{shortened(repr(item), 100)} is no value: an object with one key is expected")
        ((tag, content),) = item.items()
        try:
            return self._tagged(tag, content, level + 1)
        except ArchiveError:
            raise
        except (TypeError, ValueError, LookupError, RecursionError) as error:
            raise ArchiveError(f"{shortened(repr(item), 100)} is no value: {shortened(str(error), 100)}") from None

    def _tagged(self, tag: str, content: Any, level: int) -> Any:
        match tag:
            case "tensor":
                return self._tensor(_index(content))
            case "module":
                return self._module(_index(content))
            case "int":
                return number_of(content)
            case "float":
                return {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}[content]
            case "complex":
                real, imag = (self.value(v, level) for v in content)
                return complex(real, imag)
            case "bytes":
                if not isinstance(content, str):
                    raise TypeError(f"a text is expected, found {type(content).__name__}")
                # What `base64.b64decode` accepts with `validate`, without the import.
                return binascii.a2b_base64(content, strict_mode=True)
            case "list":
                return [self.value(v, level) for v in _listed(content)]
            case "tuple":
                return tuple([self.value(v, level) for v in _listed(content)])
            case "set":
                return {self.value(v, level) for v in _listed(content)}
            case "dict":
                return {self.value(k, level): self.value(v, level) for k, v in _listed(content)}
            case "dtype":
                return dtypes.BY_NAME[content]
            case "option":
                return _option(content)
            case "enum" | "named" | "instance":
                name, inside = content
                return self._instance(tag, self._types.get(str(name)), inside, level)
        raise ArchiveError(f"there is no kind of value {shortened(repr(tag), 50)}")

    def _instance(self, tag: str, type: Type | None, content: Any, level: int) -> Any:
        if tag == "enum" and isinstance(type, EnumType) and type.info.python is not None:
            made: Any = type.info.python
            return made[text_of(content)]
        if tag == "named" and isinstance(type, TupleType) and type.named is not None and type.named.python is not None:
            values = [self.value(v, level) for v in _listed(content)]
            if len(values) != len(type.elements):
                raise ArchiveError(f"it has {len(values)} fields, {type} has {len(type.elements)}")
            return tuple.__new__(type.named.python, values)
        if tag == "instance" and isinstance(type, ClassType) and type.info.python is not None:
            fields = {text_of(name): self.value(v, level) for name, v in _listed(content)}
            if fields.keys() != type.info.fields.keys():
                raise ArchiveError(
                    f"its attributes are {', '.join(fields)}, those of {type} {', '.join(type.info.fields)}"
                )
            instance: Any = object.__new__(type.info.python)
            for name, value in fields.items():
                object.__setattr__(instance, name, value)
            return instance
        raise ArchiveError("it is of no class of the archive")


def _listed(content: Any) -> list[Any]:
    if not isinstance(content, list):
        raise ValueError("a list is expected")
    return content


def _index(content: Any) -> int:
    if type(content) is not int or content < 0:
        raise ValueError("a number is expected")
    return content


def _option(path: Any) -> Option:
    found = option_named(text_of(path))
    if found is None:
        raise ValueError("there is no such option")
    return found


__all__ = ["Decoding", "Encoding"]
