"""`OperatorNames`: how the names that users write reach operators. It knows names alone, no operators."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from tscript.once import once

FURTHER = ("torch.masked.", "torch.signal.", "torch.ops.")
"""Where functions are that have no short names: those would say nothing of what they make, or mean others."""


class OperatorNames:
    """The names of operators.

    Attributes:
        paths: Paths of names (``torch.linalg.matmul``, ``Tensor.float``) to plain names; see
            `tscript.definitions.names`.

    Example:
        >>> names = OperatorNames({"torch.special.expit": "sigmoid", "Tensor.sigmoid": "sigmoid"})
        >>> names.function("tscript.expit"), dict(names.methods), names.homes("expit")
        ('sigmoid', {'sigmoid': 'sigmoid'}, ('torch.special.expit',))
    """

    def __init__(self, paths: Mapping[str, str]) -> None:
        self.paths: Mapping[str, str] = MappingProxyType(dict(paths))

    @once
    def methods(self) -> Mapping[str, str]:
        """Names of methods and attributes of tensors, to plain names: ``x.float()`` is ``to_float``."""
        return _within(self.paths, "Tensor")

    @once
    def math(self) -> Mapping[str, str]:
        """Names of Python's `math` module to plain names: ``sqrt`` is ``math_sqrt``."""
        return _within(self.paths, "math")

    @once
    def functions(self) -> Mapping[str, str]:
        """Names usable as ``tscript.<name>``, to plain names. They are the last names of all functions but those of
        `FURTHER`; of two the one that stands nearer to `torch`."""
        near = (path for path in _functions(self.paths) if not path.startswith(FURTHER))
        ordered = sorted(near, key=_distance, reverse=True)
        return MappingProxyType({path.rpartition(".")[2]: self.paths[path] for path in ordered})

    def function(self, path: str) -> str | None:
        """The plain name of the operator that a path means, or None when there is none: ``torch.special.expit``,
        ``tscript.view``."""
        root, _, inner = path.partition(".")
        if root == "tscript":
            nearest = self.paths.get(f"torch.{inner}") or self.paths.get(f"tscript.{inner}")
            if nearest is not None and "." not in inner:
                return nearest
            return self.functions.get(inner) or self.paths.get(f"torch.{inner}")
        return self.paths.get(path)

    def homes(self, name: str) -> tuple[str, ...]:
        """The paths under which there are functions of a name: ``relu`` is ``torch.relu``, and
        ``torch.nn.functional.relu``; the shortest first."""
        found = [path for path in _functions(self.paths) if path.rpartition(".")[2] == name]
        return tuple(sorted(found, key=_distance))


def _within(paths: Mapping[str, str], space: str) -> Mapping[str, str]:
    return MappingProxyType(
        {path.partition(".")[2]: name for path, name in paths.items() if path.startswith(f"{space}.")}
    )


def _functions(paths: Mapping[str, str]) -> Iterator[str]:
    return (path for path in paths if path.startswith(("torch.", "tscript.")))


def _distance(path: str) -> tuple[int, str]:
    return path.count("."), path
