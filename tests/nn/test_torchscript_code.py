"""Code of TorchScript, written here: arguments of operators, and what operators meant in older archives."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path
from typing import Any

import pytest

import tscript
from tscript.nn.torchscript import load_torchscript, report

FUNCTION = Path(__file__).parent.parent / "data" / "torchscript" / "function.pt"
HEAD = """class PlaceholderModule(Module):
  __parameters__ = []
  __buffers__ = []
  training : bool
  def forward(self: __torch__.PlaceholderModule"""


def archive(code: str, version: int = 10) -> bytes:
    """An archive of a function, with other code in it and another version."""
    held = io.BytesIO()
    with zipfile.ZipFile(FUNCTION) as file, zipfile.ZipFile(held, "w") as out:
        for member in file.namelist():
            content = file.read(member)
            if member.endswith("__torch__.py"):
                content = code.encode()
            elif member.endswith("/version"):
                content = f"{version}\n".encode()
                member = member if version < 6 else member.replace("/version", "/.data/version")
            if not member.endswith(".debug_pkl"):
                out.writestr(member, content)
    return held.getvalue()


def function(parameters: str, result: str, *lines: str, version: int = 10) -> Any:
    """A function of TorchScript: the types of its parameters, of its result, and its lines."""
    body = "".join(f"    {line}\n" for line in lines)
    return load_torchscript(archive(f"{HEAD}, {parameters}) -> {result}:\n{body}", version), "code")


def of_tensor(text: str, version: int = 10) -> Any:
    """A function of a tensor `x`, of which an expression is the result."""
    return function("x: Tensor", "Tensor", f"return {text}", version=version)


IMAGE = tscript.arange(24.0).reshape(1, 2, 3, 4)


@pytest.mark.parametrize("flag", ["True", "False", ""])
def test_index_put_adds_up(flag: str) -> None:
    f = function(
        "x: Tensor, i: Tensor, v: Tensor",
        "Tensor",
        "_0 = annotate(List[Optional[Tensor]], [i])",
        f"_1 = torch.index_put_(x, _0, v{', ' * bool(flag)}{flag})",
        "return x",
    )
    found = f(tscript.zeros(3), tscript.tensor([1, 1, 2]), tscript.tensor([1.0, 2.0, 3.0]))
    assert found.tolist() == [0, 3 if flag == "True" else 2, 3]


def test_what_gives_several_tensors_is_a_list() -> None:
    f = function(
        "x: Tensor",
        "List[Tensor]",
        "_0 = torch.add([x], torch.chunk(x, 2))",
        "_1 = torch.add(torch.unbind(x), [x])",
        "return torch.add(_0, _1)",
    )
    assert [len(part.ravel()) for part in f(tscript.ones(2, 2))] == [4, 2, 2, 2, 2, 4]


def test_index_put_that_adds_up_over_whole_dimensions_is_refused_where_it_stands() -> None:
    f = function(
        "x: Tensor, i: Tensor",
        "Tensor",
        "_0 = annotate(List[Optional[Tensor]], [None, i])",
        "_1 = torch.index_put_(x, _0, torch.ones([2]), True)",
        "return x",
    )
    with pytest.raises(NotImplementedError, match="adds up"):
        f(tscript.zeros(2, 2), tscript.tensor([1, 1]))


def test_a_softmax_of_halfs_to_floats_is_refused_as_there() -> None:
    for name in ("_softmax", "_log_softmax"):
        with pytest.raises(RuntimeError, match="half to float"):
            of_tensor(f"torch.{name}(x, 0, True)")(tscript.ones(2))
    assert of_tensor("torch._softmax(x, 0, False)")(tscript.ones(2)).tolist() == [0.5, 0.5]


@pytest.mark.parametrize(
    "text",
    [
        "torch.contiguous(x, memory_format=2)",
        "torch.clone(x, memory_format=2)",
        "torch.to(x, 6, False, False, 2)",
        "torch.to(x, torch.device('cpu'), 6, False, False, 2)",
        "torch.to(x, torch.ones([1]), False, False, 2)",
        "torch.to(x, dtype=6, layout=0, device=torch.device('cpu'), pin_memory=False, memory_format=2)",
    ],
)
def test_memory_formats(text: str) -> None:
    found = of_tensor(text)(IMAGE)
    assert found.stride() == (24, 1, 8, 2)
    assert found.tolist() == IMAGE.tolist()
    assert function("x: Tensor", "bool", "return torch.is_contiguous(x, memory_format=2)")(found)
    assert not function("x: Tensor", "bool", "return torch.is_contiguous(x, memory_format=2)")(IMAGE)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("torch.empty_like(x, memory_format=2)", "channels last"),
        ("torch.full_like(x, 1, memory_format=2)", "channels last"),
        ("torch.full_like(x, 1, layout=1)", "not strided"),
        ("torch.rand_like(x, layout=2)", "not strided"),
    ],
)
def test_other_layouts_are_refused_where_they_stand(text: str, what: str) -> None:
    with pytest.raises(NotImplementedError, match=what):
        of_tensor(text)(IMAGE)


@pytest.mark.parametrize(
    ("text", "copies", "dtype"),
    [
        ("torch.to(x, 6)", False, "float32"),
        ("torch.to(x, 6, False, True)", True, "float32"),
        ("torch.to(x, 7, False, True, None)", True, "float64"),
        ("torch.to(x, torch.device('cpu'), 6, False, True)", True, "float32"),
        ("torch.to(x, torch.device('cpu'), None, False, False)", False, "float32"),
        ("torch.to(x, torch.device('cpu'), None, False, True)", True, "float32"),
        ("torch.to(x, None, False, True)", True, "float32"),
        ("torch.to(x, False, True)", True, "float32"),
        ("torch.to(x, torch.ones([1], dtype=4), False, False)", True, "int64"),
        ("torch.to(x, dtype=4, layout=0, device=None, pin_memory=None, non_blocking=True, copy=True)", True, "int64"),
        ("torch.to(x, device=torch.device('cpu'), copy=True)", True, "float32"),
    ],
)
def test_the_forms_of_to(text: str, copies: bool, dtype: str) -> None:
    x = tscript.ones(2)
    found = of_tensor(text)(x)
    assert found.dtype is getattr(tscript, dtype)
    assert (found.data_ptr() != x.data_ptr()) is copies


def test_results_in_given_tensors() -> None:
    f = function("x: Tensor, out: Tensor", "Tensor", "return torch.div(x, x, out=out)")
    out = tscript.zeros(2)
    assert f(tscript.ones(2), out).tolist() == out.tolist() == [1, 1]
    f = function("x: Tensor", "Tensor", "return torch.add(x, x, out=x)")
    with pytest.raises(NotImplementedError, match="aten::add with out="):
        f(out)


def test_tasks_use_what_is_around_them() -> None:
    f = function(
        "x: Tensor, n: int",
        "Tensor",
        "w = torch.mul(x, n)",
        "def __forked_function():",
        "  y = torch.add(w, x)",
        "  return torch.neg(y)",
        "_1 = fork(__forked_function)",
        "return torch.wait(_1)",
    )
    assert f(tscript.ones(2), 3).tolist() == [-4, -4]


def test_sorts_by_name() -> None:
    x = tscript.tensor([[3.0, 1.0, 2.0], [6.0, 5.0, 4.0]])
    found = of_tensor("(torch.sort(x, stable=True, dim=0, descending=True))[0]")(x)
    assert found.tolist() == [[6, 5, 4], [3, 1, 2]]


def test_scalar_tensors_are_floats() -> None:
    found = of_tensor("torch.scalar_tensor(3, layout=0, device=torch.device('cpu'))")(IMAGE)
    assert found.dtype is tscript.float32
    assert of_tensor("torch.scalar_tensor(3, dtype=4)")(IMAGE).dtype is tscript.int64


@pytest.mark.parametrize(
    "mode", ["nearest1d", "nearest2d", "nearest3d", "linear1d", "bilinear2d", "trilinear3d", "bicubic2d"]
)
def test_resizing(mode: str) -> None:
    dims = int(mode[-2])
    x = tscript.arange(float(3**dims)).reshape(1, 1, *[3] * dims)
    corners = "" if mode.startswith("nearest") else ", False"
    name = mode[:-2]
    options = {} if not corners else {"align_corners": False}
    by_size = of_tensor(f"torch.upsample_{mode}(x, {[5] * dims}{corners}, None)")(x)
    assert by_size.tolist() == tscript.nn.functional.interpolate(x, (5,) * dims, mode=name, **options).tolist()
    by_factor = of_tensor(f"torch.upsample_{mode}(x, None{corners}, {[1.7] * dims})")(x)
    expected = tscript.nn.functional.interpolate(x, scale_factor=(1.7,) * dims, mode=name, **options)
    assert by_factor.tolist() == expected.tolist()


def test_resizing_with_corners_and_antialias() -> None:
    found = of_tensor("torch.upsample_bilinear2d(x, [2, 7], True, None)")(IMAGE)
    assert (
        found.tolist() == tscript.nn.functional.interpolate(IMAGE, (2, 7), mode="bilinear", align_corners=True).tolist()
    )
    found = of_tensor("torch._upsample_bicubic2d_aa(x, [2, 2], False, None)")(IMAGE)
    expected = tscript.nn.functional.interpolate(IMAGE, (2, 2), mode="bicubic", antialias=True)
    assert found.tolist() == expected.tolist()
    with pytest.raises(NotImplementedError, match="do not follow"):
        of_tensor("torch.upsample_bilinear2d(x, [2, 7], True, 2.0, 1.8)")(IMAGE)
    found = of_tensor("torch.upsample_bilinear2d(x, [2, 7], False, 0.7, 1.8)")(IMAGE)
    expected = tscript.nn.functional.interpolate(IMAGE, scale_factor=(0.7, 1.8), mode="bilinear")
    assert found.tolist() == expected.tolist()


@pytest.mark.parametrize(
    ("version", "text", "given", "expected"),
    [
        (3, "torch.div(x, 2)", tscript.tensor([-3, 3]), [-1, 1]),
        (4, "torch.div(x, 2)", tscript.tensor([-3, 3]), [-1.5, 1.5]),
        (3, "torch.div(x, x)", tscript.tensor([-3, 3]), [1, 1]),
        (3, "torch.div(x, 2.)", tscript.tensor([-3, 3]), [-1.5, 1.5]),
        (3, "torch.div(x, torch.ones([1]))", tscript.tensor([-3, 3]), [-3.0, 3.0]),
        (3, "torch.div(x, 2)", tscript.tensor([-3.0, 3.0]), [-1.5, 1.5]),
        (3, "torch.div(x, 2, rounding_mode='floor')", tscript.tensor([-3, 3]), [-2, 1]),
        (3, "torch.div_(x, 2)", tscript.tensor([-3, 3]), [-1, 1]),
        (3, "torch.div_(x, 2)", tscript.tensor([-3.0, 3.0]), [-1.5, 1.5]),
        (3, "torch.mul(x, torch.div(3, 2))", tscript.tensor([2.0]), [3.0]),
        (4, "torch.full([2], 3)", IMAGE, [3.0, 3.0]),
        (4, "torch.full([2], True)", IMAGE, [1.0, 1.0]),
        (4, "torch.full([2], 3, dtype=4)", IMAGE, [3, 3]),
        (5, "torch.full([2], 3)", IMAGE, [3, 3]),
        (5, "torch.full([1], True)", IMAGE, [True]),
        (7, "torch.linspace(0, 99, None)", IMAGE, [float(i) for i in range(100)]),
        (7, "torch.linspace(0, 99, dtype=4, layout=0)", IMAGE, list(range(100))),
        (7, "torch.linspace(0, 2, 3)", IMAGE, [0.0, 1.0, 2.0]),
        (8, "torch.linspace(0, 2, 3)", IMAGE, [0.0, 1.0, 2.0]),
        (8, "torch.logspace(0, 0, None, 2.)", IMAGE, [1.0] * 100),
        (8, "torch.logspace(0, 2, 3)", IMAGE, [1.0, 10.0, 100.0]),
        (9, "torch.gelu(x)", tscript.zeros(2), [0.0, 0.0]),
        (10, "torch.gelu(x, approximate='tanh')", tscript.zeros(2), [0.0, 0.0]),
    ],
)
def test_operators_mean_what_they_meant(version: int, text: str, given: Any, expected: list[Any]) -> None:
    found = of_tensor(text, version)(given.clone()).tolist()
    assert found == expected
    assert list(map(type, found)) == list(map(type, expected))


def test_steps_that_newer_archives_lack_are_an_error() -> None:
    with pytest.raises(tscript.CompileError):
        of_tensor("torch.linspace(0, 2, None)", 8)(IMAGE)


def test_a_report_knows_the_version() -> None:
    data = archive(f"{HEAD}, x: Tensor) -> Tensor:\n    return torch.div(x, 2)\n", 3)
    assert report(data).version == 3
    assert report(data).is_complete


def test_numbers_are_made_of_tensors_where_the_code_declares_them() -> None:
    f = function(
        "x: Tensor", "int", "n = annotate(int, torch.select(x, 0, 1))", "return torch.add(n, annotate(int, 1))"
    )
    assert f(tscript.tensor([1, 5])) == 6


def test_a_parameter_that_a_tensor_is_converted_to_is_a_dtype() -> None:
    f = function("x: Tensor, kind: int", "Tensor", "return torch.to(x, kind)")
    assert f(tscript.ones(2), tscript.int64).dtype == tscript.int64
