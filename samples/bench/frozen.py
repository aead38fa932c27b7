"""Frozen modules: a small network at batch 1, and ResNet-18 of torchvision where that is installed."""

from __future__ import annotations

import importlib
from typing import Any

from harness import Call, Row, interleave
from peers import torch

import tscript
from tscript import nn


def _network(library: Any) -> Any:
    return library.Sequential(library.Linear(64, 128), library.ReLU(), library.Linear(128, 10)).eval()


def _calls(module: Any, x: Any, theirs: Any, y: Any) -> dict[str, Call]:
    scripted = tscript.script(module)
    found: dict[str, Call] = {"scripted": (scripted, (x,)), "tscript": (tscript.freeze(scripted), (x,))}
    if torch is not None:
        frozen = torch.jit.optimize_for_inference(torch.jit.freeze(torch.jit.script(theirs)))
        for _ in range(3):
            frozen(y)
        found["PyTorch"] = (frozen, (y,))
    return found


def run() -> list[Row]:
    """Time all of it."""
    x = tscript.randn(1, 64)
    theirs, y = (None, None) if torch is None else (_network(torch.nn), torch.randn(1, 64))
    rows = [interleave("MLP 64-128-10, batch 1", _calls(_network(nn), x, theirs, y))]
    try:
        models = importlib.import_module("torchvision.models")
    except ImportError:
        return rows
    resnet, image = models.resnet18().eval(), torch.randn(1, 3, 224, 224)
    rows.append(interleave("ResNet-18, 224 x 224", _calls(resnet, image, resnet, image)))
    return rows
