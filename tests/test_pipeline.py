"""The compiler as a whole: stages, internal errors, what an object refers to."""

from __future__ import annotations

from typing import Any

import pytest

import tscript
from tscript.diagnostics import InternalError
from tscript.pipeline import externals_of


def test_a_bug_in_the_backend_names_function_and_line(monkeypatch: pytest.MonkeyPatch) -> None:
    @tscript.script
    def guilty(n: int) -> int:
        return n + 1

    def broken(*args: Any, **kwargs: Any) -> str:
        raise KeyError("boom")

    monkeypatch.setattr("tscript.backend.module.emit_module", broken)
    with pytest.raises(
        InternalError, match=r"test_pipeline.py:\d+:\d+: internal error while compiling 'guilty': backend: KeyError"
    ):
        guilty(1)
    monkeypatch.undo()
    assert guilty(1) == 2


def test_externals_are_what_is_used_and_not_defined() -> None:
    text = "declare i32 @ts_b_v1(ptr)\ndefine i32 @ts_a_v1(ptr %c) {\n  call i32 @ts_b_v1(ptr %c)\n  ret i32 0\n}\n"
    assert externals_of(text) == ("ts_b_v1",)
