"""Writes what is made from the definitions of operators: the stubs that type checkers and editors read
(``tscript/__init__.pyi`` and those of the modules of functions), and the page ``docs/operators.md``.

``pytest --update tests/test_catalogue.py`` runs it; without ``--update`` that test compares.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import keyword
from collections.abc import Iterable, Iterator
from pathlib import Path

import tscript
from tscript.catalogue import Operator, catalogue
from tscript.definitions.absent import REQUIRED
from tscript.definitions.opdef import OpDef
from tscript.definitions.operator_names import FURTHER
from tscript.definitions.resolve import takes_numbers
from tscript.definitions.return_types import return_type_text
from tscript.definitions.schema import Parameter
from tscript.operators.table import TABLE

ROOT = Path(__file__).resolve().parent.parent

NOTE = "# Written from the definitions of operators: 'pytest --update tests/test_catalogue.py' writes it anew."
QUIET = (
    '# mypy: disable-error-code="overload-overlap, overload-cannot-match, override, assignment, no-redef, '
    'valid-type, misc"'
)

IMPORTS = ["import builtins", "from collections.abc import Iterator, Sequence", "from typing import Any, overload"]
NUMBER = "_Number = builtins.bool | builtins.int | builtins.float | builtins.complex"
ANY_DTYPE = "_AnyDType = _dtype | builtins.type[builtins.float]"

KINDS: dict[str, str] = {
    "Tensor": "Tensor",
    "Tensor[]": "Sequence[Tensor]",
    "Scalar": "_Number",
    "int": "builtins.int",
    "float": "builtins.float",
    "bool": "builtins.bool",
    "complex": "builtins.complex",
    "str": "builtins.str",
    "dtype": "_AnyDType",
    "int[]": "Sequence[builtins.int]",
    "int[1]": "builtins.int | Sequence[builtins.int]",
    "float[]": "Sequence[builtins.float]",
    "None": "None",
}
"""What parameters of a kind take; others take anything."""

RESULTS: dict[str, str] = {
    **KINDS,
    "Scalar": "Any",
    "Size": "tuple[builtins.int, ...]",
    "int[]": "tuple[builtins.int, ...]",
    "Tensor[]": "tuple[Tensor, ...]",
    "dtype": "_dtype",
}

TENSOR = '''
class Tensor:
    """A tensor: elements of one dtype, in any number of dimensions."""

    @property
    def shape(self) -> tuple[builtins.int, ...]: ...
    @property
    def dtype(self) -> _dtype: ...
    @property
    def ndim(self) -> builtins.int: ...
    @property
    def itemsize(self) -> builtins.int: ...
    requires_grad: builtins.bool
    @property
    def nbytes(self) -> builtins.int: ...
    def numpy(self) -> np.ndarray[Any, Any]: ...
    def tolist(self) -> Any: ...
    def item(self) -> Any: ...
    def data_ptr(self) -> builtins.int: ...
    def type(self) -> builtins.str: ...
    def __bool__(self) -> builtins.bool: ...
    def __int__(self) -> builtins.int: ...
    def __float__(self) -> builtins.float: ...
    def __index__(self) -> builtins.int: ...
    def __len__(self) -> builtins.int: ...
    def __iter__(self) -> Iterator[Tensor]: ...
    def __getitem__(self, index: Any, /) -> Tensor: ...
    def __setitem__(self, index: Any, value: Any, /) -> None: ...
    def __array__(self, dtype: Any = ..., copy: builtins.bool | None = ...) -> np.ndarray[Any, Any]: ...
    def __dlpack__(self, **options: Any) -> Any: ...
    def __dlpack_device__(self) -> tuple[builtins.int, builtins.int]: ...
    def __hash__(self) -> builtins.int: ...
    def __getattr__(self, name: builtins.str, /) -> Any: ...
'''
"""What has no definition as an operator. Names that are not known to the stub are Any."""

BINARY = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "and", "or", "xor", "lshift", "rshift")
COMPARISONS = ("eq", "ne", "lt", "le", "gt", "ge")
UNARY = ("neg", "pos", "abs", "invert")

FIXED = frozenset({"shape", "dtype", "ndim", "itemsize", "nbytes", "numpy", "tolist", "item", "data_ptr", "type"})
"""Methods that `TENSOR` has."""


def annotation(parameter: Parameter, op: OpDef) -> str:
    """The type of a parameter."""
    kind = parameter.kind.removesuffix("?")
    text = KINDS.get(kind, "Any")
    if kind == "Tensor" and takes_numbers(op) and op.schema.parameters[0] is not parameter:
        text = "Tensor | _Number"
    return f"{text} | None" if parameter.is_optional and text != "Any" else text


def result(op: OpDef) -> str:
    """The type of a result."""
    text = op.schema.result
    if op.schema.result_names:
        return f"return_types.{return_type_text(op).split()[0]}"
    if text.startswith("("):
        return f"tuple[{', '.join(_result(t.strip()) for t in text[1:-1].split(','))}]"
    return _result(text)


def _result(text: str) -> str:
    return RESULTS.get(text, "Any")


def signatures(op: OpDef, *, method: bool, out: bool) -> Iterator[str]:
    """The parameters and the result of an operator; a second one where its last sizes may be given one by one."""
    parameters = op.schema.parameters[1:] if method else op.schema.parameters
    last = max((i for i, p in enumerate(parameters) if not p.keyword_only), default=-1)
    gathered = next((i for i, p in enumerate(parameters) if p.kind in ("int[]", "int[]?") and not p.keyword_only
                     and all(q.default is not REQUIRED for q in parameters[i + 1 : last + 1])), None)  # fmt: skip
    for varargs in (False, True) if gathered is not None else (False,):
        parts = ["self"] if method else []
        starred = optional = False
        for i, p in enumerate(parameters):
            if p.keyword_only and not starred and not varargs:
                parts.append("*")
            starred |= p.keyword_only
            if varargs and i == gathered:
                parts.append(f"*{p.name}: builtins.int")
                starred = True
                continue
            if varargs and gathered is not None and i > gathered and not p.keyword_only:
                continue
            name = "input" if p.name == "self" else p.name
            name = f"{name}_" if keyword.iskeyword(name) else name
            default = "" if p.default is REQUIRED and not (optional and not p.keyword_only) else " = ..."
            optional |= bool(default) and not p.keyword_only
            parts.append(f"{name}: {annotation(p, op)}{default}")
        if out and not method and op.names.out is not None:
            pair = "Tensor" if op.schema.result == "Tensor" else "tuple[Tensor, ...]"
            parts += ([] if starred else ["*"]) + [f"out: {pair} | None = ..."]
        yield f"({', '.join(parts)}) -> {result(op)}"


def definitions(name: str, overloads: Iterable[OpDef], indent: str, *, method: bool, out: bool = True) -> list[str]:
    """The definitions of one name."""
    found = dict.fromkeys(
        (text, op.doc.partition("\n")[0]) for op in overloads for text in signatures(op, method=method, out=out)
    )
    texts: dict[str, str] = {}
    for text, doc in found:
        texts.setdefault(text, doc)
    lines: list[str] = []
    for i, (text, doc) in enumerate(texts.items()):
        if len(texts) > 1:
            lines.append(f"{indent}@overload")
        quoted = doc.replace("\\", "\\\\").replace('"""', "'''")
        end = f'"""{quoted}"""' if i == 0 and not quoted.endswith('"') else "..."
        lines.append(f"{indent}def {name}{text}: {end}")
    return lines


