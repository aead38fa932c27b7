"""The names of an operator, read from what its definition says."""

from __future__ import annotations

import pytest

from tscript.definitions.names import Names, Out, in_place_names, parse_names
from tscript.definitions.schema import parse_schema
from tscript.operators.table import TABLE


def names(schema: str, text: str | None = None) -> tuple[str, ...]:
    return parse_names(parse_schema(schema), text).paths


def test_by_default_a_tensor_operator_is_function_and_method() -> None:
    assert names("abs(Tensor self) -> Tensor") == ("torch.abs", "Tensor.abs")
    assert names("cat(Tensor[] tensors, int dim=0) -> Tensor") == ("torch.cat",)
    assert names("zeros(int[] size) -> Tensor") == ("torch.zeros",)
    assert names("copy_(Tensor(a!) self, Tensor src) -> Tensor") == ("tscript.copy_", "Tensor.copy_")
    assert names("upper.str(str self) -> str") == ()


def test_names_that_are_said() -> None:
    schema = "relu(Tensor self) -> Tensor"
    assert names(schema, "F.relu Tensor.relu") == ("torch.nn.functional.relu", "Tensor.relu")
    assert names(schema, "relu rectified") == ("torch.relu", "Tensor.relu", "torch.rectified", "Tensor.rectified")
    assert names(schema, "") == ()
    assert names("math_sqrt(float x) -> float", "math.sqrt") == ("math.sqrt",)


def test_keywords() -> None:
    schema = parse_schema("sum.dim(Tensor self, int[1]? dim, bool keepdim=False) -> Tensor")
    assert dict(parse_names(schema).keywords) == {
        "axis": "dim",
        "keepdims": "keepdim",
        **dict.fromkeys(("input", "x", "a", "x1"), "self"),
    }
    assert dict(parse_names(schema, "Tensor.sum").keywords) == {"axis": "dim", "keepdims": "keepdim"}
    transpose = parse_schema("transpose(Tensor self, int dim0, int dim1) -> Tensor")
    assert dict(parse_names(transpose, "Tensor.swapaxes axis0=dim0").keywords) == {"axis0": "dim0"}
    assert parse_names(parse_schema("math_pow(float x, float dim) -> float"), "math.pow").keywords == ()


@pytest.mark.parametrize("text", ["numpy.abs", "axis=dim"])
def test_names_that_are_none(text: str) -> None:
    with pytest.raises(ValueError, match="the names of abs"):
        names("abs(Tensor self) -> Tensor", text)


def test_in_place() -> None:
    relu, stored = parse_schema("relu(Tensor self) -> Tensor"), parse_schema("relu_(Tensor(a!) self) -> Tensor")
    found = in_place_names(parse_names(relu, "relu F.relu"), stored, "F.relu_", unary=True)
    assert found.paths == ("torch.relu_", "Tensor.relu_", "tscript.relu_", "torch.nn.functional.relu_")
    gelu, stored = parse_schema("gelu(Tensor self) -> Tensor"), parse_schema("gelu_(Tensor(a!) self) -> Tensor")
    found = in_place_names(parse_names(gelu, "F.gelu Tensor.gelu"), stored, "", unary=True)
    assert found.paths == ("tscript.gelu_", "Tensor.gelu_")
    sign, stored = parse_schema("sign(Tensor self) -> Tensor"), parse_schema("sign_(Tensor(a!) self) -> Tensor")
    found = in_place_names(parse_names(sign), stored, "-torch.sign_ tscript.sign_", unary=True)
    assert found.paths == ("Tensor.sign_", "tscript.sign_")
    assert in_place_names(Names(("torch.where",)), stored, "", unary=False).paths == ("tscript.where_",)


def test_out() -> None:
    def out(schema: str, text: str | None = None, given: Out = Out.SAME) -> Out | None:
        return parse_names(parse_schema(schema), text, given).out

    assert out("add(Tensor self, Tensor other) -> Tensor") is Out.SAME
    assert out("add(Tensor self, Tensor other) -> Tensor", given=Out.CAST) is Out.CAST
    assert out("sum(Tensor self, *, dtype? dtype=None) -> Tensor") is Out.DTYPE
    assert out("norm(Tensor self, *, dtype? dtype=None) -> Tensor", "norm out=same") is Out.SAME
    assert out("cat(Tensor[] tensors) -> Tensor", "cat out=cast") is Out.CAST
    assert out("max.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor, Tensor)")
    assert not out("relu(Tensor self) -> Tensor", "relu F.relu out=no")
    assert not out("gelu(Tensor self) -> Tensor", "F.gelu Tensor.gelu")
    assert not out("add_(Tensor(a!) self, Tensor other) -> Tensor")
    assert not out("numel(Tensor self) -> int", "numel")
    assert not TABLE["transpose"].names.out and TABLE["matmul"].names.out


def test_windows_have_no_short_names() -> None:
    for name in ("exponential", "cosine", "hann", "gaussian", "nuttall"):
        assert TABLE.function(f"torch.signal.windows.{name}") == f"window_{name}"
        assert name not in TABLE.functions
        assert TABLE.function(f"tscript.{name}") is None
