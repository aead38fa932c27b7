"""All operators of tensors as users know them: what ``tscript ops`` prints, and pages and stubs are made of."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from tscript.definitions.absent import REQUIRED
from tscript.definitions.opdef import Composite, Kernel, OpDef, Pointwise
from tscript.definitions.schema import Parameter, Schema
from tscript.definitions.table import OperatorTable
from tscript.late import dataclass
from tscript.types import DType

KINDS: tuple[tuple[type, str], ...] = (
    (Pointwise, "pointwise: fuses with others"),
    (Composite, "composite: its parts fuse with others"),
    (Kernel, "kernel"),
)
"""How operators are implemented."""


@dataclass(frozen=True, slots=True)
class Operator:
    """An operator under all its names.

    Attributes:
        name: As PyTorch calls it, below ``torch``: ``sum``, ``nn.functional.pad``; ``Tensor.view`` for a method alone.
        functions: Paths below `tscript`.
        methods: Names of the methods and attributes of tensors.
        in_place: Name of the in-place method, or empty.
        out: Whether it takes ``out=``.
        overloads: What it can be called with.
        kind: How it is implemented, one of `KINDS`.
    """

    name: str
    functions: tuple[str, ...]
    methods: tuple[str, ...]
    in_place: str
    out: bool
    overloads: tuple[OpDef, ...]
    kind: str

    @property
    def summary(self) -> str:
        """What it does, in a line."""
        return self.overloads[0].doc.partition("\n")[0]

    @property
    def signatures(self) -> tuple[str, ...]:
        """Its overloads as Python writes them, under its name."""
        return tuple(
            dict.fromkeys(signature(op.schema, self.name, out=op.names.out is not None) for op in self.overloads)
        )

    def as_json(self) -> dict[str, Any]:
        """As ``tscript ops --json`` prints it."""
        return {
            "name": self.name,
            "summary": self.summary,
            "functions": [f"tscript.{path}" for path in self.functions],
            "methods": list(self.methods),
            "in_place": self.in_place or None,
            "out": self.out,
            "implementation": self.kind.partition(":")[0],
            "overloads": [
                {"schema": str(op.schema), "signature": text, "doc": op.doc}
                for op, text in ((op, signature(op.schema, self.name, out=False)) for op in self.overloads)
            ],
        }


def catalogue(table: OperatorTable) -> list[Operator]:
    """The operators that functions and methods of tensors reach, by name. In-place methods are part of the operator
    whose name they have.

    Example:
        >>> from tscript.operators.table import TABLE
        >>> found = {op.name: op for op in catalogue(TABLE)}
        >>> found["linalg.vector_norm"].functions, found["sigmoid"].in_place
        (('linalg.vector_norm',), 'sigmoid_')
    """
    by_name: dict[str, list[OpDef]] = {}
    for op in table.operators:
        if op.schema.namespace == "" and _tensor_paths(op.names.paths):
            by_name.setdefault(op.schema.name, []).append(op)
    return sorted(_operators(by_name), key=lambda op: (op.name.count("."), op.name.lower()))


def _tensor_paths(paths: Iterable[str]) -> list[str]:
    return [path for path in paths if path.startswith(("torch.", "tscript.", "Tensor."))]


def _operators(by_name: Mapping[str, list[OpDef]]) -> Iterator[Operator]:
    for name, overloads in by_name.items():
        if name.endswith("_") and name[:-1] in by_name:
            continue
        paths = dict.fromkeys(path for op in overloads for path in _tensor_paths(op.names.paths))
        functions = tuple(path.partition(".")[2] for path in paths if not path.startswith("Tensor."))
        methods = tuple(path.removeprefix("Tensor.") for path in paths if path.startswith("Tensor."))
        stored = by_name.get(f"{name}_", [])
        in_place = [path for op in stored for path in op.names.paths if path.startswith("Tensor.")]
        first = [path.removeprefix("torch.") for path in paths if path.startswith("torch.")]
        own = min(first, key=lambda p: (p.count(".") > 0, p.rpartition(".")[2] != name)) if first else ""
        yield Operator(
            own or (functions[0] if functions else f"Tensor.{methods[0]}"),
            functions,
            methods,
            in_place[0].removeprefix("Tensor.") if in_place else "",
            any(op.names.out is not None for op in overloads),
            tuple(overloads),
            next((text for kind, text in KINDS if isinstance(overloads[0].implementation, kind)), "structural"),
        )


def signature(schema: Schema, name: str, *, out: bool) -> str:
    """A schema as Python writes it.

    Example:
        >>> from tscript.definitions.schema import parse_schema
        >>> signature(parse_schema("sum.dim(Tensor self, int[1]? dim, bool keepdim=False) -> Tensor"), "sum", out=True)
        'sum(input, dim, keepdim=False, *, out=None) -> Tensor'
    """
    parts: list[str] = []
    starred = False
    for i, p in enumerate(schema.parameters):
        if p.keyword_only and not starred:
            parts.append("*")
            starred = True
        shown = "input" if i == 0 and p.name == "self" and not name.startswith("Tensor.") else p.name
        parts.append(shown + ("" if p.default is REQUIRED else f"={default_of(p)}"))
    if out:
        parts += ["out=None"] if starred else ["*", "out=None"]
    return f"{name}({', '.join(parts)}) -> {schema.result}"


def default_of(parameter: Parameter) -> str:
    """The default of a parameter as Python writes it."""
    value = parameter.default
    return f"tscript.{value.name}" if isinstance(value, DType) else repr(value)