def functions(operators: Iterable[Operator], space: str) -> list[str]:
    """The functions of a module, by name; with an empty name those of `tscript`, under their last names."""
    found: dict[str, list[OpDef]] = {}
    nearest: dict[str, int] = {}
    for op in operators:
        for path in op.functions:
            place, _, name = path.rpartition(".")
            if place != space if space else f"torch.{path}".startswith(FURTHER):
                continue
            if not space:
                depth = path.count(".")
                if name in nearest and nearest[name] <= depth:
                    continue
                nearest[name] = depth
            found[name] = [o for o in op.overloads if any(p.partition(".")[2] == path for p in o.names.paths)]
    if not space:
        for name in TABLE.functions:  # in-place functions
            if name not in found and name.isidentifier():
                found[name] = list(TABLE.overloads(TABLE.functions[name]))
    lines: list[str] = []
    for name, overloads in sorted(found.items()):
        if name.isidentifier() and not keyword.iskeyword(name):
            lines += definitions(name, overloads, "", method=False)
    return lines


def header() -> list[str]:
    """What `tscript` has besides operators: the imports and names under ``TYPE_CHECKING`` of its module."""
    source = (ROOT / "tscript" / "__init__.py").read_text(encoding="utf-8")
    (block,) = (n for n in ast.parse(source).body if isinstance(n, ast.If) and ast.unparse(n.test) == "TYPE_CHECKING")
    lines: list[str] = []
    for node in block.body:
        if isinstance(node, ast.ImportFrom):
            for alias in node.names:
                if alias.name != "Tensor":
                    lines.append(f"from {node.module} import {alias.name} as {alias.name}")
                    if alias.asname not in (None, alias.name):
                        lines.append(f"{alias.asname} = {alias.name}")
        else:
            lines.append(ast.unparse(node))
    return lines


