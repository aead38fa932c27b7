"""Classes, enums and named tuples of an archive: what is kept of them, and the types they are where it is loaded.

A class that the loading process has, in a module that it has imported already and with the same attributes, is used.
For any other one a class is made that has the attributes and nothing else: loading imports nothing and runs nothing.
"""

from __future__ import annotations

import collections
import enum
import hashlib
import json
import marshal
import sys
from collections.abc import Callable, Container, Iterable, Mapping, Sequence, Set
from functools import partial
from typing import Any, Protocol

from tscript.abi.exceptions import EXCEPTIONS, FIELDS, beside, exception_flags, is_exception
from tscript.abi.layout import CLASS_EQ, CLASS_FROZEN, CLASS_ORDER, CLASS_OWN_EQ, CLASS_OWN_KEYS, CLASS_REPR
from tscript.abi.placeholders import dress
from tscript.archive.naming import plain
from tscript.diagnostics.archives import ArchiveError
from tscript.ir.signatures import language_type, text_of, value_from
from tscript.types import (
    ClassInfo,
    ClassType,
    EnumInfo,
    EnumType,
    NamedTupleInfo,
    TupleType,
    Type,
    in_python,
)
from tscript.types.parsing import shortened

_NAMED_TUPLE: Any = collections.namedtuple
_SET = type.__setattr__

_SAID = CLASS_EQ | CLASS_FROZEN | CLASS_ORDER | CLASS_REPR
_KEPT = _SAID | CLASS_OWN_KEYS | CLASS_OWN_EQ
"""Flags of a class that an archive keeps; older ones say less."""

MODULE = "module"
"""The kind of classes that stand for modules: their Python classes are made above this layer."""

_ORDER = ("class", MODULE, "enum", "named")

MAX_CLASSES = 10_000
"""Classes of one archive."""


def class_to_json(type: Type, to_json: Callable[[object], Any]) -> dict[str, Any]:
    """What an archive keeps of a class."""
    match type:
        case ClassType(info=info):
            return {
                **_place("class", info.name, info.python),
                "base": None if info.base is None else info.base.name,
                **({} if info.beside is None else {"beside": info.beside.name}),
                "fields": [[n, str(t)] for n, t in info.fields.items() if n not in FIELDS or not is_exception(type)],
                "flags": info.flags & _KEPT,
                "special": sorted(info.special),
                "late": sorted(info.late),
            }
        case EnumType(info=members):
            values = [[n, to_json(v)] for n, v in members.members.items()]
            return {**_place("enum", members.name, members.python), "members": values, "mixed": members.kind}
        case TupleType(named=NamedTupleInfo() as named):
            fields = [[n, str(t)] for n, t in zip(named.fields, type.elements, strict=True)]
            return {**_place("named", named.name, named.python), "fields": fields}
    raise ArchiveError(f"{type} is not a class")


def _place(kind: str, name: str, python: type | None) -> dict[str, Any]:
    module = "" if python is None else python.__module__
    return {"kind": kind, "name": name, "module": module, "path": "" if python is None else python.__qualname__}


class Classes(Protocol):
    """The classes that those of an archive join."""

    def made(self, key: str) -> Type | None:
        """The type made before for a class that was not there, by what an archive says of it."""

    def remember(self, key: str, type: Type) -> None:
        """A type was made, and added, for what an archive says of a class."""

    def known(self, cls: type) -> Type | None:
        """The type of a class of this process, or None when compiled code cannot use it."""

    def unique_name(self, module: str, name: str, taken: Container[str] = ()) -> str:
        """A name that no other class has, and that is not `taken`."""

    def add(self, type: Type, python: type | None) -> None:
        """A class was made; that of its base was added before. Modules have no Python class until one is made."""


