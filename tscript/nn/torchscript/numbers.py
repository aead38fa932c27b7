"""Dtypes, layouts and memory formats, which code of TorchScript writes as numbers.

Which numbers are dtypes follows from where they go: into a parameter of an operator that takes one, or into a
comparison with the dtype of a tensor. Names that such a number flows through hold dtypes as well.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping

from tscript.archive.torchscript import NEWEST
from tscript.diagnostics.archives import ArchiveError
from tscript.nn.torchscript.operators import known
from tscript.nn.torchscript.sources import dotted

DTYPES: tuple[str, ...] = (
    "uint8", "int8", "int16", "int32", "int64", "float16", "float32", "float64", "complex32", "complex64",
    "complex128", "bool", "qint8", "quint8", "qint32", "bfloat16",
)  # fmt: skip
"""By number, as ``c10/core/ScalarType.h`` has them."""

LAYOUTS: tuple[str, ...] = ("strided",)
MEMORY_FORMATS: tuple[str, ...] = ("contiguous_format", "preserve_format", "channels_last", "channels_last_3d")

_BY_KEYWORD: Mapping[str, tuple[str, ...]] = {"dtype": DTYPES, "layout": LAYOUTS, "memory_format": MEMORY_FORMATS}


def is_number(node: ast.expr) -> bool:
    """Whether an expression is a number that is written out."""
    return isinstance(node, ast.Constant) and type(node.value) is int


def _named(node: ast.expr, names: tuple[str, ...], what: str) -> ast.expr:
    number = node.value if isinstance(node, ast.Constant) else None
    if not isinstance(number, int) or not 0 <= number < len(names):
        raise ArchiveError(f"line {node.lineno} of the code names the {what} {number!r}, which there is none of here")
    root = ast.copy_location(ast.Name("torch", ast.Load()), node)
    return ast.copy_location(ast.Attribute(root, names[number], ast.Load()), node)


def as_dtype(node: ast.expr) -> ast.expr:
    """A number as the dtype that it stands for.

    Raises:
        ArchiveError: It stands for none.
    """
    return _named(node, DTYPES, "dtype")


def numbered(keyword: str, node: ast.expr) -> ast.expr | None:
    """The argument for a keyword, if it is a number that stands for something else."""
    names = _BY_KEYWORD.get(keyword)
    return None if names is None or not is_number(node) else _named(node, names, keyword)


def aliases(tree: ast.FunctionDef) -> dict[str, str]:
    """Names of a function that stand for one function of the archive: ``_0 = __torch__.torch.nn.functional.relu``."""
    found: dict[str, str] = {}
    others: set[str] = set()
    for node in ast.walk(tree):
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Attribute() as value) if dotted(value).startswith(
                "__torch__."
            ) and found.get(name, dotted(value)) == dotted(value):
                found[name] = dotted(value)
            case ast.Assign(targets=targets):
                others |= {n.id for t in targets for n in ast.walk(t) if isinstance(n, ast.Name)}
    return {name: path for name, path in found.items() if name not in others}


_INTS = ("int", "Optional[int]")


class DtypeNames:
    """Which names of a function hold dtypes.

    Args:
        tree: The function.
        numbered: Which parameters of a function of the archive are dtypes; the last entry is for its result.

    Attributes:
        names: They.
        is_result: Whether the result is a dtype.
    """

    def __init__(self, tree: ast.FunctionDef, numbered: Callable[[str], tuple[bool, ...]]) -> None:
        self._numbered = numbered
        self._aliases = aliases(tree)
        self.names: set[str] = set()
        parameters = (*tree.args.args, *tree.args.kwonlyargs)
        self._parameters = {a.arg for a in parameters}
        self._ints = {a.arg for a in parameters if a.annotation and ast.unparse(a.annotation) in _INTS}
        nodes = [n for n in ast.walk(tree) if isinstance(n, ast.Call | ast.Assign | ast.AnnAssign)]
        while True:
            before = len(self.names)
            for node in nodes:
                if isinstance(node, ast.Call):
                    self._look_at(node)
                elif isinstance(node, ast.Assign) and len(node.targets) == 1:
                    self._flow(node.targets[0], node.value)
                elif isinstance(node, ast.AnnAssign) and node.value is not None:
                    self._flow(node.target, node.value)
            if len(self.names) == before:
                break
        self.is_result = any(isinstance(n, ast.Return) and n.value and self.is_one(n.value) for n in ast.walk(tree))

    def is_one(self, node: ast.expr) -> bool:
        """Whether an expression is a dtype."""
        match node:
            case ast.Name(id=name):
                return name in self.names
            case ast.Call(func=ast.Name(id="unchecked_cast" | "annotate"), args=[_, value]):
                return self.is_one(value)
            case ast.Call(func=func):
                path = dotted(func)
                path = self._aliases.get(path, path)
                return path == "ops.prim.dtype" or (
                    path.startswith("__torch__.") and self._numbered(path)[-1:] == (True,)
                )
        return False

    def is_parameter(self, name: str) -> bool:
        """Whether a parameter is a dtype."""
        return name in self.names and name in self._parameters

    def _add(self, node: ast.expr) -> None:
        match node:
            case ast.Name(id=name):
                self.names.add(name)
            case ast.Call(func=ast.Name(id="unchecked_cast" | "annotate"), args=[_, value]):
                self._add(value)

    def _look_at(self, call: ast.Call) -> None:
        path = dotted(call.func)
        path = self._aliases.get(path, path)
        if path.startswith("torch."):
            found = known(path.removeprefix("torch."), NEWEST)
            places = () if found is None else found.dtypes
            for i, argument in enumerate(call.args):
                if (i in places and path != "torch.to") or (
                    path == "torch.to" and i in (1, 2) and isinstance(argument, ast.Name) and argument.id in self._ints
                ):
                    self._add(argument)
            if path in ("torch.eq", "torch.ne") and any(map(self.is_one, call.args)):
                for argument in call.args:
                    self._add(argument)
        elif path.startswith("__torch__."):
            for argument, is_dtype in zip(call.args, self._numbered(path)[:-1], strict=False):
                if is_dtype:
                    self._add(argument)
        for keyword in call.keywords:
            if keyword.arg == "dtype":
                self._add(keyword.value)

    def _flow(self, target: ast.expr, value: ast.expr) -> None:
        if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
            for each, part in zip(target.elts, value.elts, strict=False):
                self._flow(each, part)
        elif isinstance(target, ast.Name):
            if self.is_one(value):
                self.names.add(target.id)
            elif target.id in self.names:
                self._add(value)