def further(known: set[str]) -> list[str]:
    """The public names of `tscript` that its module does not import for type checkers."""
    hidden = {*known, *TABLE.functions, *vars(tscript)["_INSIDE"], "Tensor", "TYPE_CHECKING", "Any", "annotations"}
    hidden |= {name for name, value in vars(tscript).items() if inspect.ismodule(value)} - {*vars(tscript)["_MODULES"]}
    lines: list[str] = []
    for name in sorted({*dir(tscript)} - hidden):
        if name.startswith("_"):
            continue
        value = getattr(tscript, name)
        if value is None or isinstance(value, float):
            lines.append(f"{name}: {'None' if value is None else 'builtins.float'}")
            continue
        if inspect.ismodule(value):
            lines.append(f"from tscript import {name} as {name}")
            continue
        made = value if inspect.isclass(value) or inspect.isfunction(value) else type(value)
        defined = vars(importlib.import_module(made.__module__))
        own = next((n for n, v in defined.items() if v is made), "")
        if not own or not made.__module__.startswith("tscript."):
            lines.append(f"{name}: Any")
            continue
        lines.append(f"from {made.__module__} import {own} as {own}")
        if made is not value:
            lines.append(f"{name}: {own}")
        elif name != own:
            lines.append(f"{name} = {own}")
    return list(dict.fromkeys(lines))


def tensor_class() -> list[str]:
    lines = TENSOR.strip().splitlines()
    for name in UNARY:
        lines.append(f"    def __{name}__(self) -> Tensor: ...")
    for name in (*BINARY, "matmul"):
        operand = "Tensor" if name == "matmul" else "Tensor | _Number"
        for prefix in ("", "r", "i"):
            lines.append(f"    def __{prefix}{name}__(self, other: {operand}, /) -> Tensor: ...")
    for name in COMPARISONS:
        lines.append(f"    def __{name}__(self, other: Any, /) -> Tensor: ...")
    methods = {name: op for name, op in TABLE.methods.items() if name not in FIXED and name.isidentifier()}
    for name, op in sorted(methods.items()):
        static = inspect.getattr_static(tscript.Tensor, name, None)
        overloads = [o for o in TABLE.overloads(op) if f"Tensor.{name}" in o.names.paths]
        if isinstance(static, property) or type(static).__name__ == "getset_descriptor":
            lines += ["    @property", f"    def {name}(self) -> {result(overloads[0])}: ..."]
        elif overloads:
            lines += definitions(name, overloads, "    ", method=True)
    return lines


def main_stub(operators: list[Operator]) -> str:
    imports = [*IMPORTS, "", "import numpy as np", ""]
    names = ["", "_dtype = DType", NUMBER, ANY_DTYPE, ""]
    version = ["__version__: builtins.str"]
    imported = header()
    imported += further(_names(imported))
    taken = _names(imported)
    defined = list(_without(functions(operators, ""), taken))
    return "\n".join([NOTE, QUIET, "", *imports, *imported, *names, *version, "", *tensor_class(), "", *defined, ""])