class Apart:
    """Classes of an archive that is only looked at: nothing of this process is among them."""

    def __init__(self) -> None:
        self._made: dict[str, Type] = {}
        self._numbers: dict[str, int] = {}

    def made(self, key: str) -> Type | None:
        return self._made.get(key)

    def remember(self, key: str, type: Type) -> None:
        self._made[key] = type

    def known(self, cls: type) -> Type | None:
        return None

    def unique_name(self, module: str, name: str, taken: Container[str] = ()) -> str:
        out = f"{module}.{name}"
        while out in taken:
            n = self._numbers[f"{module}.{name}"] = self._numbers.get(f"{module}.{name}", 1) + 1
            out = f"{module}.{n}.{name}"
        return out

    def add(self, type: Type, python: type | None) -> None:
        pass


class _New:
    """Classes being made: those that they join learn of them when all are whole.

    Attributes:
        taken: Their names.
    """

    def __init__(self, classes: Classes) -> None:
        self._classes = classes
        self._made: list[tuple[Type, type | None]] = []
        self._keys: dict[str, Type] = {}
        self.taken: set[str] = set()

    def name(self, wanted: str) -> str:
        """A name for one more class: the one that the archive has for it, where that is free."""
        above, _, name = wanted.rpartition(".")
        found = self._classes.unique_name(above, name, self.taken)
        if found != wanted:
            found = self._classes.unique_name(*_split(wanted), self.taken)
        self.taken.add(found)
        return found

    def known(self, key: str) -> Type | None:
        """What was made before for what an archive says of a class."""
        return self._classes.made(key)

    def begin(self, key: str, type: Type) -> Type:
        """A type is being made."""
        self._keys[key] = type
        return type

    def add(self, type: Type, python: type | None) -> None:
        """A class is whole; that of its base was added before."""
        self._made.append((type, python))

    def commit(self) -> None:
        """Tell of them all."""
        for type, python in self._made:
            self._classes.add(type, python)
        for key, made in self._keys.items():
            self._classes.remember(key, made)


def restore(
    specs: Sequence[Any], from_json: Callable[[Any], object], classes: Classes, code: str = ""
) -> dict[str, Type]:
    """The types of the classes of an archive, by the names they have in it.

    Args:
        specs: What `class_to_json` said of them.
        from_json: Reads the value of a member of an enum.
        classes: What they join.
        code: Stands for the code of the modules among them: those with other code are other classes.

    Raises:
        ArchiveError: What it says of them is not a class.
    """
    distinct: dict[str, Any] = {}
    for spec in specs:
        if distinct.setdefault(str(spec["name"]), spec) != spec:
            raise ArchiveError(f"it has two classes {shortened(str(spec['name']))}")
    if len(distinct) > MAX_CLASSES:
        raise ArchiveError(f"more than {MAX_CLASSES} classes")
    specs = list(distinct.values())
    types: dict[str, Type] = {}
    new = _New(classes)
    # Classes that are no modules are pickled with what is said of these; those of modules have code.
    plain_specs = [spec for spec in specs if spec["kind"] != MODULE]
    whole = hashlib.sha256(json.dumps(plain_specs, sort_keys=True).encode()).hexdigest()
    of_modules = whole
    if len(plain_specs) < len(specs):
        # It is in no file, so that another form than JSON will do. Version 2 of it depends on values alone.
        of_modules = hashlib.sha256(marshal.dumps([specs, code], 2)).hexdigest()
    pending: list[tuple[Any, ClassInfo]] = []
    for spec in sorted(specs, key=lambda s: _ORDER.index(s["kind"])):
        name = str(spec["name"])
        if not all(part.isidentifier() or part.isdigit() for part in name.split(".")) or "." not in name:
            raise ArchiveError(f"{shortened(name)!r} is not the name of a class")
        key = f"{name} {of_modules if spec['kind'] == MODULE else whole}"
        found = (None if spec["kind"] == MODULE else _there(spec, classes)) or new.known(key)
        if found is not None:
            types[name] = found
        elif spec["kind"] == "enum":
            types[name] = new.begin(key, _enum(spec, from_json, new))
        elif spec["kind"] in ("class", MODULE):
            info = ClassInfo(new.name(name), is_module=spec["kind"] == MODULE)
            types[name] = new.begin(key, ClassType(info))
            pending.append((spec, info))
        else:
            types[name] = new.begin(key, _named(spec, types, new))
    unread = {info for _, info in pending}
    for spec, info in pending:
        _fill(spec, info, types, unread)
        unread.discard(info)
    for spec, info in pending:
        _finish(spec, info, types, new)
    _nest(specs, types)
    new.commit()
    return types


