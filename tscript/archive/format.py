"""The archive format, version 1: which members a ``.tsa`` file has and what stands in them.

::

    manifest.json             first: format, producer, entry points, digests of all members
    code/<entry>.py           canonical source of the entry point and all it calls
    ir/<entry>.tsir           its typed IR (portable: what any machine compiles from)
    native/index.json         the native objects and what each was compiled for
    native/<triple>/<key>.o   relocatable objects
    tensors/<key>.bin         elements of constant tensors
    extra/<name>              the user's own files

Everything is JSON or text but the objects and the user's files; nothing in a file is run by reading it. A reader
accepts its own major version and every feature it knows the name of. `pack` and `unpack` are inverse; `pack` is
reproducible.

All members are compared with their digests in the manifest: extra files when they are read, the others when the archive
is.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Mapping, MutableMapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from tscript._version import __version__
from tscript.archive.classes import Apart, Classes, class_to_json, classes_of, language_type, renamed, restore
from tscript.archive.container import (
    Container,
    Member,
    container_parts,
    open_container,
    read_container,
    write_atomically,
)
from tscript.archive.errors import ArchiveError, MissingOperatorError
from tscript.archive.extra import FOLDER, ExtraFile, checked_metadata, fill
from tscript.archive.tensors import bytes_of, tensor_to_json
from tscript.archive.tensors import restore as restore_tensor
from tscript.archive.text import number_of, parse_json, text_of
from tscript.ir.graph import Op, Param, Program, walk
from tscript.operators.core.schema import REQUIRED
from tscript.operators.python.caches import Shared
from tscript.operators.python.python_calls import PREFIX
from tscript.types import BOOL, FLOAT, INT, DType, EnumMember, EnumType, Type, TypeLimitError, dtypes
from tscript.types.parsing import shortened

if TYPE_CHECKING:
    from tscript.operators.core.table import OperatorTable

NATIVE_FOLDER = "native/"

FORMAT_VERSION = (1, 0)
CUSTOM_OPERATORS = "custom-operators"
"""The feature of archives that use operators that are not built in."""

CLASSES = "classes"
"""The feature of archives with classes, enums or named tuples."""

OPERATOR_VERSIONS = "operator-versions"
"""The feature of archives that use operators of later versions than the first."""

TENSORS = "tensors"
"""The feature of archives with constant tensors."""

CACHES = "caches"
"""The feature of archives with functions that have caches."""

FEATURES: frozenset[str] = frozenset({CUSTOM_OPERATORS, CLASSES, OPERATOR_VERSIONS, TENSORS, CACHES})
"""Names a manifest may list under ``required_features``."""


@dataclass(frozen=True, slots=True)
class OperatorNeed:
    """An operator that is not built in, and that an entry point uses.

    Attributes:
        name: ``mylib::name``.
        schema: As it was when the archive was written.
        library: The library that defines it.
        module: The Python module that did.
        install: How to get it, if its author said so.
    """

    name: str
    schema: str
    library: str
    module: str = ""
    install: str = ""

    def check(self, table: OperatorTable) -> None:
        """Do nothing when `table` has the operator.

        Raises:
            MissingOperatorError: It is not there.
            ArchiveError: It is there with another schema.
        """
        if self.name not in table:
            way = f"import the module that defines it ('{self.module}')" if self.module else "import what defines it"
            get = f"; the library comes with: {self.install}" if self.install else ""
            raise MissingOperatorError(
                f"needs the operator {self.name} of the library '{self.library}', which is not loaded: {way} "
                f"before{get}",
                operator=self.name,
                library=self.library,
            )
        found = str(table[self.name].schema)
        if found != self.schema:
            raise ArchiveError(
                f"needs the operator {self.schema}, the library '{self.library}' that is loaded has {found}: "
                "load the version that the archive was written with, or compile the archive anew"
            )


@dataclass(frozen=True, slots=True)
class NativeObject:
    """One compiled specialisation of an entry point.

    Attributes:
        types: The argument types it was compiled for.
        result: Its result type.
        symbol: The exported function.
        externals: Runtime symbols it needs.
        triple, cpu, features: The machine it is for.
        llvm: Version of the compiler.
        abi: `OBJECT_VERSION` it was compiled against.
        data: The relocatable object.
        tensors: Its constant tensors, as positions in those of the entry point.
        shared: Its shared containers, as the IR numbers them, and their types.
        python: The Python version whose behaviour it has (`tscript.abi.python`); 0 if it does not matter.
    """

    types: tuple[Type, ...]
    result: Type
    symbol: str
    externals: tuple[str, ...]
    triple: str
    cpu: str
    features: str
    llvm: str
    abi: int
    data: bytes = field(repr=False)
    tensors: tuple[int, ...] = ()
    shared: tuple[tuple[int, Type], ...] = ()
    python: int = 0


@dataclass(frozen=True, slots=True)
class EntryPoint:
    """One function of an archive.

    Attributes:
        name: What `tscript run` and `load` call it.
        params, result: Its signature.
        doc: Its docstring.
        source: Canonical source.
        ir: Its program as IR text.
        ir_digest: sha256 of `ir`, in hex.
        native: Compiled specialisations.
        static: Positions of the parameters whose values take part in specialisation (``keepdim``).
        operators: Those it uses that are not built in.
        classes: What is kept of its classes; see `tscript.archive.classes`.
        types: Their types in this process, by the names they have in the archive.
        versions: The versions of the operators it uses; those that are not named are in their first.
        tensors: Its constant tensors, read-only; the IR names them by their positions.
        has_caches: Whether it uses caches, which are empty when it is loaded.
    """

    name: str
    params: tuple[Param, ...]
    result: Type
    doc: str
    source: str
    ir: str
    ir_digest: str
    native: tuple[NativeObject, ...] = ()
    static: tuple[int, ...] = ()
    operators: tuple[OperatorNeed, ...] = ()
    classes: tuple[Mapping[str, Any], ...] = ()
    types: Mapping[str, Type] = field(default_factory=dict)
    versions: Mapping[str, int] = field(default_factory=dict)
    tensors: tuple[np.ndarray[Any, Any], ...] = field(default=(), repr=False, compare=False)
    has_caches: bool = False

    def program(self, table: OperatorTable) -> Program:
        """The IR, parsed and verified.

        Raises:
            MissingOperatorError: It uses an operator that the table does not have.
            ArchiveError: It is not well-formed, uses what IR of an archive may not (raw memory), or has another
                signature than the manifest says.
        """
        from tscript.ir.explicit import make_explicit
        from tscript.ir.parser import IRSyntaxError, parse_program
        from tscript.ir.verifier import VerifyError, verify

        for need in self.operators:
            need.check(table)
        known = self._table(table)
        try:
            program = parse_program(self.ir, known, handles=self.tensors, classes=self.types, portable=True)
            _check_types(program, len(self.ir))
            verify(program, from_file=True)
        except (IRSyntaxError, VerifyError, ArchiveError) as error:
            raise ArchiveError(f"the IR of {self.name!r} is not valid: {shortened(str(error), 1000)}") from None
        except Exception as error:  # whatever IR makes the reader do, its user gets one kind of error
            raise ArchiveError(f"the IR of {self.name!r} cannot be read: {_shown(error)}") from error
        make_explicit(program)
        entry = program.entry
        given = _signature_json(self.params, self.result, self.tensors)
        if _signature_json(entry.params, entry.result, self.tensors) != given:
            raise ArchiveError(f"the IR of {self.name!r} has another signature than the manifest")
        return program

    def _table(self, table: OperatorTable) -> OperatorTable:
        try:
            return table.as_of(self.versions)
        except KeyError as error:
            raise ArchiveError(
                f"{error.args[0]}, which this tscript {__version__} does not know: "
                "install a later tscript, or compile the archive anew"
            ) from None


TYPE_RATIO = 16
"""Of the parts of the types of all values in IR to the characters of its text, allowing for `TYPE_FLOOR` parts."""
TYPE_FLOOR = 1 << 16


def _check_types(program: Program, length: int) -> None:
    """Refuse values whose types are out of proportion to the text: a short name can stand for a tuple of thousands.

    Raises:
        ArchiveError: They are.
    """
    allowed = TYPE_RATIO * length + TYPE_FLOOR
    parts = 0
    for graph in program.graphs.values():
        parts += graph.result.parts + sum(v.type.parts for v in graph.body.params)
        for node in walk(graph.body):
            parts += sum(v.type.parts for v in node.outputs)
            parts += sum(v.type.parts for block in node.blocks for v in block.params)
        if parts > allowed:
            raise ArchiveError(f"the types of its values have more than {allowed:,} parts in all")


def neutral_file_name(name: str) -> str:
    """What an archive calls a source file: its base name, so that equal sources give equal archives in any folder.

    Example:
        >>> neutral_file_name("models/digits.py"), neutral_file_name("<stdin>")
        ('digits.py', '<stdin>')
    """
    return name if name.startswith("<") else name.replace("\\", "/").rpartition("/")[2]


def entry_point(
    name: str,
    program: Program,
    source: str,
    doc: str = "",
    native: tuple[NativeObject, ...] = (),
    static: tuple[int, ...] = (),
) -> EntryPoint:
    """The entry point `name` for a checked `program`; its IR names source files by their base names."""
    from tscript.ir.printer import print_program

    handles: list[Any] = []
    text = print_program(program, spans=True, handles=handles, file_name=neutral_file_name)
    tensors = tuple(handle for handle in handles if not isinstance(handle, Shared))
    graph = program.entry
    digest = hashlib.sha256(text.encode()).hexdigest()
    used = {n.op.name: n.op for g in program.graphs.values() for n in walk(g.body) if isinstance(n, Op)}
    versions = {name: op.version for name, op in sorted(used.items()) if op.version > 1}
    needs = {
        name: OperatorNeed(name, str(op.schema), op.library.name, op.library.module, op.library.install)
        for name, op in used.items()
        if op.library is not None
    }
    operators = tuple(need for _, need in sorted(needs.items()))
    found = classes_of(program)
    classes = tuple(class_to_json(type, _value_json) for type in found)
    types = {str(type): type for type in found}
    return EntryPoint(
        name, graph.params, graph.result, doc, source, text, digest, native, static, operators, classes, types,
        versions,
        tensors, len(tensors) < len(handles),
    )  # fmt: skip


def refuse_python(name: str, program: Program) -> None:
    """Refuse to save what calls functions that stay in Python.

    Raises:
        ArchiveError: It does.
    """
    for graph in program.graphs.values():
        for node in walk(graph.body):
            if isinstance(node, Op) and node.op.name.startswith(PREFIX):
                called = node.op.name.removeprefix(PREFIX)
                raise ArchiveError(
                    f"'{name}' cannot be saved: {called}() stays in Python ({node.span.source.name}:{node.span.line}); "
                    "script it, or mark it @tscript.unused if what is saved never calls it"
                )


@dataclass(frozen=True, slots=True)
class Archive:
    """What a ``.tsa`` file holds.

    Attributes:
        entries: Entry points by name, in the order they were given.
        producer: Name and version of the writer.
        metadata: The user's own strings.
        extra: The user's own files by name.
        unused: Members that nothing in the archive names, as a later version may write them; kept for `tscript verify`
            to compare with their digests, and not written again.
    """

    entries: Mapping[str, EntryPoint]
    producer: str = f"tscript {__version__}"
    metadata: Mapping[str, str] = field(default_factory=dict)
    extra: Mapping[str, ExtraFile] = field(default_factory=dict)
    unused: Mapping[str, ExtraFile] = field(default_factory=dict, compare=False)


def pack(archive: Archive) -> bytes:
    """The file for `archive`. Equal archives give equal bytes.

    Raises:
        ArchiveError: A name breaks a rule, or there is more than a file can hold.
    """
    return b"".join(pack_parts(archive))


def pack_parts(archive: Archive) -> list[bytes]:
    """`pack` in parts to be written one after the other; extra files are parts as they are, not copies."""
    members: list[Member] = []
    entries: list[dict[str, Any]] = []
    index: list[dict[str, Any]] = []
    taken: set[str] = set()
    for entry in archive.entries.values():
        stem = _member_stem(entry.name, taken)
        code, ir = f"code/{stem}.py", f"ir/{stem}.tsir"
        members.append(Member(code, entry.source.encode()))
        members.append(Member(ir, entry.ir.encode()))
        tensors: list[dict[str, Any]] = []
        for array in entry.tensors:
            content = bytes_of(array)
            tensors.append(tensor_to_json(array, content))
            members.append(Member(tensors[-1]["member"], content, stored=True))
        entries.append(
            {
                "name": entry.name,
                "code": code,
                "ir": ir,
                "parameters": [_param_json(p, entry.tensors) for p in entry.params],
                "result": str(entry.result),
                "doc": entry.doc,
                "ir_digest": entry.ir_digest,
                "static": list(entry.static),
                **({"operators": [_need_json(need) for need in entry.operators]} if entry.operators else {}),
                **({"classes": list(entry.classes)} if entry.classes else {}),
                **({"operator_versions": dict(entry.versions)} if entry.versions else {}),
                **({"tensors": tensors} if tensors else {}),
                **({"caches": True} if entry.has_caches else {}),
            }
        )
        index += [_native_json(entry, native) for native in entry.native]
        members += [Member(_object_name(n), n.data, stored=True) for n in entry.native]
    if index:
        members.append(Member("native/index.json", _json(index)))
    distinct = {m.name: m for m in members}
    digests = {name: hashlib.sha256(m.data).hexdigest() for name, m in distinct.items()}
    for file in sorted(archive.extra.values(), key=lambda f: f.name):
        distinct[FOLDER + file.name] = Member(FOLDER + file.name, file.read(), stored=True)
        digests[FOLDER + file.name] = file.sha256
    manifest = {
        "format": "tscript",
        "format_version": list(FORMAT_VERSION),
        "required_features": [
            *([CLASSES] if any(e.classes for e in archive.entries.values()) else []),
            *([CUSTOM_OPERATORS] if any(e.operators for e in archive.entries.values()) else []),
            *([OPERATOR_VERSIONS] if any(e.versions for e in archive.entries.values()) else []),
            *([TENSORS] if any(e.tensors for e in archive.entries.values()) else []),
            *([CACHES] if any(e.has_caches for e in archive.entries.values()) else []),
        ],
        "producer": archive.producer,
        "entries": entries,
        "metadata": dict(sorted(archive.metadata.items())),
        "members": {name: {"sha256": digests[name], "size": len(m.data)} for name, m in sorted(distinct.items())},
    }
    return container_parts([Member("manifest.json", _json(manifest), stored=True), *distinct.values()])


def _member_stem(name: str, taken: set[str]) -> str:
    """The name of an entry point's members: its own, with a number where another one differs in case only."""
    stem = name
    while stem.casefold() in taken:
        stem = f"{name}~{len(taken)}"
    taken.add(stem.casefold())
    return stem


