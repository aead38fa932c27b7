"""Objects of PyTorch given to scripted functions: dtypes, devices, layouts, and tensors in unions."""

# mypy: disable-error-code="attr-defined,operator,index,valid-type,name-defined"

from __future__ import annotations

from typing import Any, Dict, List, Optional, Tuple, Union

import pytest

import tscript
from tscript import Tensor

torch: Any = pytest.importorskip("torch")


def test_dtypes_that_no_tensor_has_are_compared():
    @tscript.script
    def f(x: Tensor, dtype: Optional[torch.dtype]) -> Tuple[bool, bool, bool]:
        return (
            x.dtype == torch.complex32,
            dtype is not None and dtype in (torch.float16, torch.complex32),
            x.dtype not in [torch.float8_e5m2],
        )

    def g(x: Tensor) -> Tensor:
        return x.to(torch.complex32)

    assert f(torch.ones(1), torch.float16) == (False, True, True)
    with pytest.raises(tscript.CompileError, match="a dtype that no tensor has here"):
        tscript.script(g)(torch.ones(1))


def test_objects_of_pytorch_are_arguments():
    @tscript.script
    def f(x: Tensor, dtype: torch.dtype, maybe: Optional[torch.dtype] = None) -> Tensor:
        return x.to(dtype) if maybe is None else x.to(maybe)

    @tscript.script
    def g(
        device: torch.device,
        maybe: Optional[torch.device],
        layout: torch.layout,
        either: Union[int, torch.dtype],
        many: List[torch.dtype],
    ) -> str:
        kind = "int" if isinstance(either, int) else "dtype"
        return f"{device} {maybe} {layout == torch.strided} {kind} {len(many)}"

    x = torch.ones(2)
    assert f(x, torch.float16).dtype == torch.float16
    assert f(x, torch.float16, torch.int32).dtype == torch.int32
    assert f(x, tscript.float64, None).dtype == torch.float64
    cpu = torch.device("cpu")
    assert g(cpu, cpu, torch.strided, torch.int8, [torch.bool]) == "cpu cpu True dtype 1"
    assert g(cpu, None, torch.strided, 3, []) == "cpu None True int 0"
    with pytest.raises(TypeError, match="dtype"):
        f(x, "float16")


def test_tensors_of_pytorch_are_members_of_unions():
    @tscript.script
    def f(x: Union[Tensor, int, Dict[str, Tensor]]) -> float:
        if isinstance(x, Tensor):
            return float(x.sum())
        if isinstance(x, int):
            return float(x)
        return float(x["a"].sum())

    x = torch.ones(3)
    assert [f(x), f(2), f({"a": x})] == [3.0, 2.0, 3.0]
