"""Marks of functions for the compiler (`tscript.marks`, ``torch.jit.ignore`` …)."""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable
from typing import Any

from tscript.abi.python import INTERFACE_MARK, MARK
from tscript.frontend.source.functions import PythonFunction
from tscript.late import replace


def is_interface(cls: type) -> bool:
    """Whether a class only says which methods values have."""
    return INTERFACE_MARK in vars(cls) or bool(vars(cls).get("_is_protocol"))


def mark_of(function: Callable[..., Any]) -> str:
    """The mark of a function for the compiler: ``ignore``, ``unused``, ``export``, or empty."""
    found = getattr(function, MARK, "") or getattr(function, "_torchscript_modifier", "")
    return str(found).partition(" ")[0]


def without_body(function: PythonFunction, why: str = "it is marked as unused") -> PythonFunction:
    """A function of the same signature that raises an error with the reason."""
    tree = copy.copy(function.tree)
    text = f"{function.name}() is not in compiled code: {why}"
    error = ast.Call(ast.Name("RuntimeError", ast.Load()), [ast.Constant(text)], [])
    tree.body = [ast.Raise(error)]
    tree.decorator_list = []
    for statement in tree.body:
        ast.copy_location(statement, function.tree)
        for node in ast.walk(statement):
            if isinstance(node, ast.expr):
                ast.copy_location(node, function.tree)
    return replace(function, tree=tree)
