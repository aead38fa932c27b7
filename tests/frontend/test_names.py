"""What Python objects mean, with placeholders for torch, which need not be installed."""

from __future__ import annotations

import enum
import math
import types
import typing
from typing import Any

import pytest

import tscript
from tscript import dialect
from tscript.dialect import machine
from tscript.frontend import LanguageResolver
from tscript.frontend.source.descriptions import shown_symbol
from tscript.frontend.source.functions import FunctionSymbol
from tscript.frontend.source.symbols import (
    ConstantSymbol,
    ExceptionSymbol,
    KnownSymbol,
    LeafSymbol,
    ModuleSymbol,
    NamespaceSymbol,
    OperatorSymbol,
    PythonSymbol,
    Symbol,
    TypeSymbol,
    TypeVariableSymbol,
    UnknownSymbol,
)
from tscript.types import DTYPE, F32, SIZE, TENSOR, PtrType, dtypes

RESOLVER = LanguageResolver()


def from_torch(name: str, module: str = "torch", kind: str = "builtin_function_or_method") -> Any:
    """Something that says it is `module.name`."""
    found = type(kind, (), {"__module__": module, "__call__": lambda self: None})()
    found.__name__ = name
    found.__module__ = module
    return found


class Dtype:
    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return f"torch.{self.name}"


Dtype.__module__, Dtype.__name__ = "torch", "dtype"


class Color(enum.Enum):
    RED = 1


def module(name: str, **members: object) -> types.ModuleType:
    found = types.ModuleType(name)
    vars(found).update(members)
    return found


def torch_class(name: str) -> type:
    return type(name, (), {"__module__": "torch"})


def plain(n: int) -> int:
    return n


@pytest.mark.parametrize(
    ("value", "wanted"),
    [
        (3, ConstantSymbol(3)),
        (True, ConstantSymbol(True)),
        (2.5, ConstantSymbol(2.5)),
        ("a", ConstantSymbol("a")),
        (None, ConstantSymbol(None)),
        ((1, (2.0, "a")), ConstantSymbol((1, (2.0, "a")))),
        (dtypes.float32, ConstantSymbol(dtypes.float32)),
        (Dtype("float64"), ConstantSymbol(dtypes.float64)),
        (Dtype("long"), ConstantSymbol(dtypes.int64)),
        ((Dtype("int32"),), ConstantSymbol((dtypes.int32,))),
        (from_torch("relu"), OperatorSymbol("relu", "torch.relu")),
        (from_torch("relu", "torch.nn.functional"), OperatorSymbol("relu", "torch.relu")),
        (from_torch("special_expit", "torch._C._special"), OperatorSymbol("sigmoid", "torch.special.expit")),
        (from_torch("linalg_matmul", "torch._C._linalg"), OperatorSymbol("matmul", "torch.linalg.matmul")),
        (from_torch("gelu", "torch._C._nn"), OperatorSymbol("gelu", "torch.gelu")),
        (from_torch("add", "tscript"), OperatorSymbol("add", "tscript.add")),
        (from_torch("is_scripting", "torch._jit_internal"), KnownSymbol(True, "torch.jit.is_scripting")),
        (torch_class("Tensor"), TypeSymbol(TENSOR, "Tensor")),
        (torch_class("Size"), TypeSymbol(SIZE, "Size")),
        (torch_class("dtype"), TypeSymbol(DTYPE, "dtype")),
        (module("torch"), NamespaceSymbol("torch")),
        (module("torch.nn.functional"), NamespaceSymbol("torch.nn.functional")),
        (module("tscript"), NamespaceSymbol("tscript")),
        (math.sqrt, OperatorSymbol("math_sqrt", "math.sqrt")),
        (math, ModuleSymbol("math", vars(math))),
        (len, PythonSymbol(len)),
        (int, PythonSymbol(int)),
        (ValueError, ExceptionSymbol("ValueError")),
        (typing.Optional, PythonSymbol(typing.Optional)),
        (dialect.select, LeafSymbol(machine.SELECT)),
        (machine.ADD, LeafSymbol(machine.ADD)),
        (dialect.pointer_cast, LeafSymbol(machine.POINTER_CAST)),
        (dialect.f32, TypeSymbol(F32, "f32")),
        (dialect.T, TypeVariableSymbol("T")),
        (dialect.Ptr[dialect.f32], TypeSymbol(PtrType(F32), "Ptr[f32]")),
        (F32, TypeSymbol(F32, "f32")),
        (NamespaceSymbol("torch.float32"), ConstantSymbol(dtypes.float32)),
        (NamespaceSymbol("torch.nn.functional.relu"), OperatorSymbol("relu", "torch.nn.functional.relu")),
        (NamespaceSymbol("torch.special.expit"), OperatorSymbol("sigmoid", "torch.special.expit")),
        (NamespaceSymbol("torch.linalg.matmul"), OperatorSymbol("matmul", "torch.linalg.matmul")),
        (NamespaceSymbol("torch.nn.functional.softmax"), OperatorSymbol("softmax", "torch.nn.functional.softmax")),
        (NamespaceSymbol("torch.exp_"), OperatorSymbol("exp_", "torch.exp_")),
        (NamespaceSymbol("tscript.nn.functional.gelu"), OperatorSymbol("gelu", "tscript.nn.functional.gelu")),
        (NamespaceSymbol("tscript.gelu"), OperatorSymbol("gelu", "tscript.gelu")),
        (NamespaceSymbol("tscript.view"), OperatorSymbol("view", "tscript.view")),
        (NamespaceSymbol("torch.inf"), ConstantSymbol(math.inf)),
    ],
)
def test_symbol(value: object, wanted: Symbol):
    assert RESOLVER.symbol(value) == wanted
    assert shown_symbol(wanted)


