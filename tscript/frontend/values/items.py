"""``x.item()``: a number in Python, whose kind is that of the dtype.

The dtype is known when a call is compiled, or when it runs. Until then the number is an ``int | float | bool``,
`NUMBER`. So is what arithmetic makes of it. Where one of the three is declared, or a number meets a float, it is taken
as that, and a dtype that does not fit what is declared raises when it runs.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from tscript.diagnostics import Span
from tscript.frontend.diagnostics.type_names import article
from tscript.frontend.lowering.scopes import Bound
from tscript.frontend.source.text import PythonFunction
from tscript.frontend.values.conversions import by_member
from tscript.ir.graph import Const, Node, Op, Raise, Value
from tscript.types import BOOL, FLOAT, INT, NONE, NUMBER, OptionalType, Type, members_of

if TYPE_CHECKING:
    from tscript.frontend.language import LanguageLowering

_AS: dict[Type, str] = {FLOAT: "item.float", INT: "item.int", BOOL: "item.bool"}


def item(lowering: LanguageLowering, tensor: Value, span: Span) -> Value:
    """``tensor.item()``."""
    return lowering.leaf(lowering.program.resolver.table["item.number"], [tensor], NUMBER, span)


def as_number(lowering: LanguageLowering, value: Value, target: Type, span: Span) -> Value | None:
    """A `NUMBER` as a number of the type `target`, and one that may be None as such a number or None; None for another
    value or type."""
    wanted = target.value if isinstance(target, OptionalType) and value.type != NUMBER else target
    numbers = {*members_of(value.type)} - ({NONE} if wanted != target else set())
    if wanted not in _AS or numbers != {*NUMBER.members}:
        return None
    tensor = _source(value)
    if tensor is not None and _is_as_it_was(lowering, value.node):
        return lowering.leaf(lowering.program.resolver.table[_AS[target]], [tensor], target, span)

    def of(member: Value) -> Value:
        if member.type != NONE and (member.type == FLOAT != wanted or member.type != wanted == BOOL):
            message = f"{article(wanted)} is declared, but the number is {article(member.type)}"
            lowering.block.nodes.append(Raise("TypeError", message, (), span))
            return Value(target)
        number = member if member.type == NONE else lowering.coerce(member, wanted, span)
        found = None if number is None else lowering.coerce(number, target, span)
        assert found is not None
        return found

    return by_member(lowering, value, of, target, span)


def numbers_given(
    lowering: LanguageLowering, function: PythonFunction, node: ast.Call, first: int = 0
) -> dict[str, Type]:
    """Which parameters of `function`, those without annotation, a call gives a `NUMBER`: they are one, and no tensor.

    The arguments stand for the parameters from `first` on.
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


def _is_number(lowering: LanguageLowering, node: ast.expr) -> bool:
    """Whether an argument is a `NUMBER`; what is found without lowering it comes first."""
    if isinstance(node, ast.Name):
        found = lowering.scope.get(node.id)
        return isinstance(found, Bound) and found.value.type == NUMBER
    if isinstance(
        node, ast.Constant | ast.Lambda | ast.JoinedStr | ast.Compare | ast.Dict | ast.List | ast.Tuple | ast.Set
    ):
        return False
    return lowering.static(node) is None and lowering.type_of_expression(node) == NUMBER


def _source(value: Value) -> Value | None:
    """The tensor that a number is the item of."""
    node = value.node
    return node.inputs[0] if isinstance(node, Op) and node.op.name == "item.number" else None


def _is_as_it_was(lowering: LanguageLowering, node: Node | None) -> bool:
    """Whether nothing can have written to a tensor since a node of this block ran."""
    for later in reversed(lowering.block.nodes):
        if later is node:
            return True
        writes = not isinstance(later, Op) or later.op.effects.writes or later.op.effects.world
        if writes and not isinstance(later, Const):
            return False
    return False


def beside_float(lowering: LanguageLowering, left: Value, right: Value, span: Span) -> tuple[Value, Value]:
    """The operands of arithmetic; a `NUMBER` is a float beside one, as Python makes it one."""
    if left.type == FLOAT:
        return left, as_number(lowering, right, FLOAT, span) or right
    if right.type == FLOAT:
        return as_number(lowering, left, FLOAT, span) or left, right
    return left, right
