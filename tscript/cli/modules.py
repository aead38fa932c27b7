"""Modules on the command line: the module that a file makes, and what an archive of one holds."""

from __future__ import annotations

import ast
import importlib.util
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tscript.cli.errors import ProgramError, UsageError

if TYPE_CHECKING:
    from tscript.archive import Archive
    from tscript.archive.outline import ModuleOutline


def makes_module(path: Path, name: str | None) -> bool:
    """Whether a name of a file is a class of modules, or a function whose annotation says that it returns a module.

    Args:
        path: The file, which is not run.
        name: The name; None: the file as a whole, which has functions.
    """
    if name is None:
        return False
    try:
        body = ast.parse(path.read_bytes()).body
    except (SyntaxError, ValueError, OSError):
        return False  # reading its functions reports it
    classes = {node.name: node for node in body if isinstance(node, ast.ClassDef)}
    found = next((n for n in body if isinstance(n, ast.ClassDef | ast.FunctionDef) and n.name == name), None)
    if isinstance(found, ast.FunctionDef):
        annotation = found.returns
        said = annotation.value if isinstance(annotation, ast.Constant) else annotation and ast.unparse(annotation)
        return isinstance(said, str) and _is_module(said, classes, set())
    return isinstance(found, ast.ClassDef) and _is_module(name, classes, set())


def _is_module(name: str, classes: dict[str, ast.ClassDef], seen: set[str]) -> bool:
    if name.rpartition(".")[2] == "Module":
        return True
    if name not in classes or name in seen:
        return False
    return any(_is_module(ast.unparse(base), classes, {*seen, name}) for base in classes[name].bases)


def made_module(path: Path, name: str, args: str | None, weights: Path | None) -> Any:
    """The module that a class or function of a file makes: the file is run.

    An instance of a class is in evaluation mode, a function decides about that itself.

    Args:
        path: The file.
        name: The class or function.
        args: What it is called with, as in Python: ``64, 10, bias=False``.
        weights: A file with a state dict to load.

    Raises:
        UsageError: The arguments are no literals, it makes no module, or the weights do not fit.
        ProgramError: The file, or what is called, raises.
    """
    from tscript.api import is_module

    given, named = _arguments(args or "")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    sys.path.insert(0, str(path.parent))
    try:
        spec.loader.exec_module(module)
        maker = getattr(module, name)
        made = maker(*given, **named)
    except Exception as error:
        raise ProgramError from error
    if not is_module(made):
        raise UsageError(f"{path}:{name} made a {type(made).__name__}, not a module")
    if isinstance(maker, type):
        made.eval()
    if weights is not None:
        try:
            made.load_state_dict(_weights(weights, made))
        except (RuntimeError, TypeError) as error:
            raise UsageError(f"--weights {weights}: {error}") from None
    return made


def _arguments(text: str) -> tuple[list[Any], dict[str, Any]]:
    try:
        call = ast.parse(f"f({text})", mode="eval").body
        assert isinstance(call, ast.Call)
        given = [ast.literal_eval(a) for a in call.args]
        return given, {str(k.arg): ast.literal_eval(k.value) for k in call.keywords if k.arg is not None}
    except (SyntaxError, ValueError, AssertionError):
        raise UsageError(f"--args {text!r}: expected literals as in a call, such as '64, 10, bias=False'") from None


def _weights(path: Path, module: Any) -> dict[str, Any]:
    """The tensors of a file of safetensors or of NumPy, by name; of PyTorch's if the module is one of it."""
    import numpy as np

    from tscript.archive import ArchiveError
    from tscript.archive.weights import file_arrays
    from tscript.runtime.session.process import from_numpy

    try:
        if path.suffix == ".npz":
            with np.load(path, allow_pickle=False) as file:
                arrays = {name: file[name] for name in file.files}
        else:
            arrays = file_arrays(path.read_bytes(), str(path))
    except FileNotFoundError:
        raise UsageError(f"--weights {path}: no such file") from None
    except ArchiveError as error:
        raise UsageError(f"--weights {path}: {error.what}") from None
    except (ValueError, OSError) as error:
        raise UsageError(f"--weights {path}: {error}") from None
    if type(module).__module__.startswith("tscript") or "torch" not in sys.modules:
        return {name: from_numpy(array) for name, array in arrays.items()}
    import torch

    if isinstance(module, torch.nn.Module):
        return {name: torch.from_dlpack(from_numpy(array)) for name, array in arrays.items()}
    return {name: from_numpy(array) for name, array in arrays.items()}