@pytest.mark.parametrize(
    ("value", "what"),
    [
        ([1, object()], "a list with an object"),
        ({"a": len}, "a dict with 'len'"),
        ((1, [object()]), "a tuple with a list with an object"),
        (UnicodeDecodeError, "the exception UnicodeDecodeError"),
        (from_torch("no_such_operator"), "torch.no_such_operator"),
        (NamespaceSymbol("torch.nn.Linear"), "torch.nn.Linear"),
        (NamespaceSymbol("torch.a.b.c"), "torch.a.b.c"),
        pytest.param(object(), "an object", id="object"),
    ],
)
def test_what_cannot_be_used(value: object, what: str):
    found = RESOLVER.symbol(value)
    assert isinstance(found, UnknownSymbol)
    assert found.what == what


@pytest.mark.parametrize(
    ("path", "instead"),
    [
        ("torch.linalg.relu", "it is 'torch.relu'"),
        ("torch.jit.softmax", "it is 'torch.softmax'"),
        ("torch.nn.functional.matmul", "it is 'torch.matmul'"),
        ("torch.nn.relu", "it is 'torch.relu'"),
        ("torch.gelu", "it is 'torch.nn.functional.gelu'"),
        ("torch.expit", "it is 'torch.special.expit'"),
        ("tscript.linalg.relu", "it is 'tscript.relu'"),
        ("tscript.special.view", "it is 'tscript.view'"),
        ("torch.view", "it is a method: write 'x.view(...)'"),
        ("torch.add_", "it is a method: write 'x.add_(...)'"),
        ("torch.sign_", "it is a method: write 'x.sign_(...)'"),
        ("torch.nn.functional.rellu", "did you mean 'torch.nn.functional.relu'?"),
        ("torch.gellu", "did you mean 'torch.nn.functional.gelu'?"),
        ("torch.jit.Tensor", "it is 'torch.Tensor'"),
        ("torch.linalg.float32", "it is 'torch.float32'"),
        ("torch.nn.Linear", "write the module as a class with tensors in it, or a function that takes them"),
    ],
)
def test_functions_have_their_places(path: str, instead: str):
    found = RESOLVER.symbol(NamespaceSymbol(path))
    assert isinstance(found, UnknownSymbol)
    assert (found.what, found.instead) == (path, instead)


def test_functions_are_read_once():
    first, second = RESOLVER.symbol(plain), RESOLVER.symbol(plain)
    assert isinstance(first, FunctionSymbol)
    assert first == second


def test_members():
    torch = RESOLVER.symbol(module("torch"))
    assert RESOLVER.member(torch, "float32") == ConstantSymbol(dtypes.float32)
    assert RESOLVER.member(torch, "nn") == NamespaceSymbol("torch.nn")
    assert RESOLVER.member(torch, "add") == OperatorSymbol("add", "torch.add")
    assert RESOLVER.member(ConstantSymbol(3), "real") is None
    mine = RESOLVER.symbol(module("mine", K=3))
    assert RESOLVER.member(mine, "K") == ConstantSymbol(3)


def test_real_torch_objects():
    torch = pytest.importorskip("torch")
    functional = torch.nn.functional
    operators = {f: f.__name__ for f in (torch.add, torch.relu, functional.softmax, functional.gelu, torch.cat)}
    for value, name in operators.items():
        assert RESOLVER.symbol(value) == OperatorSymbol(name, f"torch.{name}")
    assert RESOLVER.symbol(torch.special.expit) != RESOLVER.symbol(torch.exp)
    assert RESOLVER.symbol(torch.float32) == ConstantSymbol(dtypes.float32)
    assert RESOLVER.symbol(torch.Tensor) == TypeSymbol(TENSOR, "Tensor")
    assert RESOLVER.symbol(torch.jit.is_scripting) == KnownSymbol(True, "torch.jit.is_scripting")


def test_operators_and_helpers_of_torch_by_other_names() -> None:
    """``torch.ops.aten.relu`` kept in a global, and ``_pair``, which is a function made by another."""
    torch = pytest.importorskip("torch")
    from torch.nn.modules.utils import _pair, _triple

    rectified = torch.ops.aten.relu

    def f(x: tscript.Tensor, n: int) -> tscript.Tensor:
        return rectified(x) + _pair(n)[1] + _triple((n, 2, 3))[2]  # type: ignore[no-any-return]

    assert tscript.script(f)(tscript.tensor([-1.0, 2.0]), 4).tolist() == [7.0, 9.0]


def test_classes_of_tensors_of_torch() -> None:
    """In annotations they are tensors; a test for one asks for a dtype, which a type does not have."""
    torch = pytest.importorskip("torch")

    def f(x: torch.LongTensor, weight: "torch.nn.Parameter") -> torch.FloatTensor:  # type: ignore[name-defined]
        return torch.mul(x, weight)

    def g(x: tscript.Tensor) -> bool:
        return isinstance(x, torch.LongTensor)

    assert tscript.script(f)(tscript.tensor([1, 2]), tscript.tensor([0.5, 1.0])).tolist() == [0.5, 2.0]
    with pytest.raises(tscript.CompileError, match=r"x\.dtype == torch\.int64"):
        tscript.script(g)
