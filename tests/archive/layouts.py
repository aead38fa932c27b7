"""Archives taken apart and put together again, with digests that fit: for tests that change what is in them.

Both layouts of functions look the same here: the manifest has ``entries``, each with the members of its source and its
IR, as in archives from before functions lay in three members.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Container
from typing import Any

from tscript.archive.container import Member, container_bytes, read_container
from tscript.archive.functions import FUNCTIONS, PARTS

_INDEX = ("name", "code", "ir", "ir_digest", "version_of")
_FEATURE = f"-{FUNCTIONS}"
"""Stands among the features where the functions of a manifest lay in three members."""


def opened(data: bytes) -> tuple[Any, dict[str, bytes]]:
    """The manifest of an archive, and its other members."""
    container = read_container(data)
    members = {n: container.read(n) for n in container.entries}
    manifest = json.loads(members.pop("manifest.json"))
    if "functions" not in manifest:
        return manifest, members
    specs = {spec["name"]: spec for spec in manifest.pop("classes", ())}
    modules = [spec for spec in specs.values() if spec["kind"] == "module"]
    texts = [members.pop(name) for name in PARTS]
    for name in PARTS:
        del manifest["members"][name]
    manifest["entries"] = []
    at = [0, 0, 0]
    for name, digest, *rest in manifest.pop("functions"):
        record, code, ir = (text[start : start + n] for text, start, n in zip(texts, at, rest[:3], strict=True))
        at = [start + n for start, n in zip(at, rest[:3], strict=True)]
        entry = {"doc": "", "static": [], **json.loads(record), "name": name, "ir_digest": digest}
        if "classes" in entry:
            entry["classes"] = [json.loads(json.dumps(specs[c])) for c in entry["classes"]]
        if rest[3:]:
            entry["version_of"] = rest[3]
        for key, member, text in (("code", f"code/{name}.py", code), ("ir", f"ir/{name}.tsir", ir)):
            entry[key] = member
            members[member] = text
            manifest["members"][member] = {"sha256": "", "size": len(text)}
        manifest["entries"].append(entry)
    if modules:
        manifest["classes"] = modules
    manifest["required_features"][manifest["required_features"].index(FUNCTIONS)] = _FEATURE
    return manifest, members


def sealed(manifest: Any, members: dict[str, bytes], *, stored: Container[str] = ()) -> bytes:
    """An archive whose digests all fit, in the layout that `opened` found, if the manifest allows it.

    Args:
        manifest: As `opened` gave it, with changes.
        members: The others.
        stored: Those that are not deflated.
    """
    features = manifest.get("required_features") if isinstance(manifest, dict) else None
    if isinstance(features, list) and _FEATURE in features:
        manifest = {**manifest, "required_features": [f for f in features if f != _FEATURE]}
        indexed = _indexed(manifest, dict(members))
        manifest, members = indexed or (manifest, members)
    if isinstance(manifest, dict):
        entries = manifest.get("entries")
        for entry in entries if isinstance(entries, list) else ():
            if isinstance(entry, dict) and isinstance(entry.get("ir"), str) and entry["ir"] in members:
                entry["ir_digest"] = hashlib.sha256(members[entry["ir"]]).hexdigest()
        if isinstance(manifest.get("members"), dict):
            digests = {n: {"sha256": hashlib.sha256(d).hexdigest(), "size": len(d)} for n, d in members.items()}
            manifest["members"] = digests
    first = Member("manifest.json", json.dumps(manifest).encode(), stored=True)
    return container_bytes([first, *(Member(n, d, stored=n in stored) for n, d in members.items())])


def rebuilt(data: bytes, change: Callable[[Any, dict[str, bytes]], None]) -> bytes:
    """The archive with `change` made to its manifest and members."""
    manifest, members = opened(data)
    change(manifest, members)
    return sealed(manifest, members)


def _indexed(manifest: dict[str, Any], members: dict[str, bytes]) -> tuple[dict[str, Any], dict[str, bytes]] | None:
    """The layout of three members; None if something is so wrong that these cannot be made."""
    specs: dict[Any, Any] = {}
    parts: list[list[bytes]] = [[], [], []]
    listed: list[Any] = []
    try:
        for spec in manifest.get("classes", ()):
            specs[spec["name"]] = spec
        used = {entry[key] for entry in manifest["entries"] for key in ("code", "ir")}
        for entry in manifest["entries"]:
            record = {key: value for key, value in entry.items() if key not in _INDEX}
            if "classes" in record:
                if any(specs.setdefault(c["name"], c) != c for c in record["classes"]):
                    return None
                record["classes"] = [c["name"] for c in record["classes"]]
            found = [json.dumps(record).encode() + b"\n", members[entry["code"]], members[entry["ir"]]]
            for part, text in zip(parts, found, strict=True):
                part.append(text)
            more = [entry["version_of"]] if "version_of" in entry else []
            listed.append([entry["name"], hashlib.sha256(found[2]).hexdigest(), *map(len, found), *more])
        kept = {n: d for n, d in members.items() if n not in used}
    except (KeyError, TypeError, AttributeError, UnicodeEncodeError):
        return None
    others = {key: value for key, value in manifest.items() if key not in ("entries", "classes")}
    others["functions"] = listed
    others["required_features"] = [*others["required_features"], FUNCTIONS]
    if specs:
        others["classes"] = list(specs.values())
    joined = {name: b"".join(part) for name, part in zip(PARTS, parts, strict=True)}
    return others, {**joined, **kept}
