"""``tscript ops``."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

Command = Callable[..., Any]


def test_one_operator_by_its_names(command: Command) -> None:
    result = command("ops", "linalg.vector_norm")
    assert (result.code, result.err) == (0, "")
    assert result.out.startswith("linalg.vector_norm(input, ord=2, dim=None, keepdim=False, *, dtype=None, out=None)")
    assert "Example:" in result.out
    for name in ("sigmoid", "torch.sigmoid", "tscript.special.expit", "Tensor.sigmoid_", "expit"):
        assert command("ops", name).out.startswith("sigmoid(input, *, out=None) -> Tensor\n")


def test_the_list_counts(command: Command) -> None:
    lines = command("ops").out.splitlines()
    assert lines[-1] == f"{len(lines) - 2} operators; 'tscript ops NAME' says more of one"
    assert any(line.startswith("softmax ") for line in lines)


def test_json(command: Command) -> None:
    (found,) = json.loads(command("ops", "--json", "abs").out)
    assert found["methods"] == ["abs", "absolute"] and found["in_place"] == "abs_" and found["out"] is True
    assert found["overloads"][0]["signature"] == "abs(input) -> Tensor"
    assert len(json.loads(command("ops", "--json").out)) > 200


def test_unknown_operators_are_usage(command: Command) -> None:
    result = command("ops", "softmx")
    assert result.code == 2
    assert "there is no operator 'softmx'; did you mean" in result.err and "softmax" in result.err
