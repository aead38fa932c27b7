"""`Programs`: code of functions of users, found in the cache without passes, emission and LLVM.

A digest of a checked program, of the types that it is specialised for and of all that decides its code leads to a
record: the key of the object, and what else it takes to load it. The record of quick code has the text that the better
code is made of. An entry that is missing, damaged or of no use here is a miss: then the program is compiled.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tscript.abi.dispatch import PREFIX
from tscript.backend.llvm.effort import Effort
from tscript.diagnostics.archives import ArchiveError
from tscript.digests import sha256
from tscript.ir.classes import add_classes, classes_of
from tscript.ir.graph import Op, Param, Program, walk
from tscript.ir.printer import print_program
from tscript.ir.signatures import language_type, param_from, param_json
from tscript.late import dataclass, replace
from tscript.pipeline.compiled import Compiled
from tscript.pipeline.tiers import Later, Tier
from tscript.types import (
    TENSOR,
    ClassType,
    DType,
    EnumType,
    NamedTupleInfo,
    OpenType,
    TupleType,
    Type,
    dtypes,
    leaves_open,
    parse_type,
)

if TYPE_CHECKING:
    from tscript.backend.loader.cache import ObjectCache
    from tscript.definitions.opdef import OpDef
    from tscript.pipeline.recipes import Made
    from tscript.pipeline.tree import Tree

_KEY = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class Identity:
    """What the code of a checked program is found by.

    Attributes:
        digest: Of the program, and of the classes in it.
        handles: The tensors and shared containers that it names by their positions here.
        classes: The classes in it.
    """

    digest: str
    handles: tuple[object, ...] = ()
    classes: frozenset[Type] = frozenset()


@dataclass(frozen=True, slots=True)
class Finished:
    """A specialisation that was compiled, or found.

    Attributes:
        compiled: Its object.
        name: Of its entry.
        place: ``file:line`` of that; empty if it comes from no file.
        names: Of its parameters.
        changes: Whether it may change objects among its arguments.
        calls: The operators in it that call Python functions of the user.
    """

    compiled: Compiled
    name: str
    place: str
    names: tuple[str, ...]
    changes: bool
    calls: tuple[OpDef, ...] = ()


def identity_of(program: Program) -> Identity | None:
    """What the code of a checked program is found by; None if it cannot be found: it uses operators or functions that
    only this process has."""
    if any(
        isinstance(node, Op) and (node.op.library is not None or node.op.name.startswith(PREFIX))
        for graph in program.graphs.values()
        for node in walk(graph.body)
    ):
        return None
    handles: list[object] = []
    text = print_program(program, spans=True, handles=handles)
    classes = classes_of(program)
    described = [*map(description, classes), [str(getattr(handle, "dtype", "")) for handle in handles]]
    digest = sha256(f"{text}\n{described}".encode("utf-8", "surrogatepass"))
    return Identity(digest.hexdigest(), tuple(handles), frozenset(classes))


@dataclass(frozen=True, slots=True)
class Opened:
    """What calls need of a function whose parameters take types from the call.

    Attributes:
        params: Its parameters.
        usual: Types of the open ones where no call says more; None where it has to.
    """

    params: tuple[Param, ...]
    usual: tuple[Type | None, ...]

    @property
    def is_plain(self) -> bool:
        """Whether no type of a parameter is open in parts only."""
        return all(isinstance(p.type, OpenType) or not leaves_open(p.type) for p in self.params)

    def json(self) -> Any:
        """As a record has it.

        Raises:
            ArchiveError: A default has no text.
        """
        opened = {i: p.type for i, p in enumerate(self.params) if isinstance(p.type, OpenType)}
        params = [replace(p, type=TENSOR) if i in opened else p for i, p in enumerate(self.params)]
        return {
            "params": [param_json(p, ()) for p in params],
            "open": [[i, t.name, t.dtype and t.dtype.name, t.rank] for i, t in opened.items()],
            "usual": [type and str(type) for type in self.usual],
        }

    @staticmethod
    def of(record: Any) -> Opened:
        """From a record; an error of any kind if it is damaged."""
        params = [param_from(item, {}, ()) for item in record["params"]]
        for i, name, dtype, rank in record["open"]:
            params[i] = replace(params[i], type=OpenType(name, dtype and dtypes.BY_NAME[dtype], rank))
        return Opened(tuple(params), tuple(text and language_type(text, {}) for text in record["usual"]))


@dataclass(frozen=True, slots=True)
class Header:
    """What calls need of a checked program.

    Attributes:
        digest: As in its `Identity`; it has neither handles nor classes. Empty: there is a program only for types from
            calls.
        params: Its parameters.
        static: Positions of those whose values take part in specialisation.
        opened: What is known of it before a call says types; None: there is nothing to say.
        asks: Whether that has to be found out anew, as it has no text.
    """

    digest: str
    params: tuple[Param, ...]
    static: frozenset[int]
    opened: Opened | None = None
    asks: bool = False


class Programs:
    """Finds and keeps code of functions of users.

    Args:
        cache: Keeps it.
        key: The key of a text of ours in the cache.
        tree: The sources of the compiler.
        about: What else decides the code.
        classes: Returns the classes of the process by name.
    """

    def __init__(
        self,
        cache: ObjectCache,
        key: Callable[[str], str],
        tree: Tree,
        about: str,
        classes: Callable[[], Mapping[str, Type]],
    ) -> None:
        self._cache = cache
        self._key = key
        self._tree = tree
        self._about = about
        self._classes = classes

    def made(self, name: str, make: Callable[[], tuple[Made, str]]) -> Made:
        """An object that the sources of the package and a name stand for, and the symbols that it refers to.

        Args:
            name: The name.
            make: Makes it, with its key in the cache.
        """
        tree = self._tree.digest if self._cache.is_used else None
        if tree is None:
            return make()[0]
        own = self._key(f"made\n{tree}\n{name}")
        record = self._cache.get(own)
        if record is not None:
            key, *externals = record.decode("utf-8", "replace").split("\n")
            found = self._cache.get(key) if _KEY.fullmatch(key) else None
            if found is not None:
                return found, tuple(externals)
        made, key = make()
        self._cache.put(own, "\n".join([key, *made[1]]).encode())
        return made

    def header(self, captured: str) -> Header | None:
        """What was kept of a function that was checked.

        Args:
            captured: The digest of what checking it reads.
        """
        own = self._header_key(captured)
        data = None if own is None else self._cache.get(own)
        if data is None:
            return None
        try:
            record = json.loads(data)
            params = tuple(param_from(item, {}, ()) for item in record["params"])
            digest, static = record["digest"], frozenset(map(int, record["static"]))
            opened = record["opened"] and Opened.of(record["opened"])
            asks = bool(record["asks"])
        except (ArchiveError, ValueError, LookupError, TypeError, AttributeError):  # nothing that this version wrote
            return None
        is_known = isinstance(digest, str) and (not digest or _KEY.fullmatch(digest))
        return Header(digest, params, static, opened, asks) if is_known else None

    def keep_header(self, captured: str, identity: Identity | None, header: Callable[[str], Header]) -> None:
        """Keep what calls need of a function, unless it names what only this process has.

        Args:
            captured: The digest of what checking it reads.
            identity: Of its program.
            header: Makes it with the digest of that.
        """
        if identity is None or identity.handles or identity.classes:
            return
        own = self._header_key(captured)
        made = header(identity.digest)
        try:
            params = [param_json(p, ()) for p in made.params]
            opened = made.opened and made.opened.json()
        except ArchiveError:  # a default that has no text
            return
        record: dict[str, object] = {"digest": made.digest, "params": params, "static": sorted(made.static)}
        record |= {"opened": opened, "asks": made.asks}
        if own is not None:
            self._cache.put(own, json.dumps(record).encode())

    def _header_key(self, captured: str) -> str | None:
        tree = self._tree.digest
        return None if tree is None else self._key(f"header\n{tree}\n{captured}")

    def key(
        self,
        identity: Identity,
        types: Sequence[Type],
        constants: Mapping[int, object],
        static: Iterable[int],
        tier: Tier,
    ) -> str | None:
        """The key of a specialisation; None if it cannot be kept.

        Args:
            identity: Of the checked program.
            types: Of the arguments.
            constants: Values of arguments that code depends on, by position.
            static: Positions of those that are built in.
            tier: How it is compiled.
        """
        found: dict[Type, None] = {}
        for type in types:
            add_classes(type, found)
        values = [[i, value.__class__.__name__, repr(value)] for i, value in constants.items()]
        if not identity.classes >= found.keys() or not all(map(_is_plain, constants.values())):
            return None
        if (tree := self._tree.digest) is None:
            return None
        about = [tree, self._about, identity.digest, [*map(str, types)], values, sorted(static), tier.value]
        about.append(dtypes.default_float().name)
        return self._key(f"program\n{json.dumps(about)}")

    def find(self, key: str, identity: Identity) -> Finished | None:
        """What was kept under a key."""
        data = self._cache.get(key)
        if data is None:
            return None
        head, _, packed = data.partition(b"\n")
        try:
            return self._restored(json.loads(head), packed, identity.handles)
        except (ValueError, LookupError, TypeError, AttributeError):  # nothing that this version wrote
            return None

    def _restored(self, record: Any, packed: bytes, handles: Sequence[Any]) -> Finished | None:
        later = None
        found = self._cache.get(record["key"])
        if found is None and record["later"]:
            quick, effort, size, marks = record["later"]
            found = self._cache.get(quick)
            later = Later(record["key"], quick, Effort(effort), size, marks, packed)
        if found is None:
            return None
        classes = self._classes()
        compiled = Compiled(
            tuple(parse_type(text, classes) for text in record["types"]),
            parse_type(record["result"], classes),
            record["symbol"],
            tuple(record["externals"]),
            found,
            tuple(handles[i] for i in record["tensors"]),
            tuple((handles[i], parse_type(text, classes)) for i, text in record["shared"]),
            later=later,
            key=record["key"],
        )
        return Finished(compiled, record["name"], record["place"], tuple(record["names"]), record["changes"])

    def keep(self, key: str, finished: Finished, identity: Identity) -> None:
        """Keep what was compiled, if it is in the cache.

        Args:
            key: Its key.
            finished: What was compiled.
            identity: Of the checked program.
        """
        compiled, later = finished.compiled, finished.compiled.later
        numbers = {id(handle): i for i, handle in enumerate(identity.handles)}
        needed = [*map(id, compiled.tensors), *(id(shared) for shared, _ in compiled.shared)]
        if not compiled.key or finished.calls or not numbers.keys() >= set(needed):
            return
        record = {
            "key": compiled.key,
            "later": None if later is None else [later.quick, later.effort.value, later.size, later.marks],
            "types": [*map(str, compiled.types)],
            "result": str(compiled.result),
            "symbol": compiled.symbol,
            "externals": compiled.externals,
            "tensors": [numbers[id(tensor)] for tensor in compiled.tensors],
            "shared": [[numbers[id(shared)], str(type)] for shared, type in compiled.shared],
            "name": finished.name,
            "place": finished.place,
            "names": finished.names,
            "changes": finished.changes,
        }
        packed = b"" if later is None else later.packed
        self._cache.put(key, json.dumps(record).encode() + b"\n" + packed)


def _is_plain(value: object) -> bool:
    """Whether `repr` tells a constant from all others of its class."""
    if type(value) is float:
        return value == value
    return type(value) in (bool, int, str, DType, type(None))


def description(type: Type) -> list[object]:
    """All that code may depend on of a class."""
    match type:
        case ClassType(info=info):
            base = "" if info.base is None else info.base.name
            base += "" if info.beside is None else f", {info.beside.name}"
            fields = [[name, str(field)] for name, field in info.fields.items()]
            how = (info.flags, sorted(info.special), sorted(info.late), info.python is None, info.is_module)
            return [info.name, base, fields, *how]
        case EnumType(info=enum):
            members = [[name, value.__class__.__name__, repr(value)] for name, value in enum.members.items()]
            return [enum.name, enum.kind, members, enum.python is None]
        case TupleType(named=NamedTupleInfo() as named):
            return [named.name, named.fields, [*map(str, type.elements)], named.python is None]
    raise TypeError(f"{type} is no class")


__all__ = ["Finished", "Header", "Identity", "Programs", "description", "identity_of"]