def write_archive(archive: Archive, path: str | os.PathLike[str]) -> None:
    """Write the file for `archive`, whole or not at all.

    Raises:
        ArchiveError: A name breaks a rule, or there is more than a file can hold.
        OSError: The file cannot be written; what was there stays.
    """
    write_atomically(path, pack_parts(archive))


def read_archive(
    path: str | os.PathLike[str],
    *,
    extra_files: MutableMapping[str, Any] | None = None,
    classes: Callable[[], Classes] = Apart,
) -> Archive:
    """Read the archive at `path` as `unpack` does. Extra files stay where they are until they are asked for.

    Args:
        path: The file.
        extra_files: Names of extra files to read at once, with placeholders, which are replaced; see `fill`.
        classes: Gives what its classes join; asked only when it has some.

    Raises:
        ArchiveError: As `unpack` does, and `fill`.
        TypeError: `extra_files` is no mapping as `fill` needs it.
        OSError: The file cannot be read.
    """
    name = os.fsdecode(path)
    with open_container(name) as container:
        archive = _archive(container, classes)
        if extra_files is not None:
            fill(extra_files, archive.extra, name)
        if isinstance(container.data, bytes):
            return archive
    where = os.path.abspath(name)
    extra = {n: replace(f, source=partial(_read_later, where, name, FOLDER + n, f)) for n, f in archive.extra.items()}
    unused = {n: replace(f, source=partial(_read_later, where, name, n, f)) for n, f in archive.unused.items()}
    return replace(archive, extra=extra, unused=unused)


