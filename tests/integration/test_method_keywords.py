"""Arguments by name of the methods of texts and containers: those that Python takes by name, and no others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import tscript
from tests.integration.harness import function_of


@pytest.mark.parametrize(
    "call",
    [
        "s.replace('a', 'b', count=1)", "s.replace(old='a', new='b')", "s.center(width=5)", "s.find('a', start=1)",
        "s.strip(chars='a')", "b.replace(b'a', b'b', count=1)", "s.zfill(width=9)", "s.removeprefix(prefix='a')",
        "[1].pop(index=0)", "[1].index(value=1)", "{1: 2}.get(1, default=3)", "{1: 2}.pop(1, default=3)",
        "{1: 2}.setdefault(key=1, default=3)", "s.split(sep='b', maxsplit=1)", "s.rsplit(maxsplit=1)",
        "s.splitlines(keepends=True)", "s.expandtabs(tabsize=4)", "s.encode(encoding='utf-8', errors='ignore')",
        "b.decode(encoding='ascii')", "b.split(sep=b'b')", "b.expandtabs(tabsize=2)",
    ],
)  # fmt: skip
def test_methods_take_by_name_what_python_takes_by_name(agree: Callable[..., Any], call: str) -> None:
    source = f"def f(s: str, b: bytes) -> str:\n    return repr({call})\n"
    function = function_of(source)
    try:
        function("abc", b"abc")
    except TypeError:
        with pytest.raises(tscript.CompileError, match="TS409"):
            tscript.script(function)("abc", b"abc")
    else:
        agree(function, "abc", b"abc")


def test_the_help_for_count_names_the_version(monkeypatch: pytest.MonkeyPatch) -> None:
    from tscript.frontend.values import methods

    source = "def f(s: str) -> str:\n    return s.replace('a', 'b', count=1)\n"
    monkeypatch.setattr(methods, "PYTHON", 312)
    with pytest.raises(tscript.CompileError, match=r"takes 'count' by name since Python 3\.13"):
        tscript.script(function_of(source))("a")
    monkeypatch.setattr(methods, "PYTHON", 313)
    assert tscript.script(function_of(source))("aa") == "ba"
