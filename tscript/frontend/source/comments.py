"""Type comments (``# type: …``), where TorchScript reads them: they become annotations of the tree.

A comment for the signature stands anywhere in a function, one for a parameter behind it, one for a name behind its
assignment:

    def f(x,  # type: Tensor
          n,  # type: int
          ):
        # type: (...) -> List[int]
        sizes = []  # type: List[int]

What has an annotation keeps it. Comments elsewhere (behind ``for`` and ``with``) say nothing, as in TorchScript.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
import typing
from collections.abc import Iterator, Mapping, Sequence

from tscript.frontend.source.symbols import NamespaceSymbol, TypeSymbol
from tscript.parsing import parse
from tscript.types import TENSOR

_COMMENT = re.compile(r"#\s*type:(?!\s*ignore\b)\s*(.*)")
SIGNATURE = re.compile(r"\((.*)\)\s*->\s*(.+)")

MARK = "in_comment"
"""An attribute of the names in type comments, which may be those of `NAMES`."""

NAMES: Mapping[str, object] = {
    "Tensor": TypeSymbol(TENSOR, "Tensor"),
    "torch": NamespaceSymbol("torch"),
    "typing": typing,
    **{name: getattr(typing, name) for name in ("Any", "Dict", "List", "Optional", "Tuple", "Union")},
}
"""What names mean in type comments that the module does not define, as in TorchScript."""

Comment = tuple[int, int, str]
"""Line, column and text."""


def annotate(tree: ast.AST, lines: Sequence[str], offset: int = 0) -> None:
    """Make annotations of the type comments in the functions of a tree.

    Args:
        tree: A module or a function. It is changed.
        lines: Of its file.
        offset: What to add to a line number of the tree.
    """
    first = getattr(tree, "lineno", 1) + offset
    last = (getattr(tree, "end_lineno", None) or len(lines)) + offset
    part = list(lines[first - 1 : last])
    if not any("#" in line and _COMMENT.search(line) for line in part):
        return
    found = [(row + first - offset, column, text) for row, column, text in comments_in(part)]
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    for function in functions:
        own = comments_of(function, found)
        for comment in own:
            _signature(function, comment)
            _parameter(function, comment)
        if own:
            _Names(own).generic_visit(function)


def comments_of(function: ast.FunctionDef, comments: Sequence[Comment]) -> list[Comment]:
    """The type comments of a function, without those of inner functions."""
    if not comments:
        return []
    inner = [n for n in ast.walk(function) if isinstance(n, ast.FunctionDef | ast.ClassDef) and n is not function]
    return [
        c
        for c in comments
        if function.lineno <= c[0] <= (function.end_lineno or 0)
        and not any(n.lineno <= c[0] <= (n.end_lineno or 0) for n in inner)
    ]


def comments_in(lines: list[str]) -> Iterator[Comment]:
    """Row, column and text of the type comments in some lines."""
    inner = lines[0][:1].isspace()
    text = "\n".join([*(["if 1:"] if inner else []), *(line.rstrip("\r\n") for line in lines)])
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.COMMENT and _COMMENT.match(token.string):
                yield token.start[0] - 1 - inner, token.start[1], token.string
    except (tokenize.TokenError, IndentationError, SyntaxError):
        return


def said(comment: Comment) -> str:
    found = _COMMENT.match(comment[2])
    assert found is not None
    return found[1].partition("#")[0].strip()


def type_in(text: str, comment: Comment) -> ast.expr | None:
    """A type in a comment; None if it is none."""
    try:
        found: ast.expr = parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError):
        return None
    line, column, whole = comment
    for node in ast.walk(found):
        if isinstance(node, ast.expr):
            node.lineno = node.end_lineno = line
            node.col_offset, node.end_col_offset = column, column + len(whole)
        if isinstance(node, ast.Name):
            setattr(node, MARK, True)
    return found


def parameters_of(function: ast.FunctionDef, count: int) -> list[ast.arg] | None:
    """The parameters for which a comment has `count` types: all, or all but the first of a method."""
    arguments = function.args
    found = [*arguments.posonlyargs, *arguments.args]
    found += [*([arguments.vararg] if arguments.vararg else []), *arguments.kwonlyargs]
    found += [arguments.kwarg] if arguments.kwarg else []
    if len(found) == count + 1 and found[0].arg in ("self", "cls"):
        return found[1:]
    return found if len(found) == count else None


def _signature(function: ast.FunctionDef, comment: Comment) -> None:
    signature = SIGNATURE.fullmatch(said(comment))
    if signature is None:
        return
    if function.returns is None:
        function.returns = type_in(signature[2], comment)
    types = split(signature[1])
    names = parameters_of(function, len(types))
    if names is None or types == ["..."]:
        return
    for name, text in zip(names, types, strict=True):
        if name.annotation is None:
            name.annotation = type_in(text.lstrip("*"), comment)


def _parameter(function: ast.FunctionDef, comment: Comment) -> None:
    if SIGNATURE.fullmatch(said(comment)) or comment[0] >= function.body[0].lineno:
        return
    arguments = function.args
    every = [*arguments.posonlyargs, *arguments.args, arguments.vararg, *arguments.kwonlyargs, arguments.kwarg]
    on_line = [a for a in every if a is not None and a.lineno == comment[0]]
    if on_line and on_line[-1].annotation is None:
        on_line[-1].annotation = type_in(said(comment), comment)


class _Names(ast.NodeTransformer):
    """Assignments with comments become annotated ones."""

    def __init__(self, comments: Sequence[Comment]) -> None:
        self._by_line = {comment[0]: comment for comment in comments}

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        return node

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
        return node

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        comment = self._by_line.get(node.end_lineno or 0)
        if comment is None or len(node.targets) != 1 or not isinstance(node.targets[0], ast.Name | ast.Attribute):
            return node
        annotation = type_in(said(comment), comment)
        if annotation is None:
            return node
        target = node.targets[0]
        made = ast.AnnAssign(target, annotation, node.value, int(isinstance(target, ast.Name)))
        return ast.copy_location(made, node)


def split(types: str) -> list[str]:
    """The types of a signature, which commas inside of brackets do not separate.

    Example:
        >>> split("int, Dict[str, int]")
        ['int', 'Dict[str, int]']
    """
    found, depth = [""], 0
    for sign in types:
        depth += (sign in "[(") - (sign in "])")
        if sign == "," and depth == 0:
            found.append("")
        else:
            found[-1] += sign
    return [t.strip() for t in found if t.strip()]


__all__ = ["MARK", "NAMES", "annotate", "split"]
