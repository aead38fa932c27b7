"""Classes of scripted modules, and modules of their attributes: for modules that were scripted, loaded or traced."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tscript import Tensor
from tscript.nn.scripting.facts import Facts
from tscript.nn.scripting.script_module import ScriptDict, ScriptList, ScriptModule
from tscript.runtime.session.process import current
from tscript.types import (
    ANY,
    BOOL,
    FLOAT,
    INT,
    ClassType,
    DictType,
    ListType,
    OptionalType,
    SetType,
    TensorType,
    TupleType,
    Type,
    UnionType,
)
from tscript.upper import Modules

_KINDS: Mapping[str, type[ScriptModule]] = {"module": ScriptModule, "list": ScriptList, "dict": ScriptDict}


def new_class(facts: Facts, kind: str = "module") -> type[ScriptModule]:
    """A class that stands for modules.

    The compiler must learn of it before code is made for it: by `Compiler.read_module`, or by
    `ClassTable.stand_in` if it has a type already.

    Args:
        facts: What is known of them.
        kind: ``"module"``; or ``"list"`` or ``"dict"`` for a container of modules.
    """
    source = facts.source
    plain = {n: staticmethod(v) if callable(v) and not isinstance(v, type) else v for n, v in facts.constants.items()}
    namespace = {**plain, "_facts": facts, "__module__": source.__module__, "__qualname__": source.__qualname__}
    return type(source.__name__, (_KINDS[kind],), {**namespace, "__doc__": source.__doc__})


def new_module(cls: type[ScriptModule], values: Mapping[str, Any]) -> ScriptModule:
    """A module of a class.

    Args:
        cls: The class, made by `new_class`.
        values: Its attributes; those that are constants of the class are left out.
    """
    made = ScriptModule.__new__(cls)
    made._receive({name: _as_declared(values[name], type) for name, type in cls._facts.types.items()})
    return made


def _as_declared(value: Any, type: Type) -> Any:
    """A value as an attribute of a type: a tuple where a list is declared becomes one."""
    return [*value] if isinstance(type, ListType) and not type.frozen and isinstance(value, tuple) else value


def fits(value: Any, wanted: Type) -> bool:
    """Whether a value may be an attribute of a type; containers are looked into when native code is called."""
    if isinstance(wanted, OptionalType):
        return value is None or fits(value, wanted.value)
    if isinstance(wanted, TensorType):
        facts = wanted.facts
        return isinstance(value, Tensor) and (facts.dtype in (None, value.dtype)) and facts.rank in (None, value.dim())
    if isinstance(wanted, ClassType):
        return wanted.info.python is None or isinstance(value, wanted.info.python)
    found = current().conversion.type_of(value)
    return (
        found == wanted or (wanted == FLOAT and found == INT) or not isinstance(value, bool | int | float | str | None)
    )


def adopted(value: Any, wanted: Type) -> tuple[Any, str]:
    """A module as one of another class that has the same name, types and constants; see `Facts.adopt`.

    Modules that are not scripted are scripted. A module of an archive stays code of the archive: the new one has the
    tensors and attributes of the given one, and the methods of the wanted class.
    """
    inner = wanted.value if isinstance(wanted, OptionalType) else wanted
    cls: Any = inner.info.python if isinstance(inner, ClassType) and inner.info.is_module else None
    if cls is None or not hasattr(value, "_modules") or isinstance(value, type):
        return None, ""
    given = Modules.scripted(value)
    if isinstance(given, cls):
        return given, ""
    try:
        return _as_one_of(given, cls, ""), ""
    except TypeError as error:
        return None, f": {error}. Put it there before the module is scripted or saved"


def _as_one_of(given: ScriptModule, cls: Any, path: str) -> ScriptModule:
    """A module as one of another class.

    Raises:
        TypeError: What differs.
    """
    facts, theirs = cls._facts, given._facts
    is_loaded = hasattr(cls, "_loaded_code") or hasattr(given, "_loaded_code")
    if facts.source.__name__ != theirs.source.__name__ or not (is_loaded or facts.source is theirs.source):
        where = f"'{path}'" if path else "it"
        raise TypeError(f"{where} is another class than the {facts.source.__name__} that was compiled")
    prefix = f"{path}." if path else ""
    values: dict[str, Any] = {}
    for name, wanted in facts.types.items():
        item = given.__dict__.get(name, theirs.constants.get(name))
        inner: Any = wanted.info.python if isinstance(wanted, ClassType) else None
        if isinstance(item, ScriptModule) and inner is not None and not isinstance(item, inner):
            item = _as_one_of(item, inner, f"{prefix}{name}")
        if not holds(item, wanted):
            found = TensorType(item.dtype, item.dim()) if isinstance(item, Tensor) else repr(item)
            raise TypeError(f"its '{prefix}{name}' is {found}, and {wanted} in compiled code")
        values[name] = item
    for name, constant in facts.constants.items():
        item = getattr(given, name, None)
        if item is not constant and (type(item), repr(item)) != (type(constant), repr(constant)):
            raise TypeError(f"its '{prefix}{name}' is {item!r}, and the constant {constant!r} in compiled code")
    if facts.members != theirs.members or {*facts.layout.parameters} != {*theirs.layout.parameters}:
        raise TypeError(f"{prefix[:-1] or 'it'} has other parameters or members")
    return new_module(cls, values)


_NUMBERS: Mapping[Type, type] = {BOOL: bool, INT: int, FLOAT: float}


def holds(value: Any, wanted: Type) -> bool:
    """Whether a value is of a type, with all that is in it."""
    if (python := _NUMBERS.get(wanted)) is not None:
        return type(value) is python
    match wanted:
        case OptionalType(inner):
            return value is None or holds(value, inner)
        case UnionType(members=members):
            return any(holds(value, member) for member in members)
        case ListType(element):
            return type(value) is (tuple if wanted.frozen else list) and all(holds(v, element) for v in value)
        case SetType(element):
            return type(value) is set and all(holds(v, element) for v in value)
        case DictType(key, element):
            return type(value) is dict and all(holds(k, key) and holds(v, element) for k, v in value.items())
        case TupleType(elements=elements, named=named):
            if not isinstance(value, tuple) or type(value) is not (tuple if named is None else named.python):
                return False
            return len(value) == len(elements) and all(map(holds, value, elements))
        case ClassType(info=info):
            python = info.python
            if python is None or not isinstance(value, python):
                return False
            if isinstance(value, ScriptModule):
                return True
            return all(holds(getattr(value, name, None), type) for name, type in info.fields.items())
        case TensorType():
            return fits(value, wanted)
    return wanted == ANY or current().conversion.type_of(value) == wanted
