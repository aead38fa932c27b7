"""What Python objects mean, with stand-ins for torch, which need not be installed."""

from __future__ import annotations

import enum
import math
import types
import typing
from typing import Any

import pytest

from tscript import dialect
from tscript.dialect import machine
from tscript.frontend.source.names import NameResolver, describe
from tscript.frontend.source.symbols import (
    ConstantMeaning,
    ExceptionMeaning,
    FunctionMeaning,
    KnownMeaning,
    LeafMeaning,
    Meaning,
    ModuleMeaning,
    NamespaceMeaning,
    OperatorMeaning,
    PythonMeaning,
    TypeMeaning,
    TypeVariableMeaning,
    UnknownMeaning,
)
from tscript.types import DTYPE, F32, SIZE, TENSOR, PtrType, dtypes

RESOLVER = NameResolver()


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
        (3, ConstantMeaning(3)),
        (True, ConstantMeaning(True)),
        (2.5, ConstantMeaning(2.5)),
        ("a", ConstantMeaning("a")),
        (None, ConstantMeaning(None)),
        ((1, (2.0, "a")), ConstantMeaning((1, (2.0, "a")))),
        (dtypes.float32, ConstantMeaning(dtypes.float32)),
        (Dtype("float64"), ConstantMeaning(dtypes.float64)),
        (Dtype("long"), ConstantMeaning(dtypes.int64)),
        ((Dtype("int32"),), ConstantMeaning((dtypes.int32,))),
        (from_torch("relu"), OperatorMeaning("relu", "torch.relu")),
        (from_torch("relu", "torch.nn.functional"), OperatorMeaning("relu", "torch.relu")),
        (from_torch("special_exp", "torch._C._special"), OperatorMeaning("exp", "torch.exp")),
        (from_torch("add", "tscript"), OperatorMeaning("add", "tscript.add")),
        (from_torch("is_scripting", "torch._jit_internal"), KnownMeaning(True, "torch.jit.is_scripting")),
        (torch_class("Tensor"), TypeMeaning(TENSOR, "Tensor")),
        (torch_class("Size"), TypeMeaning(SIZE, "Size")),
        (torch_class("dtype"), TypeMeaning(DTYPE, "dtype")),
        (module("torch"), NamespaceMeaning("torch")),
        (module("torch.nn.functional"), NamespaceMeaning("torch.nn.functional")),
        (module("tscript"), NamespaceMeaning("tscript")),
        (math.sqrt, OperatorMeaning("math_sqrt", "math.sqrt")),
        (math, ModuleMeaning("math", vars(math))),
        (len, PythonMeaning(len)),
        (int, PythonMeaning(int)),
        (ValueError, ExceptionMeaning("ValueError")),
        (typing.Optional, PythonMeaning(typing.Optional)),
        (dialect.select, LeafMeaning(machine.SELECT)),
        (machine.ADD, LeafMeaning(machine.ADD)),
        (dialect.pointer_cast, LeafMeaning(machine.POINTER_CAST)),
        (dialect.f32, TypeMeaning(F32, "f32")),
        (dialect.T, TypeVariableMeaning("T")),
        (dialect.Ptr[dialect.f32], TypeMeaning(PtrType(F32), "Ptr[f32]")),
        (F32, TypeMeaning(F32, "f32")),
        (NamespaceMeaning("torch.float32"), ConstantMeaning(dtypes.float32)),
        (NamespaceMeaning("torch.nn.functional.relu"), OperatorMeaning("relu", "torch.nn.functional.relu")),
        (NamespaceMeaning("torch.inf"), ConstantMeaning(math.inf)),
    ],
)
def test_meaning(value: object, wanted: Meaning):
    assert RESOLVER.meaning(value) == wanted
    assert describe(wanted)


@pytest.mark.parametrize(
    ("value", "what"),
    [
        ([1, 2], "a list"),
        ({}, "a dict"),
        ((1, [2]), "a tuple with a list"),
        (UnicodeDecodeError, "the exception UnicodeDecodeError"),
        (from_torch("no_such_operator"), "torch.no_such_operator"),
        (NamespaceMeaning("torch.nn.Linear"), "torch.nn.Linear"),
        (NamespaceMeaning("torch.a.b.c"), "torch.a.b.c"),
        pytest.param(object(), "an object", id="object"),
    ],
)
def test_what_cannot_be_used(value: object, what: str):
    found = RESOLVER.meaning(value)
    assert isinstance(found, UnknownMeaning)
    assert found.what == what


def test_functions_are_read_once():
    first, second = RESOLVER.meaning(plain), RESOLVER.meaning(plain)
    assert isinstance(first, FunctionMeaning)
    assert first == second


def test_members():
    torch = RESOLVER.meaning(module("torch"))
    assert RESOLVER.member(torch, "float32") == ConstantMeaning(dtypes.float32)
    assert RESOLVER.member(torch, "nn") == NamespaceMeaning("torch.nn")
    assert RESOLVER.member(torch, "add") == OperatorMeaning("add", "torch.add")
    assert RESOLVER.member(ConstantMeaning(3), "real") is None
    mine = RESOLVER.meaning(module("mine", K=3))
    assert RESOLVER.member(mine, "K") == ConstantMeaning(3)


def test_real_torch_objects():
    torch = pytest.importorskip("torch")
    functional = torch.nn.functional
    operators = {f: f.__name__ for f in (torch.add, torch.relu, functional.softmax, functional.gelu, torch.cat)}
    for value, name in operators.items():
        assert RESOLVER.meaning(value) == OperatorMeaning(name, f"torch.{name}")
    assert RESOLVER.meaning(torch.special.expit) != RESOLVER.meaning(torch.exp)
    assert RESOLVER.meaning(torch.float32) == ConstantMeaning(dtypes.float32)
    assert RESOLVER.meaning(torch.Tensor) == TypeMeaning(TENSOR, "Tensor")
    assert RESOLVER.meaning(torch.jit.is_scripting) == KnownMeaning(True, "torch.jit.is_scripting")