def _read_later(where: str, path: str, member: str, file: ExtraFile) -> bytes:
    """The bytes of a member of an archive that was open before."""
    try:
        with open_container(where) as container:
            return _checked(container, member, file.sha256)
    except ArchiveError as error:
        raise ArchiveError(f"it was altered or replaced since it was loaded: {error.what}", path) from None


def unpack(data: bytes, path: str = "", *, classes: Callable[[], Classes] = Apart) -> Archive:
    """Read an archive. No code of it runs, no other file is touched, and IR is parsed only when asked for.

    Args:
        data: The whole file.
        path: Its name, for messages.
        classes: As in `read_archive`.

    Raises:
        ArchiveError: The file is damaged, breaks a rule of the format, or needs a later tscript.
    """
    return _archive(read_container(data, path), classes)


def _archive(container: Container, classes: Callable[[], Classes]) -> Archive:
    """What `container` holds; its extra files are read from it when they are asked for."""
    path = container.path
    if next(iter(container.entries)) != "manifest.json":
        raise ArchiveError("not a tscript archive (manifest.json is not the first member)", path)
    if container.entries["manifest.json"].is_deflated:
        raise ArchiveError("the manifest is deflated, which no writer does", path)
    try:
        manifest = _parse_json(container, "manifest.json")
        return _read(container, manifest, path, classes)
    except ArchiveError as error:
        raise error if error.path else ArchiveError(shortened(error.what, 1000), path) from None
    except OSError:
        raise
    except TypeLimitError as error:
        raise ArchiveError(f"the manifest is not valid: {error}", path) from None
    except Exception as error:  # whatever a manifest makes the reader do, its user gets one kind of error
        raise ArchiveError(f"the manifest is not valid: {_shown(error)}", path) from error