def _names(lines: Iterable[str]) -> set[str]:
    found = {line.rpartition(" ")[2] if line.startswith("from") else line.partition(" ")[0] for line in lines}
    return {name.removesuffix(":") for name in found}


def _without(lines: list[str], names: set[str]) -> Iterator[str]:
    """Definitions but for those of some names."""
    held: list[str] = []
    for line in lines:
        if line == "@overload":
            held.append(line)
            continue
        name = line.removeprefix("def ").partition("(")[0]
        if name not in names:
            yield from held
            yield line
        held = []


def module_stub(operators: list[Operator], space: str) -> str:
    ours = ["from tscript import Tensor, return_types", "from tscript.types import DType as _dtype"]
    imports = [*IMPORTS, "", *ours, "", NUMBER, ANY_DTYPE, ""]
    return "\n".join([NOTE, QUIET, "", *imports, *functions(operators, space), ""])


def return_types_stub(operators: list[Operator]) -> str:
    """The stub of ``tscript.return_types``."""
    texts = sorted({return_type_text(o) for op in operators for o in op.overloads if o.names.paths} - {""})
    lines = [NOTE, "", "from typing import NamedTuple", "", "from tscript import Tensor", ""]
    for name, *fields in map(str.split, texts):
        lines += [f"class {name}(NamedTuple):", *(f"    {field}: Tensor" for field in fields), ""]
    return "\n".join(lines)


def stubs() -> dict[Path, str]:
    """The text of each stub."""
    operators = catalogue(TABLE)
    spaces = sorted({path.rpartition(".")[0] for op in operators for path in op.functions} - {""})
    found = {ROOT / "tscript" / "__init__.pyi": main_stub(operators)}
    for space in spaces:
        module = ROOT / "tscript" / Path(*space.split("."))
        if module.with_suffix(".py").exists():
            found[module.with_suffix(".pyi")] = module_stub(operators, space)
    found[ROOT / "tscript" / "return_types.pyi"] = return_types_stub(operators)
    return found


PAGE = """# Operators

All operators of tensors, under PyTorch's names. `tscript ops NAME` shows signatures, arguments, errors and examples of
each; `tscript ops --json` all of them. A function of `torch` stands where it stands in PyTorch, and by its last name
alone in `tscript`. The samples in `tests/samples/` show each at work.
"""

TITLES = {
    "": "Functions and methods",
    "Tensor": "Methods alone",
    "nn.functional": "`nn.functional`",
}


def page(operators: list[Operator]) -> str:
    """``docs/operators.md``."""
    parts = [NOTE.replace("# ", "<!-- ", 1) + " -->", "", PAGE, f"{len(operators)} operators.", ""]
    spaces = dict.fromkeys(op.name.rpartition(".")[0] for op in operators)
    for space in spaces:
        parts += [
            f"## {TITLES.get(space, f'`{space}`')}",
            "",
            "| operator | also | in place | what it does |",
            "|---|---|---|---|",
        ]
        for op in operators:
            if op.name.rpartition(".")[0] == space:
                parts.append(_row(op))
        parts.append("")
    return "\n".join(parts)


def _row(op: Operator) -> str:
    own = op.name.rpartition(".")[2]
    also = [path for path in op.functions if path != op.name]
    plain = {own} if op.name in (own, f"Tensor.{own}") else set()
    also += [f"Tensor.{m}" for m in op.methods if m not in plain | {*op.functions}]
    text = op.summary.replace("|", "\\|")
    return f"| `{own}` | {', '.join(f'`{a}`' for a in also)} | {f'`{op.in_place}`' if op.in_place else ''} | {text} |"


def files() -> dict[Path, str]:
    """The text of each file that is written from definitions."""
    return {**stubs(), ROOT / "docs" / "operators.md": page(catalogue(TABLE))}


if __name__ == "__main__":
    for path, text in files().items():
        path.write_text(text, encoding="utf-8")
