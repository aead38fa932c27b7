"""Modules of an archive: their classes in the manifest, their attributes in ``constants/values.json``.

The manifest lists classes: types of attributes, constants, and for each method the entry point that is its code, whose
first parameter is the module. The values list modules, each with its class and its attributes; the first one is the
root. Modules, tensors and classes are named by number or name, so one that stands in several places stays one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from tscript.archive.tagged import Decoding
from tscript.archive.weights import Weights
from tscript.diagnostics.archives import ArchiveError
from tscript.ir.signatures import text_of
from tscript.late import dataclass
from tscript.once import LateTable, once
from tscript.types import ClassType, Type
from tscript.types.parsing import shortened

VALUES = "constants/values.json"

KINDS = ("module", "list", "dict")
"""What modules are: those that are called, and containers of others, whose members are read by index or name."""

ROLES = ("parameter", "requires_grad", "buffer", "transient")
"""What may be said of a tensor besides where it lies."""


@dataclass(frozen=True, slots=True)
class ModuleClass:
    """A class of modules.

    Attributes:
        name: Of its type in the archive.
        title: Of the class that it was made of.
        kind: Of `KINDS`.
        doc: Its docstring.
        parameters, buffers, modules: Names of attributes, in order.
        transient: Names of buffers that are not part of the state dict.
        stored: Names of attributes that its methods assign.
        members: Names of what it holds, if it is a container.
        constants: Attributes that are constants of its code, as JSON.
        methods: Names of entry points by those of the methods.
        properties: The same of properties.
        docs: Docstrings by the names of entry points.
    """

    name: str
    title: str
    kind: str
    doc: str
    parameters: tuple[str, ...]
    buffers: tuple[str, ...]
    modules: tuple[str, ...]
    transient: frozenset[str]
    stored: frozenset[str]
    members: tuple[str, ...]
    constants: Mapping[str, Any]
    methods: Mapping[str, str]
    properties: Mapping[str, str]
    docs: Mapping[str, str]


@dataclass(frozen=True, eq=False)
class Modules:
    """The modules of an archive.

    Attributes:
        specs: What the manifest says of their classes.
        classes: The same, by name.
        instances: Classes and attributes of the modules, as JSON; the first one is the root.
        tensors: Where tensors lie and what they are, as JSON.
        weights: The memory they lie in.
        key: Stands for the code of all methods: equal ones are the same.
    """

    specs: tuple[Mapping[str, Any], ...]
    classes: Mapping[str, ModuleClass]
    instances: tuple[tuple[str, Mapping[str, Any]], ...]
    tensors: tuple[Mapping[str, Any], ...]
    weights: Weights
    key: str = ""

    @once
    def paths(self) -> list[str]:
        """Where each module stands, by the shortest path; the root has an empty one."""
        found: list[str | None] = [None] * len(self.instances)
        if found:
            found[0] = ""
        pending = [0] if found else []
        while pending:
            at = pending.pop(0)
            for name, item in self.instances[at][1].items():
                inner = item.get("module") if isinstance(item, dict) else None
                if type(inner) is int and 0 <= inner < len(found) and found[inner] is None:
                    found[inner] = f"{found[at]}.{name}" if found[at] else name
                    pending.append(inner)
        return [f"#{i}" if path is None else path for i, path in enumerate(found)]

    def arrays(self) -> list[Any]:
        """The elements of all tensors, over the memory they lie in.

        Raises:
            ArchiveError: One does not lie there; the message has the path of its attribute.
        """
        array = self.weights.array
        return [array(item, partial(self._place, i)) for i, item in enumerate(self.tensors)]

    def _place(self, number: int) -> str:
        """The path of the first attribute that is a tensor, for messages."""
        for path, (_, attributes) in zip(self.paths, self.instances, strict=True):
            for name, item in attributes.items():
                if isinstance(item, dict) and type(found := item.get("tensor")) is int and found == number:
                    return f"the tensor {shortened(repr(f'{path}.{name}' if path else name), 200)}"
        return f"tensor {number}"

    def decoded(
        self, types: Mapping[str, Type], tensors: Sequence[object], module: Callable[[int], object]
    ) -> list[dict[str, Any]]:
        """The attributes of all modules.

        Args:
            types: The classes of the archive.
            tensors: By number.
            module: Returns a module by number; there are as many as instances.

        Raises:
            ArchiveError: A value is none; the message has the path of its attribute.
        """

        def inside(number: int) -> object:
            if number >= len(self.instances):
                raise ArchiveError(f"it is module {number} of {len(self.instances)}")
            return module(number)

        def tensor(number: int) -> object:
            if number >= len(tensors):
                raise ArchiveError(f"it is tensor {number} of {len(tensors)}")
            return tensors[number]

        decoding = Decoding(types, tensor, inside)
        out: list[dict[str, Any]] = []
        for path, (_, attributes) in zip(self.paths, self.instances, strict=True):
            values: dict[str, Any] = {}
            for name, item in attributes.items():
                try:
                    values[name] = decoding.value(item)
                except ArchiveError as error:
                    where = shortened(repr(f"{path}.{name}" if path else name), 200)
                    raise ArchiveError(f"member {VALUES!r}: the attribute {where}: {error.what}") from None
            out.append(values)
        return out


def class_json(cls: ModuleClass, spec: Mapping[str, Any], digests: Mapping[str, str]) -> dict[str, Any]:
    """What the manifest says of a class.

    Args:
        cls: The class.
        spec: What `class_to_json` says of its type.
        digests: Of the IR of entry points.
    """

    def code(entries: Mapping[str, str]) -> dict[str, Any]:
        return {
            name: [entry, digests[entry], *([cls.docs[entry]] if cls.docs.get(entry) else [])]
            for name, entry in entries.items()
        }

    return {
        **spec,
        "kind": "module",
        "module": "",
        "path": "",
        "title": cls.title,
        "container": cls.kind,
        "doc": cls.doc,
        "parameters": list(cls.parameters),
        "buffers": list(cls.buffers),
        "modules": list(cls.modules),
        "transient": sorted(cls.transient),
        "stored": sorted(cls.stored),
        "members": list(cls.members),
        "constants": dict(cls.constants),
        "methods": code(cls.methods),
        "properties": code(cls.properties),
    }


def class_from(spec: Any, digests: Mapping[str, str]) -> ModuleClass:
    """The class that a manifest describes.

    Args:
        spec: What it says.
        digests: Of the IR of entry points, by name.

    Raises:
        ArchiveError: It has no such code, or names attributes twice.
    """
    name = text_of(spec["name"])

    def names(key: str) -> tuple[str, ...]:
        return tuple(text_of(n) for n in spec[key])

    docs: dict[str, str] = {}

    def code(key: str) -> dict[str, str]:
        out: dict[str, str] = {}
        for method, (entry, digest, *doc) in spec[key].items():
            if not text_of(method).isidentifier() or (method[:2] == "__" and method[-2:] == "__"):
                raise ArchiveError(f"{shortened(repr(method))} is not the name of a method of {shortened(name)}")
            if digests.get(text_of(entry)) != digest:
                raise ArchiveError(f"the code of {shortened(method)}() of {shortened(name)} is not in the archive")
            out[method] = entry
            if doc:
                docs[entry] = text_of(doc[0])
        return out

    if spec["container"] not in KINDS:
        raise ArchiveError(f"{shortened(name)} is a {shortened(repr(spec['container']))}, which no module is")
    parts = [*names("parameters"), *names("buffers"), *names("modules")]
    if len(set(parts)) < len(parts):
        raise ArchiveError(f"an attribute of {shortened(name)} is named twice")
    title = text_of(spec["title"])
    if not title.isidentifier():
        raise ArchiveError(f"{shortened(repr(title))} is not the name of a class")
    return ModuleClass(
        name, title, spec["container"], text_of(spec["doc"]),
        names("parameters"), names("buffers"), names("modules"),
        frozenset(names("transient")), frozenset(names("stored")), names("members"),
        {text_of(n): v for n, v in spec["constants"].items()}, code("methods"), code("properties"), docs,
    )  # fmt: skip


def values_json(modules: Modules) -> dict[str, Any]:
    """What ``constants/values.json`` says."""
    return {
        "modules": [{"class": name, "attributes": dict(values)} for name, values in modules.instances],
        "tensors": [dict(item) for item in modules.tensors],
    }


def modules_from(
    specs: Sequence[Any],
    values: Any,
    weights: Weights,
    types: Mapping[str, Type],
    digests: Mapping[str, str],
    key: str,
) -> Modules:
    """The modules of an archive.

    Args:
        specs: What the manifest says of their classes.
        values: What ``constants/values.json`` says.
        weights: The memory of the tensors.
        types: The classes of the archive.
        digests: Of the IR of entry points.
        key: See `Modules`.

    Raises:
        ArchiveError: They do not fit each other; the message has the path of the module.
    """
    # Those of equal archives were read before, and are made once.
    classes = LateTable({text_of(spec["name"]): partial(class_from, spec, digests) for spec in specs})
    # Names of attributes are those of the class, or refused below.
    instances = tuple((text_of(m["class"]), m["attributes"]) for m in values["modules"])
    tensors = tuple(values["tensors"])
    found = Modules(tuple(specs), classes, instances, tensors, weights, key)
    roles = set(ROLES)
    for item in tensors:
        if not isinstance(item, dict) or not roles.issuperset(item.get("flags", ())):
            raise ArchiveError(f"member {VALUES!r}: {shortened(repr(item), 100)} describes no tensor")
    for path, (name, attributes) in zip(found.paths, instances, strict=True):
        where = f"member {VALUES!r}: the module {shortened(repr(path), 200)}"
        type = types.get(name)
        if name not in classes or not isinstance(type, ClassType):
            raise ArchiveError(f"{where} is of the class {shortened(repr(name))}, which is not in the archive")
        if attributes.keys() != type.info.fields.keys():
            odd = ", ".join(sorted(attributes.keys() ^ type.info.fields.keys()))
            raise ArchiveError(f"{where} has other attributes than its class: {shortened(odd, 200)}")
    return found
