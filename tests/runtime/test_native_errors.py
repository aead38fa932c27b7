"""Tests of errors of native code as Python exceptions with scripted tracebacks."""

from __future__ import annotations

import ctypes
import linecache
import sys
import traceback
from pathlib import Path
from typing import Any

import pytest

from tscript.abi.layout import CONTEXT, SITE
from tscript.runtime.boundary.boundary import Boundary
from tscript.runtime.values.errors import Errors, traceback_through


def test_class_message_and_frames(native: Boundary, fake: Any) -> None:
    f = fake.function("fail", "if:N")
    with pytest.raises(IndexError, match=r"^index 7 is out of range for 0.5$") as caught:
        f(7, 0.5)
    frames = traceback.extract_tb(caught.value.__traceback__)
    assert [(f.filename, f.name, f.lineno) for f in frames][-3:] == [
        ("model.py", "outer", 30),
        ("model.py", "middle", 20),
        ("model.py", "inner", 10),
    ]
    assert frames[-4].name == "miss"
    with pytest.raises(IndexError) as caught:
        f(8, 0.5)
    assert [f.name for f in traceback.extract_tb(caught.value.__traceback__)] == [
        "test_class_message_and_frames",
        "outer",
        "middle",
        "inner",
    ]
    caught = None  # type: ignore[assignment]
    f.misses.clear()


def test_source_lines_are_shown(tmp_path: Path) -> None:
    path = tmp_path / "source.py"
    path.write_text("def f(x):\n    return x[7]\n")
    error = IndexError("no").with_traceback(traceback_through([(str(path), "f", 2)]))
    text = "".join(traceback.format_exception(error))
    assert f'  File "{path}", line 2, in f\n    return x[7]\n' in text
    linecache.clearcache()
    missing = ValueError("no").with_traceback(traceback_through([("gone.py", "f", 3), ("gone.py", "g", 9)]))
    assert "".join(traceback.format_exception(missing)) == (
        'Traceback (most recent call last):\n  File "gone.py", line 9, in g\n  File "gone.py", line 3, in f\n'
        "ValueError: no\n"
    )


def test_the_interpreter_prints_it_too(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """CPython's own printer does not go through the `traceback` module before 3.13."""
    path = tmp_path / "source.py"
    path.write_text("\n" * 999 + "    total = total + x[7]\n")
    error = IndexError("no").with_traceback(traceback_through([(str(path), "f", 1000)]))
    sys.__excepthook__(IndexError, error, error.__traceback__)
    written = capfd.readouterr().err
    assert f'File "{path}", line 1000, in f\n    total = total + x[7]\nIndexError: no' in written


def test_context_is_kept(native: Boundary, fake: Any) -> None:
    f = fake.function("fail", "if:N")

    def run() -> None:
        try:
            raise KeyError("first")
        except KeyError:
            f(1, 2.0)

    with pytest.raises(IndexError) as caught:
        run()
    assert isinstance(caught.value.__context__, KeyError)
    caught = None  # type: ignore[assignment]
    f.misses.clear()


def _context(**fields: Any) -> tuple[Any, list[Any]]:
    site = SITE.ctype()
    kept: list[Any] = [site]
    for name, value in fields.items():
        if isinstance(value, bytes):
            kept.append(ctypes.create_string_buffer(value))
            value = ctypes.addressof(kept[-1])
        if hasattr(site, name):
            setattr(site, name, value)
    context = CONTEXT.ctype()
    context.ntrace = 1
    context.trace[0] = ctypes.addressof(site)
    for name in ("nargs", "kinds"):
        setattr(context, name, fields.get(name, 0))
    return context, kept


def test_odd_sites() -> None:
    cases = (
        ({"exception": b"ValueError"}, ValueError, ""),
        ({"exception": b"NoSuchClass", "message": b"m"}, RuntimeError, "m"),
        ({"exception": b"print", "message": b"m"}, RuntimeError, "m"),
        ({"exception": b"KeyError", "message": b"{3} {x}"}, KeyError, "'{3} {x}'"),
        (
            {"exception": b"ValueError", "message": "naïve {0} {1}".encode(), "nargs": 99, "kinds": 2},
            ValueError,
            "naïve tscript.uint8 0",
        ),
        ({"exception": b"ValueError", "message": b"\xff{"}, ValueError, "\ufffd{"),
        ({"exception": b"ValueError", "message": b"x", "line": -3}, ValueError, "x"),
    )
    for fields, kind, message in cases:
        context, kept = _context(**fields)
        error = Errors().exception_of(ctypes.addressof(context))
        assert (type(error), str(error)) == (kind, message)
        assert traceback.format_exception(error)
        del kept


def test_a_chain_of_callers_may_not_be_endless() -> None:
    context, kept = _context(exception=b"ValueError", message=b"x", file=b"model.py")
    kept[0].caller = ctypes.addressof(kept[0])
    error = Errors().exception_of(ctypes.addressof(context))
    assert len(traceback.extract_tb(error.__traceback__)) == 1000


def test_a_context_without_sites() -> None:
    context = CONTEXT.ctype()
    assert isinstance(Errors().exception_of(ctypes.addressof(context)), SystemError)
