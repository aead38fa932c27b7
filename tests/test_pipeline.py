"""The compiler as a whole: stages, internal errors, what an object refers to."""

from __future__ import annotations

from typing import Any

import pytest

import tscript
from tscript.abi.symbols import runtime_symbols
from tscript.diagnostics import InternalError
from tscript.ir.parser import parse_program
from tscript.operators.table import TABLE
from tscript.pipeline import Compiler


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
    graphs = """
    graph @ts_a_v1(%x: list[str], %n: float) -> float {
      %s: str = const "a"
      %u: None = append.list(%x, %s)
      %y: float = call @other(%n)
      return %y
    }
    graph @other(%n: float) -> float {
      %r: float = math_sin(%n)
      return %r
    }
    """
    externals = Compiler().emit(parse_program(graphs, TABLE), "ts_a_v1").externals
    assert externals == ("sin", "ts_list_grow_v1", "ts_object_retain_v1", "ts_type:str_v1")
    assert runtime_symbols(externals) == externals[1:]
