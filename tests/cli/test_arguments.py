"""Values on the command line."""

from __future__ import annotations

from pathlib import Path

import pytest

from tscript.cli.arguments import parse_input, parse_signature, split_source
from tscript.cli.errors import UsageError


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1", (None, 1)),
        ("-7", (None, -7)),
        ("1e3", (None, 1000.0)),
        ("inf", (None, float("inf"))),
        ("n=1", ("n", 1)),
        ("flag=true", ("flag", True)),
        ("x=none", ("x", None)),
        ("False", (None, False)),
    ],
)
def test_plain_inputs(text: str, expected: tuple[str | None, object]) -> None:
    found = parse_input(text)
    assert found == expected
    assert type(found[1]) is type(expected[1])


@pytest.mark.parametrize(
    ("text", "shape", "dtype"),
    [
        ("2x3xf32=0", (2, 3), "float32"),
        ("xs=3xi64=1,2,3", (3,), "int64"),
        ("f64=2.5", (), "float64"),
        ("0xu8=0", (0,), "uint8"),
    ],
)
def test_tensors(text: str, shape: tuple[int, ...], dtype: str) -> None:
    _, value = parse_input(text)
    assert tuple(value.shape) == shape
    assert str(value.dtype).endswith(dtype)


def test_signatures() -> None:
    name, types = parse_signature("f( Tensor[float32, 2] , int)")
    assert (name, [str(t) for t in types]) == ("f", ["Tensor[float32, 2]", "int"])
    assert parse_signature("()") == (None, ())


@pytest.mark.parametrize("text", ["", "f", "f(", "f(int", "f(,)", "f(Tensor[float32)", "f(int))", "f(int);"])
def test_what_is_no_signature(text: str) -> None:
    with pytest.raises(UsageError):
        parse_signature(text)


def test_a_colon_may_be_part_of_a_file_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a:b.py").write_text("")
    assert split_source("a:b.py")[1] is None
    assert split_source("a:b.py:f")[1] == "f"
