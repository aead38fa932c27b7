"""Operator schemas in aten syntax:
``sum.dim(Tensor self, int[1] dim, bool keepdim=False, *, dtype? dtype=None) -> Tensor``."""

from __future__ import annotations

import ast
import re
from functools import cache

from tscript.definitions.absent import REQUIRED
from tscript.late import dataclass
from tscript.types import dtypes

KINDS = frozenset(
    {"Tensor", "Scalar", "int", "float", "bool", "str", "dtype", "None", "Any"}
    | {"Tensor[]", "int[]", "int[1]", "Tensor?", "Scalar?", "int?", "float?", "bool?", "int[]?", "int[1]?", "dtype?"}
    | {"float[]", "bytes", "list", "dict", "set", "table", "object", "self", "T", "K", "V", "complex", "Generator"}
    | {"str?", "bytes?", "list[T]", "list[int]", "list[self]", "type"}
    | {"Device", "Device?", "layout", "layout?", "memory_format", "memory_format?", "Generator?"}
)
"""Types a parameter may have. ``int[1]`` also takes a plain int; ``Scalar`` is int, float or bool; ``Any`` only in
structural, machine and native operators, whose type rules decide. ``T`` is the element of the first argument (a list or
a set), ``K`` and ``V`` the key and the value of the dict that it is (of a set the element and None), ``self`` its own
type. ``list``, ``dict``, ``set``, ``table`` (a dict or a set) and ``object`` leave open of what; ``type`` is a type, a
constant."""

OPEN = frozenset({"list", "dict", "set", "table", "object"})
"""Kinds that say nothing of the elements: the first parameter's, whose type the others depend on, or a type rule's."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of an operator.

    Attributes:
        name: PyTorch's name.
        kind: One of `KINDS`.
        default: A constant, or `REQUIRED`.
        keyword_only: Whether it stands behind ``*``.
        written: Whether the operator writes to it (``Tensor(a!) self``).
    """

    name: str
    kind: str
    default: object = REQUIRED
    keyword_only: bool = False
    written: bool = False

    @property
    def is_optional(self) -> bool:
        """Whether None is a value of it."""
        return self.kind.endswith("?")


@dataclass(frozen=True, slots=True)
class Schema:
    """Name, overload, parameters and result of an operator. A result of several tensors may name them:
    ``(Tensor values, Tensor indices)``."""

    name: str
    overload: str
    parameters: tuple[Parameter, ...]
    result: str

    @property
    def namespace(self) -> str:
        """``mylib`` of ``mylib::name``; empty for the operators that are built in."""
        return self.name.rpartition("::")[0]

    @property
    def result_names(self) -> tuple[str, ...]:
        """The names of the results; none where they have none."""
        parts = [part.split() for part in self.result.strip("()").split(",")]
        return tuple(part[1] for part in parts if len(part) == 2)

    @property
    def makes_tensors(self) -> bool:
        """Whether the results are tensors, one or several."""
        return all(part.split()[:1] == ["Tensor"] for part in self.result.strip("()").split(","))

    @property
    def qualified_name(self) -> str:
        """``name`` or ``name.overload``."""
        return f"{self.name}.{self.overload}" if self.overload else self.name

    def __str__(self) -> str:
        out: list[str] = []
        star = False
        for p in self.parameters:
            if p.keyword_only and not star:
                out.append("*")
                star = True
            kind = p.kind.replace("Tensor", "Tensor(a!)", 1) if p.written else p.kind
            out.append(f"{kind} {p.name}" + ("" if p.default is REQUIRED else f"={p.default!r}"))
        return f"{self.qualified_name}({', '.join(out)}) -> {self.result}"


_HEAD = re.compile(
    r"^(?P<name>(?:[A-Za-z_]\w*::)?[A-Za-z_]\w*)(?:\.(?P<overload>\w+))?\((?P<params>.*)\)\s*->\s*(?P<result>.+)$"
)


def parse_schema(text: str) -> Schema:
    """Read a schema.

    Args:
        text: In aten syntax; the part behind the dot of the name is the overload.

    Raises:
        ValueError: The text is not a schema.

    Example:
        >>> str(parse_schema("clamp(Tensor self, Scalar? min=None, Scalar? max=None) -> Tensor"))
        'clamp(Tensor self, Scalar? min=None, Scalar? max=None) -> Tensor'
    """
    head = _HEAD.match(text.strip())
    if head is None:
        raise ValueError(f"not an operator schema: {text!r}")
    params: list[Parameter] = []
    keyword_only = False
    for part in _split(head["params"]):
        if part == "*":
            keyword_only = True
        else:
            try:
                params.append(_parameter(part, keyword_only))
            except ValueError as error:
                raise ValueError(f"parameter {part!r} of {text!r}: {error}") from None
    return Schema(head["name"], head["overload"] or "", tuple(params), head["result"].strip())


@cache
def _parameter(text: str, keyword_only: bool) -> Parameter:
    """One parameter; few hundred texts make up all schemas."""
    declared, _, default = text.partition("=")
    kind, _, name = declared.strip().rpartition(" ")
    written = "!" in kind
    kind = re.sub(r"\(\w!?\)", "", kind) if "(" in kind else kind
    if kind not in KINDS or not name.isidentifier():
        raise ValueError(f"unknown type {kind!r}")
    return Parameter(name, kind, _default(default) if default else REQUIRED, keyword_only, written)


def _split(text: str) -> list[str]:
    if "=[" not in text and "=(" not in text:
        return [p for part in text.split(",") if (p := part.strip())]
    parts, depth, start = [], 0, 0
    for i, c in enumerate(text):
        depth += (c in "([") - (c in ")]")
        if c == "," and depth == 0:
            parts.append(text[start:i].strip())
            start = i + 1
    return [p for p in [*parts, text[start:].strip()] if p]


def _default(text: str) -> object:
    text = text.strip()
    if text in dtypes.BY_NAME:
        return dtypes.BY_NAME[text]
    value = ast.literal_eval(text)
    return tuple(value) if isinstance(value, list) else value
