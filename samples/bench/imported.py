"""Models of TorchScript: loading a kept one, and torchvision's ResNet-18 where that is installed."""

from __future__ import annotations

import importlib
import tempfile
from pathlib import Path
from typing import Any

from harness import Call, Row, interleave
from peers import torch

import tscript

KEPT = Path(__file__).resolve().parents[2] / "tests" / "data" / "torchscript" / "resnet.pt"


def _saved(folder: str) -> dict[str, str]:
    """ResNet-18 as `torch.jit.save` writes it."""
    try:
        models = importlib.import_module("torchvision.models")
    except ImportError:
        return {}
    net, image = models.resnet18().eval(), torch.randn(1, 3, 224, 224)
    scripted = torch.jit.script(net)
    forms: dict[str, Any] = {
        "scripted": scripted, "traced": torch.jit.trace(net, image), "frozen": torch.jit.freeze(scripted),
    }  # fmt: skip
    for name, form in forms.items():
        torch.jit.save(form, f"{folder}/{name}.pt")
    return {f"ResNet-18, {name}": f"{folder}/{name}.pt" for name in forms}


def run() -> list[Row]:
    """Time all of it. The cache is filled: the first loads of a machine compile too."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for name, path in {"a small ResNet": str(KEPT), **({} if torch is None else _saved(folder))}.items():
            timed: dict[str, Call] = {"tscript": (tscript.load, (path,))}
            if torch is not None:
                timed["PyTorch"] = (torch.jit.load, (path,))
            rows.append(interleave(f"{name}: load", timed))
    return rows
