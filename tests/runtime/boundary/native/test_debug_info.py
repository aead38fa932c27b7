"""Tokens of debug info, as plain Python over checked memory with a model of CPython."""

from __future__ import annotations

from tests.runtime.boundary.conftest import Python
from tscript.dialect import DebugToken, pointer
from tscript.dialect.memory_model import space
from tscript.runtime.boundary.native import debug_info


def test_tokens_keep_their_object(python: Python) -> None:
    seen: list[str] = []

    def does(what: str) -> int:
        seen.append(what)
        return 0

    space().functions["Py_IsInitialized"] = lambda: 1
    space().functions["PyGILState_Ensure"] = lambda: does("ensure")
    space().functions["PyGILState_Release"] = lambda state: does("release")
    before = python.alive
    one = python.integer(7)
    token = debug_info.new_token(one)
    assert (one.refcount, pointer(token, DebugToken).object) == (2, one)
    python.Py_DecRef(one)
    assert debug_info.retain_token(token) == token
    debug_info.release_token(token)
    assert (seen, python.alive) == ([], before + 1)
    debug_info.release_token(token)
    assert (seen, python.alive) == (["ensure", "release"], before)


def test_no_token(python: Python) -> None:
    assert debug_info.retain_token(0) == 0
    debug_info.release_token(0)
    one = python.integer(7)
    python.memory = 0
    assert (debug_info.new_token(one), one.refcount) == (0, 1)