def _shown(error: Exception) -> str:
    if isinstance(error, MemoryError):
        return "it takes more memory than there is"
    return shortened(f"{type(error).__name__}: {error}", 300)


def _checked(container: Container, name: str, digest: str) -> bytes:
    """The bytes of a member, compared with its digest."""
    content = container.read(name)
    if hashlib.sha256(content).hexdigest() != digest:
        raise ArchiveError(f"member {name!r} was altered: its digest does not match the manifest", container.path)
    return content


def _read(container: Container, manifest: Any, path: str, classes: Callable[[], Classes]) -> Archive:
    if manifest["format"] != "tscript":
        raise ArchiveError(f"the manifest says format {shortened(repr(manifest['format']))}, expected 'tscript'", path)
    major, minor = map(int, manifest["format_version"])
    if major != FORMAT_VERSION[0]:
        raise ArchiveError(
            f"written in format {major}.{minor}, this tscript {__version__} reads format {FORMAT_VERSION[0]}: "
            "install a later tscript, or compile the archive anew",
            path,
        )
    if unknown := sorted(set(manifest["required_features"]) - FEATURES):
        raise ArchiveError(
            f"needs {shortened(', '.join(unknown))}, which this tscript {__version__} does not know", path
        )
    members = manifest["members"]
    if set(members) | {"manifest.json"} != set(container.entries):
        odd = sorted((set(members) | {"manifest.json"}) ^ set(container.entries))
        raise ArchiveError(f"the manifest and the members differ: {shortened(', '.join(odd), 600)}", path)
    if wrong := next((name for name in members if members[name]["size"] != container.entries[name].size), None):
        raise ArchiveError(f"member {wrong!r} has not the size that the manifest says", path)
    named = {"native/index.json"}
    for item in manifest["entries"]:
        named |= {item["ir"], item["code"], *(t["member"] for t in item.get("tensors", ()))}
    extra: dict[str, ExtraFile] = {}
    unused: dict[str, ExtraFile] = {}
    for name, record in members.items():
        digest = text_of(record["sha256"])
        file = ExtraFile(
            name.removeprefix(FOLDER), container.entries[name].size, digest, partial(_checked, container, name, digest)
        )
        if name.startswith(FOLDER):
            extra[file.name] = file
        elif name not in named and not name.startswith(NATIVE_FOLDER):
            unused[name] = file
    read = _Members(container, members)
    specs = [c for item in manifest["entries"] for c in item.get("classes", ())]
    types = restore(specs, _value_from, classes()) if specs else {}
    natives: dict[tuple[str, str], list[Any]] = {}
    if "native/index.json" in members:
        for item in parse_json(read.content("native/index.json"), "native/index.json", path, len(container.data)):
            natives.setdefault((item["entry"], item["ir_digest"]), []).append(item)
            read.content(item["object"])
    entries: dict[str, EntryPoint] = {}
    for item in manifest["entries"]:
        entry = _entry(item, read, types, natives)
        if entry.name in entries:
            raise ArchiveError(f"the entry point {entry.name!r} occurs twice", path)
        entries[entry.name] = entry
    if not entries:
        raise ArchiveError("it has no entry point", path)
    unused |= {n: read.file(n) for n in members if n.startswith(NATIVE_FOLDER) and n not in read.known}
    metadata = checked_metadata({text_of(k): text_of(v) for k, v in manifest["metadata"].items()})
    return Archive(entries, text_of(manifest["producer"]), metadata, extra, unused)


