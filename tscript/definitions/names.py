"""The names by which users reach an operator, said where it is defined.

They are dotted paths: ``torch.linalg.norm`` and ``torch.nn.functional.pad`` are functions, ``Tensor.sum`` is a method
or an attribute, ``math.sqrt`` one of Python's module, ``tscript.view`` a function that PyTorch does not have. A
function of PyTorch is also one of `tscript`, by its path and, but for windows and masked ones, by its last name alone
(`tscript.definitions.operator_names`).
"""

from __future__ import annotations

from enum import Enum

from tscript.definitions.schema import Schema
from tscript.late import dataclass

SPACES: tuple[str, ...] = ("torch", "tscript", "Tensor", "math")
"""What the path of a name begins with."""

_TENSORS = frozenset({"Tensor", "Tensor[]"})

_KEYWORDS: dict[str, tuple[str, ...]] = {"dim": ("axis",), "keepdim": ("keepdims",), "other": ("x2",)}
"""Other names that PyTorch accepts for a parameter of every operator."""


class Out(Enum):
    """Which dtypes the tensors may have that a call names with ``out=``."""

    SAME = "same"
    """That of the result."""
    CAST = "cast"
    """Any that the result can be cast to: it is converted."""
    DTYPE = "dtype"
    """Any: the result has it, as if the call named it with ``dtype=``. Where the call does, that of the result."""


NO_OUT = "out=no"
_OUTS = {f"out={out.value}": out for out in Out}

_RECEIVER = ("input", "x", "a", "x1")
"""The same for `self`, where the operator is a function."""


@dataclass(frozen=True, slots=True)
class Names:
    """The names of an operator.

    Attributes:
        paths: See the module.
        keywords: Other names of parameters: what a call may say, and the parameter that it means.
        out: How a call may name the tensors that the results are written to, ``out=y``; None where it may not.
    """

    paths: tuple[str, ...] = ()
    keywords: tuple[tuple[str, str], ...] = ()
    out: Out | None = None


NO_NAMES = Names()
"""Of operators that nobody calls by name."""


def parse_names(schema: Schema, text: str | None = None, out: Out = Out.SAME) -> Names:
    """Read the names of an operator.

    Args:
        schema: Of the operator.
        text: Names with spaces between: a path, ``F.relu`` for ``torch.nn.functional.relu``, or a plain name: a
            function of `torch`, and a method where the first parameter is a ``Tensor``. ``axis0=dim0`` is another name
            of a parameter, ``out=no`` says that there is no ``out=``: by default a function of `torch`, but for
            ``torch.nn``, that makes tensors has it. ``out=same``, ``out=cast`` and ``out=dtype`` say how, see `Out`.
            Left out, an operator that takes or makes tensors has its plain name.
        out: How ``out=`` is, where the names do not say: with a parameter ``dtype``, `Out.DTYPE` unless this is
            `Out.CAST`.

    Raises:
        ValueError: A path begins with something else, or a keyword is that of no parameter.

    Example:
        >>> from tscript.definitions.schema import parse_schema
        >>> parse_names(parse_schema("abs(Tensor self) -> Tensor"), "abs absolute").paths
        ('torch.abs', 'Tensor.abs', 'torch.absolute', 'Tensor.absolute')
    """
    if text is None:
        kinds = {p.kind for p in schema.parameters[:1]}
        text = schema.name if schema.result == "Tensor" or kinds & _TENSORS else ""
    paths: list[str] = []
    keywords: list[tuple[str, str]] = []
    if out is Out.SAME and any(p.name == "dtype" for p in schema.parameters):
        out = Out.DTYPE
    allowed = schema.makes_tensors and not any(p.written for p in schema.parameters)
    for name in text.split():
        alias, equals, parameter = name.partition("=")
        if name == NO_OUT:
            allowed = False
        elif name in _OUTS:
            out = _OUTS[name]
        elif equals:
            keywords.append((alias, parameter))
        elif "." not in name:
            paths += (f"{place}.{name}" for place in _places(schema))
        else:
            paths.append(f"torch.nn.functional.{name[2:]}" if name.startswith("F.") else name)
    declared = [p.name for p in schema.parameters]
    wrong = [path for path in paths if path.partition(".")[0] not in SPACES]
    wrong += [f"{alias}={parameter}" for alias, parameter in keywords if parameter not in declared]
    if wrong:
        raise ValueError(f"the names of {schema.qualified_name}: {wrong[0]!r} is none")
    allowed = allowed and any(p.startswith("torch.") and not p.startswith("torch.nn.") for p in paths)
    return Names(tuple(paths), (*keywords, *_known_keywords(schema, paths)), out if allowed else None)


def _places(schema: Schema) -> tuple[str, ...]:
    """Where an operator of a plain name stands."""
    first = schema.parameters[0] if schema.parameters else None
    if first is None or first.kind != "Tensor":
        return ("torch",)
    return ("tscript" if first.written else "torch", "Tensor")


def _known_keywords(schema: Schema, paths: list[str]) -> list[tuple[str, str]]:
    """What PyTorch calls parameters besides."""
    if not any(path.startswith(("torch.", "tscript.", "Tensor.")) for path in paths):
        return []
    declared = [p.name for p in schema.parameters]
    found = [(alias, name) for name in declared for alias in _KEYWORDS.get(name, ()) if alias not in declared]
    tensor = any(p.name == "self" and p.kind == "Tensor" for p in schema.parameters)
    if tensor and any(not path.startswith("Tensor.") for path in paths):
        found += ((alias, "self") for alias in _RECEIVER if alias not in declared)
    return found


def in_place_names(names: Names, stored: Schema, text: str, *, unary: bool) -> Names:
    """The names of the in-place variant ``name_`` of an operator.

    Args:
        names: Of the operator.
        stored: The schema of the variant.
        text: Further names of the variant, see `parse_names`, and behind a ``-`` those that it does not have.
        unary: Whether it has one operand. PyTorch has most of these as functions, too.

    Example:
        >>> from tscript.definitions.schema import parse_schema
        >>> add = parse_schema("add(Tensor self, Tensor other) -> Tensor")
        >>> add_ = parse_schema("add_(Tensor(a!) self, Tensor other) -> Tensor")
        >>> in_place_names(parse_names(add), add_, "", unary=False).paths
        ('tscript.add_', 'Tensor.add_')
    """
    paths: list[str] = []
    for path in names.paths:
        space, _, name = path.partition(".")
        if space == "Tensor":
            paths.append(f"Tensor.{name}_")
        elif "." not in name:
            paths.append(f"{'torch' if unary and space == 'torch' else 'tscript'}.{name}_")
        elif f"Tensor.{name.rpartition('.')[2]}" in names.paths:
            paths.append(f"tscript.{name.rpartition('.')[2]}_")
    further = text.split()
    paths += parse_names(stored, " ".join(name for name in further if name[0] != "-")).paths
    return Names(tuple(dict.fromkeys(path for path in paths if f"-{path}" not in further)), names.keywords)


__all__ = ["NO_NAMES", "SPACES", "Names", "Out", "in_place_names", "parse_names"]
