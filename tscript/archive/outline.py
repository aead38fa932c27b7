"""What an archive holds of its modules, as a tree: classes, tensors, attributes. Nothing is made of them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

from tscript.archive.modules import Modules
from tscript.archive.torchscript.values import TensorData
from tscript.late import dataclass, field
from tscript.types import dtypes


@dataclass(frozen=True, slots=True)
class TensorOutline:
    """A tensor of a module.

    Attributes:
        name: Of the attribute.
        dtype: Its name.
        shape: Its sizes.
        role: ``parameter``, ``buffer`` or nothing.
        identity: Stands for the tensor: one that stands in several places has the same one there.
        storage: Stands for the memory it lies in; None if it has no elements.
    """

    name: str
    dtype: str
    shape: tuple[int, ...]
    role: str
    identity: object
    storage: object

    @property
    def numel(self) -> int:
        """How many elements it has."""
        return math.prod(self.shape)

    @property
    def nbytes(self) -> int:
        """Their bytes."""
        return self.numel * dtypes.BY_NAME[self.dtype].itemsize


@dataclass(frozen=True, slots=True)
class ModuleOutline:
    """A module.

    Attributes:
        path: Where it stands; the root has an empty one.
        title: The name of its class.
        tensors: Its parameters, buffers and other tensors.
        attributes: Names of its other attributes, without modules.
        methods: Functions by the names of its methods.
    """

    path: str
    title: str
    tensors: tuple[TensorOutline, ...] = ()
    attributes: tuple[str, ...] = ()
    methods: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Size:
    """What modules hold, with all modules inside them. A tensor that stands in several places counts once.

    Attributes:
        parameters: Elements of parameters.
        nbytes: Bytes of all tensors.
    """

    parameters: int
    nbytes: int


def outline_of(modules: Modules) -> Iterator[ModuleOutline]:
    """The modules of an archive, in its order."""
    for path, (name, attributes) in zip(modules.paths, modules.instances, strict=True):
        cls = modules.classes[name]
        tensors = tuple(
            _tensor(key, value["tensor"], modules.tensors[value["tensor"]])
            for key, value in attributes.items()
            if isinstance(value, dict) and "tensor" in value
        )
        others = tuple(
            key
            for key, value in attributes.items()
            if not (isinstance(value, dict) and {"tensor", "module"} & value.keys())
        )
        yield ModuleOutline(path, cls.title, tensors, others, dict(cls.methods))


def _tensor(name: str, number: int, item: Any) -> TensorOutline:
    flags = item.get("flags", ())
    role = next((r for r in ("parameter", "buffer") if r in flags), "")
    return TensorOutline(name, item["dtype"], tuple(item["sizes"]), role, number, item["storage"])


def tensor_outline(name: str, data: TensorData, role: str) -> TensorOutline:
    """A tensor of a model of TorchScript.

    Args:
        name: Of the attribute.
        data: What the archive says of it.
        role: See `TensorOutline`.
    """
    return TensorOutline(name, data.storage.dtype.name, data.size, role, id(data), data.storage)


def in_order(modules: Sequence[ModuleOutline]) -> list[ModuleOutline]:
    """Each module, then those inside it."""
    inside: dict[str | None, list[ModuleOutline]] = {}
    for module in modules:
        inside.setdefault(module.path.rpartition(".")[0] if module.path else None, []).append(module)
    out: list[ModuleOutline] = []
    pending = inside.pop(None, [])[::-1]
    while pending:
        module = pending.pop()
        out.append(module)
        pending += inside.pop(module.path, [])[::-1]
    return [*out, *(module for rest in inside.values() for module in rest)]


def sizes_of(modules: Sequence[ModuleOutline]) -> dict[str, Size]:
    """What each module holds with all inside it, by path."""
    held: dict[str, dict[object, TensorOutline]] = {module.path: {} for module in modules}
    for module in modules:
        parts = module.path.split(".") if module.path else []
        for count in range(len(parts) + 1):
            around = held.get(".".join(parts[:count]))
            if around is not None:
                around.update((tensor.identity, tensor) for tensor in module.tensors)
    return {
        path: Size(
            sum(t.numel for t in tensors.values() if t.role == "parameter"), sum(t.nbytes for t in tensors.values())
        )
        for path, tensors in held.items()
    }


__all__ = ["ModuleOutline", "Size", "TensorOutline", "in_order", "outline_of", "sizes_of", "tensor_outline"]
