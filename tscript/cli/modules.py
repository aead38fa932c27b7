"""Modules on the command line: the module that a file makes, and what an archive of one holds."""

from __future__ import annotations

import ast
import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tscript.cli.errors import ProgramError, UsageError

if TYPE_CHECKING:
    from tscript.archive import Archive


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
        made = getattr(module, name)(*given, **named)
    except Exception as error:
        raise ProgramError from error
    if not is_module(made):
        raise UsageError(f"{path}:{name} made a {type(made).__name__}, not a module")
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
    except (ArchiveError, ValueError, OSError) as error:
        raise UsageError(f"--weights {path}: {error}") from None
    if type(module).__module__.startswith("tscript") or "torch" not in sys.modules:
        return {name: from_numpy(array) for name, array in arrays.items()}
    import torch

    if isinstance(module, torch.nn.Module):
        return {name: torch.from_dlpack(from_numpy(array)) for name, array in arrays.items()}
    return {name: from_numpy(array) for name, array in arrays.items()}


def described(archive: Archive) -> Iterator[dict[str, Any]]:
    """What an archive holds of each module: its path, its class, its tensors with their sizes, its other attributes."""
    modules = archive.modules
    assert modules is not None
    for path, (name, attributes) in zip(modules.paths, modules.instances, strict=True):
        cls = modules.classes[name]
        tensors = [
            {"name": key, "dtype": item["dtype"], "shape": item["sizes"], "flags": list(item.get("flags", ()))}
            for key, value in attributes.items()
            if isinstance(value, dict) and "tensor" in value and (item := modules.tensors[value["tensor"]])
        ]
        inside = {
            key for key, value in attributes.items() if isinstance(value, dict) and {"tensor", "module"} & value.keys()
        }
        yield {
            "path": path,
            "class": cls.title,
            "methods": dict(cls.methods),
            "tensors": tensors,
            "attributes": [key for key in attributes if key not in inside],
        }


def parameters_of(archive: Archive) -> tuple[int, int]:
    """How many elements the parameters have, and how many bytes all tensors take."""
    import math

    modules = archive.modules
    assert modules is not None
    numbers = [math.prod(t["sizes"]) for t in modules.tensors if "parameter" in t.get("flags", ())]
    return sum(numbers), modules.weights.nbytes