def described(modules: Sequence[ModuleOutline]) -> list[dict[str, Any]]:
    """Modules as JSON: the path, class, sizes and methods of each, its tensors, its other attributes."""
    from tscript.archive.outline import sizes_of

    sizes = sizes_of(modules)
    return [
        {
            "path": module.path,
            "class": module.title,
            "parameters": sizes[module.path].parameters,
            "bytes": sizes[module.path].nbytes,
            "methods": module.methods,
            "tensors": [
                {"name": t.name, "dtype": t.dtype, "shape": list(t.shape), "bytes": t.nbytes, "role": t.role}
                for t in module.tensors
            ],
            "attributes": list(module.attributes),
        }
        for module in modules
    ]


def print_tree(modules: Sequence[ModuleOutline]) -> None:
    """Modules with what each holds, those inside it included."""
    from tscript.archive.outline import in_order, sizes_of

    sizes = sizes_of(modules)
    for module in in_order(modules):
        edge = "  " * (1 + (module.path.count(".") + 1 if module.path else 0))
        size = sizes[module.path]
        held = f"  {size.parameters:,} parameters, {size.nbytes:,} bytes" if size.nbytes else ""
        print(f"{edge}{shown(module.path.rpartition('.')[2] or '(root)')}: {shown(module.title)}{held}")
        for tensor in module.tensors:
            print(f"{edge}    {shown(tensor.name)}: {tensor.dtype} ({', '.join(map(str, tensor.shape))})")
        if module.attributes:
            print(f"{edge}    {shown(', '.join(module.attributes))}")


def memory_plan(archive: Archive) -> dict[str, Any]:
    """The memory that the tensors of an archive of modules take once it is loaded, as JSON.

    ``storages`` lists the pieces in the order of the file: where each begins, its bytes, the tensors that lie in it.
    """
    from tscript.archive.outline import outline_of

    modules = archive.modules
    assert modules is not None
    inside: dict[object, dict[object, list[str]]] = {}
    for module in outline_of(modules):
        for tensor in module.tensors:
            name = f"{module.path}.{tensor.name}" if module.path else tensor.name
            inside.setdefault(tensor.storage, {}).setdefault(tensor.identity, []).append(name)
    pieces = sorted(modules.weights.pieces.items(), key=lambda item: item[1].start)
    return {
        "bytes": modules.weights.nbytes,
        "is_mapped": modules.weights.is_mapped,
        "storages": [
            {
                "at": piece.start,
                "bytes": piece.stop - piece.start,
                "tensors": [" = ".join(names) for names in inside.get(key, {}).values()],
            }
            for key, piece in pieces
        ],
    }


def print_memory(plan: dict[str, Any], *, is_whole: bool) -> None:
    """The memory of an archive of modules; with `is_whole` each piece of it."""
    shared = [s for s in plan["storages"] if len(s["tensors"]) > 1 or " = " in "".join(s["tensors"])]
    how = (
        "mapped from the file, a page is copied when it is written to"
        if plan["is_mapped"]
        else "read when it is loaded"
    )
    print(f"  memory: {plan['bytes']:,} bytes in {len(plan['storages'])} pieces, {len(shared)} of them shared; {how}")
    for piece in plan["storages"] if is_whole else ():
        print(f"    {piece['at']:>12,}  {piece['bytes']:>12,} bytes  {shown(', '.join(piece['tensors']))}")


def shown(text: str) -> str:
    """`text` on one line, what a terminal would act on escaped."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
