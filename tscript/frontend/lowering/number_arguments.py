"""Parameters that get a number of unknown kind."""

from __future__ import annotations

import ast

from tscript.frontend.lowering.function import FunctionLowering
from tscript.frontend.lowering.names import static
from tscript.frontend.lowering.probing import type_of_expression
from tscript.frontend.lowering.scopes import Bound
from tscript.frontend.source.functions import PythonFunction
from tscript.types import NUMBER, Type


def numbers_given(
    lowering: FunctionLowering, function: PythonFunction, node: ast.Call, first: int = 0
) -> dict[str, Type]:
    """The parameters of `function` without annotation that get a `NUMBER` from a call: they are numbers, not tensors.

    The arguments belong to the parameters from `first` on.
    """
    arguments = function.tree.args
    plain = [*arguments.posonlyargs, *arguments.args]
    named = {k.arg: k.value for k in node.keywords}
    given = dict(zip([a.arg for a in plain[first:]], _before_stars(node.args), strict=False)) | {
        a.arg: named[a.arg] for a in (*plain[first:], *arguments.kwonlyargs) if a.arg in named
    }
    return {
        a.arg: NUMBER
        for a in (*plain, *arguments.kwonlyargs)
        if a.annotation is None and a.arg in given and _is_number(lowering, given[a.arg])
    }


def _before_stars(args: list[ast.expr]) -> list[ast.expr]:
    stars = [i for i, a in enumerate(args) if isinstance(a, ast.Starred)]
    return args[: stars[0]] if stars else args


def _is_number(lowering: FunctionLowering, node: ast.expr) -> bool:
    """Whether an argument is a `NUMBER`. Cheap tests, without lowering it, come first."""
    if isinstance(node, ast.Name):
        found = lowering.scope.get(node.id)
        return isinstance(found, Bound) and found.value.type == NUMBER
    if isinstance(
        node, ast.Constant | ast.Lambda | ast.JoinedStr | ast.Compare | ast.Dict | ast.List | ast.Tuple | ast.Set
    ):
        return False
    return static(lowering, node) is None and type_of_expression(lowering, node) == NUMBER
