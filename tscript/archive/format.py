"""The archive format, version 1: which members a ``.tsa`` file has and what stands in them.

::

    manifest.json             first: format, producer, list of functions, classes, digests of all members
    functions/records.jsonl   signatures of the functions
    functions/code.py         canonical source of each and all it calls
    functions/ir.tsir         their typed IR (portable: what any machine compiles from)
    native/index.json         the native objects and what each was compiled for
    native/kernels.json       the kernels that these objects need, for each machine
    native/<triple>/<key>.o   relocatable objects
    tensors/<key>.bin         elements of constant tensors
    constants/values.json     modules and their attributes
    constants/tensors.safetensors   the memory of their tensors
    extra/<name>              the user's own files

Everything is JSON or text but the objects and the user's files; nothing in a file is run by reading it. A reader
accepts its own major version and every feature it knows the name of. `pack` and `unpack` are inverse; `pack` is
reproducible.

All members are compared with their digests in the manifest: extra files when they are read, tensors that are mapped
when `tscript verify` or ``load(verify=True)`` asks for it, the others when the archive is read. Archives from before
functions lay in three members have ``code/<entry>.py`` and ``ir/<entry>.tsir``, and their records in the manifest.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Mapping, MutableMapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from tscript._version import __version__
from tscript.abi.dispatch import PREFIX
from tscript.archive.classes import MODULE, Apart, Classes, class_to_json, methods_in, renamed, restore
from tscript.archive.container import (
    Container,
    FileData,
    Member,
    container_parts,
    open_container,
    read_container,
)
from tscript.archive.extra import FOLDER, ExtraFile, checked_metadata, fill
from tscript.archive.functions import (
    FUNCTIONS,
    PARTS,
    Known,
    check_name,
    check_version,
    entry_from,
    functions_from,
    functions_json,
    record_json,
)
from tscript.archive.given import Given, write_to
from tscript.archive.modules import VALUES, modules_from, values_json
from tscript.archive.naming import Names, in_class, in_default, in_text
from tscript.archive.tensors import FOLDER as TENSORS_FOLDER
from tscript.archive.tensors import bytes_of, tensor_to_json
from tscript.archive.text import parse_json
from tscript.archive.weights import WEIGHTS, Weights, aligned, read_header
from tscript.definitions.shared import Shared
from tscript.diagnostics.archives import ArchiveError
from tscript.ir.classes import classes_of
from tscript.ir.graph import Node, Op, Program, walk
from tscript.late import replace
from tscript.types.parsing import shortened

if TYPE_CHECKING:
    pass
from tscript.archive.entries import (
    NATIVE_FOLDER,
    Archive,
    EntryPoint,
    Kernels,
    NativeObject,
    OperatorNeed,
    as_archive_errors,
)
from tscript.archive.manifest import (
    Members,
    checked,
    json_bytes,
    json_of,
    kernels_from,
    kernels_json,
    native_json,
    object_name,
)
from tscript.ir.signatures import param_json, text_of, value_from, value_json

FORMAT_VERSION = (1, 0)

INDEX = f"{NATIVE_FOLDER}index.json"
KERNELS = f"{NATIVE_FOLDER}kernels.json"
"""The lists of native objects and of kernels. Versions that know no kernels in archives leave theirs alone."""

CUSTOM_OPERATORS = "custom-operators"
"""The feature of archives that use operators that are not built in."""

CLASSES = "classes"
"""The feature of archives with classes, enums or named tuples."""

OPERATOR_VERSIONS = "operator-versions"
"""The feature of archives that use operators of later versions than the first."""

TENSORS = "tensors"
"""The feature of archives with constant tensors."""

CACHES = "caches"
VERSIONS = "versions"
"""The feature of archives with functions that have caches."""

MODULES = "modules"
"""The feature of archives of modules."""

FEATURES: frozenset[str] = frozenset(
    {FUNCTIONS, CUSTOM_OPERATORS, CLASSES, OPERATOR_VERSIONS, TENSORS, CACHES, VERSIONS, MODULES}
)
"""Names a manifest may list under ``required_features``."""


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
    names: Names | None = None,
) -> EntryPoint:
    """The entry point `name` for a checked `program`; its IR names source files by their base names.

    Args:
        name: Its name.
        program: Its program.
        source: Its canonical source.
        doc: Its docstring.
        native: Its native objects.
        static: See `EntryPoint`.
        names: What the archive calls classes; None: as this process does.
    """
    from tscript.ir.printer import print_program

    handles: list[Any] = []
    program = _neutral(program)
    text = print_program(program, spans=True, handles=handles, file_name=neutral_file_name)
    tensors = tuple(handle for handle in handles if not isinstance(handle, Shared))
    graph = program.entry
    found = classes_of(program)
    others = {} if names is None else names.others(found)
    text = in_text(text, others)
    digest = hashlib.sha256(text.encode()).hexdigest()
    used = {n.op.name: n.op for g in program.graphs.values() for n in walk(g.body) if isinstance(n, Op)}
    versions = {name: op.version for name, op in sorted(used.items()) if op.version > 1}
    needs = {
        name: OperatorNeed(name, str(op.schema), op.library.name, op.library.module, op.library.install)
        for name, op in used.items()
        if op.library is not None
    }
    operators = tuple(need for _, need in sorted(needs.items()))
    classes = tuple(in_class(class_to_json(type, value_json), others) for type in found)
    types = {others.get(str(type), str(type)): type for type in found}
    written = None
    if others:
        parameters = [param_json(p, tensors) for p in graph.params]
        for p in parameters:
            p["type"] = in_text(p["type"], others)
            if "default" in p:
                p["default"] = in_default(p["default"], others)
        written = parameters, in_text(str(graph.result), others)
    return EntryPoint(
        name, graph.params, graph.result, doc, source, text, digest, native, static, operators, classes, types,
        versions,
        tensors, len(tensors) < len(handles), written=written,
    )  # fmt: skip


def _neutral(program: Program) -> Program:
    """A program whose warnings name source files by their base names."""
    if not any(isinstance(n, Op) and n.op.name == "warn" for g in program.graphs.values() for n in walk(g.body)):
        return program
    from tscript.ir.cloning import clone_graph
    from tscript.ir.rewrite import erase, rewrite, use_counts

    named: set[Node | None] = set()
    program = Program(program.main, [clone_graph(graph) for graph in program.graphs.values()])

    def visit(node: Node, builder: Any) -> None:
        if isinstance(node, Op) and node.op.name == "warn" and isinstance(node.inputs[3].constant, str):
            named.add(node.inputs[3].node)
            node.inputs[3] = builder.const(neutral_file_name(node.inputs[3].constant))

    for graph in program.graphs.values():
        rewrite(graph.body, visit)
        counts = use_counts(graph.body)
        erase(graph.body, [node for node in named if node is not None and not counts.get(node.outputs[0])])
    return program


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


def pack(archive: Archive) -> bytes:
    """The file for `archive`. Equal archives give equal bytes.

    Raises:
        ArchiveError: A name breaks a rule, or there is more than a file can hold.
    """
    return b"".join(pack_parts(archive))


def pack_parts(archive: Archive) -> list[bytes | memoryview]:
    """`pack` in parts to be written one after the other; extra files are parts as they are, not copies."""
    members: list[Member] = []
    records: list[dict[str, Any]] = []
    index: list[dict[str, Any]] = []
    modules = archive.modules
    specs: dict[str, Any] = {} if modules is None else {spec["name"]: spec for spec in modules.specs}
    described = set(specs)
    for entry in archive.entries.values():
        tensors: list[dict[str, Any]] = []
        for array in entry.tensors:
            content = bytes_of(array)
            tensors.append(tensor_to_json(array, content))
            members.append(Member(tensors[-1]["member"], content, stored=True))
        own = [c for c in entry.classes if c["name"] not in described]
        for spec in own:
            if specs.setdefault(spec["name"], spec) != spec:
                raise ArchiveError(f"two classes of its functions are called {spec['name']}")
        records.append(record_json(entry, tensors, [c["name"] for c in own]))
        index += [native_json(entry, native) for native in entry.native]
        members += [Member(object_name(n.triple, n.data), n.data, stored=True) for n in entry.native]
    listed, parts = functions_json(list(archive.entries.values()), records)
    members = [*(Member(name, data) for name, data in parts.items()), *members]
    if index:
        members.append(Member(INDEX, json_bytes(index)))
    if archive.kernels:
        members.append(Member(KERNELS, json_bytes([kernels_json(k) for k in archive.kernels])))
        members += [
            Member(object_name(k.triple, kernel.data), kernel.data, stored=True)
            for k in archive.kernels
            for kernel in k.kernels.values()
        ]
    if modules is not None:
        members.append(Member(VALUES, json_bytes(values_json(modules))))
        members.append(Member(WEIGHTS, modules.weights.content, stored=True))
    distinct = {m.name: m for m in members}
    digests = {name: hashlib.sha256(m.data).hexdigest() for name, m in distinct.items()}
    for file in sorted(archive.extra.values(), key=lambda f: f.name):
        distinct[FOLDER + file.name] = Member(FOLDER + file.name, file.read(), stored=True)
        digests[FOLDER + file.name] = file.sha256
    manifest = {
        "format": "tscript",
        "format_version": list(FORMAT_VERSION),
        "required_features": [
            FUNCTIONS,
            *([CLASSES] if any(e.classes for e in archive.entries.values()) else []),
            *([CUSTOM_OPERATORS] if any(e.operators for e in archive.entries.values()) else []),
            *([OPERATOR_VERSIONS] if any(e.versions for e in archive.entries.values()) else []),
            *([TENSORS] if any(e.tensors for e in archive.entries.values()) else []),
            *([CACHES] if any(e.has_caches for e in archive.entries.values()) else []),
            *([VERSIONS] if any(e.version_of for e in archive.entries.values()) else []),
            *([MODULES] if modules is not None else []),
        ],
        "producer": archive.producer,
        "functions": listed,
        **({"classes": list(specs.values())} if specs else {}),
        "metadata": dict(sorted(archive.metadata.items())),
        "members": {name: {"sha256": digests[name], "size": len(m.data)} for name, m in sorted(distinct.items())},
    }
    return container_parts([Member("manifest.json", json_bytes(manifest), stored=True), *distinct.values()])


def write_archive(archive: Archive, path: str | os.PathLike[str] | BinaryIO) -> None:
    """Write the file for `archive`, whole or not at all; or write to a binary file object.

    Raises:
        TypeError: It is neither.
        ArchiveError: A name breaks a rule, or there is more than a file can hold.
        OSError: The file cannot be written; what was there stays.
    """
    write_to(path, pack_parts(archive))


def read_archive(
    path: str | os.PathLike[str] | Given,
    *,
    extra_files: MutableMapping[str, Any] | None = None,
    classes: Callable[[], Classes] = Apart,
) -> Archive:
    """Read the archive at `path` as `unpack` does. Extra files stay where they are until they are asked for.

    Args:
        path: The file, or what a file object held.
        extra_files: Names of extra files to read at once, with placeholders, which are replaced; see `fill`.
        classes: Gives what its classes join; asked only when it has some.

    Raises:
        ArchiveError: As `unpack` does, and `fill`.
        TypeError: `extra_files` is no mapping as `fill` needs it.
        OSError: The file cannot be read.
    """
    given = Given.of(path)
    name = given.name
    if given.content is not None:
        archive = unpack(given.content, name, classes=classes)
        if extra_files is not None:
            fill(extra_files, archive.extra, name)
        return archive
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
            return checked(container, member, file.sha256)
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
    with as_archive_errors("the manifest", path):
        return _read(container, json_of(container, "manifest.json"), path, classes)


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
    features = set(manifest["required_features"])
    is_indexed = FUNCTIONS in features
    older = () if is_indexed else manifest["entries"]
    read_later = (NATIVE_FOLDER, TENSORS_FOLDER) if is_indexed and TENSORS in features else (NATIVE_FOLDER,)
    named = {INDEX, KERNELS, VALUES, *(PARTS if is_indexed else ())}
    for item in older:
        named |= {item["ir"], item["code"], *(t["member"] for t in item.get("tensors", ()))}
    extra: dict[str, ExtraFile] = {}
    unused: dict[str, ExtraFile] = {}
    for name, record in members.items():
        digest = text_of(record["sha256"])
        file = ExtraFile(
            name.removeprefix(FOLDER), container.entries[name].size, digest, partial(checked, container, name, digest)
        )
        if name.startswith(FOLDER):
            extra[file.name] = file
        elif name not in named and not name.startswith(read_later):
            unused[name] = file
    read = Members(container, members)
    listed = manifest.get("classes", ())
    specs = [*listed, *(c for item in older for c in item.get("classes", ()))]
    code = ""
    if MODULES in features:
        code = "".join(members[part]["sha256"] for part in PARTS) if is_indexed else _digest(older)
    types = restore(specs, value_from, classes(), code) if specs else {}
    natives: dict[tuple[str, str], list[Any]] = {}
    if INDEX in members:
        for item in parse_json(read.content(INDEX), INDEX, path, len(container.data)):
            natives.setdefault((item["entry"], item["ir_digest"]), []).append(item)
            read.content(item["object"])
    kernels: tuple[Kernels, ...] = ()
    if KERNELS in members:
        brought = parse_json(read.content(KERNELS), KERNELS, path, len(container.data))
        kernels = tuple(kernels_from(item, read) for item in brought)
    by_name = {spec["name"]: spec for spec in specs}
    shared = [spec for spec in listed if spec["kind"] == MODULE]
    known = Known(read, types, by_name, shared, natives, renamed(types), path, len(container.data))
    entries: Mapping[str, EntryPoint]
    if is_indexed:
        for name in members if TENSORS in features else ():
            if name.startswith(TENSORS_FOLDER):
                read.memory(name)
        entries, digests, versions = functions_from(manifest["functions"], known)
    else:
        entries = _older_entries(older, known)
        digests = {entry.name: entry.ir_digest for entry in entries.values()}
        versions = {entry.name: entry.version_of for entry in entries.values() if entry.version_of}
    unused |= {n: read.file(n) for n in members if n.startswith(NATIVE_FOLDER) and n not in read.known}
    unused |= {n: read.file(n) for n in read.mapped}
    methods = methods_in((spec for spec in specs if spec["kind"] != MODULE), digests)
    metadata = checked_metadata({text_of(k): text_of(v) for k, v in manifest["metadata"].items()})
    modules = None
    if MODULES in features:
        values = parse_json(read.content(VALUES), VALUES, path, len(container.data))
        weights = _weights(container, text_of(members[WEIGHTS]["sha256"]))
        modules = modules_from(shared, values, weights, types, digests, code)
    read.close()
    needs = CUSTOM_OPERATORS in features
    producer = text_of(manifest["producer"])
    return Archive(
        entries, producer, metadata, extra, kernels, unused, modules, types, tuple(specs), versions, methods, needs
    )


def _digest(value: Any) -> str:
    return hashlib.sha256((json.dumps(value, indent=1, sort_keys=True, ensure_ascii=False) + "\n").encode()).hexdigest()


def _older_entries(items: Sequence[Any], known: Known) -> dict[str, EntryPoint]:
    """The functions of an archive whose manifest has their records."""
    entries: dict[str, EntryPoint] = {}
    for item in items:
        check_name(item["name"])
        ir, digest = known.read.text(item["ir"])
        if digest != item["ir_digest"]:
            raise ArchiveError(f"the IR of {item['name']!r} was altered: its digest does not match the manifest")
        code = known.read.text(item["code"])[0]
        entry = entry_from(item, code, ir, (*known.shared, *item.get("classes", ())), known)
        if entry.name in entries:
            raise ArchiveError(f"the entry point {entry.name!r} occurs twice")
        entries[entry.name] = entry
    if not entries:
        raise ArchiveError("it has no entry point")
    for entry in entries.values():
        first = entries.get(entry.version_of or entry.name)
        if first is None or first.version_of:
            raise ArchiveError(f"{entry.name!r} is no version of {shortened(repr(entry.version_of))}")
        check_version(entry, first)
    return entries


def _weights(container: Container, digest: str) -> Weights:
    """The memory of the tensors of modules: that of a large file is mapped."""
    entry, data = container.entries[WEIGHTS], container.data
    if entry.is_deflated:
        raise ArchiveError(f"member {WEIGHTS!r} is deflated, which no writer does")
    pages = data.mapped(entry.start, entry.size) if isinstance(data, FileData) else None
    content = aligned(container.read(WEIGHTS)) if pages is None else np.frombuffer(pages, np.uint8)
    pieces, start = read_header(content, entry.size, container.path, len(data))
    return Weights(pieces, content, start, digest, pages is not None)