def _version(value: object) -> int:
    if type(value) is not int or not 0 < value < 1 << 31:
        raise ValueError(f"{value!r} is not a version of an operator")
    return value


class _Members:
    """Members that entry points name, each read and decoded once however often it is named.

    Attributes:
        known: The bytes of those read so far.
    """

    def __init__(self, container: Container, records: Mapping[str, Any]) -> None:
        self._container = container
        self._records = records
        self._texts: dict[str, tuple[str, str]] = {}
        self.known: dict[str, bytes] = {}

    def file(self, name: str) -> ExtraFile:
        """A member that is read when it is asked for."""
        digest = text_of(self._records[name]["sha256"])
        size = self._container.entries[name].size
        return ExtraFile(name, size, digest, partial(_checked, self._container, name, digest))

    def content(self, name: str) -> bytes:
        """The bytes of a member.

        Raises:
            ArchiveError: There is no such member, or it is damaged.
        """
        if name not in self.known:
            if name not in self._records:
                raise ArchiveError(f"the manifest names a member {shortened(name)!r}, which is missing")
            self.known[name] = self.file(name).read()
        return self.known[name]

    def text(self, name: str) -> tuple[str, str]:
        """The text of a member, and its digest in hex."""
        if name not in self._texts:
            content = self.content(name)
            try:
                self._texts[name] = content.decode(), hashlib.sha256(content).hexdigest()
            except UnicodeDecodeError as error:
                raise ArchiveError(f"member {name!r} is not UTF-8 text (byte {error.start})") from None
            del self.known[name]
        return self._texts[name]


