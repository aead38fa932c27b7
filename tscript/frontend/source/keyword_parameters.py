"""``**names`` as a parameter of a function or method that compiled code calls: each call says what it stands for.

A call with other keywords than the parameters makes a function of its own, with a keyword-only parameter for each
(`with_keywords`). In the body ``f(**names)`` gives them on, ``names["dim"]``, ``names.get("dim", 0)`` and
``"dim" in names`` read one, ``names.items()`` and the like read all, and `len` and truth count them.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Mapping


def with_keywords(function: ast.FunctionDef, node: ast.Call) -> tuple[ast.FunctionDef, ast.Call, list[ast.Name]]:
    """The function that a call of one with ``**names`` is of, the call of that, and uses of the name that cannot be
    compiled.

    Args:
        function: It has such a parameter.
        node: The call; nothing in it is to be unpacked.
    """
    arguments = function.args
    assert arguments.kwarg is not None
    own = {a.arg for a in (*arguments.args, *arguments.kwonlyargs)}
    taken = {n.id for n in ast.walk(function) if isinstance(n, ast.Name)} | own
    given = [k.arg for k in node.keywords if k.arg is not None and k.arg not in own]
    rest = {key: _free(f"{arguments.kwarg.arg}_{key}", taken) for key in given}
    tree = copy.deepcopy(function)
    for name in rest.values():
        parameter = ast.arg(name, copy.deepcopy(arguments.kwarg.annotation))
        tree.args.kwonlyargs.append(ast.copy_location(parameter, arguments.kwarg))
        tree.args.kw_defaults.append(None)
    tree.args.kwarg = None
    spread = _Spread(arguments.kwarg, rest)
    body = ast.Module(tree.body, [])
    spread.generic_visit(body)
    tree.body = [*spread.empty, *body.body]
    keywords = [
        ast.copy_location(ast.keyword(rest.get(k.arg, k.arg) if k.arg else None, k.value), k) for k in node.keywords
    ]
    call = ast.copy_location(ast.Call(node.func, node.args, keywords), node)
    return tree, call, spread.refused


def _free(name: str, taken: set[str]) -> str:
    """A name like `name` that the function does not use."""
    while name in taken:
        name += "_"
    taken.add(name)
    return name


def _empty(name: str, value: ast.expr) -> ast.stmt:
    """``name: dict[str, value] = {}``"""
    keys = ast.Tuple([ast.Name("str", ast.Load()), copy.deepcopy(value)], ast.Load())
    type = ast.Subscript(ast.Name("dict", ast.Load()), keys, ast.Load())
    made = ast.AnnAssign(ast.Name(name, ast.Store()), type, ast.Dict([], []), 1)
    for node in ast.walk(made):
        if isinstance(node, ast.expr | ast.stmt):
            ast.copy_location(node, value)
    return made


class _Spread(ast.NodeTransformer):
    """Puts the keywords of a call in the place of what reads them."""

    def __init__(self, parameter: ast.arg, names: Mapping[str, str]) -> None:
        self._parameter = parameter.arg
        self._annotation = parameter.annotation
        self._names = names
        self.empty: list[ast.stmt] = []
        self.refused: list[ast.Name] = []

    def _is_own(self, node: ast.AST) -> bool:
        return isinstance(node, ast.Name) and node.id == self._parameter and isinstance(node.ctx, ast.Load)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        keywords: list[ast.keyword] = []
        for keyword in node.keywords:
            if keyword.arg is None and self._is_own(keyword.value):
                keywords += [
                    ast.copy_location(ast.keyword(key, self._read(name, keyword.value)), keyword.value)
                    for key, name in self._names.items()
                ]
            else:
                keywords.append(keyword)
        node = ast.copy_location(ast.Call(node.func, node.args, keywords), node)
        match node:
            case ast.Call(
                func=ast.Attribute(value=owner, attr="get"),
                args=[ast.Constant(value=str() as key), *default],
                keywords=[],
            ) if self._is_own(owner) and len(default) < 2:
                if key in self._names:
                    return self._read(self._names[key], node)
                missing = default[0] if default else ast.copy_location(ast.Constant(None), node)
                found: ast.AST = self.visit(missing)
                return found
            case ast.Call(func=ast.Name(id="len" | "bool" as name), args=[value], keywords=[]) if self._is_own(value):
                count = len(self._names)
                return ast.copy_location(ast.Constant(count if name == "len" else count > 0), node)
        return self.generic_visit(node)

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        match node:
            case ast.Subscript(value=owner, slice=ast.Constant(value=str() as key)) if (
                self._is_own(owner) and isinstance(node.ctx, ast.Load) and key in self._names
            ):
                return self._read(self._names[key], node)
        return self.generic_visit(node)

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        match node:
            case ast.Compare(
                left=ast.Constant(value=str() as key), ops=[ast.In() | ast.NotIn() as op], comparators=[owner]
            ) if self._is_own(owner):
                found = (key in self._names) is isinstance(op, ast.In)
                return ast.copy_location(ast.Constant(found), node)
        return self.generic_visit(node)

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if node.id == self._parameter:
            self.refused.append(node)
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        if self._is_own(node.value) and node.attr in ("items", "keys", "values", "copy"):
            if not self._names and self._annotation is not None:
                self.empty = [_empty(self._parameter, self._annotation)]
                return node
            keys: list[ast.expr | None] = [ast.copy_location(ast.Constant(k), node.value) for k in self._names]
            values = [self._read(name, node.value) for name in self._names.values()]
            whole = ast.copy_location(ast.Dict(keys, values), node.value)
            return ast.copy_location(ast.Attribute(whole, node.attr, node.ctx), node)
        return self.generic_visit(node)

    def visit_If(self, node: ast.If) -> ast.AST | list[ast.stmt]:
        holds = self._holds(node.test)
        if holds is None:
            return self.generic_visit(node)
        chosen = ast.Module(node.body if holds else node.orelse, [])
        self.generic_visit(chosen)
        return chosen.body or [ast.copy_location(ast.Pass(), node)]

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        holds = self._holds(node.test)
        if holds is None:
            return self.generic_visit(node)
        found: ast.AST = self.visit(node.body if holds else node.orelse)
        return found

    def _holds(self, test: ast.expr) -> bool | None:
        """Whether a condition that asks for keywords holds; None of any other one."""
        if self._is_own(test):
            return bool(self._names)
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            holds = self._holds(test.operand)
            return None if holds is None else not holds
        found = self.visit_Compare(test) if isinstance(test, ast.Compare) and self._asks(test) else None
        return found.value is True if isinstance(found, ast.Constant) else None

    def _asks(self, node: ast.Compare) -> bool:
        return self._is_own(node.comparators[0]) and isinstance(node.left, ast.Constant)

    @staticmethod
    def _read(name: str, node: ast.AST) -> ast.expr:
        return ast.copy_location(ast.Name(name, ast.Load()), node)


__all__ = ["with_keywords"]
