"""The functions of an archive in three members, so that what nobody calls costs one line of an index.

::

    functions/records.jsonl   signatures and all else that is said of a function, one in each line
    functions/code.py         canonical source, one function behind the other
    functions/ir.tsir         typed IR, one program behind the other

The manifest lists the functions in the order of these members: name, digest of the IR, and how many bytes each has of
the three. So parts neither overlap nor leave gaps, whatever a file says. Members are compared with their digests when
an archive is read; the record of a function is parsed, and its part of the IR compared, when it is first asked for.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from tscript.archive.entries import EntryPoint, OperatorNeed, as_archive_errors
from tscript.archive.manifest import Members, native_from, need_from, need_json
from tscript.archive.tensors import PlainArrays
from tscript.archive.tensors import restore as restore_tensor
from tscript.archive.text import parse_json
from tscript.diagnostics.archives import ArchiveError
from tscript.ir.graph import Param
from tscript.ir.signatures import language_type, param_from, param_json, text_of
from tscript.late import dataclass
from tscript.once import LateTable
from tscript.types import BOOL, FLOAT, INT, Type
from tscript.types.parsing import shortened

FUNCTIONS = "functions"
"""The feature of archives whose functions lie in three members, and the key of their list in the manifest."""

RECORDS, CODE, IR = PARTS = ("functions/records.jsonl", "functions/code.py", "functions/ir.tsir")


@dataclass(frozen=True, slots=True)
class Known:
    """What the records of functions refer to.

    Attributes:
        read: The members.
        types: The types of the classes, by their names in the archive.
        specs: What the manifest says of classes, by name.
        shared: The same of those that every function has: the classes of modules.
        natives: Native objects of functions, by name and digest of the IR.
        are_renamed: Whether a class has another name in this process.
        path: The file, for messages.
        size: Bytes of the file.
    """

    read: Members
    types: Mapping[str, Type]
    specs: Mapping[str, Any]
    shared: Sequence[Any]
    natives: Mapping[tuple[str, str], Sequence[Any]]
    are_renamed: bool
    path: str
    size: int


def record_json(entry: EntryPoint, tensors: Sequence[Any], classes: Sequence[str]) -> dict[str, Any]:
    """What the record of a function says.

    Args:
        entry: The function.
        tensors: What is said of its constant tensors.
        classes: The names of its classes, those of modules left out.
    """
    parameters, result = entry.written or ([param_json(p, entry.tensors) for p in entry.params], str(entry.result))
    optional = {
        "doc": entry.doc,
        "static": list(entry.static),
        "operators": [need_json(need) for need in entry.operators],
        "classes": list(classes),
        "operator_versions": dict(entry.versions),
        "tensors": list(tensors),
        "caches": entry.has_caches,
    }
    return {"parameters": parameters, "result": result, **{k: v for k, v in optional.items() if v}}


def functions_json(
    entries: Sequence[EntryPoint], records: Sequence[Mapping[str, Any]]
) -> tuple[list[list[Any]], dict[str, bytes]]:
    """The list of functions for the manifest, and the three members by name."""
    parts: dict[str, list[bytes]] = {name: [] for name in PARTS}
    listed: list[list[Any]] = []
    for entry, record in zip(entries, records, strict=True):
        line = json.dumps(record, separators=(",", ":"), sort_keys=True, ensure_ascii=False) + "\n"
        found = [line.encode(), entry.source.encode(), entry.ir.encode()]
        for name, part in zip(PARTS, found, strict=True):
            parts[name].append(part)
        more = [entry.version_of] if entry.version_of else []
        listed.append([entry.name, entry.ir_digest, *map(len, found), *more])
    return listed, {name: b"".join(part) for name, part in parts.items()}


def functions_from(
    listed: Sequence[Any], known: Known
) -> tuple[Mapping[str, EntryPoint], dict[str, str], dict[str, str]]:
    """The functions that a manifest lists, each read at its first use.

    Returns:
        The functions, the digests of their IR, and the names of those that some are versions of, by name.

    Raises:
        ArchiveError: Names, sizes or versions are wrong. An entry raises it at its first use, if its record is.
    """
    texts = {name: known.read.content(name) for name in PARTS}
    at = dict.fromkeys(PARTS, 0)
    make: dict[str, Callable[[], EntryPoint]] = {}
    digests: dict[str, str] = {}
    versions: dict[str, str] = {}
    for name, digest, *rest in listed:
        check_name(name)
        sizes, more = rest[:3], rest[3:]
        if any(type(n) is not int or n < 0 for n in sizes) or len(sizes) < 3 or len(more) > 1:
            raise ArchiveError(f"the place of {name!r} is not valid")
        if name in make:
            raise ArchiveError(f"the entry point {name!r} occurs twice")
        places: list[tuple[int, int]] = []
        for part, size in zip(PARTS, sizes, strict=True):
            places.append((at[part], at[part] + size))
            at[part] += size
        version_of = text_of(more[0]) if more else ""
        if version_of:
            versions[name] = version_of
        make[name] = partial(_entry, name, digest, version_of, texts, places, known)
        digests[name] = digest
    if not make:
        raise ArchiveError("it has no entry point")
    for part, end in at.items():
        if end != len(texts[part]):
            raise ArchiveError(f"member {part!r} has {len(texts[part]):,} bytes, its functions {end:,}")
    entries = LateTable(make)
    for name, first in versions.items():
        if first not in make or first in versions:
            raise ArchiveError(f"{name!r} is no version of {shortened(repr(first))}")
        check_version(entries[name], entries[first])
    return entries, digests, versions


def check_name(name: Any) -> None:
    """Refuse what is no name of a function.

    Raises:
        ArchiveError: It is none.
    """
    if not text_of(name).isidentifier():
        raise ArchiveError(f"the name of entry point {shortened(name)!r} is not an identifier")


def check_version(entry: EntryPoint, first: EntryPoint) -> None:
    """Refuse what is no version of a function.

    Raises:
        ArchiveError: It has other parameters.
    """
    if [p.name for p in first.params] != [p.name for p in entry.params]:
        raise ArchiveError(f"{entry.name!r} is no version of {shortened(repr(entry.version_of))}")


def _entry(
    name: str, digest: str, version_of: str, texts: Mapping[str, bytes], places: Sequence[tuple[int, int]], known: Known
) -> EntryPoint:
    """The function that lies at these places."""
    with as_archive_errors(f"what is said of {name!r}", known.path):
        record, code, ir = (texts[part][start:stop] for part, (start, stop) in zip(PARTS, places, strict=True))
        if hashlib.sha256(ir).hexdigest() != digest:
            raise ArchiveError(f"the IR of {name!r} was altered: its digest does not match the manifest")
        item = parse_json(record, f"the record of {name!r}", known.path, known.size)
        own = [known.specs[text_of(c)] for c in item.get("classes", ())]
        return entry_from(
            {**item, "name": name, "ir_digest": digest, "version_of": version_of},
            _text(code, CODE), _text(ir, IR), (*known.shared, *own), known,
        )  # fmt: skip


def _text(content: bytes, member: str) -> str:
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        raise ArchiveError(f"member {member!r} is not UTF-8 text (byte {error.start})") from None


def entry_from(item: Any, code: str, ir: str, classes: tuple[Any, ...], known: Known) -> EntryPoint:
    """The function of a record.

    Args:
        item: The record.
        code: Its canonical source.
        ir: Its IR, which has the digest that the record says.
        classes: What is said of its classes.
        known: What the record refers to.

    Raises:
        ArchiveError: The record is wrong; so do other exceptions.
    """
    name, digest, types = item["name"], item["ir_digest"], known.types
    tensors = tuple(restore_tensor(t, known.read.memory(text_of(t["member"]))) for t in item.get("tensors", ()))
    given = PlainArrays(tensors)
    params = tuple(param_from(p, types, given) for p in item["parameters"])
    tensors = tuple(given)
    if len({p.name for p in params}) < len(params):
        raise ArchiveError(f"two parameters of {name!r} have one name")
    # Object code names classes: where they are called otherwise in this process it is of no use.
    fitting = () if known.are_renamed else known.natives.get((name, digest), ())
    needs: tuple[OperatorNeed, ...] = tuple(need_from(n) for n in item.get("operators", ()))
    return EntryPoint(
        name,
        params,
        language_type(item["result"], types),
        text_of(item.get("doc", "")),
        code,
        ir,
        digest,
        tuple(native_from(n, known.read, types, len(tensors)) for n in fitting),
        _static(item.get("static", ()), name, params),
        needs,
        classes,
        types,
        {text_of(k): _version(v) for k, v in item.get("operator_versions", {}).items()},
        tensors,
        item.get("caches") is True,
        text_of(item.get("version_of", "")),
        (item["parameters"], item["result"]) if known.are_renamed else None,
    )


def _version(value: object) -> int:
    if type(value) is not int or not 0 < value < 1 << 31:
        raise ValueError(f"{value!r} is not a version of an operator")
    return value


def _static(positions: Any, name: str, params: Sequence[Param]) -> tuple[int, ...]:
    """The positions of parameters whose values take part in specialisation."""
    for i in positions:
        if type(i) is not int or not 0 <= i < len(params) or params[i].type not in (BOOL, INT, FLOAT):
            raise ArchiveError(f"position {i!r} under 'static' of {name!r} is not that of a parameter that is a number")
    if len(set(positions)) < len(positions):
        raise ArchiveError(f"a position occurs twice under 'static' of {name!r}")
    return tuple(positions)