def _entry(
    item: Any, read: _Members, types: Mapping[str, Type], natives: Mapping[tuple[str, str], Sequence[Any]]
) -> EntryPoint:
    """The entry point of one record of the manifest."""
    name = text_of(item["name"])
    if not name.isidentifier():
        raise ArchiveError(f"the name of entry point {shortened(name)!r} is not an identifier")
    ir, digest = read.text(item["ir"])
    if digest != item["ir_digest"]:
        raise ArchiveError(f"the IR of {name!r} was altered: its digest does not match the manifest")
    tensors = tuple(restore_tensor(t, read.content(text_of(t["member"]))) for t in item.get("tensors", ()))
    params = tuple(_param_from(p, types, tensors) for p in item["parameters"])
    if len({p.name for p in params}) < len(params):
        raise ArchiveError(f"two parameters of {name!r} have one name")
    # Object code names classes: where they are called otherwise in this process it is of no use.
    fitting = () if renamed(types) else natives.get((name, digest), ())
    return EntryPoint(
        name,
        params,
        language_type(item["result"], types),
        text_of(item["doc"]),
        read.text(item["code"])[0],
        ir,
        digest,
        tuple(_native_from(n, read, types, len(tensors)) for n in fitting),
        _static(item["static"], name, params),
        tuple(_need_from(n) for n in item.get("operators", ())),
        tuple(item.get("classes", ())),
        types,
        {text_of(k): _version(v) for k, v in item.get("operator_versions", {}).items()},
        tensors,
        item.get("caches") is True,
    )


