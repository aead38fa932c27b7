"""``**names`` as a parameter of a function or method that compiled code calls: each call says what it stands for.

A call with other keywords than the parameters makes a function of its own, with a keyword-only parameter for each
(`with_keywords`). In the body ``f(**names)`` gives them on, ``names["dim"]``, ``names.get("dim", 0)`` and
``"dim" in names`` read one, and `len` and truth count them. Everything else reads, or changes, the dict of them, which
is made when the body begins.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Mapping
from typing import Any

from tscript.frontend.source.functions import PythonFunction
from tscript.late import replace


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
    spread = _Spread(arguments.kwarg, rest, _is_changed(function, arguments.kwarg.arg))
    body = ast.Module(tree.body, [])
    spread.generic_visit(body)
    tree.body = [*(_dict(arguments.kwarg, spread.names) if spread.is_dict else ()), *body.body]
    keywords = [
        ast.copy_location(ast.keyword(rest.get(k.arg, k.arg) if k.arg else None, k.value), k) for k in node.keywords
    ]
    call = ast.copy_location(ast.Call(node.func, node.args, keywords), node)
    return tree, call, spread.refused


def without_keywords(function: PythonFunction) -> PythonFunction:
    """A function as it is for calls without further keywords; itself if it takes none, or cannot be called so."""
    if function.tree.args.kwarg is None:
        return function
    call = ast.copy_location(ast.Call(ast.Name(function.name, ast.Load()), [], []), function.tree)
    tree, _, refused = with_keywords(function.tree, call)
    return function if refused else replace(function, tree=tree, keywords=())


def _free(name: str, taken: set[str]) -> str:
    """A name like `name` that the function does not use."""
    while name in taken:
        name += "_"
    taken.add(name)
    return name


def _is_pop(statement: ast.stmt, node: ast.Call, name: str) -> bool:
    """Whether part of a statement is ``names.pop("dim")`` or ``names.pop("dim", 0)``, which certainly runs once."""
    is_simple = isinstance(statement, ast.Assign | ast.AnnAssign | ast.Expr | ast.Return)
    match node:
        case ast.Call(
            func=ast.Attribute(value=ast.Name(id=found), attr="pop"), args=[ast.Constant(value=str()), *_], keywords=[]
        ) if found == name:
            whole: Any = statement
            return is_simple and getattr(whole, "value", None) is node
    return False


_CHANGES = frozenset({"clear", "pop", "popitem", "setdefault", "update"})


def _is_changed(function: ast.FunctionDef, name: str) -> bool:
    """Whether a function changes the dict of a name, so that it is read at each place as it is then; but by taking keys
    out of it in statements of the body itself."""
    popped = {
        id(node.func)
        for statement in function.body
        for node in ast.walk(statement)
        if isinstance(node, ast.Call) and _is_pop(statement, node, name)
    }
    for node in ast.walk(function):
        match node:
            case ast.Subscript(value=ast.Name(id=found), ctx=ast.Store() | ast.Del()) if found == name:
                return True
            case ast.Attribute(value=ast.Name(id=found), attr=attr) if found == name and attr in _CHANGES:
                if id(node) not in popped:
                    return True
            case ast.Name(id=found, ctx=ast.Store() | ast.Del()) if found == name:
                return True
    return False


def _dict(parameter: ast.arg, names: Mapping[str, str]) -> list[ast.stmt]:
    """``names: dict[str, T] = {"dim": names_dim}``"""
    keys: list[ast.expr | None] = [ast.Constant(key) for key in names]
    whole = ast.Dict(keys, [ast.Name(name, ast.Load()) for name in names.values()])
    target = ast.Name(parameter.arg, ast.Store())
    made: ast.stmt = ast.Assign([target], whole)
    if parameter.annotation is not None:
        types = ast.Tuple([ast.Name("str", ast.Load()), copy.deepcopy(parameter.annotation)], ast.Load())
        made = ast.AnnAssign(target, ast.Subscript(ast.Name("dict", ast.Load()), types, ast.Load()), whole, 1)
    for node in ast.walk(made):
        if isinstance(node, ast.expr | ast.stmt):
            ast.copy_location(node, parameter)
    return [made]


class _Spread(ast.NodeTransformer):
    """Puts the keywords of a call in the place of what reads them."""

    def __init__(self, parameter: ast.arg, names: Mapping[str, str], is_changed: bool) -> None:
        self._parameter = parameter.arg
        self._annotation = parameter.annotation
        self.names = dict(names)
        self._is_changed = is_changed
        self.is_dict = False
        self.refused: list[ast.Name] = []

    def _is_own(self, node: ast.AST) -> bool:
        """Whether it reads the parameter, which is what the call says."""
        return not self._is_changed and self._is_parameter(node)

    def _is_parameter(self, node: ast.AST) -> bool:
        return isinstance(node, ast.Name) and node.id == self._parameter and isinstance(node.ctx, ast.Load)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        keywords: list[ast.keyword] = []
        for keyword in node.keywords:
            if keyword.arg is None and self._is_own(keyword.value):
                keywords += [
                    ast.copy_location(ast.keyword(key, self._read(name, keyword.value)), keyword.value)
                    for key, name in self.names.items()
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
                if key in self.names:
                    return self._read(self.names[key], node)
                missing = default[0] if default else ast.copy_location(ast.Constant(None), node)
                found: ast.AST = self.visit(missing)
                return found
            case ast.Call(
                func=ast.Attribute(value=ast.Name() as owner, attr="pop"),
                args=[ast.Constant(value=str() as key), *default],
                keywords=[],
            ) if self._is_own(owner) and (key in self.names or len(default) == 1):
                if self.is_dict:
                    self.refused.append(owner)  # it was made with all of them
                name = self.names.pop(key, None)
                left: ast.AST = self.visit(default[0]) if name is None else self._read(name, node)
                return left
            case ast.Call(func=ast.Name(id="len" | "bool" as name), args=[value], keywords=[]) if self._is_own(value):
                count = len(self.names)
                return ast.copy_location(ast.Constant(count if name == "len" else count > 0), node)
        return self.generic_visit(node)

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        match node:
            case ast.Subscript(value=owner, slice=ast.Constant(value=str() as key)) if (
                self._is_own(owner) and isinstance(node.ctx, ast.Load) and key in self.names
            ):
                return self._read(self.names[key], node)
        return self.generic_visit(node)

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        match node:
            case ast.Compare(
                left=ast.Constant(value=str() as key), ops=[ast.In() | ast.NotIn() as op], comparators=[owner]
            ) if self._is_own(owner):
                found = (key in self.names) is isinstance(op, ast.In)
                return ast.copy_location(ast.Constant(found), node)
        return self.generic_visit(node)

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if node.id == self._parameter:
            self.is_dict = True
            if not self.names and self._annotation is None and not self._is_changed:
                self.refused.append(node)  # of what type its values are is not known
        return node

    def visit_keyword(self, node: ast.keyword) -> ast.AST:
        if node.arg is None and self._is_parameter(node.value):
            assert isinstance(node.value, ast.Name)
            self.refused.append(node.value)  # what it holds then is not known
            return node
        return self.generic_visit(node)

    def visit_For(self, node: ast.For) -> ast.AST | list[ast.stmt]:
        source = node.iter
        match source:
            case ast.Call(func=ast.Attribute(value=owner, attr="items" | "keys" | "values"), args=[], keywords=[]):
                source = owner
        if not self._is_own(source) or self.names:
            return self.generic_visit(node)
        rest = ast.Module(node.orelse, [])  # there is nothing to loop over
        self.generic_visit(rest)
        return rest.body or [ast.copy_location(ast.Pass(), node)]

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
            return bool(self.names)
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
