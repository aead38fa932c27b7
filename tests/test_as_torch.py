"""`install_as_torch`, in processes of their own: with and without PyTorch."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

HAS_TORCH = importlib.util.find_spec("torch") is not None

MODEL = """
from typing import List, Optional, Tuple

import torch
import torch.nn.functional as F
from torch import Tensor
from torch.jit import is_scripting
from torch.nn.functional import relu


@torch.jit.script
def scaled(x: Tensor, by: Optional[float] = None) -> Tuple[Tensor, int]:
    if by is None:
        by = 0.5
    return F.softplus(relu(x)) * by, x.dim()


@torch.jit.script
def joined(xs: List[torch.Tensor]) -> torch.Tensor:
    return torch.cat(xs, dim=0) if len(xs) > 1 else xs[0]


def where() -> str:
    return "compiled" if is_scripting() else "python"
"""


GRADIENTS = """
import torch
from torch import Size, Tensor
from torch.autograd import Function
from torch.autograd.function import once_differentiable
from torch.compiler import is_compiling
from torch.overrides import has_torch_function, has_torch_function_unary, has_torch_function_variadic


class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x: Tensor) -> Tensor:
        ctx.save_for_backward(x)
        return x * 2

    @staticmethod
    @once_differentiable
    def backward(ctx, g):
        return g * 2


class Triple(Function):
    @staticmethod
    def forward(ctx, x: Tensor) -> Tensor:
        return x * 3


@torch.jit.script
def doubled(x: Tensor) -> Tensor:
    if not torch.jit.is_scripting() or is_compiling() or torch.compiler.is_dynamo_compiling():
        return Double.apply(x)
    if has_torch_function((x,)) or has_torch_function_unary(x) or has_torch_function_variadic(x, x):
        return Double.apply(x)
    return x * 2


@torch.jit.script
def tripled(x: Tensor, shape: Size) -> Tensor:
    return Triple.forward(None, x) + shape.numel()


def applied(x: Tensor) -> Tensor:
    return Double.apply(x)
"""


def ran(folder: Path, program: str, *, blocked: bool) -> str:
    """What a program prints; with `blocked`, where PyTorch cannot be imported."""
    (folder / "model.py").write_text(MODEL, encoding="utf-8")
    (folder / "gradients.py").write_text(GRADIENTS, encoding="utf-8")
    start = "import sys\n"
    if blocked:
        start += (
            "class Blocked:\n"
            "    def find_spec(self, name, path=None, target=None):\n"
            "        return None\n"
            "import importlib.machinery as m\n"
            "original = m.PathFinder.find_spec\n"
            "m.PathFinder.find_spec = classmethod(\n"
            "    lambda cls, name, path=None, target=None:\n"
            "    None if name.partition('.')[0] == 'torch' else original(name, path, target))\n"
        )
    done = subprocess.run(
        [sys.executable, "-c", start + program], cwd=folder, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_source_runs_without_torch(tmp_path: Path) -> None:
    out = ran(
        tmp_path,
        """
import tscript
with tscript.install_as_torch() as found:
    import model, torch
    print(found.is_torch, torch.Tensor is tscript.Tensor, torch.nn.functional.__name__)
    y, n = model.scaled(torch.ones(2))
    print(y.tolist(), n, model.joined([y, y]).numel(), model.where())
    for name in ("no_such_name", "runtime", "api"):
        try:
            getattr(torch, name)
        except AttributeError as error:
            print(error)
    try:
        import torch.no_such_module
    except ImportError as error:
        print(type(error).__name__)
    print("relu" in dir(torch.nn.functional), "nn" in dir(torch))
print("torch" in sys.modules, "torch.nn.functional" in sys.modules)
found.uninstall()
try:
    import torch
except ImportError as error:
    print(error)
y, n = model.scaled(tscript.zeros(1), 2.0)
print(y.tolist())
""",
        blocked=True,
    )
    lines = out.splitlines()
    assert lines[0] == "False True torch.nn.functional"
    assert lines[1].startswith("[0.656") and lines[1].endswith("1 4 python")
    assert lines[2].startswith("module 'torch' has no attribute 'no_such_name'")
    assert [line.startswith("module 'torch' has no attribute") for line in lines[3:5]] == [True, True]
    assert lines[5:] == [
        "ModuleNotFoundError", "True True", "False False", "No module named 'torch'", lines[-1]
    ]  # fmt: skip
    assert lines[-1].startswith("[1.386")


def test_source_that_speaks_of_gradients_is_imported_without_torch(tmp_path: Path) -> None:
    out = ran(
        tmp_path,
        """
import tscript
with tscript.install_as_torch():
    import gradients, torch
    x = torch.ones(2)
    print(gradients.doubled(x).tolist(), gradients.tripled(x, torch.Size([2, 2])).tolist(), torch.Size([2, 3]).numel())
    print(torch.compiler.is_compiling(), torch.compiler.is_exporting(), torch.overrides.has_torch_function((x,)))
    try:
        gradients.Double.apply(x)
    except NotImplementedError as error:
        print(error)
    try:
        torch.jit.script(gradients.applied)(x)
    except tscript.CompileError as error:
        print("has no 'apply'" in str(error))
""",
        blocked=True,
    )
    assert out.splitlines() == [
        "[2.0, 2.0] [7.0, 7.0] 6",
        "False False False",
        "Double.apply: no gradients are computed; call Double.forward(None, ...), or the operators in it",
        "True",
    ]


@pytest.mark.skipif(not HAS_TORCH, reason="PyTorch is not installed")
def test_torch_stays_torch_where_it_is_installed(tmp_path: Path) -> None:
    out = ran(
        tmp_path,
        """
import io, torch, tscript
script = torch.jit.script
with tscript.install_as_torch() as found:
    import model
    print(found.is_torch, torch.jit.script is tscript.script, isinstance(model.scaled, tscript.ScriptFunction))
    y, n = model.scaled(torch.ones(2))
    print(type(y) is torch.Tensor, torch.nn.functional.softplus.__module__ != "tscript")
    file, theirs, ours = io.BytesIO(), io.BytesIO(), torch.nn.Linear(2, 3)
    torch.jit.save(torch.jit.script(ours), file)
    torch.jit.save(script(ours), theirs)
    print(isinstance(torch.jit.load(io.BytesIO(file.getvalue())), tscript.ScriptModule))
    print(isinstance(torch.jit.load(io.BytesIO(theirs.getvalue())), torch.jit.ScriptModule))
    torch.jit.script(ours).save("ours.pt")
    again = torch.jit.load("ours.pt", map_location=torch.device("cpu"))
    print(torch.allclose(torch.tensor(again(torch.ones(2)).tolist()), ours(torch.ones(2))))
print(torch.jit.script is script)
""",
        blocked=False,
    )
    assert out.split() == ["True"] * 9


def test_nested_installations_end_in_any_order(tmp_path: Path) -> None:
    out = ran(
        tmp_path,
        """
import tscript
first, second = tscript.install_as_torch(), tscript.install_as_torch()
import torch
first.uninstall()
import torch.nn
print(torch.nn.functional.relu(torch.tensor([-1.0])).tolist())
second.uninstall()
print("torch" in sys.modules, len([f for f in sys.meta_path if type(f).__name__ == "_Finder"]))
""",
        blocked=True,
    )
    assert out.split() == ["[0.0]", "False", "0"]