def _static(positions: Any, name: str, params: Sequence[Param]) -> tuple[int, ...]:
    """The positions of parameters whose values take part in specialisation."""
    for i in positions:
        if type(i) is not int or not 0 <= i < len(params) or params[i].type not in (BOOL, INT, FLOAT):
            raise ArchiveError(f"position {i!r} under 'static' of {name!r} is not that of a parameter that is a number")
    if len(set(positions)) < len(positions):
        raise ArchiveError(f"a position occurs twice under 'static' of {name!r}")
    return tuple(positions)


def _json(value: Any) -> bytes:
    return (json.dumps(value, indent=1, sort_keys=True, ensure_ascii=False) + "\n").encode()


def _parse_json(container: Container, name: str) -> Any:
    return parse_json(container.read(name), name, container.path, len(container.data))


_TAGS: tuple[tuple[type, str, Callable[[Any], Any], Callable[[Any], Any]], ...] = (
    (bool, "bool", bool, bool),
    (int, "int", str, number_of),
    (float, "float", float.hex, float.fromhex),
    (str, "str", str, text_of),
    (DType, "dtype", lambda d: d.name, lambda name: dtypes.BY_NAME[name]),
    (tuple, "tuple", lambda t: [_value_json(v) for v in t], tuple),
    (type(None), "None", lambda _: None, lambda _: None),
)
"""Constants of defaults: Python type, tag, to JSON, from JSON. Integers and floats are texts, so that no reader
rounds."""


def _value_json(value: object, tensors: Sequence[np.ndarray[Any, Any]] = ()) -> list[Any]:
    for i, known in enumerate(tensors):
        if known is value:
            return ["tensor", str(i)]
    if isinstance(value, EnumMember):
        return ["member", [str(value.type), value.name]]
    for kind, tag, to_json, _ in _TAGS:
        if type(value) is kind:
            return [tag, to_json(value)]
    raise ArchiveError(f"a default of type {type(value).__name__} cannot be kept in an archive")


MAX_DEPTH = 32
"""Tuples inside each other in a default."""