def _split(name: str) -> tuple[str, str]:
    parts = [p for p in name.split(".") if not p.isdigit()]
    return ".".join(parts[:-1]), parts[-1]


def _there(spec: Any, classes: Classes) -> Type | None:
    """The type of a class that this process has and that is the same."""
    found: Any = sys.modules.get(str(spec["module"]))
    for part in str(spec["path"]).split("."):
        found = vars(found).get(part) if found is not None and hasattr(found, "__dict__") else None
    if not isinstance(found, type):
        return None
    type_found = classes.known(found)
    if type_found is None:
        return None
    own = class_to_json(type_found, lambda value: value)
    same = own["kind"] == spec["kind"] and _names(own) == _names(spec)
    if own.get("late") != spec.get(
        "late", own.get("late")
    ):  # older archives do not say, and their code is compiled anew
        same = False
    return type_found if same else None


def _names(spec: Any) -> object:
    fields = [[n, plain(str(t))] for n, t in spec.get("fields", ())]  # numbers differ from process to process
    return fields, [n for n, _ in spec.get("members", ())], spec.get("flags", 0) & _SAID


def _fields(spec: Any, types: Mapping[str, Type]) -> dict[str, Type]:
    out: dict[str, Type] = {}
    for name, text in spec["fields"]:
        # The members of containers of modules have any names, such as "0".
        fits = isinstance(name, str) and (name.isidentifier() or (spec["kind"] == MODULE and "." not in name))
        if not fits or name in out:
            raise ArchiveError(f"{name!r} is not the name of an attribute")
        out[name] = language_type(text, types)
    return out


def _enum(spec: Any, from_json: Callable[[Any], object], new: _New) -> Type:
    module, name = _split(spec["name"])
    members = [(str(n), from_json(v)) for n, v in spec["members"]]
    for member, _ in members:
        if not member.isidentifier() or member.startswith("_") or member == "mro":
            raise ArchiveError(f"{shortened(member)!r} is not the name of a member of an enum")
    base: Any = {"": enum.Enum, "int": enum.IntEnum, "str": enum.StrEnum}[spec["mixed"]]
    made = base(name, members, module=module)
    made.__tscript_archived__ = True
    if [m.name for m in made] != [n for n, _ in members]:
        raise ArchiveError(f"the enum {name} names a value twice")
    info = EnumInfo(new.name(spec["name"]), {m.name: m.value for m in made}, made, spec["mixed"])
    type = EnumType(info)
    new.add(type, made)
    return type


def _named(spec: Any, types: Mapping[str, Type], new: _New) -> Type:
    module, name = _split(spec["name"])
    fields = _fields(spec, types)
    defaults = _defaults(spec, fields, types)
    if list(defaults) != list(fields)[len(fields) - len(defaults) :]:
        raise ArchiveError(f"the defaults of {name} are not those of its last fields")
    made: Any = _NAMED_TUPLE(name, list(fields), module=module, defaults=[make() for make in defaults.values()])
    made.__tscript_archived__ = True
    info = NamedTupleInfo(new.name(spec["name"]), tuple(fields), {}, made)
    type = TupleType(tuple(fields.values()), info)
    new.add(type, made)
    return type


