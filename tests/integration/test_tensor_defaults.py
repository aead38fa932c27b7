"""Tensors and arrays as defaults of parameters: shared, read-only in compiled code, kept in archives."""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tscript
from tscript import Tensor
from tscript.cli.inspect import inspect

W = tscript.tensor([1.0, 2.0])
ARRAY = np.array([3.0, 4.0])


def plain(x: Tensor, w: Tensor = W) -> Tensor:
    return x * w


def optional(x: Tensor, w: Tensor | None = W) -> Tensor:
    return x if w is None else x * w


def keyword_only(x: Tensor, *, w=W) -> Tensor:
    return x * w


def with_objects(x: Tensor, d: dict[str, Tensor] | None = None, w: Tensor = W) -> Tensor:
    return x + w if d is None else d["a"]


def _callee(x: Tensor, w: Tensor = W, n: int = 2) -> Tensor:
    return x * w * n


def called(x: Tensor) -> Tensor:
    return _callee(x) + _callee(x, n=3) + _callee(x, x)


class Model:
    def __init__(self, x: Tensor, w: Tensor = W):
        self.x = x * w

    def moved(self, w: Tensor = W) -> Tensor:
        return self.x + w


def methods(x: Tensor) -> Tensor:
    model = Model(x)
    return model.moved() + Model(x, x).moved(x)


@dataclass
class Pair:
    x: Tensor
    w: Tensor = W


def a_dataclass(x: Tensor) -> Tensor:
    return Pair(x).w + Pair(x, x).w


def an_inner_function(x: Tensor) -> Tensor:
    def inner(y: Tensor, w: Tensor = W) -> Tensor:
        return y + w

    return inner(x) + inner(x, x) + inner(w=x, y=x)


def computed_where_it_is_defined(x: Tensor) -> Tensor:
    z = x + 1

    def inner(y: Tensor, w: Tensor = z, /, m: int = 1, *, n: int = len(x), k=z) -> Tensor:
        return y + w * n + m + k

    z = z * 100
    return inner(x) + inner(x, x) + inner(x, n=7) + inner(x, x, 3) + inner(x, m=2, k=x)


def returned(x: Tensor, w: Tensor = W) -> Tensor:
    return w


CASES = (
    plain, optional, keyword_only, with_objects, called, methods, a_dataclass, an_inner_function,
    computed_where_it_is_defined, returned
)  # fmt: skip


@pytest.mark.parametrize("function", CASES, ids=lambda f: f.__name__)
def test_a_default_stands_for_an_argument(function: Callable[..., Tensor]) -> None:
    scripted = tscript.script(function)
    x = tscript.tensor([5.0, 6.0])
    for _ in range(2):
        assert scripted(x).tolist() == function(x).tolist()


def scaled(x: Tensor, w: Tensor = ARRAY) -> Tensor:
    return x * w


def test_they_are_shared_and_read_only(monkeypatch: pytest.MonkeyPatch) -> None:
    scripted, x = tscript.script(scaled), tscript.ones(2)
    assert scripted(x).tolist() == [3.0, 4.0]
    ARRAY[0] = 30.0
    assert scripted(x).tolist() == [30.0, 4.0]
    ARRAY[0] = 3.0
    with pytest.raises(RuntimeError, match="read-only"):
        tscript.script(returned)(x).add_(1)


def changed(x: Tensor, w: Tensor = W) -> Tensor:
    w.add_(1)
    return w


def test_writing_to_a_default_is_refused_and_to_an_argument_is_not() -> None:
    scripted = tscript.script(changed)
    with pytest.raises(RuntimeError, match="read-only"):
        scripted(tscript.ones(2))
    assert scripted(tscript.ones(2), tscript.ones(2)).tolist() == [2.0, 2.0]
    assert W.tolist() == [1.0, 2.0]


@pytest.mark.parametrize("types", [None, ["Tensor[float32, 1]", "Tensor[float32, 1]"]], ids=["ir", "native"])
def test_archives_keep_them(tmp_path: Path, types: Any, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "f.tsa"
    scripted = tscript.script(plain)
    if types:
        scripted(tscript.ones(2))
    tscript.save(scripted, path)
    loaded = tscript.load(path)
    assert loaded(tscript.tensor([2.0, 3.0])).tolist() == [2.0, 6.0]
    assert loaded(tscript.tensor([2.0, 3.0]), tscript.ones(2)).tolist() == [2.0, 3.0]
    inspect(path)
    found = capsys.readouterr().out
    assert "plain(x: Tensor, w: Tensor = ...) -> Tensor" in found
    assert "constant w: float32 (2), 8 bytes" in found
    inspect(path, as_json=True)
    listed = json.loads(capsys.readouterr().out)["entries"][0]["constants"]
    assert listed == [{"name": "w", "dtype": "float32", "shape": [2], "bytes": 8}]


def test_a_default_that_is_no_tensor_names_the_mend() -> None:
    def wrong(x: Tensor, w: Tensor = [1.0]) -> Tensor:
        return x * w

    with pytest.raises(tscript.CompileError, match="calls would share it"):
        tscript.script(wrong)