def _value_from(
    item: Any, tensors: Sequence[np.ndarray[Any, Any]] = (), depth: int = 0, types: Mapping[str, Type] | None = None
) -> object:
    tag, value = item
    if depth > MAX_DEPTH:
        raise ArchiveError(f"a default with more than {MAX_DEPTH} levels")
    if tag == "tuple":
        return tuple(_value_from(v, tensors, depth + 1, types) for v in value)
    if tag == "member":
        enum, name = value
        if not isinstance(type := language_type(enum, types or {}), EnumType) or name not in type.info.members:
            raise ArchiveError(f"a default is {shortened(str(name))!r}, no member of {shortened(str(enum))}")
        return EnumMember(type, name)
    if tag == "tensor":
        number = number_of(value)
        if not 0 <= number < len(tensors):
            raise ArchiveError(f"a default is tensor {number} of {len(tensors)}")
        return tensors[number]
    for _, known, _, from_json in _TAGS:
        if tag == known:
            return from_json(value)
    raise ArchiveError(f"unknown kind of constant {tag!r}")


def _param_json(param: Param, tensors: Sequence[np.ndarray[Any, Any]]) -> dict[str, Any]:
    out: dict[str, Any] = {"name": param.name, "type": str(param.type)}
    if param.default is not REQUIRED:
        out["default"] = _value_json(param.default, tensors)
    if param.keyword_only:
        out["keyword_only"] = True
    if param.positional_only:
        out["positional_only"] = True
    if param.variadic:
        out["variadic"] = True
    return out


def _signature_json(params: Sequence[Param], result: Type, tensors: Sequence[np.ndarray[Any, Any]]) -> object:
    """A signature in a form that compares equal exactly when it is the same (``nan`` and ``-0.0`` included)."""
    return [[_param_json(p, tensors) for p in params], str(result)]


def _param_from(item: Any, types: Mapping[str, Type], tensors: Sequence[np.ndarray[Any, Any]]) -> Param:
    default = _value_from(item["default"], tensors, 0, types) if "default" in item else REQUIRED
    flags = [bool(item.get(flag, False)) for flag in ("keyword_only", "positional_only", "variadic")]
    name = text_of(item["name"])
    if not name.isidentifier():
        raise ArchiveError(f"the name of a parameter {shortened(name)!r} is not an identifier")
    return Param(name, language_type(item["type"], types), default, *flags)


def _need_json(need: OperatorNeed) -> dict[str, str]:
    return {f: getattr(need, f) for f in ("name", "schema", "library", "module", "install")}


def _need_from(item: Any) -> OperatorNeed:
    return OperatorNeed(*(text_of(item[f]) for f in ("name", "schema", "library", "module", "install")))


def _object_name(native: NativeObject) -> str:
    return f"native/{native.triple}/{hashlib.sha256(native.data).hexdigest()[:32]}.o"


def _native_json(entry: EntryPoint, native: NativeObject) -> dict[str, Any]:
    return {
        "entry": entry.name,
        "ir_digest": entry.ir_digest,
        "object": _object_name(native),
        "types": [str(t) for t in native.types],
        "result": str(native.result),
        "symbol": native.symbol,
        "externals": list(native.externals),
        "triple": native.triple,
        "cpu": native.cpu,
        "features": native.features,
        "llvm": native.llvm,
        "abi": native.abi,
        "python": native.python,
        **({"tensors": list(native.tensors)} if native.tensors else {}),
        **({"shared": [[number, str(type)] for number, type in native.shared]} if native.shared else {}),
    }


def _native_from(item: Any, read: _Members, types: Mapping[str, Type], count: int) -> NativeObject:
    tensors = tuple(item.get("tensors", ()))
    if any(type(i) is not int or not 0 <= i < count for i in tensors):
        raise ArchiveError(f"an object names constant tensors that its function, which has {count}, does not")
    return NativeObject(
        tuple(language_type(t, types) for t in item["types"]),
        language_type(item["result"], types),
        text_of(item["symbol"]),
        tuple(text_of(s) for s in item["externals"]),
        text_of(item["triple"]),
        text_of(item["cpu"]),
        text_of(item["features"]),
        text_of(item["llvm"]),
        int(item["abi"]),
        read.content(item["object"]),
        tensors,
        tuple((int(number), language_type(text_of(type), types)) for number, type in item.get("shared", ())),
        int(item.get("python", 0)),
    )