def _fill(spec: Any, info: ClassInfo, types: Mapping[str, Type], unread: Set[ClassInfo]) -> None:
    base = None if spec["base"] is None else types.get(spec["base"]) or EXCEPTIONS[spec["base"]]
    if base is not None and not isinstance(base, ClassType):
        raise ArchiveError(f"the base of {info.name} is not a class")
    if base is not None and base.info in unread:
        raise ArchiveError(f"the base of {info.name} comes behind it")
    info.base = None if base is None else base.info
    own = _fields(spec, types)
    if base is not None and is_exception(base):
        if own.keys() & FIELDS.keys():
            raise ArchiveError(f"{info.name} has attributes that every exception has")
        info.fields.update(FIELDS)
    info.fields.update(own)
    info.flags = int(spec["flags"]) & _KEPT
    if base is not None and is_exception(base):
        if "beside" in spec:
            other = EXCEPTIONS.get(str(spec["beside"]))
            try:
                info.beside = None if other is None else beside(base.info, [other.info])
            except ValueError:
                raise ArchiveError(f"{info.name} derives from two builtin exceptions") from None
        info.flags |= exception_flags(info)
    info.special = frozenset(map(str, spec["special"]))
    info.late = frozenset(map(str, spec.get("late", ())))
    inherited = frozenset() if info.base is None else info.base.late
    if not info.late <= info.fields.keys() or (is_exception(ClassType(info)) and info.late & FIELDS.keys()):
        raise ArchiveError(f"late attributes of {info.name} are not among its attributes")
    if info.late and info.flags & (CLASS_EQ | CLASS_ORDER | CLASS_REPR):
        raise ArchiveError(f"{info.name} has late attributes, so its methods cannot be those over all attributes")
    if base is not None and info.late & base.info.fields.keys() != inherited:
        raise ArchiveError(f"the late attributes of {info.name} do not begin with those of its base")


def _finish(spec: Any, info: ClassInfo, types: Mapping[str, Type], new: _New) -> None:
    """The Python class, once that of its base is there."""
    if info.python is not None:
        return
    if spec["kind"] == MODULE:
        if info.base is not None or info.flags or info.late:
            raise ArchiveError(f"the class of modules {info.name} has what no such class has")
        new.add(types[spec["name"]], None)
        return
    base = info.base
    if base is not None:
        if len(base.bases) > 100 or any(b is info for b in base.bases):
            raise ArchiveError(f"the bases of {info.name} go in a circle")
        if list(info.fields)[: len(base.fields)] != list(base.fields):
            raise ArchiveError(f"the attributes of {info.name} do not begin with those of its base")
    if base is not None and base.python is None:
        raise ArchiveError(f"the base of {info.name} comes behind it")
    module, name = _split(info.name)
    above: list[Any] = [object if base is None else base.python]
    above += [] if info.beside is None else [info.beside.python]
    made: Any = type(name, tuple(above), {"__module__": module, **_constants(spec, info.fields, types)})
    made.__tscript_archived__ = True
    info.python = made
    if not issubclass(made, BaseException):
        dress(made, info, _defaults(spec, info.fields, types))
    if spec.get(ABSTRACT):
        made.__abstractmethods__ = frozenset(map(text_of, spec[ABSTRACT]))
    new.add(types[spec["name"]], made)


def _constants(spec: Any, fields: Mapping[str, Type], types: Mapping[str, Type]) -> dict[str, object]:
    """What the class itself has as attributes."""
    out: dict[str, object] = {}
    for name, item in spec.get(CONSTANTS, ()):
        if not isinstance(name, str) or not name.isidentifier() or name.startswith("__") or name in fields:
            raise ArchiveError(f"{shortened(repr(name))} is not the name of an attribute of a class")
        out[name] = in_python(value_from(item, (), 0, types))
    return out


def _nest(specs: Sequence[Any], types: Mapping[str, Type]) -> None:
    """Classes that stand in others are attributes of these."""
    places = {(spec.get("module"), spec.get("path")): types[spec["name"]] for spec in specs if spec["kind"] != MODULE}
    for (module, path), type in places.items():
        above, _, name = str(path).rpartition(".")
        owner: Any = python_of(places.get((module, above)))
        inner = python_of(type)
        if owner is None or inner is None or "__tscript_archived__" not in vars(owner):
            continue
        if name.isidentifier() and not name.startswith("__") and name not in vars(owner):
            _SET(owner, name, inner)


