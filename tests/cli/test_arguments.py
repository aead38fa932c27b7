"""Values on the command line."""

from __future__ import annotations

from pathlib import Path

import pytest

from tscript.cli.arguments import parse_input, parse_signature, split_source
from tscript.cli.errors import UsageError
from tscript.ir.graph import Param
from tscript.types import parse_type


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


NAME, COUNT, MAYBE, WEIGHTS = (
    Param(name, parse_type(type))
    for name, type in (("name", "str"), ("count", "int"), ("maybe", "Optional[str]"), ("weights", "Tensor"))
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("name=Ada", ("name", "Ada")),
        ("name=5", ("name", "5")),
        ("name=true", ("name", "true")),
        ("name=x.npy", ("name", "x.npy")),
        ("name=a b=c", ("name", "a b=c")),
        ("name=", ("name", "")),
        ('name="Ada"', ("name", "Ada")),
        ("name='@home'", ("name", "@home")),
        ("Ada", (None, "Ada")),
        ("count=5", ("count", 5)),
        ("maybe=none", ("maybe", None)),
        ("maybe=None", ("maybe", None)),
        ("maybe='None'", ("maybe", "None")),
        ("xs=[1, 2]", ("xs", [1, 2])),
        ("xs=[True, None, 'a']", ("xs", [True, None, "a"])),
        ("xs={'a': 1}", ("xs", {"a": 1})),
        ("(1, 2.5)", (None, (1, 2.5))),
        ("{'a': 1}", (None, {"a": 1})),
    ],
)
def test_texts_and_literals(text: str, expected: tuple[str | None, object]) -> None:
    assert parse_input(text, [NAME, COUNT, MAYBE, WEIGHTS]) == expected


def test_a_list_for_a_tensor() -> None:
    _, value = parse_input("weights=[[1.5, 2.5]]", [WEIGHTS])
    assert tuple(value.shape) == (1, 2)


@pytest.mark.parametrize("text", ["name='Ada", "xs=[1,", "xs=[__import__('os')]", "count=Ada", "Ada"])
def test_what_is_no_literal_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="--input"):
        parse_input(text, [COUNT] if text == "Ada" else [NAME, COUNT])


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


@pytest.mark.parametrize(
    ("text", "shape", "dtype"),
    [
        ("float32[1,3,4]", (1, 3, 4), "float32"),
        ("x=i64[5]", (5,), "int64"),
        ("bool[2, 2]", (2, 2), "bool"),
        ("f64[]", (), "float64"),
        ("bfloat16[3]", (3,), "bfloat16"),
        ("complex64[2]", (2,), "complex64"),
        ("uint8[0]", (0,), "uint8"),
    ],
)
def test_random_numbers(text: str, shape: tuple[int, ...], dtype: str) -> None:
    (_, first), (_, again), (_, other) = (parse_input(text, (), n) for n in (0, 0, 1))
    assert tuple(first.shape) == shape and str(first.dtype).endswith(dtype)
    assert first.tolist() == again.tolist()
    assert dtype == "bool" or first.numel() == 0 or "=" in text or first.tolist() != other.tolist()


def test_files_of_tensors_and_pictures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import numpy as np

    from tscript import Tensor

    monkeypatch.chdir(tmp_path)
    assert isinstance(parse_input("float32[2]")[1], Tensor)
    header = b'{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}'.ljust(56)
    data = len(header).to_bytes(8, "little") + header + np.array([1.5, 2.5], np.float32).tobytes()
    (tmp_path / "in.safetensors").write_bytes(data)
    name, found = parse_input("@in.safetensors")
    assert name == "*" and found["a"].tolist() == [1.5, 2.5]
    (tmp_path / "bad.safetensors").write_bytes(data[:5])
    with pytest.raises(UsageError, match=r"bad\.safetensors"):
        parse_input("bad.safetensors")
    image = pytest.importorskip("PIL.Image")
    image.fromarray(np.arange(24, dtype=np.uint8).reshape(2, 4, 3)).save("a.png")
    image.fromarray(np.arange(8, dtype=np.uint8).reshape(2, 4)).save("grey.png")
    _, picture = parse_input("x=a.png")
    assert tuple(picture.shape) == (3, 2, 4) and picture[:, 0, 1].tolist() == [3, 4, 5]
    assert tuple(parse_input("grey.png")[1].shape) == (1, 2, 4)
    (tmp_path / "no.png").write_bytes(b"no picture")
    with pytest.raises(UsageError, match=r"no\.png"):
        parse_input("no.png")