KINDS = {
    "method": "methods",
    "property": "properties",
    "static": "functions",
    "setter": "setters",
    "factory": "factories",
}
"""Where the manifest lists what is kept of a class, by the kinds of its functions."""

ABSENT = "absent"
"""Where the manifest lists the methods of a class that it has no code for."""

CONSTANTS = "constants"
"""Where the manifest lists what a class itself has as attributes."""

ABSTRACT = "abstract"
"""Where the manifest lists the methods that classes derived from a class have to define."""

ONLY_INIT = "only_init"
"""Where the manifest lists what a constructor takes that is no attribute."""

CONSTRUCTOR = "__init__"
"""The name, among the functions of a class, of the one that makes an instance."""

_OPERATIONS = "add|sub|mul|truediv|floordiv|mod|pow|matmul|and|or|xor|lshift|rshift"
_OTHERS = (
    "eq|ne|lt|le|gt|ge|hash|bool|len|contains|getitem|setitem|delitem|iter|next|call|repr|str|format|neg|pos|invert|"
    "abs|int|float|index|complex|round|enter|exit"
)
SPECIAL: frozenset[str] = frozenset(
    f"__{name}__"
    for name in (
        *_OTHERS.split("|"),
        *(prefix + name for name in _OPERATIONS.split("|") for prefix in ("", "r", "i")),
    )
)
"""The methods of Python's operators and functions that an archive can have. None takes part in pickling, in making
objects or in finding attributes."""


def methods_in(specs: Iterable[Any], digests: Mapping[str, str]) -> frozenset[str]:
    """The names of the functions that are methods and properties of classes.

    Args:
        specs: What an archive says of classes that are no modules.
        digests: Of the IR of its functions.

    Raises:
        ArchiveError: A method has no code in the archive, or no name of a method.
    """
    found: set[str] = set()
    for spec in specs:
        fields = dict(spec.get("fields", ()))
        for kind, key in KINDS.items():
            for name, (function, digest) in spec.get(key, {}).items():
                special = {CONSTRUCTOR} if kind == "static" else SPECIAL if kind == "method" else ()
                is_known = name in special or (name.isidentifier() and not name.startswith("__"))
                if not is_known or (name in fields) != (kind == "factory"):
                    raise ArchiveError(
                        f"{shortened(repr(name))} is not the name of a method of {shortened(spec['name'])}"
                    )
                if digests.get(function) != digest:
                    raise ArchiveError(f"the code of {name}() of {shortened(spec['name'])} is not in the archive")
                found.add(function)
    return frozenset(found)


def _defaults(spec: Any, fields: Mapping[str, Type], types: Mapping[str, Type]) -> dict[str, Callable[[], object]]:
    """What makes the values of attributes that an instance is made without."""
    out: dict[str, Callable[[], object]] = {}
    for name, item in spec.get("defaults", ()):
        if name not in fields and name not in spec.get(ONLY_INIT, ()):
            raise ArchiveError(f"{shortened(repr(name))} has a default and is no attribute")
        kind = {"list": list, "dict": dict, "set": set}.get(item[0])
        value = None if kind is not None else in_python(value_from(item, (), 0, types))
        out[name] = kind if kind is not None else partial(_same, value)
    return out


def _same(value: object) -> object:
    return value


def python_of(type: Type | None) -> Any:
    """The Python class of a class, an enum or a named tuple."""
    if isinstance(type, TupleType):
        return None if type.named is None else type.named.python
    return type.info.python if isinstance(type, ClassType | EnumType) else None


def renamed(types: Mapping[str, Type]) -> bool:
    """Whether some class has another name in this process: object code, which names types, is of no use then."""
    return any(str(type) != name for name, type in types.items())
